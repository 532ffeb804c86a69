// SPDX-License-Identifier: Apache-2.0
#include "measure/profile.h"

#include <fmt/format.h>

#include <cmath>
#include <system_error>

#include "core/files.h"
#include "core/installation.h"
#include "core/json.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr uint64_t kMaxProfileBytes = 1 << 20;
constexpr double kUncalibrated = 0.01;  // spread between processes

// What is wrong, and where in the file; caught by read_profile().
struct Damage {
  std::string what;
};

const nlohmann::json& member(const nlohmann::json& object, const std::string& path, const char* name) {
  if (!object.is_object()) throw Damage{path + " is not an object"};
  const auto found = object.find(name);
  if (found == object.end()) throw Damage{fmt::format("{}{} is missing", path.empty() ? "" : path + ".", name)};
  return *found;
}

std::string text(const nlohmann::json& object, const char* name) {
  const nlohmann::json& value = member(object, "", name);
  if (!value.is_string()) throw Damage{fmt::format("{} is not a text", name)};
  return value;
}

double positive(const nlohmann::json& value, const std::string& path) {
  if (!value.is_number() || !(value.get<double>() > 0) || !std::isfinite(value.get<double>()))
    throw Damage{path + " is not a positive number"};
  return value;
}

double positive(const nlohmann::json& object, const std::string& path, const char* name) {
  return positive(member(object, path, name), path.empty() ? name : path + "." + name);
}

Bandwidth bandwidth_from(const nlohmann::json& row, const std::string& path) {
  const auto field = [&](const char* name) { return positive(row, path, name); };
  return {static_cast<int64_t>(field("bytes")), field("copy"), field("triad"), field("read"), field("write")};
}

Noise noise_from(const nlohmann::json& object, const std::string& path) {
  const nlohmann::json& spread = member(object, path, "process_spread");
  if (!spread.is_number() || !(spread.get<double>() >= 0)) throw Damage{path + ".process_spread is not a number of at least 0"};
  return {spread, static_cast<int>(positive(object, path, "pairs"))};
}

DeviceProfile profile_from(const nlohmann::json& object) {
  if (!object.is_object()) throw Damage{"it is not an object"};
  DeviceProfile p;
  p.device = text(object, "device");
  const nlohmann::json& gpu = member(object, "", "gpu");
  if (!gpu.is_boolean()) throw Damage{"gpu is neither true nor false"};
  p.gpu = gpu;
  p.environment = text(object, "environment");
  p.measured = text(object, "measured");
  const nlohmann::json& rows = member(object, "", "bandwidth");
  if (!rows.is_array() || rows.empty()) throw Damage{"bandwidth is not a list of footprints"};
  for (const nlohmann::json& row : rows) {
    const std::string path = fmt::format("bandwidth[{}]", p.bandwidth.size());
    const Bandwidth b = bandwidth_from(row, path);
    if (!p.bandwidth.empty() && b.bytes <= p.bandwidth.back().bytes)
      throw Damage{path + ".bytes is not larger than that of the footprint before it"};
    p.bandwidth.push_back(b);
  }
  const nlohmann::json& matrix = member(object, "", "matrix");
  if (!matrix.is_object()) throw Damage{"matrix is not an object"};
  for (const auto& [type, rate] : matrix.items()) p.matrix[type] = positive(rate, "matrix." + type);
  p.vector = positive(object, "", "vector");
  p.launch_seconds = positive(object, "", "launch_seconds");
  p.call_seconds = positive(object, "", "call_seconds");
  const nlohmann::json noise = object.value("noise", nlohmann::json::object());
  if (!noise.is_object()) throw Damage{"noise is not an object"};
  for (const auto& [clock, of] : noise.items()) p.noise[clock] = noise_from(of, "noise." + clock);
  return p;
}

}  // namespace

ProcessSpread spread_of(const DeviceProfile* profile) {
  ProcessSpread spread{.otherwise = kUncalibrated};
  if (profile == nullptr) return spread;
  for (const auto& [clock, noise] : profile->noise) {
    spread.by_clock[clock] = noise.process_spread;
    spread.otherwise = std::max(spread.otherwise, noise.process_spread);
  }
  return spread;
}

fs::path profile_path(const std::string& device) {
  std::string name;
  for (const char c : device) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool kept = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    name += !kept ? '-' : upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return data_folder() / "devices" / (name + ".json");
}

std::string to_json(const DeviceProfile& p) {
  Json bandwidth = Json::array();
  for (const Bandwidth& b : p.bandwidth)
    bandwidth.push_back({{"bytes", b.bytes}, {"copy", b.copy}, {"triad", b.triad}, {"read", b.read}, {"write", b.write}});
  Json object{{"device", p.device},
              {"gpu", p.gpu},
              {"environment", p.environment},
              {"measured", p.measured},
              {"bandwidth", std::move(bandwidth)},
              {"matrix", p.matrix},
              {"vector", p.vector},
              {"launch_seconds", p.launch_seconds},
              {"call_seconds", p.call_seconds}};
  object["noise"] = Json::object();
  for (const auto& [clock, noise] : p.noise)
    object["noise"][clock] = {{"process_spread", noise.process_spread}, {"pairs", noise.pairs}};
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::optional<DeviceProfile>> read_profile(const fs::path& file) {
  std::error_code unreachable;
  if (!fs::exists(file, unreachable)) return std::optional<DeviceProfile>();
  auto contents = read_file(file, kMaxProfileBytes);
  if (!contents) return contents.error();
  const auto damaged = [&](const std::string& what) {
    return Error{fmt::format("{} is damaged: {}", file.string(), what), "`kbx calibrate` writes it anew"};
  };
  const auto parsed = parse_json(*contents);
  if (!parsed) return damaged(parsed.error().message);
  try {
    return std::optional<DeviceProfile>(profile_from(*parsed));
  } catch (const Damage& damage) {
    return damaged(damage.what);
  }
}

Status write_profile(const DeviceProfile& profile, const fs::path& file) {
  if (file.has_parent_path()) {
    std::error_code failed;
    fs::create_directories(file.parent_path(), failed);
    if (failed)
      return Error{fmt::format("cannot make the folder {}: {}", file.parent_path().string(), failed.message()),
                   "set XDG_DATA_HOME to a folder that you may write"};
  }
  return write_file(file, to_json(profile));
}

}  // namespace kbx
