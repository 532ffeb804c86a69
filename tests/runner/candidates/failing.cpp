// SPDX-License-Identifier: Apache-2.0
// Functions with the mistakes that honest authors make.
#include <sys/mman.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace {

using tvm::ffi::TensorView;

float* data(TensorView t) { return static_cast<float*>(t.data_ptr()); }

void wrong_arity(TensorView, TensorView, TensorView) {}
void wrong_type(int64_t) {}
void throws(TensorView) { throw std::runtime_error("no such mode: §"); }
void throws_int(TensorView) { throw 7; }
void aborts(TensorView) { std::abort(); }
void divides(TensorView out) {
  volatile int zero = 0;
  data(out)[0] = static_cast<float>(100 / zero);
}
// The sizes are multiples of 16 floats: the next byte is the first of the unmapped page.
void reads_behind(TensorView out) { data(out)[0] = data(out)[out.size(0) + 2]; }
// 64 bytes end at the page end, so 4032 bytes of the page lie before them, and before those the other unmapped page.
void writes_before(TensorView out) { reinterpret_cast<volatile char*>(data(out))[-4032 - 1] = 1; }
void writes_behind_by_one_byte(TensorView out) { reinterpret_cast<char*>(data(out) + out.size(0))[0] = 1; }
void recurses(TensorView out) {
  volatile char frame[4096];
  frame[0] = 1;
  recurses(out);
  data(out)[0] = frame[0];
}
void allocates_without_end(TensorView) {
  std::vector<std::vector<char>> hoard;
  for (;;) hoard.emplace_back(16 << 20, 'x');
}
// Keeps below the limit of one allocation's kind: shared memory is not counted by RLIMIT_DATA.
void touches_shared_memory_without_end(TensorView) {
  for (;;) {
    char* p = static_cast<char*>(mmap(nullptr, 16 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (p == MAP_FAILED) return;
    for (size_t i = 0; i < (16 << 20); i += 4096) p[i] = 1;
  }
}
void never_returns(TensorView) {
  for (volatile int running = 1; running;) {
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(wrong_arity, wrong_arity);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(wrong_type, wrong_type);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(throws, throws);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(throws_int, throws_int);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(aborts, aborts);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(divides, divides);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(reads_behind, reads_behind);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(writes_before, writes_before);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(writes_behind_by_one_byte, writes_behind_by_one_byte);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(recurses, recurses);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(allocates_without_end, allocates_without_end);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(touches_shared_memory_without_end, touches_shared_memory_without_end);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(never_returns, never_returns);
