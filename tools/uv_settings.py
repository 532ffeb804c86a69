# SPDX-License-Identifier: Apache-2.0
"""Prints shell exports that make uv follow the settings that pip has on this machine (mirrors, certificates, proxies).

Runs with the interpreter of a venv that has pip. A variable that the user set for uv is left alone.
"""

import ast
import os
import shlex
import subprocess
import sys

# pip's setting -> (uv's variable, what joins several values)
UV_VARIABLES = {
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "cert": ("SSL_CERT_FILE", " "),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "proxy": ("ALL_PROXY", " "),
    "no-index": ("UV_NO_INDEX", " "),
}


def pip_settings(listing):
    """{setting: value} from the text of `pip config list`; the environment wins over [install], that over [global]."""
    ranked = {}
    for line in listing.splitlines():
        key, found, value = line.partition("=")
        section, dot, name = key.strip().rpartition(".")
        if not found or not dot:
            continue
        rank = {":env:": 2, "install": 1, "global": 0}.get(section)
        if rank is not None and rank >= ranked.get(name, (-1, ""))[0]:
            ranked[name] = (rank, str(ast.literal_eval(value)))
    return {name: value for name, (_, value) in ranked.items()}


def uv_environment(settings, environment):
    """The variables to export for uv, given pip's settings and those already in the environment."""
    result = {}
    for name, (variable, joint) in UV_VARIABLES.items():
        values = settings.get(name, "").split()
        if values and not environment.get(variable):
            result[variable] = joint.join(values)
    return result


def main():
    listing = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True).stdout
    for variable, value in uv_environment(pip_settings(listing), os.environ).items():
        print(f"export {variable}={shlex.quote(value)}")


if __name__ == "__main__":
    main()
