// SPDX-License-Identifier: Apache-2.0
#include "sandbox/box.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "lockdown/lockdown.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;

// Folders of the root that hold programs and libraries; on most systems links into /usr.
constexpr const char* kSystemFolders[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};
// What programs read beside them: where libraries lie, and how many processors and memory nodes there are.
constexpr const char* kSystemFiles[] = {"/etc/ld.so.cache", "/etc/alternatives", "/sys/devices/system"};
// Of /proc, where there is no fresh one: nothing of other processes.
constexpr const char* kProcFiles[] = {"/proc/self",    "/proc/thread-self", "/proc/cpuinfo", "/proc/meminfo",    "/proc/stat",
                                      "/proc/version", "/proc/filesystems", "/proc/sys/vm",  "/proc/sys/kernel", "/proc/devices",
                                      "/proc/driver",  "/proc/modules",     "/dev/urandom",  "/dev/random",      "/dev/zero"};

constexpr const char* kPath = "/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin";

std::vector<std::string> gpu_devices() {
  std::vector<std::string> devices;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/dev", ignored))
    if (entry.path().filename().string().starts_with("nvidia")) devices.push_back(entry.path());
  return devices;
}

void append(std::vector<std::string>& list, std::initializer_list<std::string> words) { list.insert(list.end(), words); }

void add_system(std::vector<std::string>& arguments) {
  append(arguments, {"--ro-bind", "/usr", "/usr"});
  std::error_code ignored;
  for (const char* folder : kSystemFolders) {
    if (fs::is_symlink(folder, ignored))
      append(arguments, {"--symlink", fs::read_symlink(folder, ignored).string(), folder});
    else if (fs::is_directory(folder, ignored))
      append(arguments, {"--ro-bind", folder, folder});
  }
  for (const char* file : kSystemFiles) append(arguments, {"--ro-bind-try", file, file});
}

bool names(const std::string& assignment, const std::string& variable) { return assignment.starts_with(variable + "="); }

}  // namespace

std::string find_bubblewrap() {
  std::error_code ignored;
  const fs::path beside = fs::read_symlink("/proc/self/exe", ignored).parent_path() / "bwrap";
  if (access(beside.c_str(), X_OK) == 0) return beside;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (folder.starts_with('/') && access((folder + "/bwrap").c_str(), X_OK) == 0) return folder + "/bwrap";
  return {};
}

std::string with_scratch(std::string text, const std::string& scratch) {
  constexpr std::string_view kMark = "{scratch}";
  for (size_t at; (at = text.find(kMark)) != std::string::npos;) text.replace(at, kMark.size(), scratch);
  return text;
}

Result<std::vector<std::string>> box_arguments(const Launch& launch, const std::vector<std::string>& environment) {
  std::vector<std::string> arguments{"--unshare-user",
                                     "--unshare-ipc",
                                     "--unshare-pid",
                                     "--unshare-net",
                                     "--unshare-uts",
                                     "--unshare-cgroup-try",
                                     "--die-with-parent",
                                     "--new-session",
                                     "--cap-drop",
                                     "ALL",
                                     "--uid",
                                     "0",
                                     "--gid",
                                     "0",
                                     "--hostname",
                                     "kbx"};
  // A zygote makes namespaces for its children. It must be uid 0: for another one bwrap nests a second user namespace, in which
  // that fails.
  if (launch.may_fork_namespaces) append(arguments, {"--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"});
  if (launch.layers.clean_environment) arguments.push_back("--clearenv");
  for (const std::string& assignment : environment) {
    const size_t equals = assignment.find('=');
    append(arguments, {"--setenv", assignment.substr(0, equals), assignment.substr(equals + 1)});
  }

  add_system(arguments);
  // Real root owns the files of /proc/sys in here too; bwrap itself leaves them writable.
  append(arguments, {"--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--dev", "/dev"});
  if (launch.gpu)
    for (const std::string& device : gpu_devices()) append(arguments, {"--dev-bind", device, device});
  const std::string scratch_bytes = std::to_string(launch.limits.scratch_bytes);
  append(arguments, {"--size", scratch_bytes, "--tmpfs", kScratchInBox, "--size", scratch_bytes, "--tmpfs", "/dev/shm"});
  for (const Bind& bind : launch.binds) {
    if (access(bind.from.c_str(), F_OK) != 0)
      return Error{bind.from + " does not exist, but the sandbox needs it", "run kbx doctor"};
    append(arguments, {bind.writable ? "--bind" : "--ro-bind", bind.from, bind.to});
  }
  // Last: the mounts above still need to make their mount points.
  append(arguments, {"--remount-ro", "/dev", "--remount-ro", "/", "--chdir", kScratchInBox});
  return arguments;
}

