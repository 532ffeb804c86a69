// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor.h"

#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace kbx {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A machine on which all is well; each test breaks one thing.
struct Fake {
  std::map<std::string, std::string> files;
  std::set<std::string> missing;
  std::map<std::string, std::string> programs{{"bwrap", "/usr/bin/bwrap"}, {"g++", "/usr/bin/g++"}};
  std::map<std::string, CommandOutput> outputs{{"bwrap", {0, ""}}, {"g++", {0, "12.2.0\n"}}, {"python", {0, ""}}};
  std::vector<std::string> packages{"torch-2.11.0.dist-info", "triton-3.6.0.dist-info", "apache_tvm_ffi-0.1.15.dist-info",
                                    "nvidia_cuda_runtime-13.0.96.dist-info"};
  uint64_t free = 10ull << 30;
  std::map<std::string, std::string> variables;
  std::map<std::string, std::vector<std::string>> folders{{"/kbx/site/nvidia/cu13/lib", {"libcupti.so.13"}}};
  std::set<std::string> closed;
  Machine machine;

  Fake() {
    machine.read = [this](const std::string& path) { return files.count(path) ? files[path] : ""; };
    machine.exists = [this](const std::string& path) {
      return files.count(path) > 0 || (path.starts_with("/kbx/") && !missing.count(path));
    };
    machine.list = [this](const std::string& dir) { return dir == "/kbx/site" ? packages : folders[dir]; };
    machine.may_open = [this](const std::string& path) { return !closed.count(path); };
    machine.environment = [this](const std::string& name) {
      return variables.count(name) ? std::optional(variables[name]) : std::nullopt;
    };
    machine.find_program = [this](const std::string& name) { return programs.count(name) ? programs[name] : ""; };
    machine.run = [this](const std::vector<std::string>& argv) { return outputs[argv[0].substr(argv[0].rfind('/') + 1)]; };
    machine.free_bytes = [this](const std::string&) { return std::optional<uint64_t>(free); };
    machine.landlock_abi = 5;
    machine.seccomp = true;
    machine.cores = 2;
    machine.memory_bytes = 8ull << 30;
    machine.working_folder = "/somewhere";
    Installation i;
    i.judge = "/kbx/judge";
    i.runner_native = i.runner_baseline = i.confine = i.reference_library = i.lockdown_library = i.runner_python = i.catalogue =
        "/kbx/part";
    i.python = "/kbx/python";
    i.site_packages = "/kbx/site";
    i.torch_library = "/kbx/torch";
    i.cache = "/somewhere/cache/kbx";
    i.version = "0.1.0";
    machine.installation = i;
  }

  // With two H200 in working order.
  Fake& with_gpus() {
    programs["nvidia-smi"] = "/usr/bin/nvidia-smi";
    outputs["nvidia-smi"] = {0, "580.95.05, NVIDIA H200, GPU-11aa\n580.95.05, NVIDIA H200, GPU-22bb\n"};
    folders["/dev"] = {"null", "nvidia-uvm", "nvidia-uvm-tools", "nvidia0", "nvidia1", "nvidiactl"};
    files["/proc/driver/nvidia/version"] =
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs-builder@U16)\nGCC version: "
        "12.2.0\n";
    for (const char* file : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0", "/dev/nvidia1", "/usr/lib64/libcuda.so.1"})
      files[file] = "";
    return *this;
  }
};

TEST(Doctor, AHealthyMachineJudgesAndHasNothingToRemedy) {
  Fake fake;
  fake.programs["nvcc"] = "/usr/local/bin/nvcc";
  const Health health = examine(fake.machine, false);
  for (const Check& check : health.checks) EXPECT_THAT(check.remedy, IsEmpty()) << check.name << ": " << check.found;
  EXPECT_TRUE(health.judges_on_cpu);
  EXPECT_FALSE(health.judges_on_gpu);
  EXPECT_EQ(health.sandbox, "namespaces+landlock+seccomp");
}

TEST(Doctor, BubblewrapMissing) {
  Fake fake;
  fake.programs.erase("bwrap");
  EXPECT_EQ(check_bubblewrap(fake.machine).remedy, "sudo apt-get install -y bubblewrap");
  fake.machine.root = true;
  EXPECT_EQ(check_bubblewrap(fake.machine).remedy, "apt-get install -y bubblewrap");
  const Health health = examine(fake.machine, false);
  EXPECT_EQ(health.sandbox, "landlock+seccomp");
  EXPECT_TRUE(health.judges_on_cpu);  // the weaker box is enough
}

