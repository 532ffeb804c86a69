// SPDX-License-Identifier: Apache-2.0
#include "judge/calibrate.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "cli/device_sheet.h"
#include "cli/output.h"
#include "cli/table.h"
#include "core/exit_status.h"
#include "core/files.h"
#include "judge/device.h"
#include "judge/validate.h"
#include "measure/peaks.h"
#include "measure/profile.h"

namespace kbx {
namespace {

struct Options {
  std::string device = "cpu", out, rates;
  int threads = 1, pairs = 240;
  double budget = 0;
  bool quick = false, json = false, show = false, validate = false, no_sandbox = false;
};

// Measured against the vendor's number, which no honest measurement exceeds, and which a healthy GPU comes near.
constexpr double kAboveSheet = 1.05, kFarBelowSheet = 0.6;

// One line for each peak that its data sheet makes doubtful.
std::vector<std::string> doubts(const DeviceProfile& p) {
  std::vector<std::string> lines;
  const auto sheet = p.gpu ? vendor_peaks(p.device) : std::nullopt;
  if (!sheet) return lines;
  const auto compare = [&](const std::string& what, double measured, double stated, double unit, const char* name) {
    const double share = measured / stated;
    if (share >= kFarBelowSheet && share <= kAboveSheet) return;
    lines.push_back(fmt::format("{}: {:.4g} {} are {:.0f} % of what the data sheet of {} says ({:.4g}){}", what, measured / unit,
                                name, 100 * share, sheet->name, stated / unit,
                                share > 1 ? "" : "; is the device busy, hot or limited in power?"));
  };
  // The largest footprint: smaller ones fit into caches.
  const Bandwidth& b = p.bandwidth.back();
  compare("bandwidth", std::max({b.copy, b.triad, b.read, b.write}), sheet->bandwidth, 1e9, "GB/s");
  for (const auto& [type, stated] : {std::pair("fp32", sheet->fp32), std::pair("tf32", sheet->tf32),
                                     std::pair("bf16", sheet->bf16), std::pair("fp16", sheet->bf16)})
    if (const auto rate = p.matrix.find(type); rate != p.matrix.end())
      compare(std::string(type) + " products", rate->second, stated, 1e12, "TFLOP/s");
  return lines;
}

std::string table(const DeviceProfile& p, const Style& style) {
  const auto number = [](double value) { return fmt::format("{:.4g}", value); };
  std::vector<std::vector<Cell>> bandwidth{{"GB/s", "copy", "triad", "read", "write"}};
  for (const Bandwidth& b : p.bandwidth)
    bandwidth.push_back({human_bytes(static_cast<uint64_t>(b.bytes)), number(b.copy / 1e9), number(b.triad / 1e9),
                         number(b.read / 1e9), number(b.write / 1e9)});
  std::vector<std::vector<Cell>> products{{"TFLOP/s", ""}};
  for (const auto& [type, rate] : p.matrix) products.push_back({type, number(rate / 1e12)});
  std::string text = fmt::format("{}, measured {} with {}\n\nMemory, by all that a call reads and writes\n{}", p.device,
                                 p.measured, p.environment, aligned(bandwidth, style));
  text += fmt::format("\nMatrix products\n{}\nSmallest kernel {:.3g} us, a call of it {:.3g} us\n", aligned(products, style),
                      p.launch_seconds * 1e6, p.call_seconds * 1e6);
  for (const auto& [clock, noise] : p.noise)
    text += fmt::format("From one pair of processes to the next {:.2g} % where {} decides, by {} pairs\n",
                        100 * noise.process_spread, clock, noise.pairs);
  return text;
}

int report(const DeviceProfile& profile, const std::string& file, bool json) {
  const std::vector<std::string> lines = doubts(profile);
  for (const std::string& line : lines) std::fprintf(stderr, "kbx: %s\n", line.c_str());
  return print(json ? to_json(profile) : table(profile, style_of(1)) + "Kept in " + file + "\n");
}

int measure(const Options& o, at::Device device, const std::string& file) {
  const auto stored = read_profile(file);
  if (!stored) std::fprintf(stderr, "kbx: %s; it is replaced\n", stored.error().message.c_str());
  auto measured = measure_peaks(device, o.threads, o.quick ? Effort::quick : Effort::thorough, [](const std::string& next) {
    if (style_of(2).terminal) std::fprintf(stderr, "\r\033[Kkbx: %s", next.c_str());
  });
  if (style_of(2).terminal) std::fprintf(stderr, "\r\033[K");
  if (!measured) return complain(measured.error(), kExitTrouble);
  if (stored && *stored) measured->noise = (*stored)->noise;
  if (const Status written = write_profile(*measured, file); !written) return complain(written.error(), kExitTrouble);
  return report(*measured, file, o.json);
}

ValidateOptions validate_options(const Options& o, at::Device device) {
  std::string command = fmt::format("kbx calibrate --validate --device {} --pairs {}", o.device, o.pairs);
  if (o.threads != 1) command += fmt::format(" --threads {}", o.threads);
  if (o.budget > 0) command += fmt::format(" --budget {}", o.budget);
  if (o.no_sandbox) command += " --no-sandbox";
  return {device, o.threads, o.pairs, o.budget, o.out.empty() ? "." : o.out, command, !o.no_sandbox};
}

}  // namespace

int calibrate(int argc, char** argv) {
  Options o;
  CLI::App app("Judge GPU and CPU kernels.", "kbx");
  app.require_subcommand(1);
  CLI::App* verb = app.add_subcommand(
      "calibrate", "Measure what a device can do at best, with nothing else running on it, and keep it for judging.");
  verb->add_option("--device", o.device, "cpu, cuda or cuda:N")->capture_default_str();
  verb->add_option("--threads", o.threads, "threads of the CPU")->check(CLI::Range(1, 256))->capture_default_str();
  CLI::Option* quick = verb->add_flag("--quick", o.quick, "in a second or two, more roughly");
  CLI::Option* out =
      verb->add_option("--out", o.out, "file to keep it in instead of the place where judging looks; with --validate a folder");
  CLI::Option* json = verb->add_flag("--json", o.json, "print JSON");
  CLI::Option* show = verb->add_flag("--show", o.show, "print what is kept, and measure nothing")->excludes(quick)->excludes(out);
  CLI::Option* validate_it =
      verb->add_flag("--validate", o.validate,
                     "race what is known to be equal, or slower by a known amount, and count what is said of it")
          ->excludes(quick)
          ->excludes(json)
          ->excludes(show);
  verb->add_option("--pairs", o.pairs, "races of the same code")
      ->check(CLI::Range(1, 10000))
      ->needs(validate_it)
      ->capture_default_str();
  verb->add_option("--budget", o.budget, "seconds for them; default: 480 on a GPU, 3600 on the CPU")
      ->check(CLI::PositiveNumber)
      ->needs(validate_it);
  verb->add_flag("--no-sandbox", o.no_sandbox, "race without isolation")->needs(validate_it);
  verb->add_option("--rates", o.rates, "count again what the raw samples in this file say, and measure nothing")
      ->excludes(quick)
      ->excludes(json)
      ->excludes(show)
      ->excludes(validate_it);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kExitCorrect : kExitUsage;
  }
  if (!o.rates.empty()) return print_rates(o.rates);
  const auto ordinal = device_named(o.device);
  if (!ordinal) return complain({fmt::format("--device {}: expected cpu, cuda or cuda:N", o.device), ""}, kExitUsage);
  at::set_num_threads(1);
  at::Device device = at::kCPU;
  if (*ordinal >= 0) {
    if (const Status loaded = load_cuda(*ordinal); !loaded) return complain(loaded.error(), kExitTrouble);
    device = at::Device(at::kCUDA, static_cast<at::DeviceIndex>(*ordinal));
  }
  if (o.validate) return validate(validate_options(o, device));
  const std::string file = o.out.empty() ? profile_path(device_name(device, o.threads)).string() : o.out;
  if (!o.show) return measure(o, device, file);
  const auto stored = read_profile(file);
  if (!stored) return complain(stored.error(), kExitTrouble);
  if (!*stored)
    return complain({fmt::format("nothing is kept of {}", device_name(device, o.threads)), "`kbx calibrate` measures it"},
                    kExitTrouble);
  return report(**stored, file, o.json);
}

}  // namespace kbx
