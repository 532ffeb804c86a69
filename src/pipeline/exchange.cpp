// SPDX-License-Identifier: Apache-2.0
#include "pipeline/exchange.h"

#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalogue/schema.h"
#include "core/check.h"
#include "oracle/kinds/form.h"
#include "protocol/native_call.h"

namespace kbx {
namespace {

// Elements reachable by the strides, gaps included.
int64_t span_of(const at::Tensor& t) {
  if (t.numel() == 0) return 0;
  int64_t last = 0;
  for (int64_t d = 0; d < t.dim(); ++d) last += (t.size(d) - 1) * t.stride(d);
  return last + 1;
}

// All elements of the span, gaps and overlaps included, as one flat tensor of bytes.
at::Tensor flat_bytes(const at::Tensor& t) { return at::as_strided(t, {span_of(t)}, {1}, t.storage_offset()).view(at::kByte); }

// Whether any of the bytes differ, as a tensor where they lie: nobody has waited for it. Compares words where it can.
at::Tensor differ(const at::Tensor& a, const at::Tensor& b) {
  constexpr int64_t kWord = sizeof(int64_t);
  const auto starts_a_word = [](const at::Tensor& t) {
    return t.storage_offset() % kWord == 0 && reinterpret_cast<uintptr_t>(t.const_data_ptr()) % kWord == 0;
  };
  const int64_t words = starts_a_word(a) && starts_a_word(b) ? a.numel() / kWord * kWord : 0;
  at::Tensor found;
  if (words > 0) found = at::ne(a.narrow(0, 0, words).view(at::kLong), b.narrow(0, 0, words).view(at::kLong)).any();
  if (words == a.numel() && found.defined()) return found;
  const at::Tensor rest = at::ne(a.narrow(0, words, a.numel() - words), b.narrow(0, words, b.numel() - words)).any();
  return found.defined() ? found.logical_or(rest) : rest;
}

// How many elements of that size the differing bytes belong to.
int64_t differing_elements(const at::Tensor& a, const at::Tensor& b, size_t itemsize) {
  return at::ne(a, b).view({-1, static_cast<int64_t>(itemsize)}).any(1).sum().item<int64_t>();
}

int64_t misalignment(const at::Tensor& t) { return t.storage_offset() * static_cast<int64_t>(t.itemsize()) % 64; }

std::vector<int64_t> contiguous_strides(at::IntArrayRef sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * std::max<int64_t>(sizes[d], 1);
  return strides;
}

void put_list(wire::Writer& w, const c10::IValue& value, ArgumentKind kind) {
  if (kind == ArgumentKind::int_list) {
    const auto list = value.toIntVector();
    w.u8(static_cast<uint8_t>(wire::Tag::int_list)).u32(static_cast<uint32_t>(list.size()));
    for (int64_t v : list) w.i64(v);
  } else if (kind == ArgumentKind::real_list) {
    const auto list = value.toDoubleVector();
    w.u8(static_cast<uint8_t>(wire::Tag::real_list)).u32(static_cast<uint32_t>(list.size()));
    for (double v : list) w.f64(v);
  } else {
    const auto list = value.toBoolList().vec();
    w.u8(static_cast<uint8_t>(wire::Tag::bool_list)).u32(static_cast<uint32_t>(list.size()));
    for (bool v : list) w.u8(v);
  }
}

void put_number(wire::Writer& w, const at::Scalar& number) {
  if (number.isBoolean())
    w.u8(static_cast<uint8_t>(wire::Tag::boolean)).u8(number.to<bool>());
  else if (number.isIntegral(false))
    w.u8(static_cast<uint8_t>(wire::Tag::integer)).i64(number.to<int64_t>());
  else
    w.u8(static_cast<uint8_t>(wire::Tag::real)).f64(number.to<double>());
}

void put_dtype(wire::Writer& w, at::ScalarType dtype) {
  const wire::DType code = to_wire(dtype);
  w.u8(static_cast<uint8_t>(wire::Tag::dtype)).u8(code.code).u8(code.bits);
}

bool is_output(const Expected& expected, int argument) {
  return std::ranges::any_of(expected.outputs, [&](const Truth& t) { return t.argument == argument; });
}

// The form of a destination for a result without a truth. Where the call does not ask for the result: no element. Where it has
// to raise, the first tensor's form, since nobody knows the result's; never empty, or "nothing to do" would be a fair answer.
std::pair<at::ScalarType, std::vector<int64_t>> stand_in(const Call& call, const Expected& expected) {
  const auto is_tensor = [](const Argument& a) { return a.value.isTensor() && a.value.toTensor().defined(); };
  const auto first = std::ranges::find_if(call.arguments, is_tensor);
  const at::Tensor t = first == call.arguments.end() ? at::zeros({1}) : first->value.toTensor();
  if (!expected.raises) return {t.scalar_type(), {0}};
  std::vector<int64_t> sizes = t.sizes().vec();
  for (int64_t& size : sizes) size = std::max<int64_t>(size, 1);
  return {t.scalar_type(), sizes};
}

std::string leaf_text(const wire::Leaf& leaf) {
  if (leaf.kind != wire::Leaf::tensor) return leaf.type.empty() ? "nothing usable" : leaf.type;
  const auto dtype = from_wire(leaf.dtype);
  return fmt::format("{} of shape {}", dtype ? dtype_name(*dtype) : "a tensor of unknown dtype", shape_text(leaf.sizes));
}

// How many elements a native function says there are; the reference library, called in its place, returns the tensor instead.
double count_of(const Returned& returned) {
  if (returned.leaves.empty()) return -1;
  const wire::Leaf& leaf = returned.leaves.front();
  return leaf.kind == wire::Leaf::tensor && leaf.sizes.size() == 1 ? static_cast<double>(leaf.sizes[0]) : leaf.value;
}

}  // namespace

Result<Exchange> Exchange::lay_out(const Call& call, const Expected& expected, Language language, Arena& arena, Access inputs) {
  Exchange x(language);
  const bool native = language != Language::triton;
  wire::Writer w(wire::Type::prepare);
  const size_t header = w.finish().size();

  const auto place = [&](const at::Tensor& t, std::string name, int argument, int element) -> Result<int> {
    const Argument& a = call.arguments[argument];
    const bool output = a.is_out || a.may_be_written || is_output(expected, argument);
    auto buffer = arena.allocate(t.scalar_type(), t.sizes(), t.strides(), misalignment(t), output ? Access::write : inputs);
    if (!buffer) return buffer.error();
    x.slots_.push_back({*buffer, std::move(name), argument, element, false});
    return static_cast<int>(x.slots_.size()) - 1;
  };

  std::vector<int> slot_of_argument(call.arguments.size(), -1);
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const Argument& a = call.arguments[i];
    const bool skipped = native ? !is_native_argument(a.name) : a.given == Given::defaulted;
    if (skipped) continue;
    ++x.argument_count_;
    w.str(native || a.given == Given::positional ? "" : a.name);
    switch (a.kind) {
      case ArgumentKind::none:
        w.u8(static_cast<uint8_t>(wire::Tag::none));
        break;
      case ArgumentKind::boolean:
        w.u8(static_cast<uint8_t>(wire::Tag::boolean)).u8(a.value.toBool());
        break;
      case ArgumentKind::integer:
      case ArgumentKind::real:
        put_number(w, a.value.toScalar());
        break;
      case ArgumentKind::text:
        w.u8(static_cast<uint8_t>(wire::Tag::text)).str(a.value.toStringRef());
        break;
      case ArgumentKind::dtype:
        put_dtype(w, static_cast<at::ScalarType>(a.value.toInt()));
        break;
      case ArgumentKind::device:
        w.u8(static_cast<uint8_t>(wire::Tag::text)).str("cuda");
        break;
      case ArgumentKind::int_list:
      case ArgumentKind::real_list:
      case ArgumentKind::bool_list:
        put_list(w, a.value, a.kind);
        break;
      case ArgumentKind::tensor: {
        if (a.number_for_tensor && !native) {
          put_number(w, a.value.toTensor().item());
          break;
        }
        auto slot = place(a.value.toTensor(), a.name, static_cast<int>(i), -1);
        if (!slot) return slot.error();
        slot_of_argument[i] = *slot;
        w.u8(static_cast<uint8_t>(wire::Tag::tensor));
        put(w, x.slots_[*slot].buffer.remote);
        break;
      }
      case ArgumentKind::tensor_list: {
        const auto list = a.value.toTensorVector();
        w.u8(static_cast<uint8_t>(wire::Tag::tensor_list)).u32(static_cast<uint32_t>(list.size()));
        for (size_t k = 0; k < list.size(); ++k) {
          auto slot = place(list[k], fmt::format("{}[{}]", a.name, k), static_cast<int>(i), static_cast<int>(k));
          if (!slot) return slot.error();
          put(w, x.slots_[*slot].buffer.remote);
        }
        break;
      }
    }
  }

