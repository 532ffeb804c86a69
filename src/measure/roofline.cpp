// SPDX-License-Identifier: Apache-2.0
#include "measure/roofline.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace kbx {
namespace {

// What clever algorithms save: Winograd's F(4x4, 3x3) takes a quarter of the multiplications of a convolution (Lavin, Gray,
// CVPR 2016); Strassen saves 7/8 a level.
constexpr double kClever = 4;
// What a peak may have been underestimated by. A GPU's repeat within some percent. A CPU's may have been measured beside other
// work, and stores that bypass its caches save the read of the line, of which a fill makes half the traffic (McCalpin, STREAM).
constexpr double kSlackGpu = 0.8, kSlackCpu = 0.4;
// Products of int8 that make one of fp64: seven slices and more of each factor (Ozaki's scheme; Ootomo, Ozaki, Yokota, 2024).
constexpr double kSlicedProducts = 28;

double copy_or_triad(const Bandwidth& b) { return std::max(b.copy, b.triad); }
double fastest_way(const Bandwidth& b) { return std::max({b.copy, b.triad, b.read, b.write}); }

// Between two footprints linear in the logarithm of the bytes; constant outside. REQUIRES: not empty.
double peak_bandwidth(double bytes, const std::vector<Bandwidth>& measured) {
  const auto above = std::ranges::find_if(measured, [&](const Bandwidth& b) { return static_cast<double>(b.bytes) >= bytes; });
  if (above == measured.begin()) return copy_or_triad(measured.front());
  if (above == measured.end()) return copy_or_triad(measured.back());
  const Bandwidth& below = *std::prev(above);
  const auto left = std::log(static_cast<double>(below.bytes)), right = std::log(static_cast<double>(above->bytes));
  return std::lerp(copy_or_triad(below), copy_or_triad(*above), (std::log(bytes) - left) / (right - left));
}

// The fastest that so many bytes can be touched: at a neighbouring footprint or at any larger one. At small ones the launch
// takes most of the time, in a way that depends on who looks, so they bound nobody. On the CPU at any footprint: other work may
// have disturbed some of them.
double best_bandwidth(double bytes, const DeviceProfile& profile) {
  const std::vector<Bandwidth>& measured = profile.bandwidth;
  const auto above = std::ranges::find_if(measured, [&](const Bandwidth& b) { return static_cast<double>(b.bytes) >= bytes; });
  double best = 0;
  for (auto b = profile.gpu && above != measured.begin() ? std::prev(above) : measured.begin(); b != measured.end(); ++b)
    best = std::max(best, fastest_way(*b));
  return best;
}

// The largest of those that are known; 0: none.
double largest(const DeviceProfile& profile, std::initializer_list<const char*> types) {
  double rate = 0;
  for (const char* type : types)
    if (const auto found = profile.matrix.find(type); found != profile.matrix.end()) rate = std::max(rate, found->second);
  return rate;
}

// The key of a type in DeviceProfile::matrix; null: it has none. A complex number counts as its two parts.
const char* matrix_type(at::ScalarType type) {
  switch (c10::toRealValueType(type)) {
    case at::kDouble:
      return "fp64";
    case at::kFloat:
      return "fp32";
    case at::kHalf:
      return "fp16";
    case at::kBFloat16:
      return "bf16";
    case at::kFloat8_e4m3fn:
    case at::kFloat8_e5m2:
    case at::kFloat8_e4m3fnuz:
    case at::kFloat8_e5m2fnuz:
      return "fp8";
    case at::kChar:
    case at::kByte:
      return "int8";
    default:
      return nullptr;
  }
}

bool below_fp32(Accuracy a) { return a == Accuracy::tf32 || a == Accuracy::fp16 || a == Accuracy::bf16 || a == Accuracy::wrong; }

// Operations per second of the unit that does them; 0: not known.
double unit_peak(const Work& work, const DeviceProfile& profile) {
  const char* type = matrix_type(work.type);
  const bool fp64 = type && std::string_view(type) == "fp64", fp32 = type && std::string_view(type) == "fp32";
  if (work.cost.unit == Unit::vector) {
    if (!fp64) return profile.vector;
    // Half the rate of fp32 at best; where doubles are slower still, so is their product.
    const double product = largest(profile, {"fp64"});
    return product > 0 ? std::min(profile.vector / 2, product) : profile.vector / 2;
  }
  if (!type) return 0;
  const double tf32 = fp32 && below_fp32(work.accuracy) ? largest(profile, {"tf32"}) : 0;
  return tf32 > 0 ? tf32 : largest(profile, {type});
}

// Operations per second of the fastest unit that inputs of that type could be brought to without a loss that the contract
// would see; 0: nothing is known.
double reachable_peak(const Work& work, const DeviceProfile& profile) {
  double any = profile.vector;
  for (const auto& [type, rate] : profile.matrix) any = std::max(any, rate);
  if (work.cost.unit == Unit::vector) return any;
  double own = 0;
  switch (c10::toRealValueType(work.type)) {
    case at::kDouble:
      own = std::max(largest(profile, {"fp64"}), largest(profile, {"int8"}) / kSlicedProducts);
      break;
    case at::kFloat:
      own = below_fp32(work.accuracy) ? largest(profile, {"fp32", "tf32", "fp16", "bf16"}) : largest(profile, {"fp32", "tf32"});
      break;
    case at::kHalf:
    case at::kBFloat16:
      own = largest(profile, {"fp16", "bf16"});
      break;
    default:
      if (const char* type = matrix_type(work.type)) own = largest(profile, {type});
  }
  return own > 0 ? own : any;
}

bool known(const Cost& cost) {
  return std::isfinite(cost.bytes) && std::isfinite(cost.flops) && cost.bytes >= 0 && cost.flops >= 0 &&
         cost.bytes + cost.flops > 0;
}

}  // namespace

std::optional<Roofline> place(const Work& work, double seconds, const DeviceProfile& profile) {
  const Cost& cost = work.cost;
  if (!known(cost) || !(seconds > 0) || !std::isfinite(seconds)) return std::nullopt;
  const double peak = cost.flops > 0 ? unit_peak(work, profile) : 0;
  if ((cost.bytes > 0 && profile.bandwidth.empty()) || (cost.flops > 0 && !(peak > 0))) return std::nullopt;
  const double memory = cost.bytes > 0 ? cost.bytes / peak_bandwidth(cost.bytes, profile.bandwidth) : 0;
  const double compute = cost.flops > 0 ? cost.flops / peak : 0;
  Roofline r;
  r.iou = memory / seconds;
  r.mfu = compute / seconds;
  r.utilisation = r.speed_of_light = std::max(r.iou, r.mfu);
  // The bandwidth of a small footprint has the launch in it: the traffic alone takes what it takes at full speed.
  const double traffic = cost.bytes > 0 ? cost.bytes / best_bandwidth(cost.bytes, profile) : 0;
  r.bound = std::max(traffic, compute) < profile.launch_seconds ? Bound::latency
            : memory >= compute                                 ? Bound::memory
                                                                : Bound::compute;
  return r;
}

double floor_seconds(const Work& work, const DeviceProfile& profile) {
  const Cost& cost = work.cost;
  if (!known(cost)) return 0;
  const double bandwidth = best_bandwidth(cost.bytes, profile);
  const double peak = reachable_peak(work, profile) * kClever;
  const double memory = bandwidth > 0 ? cost.bytes / bandwidth : 0;
  const double compute = peak > 0 ? cost.flops / peak : 0;
  return (profile.gpu ? kSlackGpu : kSlackCpu) * std::max(memory, compute);
}

}  // namespace kbx
