# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts beside it: one quiet line a step, the details in build/setup.log, and failures that name the remedy.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p build
KBX_LOG=${KBX_LOG:-$PWD/build/setup.log}

say() { printf '%s\n' "$*"; }

# fail "what went wrong" "what to do": never returns.
fail() {
  printf 'kbx: %s\n' "$1" >&2
  [ -z "${2:-}" ] || printf '     %s\n' "$2" >&2
  exit 1
}

# step "what it does" "remedy if it fails" command...: runs the command with its output in the log.
step() {
  local what=$1 remedy=$2 begin=$SECONDS mark
  shift 2
  mark=$(wc -l 2>/dev/null <"$KBX_LOG" || echo 0)
  printf '  %s ... ' "$what"
  printf '\n== %s: %s\n' "$what" "$*" >>"$KBX_LOG"
  # Not inside an `if`: that would switch `set -e` off within the command.
  set +e
  (set -e; "$@") >>"$KBX_LOG" 2>&1 </dev/null
  local status=$?
  set -e
  if [ "$status" -eq 0 ]; then
    say "done ($((SECONDS - begin)) s)"
    return
  fi
  say "failed"
  tail -n "+$((mark + 3))" "$KBX_LOG" | tail -n 15 | sed 's/^/    | /' >&2
  fail "this step failed: $what (the whole output is in build/setup.log)" "$remedy"
}

# Where environments are kept: shared by all clones of this user.
kbx_cache() { printf '%s\n' "${XDG_CACHE_HOME:-$HOME/.cache}/kbx"; }

# The interpreter to build and run with: KBX_PYTHON, or the environment that belongs to requirements.lock.
kbx_python() {
  if [ -n "${KBX_PYTHON:-}" ]; then
    printf '%s\n' "$KBX_PYTHON"
    return
  fi
  local version
  version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  printf '%s/env-%s/bin/python\n' "$(kbx_cache)" "$( (cat requirements.lock; echo "$version") | sha256sum | cut -c1-12)"
}