  const auto& returns = parsed_schema(call.task->schema).returns();
  for (const Truth& truth : expected.outputs) {
    if (truth.argument >= 0 && slot_of_argument[truth.argument] >= 0) {
      x.output_slot_.push_back(slot_of_argument[truth.argument]);
      x.destination_index_.push_back(-1);
      if (call.arguments[truth.argument].is_out) x.slots_[slot_of_argument[truth.argument]].poisoned = true;
      // A result that is an argument in this call only (inplace=true) keeps its destination: the argument itself.
      const bool sometimes = truth.returned >= 0 && returns[static_cast<size_t>(truth.returned)].alias_info() == nullptr;
      if (native && sometimes) x.destinations_.push_back(x.slots_[slot_of_argument[truth.argument]].buffer.remote);
      continue;
    }
    const std::vector<int64_t> sizes = truth.data_dependent ? std::vector<int64_t>{truth.bound} : truth.shape;
    auto buffer = arena.allocate(truth.dtype, sizes, contiguous_strides(sizes));
    if (!buffer) return buffer.error();
    x.slots_.push_back({*buffer, truth.name, -1, -1, true});
    x.output_slot_.push_back(static_cast<int>(x.slots_.size()) - 1);
    x.destination_index_.push_back(static_cast<int>(x.destinations_.size()));
    x.destinations_.push_back(buffer->remote);
  }
  // A native function takes the same number of arguments in every call: one that raises, or leaves the last results out, too.
  for (size_t r = 0; native && r < returns.size(); ++r) {
    const auto is_r = [r](const Truth& t) { return t.returned == static_cast<int>(r); };
    if (returns[r].alias_info() != nullptr || std::ranges::any_of(expected.outputs, is_r)) continue;
    const auto [dtype, sizes] = stand_in(call, expected);
    auto buffer = arena.allocate(dtype, sizes, contiguous_strides(sizes));
    if (!buffer) return buffer.error();
    x.slots_.push_back({*buffer, returns[r].name(), -1, -1, true});
    x.destinations_.push_back(buffer->remote);
  }
  x.arguments_ = w.finish().substr(header);
  return x;
}

