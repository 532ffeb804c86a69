# SPDX-License-Identifier: Apache-2.0
"""Starts a zygote: python zygote.py --role interpret|compile|cuda --lockdown PATH [--census PATH], control socket at descriptor 3."""
import sys


def main():
    from kbx_runner import server
    del sys.path[0]  # nothing of ours can be imported, or shadowed, by name from a candidate
    server.main(sys.argv[1:])


if __name__ == "__main__":
    main()
