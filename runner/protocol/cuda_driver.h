// SPDX-License-Identifier: Apache-2.0
// The entry points of the CUDA driver that sharing device memory takes. Found at run time, so that both sides also start on
// machines without a GPU. Include only where cuda.h is to be had.
#pragma once

#include <cuda.h>
#include <dlfcn.h>

#include <string>

namespace kbx {

struct CudaDriver {
  // Bytes of unmapped addresses on either side of a mapping: a multiple of the granularity, which is 2 MiB on all GPUs so far.
  static constexpr size_t kGuard = size_t{2} << 20;

  decltype(&::cuInit) init = nullptr;
  decltype(&::cuGetErrorString) error_string = nullptr;
  decltype(&::cuDeviceGet) device_get = nullptr;
  decltype(&::cuDevicePrimaryCtxRetain) retain = nullptr;
  decltype(&::cuCtxSetCurrent) set_current = nullptr;
  decltype(&::cuCtxSynchronize) synchronise = nullptr;
  decltype(&::cuMemGetAllocationGranularity) granularity = nullptr;
  decltype(&::cuMemCreate) create = nullptr;
  decltype(&::cuMemRelease) release = nullptr;
  decltype(&::cuMemExportToShareableHandle) export_handle = nullptr;
  decltype(&::cuMemImportFromShareableHandle) import_handle = nullptr;
  decltype(&::cuMemAddressReserve) reserve = nullptr;
  decltype(&::cuMemAddressFree) unreserve = nullptr;
  decltype(&::cuMemMap) map = nullptr;
  decltype(&::cuMemUnmap) unmap = nullptr;
  decltype(&::cuMemSetAccess) set_access = nullptr;
  decltype(&::cuMemsetD8) fill = nullptr;
  decltype(&::cuEventCreate) event_create = nullptr;
  decltype(&::cuEventRecord) event_record = nullptr;
  decltype(&::cuEventElapsedTime) elapsed = nullptr;

  // Loads the driver and initialises it. False: `error` says why; the driver must not be used.
  bool open(std::string& error) {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
      error = dlerror();
      return false;
    }
    const char* missing = nullptr;
    const auto find = [&](const char* name, auto& function) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (function == nullptr) missing = name;
    };
    find("cuInit", init);
    find("cuGetErrorString", error_string);
    find("cuDeviceGet", device_get);
    find("cuDevicePrimaryCtxRetain", retain);
    find("cuCtxSetCurrent", set_current);
    find("cuCtxSynchronize", synchronise);
    find("cuMemGetAllocationGranularity", granularity);
    find("cuMemCreate", create);
    find("cuMemRelease", release);
    find("cuMemExportToShareableHandle", export_handle);
    find("cuMemImportFromShareableHandle", import_handle);
    find("cuMemAddressReserve", reserve);
    find("cuMemAddressFree", unreserve);
    find("cuMemMap", map);
    find("cuMemUnmap", unmap);
    find("cuMemSetAccess", set_access);
    find("cuMemsetD8_v2", fill);
    find("cuEventCreate", event_create);
    find("cuEventRecord", event_record);
    find("cuEventElapsedTime", elapsed);
    if (missing != nullptr) error = std::string("the driver has no ") + missing;
    if (missing != nullptr) return false;
    const CUresult started = init(0);
    if (started != CUDA_SUCCESS) error = "cuInit: " + text(started);
    return started == CUDA_SUCCESS;
  }

  // Makes the primary context of the device current in this thread.
  CUresult use(int ordinal, CUdevice& device) const {
    CUcontext context = nullptr;
    if (const CUresult r = device_get(&device, ordinal); r != CUDA_SUCCESS) return r;
    if (const CUresult r = retain(&context, device); r != CUDA_SUCCESS) return r;
    return set_current(context);
  }

  // Maps an allocation of `length` bytes whole, at an address of the driver's choice, between two ranges of addresses that
  // stay unmapped: what runs over either end faults, and does not meet another mapping.
  CUresult map_whole(CUmemGenericAllocationHandle memory, size_t length, CUdevice device, bool writable,
                     CUdeviceptr& address) const {
    CUdeviceptr range = 0;
    if (const CUresult r = reserve(&range, length + 2 * kGuard, 0, 0, 0); r != CUDA_SUCCESS) return r;
    address = range + kGuard;
    CUmemAccessDesc access{};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = device;
    access.flags = writable ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_READ;
    CUresult r = map(address, length, 0, memory, 0);
    if (r == CUDA_SUCCESS && (r = set_access(address, length, &access, 1)) != CUDA_SUCCESS) unmap(address, length);
    if (r != CUDA_SUCCESS) unreserve(range, length + 2 * kGuard);
    return r;
  }

  // Ends what map_whole() made.
  void unmap_whole(CUdeviceptr address, size_t length) const {
    unmap(address, length);
    unreserve(address - kGuard, length + 2 * kGuard);
  }

  std::string text(CUresult result) const {
    const char* words = nullptr;
    error_string(result, &words);
    return words != nullptr ? words : "error " + std::to_string(static_cast<int>(result));
  }
};

}  // namespace kbx
