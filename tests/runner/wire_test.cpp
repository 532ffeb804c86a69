// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

namespace kbx::wire {
namespace {

// The message in memory of exactly its size, so that a sanitizer sees the first byte read behind it.
struct Exact {
  explicit Exact(const std::string& bytes) : size(bytes.size()), data(new char[bytes.size()]) { bytes.copy(data.get(), size); }
  std::string_view view() const { return {data.get(), size}; }
  size_t size;
  std::unique_ptr<char[]> data;
};

std::string sample() {
  Writer w(Type::prepare);
  w.u32(7).str("text");
  put(w, Tensor{3, 64, {4, 16}, 1, {2, 0, 5}, {5, 5, 1}});
  put(w, Leaf{Leaf::tensor, 1, 2, {2, 64}, {9}, 0.5, "Tensor"});
  put(w, Segment{1, 2, 4096, 8192, 1, 0});
  put(w, Lockdown{3, 1ull << 40, 5, 6, 7, {"/usr"}, {"/tmp/w", ""}, std::string("\0\1", 2)});
  return w.finish();
}

bool parses(std::string_view bytes) {
  Reader r(bytes);
  r.u32();
  r.str();
  get_tensor(r);
  get_leaf(r);
  get_segment(r);
  get_lockdown(r);
  return r.at_end();
}

TEST(Wire, EveryFieldComesBackAsItWasPut) {
  const std::string bytes = sample();
  Reader r(bytes);
  EXPECT_EQ(r.type(), Type::prepare);
  EXPECT_EQ(r.u32(), 7u);
  EXPECT_EQ(r.str(), "text");
  const Tensor t = get_tensor(r);
  EXPECT_EQ(t.segment, 3u);
  EXPECT_EQ(t.offset, 64u);
  EXPECT_EQ(t.dtype.code, 4);
  EXPECT_EQ(t.dtype.bits, 16);
  EXPECT_EQ(t.device, 1);
  EXPECT_EQ(t.sizes, (std::vector<int64_t>{2, 0, 5}));
  EXPECT_EQ(t.strides, (std::vector<int64_t>{5, 5, 1}));
  const Leaf l = get_leaf(r);
  EXPECT_EQ(l.kind, Leaf::tensor);
  EXPECT_EQ(l.copied, 1);
  EXPECT_EQ(l.aliases_argument, 2);
  EXPECT_EQ(l.sizes, (std::vector<int64_t>{9}));
  EXPECT_EQ(l.value, 0.5);
  EXPECT_EQ(l.type, "Tensor");
  const Segment s = get_segment(r);
  EXPECT_EQ(s.offset, 4096u);
  EXPECT_EQ(s.length, 8192u);
  EXPECT_EQ(s.writable, 0);
  const Lockdown d = get_lockdown(r);
  EXPECT_EQ(d.layers, 3u);
  EXPECT_EQ(d.memory_bytes, 1ull << 40);
  EXPECT_EQ(d.processes, 7u);
  EXPECT_EQ(d.writable, (std::vector<std::string>{"/tmp/w", ""}));
  EXPECT_EQ(d.filter, std::string("\0\1", 2));
  EXPECT_TRUE(r.at_end());
}

// docs/protocol.md, "Framing": "KBX1", version 1, type, length, all little-endian.
TEST(Wire, TheHeaderHasTheDocumentedBytes) {
  Writer w(Type::spawn);
  w.str("ab");
  EXPECT_EQ(w.finish(), std::string("KBX1\x01\x00\x20\x00\x06\x00\x00\x00\x02\x00\x00\x00"
                                    "ab",
                                    18));
}

TEST(Wire, ATruncatedMessageIsBadAtEveryLength) {
  const std::string bytes = sample();
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string cut = bytes.substr(0, size);
    EXPECT_FALSE(parses(Exact(cut).view())) << size;
    // The length made right again, so that the fields themselves are what is cut.
    if (size >= 12) {
      const auto length = static_cast<uint32_t>(size - 12);
      std::memcpy(cut.data() + 8, &length, sizeof length);
      EXPECT_FALSE(parses(Exact(cut).view())) << size;
    }
  }
  EXPECT_TRUE(parses(Exact(bytes).view()));
}

TEST(Wire, TrailingBytesAreNotTheEnd) {
  std::string bytes = sample() + 'x';
  EXPECT_FALSE(parses(bytes));
  const auto length = static_cast<uint32_t>(bytes.size() - 12);
  std::memcpy(bytes.data() + 8, &length, sizeof length);
  EXPECT_FALSE(parses(bytes));
}

TEST(Wire, AWrongMagicVersionOrLengthIsBad) {
  for (size_t at : {0, 3, 4, 5, 8, 11}) {
    std::string bytes = sample();
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    EXPECT_TRUE(Reader(bytes).bad()) << at;
  }
}

TEST(Wire, SixtyFourDimensionsAreTheMost) {
  for (size_t dims : {64, 65}) {
    Writer w(Type::prepare);
    put(w, Tensor{0, 0, {}, 0, std::vector<int64_t>(dims, 1), std::vector<int64_t>(dims, 1)});
    const std::string bytes = w.finish();
    Reader r(bytes);
    get_tensor(r);
    EXPECT_EQ(r.at_end(), dims == 64);

    Writer v(Type::returned);
    put(v, Leaf{Leaf::tensor, 0, 0, {}, std::vector<int64_t>(dims, 1), 0, ""});
    const std::string leaf = v.finish();
    Reader q(leaf);
    get_leaf(q);
    EXPECT_EQ(q.at_end(), dims == 64);
  }
}

TEST(Wire, AStringLongerThanTheMessageIsBadAndTakesNoMemory) {
  Writer w(Type::loaded);
  w.u32(0xffffffffu).raw("abc", 3);
  const std::string bytes = w.finish();
  Reader r(bytes);
  EXPECT_EQ(r.str(), "");
  EXPECT_TRUE(r.bad());
}

TEST(Wire, AListLongerThanTheMessageEndsAtTheFirstMissingItem) {
  Writer w(Type::load);
  w.u32(0xffffffffu).str("only");
  const std::string bytes = w.finish();
  Reader r(bytes);
  EXPECT_LE(get_list(r).size(), 2u);
  EXPECT_TRUE(r.bad());
}

// Reading on after the first bad field gives zeros and never the bytes behind.
TEST(Wire, RandomBytesNeverReadPastTheEnd) {
  std::mt19937 random(20240607);
  const std::string valid = sample();
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = valid;
    if (round % 2 == 0) {
      bytes.resize(12 + random() % 200);
      for (size_t i = 12; i < bytes.size(); ++i) bytes[i] = static_cast<char>(random());
      const auto length = static_cast<uint32_t>(bytes.size() - 12);
      std::memcpy(bytes.data() + 8, &length, sizeof length);
    } else {
      for (int k = 0; k < 3; ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const Exact exact(bytes);
    parses(exact.view());
    Reader r(exact.view());
    while (!r.bad() && !r.at_end()) get_leaf(r);
  }
}

}  // namespace
}  // namespace kbx::wire
