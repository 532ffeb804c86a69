# SPDX-License-Identifier: Apache-2.0
"""The baseline that Python candidates are raced against: each operator under its own name."""
from reference import operator as __getattr__  # PEP 562
