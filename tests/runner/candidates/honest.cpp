// SPDX-License-Identifier: Apache-2.0
// Functions that do what they are asked for, one per kind of argument.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

#include <fcntl.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace {

using tvm::ffi::Array;
using tvm::ffi::Optional;
using tvm::ffi::Shape;
using tvm::ffi::String;
using tvm::ffi::Tensor;
using tvm::ffi::TensorView;

float* data(TensorView t) { return static_cast<float*>(t.data_ptr()); }

// Follows strides, so that a wrong one shows.
void add(TensorView a, TensorView b, TensorView out) {
  for (int64_t i = 0; i < out.size(0); ++i)
    for (int64_t k = 0; k < out.size(1); ++k)
      data(out)[i * out.stride(0) + k * out.stride(1)] =
          data(a)[i * a.stride(0) + k * a.stride(1)] + data(b)[i * b.stride(0) + k * b.stride(1)];
}

// Writes what it got as numbers.
void all_kinds(Optional<TensorView> absent, int64_t integer, double real, bool flag, String text, DLDataType dtype, Shape ints,
               Array<double> reals, Array<bool> bools, Array<Tensor> tensors, TensorView out) {
  float* o = data(out);
  *o++ = absent.has_value();
  *o++ = static_cast<float>(integer);
  *o++ = static_cast<float>(real);
  *o++ = flag;
  *o++ = static_cast<float>(text.size());
  *o++ = static_cast<float>(dtype.code * 1000 + dtype.bits);
  *o++ = static_cast<float>(ints[0] * 10 + ints[1]);
  *o++ = static_cast<float>(reals[0] + reals[1]);
  *o++ = bools[0] * 2.f + bools[1];
  *o++ = static_cast<float>(tensors.size()) * 100 + data(tensors[1])[0];
}

int64_t positives(TensorView x, TensorView out) {
  int64_t count = 0;
  for (int64_t i = 0; i < x.size(0); ++i)
    if (data(x)[i] > 0) data(out)[count++] = data(x)[i];
  return count;
}

void seeded(TensorView out, int64_t seed) { data(out)[0] = static_cast<float>(seed); }

// How often it was called before; fails where that is how often its argument says.
int64_t called(TensorView out, TensorView fails_at) {
  static int64_t calls = 0;
  if (data(fails_at)[0] == static_cast<float>(calls)) throw std::runtime_error("call " + std::to_string(calls));
  data(out)[0] = static_cast<float>(calls);
  return calls++;
}

void print_hello(TensorView) { puts("hello from the candidate"); }

// Reads the descriptor table: what the judge must not have leaked.
void open_descriptors(TensorView out) {
  float* o = data(out);
  for (int fd = 0; fd < 64; ++fd) o[fd] = fcntl(fd, F_GETFD) >= 0;
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, add);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(all_kinds, all_kinds);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(positives, positives);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(seeded, seeded);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(called, called);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(print_hello, print_hello);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(open_descriptors, open_descriptors);
