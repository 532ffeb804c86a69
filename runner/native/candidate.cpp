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

Callee::Outcome CandidateLibrary::call(uint32_t set, uint64_t seed) {
  const auto at = sets_.find(set);
  if (at == sets_.end() || function_ == nullptr)
    throw Failure{wire::FailedAt::unsupported, "protocol", "a call without load or prepare"};
  Bound& bound = at->second;
  if (order_.append_seed) bound.arguments.back() = ffi::AnyView(static_cast<int64_t>(seed));
  const auto* arguments = reinterpret_cast<const TVMFFIAny*>(bound.arguments.data());
  const auto count = static_cast<int32_t>(bound.arguments.size());
  ffi::Any result;
  int status = 0;
  Outcome outcome;
  mark_launches();
  try {
    outcome.nanoseconds = timed([&] {
      status = function_(nullptr, arguments, count, reinterpret_cast<TVMFFIAny*>(&result));
      if (bound.on_device && status == 0) synchronise_device();
    });
  } catch (const Failure&) {
    throw;
  } catch (...) {
    // TVM-FFI's wrapper lets only what is not a std::exception through.
    throw Failure{wire::FailedAt::call, "exception", "the function threw something that is not a std::exception"};
  }
  if (status != 0) {
    Failure raised = raised_error();
    if (bound.on_device) {
      synchronise_device();  // a fault of the device counts for more than what the candidate made of it
      if (raised.at == wire::FailedAt::call) name_refused_launch(raised);
    }
    throw raised;
  }
  if (const auto number = result.as<int64_t>()) {
    wire::Leaf leaf;
    leaf.kind = wire::Leaf::number;
    leaf.value = static_cast<double>(*number);
    leaf.type = "int";
    outcome.leaves.push_back(leaf);
  }
  return outcome;
}

}  // namespace kbx::runner
