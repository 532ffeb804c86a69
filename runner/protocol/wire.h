// SPDX-License-Identifier: Apache-2.0
// The messages between judge and runner: docs/protocol.md. Little-endian, packed by hand, one message per datagram of a
// SOCK_SEQPACKET socket, at most kMaxMessage bytes. The judge treats whatever a runner sends as hostile: Reader never
// reads past the end and turns bad on the first malformed field.
// Shared by the judge and runner-native (C++); runner/python/kbx_runner/wire.py says the same in Python. Depends on nothing.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace kbx::wire {

constexpr uint32_t kMagic = 0x3158424b;  // "KBX1"
constexpr uint16_t kVersion = 1;
constexpr size_t kMaxMessage = 60 * 1024;
constexpr size_t kMaxDescriptors = 64;  // of one message; a runner may have 256 files open

enum class Type : uint16_t {
  // judge -> runner
  load = 1,  // u8 role; str path; list<str> entry names in order; str schema; u8 flags (LoadFlags); u32 arch; str options (JSON)
  attach = 2,    // u32 n; n x Segment; one descriptor per distinct fd index
  prepare = 3,   // u32 set; u32 nargs; nargs x Argument; u32 ndest; ndest x Tensor
  call = 4,      // u32 n; n x {u32 set; u64 seed}
  report = 5,    // empty; answered by `reported`
  stop = 6,      // empty
  source = 7,    // u32 n; n x {str path; u64 size}; one descriptor: the texts one after another. Python only; no answer
  lockdown = 8,  // see Lockdown; the first message; answered by `ready`
  harvest = 9,   // one descriptor: memory of a fixed size, to be written; answered by `harvested`. Python only
  cache = 10,    // as source, for the runner's Triton cache; no answer. Python only
  time = 11,     // u8 Timing; u32 n; n x {u32 set; u64 seed}: calls whose results are kept; answered by `timed`
  deliver = 12,  // empty: hand out the results that the last `time` kept; answered by `returned`
  // runner -> judge
  ready = 16,   // u32 layers in force (LayerBits), u64 pid as the runner sees it
  loaded = 17,  // str entry taken; str how ("entry", "id", "kernel_function", "only function that binds")
  failed = 18,  // u8 FailedAt; str kind; str message; str excerpt; u32 line (0: none). Answers load, attach, prepare, call, time,
                // deliver, harvest
  prepared = 19,   // empty; answers attach and prepare
  returned = 20,   // u32 n; n x {u64 claimed ns; u8 delivered; u32 nleaves; nleaves x Leaf}; u32 bad accesses
  reported = 21,   // str JSON: {"operators":[...], "kernels":[...], "accesses":[...], "libraries":[...], "programs": n}
  fault = 22,      // u32 signal; u8 write; u64 address; u64 pc; u32 segment; i64 distance behind its end (< 0: before its start)
  timed = 24,      // u32 n; n x u64 claimed ns: of each call; for queued calls one, of all together; no call: none
  harvested = 23,  // u32 n; n x {str path; u64 size}: files of its Triton cache, one after another in the memory
  // judge -> zygote, and its answers
  spawn = 32,    // str options (JSON); two descriptors: the child's socket, its output. Answered by `spawned` or `failed`
  spawned = 33,  // u64 pid in the zygote's namespace; one descriptor: the child's pidfd
  reap = 34,     // u64 pid; answered by `reaped`
  reaped = 35,   // u32 wait status as waitpid gives it
};

enum class FailedAt : uint8_t { import = 1, bind = 2, compile = 3, call = 4, unsupported = 5 };
enum class Role : uint8_t { native = 1, interpret = 2, compile = 3, cuda = 4 };
// census: count operators and kernels. poison: fill fresh allocations. time: only timed, so nothing stands in the way of a call,
// and autotuners tune. profile: each call but the first lies between cuProfilerStart and cuProfilerStop.
enum LoadFlags : uint8_t { kCensus = 1, kPoison = 2, kTime = 4, kProfile = 8 };
// How calls are timed. each: every call waited for, by the host's clock. queued: one after another, waited for once, by events of
// the device (where it has none: the host's clock). traced: every call waited for, by what CUPTI recorded (a GPU only).
enum class Timing : uint8_t { each = 0, queued = 1, traced = 2 };
// All but the first are those of lockdown/lockdown.h.
enum LayerBits : uint32_t { kNamespaces = 1, kLandlock = 2, kSeccomp = 4, kCapabilities = 8, kScoped = 16 };

enum class Tag : uint8_t { none, boolean, integer, real, text, dtype, tensor, int_list, real_list, bool_list, tensor_list };

// Dtypes as DLPack codes: {code, bits}; lanes is 1.
struct DType {
  uint8_t code = 2, bits = 32;  // 0 int, 1 uint, 2 float, 4 bfloat, 5 complex, 6 bool, 10 float8_e4m3fn, 12 float8_e5m2
};

