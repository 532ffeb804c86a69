// SPDX-License-Identifier: Apache-2.0
// What judging on a GPU needs: driver, device files, visible devices, torch's CUDA part, nvcc, CUPTI, compute-sanitizer, ncu.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "cli/doctor.h"

namespace kbx {
namespace {

constexpr const char* kVendor = "0x10de";            // NVIDIA's number on the PCI bus
constexpr const char* kDisplayClass = "0x03";        // VGA and 3D controllers
constexpr const char* kToolkit = "/usr/local/cuda";  // where NVIDIA's packages put it

constexpr const char* kNsightCompute = "/opt/nvidia/nsight-compute";

// Least driver for a CUDA major version (NVIDIA's CUDA compatibility table).
int least_driver(int cuda) { return cuda >= 13 ? 580 : cuda == 12 ? 525 : 450; }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string sudo(const Machine& machine) { return machine.root ? "" : "sudo "; }

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) {
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    parts.push_back(part);
  }
  return parts;
}

bool is_number(const std::string& text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos; }

// The number that "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build" tells: the first word
// that is digits and dots.
std::string driver_version(const std::string& text) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    word.erase(word.find_last_not_of(',') + 1);
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) return word;
  }
  return "";
}

int cuda_of_wheel(const Machine& machine) {
  if (!machine.installation) return 0;
  for (const char* package : {"nvidia_cuda_runtime", "cuda_toolkit"})
    if (const std::string version = package_version(machine, package); !version.empty()) return std::atoi(version.c_str());
  return 0;
}

bool in_container(const Machine& machine) { return machine.exists("/.dockerenv") || machine.exists("/run/.containerenv"); }

std::string install_driver(const Machine& machine, int version) {
  return fmt::format("install driver {0} or newer: {1}apt-get install -y nvidia-driver-{0}, then restart", version,
                     sudo(machine));
}

// What is known of the GPUs without CUDA.
struct Gpus {
  std::string driver;              // "" if there is none
  std::vector<std::string> names;  // as nvidia-smi tells, else empty
  std::vector<std::string> uuids;
  std::vector<std::string> files;  // /dev/nvidia0, ...
  std::string silence;             // what nvidia-smi said instead of an answer
  bool plugged_in = false;         // on the PCI bus
  size_t count() const { return names.empty() ? files.size() : names.size(); }
};

Gpus look(const Machine& machine) {
  Gpus gpus;
  gpus.driver = driver_version(machine.read("/proc/driver/nvidia/version"));
  for (const std::string& name : machine.list("/dev"))
    if (name.starts_with("nvidia") && is_number(name.substr(6))) gpus.files.push_back("/dev/" + name);
  for (const std::string& slot : machine.list("/sys/bus/pci/devices")) {
    const std::string folder = "/sys/bus/pci/devices/" + slot;
    if (machine.read(folder + "/vendor").starts_with(kVendor) && machine.read(folder + "/class").starts_with(kDisplayClass))
      gpus.plugged_in = true;
  }
  const std::string smi = machine.find_program("nvidia-smi");
  if (smi.empty()) return gpus;
  const CommandOutput asked = machine.run({smi, "--query-gpu=driver_version,name,uuid", "--format=csv,noheader"});
  if (asked.status != 0) {
    gpus.silence = first_line(asked.text);
    return gpus;
  }
  for (const std::string& line : split(asked.text, '\n')) {
    const auto fields = split(line, ',');
    if (fields.size() < 2) continue;
    gpus.driver = fields[0];
    gpus.names.push_back(fields[1]);
    gpus.uuids.push_back(fields.size() > 2 ? fields[2] : "");
  }
  return gpus;
}

bool has_driver(const Machine& machine) {
  return !machine.read("/proc/driver/nvidia/version").empty() || !machine.find_program("nvidia-smi").empty();
}

// Whether CUDA would find an entry of CUDA_VISIBLE_DEVICES: an ordinal, or the beginning of a UUID.
bool known(const std::string& entry, const Gpus& gpus) {
  if (is_number(entry)) return std::strtoul(entry.c_str(), nullptr, 10) < gpus.count();
  if (entry.starts_with("MIG-") || gpus.uuids.empty()) return !entry.empty() && entry != "-1";
  return entry.starts_with("GPU-") &&
         std::any_of(gpus.uuids.begin(), gpus.uuids.end(), [&](const std::string& uuid) { return uuid.starts_with(entry); });
}

struct Trouble {
  std::string what, remedy;
};