TEST(Doctor, UserNamespacesBlocked) {
  Fake fake;
  fake.outputs["bwrap"] = {1, "bwrap: Creating new namespace failed: Operation not permitted\n"};
  EXPECT_THAT(check_namespaces(fake.machine).found, HasSubstr("Creating new namespace failed"));
  fake.files["/proc/sys/user/max_user_namespaces"] = "0\n";
  EXPECT_EQ(check_namespaces(fake.machine).remedy, "sudo sysctl -w user.max_user_namespaces=10000");
  fake.files["/proc/sys/user/max_user_namespaces"] = "31000\n";
  fake.files["/proc/sys/kernel/unprivileged_userns_clone"] = "0\n";
  EXPECT_EQ(check_namespaces(fake.machine).remedy, "sudo sysctl -w kernel.unprivileged_userns_clone=1");
}

TEST(Doctor, UbuntusAppArmorRuleGetsAProfileForBubblewrap) {
  Fake fake;
  fake.outputs["bwrap"] = {1, "bwrap: setting up uid map: Permission denied\n"};
  fake.files["/proc/sys/kernel/apparmor_restrict_unprivileged_userns"] = "1\n";
  const Check check = check_namespaces(fake.machine);
  EXPECT_THAT(check.found, HasSubstr("AppArmor forbids user namespaces"));
  EXPECT_THAT(check.remedy, AllOf(HasSubstr("profile bwrap /usr/bin/bwrap flags=(unconfined)"), HasSubstr("userns,"),
                                  HasSubstr("apparmor_parser -r")));
}

TEST(Doctor, AContainerIsToldHowToBeStarted) {
  Fake fake;
  fake.outputs["bwrap"] = {1, "bwrap: No permissions to create new namespace"};
  fake.files["/.dockerenv"] = "";
  EXPECT_THAT(check_namespaces(fake.machine).remedy, HasSubstr("--security-opt seccomp=unconfined"));
}

TEST(Doctor, WithoutLandlockOrSeccompNothingIsJudged) {
  Fake fake;
  fake.machine.landlock_abi = 0;
  fake.files["/sys/kernel/security/lsm"] = "lockdown,yama,apparmor\n";
  EXPECT_THAT(check_landlock(fake.machine).remedy, HasSubstr("lsm=landlock,lockdown,yama,apparmor"));
  EXPECT_FALSE(examine(fake.machine, false).judges_on_cpu);
  fake.machine.landlock_abi = 1;
  fake.machine.seccomp = false;
  EXPECT_FALSE(examine(fake.machine, false).judges_on_cpu);
}

TEST(Doctor, CompilerMissing) {
  Fake fake;
  fake.programs.erase("g++");
  EXPECT_EQ(check_compiler(fake.machine).remedy, "sudo apt-get install -y g++");
}

TEST(Doctor, PythonEnvironmentIncomplete) {
  Fake fake;
  fake.packages.erase(fake.packages.begin() + 1);
  EXPECT_THAT(check_python(fake.machine, false).found, HasSubstr("triton is not installed for /kbx/python"));
  EXPECT_THAT(check_python(fake.machine, false).remedy, HasSubstr("make demo"));
  Fake other;
  other.missing.insert("/kbx/python");
  EXPECT_THAT(check_python(other.machine, false).found, HasSubstr("there is no /kbx/python"));
}

TEST(Doctor, OnlyDeepStartsPython) {
  Fake fake;
  fake.outputs["python"] = {1, "Traceback ...\nImportError: libcudart.so.13: cannot open\n"};
  EXPECT_EQ(check_python(fake.machine, false).state, Check::State::ok);
  EXPECT_THAT(check_python(fake.machine, true).found, HasSubstr("do not import: ImportError: libcudart.so.13"));
  fake.outputs["python"] = {-1, ""};
  EXPECT_EQ(check_python(fake.machine, true).state, Check::State::missing);
}

TEST(Doctor, AnUnfinishedInstallationNamesThePart) {
  Fake fake;
  fake.missing.insert("/kbx/judge");
  EXPECT_THAT(check_parts(fake.machine).found, HasSubstr("/kbx/judge"));
  fake.machine.installation = Error{"no environment.json", "run `make demo`"};
  const Health health = examine(fake.machine, false);  // and every other check still answers
  EXPECT_FALSE(health.judges_on_cpu);
  EXPECT_EQ(health.checks.size(), 14u);
}

TEST(Doctor, WorkingGpusAreCountedAndNeedNothing) {
  Fake fake;
  fake.with_gpus();
  EXPECT_EQ(check_gpu(fake.machine).found, "2 x NVIDIA H200, driver 580.95.05");
  EXPECT_THAT(check_gpu(fake.machine).remedy, IsEmpty());
  EXPECT_TRUE(examine(fake.machine, false).judges_on_gpu);
}