at::Tensor Exchange::bytes_of(const Slot& slot) const { return flat_bytes(slot.buffer.tensor); }

void Exchange::write(const Call& call, uint8_t poison) {
  for (Slot& slot : slots_) {
    if (slot.buffer.tensor.numel() == 0) continue;
    if (slot.poisoned) {
      bytes_of(slot).fill_(poison);
      continue;
    }
    const c10::IValue& value = call.arguments[slot.argument].value;
    const at::Tensor source = slot.element < 0 ? value.toTensor() : value.toTensorVector()[slot.element];
    bytes_of(slot).copy_(flat_bytes(source));
  }
}

Delivery Exchange::take(const Expected& expected, const Returned& returned) const {
  Delivery delivery;
  for (size_t i = 0; i < expected.outputs.size(); ++i) {
    const Truth& truth = expected.outputs[i];
    const Slot& slot = slots_[output_slot_[i]];
    at::Tensor value = slot.buffer.tensor;
    Delivered d;
    if (destination_index_[i] >= 0 && language_ == Language::triton) {
      const size_t leaf_index = truth.returned >= 0 ? static_cast<size_t>(truth.returned) : i;
      if (leaf_index >= returned.leaves.size()) {
        d.problem = fmt::format("{} values were returned, output {} is missing", returned.leaves.size(), truth.name);
      } else if (const wire::Leaf& leaf = returned.leaves[leaf_index];
                 !leaf.copied || (!truth.data_dependent && leaf.sizes != truth.shape)) {
        d.problem = fmt::format("returned {} instead of {} of shape {}", leaf_text(leaf), dtype_name(truth.dtype),
                                shape_text(truth.shape));
        const auto dtype = leaf.kind == wire::Leaf::tensor ? from_wire(leaf.dtype) : std::nullopt;
        if (dtype) d.form = at::empty(leaf.sizes, at::TensorOptions().dtype(*dtype).device(at::kMeta));
      } else if (leaf.aliases_argument > 0 && !truth.shares_input) {
        d.problem = "returned memory of an argument instead of a result of its own";
      } else if (truth.data_dependent) {
        if (leaf.sizes.size() == 1 && leaf.sizes[0] >= 0 && leaf.sizes[0] <= truth.bound)
          value = value.narrow(0, 0, leaf.sizes[0]);
        else
          d.problem = fmt::format("returned {} for at most {} elements", leaf_text(leaf), truth.bound);
      }
    } else if (destination_index_[i] >= 0 && truth.data_dependent) {
      const double count = count_of(returned);
      if (!(count >= 0 && count <= static_cast<double>(truth.bound)))
        d.problem = fmt::format("returned the count {} for at most {} elements", count, truth.bound);
      else
        value = value.narrow(0, 0, static_cast<int64_t>(count));
    }
    if (d.problem.empty() && value.scalar_type() == at::kBool && value.numel() > 0 &&
        value.contiguous().flatten().view(at::kByte).max().item<uint8_t>() > 1)
      d.problem = "a bool element holds neither 0 nor 1 (not written?)";
    if (d.problem.empty()) d.value = value.clone(at::MemoryFormat::Contiguous);
    delivery.push_back(std::move(d));
  }
  return delivery;
}

