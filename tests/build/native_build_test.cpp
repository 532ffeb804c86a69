// SPDX-License-Identifier: Apache-2.0
#include "build/native_build.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "build/artifact_cache.h"
#include "build/toolchain.h"
#include "core/installation.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAdd = R"(
#include <tvm/ffi/tvm_ffi.h>
static void add(tvm::ffi::TensorView x, tvm::ffi::TensorView out) {
  for (long i = 0; i < x.numel(); ++i) static_cast<float*>(out.data_ptr())[i] = static_cast<const float*>(x.data_ptr())[i] + 1;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, add);
)";

Candidate candidate_of(std::vector<SourceFile> files, Language language = Language::cpp) {
  Candidate candidate;
  candidate.id = "test";
  candidate.language = language;
  candidate.files = std::move(files);
  return candidate;
}

// The cache is where XDG_CACHE_HOME says when the process first asks.
class NativeBuildTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    cache_ = new fs::path(fs::temp_directory_path() / ("kbx-build-test-" + std::to_string(getpid())));
    fs::create_directories(*cache_);
    setenv("XDG_CACHE_HOME", cache_->c_str(), 1);
  }
  static void TearDownTestSuite() { fs::remove_all(*cache_); }

  static NativeBuildOptions options() {
    NativeBuildOptions options;
    options.layers = available_layers();
    return options;
  }

  static Artifact built(const Candidate& candidate, const NativeBuildOptions& how = options()) {
    auto result = build_native(candidate, how);
    if (!result.ok()) {
      ADD_FAILURE() << result.error().text();
      return {};
    }
    if (const auto* failed = std::get_if<BuildFailed>(&*result)) {
      ADD_FAILURE() << failed->reason;
      return {};
    }
    return std::get<Artifact>(*result);
  }

  static std::string refused(const Candidate& candidate, const NativeBuildOptions& how = options()) {
    auto result = build_native(candidate, how);
    if (!result.ok()) return "error of ours: " + result.error().text();
    if (const auto* failed = std::get_if<BuildFailed>(&*result)) return failed->reason;
    return "was built";
  }

  static size_t files_in_cache() {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(*cache_ / "kbx/artifacts")) ++count;
    return count;
  }

  static fs::path* cache_;
};
fs::path* NativeBuildTest::cache_ = nullptr;