TEST(Doctor, AGpuWithoutDriverIsNotNoGpu) {
  Fake fake;
  EXPECT_EQ(check_gpu(fake.machine).state, Check::State::absent);
  fake.folders["/sys/bus/pci/devices"] = {"0000:00:02.0", "0000:17:00.0"};
  fake.files["/sys/bus/pci/devices/0000:00:02.0/vendor"] = "0x8086\n";
  fake.files["/sys/bus/pci/devices/0000:17:00.0/vendor"] = "0x10de\n";
  fake.files["/sys/bus/pci/devices/0000:17:00.0/class"] = "0x068000\n";  // NVSwitch
  EXPECT_EQ(check_gpu(fake.machine).state, Check::State::absent);
  fake.files["/sys/bus/pci/devices/0000:17:00.0/class"] = "0x030200\n";
  EXPECT_EQ(check_gpu(fake.machine).state, Check::State::missing);
  EXPECT_THAT(check_gpu(fake.machine).found, HasSubstr("no driver"));
  EXPECT_THAT(check_gpu(fake.machine).remedy, HasSubstr("apt-get install -y nvidia-driver-580"));
}

TEST(Doctor, DriverOlderThanTheWheelsCuda) {
  Fake fake;
  fake.with_gpus().outputs["nvidia-smi"] = {0, "570.86.15, NVIDIA H200, GPU-11aa\n"};
  EXPECT_EQ(check_gpu(fake.machine).found, "NVIDIA H200, driver 570.86.15, too old for torch's CUDA 13");
  EXPECT_THAT(check_gpu(fake.machine).remedy, HasSubstr("nvidia-driver-580"));
  EXPECT_FALSE(examine(fake.machine, false).judges_on_gpu);
  fake.programs.erase("nvidia-smi");  // the kernel tells the version too
  fake.files["/proc/driver/nvidia/version"] = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Tue Jan\n";
  EXPECT_EQ(check_gpu(fake.machine).found, "driver 570.86.15, too old for torch's CUDA 13");
  fake.packages.back() = "nvidia_cuda_runtime-12.8.90.dist-info";
  EXPECT_EQ(check_gpu(fake.machine).state, Check::State::ok);
}

TEST(Doctor, ADriverThatDoesNotAnswer) {
  Fake fake;
  fake.with_gpus().outputs["nvidia-smi"] = {9, "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"};
  EXPECT_THAT(check_gpu(fake.machine).found, HasSubstr("does not answer: NVIDIA-SMI has failed"));
  EXPECT_THAT(check_gpu(fake.machine).remedy, HasSubstr("modprobe nvidia"));
  fake.outputs["nvidia-smi"] = {18, "Failed to initialize NVML: Driver/library version mismatch\n"};
  EXPECT_THAT(check_gpu(fake.machine).remedy, HasSubstr("restart"));
  EXPECT_EQ(check_gpu(fake.machine).state, Check::State::missing);
}

TEST(Doctor, DeviceFilesThatAreMissing) {
  Fake fake;
  fake.with_gpus().files.erase("/dev/nvidia-uvm");
  EXPECT_THAT(check_gpu(fake.machine).found, HasSubstr("there is no /dev/nvidia-uvm"));
  EXPECT_THAT(check_gpu(fake.machine).remedy, HasSubstr("sudo nvidia-modprobe"));
  fake.files["/.dockerenv"] = "";
  EXPECT_THAT(check_gpu(fake.machine).remedy, HasSubstr("--gpus all"));
  fake.folders["/dev"] = {"null"};
  EXPECT_THAT(check_gpu(fake.machine).found, HasSubstr("there is no /dev/nvidia0"));
}

TEST(Doctor, DeviceFilesThatThisUserMayNotOpen) {
  Fake fake;
  fake.with_gpus().closed = {"/dev/nvidia1"};
  EXPECT_THAT(check_gpu(fake.machine).found, HasSubstr("may not read and write /dev/nvidia1"));
  EXPECT_THAT(check_gpu(fake.machine).remedy, HasSubstr("usermod -aG"));
  EXPECT_FALSE(examine(fake.machine, false).judges_on_gpu);
}

TEST(Doctor, TheDriversLibraryIsMissing) {
  Fake fake;
  fake.with_gpus().files.erase("/usr/lib64/libcuda.so.1");
  EXPECT_THAT(check_gpu(fake.machine).found, HasSubstr("libcuda.so.1 is not found"));
  fake.variables["LD_LIBRARY_PATH"] = "/opt/a:/opt/b";
  fake.files["/opt/b/libcuda.so.1"] = "";
  EXPECT_EQ(check_gpu(fake.machine).state, Check::State::ok);
}

TEST(Doctor, TorchWithoutCuda) {
  Fake fake;
  fake.with_gpus().missing.insert("/kbx/torch/libtorch_cuda.so");
  EXPECT_THAT(check_gpu(fake.machine).found, HasSubstr("torch 2.11.0 is built without CUDA"));
  EXPECT_THAT(check_gpu(fake.machine).remedy, HasSubstr("KBX_PYTHON="));
}

