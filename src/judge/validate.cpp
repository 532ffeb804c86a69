// SPDX-License-Identifier: Apache-2.0
#include "judge/validate.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>

#include "cli/output.h"
#include "cli/style.h"
#include "core/exit_status.h"
#include "core/files.h"
#include "core/interrupt.h"
#include "judge/device_error.h"
#include "judge/layers.h"
#include "measure/peaks.h"
#include "pipeline/environment.h"
#include "validation/control.h"
#include "validation/rates.h"
#include "validation/report.h"

namespace kbx {
namespace {

constexpr double kGpuSeconds = 480, kCpuSeconds = 3600;

Result<JudgeOptions> judge_options(const ValidateOptions& o) {
  JudgeOptions options;
  options.threads = o.threads;
  const auto layers = layers_for(o.sandbox);
  if (!layers) return layers.error();
  options.layers = *layers;
  if (o.device.is_cuda()) {
    const auto gpus = list_gpus();
    if (!gpus) return gpus.error();
    const auto gpu = gpu_of(*gpus, o.device.index());
    if (!gpu) return gpu.error();
    options.gpu = *gpu;
    options.arch = gpu->arch;
  }
  std::random_device random;
  options.seed = ((uint64_t{random()} << 32) | random()) >> 1;
  return options;
}

// The noise goes where judging looks for it.
Status keep_noise(DeviceProfile profile, std::map<std::string, Noise> noise) {
  if (noise.empty()) return Done{};
  profile.noise = std::move(noise);
  return write_profile(profile, profile_path(profile.device));
}

// The pairs of a file that an earlier run has left; a new one if it holds none. Error: it is damaged, or of other conditions.
Result<std::vector<RacedPair>> raced_before(const std::filesystem::path& raw, const Conditions& now) {
  std::error_code unreachable;
  if (!std::filesystem::exists(raw, unreachable)) return std::vector<RacedPair>();
  const char* remedy = "remove it, or name another folder by --out";
  auto recording = read_recording(raw);
  if (!recording) return Error{recording.error().message, remedy};
  const Conditions& then = recording->conditions;
  if (then.device != now.device || then.environment != now.environment)
    return Error{fmt::format("{} holds races under other conditions: {}, {}", raw.string(), then.device, then.environment),
                 remedy};
  if (recording->pairs.empty()) std::filesystem::remove(raw, unreachable);
  return std::move(recording->pairs);
}

int verdict(const Recording& recording, const std::string& page) {
  const int written = print(page);
  if (written != kExitCorrect) return written;
  return shortcomings(rates_of(recording.pairs)).empty() ? kExitCorrect : kExitNotCorrect;
}

}  // namespace

int validate(const ValidateOptions& o) {
  install_interrupt_handlers();
  const auto options = judge_options(o);
  if (!options) return complain(options.error(), kExitTrouble);
  const auto profile = profile_of(o.device, o.threads);
  if (!profile) return complain(profile.error(), kExitTrouble);

  const auto name = "validation_" + profile_path(profile->device).stem().string();
  const std::filesystem::path raw = std::filesystem::path(o.folder) / (name + ".jsonl");
  std::error_code failed;
  std::filesystem::create_directories(o.folder, failed);
  const Conditions conditions{profile->device, fmt::format("{}, kbx {}", environment_line(options->gpu), kbx_version()),
                              o.command, fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)))};
  auto earlier = raced_before(raw, conditions);
  if (!earlier) return complain(earlier.error(), kExitUsage);
  std::ofstream file(raw, std::ios::app);
  if (earlier->empty())
    file << line_of(conditions) << std::flush;
  else
    std::fprintf(stderr, "kbx: goes on from the %zu pairs in %s\n", earlier->size(), raw.c_str());
  ControlListener listener;
  size_t done = earlier->size();
  listener.record = [&](const RacedPair& pair) -> Status {
    ++done;
    file << line_of(pair) << std::flush;
    if (!file) return Error{raw.string() + " cannot be written", "is there such a folder, and space on its disk?"};
    return Done{};
  };
  const bool live = style_of(2).terminal;
  listener.progress = [&](const std::string& next) {
    if (live) std::fprintf(stderr, "\r\033[Kkbx: %zu pairs raced; %s", done, next.c_str());
  };
  const ControlPlan plan{o.pairs,
                         o.seconds > 0        ? o.seconds
                         : o.device.is_cuda() ? kGpuSeconds
                                              : kCpuSeconds,
                         *std::move(earlier)};
  const Status ran = run_control(o.device, *options, *profile, plan, interrupted(), listener);
  if (live) std::fprintf(stderr, "\r\033[K");
  if (!ran) return complain(ran.error(), kExitTrouble);

  const auto recording = read_recording(raw);
  if (!recording) return complain(recording.error(), kExitTrouble);
  const std::string page = validation_page(*recording);
  const std::filesystem::path readable = std::filesystem::path(raw).replace_extension(".md");
  if (auto written = write_file(readable, page); !written) return complain(written.error(), kExitTrouble);
  if (interrupted()) return kExitInterrupted;
  if (auto kept = keep_noise(*profile, noise_of(recording->pairs)); !kept) return complain(kept.error(), kExitTrouble);
  return verdict(*recording, page);
}

int print_rates(const std::string& file) {
  const auto recording = read_recording(file);
  if (!recording) return complain(recording.error(), kExitUsage);
  return verdict(*recording, validation_page(*recording));
}

}  // namespace kbx
