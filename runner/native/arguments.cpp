// SPDX-License-Identifier: Apache-2.0
#include "native/arguments.h"

namespace kbx::runner {
namespace {

PlacedTensor read_tensor(wire::Reader& reader, const Segments& segments) {
  PlacedTensor tensor{get_tensor(reader), nullptr};
  if (!reader.bad()) tensor.data = segments.address(tensor.meta);
  return tensor;
}

template <typename T, typename Read>
std::vector<T> read_list(wire::Reader& reader, Read read) {
  std::vector<T> list;
  const uint32_t count = reader.u32();
  for (uint32_t i = 0; i < count && !reader.bad(); ++i) list.push_back(read());
  return list;
}

Argument read_argument(wire::Reader& reader, const Segments& segments) {
  switch (static_cast<wire::Tag>(reader.u8())) {
    case wire::Tag::none:
      return None{};
    case wire::Tag::boolean:
      return reader.u8() != 0;
    case wire::Tag::integer:
      return reader.i64();
    case wire::Tag::real:
      return reader.f64();
    case wire::Tag::text:
      return reader.str();
    case wire::Tag::dtype: {
      const uint8_t code = reader.u8();
      return wire::DType{code, reader.u8()};
    }
    case wire::Tag::tensor:
      return read_tensor(reader, segments);
    case wire::Tag::int_list:
      return read_list<int64_t>(reader, [&] { return reader.i64(); });
    case wire::Tag::real_list:
      return read_list<double>(reader, [&] { return reader.f64(); });
    case wire::Tag::bool_list:
      return read_list<bool>(reader, [&] { return reader.u8() != 0; });
    case wire::Tag::tensor_list:
      return read_list<PlacedTensor>(reader, [&] { return read_tensor(reader, segments); });
  }
  reader.fail();
  return None{};
}

}  // namespace

ArgumentSet read_set(wire::Reader& reader, const Segments& segments) {
  ArgumentSet set;
  set.number = reader.u32();
  const uint32_t count = reader.u32();
  for (uint32_t i = 0; i < count && !reader.bad(); ++i) {
    set.names.push_back(reader.str());
    set.arguments.push_back(read_argument(reader, segments));
  }
  set.destinations = read_list<PlacedTensor>(reader, [&] { return read_tensor(reader, segments); });
  if (!reader.at_end()) throw Failure{wire::FailedAt::unsupported, "protocol", "a malformed prepare message"};
  return set;
}

}  // namespace kbx::runner
