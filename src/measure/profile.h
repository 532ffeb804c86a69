// SPDX-License-Identifier: Apache-2.0
// What kbx has measured of one device: what it can do at best, and how much its timings scatter. A file per device below
// $XDG_DATA_HOME/kbx/devices (~/.local/share/kbx/devices), as JSON; `kbx calibrate` writes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "measure/spread.h"

namespace kbx {

// Bytes per second of the four ways to touch memory, each the best of several repetitions on cold caches; `bytes`: all that
// one call reads and writes.
struct Bandwidth {
  int64_t bytes = 0;
  double copy = 0;   // y = x
  double triad = 0;  // z = x + a y (McCalpin, STREAM)
  double read = 0;   // a sum
  double write = 0;  // a fill
};

// From A/A control: the same code on both sides, in races that one clock decided.
struct Noise {
  double process_spread = 0;  // standard deviation of the log-ratio from one pair of processes to the next
  int pairs = 0;              // that it was estimated from
};

struct DeviceProfile {
  std::string device;  // "NVIDIA H200", "Intel(R) Xeon(R) ..., 1 thread"
  bool gpu = false;
  std::string environment;               // what measured it: "torch 2.11.0, driver API 13000"
  std::string measured;                  // UTC, ISO 8601
  std::vector<Bandwidth> bandwidth;      // ascending in bytes
  std::map<std::string, double> matrix;  // operations per second of a large matrix product, by type: "fp64", "fp32", "tf32",
                                         // "bf16", "fp16", "fp8", "int8"; what the device cannot do is absent
  double vector = 0;                     // fp32 operations per second without tensor cores: those of the fp32 matrix product
  double launch_seconds = 0;             // of the smallest kernel on the device (on the CPU: of the smallest call)
  double call_seconds = 0;               // from outside: launch, wait, return
  std::map<std::string, Noise> noise;    // by the clock that decided ("gpu", "pace", "judge"); without pairs absent
};

// What the intervals of this device's races take. Of a clock without pairs as much as the one that scatters most, and at least
// 1 %, which also holds for a device that nobody has calibrated (null).
ProcessSpread spread_of(const DeviceProfile* profile);

// As the file holds it, indented.
std::string to_json(const DeviceProfile& profile);
// Where the file of a device lies: its name in lower case with everything but letters and digits made '-'.
std::filesystem::path profile_path(const std::string& device);
// Error: a damaged file, with its field. Nothing: none there.
Result<std::optional<DeviceProfile>> read_profile(const std::filesystem::path& file);
// Whole or not at all; makes the folders. Error: the folder and the reason.
Status write_profile(const DeviceProfile& profile, const std::filesystem::path& file);

}  // namespace kbx