std::vector<std::string> box_environment(const Launch& launch, const std::string& scratch) {
  std::vector<std::string> result;
  if (!launch.layers.clean_environment)
    for (char** variable = environ; *variable != nullptr; ++variable) result.push_back(*variable);
  for (const std::string& given : launch.environment) result.push_back(with_scratch(given, scratch));
  std::vector<std::string> defaults{"HOME=" + scratch, "TMPDIR=" + scratch, "USER=kbx", "LANG=C.UTF-8",
                                    std::string("PATH=") + kPath};
  // Where the binaries were carried to another machine, this is how they find their libraries.
  if (const char* libraries = std::getenv("LD_LIBRARY_PATH")) defaults.push_back(std::string("LD_LIBRARY_PATH=") + libraries);
  for (const std::string& assignment : defaults) {
    const std::string variable = assignment.substr(0, assignment.find('='));
    bool given = false;
    for (const std::string& other : result) given = given || names(other, variable);
    if (!given) result.push_back(assignment);
  }
  return result;
}

Reach box_reach(const Launch& launch, const std::string& scratch) {
  Reach reach{{}, {scratch, "/dev/null"}};
  if (launch.gpu) {
    for (const std::string& device : gpu_devices()) reach.writable.push_back(device);
    reach.writable.push_back("/proc/self/task");  // CUDA names its threads, and does not start if it cannot
  }
  if (launch.layers.namespaces) {
    reach.readable = {"/"};  // there is nothing else in the box
    reach.writable.push_back("/dev/shm");
  } else {
    reach.readable = {"/usr"};
    for (const char* folder : kSystemFolders) reach.readable.push_back(folder);
    for (const char* file : kSystemFiles) reach.readable.push_back(file);
    for (const char* file : kProcFiles) reach.readable.push_back(file);
  }
  for (const Bind& bind : launch.binds) {
    if (bind.writable)
      reach.writable.push_back(launch.layers.namespaces ? bind.to : bind.from);
    else if (!launch.layers.namespaces)
      reach.readable.push_back(bind.from);
  }
  return reach;
}

std::vector<std::string> confine_arguments(const Launch& launch, const std::string& confine, const Reach& reach, int filter) {
  const Limits& limits = launch.limits;
  const uint32_t layers = KBX_CAPABILITIES | (launch.layers.landlock ? KBX_LANDLOCK : 0) | (filter >= 0 ? KBX_SECCOMP : 0);
  std::vector<std::string> arguments{confine, "--layers", std::to_string(layers)};
  if (filter >= 0) append(arguments, {"--filter", std::to_string(filter)});
  append(arguments, {"--memory", std::to_string(limits.memory_bytes), "--file", std::to_string(limits.file_bytes), "--files",
                     std::to_string(limits.open_files)});
  // Counted within the box's user namespace; without one it would count all that the user runs.
  if (launch.layers.namespaces) append(arguments, {"--processes", std::to_string(limits.processes)});
  for (const std::string& path : reach.readable) append(arguments, {"--readable", path});
  for (const std::string& path : reach.writable) append(arguments, {"--writable", path});
  arguments.push_back("--");
  return arguments;
}

}  // namespace kbx
