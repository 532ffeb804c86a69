// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "runner_fixture.h"

namespace kbx {
namespace {

using NativeRunner = RunnerFixture;

TEST_F(NativeRunner, ThreeSetsAreCalledInOneRoundTripEachWithItsOwnContents) {
  ASSERT_TRUE(std::holds_alternative<Loaded>(load("honest", {"add"})));
  std::vector<Buffer> outputs;
  for (uint32_t set = 0; set < 3; ++set) {
    Buffer a = allocate({5, 7}), b = *runner->arena().allocate(at::kFloat, {5, 7}, {1, 5});
    outputs.push_back(allocate({5, 7}));
    a.tensor.fill_(static_cast<float>(set));
    for (int64_t i = 0; i < 5; ++i)
      for (int64_t k = 0; k < 7; ++k) b.tensor[i][k] = static_cast<float>(10 * i + k);
    ArgumentWriter arguments;
    arguments.tensor(a);
    arguments.tensor(b);
    const auto prepared = runner->prepare(set, arguments.bytes(), arguments.count(), {outputs[set].remote}, kSeconds);
    ASSERT_TRUE(std::holds_alternative<Done>(prepared)) << what(prepared);
  }
  runner->arena().fill_red_zones(0x5a);
  const auto reply = runner->call({{0, 1}, {2, 2}, {1, 3}}, kSeconds);
  ASSERT_TRUE(std::holds_alternative<ReturnedCalls>(reply)) << what(reply);
  const auto& calls = std::get<ReturnedCalls>(reply).calls;
  ASSERT_EQ(calls.size(), 3u);
  for (uint32_t set = 0; set < 3; ++set) {
    EXPECT_TRUE(calls[set].delivered);
    EXPECT_GT(calls[set].claimed_ns, 0u);
    EXPECT_TRUE(calls[set].leaves.empty());
    EXPECT_EQ(outputs[set].tensor[4][6].item<float>(), 46.f + static_cast<float>(set));
    EXPECT_EQ(outputs[set].tensor[1][0].item<float>(), 10.f + static_cast<float>(set));
  }
  EXPECT_FALSE(runner->arena().red_zones_changed());
}

TEST_F(NativeRunner, EveryKindOfArgumentArrivesAsWhatItIs) {
  ASSERT_TRUE(std::holds_alternative<Loaded>(load("honest", {"all_kinds"})));
  Buffer first = allocate({1}), second = allocate({1});
  out = allocate({10});
  second.tensor.fill_(42);
  ArgumentWriter w;
  w.add(wire::Tag::none);
  w.add(wire::Tag::integer).i64(-7);
  w.add(wire::Tag::real).f64(0.25);
  w.add(wire::Tag::boolean).u8(1);
  w.add(wire::Tag::text).str("a text longer than any small string");
  w.add(wire::Tag::dtype).u8(4).u8(16);
  w.add(wire::Tag::int_list).u32(2).i64(3).i64(4);
  w.add(wire::Tag::real_list).u32(2).f64(0.5).f64(0.125);
  w.add(wire::Tag::bool_list).u32(2).u8(1).u8(0);
  auto& list = w.add(wire::Tag::tensor_list).u32(2);
  put(list, first.remote);
  put(list, second.remote);
  ASSERT_TRUE(std::holds_alternative<Done>(runner->prepare(0, w.bytes(), w.count(), {out.remote}, kSeconds)));
  const auto reply = call();
  ASSERT_TRUE(std::holds_alternative<ReturnedCalls>(reply)) << what(reply);
  const float expected[] = {0, -7, 0.25, 1, 35, 4016, 34, 0.625, 2, 242};
  for (int64_t i = 0; i < 10; ++i) EXPECT_EQ(out.tensor[i].item<float>(), expected[i]) << i;
}

TEST_F(NativeRunner, TheCountOfADataDependentResultIsANumberLeaf) {
  ASSERT_TRUE(std::holds_alternative<Loaded>(load("honest", {"positives"})));
  Buffer x = allocate({5});
  out = allocate({5});
  for (int64_t i = 0; i < 5; ++i) x.tensor[i] = static_cast<float>(i - 2);
  ArgumentWriter w;
  w.tensor(x);
  ASSERT_TRUE(std::holds_alternative<Done>(runner->prepare(0, w.bytes(), w.count(), {out.remote}, kSeconds)));
  const auto reply = call();
  ASSERT_TRUE(std::holds_alternative<ReturnedCalls>(reply)) << what(reply);
  const auto& leaves = std::get<ReturnedCalls>(reply).calls[0].leaves;
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_EQ(leaves[0].kind, wire::Leaf::number);
  EXPECT_EQ(leaves[0].value, 2);
}

TEST_F(NativeRunner, TheSeedOfTheCallIsTheLastArgument) {
  ASSERT_TRUE(std::holds_alternative<Loaded>(load("honest", {"seeded"}, R"({"append_seed": true})")));
  out = allocate({1});
  ASSERT_TRUE(std::holds_alternative<Done>(runner->prepare(0, "", 0, {out.remote}, kSeconds)));
  for (uint64_t seed : {5, 6}) {
    ASSERT_TRUE(std::holds_alternative<ReturnedCalls>(runner->call({{0, seed}}, kSeconds)));
    EXPECT_EQ(out.tensor.item<float>(), static_cast<float>(seed));
  }
}

TEST_F(NativeRunner, AfterResetTheSameSetNumberMeansTheNewTensors) {
  start("failing", "writes_behind_by_one_byte", 10);
  runner->arena().reset();
  out = allocate({3000});
  ASSERT_TRUE(std::holds_alternative<Done>(runner->prepare(0, "", 0, {out.remote}, kSeconds)));
  runner->arena().fill_red_zones(0x77);
  ASSERT_TRUE(std::holds_alternative<ReturnedCalls>(call()));
  const auto trespass = runner->arena().red_zones_changed();
  ASSERT_TRUE(trespass);
  EXPECT_EQ(trespass->buffer, 0u);
  EXPECT_EQ(trespass->distance, 0);
}

TEST_F(NativeRunner, TheFirstOfTheNamesThatExistsIsTaken) {
  const auto reply = load("honest", {"gelu", "add", "kernel_function"});
  ASSERT_TRUE(std::holds_alternative<Loaded>(reply)) << what(reply);
  EXPECT_EQ(std::get<Loaded>(reply).entry, "add");
  EXPECT_EQ(std::get<Loaded>(reply).how, "id");
}

TEST_F(NativeRunner, ALibraryWithoutTheEntryDoesNotBind) {
  const auto reply = load("honest", {"gelu", "kernel_function"});
  ASSERT_TRUE(std::holds_alternative<Failed>(reply)) << what(reply);
  EXPECT_EQ(std::get<Failed>(reply).at, wire::FailedAt::bind);
  EXPECT_NE(std::get<Failed>(reply).message.find("__tvm_ffi_gelu"), std::string::npos);
}

TEST_F(NativeRunner, ALibraryThatDoesNotLoadFailsAtImport) {
  auto started = start_native_runner(std::string(KBX_CANDIDATES) + "/kbx_candidate_honest.so", options);
  ASSERT_TRUE(started.ok()) << started.error().text();
  LoadRequest request;
  request.path = "/nowhere.so";
  request.entries = {"add"};
  const auto reply = (*started)->load(request, kSeconds);
  ASSERT_TRUE(std::holds_alternative<Failed>(reply)) << what(reply);
  EXPECT_EQ(std::get<Failed>(reply).at, wire::FailedAt::import);
}

TEST_F(NativeRunner, AnotherArityFailsToBindWithTheSignature) {
  start("failing", "wrong_arity");
  const auto reply = call();
  ASSERT_TRUE(std::holds_alternative<Failed>(reply)) << what(reply);
  EXPECT_EQ(std::get<Failed>(reply).at, wire::FailedAt::bind);
  EXPECT_NE(std::get<Failed>(reply).message.find("Expected 3 but got 1"), std::string::npos) << what(reply);
}

TEST_F(NativeRunner, AnotherTypeFailsToBind) {
  start("failing", "wrong_type");
  const auto reply = call();
  ASSERT_TRUE(std::holds_alternative<Failed>(reply)) << what(reply);
  EXPECT_EQ(std::get<Failed>(reply).at, wire::FailedAt::bind);
}

TEST_F(NativeRunner, AnExceptionIsPassedOnVerbatimAndTheRunnerGoesOn) {
  start("failing", "throws");
  for (int i = 0; i < 2; ++i) {
    const auto reply = call();
    ASSERT_TRUE(std::holds_alternative<Failed>(reply)) << what(reply);
    EXPECT_EQ(std::get<Failed>(reply).at, wire::FailedAt::call);
    EXPECT_EQ(std::get<Failed>(reply).message, "no such mode: §");
  }
}

TEST_F(NativeRunner, WhatIsNoStdExceptionIsCaughtToo) {
  start("failing", "throws_int");
  const auto reply = call();
  ASSERT_TRUE(std::holds_alternative<Failed>(reply)) << what(reply);
  EXPECT_EQ(std::get<Failed>(reply).kind, "exception");
}

TEST_F(NativeRunner, AReadBehindTheBufferIsAFaultWithItsDistance) {
  start("failing", "reads_behind");
  const auto reply = call();
  ASSERT_TRUE(std::holds_alternative<Died>(reply)) << what(reply);
  const Died& died = std::get<Died>(reply);
  EXPECT_EQ(died.signal, SIGSEGV);
  ASSERT_TRUE(died.fault);
  EXPECT_FALSE(died.fault->write);
  EXPECT_EQ(died.fault->segment, out.remote.segment);
  EXPECT_EQ(died.fault->distance, 8);  // two floats behind the end
}

TEST_F(NativeRunner, AWriteBeforeThePagesIsAFaultBeforeTheStart) {
  start("failing", "writes_before");
  const auto reply = call();
  ASSERT_TRUE(std::holds_alternative<Died>(reply)) << what(reply);
  ASSERT_TRUE(std::get<Died>(reply).fault);
  EXPECT_TRUE(std::get<Died>(reply).fault->write);
  EXPECT_EQ(std::get<Died>(reply).fault->distance, -1);
}

TEST_F(NativeRunner, AWriteThatMissesThePageEndHitsTheRedZone) {
  start("failing", "writes_behind_by_one_byte", 10);
  runner->arena().fill_red_zones(0x5a);
  ASSERT_TRUE(std::holds_alternative<ReturnedCalls>(call()));
  const auto trespass = runner->arena().red_zones_changed();
  ASSERT_TRUE(trespass);
  EXPECT_EQ(trespass->distance, 0);
}

TEST_F(NativeRunner, AnEndlessRecursionStillReportsItsFault) {
  start("failing", "recurses");
  const auto reply = call();
  ASSERT_TRUE(std::holds_alternative<Died>(reply)) << what(reply);
  EXPECT_EQ(std::get<Died>(reply).signal, SIGSEGV);
  EXPECT_TRUE(std::get<Died>(reply).fault);
}

TEST_F(NativeRunner, AbortAndDivisionByZeroAreToldApart) {
  for (const auto& [entry, signal] : {std::pair("aborts", SIGABRT), std::pair("divides", SIGFPE)}) {
    start("failing", entry);
    const auto reply = call();
    ASSERT_TRUE(std::holds_alternative<Died>(reply)) << what(reply);
    EXPECT_EQ(std::get<Died>(reply).signal, signal);
    ASSERT_TRUE(std::get<Died>(reply).fault);
    EXPECT_EQ(std::get<Died>(reply).fault->signal, signal);
  }
}

TEST_F(NativeRunner, AfterItsDeathEveryRequestSaysHowItDied) {
  start("failing", "aborts");
  call();
  EXPECT_TRUE(std::holds_alternative<Died>(runner->report(kSeconds)));
  EXPECT_TRUE(std::holds_alternative<Died>(call()));
}

TEST_F(NativeRunner, AnEndlessLoopIsLateAndItsStatePageSaysWhere) {
  start("failing", "never_returns");
  const auto reply = call(0.3);
  ASSERT_TRUE(std::holds_alternative<Late>(reply)) << what(reply);
  EXPECT_GE(std::get<Late>(reply).seconds, 0.3);
  EXPECT_EQ(std::get<Late>(reply).status.state, 2u);
}

TEST_F(NativeRunner, HeapWithoutEndIsRefusedByTheLimit) {
  options.limits.memory_bytes = 256 << 20;
  start("failing", "allocates_without_end");
  const auto reply = call();
  ASSERT_TRUE(std::holds_alternative<Failed>(reply)) << what(reply);
  EXPECT_EQ(std::get<Failed>(reply).kind, "out of memory");
}

TEST_F(NativeRunner, SharedMemoryWithoutEndIsEndedByTheWatchdog) {
  options.limits.memory_bytes = 256 << 20;
  start("failing", "touches_shared_memory_without_end");
  const auto reply = call();
  ASSERT_TRUE(std::holds_alternative<Died>(reply)) << what(reply);
  EXPECT_TRUE(std::get<Died>(reply).out_of_memory);
}

TEST_F(NativeRunner, WhatItPrintsIsKept) {
  start("honest", "print_hello");
  ASSERT_TRUE(std::holds_alternative<ReturnedCalls>(call()));
  EXPECT_NE(runner->output().find("hello from the candidate"), std::string::npos);
}

TEST_F(NativeRunner, TheReportNamesLibrariesThatCameWithTheCandidate) {
  start("honest", "add");
  const auto reply = runner->report(kSeconds);
  ASSERT_TRUE(std::holds_alternative<std::string>(reply)) << what(reply);
  EXPECT_EQ(std::get<std::string>(reply), R"({"libraries":[]})");
}

TEST_F(NativeRunner, NoDescriptorOfTheJudgeIsOpenInIt) {
  start("honest", "open_descriptors", 64);
  const auto reply = call();
  ASSERT_TRUE(std::holds_alternative<ReturnedCalls>(reply)) << what(reply);
  for (int64_t fd = 0; fd < 64; ++fd) EXPECT_EQ(out.tensor[fd].item<float>(), fd < 4 ? 1.f : 0.f) << fd;
}

TEST_F(NativeRunner, WithoutNamespacesOrAnyLayerItRunsTheSame) {
  const Layers available = options.layers;
  for (const Layers& layers : {Layers{false, available.landlock, available.seccomp, true}, Layers{false, false, false, true}}) {
    options.layers = layers;
    start("failing", "reads_behind");
    const auto reply = call();
    ASSERT_TRUE(std::holds_alternative<Died>(reply)) << layers.level() << " " << what(reply);
    EXPECT_EQ(std::get<Died>(reply).signal, SIGSEGV);
    EXPECT_TRUE(std::get<Died>(reply).fault);
  }
}

TEST_F(NativeRunner, StartingTakesATimeThatIsKnown) {
  start("honest", "print_hello");
  EXPECT_GT(runner->start_seconds(), 0);
}

}  // namespace
}  // namespace kbx
