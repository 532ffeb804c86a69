#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rules for the catalogue that a compiler does not check. Usage: lint_test.sh FOLDER (src/catalogue).
set -u
status=0

# The judge evaluates references in float64: one that names a floating type would keep its own precision.
named=$(grep -nE 'k(Half|BFloat16|Float|Double)\b|ScalarType::(Half|BFloat16|Float|Double)|\b(toDouble|float)\(' \
  "$1"/*/*.cpp | grep -v '_oracle\.cpp:')
if [ -n "$named" ]; then
  echo "references must not name a floating type:"
  echo "$named"
  status=1
fi

long=$(find "$1" -name '*.cpp' -o -name '*.h' | xargs wc -l | awk '$2 != "total" && $1 > 400')
if [ -n "$long" ]; then
  echo "files of more than 400 lines:"
  echo "$long"
  status=1
fi
exit $status
