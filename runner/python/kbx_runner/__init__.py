# SPDX-License-Identifier: Apache-2.0
"""The untrusted side for Python candidates: a warm zygote, and the children that it forks, one per candidate.

Whatever this package says is a claim to the judge; nothing of value is in its memory."""