// A page range that the runner maps once, between two unmapped pages.
struct Segment {
  uint32_t id = 0, fd = 0;  // fd: index into the descriptors sent along
  uint64_t offset = 0, length = 0;
  uint8_t device = 0;  // 0 host memory, 1 CUDA
  uint8_t writable = 1;
};

struct Tensor {
  uint32_t segment = 0;
  uint64_t offset = 0;  // of the first element, from the segment's start
  DType dtype;
  uint8_t device = 0;
  std::vector<int64_t> sizes, strides;  // strides in elements
};

// One returned value as a Python candidate gave it. `copied`: its bytes are in the destination of the same index.
struct Leaf {
  enum Kind : uint8_t { none, tensor, number, text, other };
  uint8_t kind = none, copied = 0, aliases_argument = 0;  // aliases_argument: index + 1, 0 if none
  DType dtype;
  std::vector<int64_t> sizes;
  double value = 0;  // of a number
  std::string type;  // type name, for messages
};

// What a runner applies to itself before it reads anything of the candidate.
struct Lockdown {
  uint32_t layers = 0;                        // LayerBits wanted; the namespaces are made by whoever started the runner
  uint64_t memory_bytes = 0, file_bytes = 0;  // RLIMIT_DATA, RLIMIT_FSIZE; 0: unchanged
  uint32_t open_files = 0, processes = 0;     // RLIMIT_NOFILE, RLIMIT_NPROC; 0: unchanged
  std::vector<std::string> readable;          // the paths that Landlock leaves readable and executable
  std::vector<std::string> writable;          // and those that it leaves writable too
  std::string filter;                         // the seccomp program: struct sock_filter[]
};

class Writer {
 public:
  explicit Writer(Type type);
  Writer& u8(uint8_t v) { return raw(&v, 1); }
  Writer& u16(uint16_t v) { return raw(&v, 2); }
  Writer& u32(uint32_t v) { return raw(&v, 4); }
  Writer& u64(uint64_t v) { return raw(&v, 8); }
  Writer& i64(int64_t v) { return raw(&v, 8); }
  Writer& f64(double v) { return raw(&v, 8); }
  Writer& str(std::string_view v) {
    u32(static_cast<uint32_t>(v.size()));
    return raw(v.data(), v.size());
  }
  Writer& raw(const void* data, size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
    return *this;
  }
  // The finished message, with its length filled in.
  const std::string& finish();

 private:
  std::string bytes_;
};

class Reader {
 public:
  // Checks the header. bad() if magic, version or length are wrong.
  explicit Reader(std::string_view message);
  bool bad() const { return bad_; }
  bool at_end() const { return !bad_ && rest_.empty(); }
  Type type() const { return type_; }
  uint8_t u8() { return number<uint8_t>(); }
  uint16_t u16() { return number<uint16_t>(); }
  uint32_t u32() { return number<uint32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }
  int64_t i64() { return number<int64_t>(); }
  double f64() { return number<double>(); }
  std::string str();
  // Marks the message as malformed.
  void fail() { bad_ = true; }

 private:
  template <typename T>
  T number() {
    T v{};
    if (bad_ || rest_.size() < sizeof(T)) {
      bad_ = true;
      return v;
    }
    std::memcpy(&v, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return v;
  }
  std::string_view rest_;
  Type type_{};
  bool bad_ = false;
};

void put(Writer& w, const Segment& s);  // u32 id, u32 fd, u64 offset, u64 length, u8 device, u8 writable
void put(Writer& w,
         const Tensor& t);           // u32 segment, u64 offset, u8 code, u8 bits, u8 device, u8 ndim, i64 sizes[], i64 strides[]
void put(Writer& w, const Leaf& l);  // u8 kind, copied, aliases; u8 code, bits; u8 ndim, i64 sizes[]; f64; str
void put(Writer& w, const Lockdown& l);  // u32 layers; u64 memory, file; u32 open files, processes; list<str> x 2; str filter
Segment get_segment(Reader& r);
Tensor get_tensor(Reader& r);  // ndim > 64 is malformed
Leaf get_leaf(Reader& r);
Lockdown get_lockdown(Reader& r);

// list<str> is: u32 n; n x str.
void put(Writer& w, const std::vector<std::string>& list);
std::vector<std::string> get_list(Reader& r);

// An Argument is: str name (empty: positional), u8 Tag, then
//   none -; boolean u8; integer i64; real f64; text str; dtype u8 code u8 bits; tensor Tensor;
//   int_list u32 n, i64[]; real_list u32 n, f64[]; bool_list u32 n, u8[]; tensor_list u32 n, Tensor[]

// A status page (segment 0, one page, host memory) that the runner keeps up to date; the judge reads it when a call does
// not come back. Claims, for wording only.
struct StatusPage {
  uint32_t state;  // 0 idle, 1 importing, 2 host code of the candidate, 3 inside an interpreted launch, 4 waiting for the GPU
  uint32_t reserved;
  uint64_t programs;  // interpreted program instances finished since load
  uint64_t launches;  // GPU kernels that this call launched
  char kernel[488];   // the last of them, ended by a zero
};

}  // namespace kbx::wire
