// SPDX-License-Identifier: Apache-2.0
// One call laid out in a runner's arena: inputs written, outputs poisoned, and afterwards taken back and checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalogue/call.h"
#include "core/candidate.h"
#include "oracle/judgement.h"
#include "oracle/oracle.h"
#include "runner/runner.h"

namespace kbx {

// What outputs are filled with before a call: alternating, so that an output that keeps the values of an earlier call cannot
// pass for a written one, and never a NaN, which some outputs are to hold. As fp32: -391.5 and 0.0115.
constexpr uint8_t kPoison[] = {0xc3, 0x3c};
constexpr uint8_t kRedZone = 0xa5;

// What a candidate must not have done, seen from the judge's side.
struct Tampering {
  enum class Kind { input_changed, red_zone, late_write } kind;
  std::string name;      // of the argument or output
  int64_t distance = 0;  // red_zone: bytes behind the end (negative: before the start)
  int64_t elements = 0;  // input_changed, late_write: how many elements differ
};

// REQUIRES: `arena` outlives the exchange and is not reset meanwhile. One set of a runner.
class Exchange {
 public:
  // Allocates space for the arguments and outputs of `call` in the layout that `language` is called with. `inputs` says what the
  // runner may do with arguments that neither the truth nor the schema changes. Error: the arena is too small.
  static Result<Exchange> lay_out(const Call& call, const Expected& expected, Language language, Arena& arena,
                                  Access inputs = Access::read);

  // Writes the contents of a call of the same shapes, poisons all outputs with `poison` bytes.
  void write(const Call& call, uint8_t poison);

  // The arguments as a `prepare` message takes them, their number, and the destinations.
  const std::string& arguments() const { return arguments_; }
  uint32_t argument_count() const { return argument_count_; }
  const std::vector<wire::Tensor>& destinations() const { return destinations_; }

  // Copies the outputs out of the shared memory. `returned` is what the runner said about the call.
  Delivery take(const Expected& expected, const Returned& returned) const;
  // Inputs that changed although the truth does not change them, compared bit for bit with `call`.
  std::optional<Tampering> input_changed(const Call& call, const Expected& expected) const;
  // Outputs whose bytes differ now from what take() delivered.
  std::optional<Tampering> changed_since(const Delivery& delivery) const;
  // Whether one of these two would find something, as a 0-dim bool tensor where the buffers lie, not waited for.
  at::Tensor differs(const Call& call, const Expected& expected, const Delivery& delivery) const;
  // Where its buffers lie.
  at::Device device() const { return slots_.empty() ? at::Device(at::kCPU) : slots_.front().buffer.tensor.device(); }
  // How many buffers it has in the arena.
  size_t buffers() const { return slots_.size(); }
  // The argument or output that owns the buffer with that index, in order of allocation.
  std::string buffer_name(size_t index) const;

 private:
  struct Slot {
    Buffer buffer;
    std::string name;
    int argument = -1;  // index in the call
    int element = -1;   // within a tensor list
    bool poisoned = false;
  };
  // Bytes that have to be equal, and whose they are.
  struct Pair {
    const Slot* slot;
    at::Tensor now, before;
  };
  explicit Exchange(Language language) : language_(language) {}
  std::vector<Pair> inputs(const Call& call, const Expected& expected) const;
  std::vector<Pair> outputs(const Delivery& delivery) const;
  static std::optional<Tampering> first_difference(Tampering::Kind kind, const std::vector<Pair>& pairs);
  at::Tensor bytes_of(const Slot& slot) const;

  Language language_;
  std::vector<Slot> slots_;             // in order of allocation
  std::vector<int> output_slot_;        // per output of Expected
  std::vector<int> destination_index_;  // per output of Expected: its destination, -1 if it is an argument
  std::vector<wire::Tensor> destinations_;
  std::string arguments_;
  uint32_t argument_count_ = 0;
};

// Waits once: whether one of these 0-dim bool tensors, all of one device, is true.
bool any_of(const std::vector<at::Tensor>& flags);

// Waits until what the judge wrote to `device` is there for another process. Nothing to do for host memory.
void synchronize(at::Device device);

}  // namespace kbx
