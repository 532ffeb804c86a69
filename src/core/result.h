// SPDX-License-Identifier: Apache-2.0
// Result<T>: the outcome of an operation of our own that can fail for reasons outside the program
// (files, processes, the database). Expected outcomes of judging are verdicts, not errors; bugs are CHECKs.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "core/check.h"

namespace kbx {

// What went wrong, for a person: `message` names the object (file, field, process), `remedy` what to do; it may be empty.
struct Error {
  std::string message;
  std::string remedy;

  // "message (remedy)", or the message alone.
  std::string text() const { return remedy.empty() ? message : message + " (" + remedy + ")"; }
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok().
  T& value() & {
    KBX_CHECK(ok());
    return std::get<0>(state_);
  }
  const T& value() const& {
    KBX_CHECK(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    KBX_CHECK(ok());
    return std::get<0>(std::move(state_));
  }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }

  // REQUIRES: !ok().
  const Error& error() const {
    KBX_CHECK(!ok());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

struct Done {};
// Success without a value, or an Error.
using Status = Result<Done>;

}  // namespace kbx
