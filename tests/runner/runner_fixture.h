// SPDX-License-Identifier: Apache-2.0
// Runs functions of the candidates in tests/runner/candidates in a real sandboxed runner-native.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "runner/hosts.h"

namespace kbx {

class RunnerFixture : public ::testing::Test {
 protected:
  static constexpr double kSeconds = 20;

  RunnerFixture() {
    options.layers = available_layers();
    options.arena_bytes = 4 << 20;
  }

  Reply<Loaded> load(const std::string& library, const std::vector<std::string>& entries, const std::string& settings = "{}") {
    const std::string path = std::string(KBX_CANDIDATES) + "/kbx_candidate_" + library + ".so";
    auto started = start_native_runner(path, options);
    if (!started) {
      ADD_FAILURE() << started.error().text();
      return Broken{started.error().message};
    }
    runner = *std::move(started);
    LoadRequest request;
    request.path = path;
    request.entries = entries;
    request.options = settings;
    return runner->load(request, kSeconds);
  }

  // Loads `entry` and prepares set 0: one tensor of `size` floats.
  void start(const std::string& library, const std::string& entry, int64_t size = 16) {
    auto loaded = load(library, {entry});
    ASSERT_TRUE(std::holds_alternative<Loaded>(loaded)) << what(loaded);
    out = allocate({size});
    auto prepared = runner->prepare(0, "", 0, {out.remote}, kSeconds);
    ASSERT_TRUE(std::holds_alternative<Done>(prepared)) << what(prepared);
  }

  Reply<ReturnedCalls> call(double seconds = kSeconds) { return runner->call({{0, 1}}, seconds); }

  using Times = std::vector<uint64_t>;
  // What time() answered, or no times and a failure.
  Times timed(wire::Timing how, const std::vector<Runner::SetSeed>& calls) {
    auto reply = runner->time(how, calls, kSeconds);
    EXPECT_TRUE(std::holds_alternative<Times>(reply)) << what(reply);
    return std::holds_alternative<Times>(reply) ? std::get<Times>(reply) : Times();
  }
  std::vector<Returned> delivered() {
    auto reply = runner->deliver(kSeconds);
    EXPECT_TRUE(std::holds_alternative<ReturnedCalls>(reply)) << what(reply);
    return std::holds_alternative<ReturnedCalls>(reply) ? std::get<ReturnedCalls>(reply).calls : std::vector<Returned>();
  }

  Buffer allocate(std::vector<int64_t> sizes, at::ScalarType dtype = at::kFloat) {
    std::vector<int64_t> strides(sizes.size(), 1);
    for (size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
    auto buffer = runner->arena().allocate(dtype, sizes, strides);
    EXPECT_TRUE(buffer.ok());
    return *std::move(buffer);
  }

  template <typename T>
  static std::string what(const Reply<T>& reply) {
    if (const auto* f = std::get_if<Failed>(&reply)) return "failed: " + f->kind + ": " + f->message;
    if (const auto* d = std::get_if<Died>(&reply))
      return "died: signal " + std::to_string(d->signal) + ", code " + std::to_string(d->exit_code);
    if (const auto* b = std::get_if<Broken>(&reply)) return "broken: " + b->what;
    return std::holds_alternative<Late>(reply) ? "late" : "answered";
  }

  RunnerOptions options;
  std::unique_ptr<Runner> runner;
  Buffer out;
};

// One argument of a prepare message.
class ArgumentWriter {
 public:
  wire::Writer& add(wire::Tag tag, const std::string& name = "") {
    ++count_;
    return writer_.str(name).u8(static_cast<uint8_t>(tag));
  }
  void tensor(const Buffer& buffer) { put(add(wire::Tag::tensor), buffer.remote); }
  uint32_t count() const { return count_; }
  std::string bytes() { return writer_.finish().substr(header_); }

 private:
  wire::Writer writer_{wire::Type::prepare};
  size_t header_ = wire::Writer(wire::Type::prepare).finish().size();
  uint32_t count_ = 0;
};

}  // namespace kbx