std::vector<Exchange::Pair> Exchange::inputs(const Call& call, const Expected& expected) const {
  std::vector<Pair> pairs;
  for (const Slot& slot : slots_) {
    if (slot.argument < 0 || slot.poisoned || slot.buffer.tensor.numel() == 0 || is_output(expected, slot.argument)) continue;
    const c10::IValue& value = call.arguments[slot.argument].value;
    const at::Tensor source = slot.element < 0 ? value.toTensor() : value.toTensorVector()[slot.element];
    pairs.push_back({&slot, bytes_of(slot), flat_bytes(source).to(slot.buffer.tensor.device())});
  }
  return pairs;
}

std::vector<Exchange::Pair> Exchange::outputs(const Delivery& delivery) const {
  std::vector<Pair> pairs;
  for (size_t i = 0; i < delivery.size(); ++i) {
    const at::Tensor& value = delivery[i].value;
    if (!value.defined() || value.numel() == 0) continue;
    const Slot& slot = slots_[output_slot_[i]];
    at::Tensor current = slot.buffer.tensor;
    if (current.sizes() != value.sizes()) current = current.narrow(0, 0, value.size(0));
    pairs.push_back({&slot, current.contiguous().flatten().view(at::kByte), value.flatten().view(at::kByte)});
  }
  return pairs;
}

std::optional<Tampering> Exchange::first_difference(Tampering::Kind kind, const std::vector<Pair>& pairs) {
  std::vector<at::Tensor> flags;
  for (const Pair& pair : pairs) flags.push_back(differ(pair.now, pair.before));
  if (!any_of(flags)) return std::nullopt;
  for (const Pair& pair : pairs) {
    const int64_t elements = differing_elements(pair.now, pair.before, pair.slot->buffer.tensor.itemsize());
    if (elements > 0) return Tampering{kind, pair.slot->name, 0, elements};
  }
  return std::nullopt;
}

std::optional<Tampering> Exchange::input_changed(const Call& call, const Expected& expected) const {
  return first_difference(Tampering::Kind::input_changed, inputs(call, expected));
}

std::optional<Tampering> Exchange::changed_since(const Delivery& delivery) const {
  return first_difference(Tampering::Kind::late_write, outputs(delivery));
}

at::Tensor Exchange::differs(const Call& call, const Expected& expected, const Delivery& delivery) const {
  std::vector<at::Tensor> flags = {at::zeros({}, at::TensorOptions().dtype(at::kBool).device(device()))};
  for (const auto& pairs : {inputs(call, expected), outputs(delivery)})
    for (const Pair& pair : pairs) flags.push_back(differ(pair.now, pair.before));
  return at::stack(flags).any();
}

bool any_of(const std::vector<at::Tensor>& flags) { return !flags.empty() && at::stack(flags).any().item<bool>(); }

void synchronize(at::Device device) {
  if (!device.is_cpu()) c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
}

std::string Exchange::buffer_name(size_t index) const { return index < slots_.size() ? slots_[index].name : "a buffer"; }

}  // namespace kbx