std::optional<Trouble> driver_trouble(const Machine& machine, const Gpus& gpus) {
  const int cuda = cuda_of_wheel(machine);
  if (!gpus.silence.empty()) {
    const bool restart = gpus.silence.find("version mismatch") != std::string::npos;
    return Trouble{"the driver does not answer: " + gpus.silence,
                   restart ? "restart the machine: the driver was replaced while it was running"
                           : "load the driver: " + sudo(machine) + "modprobe nvidia; if that fails, " +
                                 install_driver(machine, least_driver(cuda))};
  }
  if (gpus.driver.empty())
    return Trouble{"there is an NVIDIA GPU, but no driver for it is loaded", install_driver(machine, least_driver(cuda))};
  if (cuda > 0 && std::atoi(gpus.driver.c_str()) < least_driver(cuda))
    return Trouble{fmt::format("driver {}, too old for torch's CUDA {}", gpus.driver, cuda),
                   install_driver(machine, least_driver(cuda))};
  return std::nullopt;
}

std::optional<Trouble> file_trouble(const Machine& machine, const Gpus& gpus) {
  if (machine.exists("/dev/dxg")) return std::nullopt;  // WSL has no other
  std::vector<std::string> needed{"/dev/nvidiactl", "/dev/nvidia-uvm"};
  for (const std::string& file : needed)
    if (!machine.exists(file) || gpus.files.empty())
      return Trouble{"the driver is loaded, but there is no " + (gpus.files.empty() ? "/dev/nvidia0" : file),
                     in_container(machine) ? "start the container with its GPUs: docker run --gpus all (NVIDIA Container Toolkit)"
                                           : "make the device files: " + sudo(machine) + "nvidia-modprobe -c 0 -u"};
  needed.insert(needed.end(), gpus.files.begin(), gpus.files.end());
  std::string closed;
  for (const std::string& file : needed)
    if (!machine.may_open(file)) closed += (closed.empty() ? "" : ", ") + file;
  if (closed.empty()) return std::nullopt;
  return Trouble{"this user may not read and write " + closed,
                 "join the group that owns them (ls -l /dev/nvidia*): sudo usermod -aG GROUP $USER, then log in again; or sudo "
                 "chmod a+rw /dev/nvidia*"};
}

std::optional<Trouble> library_trouble(const Machine& machine) {
  std::vector<std::string> folders = split(machine.environment("LD_LIBRARY_PATH").value_or(""), ':');
  for (const char* usual : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
                            "/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/run/opengl-driver/lib"})
    folders.emplace_back(usual);
  if (std::none_of(folders.begin(), folders.end(), [&](const auto& folder) { return machine.exists(folder + "/libcuda.so.1"); }))
    return Trouble{"the driver is loaded, but its library libcuda.so.1 is not found",
                   in_container(machine) ? "start the container with NVIDIA_DRIVER_CAPABILITIES=compute,utility"
                                         : "install the driver's libraries of the same version: " + sudo(machine) +
                                               "apt-get install -y libnvidia-compute-580"};
  if (machine.installation && !machine.exists((machine.installation->torch_library / "libtorch_cuda.so").string()))
    return Trouble{"torch " + package_version(machine, "torch") + " is built without CUDA",
                   "make demo (installs a torch with CUDA), or KBX_PYTHON=/path/to/python of an environment that has one"};
  return std::nullopt;
}

std::optional<Trouble> visibility_trouble(const std::string& visible, const Gpus& gpus, size_t& count) {
  const std::vector<std::string> entries = split(visible, ',');
  // CUDA stops at the first entry that it does not know.
  count = static_cast<size_t>(
      std::find_if(entries.begin(), entries.end(), [&](const std::string& e) { return !known(e, gpus); }) - entries.begin());
  if (count > 0) return std::nullopt;
  return Trouble{fmt::format("CUDA_VISIBLE_DEVICES='{}' hides every GPU", visible),
                 fmt::format("unset CUDA_VISIBLE_DEVICES, or list in it 0{} or UUIDs that nvidia-smi -L prints",
                             gpus.count() > 1 ? fmt::format(" to {}", gpus.count() - 1) : "")};
}

std::string tool(const Machine& machine, const std::string& name) {
  const std::string found = machine.find_program(name);
  const std::string usual = std::string(kToolkit) + "/bin/" + name;
  return found.empty() && machine.exists(usual) ? usual : found;
}

}  // namespace