TEST(Doctor, VisibleDevicesThatHideEverything) {
  Fake fake;
  fake.with_gpus();
  for (const char* hides : {"", "-1", "2", "GPU-33", "-1,0", "all"}) {
    fake.variables["CUDA_VISIBLE_DEVICES"] = hides;
    EXPECT_THAT(check_gpu(fake.machine).found, HasSubstr(std::string("CUDA_VISIBLE_DEVICES='") + hides + "' hides")) << hides;
    EXPECT_THAT(check_gpu(fake.machine).remedy, HasSubstr("0 to 1")) << hides;
  }
  for (const char* shows : {"1", "GPU-22", "1, 7", "MIG-77"}) {
    fake.variables["CUDA_VISIBLE_DEVICES"] = shows;
    EXPECT_THAT(check_gpu(fake.machine).found, HasSubstr("shows 1 of 2")) << shows;
    EXPECT_EQ(check_gpu(fake.machine).state, Check::State::ok) << shows;
  }
}

TEST(Doctor, ToolsForTheGpuThatAreMissing) {
  Fake fake;
  fake.with_gpus().folders.erase("/kbx/site/nvidia/cu13/lib");
  EXPECT_THAT(check_nvcc(fake.machine).remedy, HasSubstr("cuda-toolkit-13-0"));
  EXPECT_THAT(check_cupti(fake.machine).remedy, HasSubstr("pip install nvidia-cuda-cupti"));
  EXPECT_THAT(check_sanitizer(fake.machine).found, HasSubstr("--sanitize needs it"));
  EXPECT_THAT(check_sanitizer(fake.machine).remedy, HasSubstr("cuda-sanitizer-13-0"));
  fake.files["/usr/local/cuda/bin/compute-sanitizer"] = "";
  fake.folders["/usr/local/cuda/extras/CUPTI/lib64"] = {"libcupti.so.13"};
  EXPECT_EQ(check_sanitizer(fake.machine).found, "/usr/local/cuda/bin/compute-sanitizer");
  EXPECT_EQ(check_cupti(fake.machine).state, Check::State::ok);
}

TEST(Doctor, NcuIsFoundWhereNvidiasPackagesPutItTheNewestFirst) {
  Fake fake;
  fake.with_gpus();
  EXPECT_THAT(check_ncu(fake.machine).found, HasSubstr("--counters needs it"));
  EXPECT_THAT(check_ncu(fake.machine).remedy, HasSubstr("cuda-nsight-compute-13-0"));
  fake.folders["/opt/nvidia/nsight-compute"] = {"2025.3.1", "2024.2.0", "2026.1.0"};
  fake.files["/opt/nvidia/nsight-compute/2024.2.0/ncu"] = fake.files["/opt/nvidia/nsight-compute/2025.3.1/ncu"] = "";
  EXPECT_EQ(check_ncu(fake.machine).found, "/opt/nvidia/nsight-compute/2025.3.1/ncu");
  fake.files["/usr/local/cuda/bin/ncu"] = "";
  EXPECT_EQ(check_ncu(fake.machine).found, "/usr/local/cuda/bin/ncu");
  EXPECT_EQ(check_ncu(fake.machine).state, Check::State::ok);
}

// An ncu that may read nothing would be found out only when a candidate has been judged.
TEST(Doctor, CountersThatOnlyAdministratorsMayReadAreToldToAllOthers) {
  Fake fake;
  fake.with_gpus().files["/usr/local/cuda/bin/ncu"] = "";
  fake.files["/proc/driver/nvidia/params"] = "ModifyDeviceFiles: 1\nRmProfilingAdminOnly: 1\n";
  EXPECT_EQ(check_ncu(fake.machine).state, Check::State::absent);
  EXPECT_THAT(check_ncu(fake.machine).remedy, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  fake.machine.root = true;
  EXPECT_EQ(check_ncu(fake.machine).state, Check::State::ok);
}

TEST(Doctor, LittleDiskAndMemory) {
  Fake fake;
  fake.free = 10 << 20;
  fake.machine.memory_bytes = 1ull << 30;
  EXPECT_THAT(check_disk(fake.machine).remedy, HasSubstr("free 100 MiB there, or put runs elsewhere"));
  EXPECT_THAT(check_memory(fake.machine).remedy, HasSubstr("3 GiB"));
}

TEST(Doctor, JsonHasTheSameChecks) {
  Fake fake;
  const Health health = examine(fake.machine, false);
  const auto json = nlohmann::json::parse(health_json(health));
  EXPECT_EQ(json["checks"].size(), health.checks.size());
  EXPECT_EQ(json["checks"][0]["name"], "bubblewrap");
  EXPECT_EQ(json["sandbox"], "namespaces+landlock+seccomp");
  EXPECT_EQ(json["judges_on_cpu"], true);
}

}  // namespace
}  // namespace kbx
