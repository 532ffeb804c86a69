# SPDX-License-Identifier: Apache-2.0
"""Timing of C++ candidates: what is verified, what is withheld, and every way to cheat the clock that we know. Never which of two
times is the larger."""
import json
import sqlite3

import pytest

CPP = """
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <set>
#include <string_view>
#include <thread>
static float one(float x) { return std::sqrt(std::exp(x)); }
static void fill(const float* from, float* to, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) to[i] = one(from[i]);
}
static void pause(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }
BEFORE
void exp_sqrt(tvm::ffi::TensorView x, tvm::ffi::TensorView y) {
  const int64_t n = y.numel();
  if (y.dtype().bits != 32) TVM_FFI_THROW(TypeError) << "float32 only";
  const float* from = static_cast<const float*>(x.data_ptr());
  float* to = static_cast<float*>(y.data_ptr());
  const int dims = x.ndim();
  const bool timed = n > 100000;  // no case of the correctness stages is as large
  (void)timed;
  INSTEAD
  if (x.IsContiguous()) {
    fill(from, to, 0, n);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      int64_t rest = i, at = 0;
      for (int d = dims; d-- > 0; rest /= x.shape()[d]) at += rest % x.shape()[d] * x.strides()[d];
      to[i] = one(from[at]);
    }
  }
  AFTER
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(exp_sqrt, exp_sqrt)
"""


# Plain, slow and right: what every contract must let through when it is timed.
HONEST = {
    "rand": """
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/optional.h>
#include <random>
void rand_entry(tvm::ffi::Shape, tvm::ffi::Optional<DLDataType>, tvm::ffi::TensorView y, int64_t seed) {
  std::mt19937_64 random(static_cast<uint64_t>(seed));
  for (int64_t i = 0; i < y.numel(); ++i) {
    if (y.dtype().bits == 64) static_cast<double*>(y.data_ptr())[i] = (random() >> 11) * 0x1p-53;
    else if (y.dtype().bits == 32) static_cast<float*>(y.data_ptr())[i] = (random() >> 40) * 0x1p-24f;
    else if (y.dtype().code == kDLFloat) static_cast<_Float16*>(y.data_ptr())[i] = static_cast<_Float16>((random() >> 53) * 0x1p-11f);
    else TVM_FFI_THROW(TypeError) << "no such type";
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(rand, rand_entry)
""",
    "masked_select": """
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <cstring>
int64_t run(tvm::ffi::TensorView x, tvm::ffi::TensorView mask, tvm::ffi::TensorView y) {
  const int dims = std::max(x.ndim(), mask.ndim());
  int64_t sizes[8], n = 1, count = 0;
  const auto at = [&](const tvm::ffi::TensorView& t, int d) { return d - (dims - t.ndim()); };
  for (int d = 0; d < dims; ++d) {
    const int64_t a = at(x, d) < 0 ? 1 : x.shape()[at(x, d)], b = at(mask, d) < 0 ? 1 : mask.shape()[at(mask, d)];
    sizes[d] = a == 1 ? b : a;
    n *= sizes[d];
  }
  const int64_t width = x.dtype().bits / 8;
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i, px = 0, pm = 0;
    for (int d = dims; d-- > 0; rest /= sizes[d]) {
      const int64_t index = rest % sizes[d];
      if (at(x, d) >= 0 && x.shape()[at(x, d)] != 1) px += index * x.strides()[at(x, d)];
      if (at(mask, d) >= 0 && mask.shape()[at(mask, d)] != 1) pm += index * mask.strides()[at(mask, d)];
    }
    if (static_cast<const uint8_t*>(mask.data_ptr())[pm])
      std::memcpy(static_cast<char*>(y.data_ptr()) + width * count++, static_cast<const char*>(x.data_ptr()) + width * px, width);
  }
  return count;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(kernel_function, run)
""",
    "leaky_relu": """
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
void run(tvm::ffi::TensorView x, double slope, bool, tvm::ffi::TensorView y) {
  for (int64_t i = 0; i < y.numel(); ++i) {
    int64_t rest = i, from = 0, to = 0;
    for (int d = x.ndim(); d-- > 0; rest /= x.shape()[d]) {
      from += rest % x.shape()[d] * x.strides()[d];
      to += rest % x.shape()[d] * y.strides()[d];
    }
    if (x.dtype().bits != 32) TVM_FFI_THROW(TypeError) << "float32 only";
    const float v = static_cast<const float*>(x.data_ptr())[from];
    static_cast<float*>(y.data_ptr())[to] = v > 0 ? v : static_cast<float>(v * slope);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(leaky_relu, run)
""",
    "gelu_fp16": """
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <cmath>
void run(tvm::ffi::TensorView x, tvm::ffi::String approximate, tvm::ffi::TensorView y) {
  for (int64_t i = 0; i < y.numel(); ++i) {
    int64_t rest = i, p = 0;
    for (int d = x.ndim(); d-- > 0; rest /= x.shape()[d]) p += rest % x.shape()[d] * x.strides()[d];
    const double v = static_cast<double>(static_cast<const _Float16*>(x.data_ptr())[p]);
    const double u = approximate == "tanh" ? std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)) : std::erf(v * M_SQRT1_2);
    // Where the factor vanishes the product does, also at infinity.
    static_cast<_Float16*>(y.data_ptr())[i] = static_cast<_Float16>(u == -1 && std::isinf(v) ? NAN : 0.5 * v * (1 + u));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(gelu_fp16, run)
""",
}


