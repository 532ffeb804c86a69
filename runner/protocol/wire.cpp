// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire.h"

namespace kbx::wire {
namespace {

constexpr size_t kHeader = 12;  // u32 magic, u16 version, u16 type, u32 payload length
constexpr uint8_t kMaxDims = 64;

std::vector<int64_t> get_dims(Reader& r, uint8_t count) {
  std::vector<int64_t> dims;
  for (uint8_t i = 0; i < count && !r.bad(); ++i) dims.push_back(r.i64());
  return dims;
}

}  // namespace

Writer::Writer(Type type) { u32(kMagic).u16(kVersion).u16(static_cast<uint16_t>(type)).u32(0); }

const std::string& Writer::finish() {
  const uint32_t length = static_cast<uint32_t>(bytes_.size() - kHeader);
  std::memcpy(bytes_.data() + 8, &length, sizeof length);
  return bytes_;
}

Reader::Reader(std::string_view message) : rest_(message) {
  const uint32_t magic = u32();
  const uint16_t version = u16();
  type_ = static_cast<Type>(u16());
  const uint32_t length = u32();
  if (magic != kMagic || version != kVersion || length != rest_.size()) bad_ = true;
}

std::string Reader::str() {
  const uint32_t size = u32();
  if (bad_ || rest_.size() < size) {
    bad_ = true;
    return {};
  }
  std::string value(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return value;
}

void put(Writer& w, const Segment& s) { w.u32(s.id).u32(s.fd).u64(s.offset).u64(s.length).u8(s.device).u8(s.writable); }

void put(Writer& w, const Tensor& t) {
  w.u32(t.segment).u64(t.offset).u8(t.dtype.code).u8(t.dtype.bits).u8(t.device).u8(static_cast<uint8_t>(t.sizes.size()));
  for (int64_t size : t.sizes) w.i64(size);
  for (int64_t stride : t.strides) w.i64(stride);
}

void put(Writer& w, const Leaf& l) {
  w.u8(l.kind).u8(l.copied).u8(l.aliases_argument).u8(l.dtype.code).u8(l.dtype.bits).u8(static_cast<uint8_t>(l.sizes.size()));
  for (int64_t size : l.sizes) w.i64(size);
  w.f64(l.value).str(l.type);
}

void put(Writer& w, const std::vector<std::string>& list) {
  w.u32(static_cast<uint32_t>(list.size()));
  for (const std::string& item : list) w.str(item);
}

void put(Writer& w, const Lockdown& l) {
  w.u32(l.layers).u64(l.memory_bytes).u64(l.file_bytes).u32(l.open_files).u32(l.processes);
  put(w, l.readable);
  put(w, l.writable);
  w.str(l.filter);
}

Segment get_segment(Reader& r) {
  Segment s;
  s.id = r.u32();
  s.fd = r.u32();
  s.offset = r.u64();
  s.length = r.u64();
  s.device = r.u8();
  s.writable = r.u8();
  return s;
}

Tensor get_tensor(Reader& r) {
  Tensor t;
  t.segment = r.u32();
  t.offset = r.u64();
  t.dtype = {r.u8(), r.u8()};
  t.device = r.u8();
  const uint8_t dims = r.u8();
  if (dims > kMaxDims) {
    r.fail();
    return t;
  }
  t.sizes = get_dims(r, dims);
  t.strides = get_dims(r, dims);
  return t;
}

Leaf get_leaf(Reader& r) {
  Leaf l;
  l.kind = r.u8();
  l.copied = r.u8();
  l.aliases_argument = r.u8();
  l.dtype.code = r.u8();
  l.dtype.bits = r.u8();
  const uint8_t dims = r.u8();
  if (dims > kMaxDims) {
    r.fail();
    return l;
  }
  l.sizes = get_dims(r, dims);
  l.value = r.f64();
  l.type = r.str();
  return l;
}

std::vector<std::string> get_list(Reader& r) {
  std::vector<std::string> list;
  const uint32_t count = r.u32();
  for (uint32_t i = 0; i < count && !r.bad(); ++i) list.push_back(r.str());
  return list;
}

Lockdown get_lockdown(Reader& r) {
  Lockdown l;
  l.layers = r.u32();
  l.memory_bytes = r.u64();
  l.file_bytes = r.u64();
  l.open_files = r.u32();
  l.processes = r.u32();
  l.readable = get_list(r);
  l.writable = get_list(r);
  l.filter = r.str();
  return l;
}

}  // namespace kbx::wire
