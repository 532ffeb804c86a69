// SPDX-License-Identifier: Apache-2.0
#include "native/candidate.h"

#include <dlfcn.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/string.h>

#include <string_view>

#include "native/cuda_segments.h"
#include "native/device_census.h"
#include "native/timing.h"

namespace kbx::runner {
namespace ffi = tvm::ffi;
namespace {

// What TVM-FFI's own argument checks say begins like this (function_detail.h); errors of the candidate are passed on as they are.
constexpr std::string_view kMismatch = "Mismatched ";
constexpr std::string_view kBadAlloc = "std::bad_alloc";  // what() of the library's own exception

Failure raised_error() {
  TVMFFIObjectHandle handle = nullptr;
  TVMFFIErrorMoveFromRaised(&handle);
  if (handle == nullptr) return {wire::FailedAt::call, "error", "the function failed without saying why"};
  using ffi::detail::ObjectUnsafe;
  const auto error = ObjectUnsafe::ObjectRefFromObjectPtr<ffi::Error>(
      ObjectUnsafe::ObjectPtrFromOwned<ffi::ErrorObj>(static_cast<TVMFFIObject*>(handle)));
  Failure failure{wire::FailedAt::call, std::string(error.kind()), std::string(error.message())};
  if (failure.message == kBadAlloc) failure.kind = "out of memory";
  if (failure.kind == "TypeError" && failure.message.rfind(kMismatch, 0) == 0) failure.at = wire::FailedAt::bind;
  return failure;
}

// The candidate noticed that a launch was refused: the census knows which.
void name_refused_launch(Failure& failure) {
  const std::string blame = blame_launches();
  if (blame.find("was refused") != std::string::npos) failure.message += "\n" + blame;
}

DLDataType dl_type(wire::DType dtype) { return {dtype.code, dtype.bits, 1}; }

// The count of a data-dependent result, where the function returned one.
std::vector<wire::Leaf> leaves_of(const ffi::Any& result) {
  const auto number = result.as<int64_t>();
  if (!number) return {};
  wire::Leaf leaf;
  leaf.kind = wire::Leaf::number;
  leaf.value = static_cast<double>(*number);
  leaf.type = "int";
  return {leaf};
}

// A tensor that owns nothing of the judge's memory; `meta` must outlive it.
ffi::Tensor owned_tensor(const DLTensor& tensor) {
  auto* managed = new DLManagedTensor{tensor, nullptr, [](DLManagedTensor* self) { delete self; }};
  return ffi::Tensor::FromDLPack(managed);
}

}  // namespace

std::string CandidateLibrary::load(const LoadOrder& order) {
  void* library = dlopen(order.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Failure{wire::FailedAt::import, "dlopen", dlerror()};
  order_ = order;
  std::string tried;
  for (const std::string& entry : order.entries) {
    const std::string symbol = "__tvm_ffi_" + entry;
    function_ = reinterpret_cast<TVMFFISafeCallType>(dlsym(library, symbol.c_str()));
    if (function_ != nullptr) return entry;
    tried += (tried.empty() ? "" : ", ") + symbol;
  }
  throw Failure{wire::FailedAt::bind, "no entry", "the library exports none of " + tried};
}

DLTensor* CandidateLibrary::view(Bound& bound, PlacedTensor& tensor) {
  wire::Tensor& meta = tensor.meta;
  const DLDevice device = meta.device == 0 ? DLDevice{kDLCPU, 0} : DLDevice{kDLCUDA, 0};
  if (meta.device != 0) bound.on_device = true;
  bound.tensors.push_back({tensor.data, device, static_cast<int32_t>(meta.sizes.size()), dl_type(meta.dtype), meta.sizes.data(),
                           meta.strides.data(), 0});
  return &bound.tensors.back();
}

void CandidateLibrary::bind(Bound& bound, Argument& argument) {
  auto& to = bound.arguments;
  const auto own = [&](auto value) {
    bound.owned.emplace_back(std::move(value));
    to.emplace_back(bound.owned.back());
  };
  if (std::holds_alternative<None>(argument)) {
    to.emplace_back();
  } else if (const auto* flag = std::get_if<bool>(&argument)) {
    to.emplace_back(*flag);
  } else if (const auto* integer = std::get_if<int64_t>(&argument)) {
    to.emplace_back(*integer);
  } else if (const auto* real = std::get_if<double>(&argument)) {
    to.emplace_back(*real);
  } else if (const auto* text = std::get_if<std::string>(&argument)) {
    own(ffi::String(*text));
  } else if (const auto* dtype = std::get_if<wire::DType>(&argument)) {
    to.emplace_back(dl_type(*dtype));
  } else if (auto* tensor = std::get_if<PlacedTensor>(&argument)) {
    to.emplace_back(view(bound, *tensor));
  } else if (const auto* ints = std::get_if<std::vector<int64_t>>(&argument)) {
    own(ffi::Shape(*ints));
  } else if (const auto* reals = std::get_if<std::vector<double>>(&argument)) {
    own(ffi::Array<double>(reals->begin(), reals->end()));
  } else if (const auto* bools = std::get_if<std::vector<bool>>(&argument)) {
    own(ffi::Array<bool>(bools->begin(), bools->end()));
  } else if (auto* tensors = std::get_if<std::vector<PlacedTensor>>(&argument)) {
    ffi::Array<ffi::Tensor> list;
    for (PlacedTensor& t : *tensors) list.push_back(owned_tensor(*view(bound, t)));
    own(list);
  }
}

void CandidateLibrary::prepare(ArgumentSet set) {
  const uint32_t number = set.number;
  sets_.erase(number);
  Bound& bound = sets_[number];
  bound.source = std::move(set);
  for (Argument& argument : bound.source.arguments) bind(bound, argument);
  for (PlacedTensor& destination : bound.source.destinations) bound.arguments.emplace_back(view(bound, destination));
  if (order_.append_seed) bound.arguments.emplace_back(int64_t{0});
}

CandidateLibrary::Bound& CandidateLibrary::ready(uint32_t set) {
  const auto at = sets_.find(set);
  if (at == sets_.end() || function_ == nullptr)
    throw Failure{wire::FailedAt::unsupported, "protocol", "a call without load or prepare"};
  return at->second;
}

void CandidateLibrary::invoke(const std::vector<ffi::AnyView>& arguments, bool on_device, ffi::Any& result) const {
  int status = 0;
  try {
    status = function_(nullptr, reinterpret_cast<const TVMFFIAny*>(arguments.data()), static_cast<int32_t>(arguments.size()),
                       reinterpret_cast<TVMFFIAny*>(&result));
  } catch (...) {
    // TVM-FFI's wrapper lets only what is not a std::exception through.
    throw Failure{wire::FailedAt::call, "exception", "the function threw something that is not a std::exception"};
  }
  if (status == 0) return;
  Failure raised = raised_error();
  if (on_device) {
    synchronise_device();  // a fault of the device counts for more than what the candidate made of it
    if (raised.at == wire::FailedAt::call) name_refused_launch(raised);
  }
  throw raised;
}

Callee::Outcome CandidateLibrary::call(uint32_t set, uint64_t seed) {
  Bound& bound = ready(set);
  if (order_.append_seed) bound.arguments.back() = ffi::AnyView(static_cast<int64_t>(seed));
  ffi::Any result;
  mark_launches();
  const uint64_t nanoseconds = timed([&] {
    invoke(bound.arguments, bound.on_device, result);
    if (bound.on_device) synchronise_device();
  });
  return {nanoseconds, leaves_of(result)};
}

std::vector<uint64_t> CandidateLibrary::time(wire::Timing how, const std::vector<Call>& calls) {
  kept_.clear();
  std::vector<const std::vector<ffi::AnyView>*> arguments;
  std::deque<std::vector<ffi::AnyView>> seeded;
  bool on_device = false;
  for (const Call& call : calls) {
    const Bound& bound = ready(call.set);
    on_device = on_device || bound.on_device;
    arguments.push_back(&bound.arguments);
    if (!order_.append_seed) continue;
    arguments.back() = &seeded.emplace_back(bound.arguments);
    seeded.back().back() = ffi::AnyView(static_cast<int64_t>(call.seed));
  }
  std::vector<ffi::Any> results(calls.size());
  std::vector<uint64_t> claimed =
      time_calls(how, calls.size(), on_device, [&](size_t i) { invoke(*arguments[i], on_device, results[i]); });
  kept_ = std::move(results);
  return claimed;
}

std::vector<Callee::Outcome> CandidateLibrary::deliver() {
  std::vector<Outcome> outcomes;
  for (const ffi::Any& result : kept_) outcomes.push_back({0, leaves_of(result)});
  kept_.clear();
  return outcomes;
}

}  // namespace kbx::runner