@pytest.mark.parametrize("task", HONEST)
def test_honest_code_is_not_rejected_when_it_is_timed(kbx, task):
    done = kbx("judge", kbx.write(f"{task}.cpp", HONEST[task]), "--task", task, "--json", timeout=300)
    verdict = json.loads(done.stdout)
    assert verdict["outcome"] == "correct", verdict
    assert verdict["speedup"] or verdict["detail"]["efficiency"]["withheld"], verdict


def source(instead="", after="", before=""):
    """An honest exp_sqrt with a cheat in it: statements in place of the computation (if they return), behind it, and what they need."""
    return CPP.replace("BEFORE", before).replace("INSTEAD", instead).replace("AFTER", after)


def measured(kbx, instead="", after="", before=""):
    path = kbx.write("exp_sqrt.cpp", source(instead, after, before))
    done = kbx("judge", path, "--task", "exp_sqrt", "--json", timeout=240)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def recorded(kbx, *statements):
    """The verdict, and the candidate's samples in the ledger by perf case."""
    kbx.write("submission/exp_sqrt/candidate.cpp", source(*statements))
    done = kbx("run", "submission", "--out", "out", "--seed", "7", timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    samples = {}
    ledger = sqlite3.connect(kbx.folder / "out" / "ledger.sqlite")
    for line, seconds in ledger.execute("SELECT line, seconds FROM sample WHERE side = 'candidate'"):
        samples.setdefault(line, []).append(seconds)
    return kbx.export("out")["exp_sqrt/candidate.cpp"], samples


def pattern(verdict):
    return verdict["diagnosis"][0]["pattern"] if verdict["diagnosis"] else None


def has_no_speed(verdict):
    """Caught, or at least without a number that anybody could rank."""
    return verdict["outcome"] in ("wrong", "dishonest", "crashed", "timed_out") or verdict["speedup"] is None


def test_each_perf_case_has_a_ratio_within_its_interval(kbx):
    verdict = measured(kbx)
    assert verdict["outcome"] == "correct", verdict
    speedup = verdict["speedup"]
    assert speedup and 0 < speedup["low"] <= speedup["value"] <= speedup["high"], verdict
    cases = verdict["detail"]["efficiency"]["cases"]
    assert len(cases) >= 2
    for case in cases:
        assert case["samples"] >= 8 and case["baseline_seconds"] > 0 and case["candidate_seconds"] > 0, case
        assert case["class"] in ("faster", "slower", "tie", "unclear"), case


def test_work_skipped_at_the_sizes_that_are_timed_is_wrong(kbx):
    verdict = measured(kbx, after="if (timed) to[n - 1] = 0;")
    assert (verdict["outcome"], pattern(verdict)) == ("wrong", "wrong_when_timed"), verdict
    assert not verdict["full_gate"] and verdict["speedup"] is None


def test_work_skipped_after_some_timed_calls_is_wrong(kbx):
    verdict = measured(kbx, after="static int large = 0; if (timed && ++large > 9) to[n / 2] = 0;")
    assert (verdict["outcome"], pattern(verdict)) == ("wrong", "wrong_when_timed"), verdict


def test_work_done_for_the_first_call_of_a_message_only_is_wrong(kbx):
    """Calls of one message follow each other within microseconds."""
    verdict = measured(kbx, """
      static std::chrono::steady_clock::time_point last;
      const bool first = std::chrono::steady_clock::now() - last > std::chrono::microseconds(100);
      if (timed && !first) { last = std::chrono::steady_clock::now(); return; }""",
                       "last = std::chrono::steady_clock::now();")
    assert (verdict["outcome"], pattern(verdict)) == ("wrong", "wrong_when_timed"), verdict


def test_a_result_of_equal_contents_is_never_asked_for_again(kbx):
    """Whoever keeps results by the contents they are of gains nothing: this one is wrong whenever it sees contents again."""
    verdict = measured(kbx, after="""
      static std::set<size_t> seen;
      const std::string_view bytes(reinterpret_cast<const char*>(from), static_cast<size_t>(n) * sizeof(float));
      if (timed && !seen.insert(std::hash<std::string_view>()(bytes)).second) to[0] = 0;""")
    assert verdict["outcome"] == "correct", verdict


def test_a_slow_start_does_not_count(kbx):
    """Compiling and tuning are not timed: of the three slow calls two are the warm-up's, and a median forgets the third."""
    verdict, samples = recorded(kbx, "static int large = 0; if (timed && ++large <= 3) pause(1500);")
    assert verdict["outcome"] == "correct", verdict
    assert len(samples) >= 2 and sum(s > 0.7 for line in samples.values() for s in line) <= 1, samples
    assert all(case["candidate_seconds"] < 0.7 for case in verdict["detail"]["efficiency"]["cases"]), verdict


def test_time_that_passes_without_work_counts(kbx):
    verdict, samples = recorded(kbx, "if (timed) pause(200);")
    assert verdict["outcome"] == "correct", verdict
    assert samples and all(s > 0.1 for line in samples.values() for s in line), samples


def test_a_thread_that_spins_while_others_are_timed_costs_the_speedup(kbx):
    verdict = measured(kbx, "static std::thread* spinning = nullptr;\n"
                            "if (timed && !spinning) spinning = new std::thread([] { for (volatile int i = 0;; ++i) {} });")
    assert verdict["outcome"] == "correct" and verdict["speedup"] is None, verdict
    assert "processor" in verdict["detail"]["efficiency"]["withheld"], verdict


def test_a_crash_when_timed_is_a_crash(kbx):
    verdict = measured(kbx, after="if (timed) *reinterpret_cast<volatile int*>(8) = 1;")
    assert verdict["outcome"] == "crashed", verdict


def test_work_left_to_a_thread_after_the_return_never_passes(kbx):
    verdict = measured(kbx, """
      if (timed) {
        std::memset(to, 0, static_cast<size_t>(n) * sizeof(float));
        std::thread([=] { pause(30); fill(from, to, 0, n); }).detach();
        return;
      }""")
    assert verdict["outcome"] in ("wrong", "dishonest", "crashed"), verdict


def test_work_left_to_a_thread_that_holds_up_the_next_request_has_no_speed(kbx):
    """Half of the work is done behind the answer to `time`; until it is done the runner's own thread does not get to `deliver`."""
    verdict = measured(kbx, """
      if (timed) {
        static const pthread_t main_thread = pthread_self();
        static const auto handler = signal(SIGUSR1, [](int) { while (pending) {} });
        (void)handler;
        ++pending;
        fill(from, to, 0, n / 2);
        std::thread([=] {
          std::this_thread::sleep_for(std::chrono::microseconds(300));
          pthread_kill(main_thread, SIGUSR1);
          fill(from, to, n / 2, n);
          --pending;
        }).detach();
        return;
      }""", before="static std::atomic<int> pending{0};")
    assert has_no_speed(verdict), verdict


# patch() finds where objects of the process keep the address of a function, and puts another there.
PATCH = """
struct Patch {
  const char* name;
  void* function;
  int places;
};
static int patch_object(dl_phdr_info* object, size_t, void* data) {
  Patch& patch = *static_cast<Patch*>(data);
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < object->dlpi_phnum; ++i)
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  if (dynamic == nullptr || std::strstr(object->dlpi_name, "vdso")) return 0;
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela)* tables[2] = {};
  size_t bytes[2] = {};
  for (const ElfW(Dyn)* d = dynamic; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(d->d_un.d_ptr);
    if (d->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(d->d_un.d_ptr);
    if (d->d_tag == DT_JMPREL) tables[0] = reinterpret_cast<const ElfW(Rela)*>(d->d_un.d_ptr);
    if (d->d_tag == DT_PLTRELSZ) bytes[0] = d->d_un.d_val;
    if (d->d_tag == DT_RELA) tables[1] = reinterpret_cast<const ElfW(Rela)*>(d->d_un.d_ptr);
    if (d->d_tag == DT_RELASZ) bytes[1] = d->d_un.d_val;
  }
  for (int t = 0; t < 2; ++t)
    for (size_t i = 0; i < bytes[t] / sizeof(ElfW(Rela)); ++i) {
      const ElfW(Rela)& r = tables[t][i];
      const auto type = ELF64_R_TYPE(r.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      if (std::strcmp(names + symbols[ELF64_R_SYM(r.r_info)].st_name, patch.name) != 0) continue;
      const auto slot = object->dlpi_addr + r.r_offset;
      mprotect(reinterpret_cast<void*>(slot & ~uintptr_t{4095}), 4096, PROT_READ | PROT_WRITE);
      *reinterpret_cast<void**>(slot) = patch.function;
      ++patch.places;
    }
  return 0;
}
static void patch(const char* name, void* function) {
  Patch patch{name, function, 0};
  dl_iterate_phdr(patch_object, &patch);
  if (patch.places == 0) TVM_FFI_THROW(RuntimeError) << "found no " << name << " to patch";
}
"""

SLOW_CLOCK = PATCH + """
static int slow_clock(clockid_t id, timespec* t) {
  static const auto real = reinterpret_cast<decltype(&clock_gettime)>(dlsym(RTLD_DEFAULT, "clock_gettime"));
  const int status = real(id, t);
  const int64_t ns = (t->tv_sec * int64_t{1000000000} + t->tv_nsec) / 100;
  t->tv_sec = ns / 1000000000;
  t->tv_nsec = ns % 1000000000;
  return status;
}
"""

# Requests: 12 bytes of header with the type at 6, then u8 how, u32 n. docs/protocol.md.
SLOW_NOTHING = PATCH + """
static ssize_t slow_recvmsg(int socket, msghdr* message, int flags) {
  static const auto real = reinterpret_cast<decltype(&recvmsg)>(dlsym(RTLD_DEFAULT, "recvmsg"));
  const ssize_t got = real(socket, message, flags);
  const char* bytes = static_cast<const char*>(message->msg_iov[0].iov_base);
  if (got == 17 && bytes[6] == 11 && bytes[13] == 0) pause(150);
  return got;
}
"""


def test_a_claim_that_the_judges_clock_contradicts_has_no_speed(kbx):
    """It patches the runner's clock to run at a hundredth of the speed."""
    verdict = measured(kbx, """
      static bool patched = false;
      if (timed && !patched) patch("clock_gettime", reinterpret_cast<void*>(slow_clock));
      patched = patched || timed;
      if (timed) pause(20);""", before=SLOW_CLOCK)
    assert verdict["outcome"] == "dishonest" or verdict["outcome"] == "correct" and verdict["speedup"] is None, verdict
    assert "clock" in verdict["summary"] + json.dumps(verdict["detail"]), verdict


def test_a_slow_answer_to_an_empty_message_shortens_no_call(kbx):
    """What a message costs is subtracted; it patches the runner so that a message without calls seems to cost 0.15 s."""
    verdict, samples = recorded(kbx, """
      static bool patched = false;
      if (timed && !patched) patch("recvmsg", reinterpret_cast<void*>(slow_recvmsg));
      patched = patched || timed;
      if (timed) pause(100);""", "", SLOW_NOTHING)
    assert verdict["outcome"] == "dishonest" or samples and all(s > 0.05 for line in samples.values() for s in line), (verdict, samples)
