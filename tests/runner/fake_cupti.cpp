// SPDX-License-Identifier: Apache-2.0
// A libcupti that sees what a test tells it: fake_call() is a launch function entered or left, fake_kernel() a kernel that ran.
#include <cupti.h>

#include <cstring>
#include <vector>

namespace {
CUpti_CallbackFunc callback = nullptr;
CUpti_BuffersCallbackRequestFunc request = nullptr;
CUpti_BuffersCallbackCompleteFunc complete = nullptr;
std::vector<CUpti_ActivityKernel10> ran;
}  // namespace

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc function, void*) {
  callback = function;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc r, CUpti_BuffersCallbackCompleteFunc c) {
  request = r;
  complete = c;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityFlushAll(uint32_t) {
  uint8_t* buffer = nullptr;
  size_t size = 0, records = 0;
  request(&buffer, &size, &records);
  const size_t valid = ran.size() * sizeof ran[0];
  if (buffer == nullptr || valid > size) return CUPTI_ERROR_OUT_OF_MEMORY;
  std::memcpy(buffer, ran.data(), valid);
  ran.clear();
  complete(nullptr, 0, buffer, size, valid);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, CUpti_Activity** record) {
  uint8_t* next = *record == nullptr ? buffer : reinterpret_cast<uint8_t*>(*record) + sizeof(CUpti_ActivityKernel10);
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  *dropped = 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "fake";
  return CUPTI_SUCCESS;
}

void fake_call(int runtime, uint32_t id, int leaving, const char* symbol, const void* params, int code) {
  CUpti_CallbackData data{};
  data.callbackSite = leaving ? CUPTI_API_EXIT : CUPTI_API_ENTER;
  data.symbolName = symbol;
  data.functionParams = params;
  data.functionReturnValue = leaving ? &code : nullptr;
  callback(nullptr, runtime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
}

void fake_kernel(const char* name, uint64_t nanoseconds, uint32_t stream) {
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = name;
  kernel.start = 1000;
  kernel.end = 1000 + nanoseconds;
  kernel.streamId = stream;
  kernel.registersPerThread = 40;
  kernel.staticSharedMemory = 100;
  kernel.dynamicSharedMemory = 28;
  ran.push_back(kernel);
}

}  // extern "C"