// As the runner does it: with libtvm_ffi.so loaded already.
bool exports(const Artifact& artifact, const char* symbol) {
  const fs::path tvm_ffi = find_installation()->tvm_ffi_library / "libtvm_ffi.so";
  EXPECT_NE(dlopen(tvm_ffi.c_str(), RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror();
  void* library = dlopen(artifact.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  return library != nullptr && dlsym(library, symbol) != nullptr;
}

TEST_F(NativeBuildTest, ExportsTheEntryAndIsReadOnly) {
  const Artifact artifact = built(candidate_of({{"add.cpp", kAdd}}));
  EXPECT_TRUE(exports(artifact, "__tvm_ffi_add"));
  struct stat info;
  ASSERT_EQ(stat(artifact.path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0222, 0u);
}

TEST_F(NativeBuildTest, SecondBuildComesFromTheCacheAndAnotherTextDoesNot) {
  const Candidate first = candidate_of({{"c.cpp", "extern \"C\" int answer() { return 42; }"}});
  EXPECT_FALSE(built(first).cached);
  const Artifact again = built(first);
  EXPECT_TRUE(again.cached);
  const Artifact other = built(candidate_of({{"c.cpp", "extern \"C\" int answer() { return 43; }"}}));
  EXPECT_FALSE(other.cached);
  EXPECT_NE(other.path, again.path);
}

TEST_F(NativeBuildTest, FilesThatDifferOnlyInWhereTheirTextIsSplitAreDifferent) {
  const Artifact one = built(candidate_of({{"a.cpp", "extern \"C\" int f() { return 1; }\n"}, {"b.h", "int g();"}}));
  const Artifact two = built(candidate_of({{"a.cpp", "extern \"C\" int f() { return 1; }\nint g();"}, {"b.h", ""}}));
  EXPECT_NE(one.path, two.path);
}

TEST_F(NativeBuildTest, SeveralSourcesAndAHeaderInAFolderAreOneLibrary) {
  const Artifact artifact =
      built(candidate_of({{"main.cpp", "#include \"inner/part.h\"\nextern \"C\" int twice() { return 2 * part(); }"},
                          {"inner/part.h", "int part();"},
                          {"inner/part.cpp", "#include \"part.h\"\nint part() { return 21; }"}}));
  void* library = dlopen(artifact.path.c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_EQ(reinterpret_cast<int (*)()>(dlsym(library, "twice"))(), 42);
}

TEST_F(NativeBuildTest, WarningsAreKeptAlsoForTheCached) {
  const Candidate candidate = candidate_of({{"w.cpp", "extern \"C\" int f() { int unused_thing = 0; return 1; }"}});
  EXPECT_NE(built(candidate).log.find("unused_thing"), std::string::npos);
  EXPECT_NE(built(candidate).log.find("unused_thing"), std::string::npos);
}

TEST_F(NativeBuildTest, ReasonBeginsWithTheFirstErrorAndNamesTheCandidatesFile) {
  const std::string reason =
      refused(candidate_of({{"k.cpp", "int unused() { int w; return 0; }\nint f() { return nothing_here; }\n"}}));
  EXPECT_EQ(reason.rfind("k.cpp:2:", 0), 0u) << reason;
  EXPECT_NE(reason.find("nothing_here"), std::string::npos) << reason;
}

TEST_F(NativeBuildTest, UndefinedFunctionIsABuildFailureNotALoadFailure) {
  const std::string reason = refused(candidate_of({{"k.cpp", "int elsewhere();\nextern \"C\" int f() { return elsewhere(); }"}}));
  EXPECT_NE(reason.find("undefined reference to `elsewhere()'"), std::string::npos) << reason;
}

TEST_F(NativeBuildTest, FileNameThatLeadsOutOfTheFolderIsRefused) {
  EXPECT_NE(refused(candidate_of({{"../../evil.cpp", "int x;"}})).find("leads out"), std::string::npos);
  EXPECT_NE(refused(candidate_of({{"/tmp/evil.cpp", "int x;"}})).find("leads out"), std::string::npos);
}

TEST_F(NativeBuildTest, FailedBuildsLeaveNothingInTheCache) {
  built(candidate_of({{"n.cpp", "int n = 1;"}}));
  const size_t before = files_in_cache();
  refused(candidate_of({{"n.cpp", "int n = ;"}}));
  EXPECT_EQ(files_in_cache(), before);
}

TEST_F(NativeBuildTest, TwoBuildsOfOneCandidateAtOnceBothSucceed) {
  const Candidate candidate = candidate_of({{"t.cpp", "extern \"C\" int t() { return 7; }"}});
  Artifact one, two;
  std::thread other([&] { one = built(candidate); });
  two = built(candidate);
  other.join();
  EXPECT_TRUE(exports(one, "t"));
  EXPECT_TRUE(exports(two, "t"));
}

// What a hostile source can do to the compiler: each must end soon, as a failed build.

TEST_F(NativeBuildTest, FilesOfTheMachineCannotBeIncluded) {
  for (const char* file : {"/etc/shadow", "/etc/passwd", "/proc/1/environ"}) {
    const std::string reason = refused(candidate_of({{"k.cpp", std::string("#include \"") + file + "\"\n"}}));
    EXPECT_EQ(reason.rfind("k.cpp:1:", 0), 0u) << reason;
    EXPECT_EQ(reason.find("root:"), std::string::npos) << reason;
  }
}

TEST_F(NativeBuildTest, IncludedDeviceEnds) {
  NativeBuildOptions soon = options();
  soon.timeout_seconds = 2;
  for (const char* device : {"/dev/zero", "/dev/stdin"}) {
    const std::string reason = refused(candidate_of({{"k.cpp", std::string("#include \"") + device + "\"\nint x = ;\n"}}), soon);
    EXPECT_NE(reason, "was built");
    EXPECT_EQ(reason.find("error of ours"), std::string::npos) << reason;
  }
}

TEST_F(NativeBuildTest, HugeOutputIsCutOff) {
  const std::string reason = refused(candidate_of({{"k.cpp", "asm(\".section .data\\n .fill 10000000000, 1, 7\\n\");\n"}}));
  EXPECT_NE(reason, "was built");
  EXPECT_EQ(reason.find("error of ours"), std::string::npos) << reason;
}

TEST_F(NativeBuildTest, EndlessTemplateRecursionEnds) {
  const std::string reason = refused(
      candidate_of({{"k.cpp", "template <int N> struct A { static constexpr int v = A<N + 1>::v; };\nint x = A<0>::v;\n"}}));
  EXPECT_NE(reason.find("template instantiation depth"), std::string::npos) << reason;
}

TEST_F(NativeBuildTest, EndlessCompilationIsCutOffByTime) {
  NativeBuildOptions soon = options();
  soon.timeout_seconds = 1;
  // 2^60 instantiations within the depth that is allowed.
  const std::string reason = refused(
      candidate_of(
          {{"k.cpp",
            "template <int D, long N> struct T { static constexpr long v = T<D - 1, 2 * N>::v + T<D - 1, 2 * N + 1>::v; };\n"
            "template <long N> struct T<0, N> { static constexpr long v = N; };\nlong x = T<60, 0>::v;\n"}}),
      soon);
  EXPECT_EQ(reason.rfind("compiling took longer than 1 s", 0), 0u) << reason;
}

TEST_F(NativeBuildTest, FloodOfMessagesIsCut) {
  std::string flood;
  for (int i = 0; i < 4000; ++i) flood += "#warning " + std::string(100, 'w') + "\n";
  const std::string reason = refused(candidate_of({{"k.cpp", flood + "int x = ;\n"}}));
  EXPECT_NE(reason, "was built");
  EXPECT_LT(reason.size(), 8192u);
}

TEST_F(NativeBuildTest, CompilesWithoutNamespacesToo) {
  NativeBuildOptions plain = options();
  plain.layers.namespaces = false;
  EXPECT_TRUE(exports(built(candidate_of({{"p.cpp", "extern \"C\" int p() { return 1; }"}}), plain), "p"));
  const std::string reason = refused(candidate_of({{"k.cpp", "#include \"/etc/passwd\"\n"}}), plain);
  if (plain.layers.landlock) {
    EXPECT_EQ(reason.find("root:"), std::string::npos) << reason;
  }
}

TEST_F(NativeBuildTest, CudaKernelIsCompiledForTheArchitecture) {
  if (!find_toolchain(Language::cuda).ok()) GTEST_SKIP() << "no nvcc on this machine";
  const Candidate candidate =
      candidate_of({{"k.cu",
                     "#include <tvm/ffi/tvm_ffi.h>\n__global__ void one(float* x) { x[threadIdx.x] = 1; }\n"
                     "static void fill(tvm::ffi::TensorView x) { one<<<1, 32>>>(static_cast<float*>(x.data_ptr())); }\n"
                     "TVM_FFI_DLL_EXPORT_TYPED_FUNC(fill, fill);\n"}},
                   Language::cuda);
  EXPECT_FALSE(built(candidate).path.empty());
  NativeBuildOptions unknown = options();
  unknown.arch = "sm_1";
  const std::string reason = refused(candidate, unknown);
  EXPECT_EQ(reason.rfind("error of ours: nvcc cannot compile for sm_1", 0), 0u) << reason;
}

TEST(ArtifactCacheTest, FolderThatCannotBeWrittenIsNamedWithTheRemedy) {
  // Not even root can make folders in /proc.
  const Result<ArtifactCache> cache = ArtifactCache::open("/proc/kbx");
  ASSERT_FALSE(cache.ok());
  EXPECT_NE(cache.error().message.find("/proc/kbx/artifacts"), std::string::npos);
  EXPECT_NE(cache.error().remedy.find("XDG_CACHE_HOME"), std::string::npos);
}

TEST(ToolchainTest, ArtifactsOfAnotherArchitectureOrCompilerHaveOtherFlags) {
  const Installation nowhere;
  EXPECT_NE(compiler_flags(Language::cuda, "sm_80", nowhere), compiler_flags(Language::cuda, "sm_90", nowhere));
  EXPECT_EQ(compiler_flags(Language::cpp, "sm_80", nowhere), compiler_flags(Language::cpp, "sm_90", nowhere));
}

}  // namespace
}  // namespace kbx
