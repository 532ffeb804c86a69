# SPDX-License-Identifier: Apache-2.0
# Written by tools/published; do not edit.
set(KBX_PUBLISHED_CALLS
  published/calls/activation_1.cpp
  published/calls/activation_2.cpp
  published/calls/convolution.cpp
  published/calls/fusion_1.cpp
  published/calls/fusion_2.cpp
  published/calls/fusion_3.cpp
  published/calls/fusion_4.cpp
  published/calls/fusion_5.cpp
  published/calls/index.cpp
  published/calls/linear_algebra_1.cpp
  published/calls/linear_algebra_2.cpp
  published/calls/loss.cpp
  published/calls/math_1.cpp
  published/calls/math_2.cpp
  published/calls/math_3.cpp
  published/calls/matrix_multiply.cpp
  published/calls/normalization.cpp
  published/calls/optimizer.cpp
  published/calls/pooling.cpp
  published/calls/quantization.cpp
  published/calls/random.cpp
  published/calls/reduce.cpp
  published/calls/spatial_ops.cpp)