Check check_gpu(const Machine& machine) {
  Check check{.name = "GPU", .found = "", .state = Check::State::ok, .required = false, .remedy = ""};
  const Gpus gpus = look(machine);
  if (gpus.driver.empty() && gpus.silence.empty() && !gpus.plugged_in) {
    check.found = "no NVIDIA GPU: C++ is judged and timed, Triton is compiled and interpreted, CUDA waits";
    check.state = Check::State::absent;
    return check;
  }
  if (!gpus.driver.empty()) {
    const std::string name = gpus.names.empty() ? "" : gpus.names.front() + ", ";
    check.found = (gpus.names.size() > 1 ? fmt::format("{} x ", gpus.names.size()) : "") + name + "driver " + gpus.driver;
  }
  size_t count = gpus.count();
  const auto visible = machine.environment("CUDA_VISIBLE_DEVICES");
  std::optional<Trouble> trouble = driver_trouble(machine, gpus);
  if (!trouble) trouble = file_trouble(machine, gpus);
  if (!trouble) trouble = library_trouble(machine);
  if (!trouble && visible) trouble = visibility_trouble(*visible, gpus, count);
  if (trouble) {
    const bool tells_driver = trouble->what.starts_with("driver ");
    check.found = tells_driver && !gpus.names.empty()   ? gpus.names.front() + ", " + trouble->what
                  : check.found.empty() || tells_driver ? trouble->what
                                                        : check.found + "; " + trouble->what;
    check.state = Check::State::missing;
    check.remedy = trouble->remedy;
  } else if (visible) {
    check.found += fmt::format("; CUDA_VISIBLE_DEVICES={} shows {} of {}", *visible, count, gpus.count());
  }
  return check;
}

Check check_nvcc(const Machine& machine) {
  const std::string nvcc = tool(machine, "nvcc");
  if (nvcc.empty())
    return {.name = "nvcc",
            .found = "not installed: CUDA candidates cannot be built",
            .state = Check::State::absent,
            .required = false,
            .remedy = sudo(machine) +
                      "apt-get install -y cuda-toolkit-13-0 (from NVIDIA's repository: "
                      "https://developer.nvidia.com/cuda-downloads)"};
  const std::string text = machine.run({nvcc, "--version"}).text;
  const size_t release = text.find("release ");
  return {.name = "nvcc",
          .found = nvcc + (release == std::string::npos ? "" : ", " + text.substr(release, text.find(',', release) - release)),
          .state = Check::State::ok,
          .required = false,
          .remedy = ""};
}

Check check_cupti(const Machine& machine) {
  Check check{.name = "CUPTI", .found = "", .state = Check::State::ok, .required = false, .remedy = ""};
  std::vector<std::string> folders{std::string(kToolkit) + "/extras/CUPTI/lib64", std::string(kToolkit) + "/lib64"};
  if (machine.installation) {
    folders.insert(folders.begin(), (machine.installation->site_packages / "nvidia/cu13/lib").string());
    folders.insert(folders.begin(), (machine.installation->site_packages / "nvidia/cuda_cupti/lib").string());
  }
  for (const std::string& folder : folders)
    for (const std::string& name : machine.list(folder))
      if (name.starts_with("libcupti.so")) {
        check.found = folder + "/" + name;
        return check;
      }
  check.found = "not found: on a GPU nobody sees which kernels run";
  check.state = Check::State::absent;
  if (has_driver(machine))
    check.remedy =
        machine.installation ? machine.installation->python.string() + " -m pip install nvidia-cuda-cupti" : "make demo";
  return check;
}

Check check_sanitizer(const Machine& machine) {
  Check check{.name = "sanitizer",
              .found = tool(machine, "compute-sanitizer"),
              .state = Check::State::ok,
              .required = false,
              .remedy = ""};
  if (!check.found.empty()) return check;
  check.found = "compute-sanitizer is not installed: --sanitize needs it";
  check.state = Check::State::absent;
  if (has_driver(machine))
    check.remedy = sudo(machine) + "apt-get install -y cuda-sanitizer-13-0 (from NVIDIA's repository, part of cuda-toolkit-13-0)";
  return check;
}

Check check_ncu(const Machine& machine) {
  Check check{.name = "ncu", .found = tool(machine, "ncu"), .state = Check::State::ok, .required = false, .remedy = ""};
  std::vector<std::string> versions = machine.list(kNsightCompute);
  std::sort(versions.begin(), versions.end());
  for (auto version = versions.rbegin(); version != versions.rend() && check.found.empty(); ++version)
    if (const std::string program = kNsightCompute + ("/" + *version) + "/ncu"; machine.exists(program)) check.found = program;
  if (check.found.empty()) {
    check.found = "ncu (Nsight Compute) is not installed: --counters needs it";
    check.state = Check::State::absent;
    if (has_driver(machine))
      check.remedy =
          sudo(machine) + "apt-get install -y cuda-nsight-compute-13-0 (from NVIDIA's repository, part of cuda-toolkit-13-0)";
  } else if (!machine.root && machine.read("/proc/driver/nvidia/params").find("RmProfilingAdminOnly: 1") != std::string::npos) {
    check.found += ", but the driver lets only administrators read hardware counters: --counters needs root";
    check.state = Check::State::absent;
    check.remedy =
        "echo options nvidia NVreg_RestrictProfilingToAdminUsers=0 | sudo tee /etc/modprobe.d/nvidia-counters.conf, then restart "
        "the machine";
  }
  return check;
}

}  // namespace kbx
