// SPDX-License-Identifier: Apache-2.0
// The entry points of CUPTI that the census takes, found at run time. Include only where cupti.h is to be had.
#pragma once

#include <cupti.h>
#include <dlfcn.h>

#include <string>
#include <type_traits>

namespace kbx::device {

struct Cupti {
  decltype(&::cuptiSubscribe) subscribe = nullptr;
  decltype(&::cuptiEnableCallback) enable_callback = nullptr;
  decltype(&::cuptiActivityRegisterCallbacks) register_buffers = nullptr;
  decltype(&::cuptiActivityEnable) enable_activity = nullptr;
  decltype(&::cuptiActivityDisable) disable_activity = nullptr;
  decltype(&::cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&::cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&::cuptiActivityGetNumDroppedRecords) dropped_records = nullptr;
  decltype(&::cuptiGetTimestamp) timestamp = nullptr;
  decltype(&::cuptiGetResultString) result_string = nullptr;

  // The one that torch has loaded, else that at `path`, else the loader's. False: `error` says why.
  bool open(const char* path, std::string& error) {
    constexpr const char* kName = "libcupti.so.13";
    void* library = dlopen(kName, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr && path != nullptr && *path != '\0') library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) library = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      error = dlerror();
      return false;
    }
    const char* missing = nullptr;
    const auto find = [&](const char* name, auto& function) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (function == nullptr) missing = name;
    };
    find("cuptiSubscribe", subscribe);
    find("cuptiEnableCallback", enable_callback);
    find("cuptiActivityRegisterCallbacks", register_buffers);
    find("cuptiActivityEnable", enable_activity);
    find("cuptiActivityDisable", disable_activity);
    find("cuptiActivityFlushAll", flush_all);
    find("cuptiActivityGetNextRecord", next_record);
    find("cuptiActivityGetNumDroppedRecords", dropped_records);
    find("cuptiGetTimestamp", timestamp);
    find("cuptiGetResultString", result_string);
    if (missing != nullptr) error = std::string("libcupti has no ") + missing;
    return missing == nullptr;
  }

  std::string text(CUptiResult result) const {
    const char* words = nullptr;
    result_string(result, &words);
    return words != nullptr ? words : "error " + std::to_string(static_cast<int>(result));
  }
};

}  // namespace kbx::device
