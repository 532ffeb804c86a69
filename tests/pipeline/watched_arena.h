// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "runner/arena.h"

namespace kbx {

// Remembers each buffer and what a runner may do with it.
class WatchedArena final : public Arena {
 public:
  Result<Buffer> allocate(at::ScalarType dtype, at::IntArrayRef sizes, at::IntArrayRef strides, int64_t misalign,
                          Access access) override {
    accesses.push_back(access);
    auto buffer = arena_->allocate(dtype, sizes, strides, misalign, access);
    if (buffer) tensors.push_back(buffer->tensor);
    return buffer;
  }
  void fill_red_zones(uint8_t pattern) override { arena_->fill_red_zones(pattern); }
  std::optional<Trespass> red_zones_changed() override { return arena_->red_zones_changed(); }
  at::Tensor red_zones_differ() override { return arena_->red_zones_differ(); }
  void reset() override {
    arena_->reset();
    accesses.clear();
    tensors.clear();
  }
  std::vector<Export> exports() const override { return arena_->exports(); }
  wire::StatusPage status() const override { return arena_->status(); }

  std::vector<Access> accesses;
  std::vector<at::Tensor> tensors;

 private:
  std::unique_ptr<Arena> arena_ = *make_host_arena(64u << 20);
};

}  // namespace kbx
