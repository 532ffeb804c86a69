/* SPDX-License-Identifier: Apache-2.0
 * Which kernels the GPU ran in this process, through CUPTI: the one place that talks to it. Plain C, linked to nothing of CUDA;
 * libcupti is opened when the census starts. Loaded by both runners before they load a candidate; what it says is still
 * a claim, since it runs in the candidate's process. All memory is bounded, whatever the candidate launches. Thread-safe. */
#ifndef KBX_DEVICE_CENSUS_H_
#define KBX_DEVICE_CENSUS_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Begins to record kernels of all contexts and streams, and every launch. `cupti`: the library's path, for where no
 * libcupti.so.13 is loaded yet; may be empty. Returns 0, or -1 with the reason in `error`; without a GPU too. No context is
 * needed and none is made. REQUIRES: this process is not forked afterwards. */
int kbx_census_start(const char* cupti, char* error, size_t error_bytes);

/* Keeps `launches` and `kernel` of a wire::StatusPage at `page` up to date from now on; NULL ends that. */
void kbx_census_watch(void* page);

/* A call begins: what kbx_census_blame and `failed_launches` say is about launches from here on. */
void kbx_census_mark(void);

/* All of it as JSON (docs/protocol.md, "report"): `kernels` with the longest first, `launched`, `failed_launches`,
 * `dropped`. `flush`: fetch outstanding records first; REQUIRES then: the device is idle and the context not broken. Returns the
 * size; writes nothing if `bytes` is less. */
size_t kbx_census_collect(int flush, char* json, size_t bytes);

/* One line that says which kernels can have caused a fault of the device: those launched since the mark. Touches neither CUPTI
 * nor the driver. Ends with a zero, cut where it does not fit; returns its length. */
size_t kbx_census_blame(char* text, size_t bytes);

/* Stops recording, and the callbacks of launches, so that calls run as they do without CUPTI; kbx_census_resume() goes on.
 * Meanwhile nothing is counted and no launch is known. Nothing happens where it already is so, or where nothing was started. */
void kbx_census_pause(void);
void kbx_census_resume(void);

/* The GPU time of calls one by one (device/busy.h says what counts). Begin, then kbx_census_trace_call() as each call begins, and
 * end once the device has been waited for: `ns` gets the times of the `calls` calls. A paused census is resumed; copies and
 * fills are recorded too, from the first trace to the next pause. Both return 0, or -1 with the reason in `error`; end does
 * so where records were lost. REQUIRES for begin and end: the device is idle and the context not broken. A trace that does not
 * come to its end needs none: the next begin forgets it. */
int kbx_census_trace_begin(char* error, size_t error_bytes);
void kbx_census_trace_call(void);
int kbx_census_trace_end(uint64_t* ns, size_t calls, char* error, size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif /* KBX_DEVICE_CENSUS_H_ */
