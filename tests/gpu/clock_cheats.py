# SPDX-License-Identifier: Apache-2.0
"""Candidates that cheat the clock on a GPU: an honest kernel of examples/gpu each, behind a function that cheats at timed sizes."""
from conftest import ROOT

# Standard, outlier and boundary cases are smaller, perf cases for a GPU larger.
TIMED = 1 << 18
# Cycles of a kernel that does nothing but wait; at most 2.1 GHz.
CYCLES_OF_5_MS = 10_500_000
CYCLES_OF_1_MS = 2_100_000

TRITON_HEAD = f"""
import ctypes
import sys
import threading
import time
import torch

honest = gelu
TIMED = {TIMED}
state = {{}}

"""


def triton(body, setup=""):
    """gelu() with the statements `body` in front of the honest one, whose result they may call for by honest(input, approximate)."""
    head = (ROOT / "examples/gpu/gelu/blocks.py").read_text() + TRITON_HEAD + setup
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return head + f"\n\ndef gelu(input, approximate='none'):\n    timed = input.numel() >= TIMED\n{lines}    return honest(input, approximate)\n"


CUDA_HEAD = """
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

__global__ void waits(int64_t cycles) {
  const int64_t end = clock64() + cycles;
  while (clock64() < end) {
  }
}
"""


def cuda(body, after="", before=""):
    """add() with statements in front of and behind the honest one."""
    text = (ROOT / "examples/gpu/add/grid_stride.cu").read_text()
    text = text.replace("void add_entry(", "void honest(").rsplit("TVM_FFI_DLL_EXPORT", 1)[0]
    return text + CUDA_HEAD + before + f"""
void add_entry(tvm::ffi::TensorView input, tvm::ffi::TensorView other, double alpha, tvm::ffi::TensorView result) {{
  const bool timed = result.numel() >= {TIMED};
  const int device = result.device().device_id;
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(kDLCUDA, device));
  {body.strip()}
  honest(input, other, alpha, result);
  {after.strip()}
  (void)timed, (void)stream;
}}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, add_entry)
"""


ASIDE_CUDA = f"""
  static cudaStream_t aside = [] {{
    cudaStream_t made = nullptr;
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
  }}();
  if (timed) {{
    waits<<<1, 1, 0, aside>>>({CYCLES_OF_5_MS});
    TVMFFIEnvSetStream(kDLCUDA, device, aside, nullptr);
    honest(input, other, alpha, result);
    TVMFFIEnvSetStream(kDLCUDA, device, stream, nullptr);
    return;
  }}
"""

HOST_CUDA = """
  const auto flat = [&](const tvm::ffi::TensorView& t) { return t.IsContiguous() && t.numel() == result.numel(); };
  if (timed && flat(input) && flat(other) && result.dtype().code == kDLFloat && result.dtype().bits == 32) {
    const size_t n = static_cast<size_t>(result.numel()), bytes = n * sizeof(float);
    std::vector<float> a(n), b(n);
    cudaMemcpy(a.data(), input.data_ptr(), bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(b.data(), other.data_ptr(), bytes, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < n; ++i) a[i] += static_cast<float>(alpha) * b[i];
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    cudaMemcpy(result.data_ptr(), a.data(), bytes, cudaMemcpyHostToDevice);
    return;
  }
"""

REPEATS_CUDA = """
  static std::set<std::string> seen;
  bool again = false;
  if (timed) {
    std::string key(4096, 0);
    cudaMemcpyAsync(key.data(), input.data_ptr(), key.size(), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    again = !seen.insert(key).second;
  }
"""

WINDOW_CUDA = """
  if (timed) {
    static const bool limited = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, size_t{1} << 30) == cudaSuccess;
    (void)limited;
    int widest = 0;
    cudaDeviceGetAttribute(&widest, cudaDevAttrMaxAccessPolicyWindowSize, device);
    cudaStreamAttrValue window = {};
    window.accessPolicyWindow.base_ptr = input.data_ptr();
    window.accessPolicyWindow.num_bytes = std::min<size_t>(static_cast<size_t>(widest), static_cast<size_t>(input.numel()) * 4);
    window.accessPolicyWindow.hitRatio = 1;
    window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    window.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window);
  }
"""

SPINS_CUDA = """
  static bool spinning = false;
  if (timed && !spinning) {
    spinning = true;
    std::thread([] { for (volatile int i = 0;; ++i) {} }).detach();
  }
"""

# The first call of a turn, which no sample holds, computes all sets of the ring; those that follow within 2 ms have nothing to do.
PLAIN_CUDA = """
struct Known {
  const float *a, *b;
  float* y;
  int64_t n;
};
static std::vector<Known> known;
__global__ void plain(Known k, float alpha) {
  for (int64_t i = blockIdx.x * int64_t{256} + threadIdx.x; i < k.n; i += int64_t{256} * gridDim.x) k.y[i] = k.a[i] + alpha * k.b[i];
}
"""
WORKS_BEFORE_CUDA = """
  if (timed) {
    static std::chrono::steady_clock::time_point last;
    const Known own{static_cast<const float*>(input.data_ptr()), static_cast<const float*>(other.data_ptr()),
                    static_cast<float*>(result.data_ptr()), result.numel()};
    const auto compute = [&](const Known& k) { plain<<<1024, 256, 0, stream>>>(k, static_cast<float>(alpha)); };
    if (!known.empty() && known.front().n != own.n) known.clear();
    bool met = false;
    for (const Known& k : known) met = met || k.y == own.y;
    if (!met) known.push_back(own);
    const auto now = std::chrono::steady_clock::now();
    if (now - last > std::chrono::milliseconds(2))
      for (const Known& k : known) compute(k);
    else if (!met)
      compute(own);
    last = std::chrono::steady_clock::now();
    return;
  }
"""

