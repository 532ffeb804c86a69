// SPDX-License-Identifier: Apache-2.0
// Functions that attack the channel: descriptor 3, the output, the shared memory, the process.
#include <sys/socket.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <unistd.h>

#include <string>

#include "protocol/wire.h"

namespace {

using tvm::ffi::TensorView;
namespace wire = kbx::wire;

void tell(const std::string& bytes) { send(3, bytes.data(), bytes.size(), 0); }

std::string forged_returned() {
  wire::Writer w(wire::Type::returned);
  w.u32(1).u64(1).u8(1).u32(0).u32(0);
  return w.finish();
}

void exits_with_success(TensorView) { _exit(0); }
// X10: the answer first, then a clean exit, and no work done.
void forges_and_exits(TensorView) {
  tell(forged_returned());
  _exit(0);
}
// Two answers for one request.
void forges_and_returns(TensorView) { tell(forged_returned()); }
void forges_another_answer(TensorView) { tell(wire::Writer(wire::Type::prepared).finish()); }
void sends_garbage(TensorView) { tell(std::string(1000, '\xff')); }
void sends_an_oversized_message(TensorView) { tell(std::string(100 * 1024, 'x')); }
void sends_an_empty_message(TensorView) { tell(""); }
// A count of leaves that would take memory.
void claims_many_leaves(TensorView) {
  wire::Writer w(wire::Type::returned);
  w.u32(1).u64(1).u8(1).u32(0xffffffffu);
  tell(w.finish());
}
void floods_with_faults(TensorView) {
  wire::Writer w(wire::Type::fault);
  w.u32(11).u8(0).u64(0).u64(0).u32(0).i64(0);
  for (;;) tell(w.finish());
}
void closes_the_socket(TensorView) { close(3); }
void closes_the_socket_and_stays(TensorView) {
  close(3);
  for (;;) pause();
}
void prints_100_megabytes(TensorView) {
  const std::string block(1 << 20, 'x');
  write(1, "first", 5);
  for (int i = 0; i < 100; ++i) write(1, block.data(), block.size());
  write(1, "last", 4);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(exits_with_success, exits_with_success);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(forges_and_exits, forges_and_exits);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(forges_and_returns, forges_and_returns);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(forges_another_answer, forges_another_answer);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sends_garbage, sends_garbage);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sends_an_oversized_message, sends_an_oversized_message);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sends_an_empty_message, sends_an_empty_message);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(claims_many_leaves, claims_many_leaves);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(floods_with_faults, floods_with_faults);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(closes_the_socket, closes_the_socket);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(closes_the_socket_and_stays, closes_the_socket_and_stays);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(prints_100_megabytes, prints_100_megabytes);
