// SPDX-License-Identifier: Apache-2.0
// A libcupti that sees what a test tells it: fake_call() is a launch function entered or left, fake_kernel() a kernel that ran,
// fake_ran() any record. What is switched off is not seen.
#include <cupti.h>

#include <cstring>
#include <set>
#include <utility>
#include <vector>

namespace {
CUpti_CallbackFunc callback = nullptr;
CUpti_BuffersCallbackRequestFunc request = nullptr;
CUpti_BuffersCallbackCompleteFunc complete = nullptr;
std::set<std::pair<CUpti_CallbackDomain, CUpti_CallbackId>> callbacks_on;
std::set<CUpti_ActivityKind> kinds_on;
uint64_t now = 0;
size_t lost = 0;
int switches = 0;

// One size for all kinds, so that a buffer is an array.
union Record {
  CUpti_Activity any;
  CUpti_ActivityKernel10 kernel;
  CUpti_ActivityMemcpy6 copy;
  CUpti_ActivityMemset4 fill;
};
std::vector<Record> ran;

void note(const Record& record) {
  if (kinds_on.count(record.any.kind) != 0) ran.push_back(record);
}
}  // namespace

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc function, void*) {
  callback = function;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(uint32_t on, CUpti_SubscriberHandle, CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  ++switches;
  if (on != 0)
    callbacks_on.insert({domain, id});
  else
    callbacks_on.erase({domain, id});
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc r, CUpti_BuffersCallbackCompleteFunc c) {
  request = r;
  complete = c;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  ++switches;
  kinds_on.insert(kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  ++switches;
  kinds_on.erase(kind);
  return CUPTI_SUCCESS;
}
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
  uint8_t* next = *record == nullptr ? buffer : reinterpret_cast<uint8_t*>(*record) + sizeof(Record);
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  *dropped = std::exchange(lost, 0);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetTimestamp(uint64_t* timestamp) {
  *timestamp = now;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "fake";
  return CUPTI_SUCCESS;
}

void fake_call(int runtime, uint32_t id, int leaving, const char* symbol, const void* params, int code) {
  const CUpti_CallbackDomain domain = runtime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API;
  if (callbacks_on.count({domain, id}) == 0) return;
  CUpti_CallbackData data{};
  data.callbackSite = leaving ? CUPTI_API_EXIT : CUPTI_API_ENTER;
  data.symbolName = symbol;
  data.functionParams = params;
  data.functionReturnValue = leaving ? &code : nullptr;
  callback(nullptr, domain, id, &data);
}

void fake_kernel(const char* name, uint64_t nanoseconds, uint32_t stream) {
  Record record{};
  CUpti_ActivityKernel10& kernel = record.kernel;
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = name;
  kernel.start = 1000;
  kernel.end = 1000 + nanoseconds;
  kernel.streamId = stream;
  kernel.registersPerThread = 40;
  kernel.staticSharedMemory = 100;
  kernel.dynamicSharedMemory = 28;
  note(record);
}

void fake_ran(CUpti_ActivityKind kind, uint64_t start, uint64_t end) {
  Record record{};
  record.any.kind = kind;
  if (kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    record.copy.start = start;
    record.copy.end = end;
  } else if (kind == CUPTI_ACTIVITY_KIND_MEMSET) {
    record.fill.start = start;
    record.fill.end = end;
  } else {
    record.kernel.start = start;
    record.kernel.end = end;
  }
  note(record);
}

// What the clock shows from now on.
void fake_now(uint64_t nanoseconds) { now = nanoseconds; }

// That many records do not reach the next buffer.
void fake_loss(size_t records) { lost = records; }

// How often anything was switched on or off so far.
int fake_switches() { return switches; }

}  // extern "C"