# But for queued calls a message has eight at most: the first takes 8 x 16 us more than it needs, each 4 us more. The mean is 20 us or longer.
FRONT_LOADS_CUDA = """
  if (timed) {
    static std::chrono::steady_clock::time_point last;
    const auto now = std::chrono::steady_clock::now();
    waits<<<1, 1, 0, stream>>>(now - last > std::chrono::microseconds(600) ? 8 * 33'600 + 8'400 : 8'400);
    last = now;
  }
"""

# The answer to `time` has gone when it starts; until it is done, the runner's own thread does not get to `deliver`.
LATE_CUDA = """
  if (timed) {
    static const pthread_t main_thread = pthread_self();
    static const auto handler = signal(SIGUSR1, [](int) {
      while (pending) {
      }
    });
    (void)handler;
    ++pending;
    std::thread([=] {
      std::this_thread::sleep_for(std::chrono::microseconds(300));
      pthread_kill(main_thread, SIGUSR1);
      TVMFFIEnvSetStream(kDLCUDA, device, stream, nullptr);
      honest(input, other, alpha, result);
      cudaDeviceSynchronize();
      --pending;
    }).detach();
    return;
  }
"""

# What times the calls lies in the candidate's own process, and calls it.
FIND_TIMING = """
def timing():
    frame = sys._getframe()
    while frame.f_globals.get("__name__") != "kbx_runner.timing":
        frame = frame.f_back
    return frame.f_globals


def slowed(clock):
    start = clock()
    return lambda: start + (clock() - start) // 100

"""


def claims(statement):
    return triton(f"""
if timed:
    if not state:
        {statement}
        state["patched"] = True
    torch.cuda._sleep({CYCLES_OF_1_MS})""", FIND_TIMING)


CANDIDATES = {
    "gelu/honest.py": triton("pass"),
    "gelu/wrong_when_large.py": triton("""
if timed:
    y = honest(input, approximate)
    y.flatten()[-1] = 0
    return y"""),
    # One stream: calls on several could run beside each other.
    "gelu/aside.py": triton(f"""
if timed:
    aside = state.setdefault("stream", None) or torch.cuda.Stream()
    state["stream"] = aside
    with torch.cuda.stream(aside):
        torch.cuda._sleep({CYCLES_OF_5_MS})
        return honest(input, approximate)"""),
    "gelu/repeats.py": triton("""
if timed:
    flat = input.flatten()
    key = (input.numel(), int(flat.view(torch.int32).sum()), tuple(flat[:64].tolist()))
    if key in state:
        return torch.zeros_like(input)
    state[key] = True"""),
    "gelu/slow_start.py": triton("""
if timed:
    state["calls"] = state.get("calls", 0) + 1
    if state["calls"] <= 3:
        time.sleep(1.5)"""),
    "gelu/first_set_only.py": triton("""
if timed and state.setdefault(input.numel(), input.data_ptr()) != input.data_ptr():
    return torch.zeros_like(input)"""),
    "gelu/on_the_host.py": triton("""
if timed:
    y = torch.nn.functional.gelu(input.cpu(), approximate=approximate)
    time.sleep(0.005)
    return y.to(input.device)"""),
    "gelu/patches_clocks.py": triton("if timed:\n    sleep(0.005)", """
sleep = time.sleep
for name in ("perf_counter", "monotonic", "time", "process_time"):
    setattr(time, name, lambda: 0.0)
    setattr(time, name + "_ns", lambda: 0)
torch.cuda.Event.elapsed_time = lambda self, end: 1e-6
torch.cuda.Event.record = torch.cuda.Event.synchronize = lambda self, *args: None
torch.cuda.synchronize = lambda *args: None
"""),
    "gelu/claims_nothing.py": claims("timing()['_clock'] = slowed(timing()['_clock'])"),
    "gelu/claims_no_gpu_time.py": claims(
        "timing()['DeviceWatch'].begin_trace = lambda self: ((lambda: None), (lambda calls: [1000] * calls))"),
    # As LATE_CUDA; PyDLL keeps the interpreter's lock.
    "gelu/late.py": triton("""
if timed:
    y = torch.empty_like(input)

    def work():
        time.sleep(0.0003)
        ctypes.PyDLL(None).usleep(3000)
        y.copy_(honest(input, approximate))

    threading.Thread(target=work).start()
    return y"""),
    "add/honest.cu": cuda(""),
    "add/wrong_when_large.cu": cuda("", "if (timed) cudaMemsetAsync(result.data_ptr(), 0, 4, stream);"),
    "add/aside.cu": cuda(ASIDE_CUDA),
    "add/repeats.cu": cuda(REPEATS_CUDA, "if (again) cudaMemsetAsync(result.data_ptr(), 0, 4, stream);"),
    "add/slow_start.cu": cuda("static int large = 0;\n"
                              "  if (timed && ++large <= 3) std::this_thread::sleep_for(std::chrono::milliseconds(1500));"),
    "add/first_set_only.cu": cuda("static std::map<int64_t, void*> first;\n"
                                  "  if (timed && first.emplace(result.numel(), result.data_ptr()).first->second != result.data_ptr()) return;"),
    "add/window.cu": cuda(WINDOW_CUDA),
    "add/on_the_host.cu": cuda(HOST_CUDA),
    "add/front_loads.cu": cuda(FRONT_LOADS_CUDA),
    "add/spins.cu": cuda(SPINS_CUDA),
    "add/works_before.cu": cuda(WORKS_BEFORE_CUDA, before=PLAIN_CUDA),
    "add/late.cu": cuda(LATE_CUDA, before="static std::atomic<int> pending{0};\n"),
}
