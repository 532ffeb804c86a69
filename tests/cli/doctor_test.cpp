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
  Machine machine;

  Fake() {
    machine.read = [this](const std::string& path) { return files.count(path) ? files[path] : ""; };
    machine.exists = [this](const std::string& path) {
      return files.count(path) > 0 || (path.starts_with("/kbx/") && !missing.count(path));
    };
    machine.list = [this](const std::string& dir) { return dir == "/kbx/site" ? packages : std::vector<std::string>(); };
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
    i.cache = "/somewhere/cache/kbx";
    i.version = "0.1.0";
    machine.installation = i;
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
  EXPECT_EQ(health.checks.size(), 11u);
}

TEST(Doctor, DriverOlderThanTheWheelsCuda) {
  Fake fake;
  fake.files["/proc/driver/nvidia/version"] =
      "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build  (dvs-builder@U16)\nGCC version: "
      "12.2.0\n";
  EXPECT_THAT(check_gpu(fake.machine).found, HasSubstr("driver 570.86.15, too old for torch's CUDA 13"));
  EXPECT_THAT(check_gpu(fake.machine).remedy, HasSubstr("nvidia-driver-580"));
  EXPECT_FALSE(examine(fake.machine, false).judges_on_gpu);
  fake.packages.back() = "nvidia_cuda_runtime-12.8.90.dist-info";
  EXPECT_EQ(check_gpu(fake.machine).state, Check::State::ok);
}

TEST(Doctor, NvidiaSmiTellsDriverAndName) {
  Fake fake;
  fake.programs["nvidia-smi"] = "/usr/bin/nvidia-smi";
  fake.outputs["nvidia-smi"] = {0, "580.95.05, NVIDIA H200\n"};
  EXPECT_EQ(check_gpu(fake.machine).found, "NVIDIA H200, driver 580.95.05");
  EXPECT_TRUE(examine(fake.machine, false).judges_on_gpu);
  fake.outputs["nvidia-smi"] = {9, "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"};
  EXPECT_EQ(check_gpu(fake.machine).state, Check::State::missing);
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
