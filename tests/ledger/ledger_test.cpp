// SPDX-License-Identifier: Apache-2.0
#include "ledger/ledger.h"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include "core/json.h"
#include "core/verdict_json.h"
#include "fixture.h"

namespace kbx {
namespace {

using ::testing::ElementsAre;
using testing::every_outcome;
using ::testing::HasSubstr;
using testing::verdict_with;

using LedgerTest = testing::InFolder;

std::string text(const Verdict& v) { return json_line(to_json(v)); }

TEST_F(LedgerTest, EveryOutcomeComesBackAfterReopening) {
  std::vector<std::string> written;
  {
    Ledger ledger = open();
    int n = 0;
    for (const Outcome& outcome : every_outcome()) {
      Verdict v = verdict_with(outcome, "c" + std::to_string(n++));
      v.paper_gate = std::holds_alternative<Correct>(outcome);
      written.push_back(text(v));
      ASSERT_TRUE(ledger.record(v, "k").ok());
    }
  }
  const auto verdicts = Ledger::open(dir_, Ledger::Open::read)->verdicts();
  ASSERT_TRUE(verdicts.ok());
  ASSERT_EQ(verdicts->size(), written.size());
  for (size_t i = 0; i < written.size(); ++i) EXPECT_EQ(text((*verdicts)[i]), written[i]);
}

TEST_F(LedgerTest, FindHeedsTheKey) {
  Ledger ledger = open();
  ASSERT_TRUE(ledger.record(verdict_with(Unreadable{"r"}, "a"), "k1").ok());
  EXPECT_TRUE(ledger.find("a", "k1")->has_value());
  EXPECT_FALSE(ledger.find("a", "k2")->has_value());
  EXPECT_FALSE(ledger.find("b", "k1")->has_value());
}

TEST_F(LedgerTest, JudgingAgainReplacesVerdictSamplesAndTimes) {
  Ledger ledger = open();
  Verdict v = verdict_with(testing::timed_correct(), "a");
  v.paper_gate = v.full_gate = true;
  ASSERT_TRUE(ledger.record(v, "k1", {{"line", "baseline", "gpu", 0, 0, 1e-3}, {"line", "candidate", "gpu", 0, 0, 2e-3}}).ok());
  ASSERT_TRUE(ledger.record(v, "k2", {{"line", "candidate", "pace", 4, 1, 3e-3, true}}).ok());
  EXPECT_EQ(ledger.verdicts()->size(), 1u);
  EXPECT_EQ(count("SELECT count(*) FROM sample"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM sample WHERE side = 'candidate' AND clock = 'pace' AND process = 4 AND block = 1"
                  " AND seconds = 0.003 AND discarded = 1"),
            1);
  EXPECT_EQ(count("SELECT count(*) FROM stage_time"), 2);
}

TEST_F(LedgerTest, AResumedRunKeepsTheSeedAndTheDateOfItsStart) {
  RunInfo info{.submission = "/s",
               .seed = 18446744073709551615u,
               .policy = "oracle",
               .gate = "full",
               .device = "cpu",
               .environment = "e1",
               .kbx_version = "1",
               .candidates = 3,
               .created = "",
               .finished = ""};
  std::string created;
  {
    Ledger ledger = open();
    created = ledger.begin_run(info)->created;
    ASSERT_TRUE(ledger.finish_run().ok());
    EXPECT_FALSE((*ledger.run())->finished.empty());
  }
  info.seed = 7;
  info.environment = "e2";
  Ledger ledger = open();
  const auto resumed = ledger.begin_run(info);
  ASSERT_TRUE(resumed.ok());
  EXPECT_EQ(resumed->seed, 18446744073709551615u);
  EXPECT_EQ(resumed->created, created);
  EXPECT_EQ((*ledger.run())->environment, "e2");
  EXPECT_EQ((*ledger.run())->finished, "");
}

TEST_F(LedgerTest, AnotherPolicyGateDeviceOrSubmissionIsRefused) {
  const RunInfo info{.submission = "/s",
                     .seed = 1,
                     .policy = "oracle",
                     .gate = "full",
                     .device = "cpu",
                     .environment = "",
                     .kbx_version = "",
                     .candidates = 1,
                     .created = "",
                     .finished = ""};
  Ledger ledger = open();
  ASSERT_TRUE(ledger.begin_run(info).ok());
  const auto refused = [&](auto change) {
    RunInfo other = info;
    change(other);
    const auto begun = ledger.begin_run(other);
    return begun.ok() ? std::string("accepted") : begun.error().text();
  };
  EXPECT_THAT(refused([](RunInfo& r) { r.policy = "paper"; }),
              HasSubstr("holds a run with policy oracle, not paper (choose another --out"));
  EXPECT_THAT(refused([](RunInfo& r) { r.gate = "paper"; }), HasSubstr("gate full, not paper"));
  EXPECT_THAT(refused([](RunInfo& r) { r.device = "cuda"; }), HasSubstr("device cpu, not cuda"));
  EXPECT_THAT(refused([](RunInfo& r) { r.submission = "/t"; }), HasSubstr("submission /s, not /t"));
}

TEST_F(LedgerTest, PresenceRulesAreHeldByTheTables) {
  Ledger ledger = open();
  Verdict v = verdict_with(testing::timed_correct(), "a");
  v.paper_gate = false;
  EXPECT_FALSE(ledger.record(v, "k").ok());  // correct, yet not through the paper's gate
  v.paper_gate = true;
  std::get<Correct>(v.outcome).efficiency->speedup = Interval{2, 2.5, 3};  // value outside its interval
  EXPECT_FALSE(ledger.record(v, "k").ok());
  Verdict built = verdict_with(BuildFailed{"r"}, "b");
  built.paper_gate = true;
  EXPECT_FALSE(ledger.record(built, "k").ok());
  EXPECT_TRUE(ledger.verdicts()->empty());
}

TEST_F(LedgerTest, SpeedupAndUtilisationCanBeAskedForInSqlUnlessTheyAreNotBelieved) {
  Ledger ledger = open();
  Verdict v = verdict_with(testing::timed_correct(), "a");
  v.paper_gate = true;
  ASSERT_TRUE(ledger.record(v, "k").ok());
  EXPECT_EQ(count("SELECT count(*) FROM verdict WHERE speedup = 2 AND utilisation = 0.625"), 1);
  v.outcome = testing::quarantined_correct();
  ASSERT_TRUE(ledger.record(v, "k").ok());
  EXPECT_EQ(count("SELECT count(*) FROM verdict WHERE speedup IS NULL AND utilisation IS NULL"), 1);
}

TEST_F(LedgerTest, ASampleOfAnUnknownSideOrClockIsRefused) {
  Ledger ledger = open();
  Verdict v = verdict_with(testing::timed_correct(), "a");
  v.paper_gate = true;
  for (const char* side : {"baseline", "candidate", "compile", "max-autotune"})
    EXPECT_TRUE(ledger.record(v, "k", {{"line", side, "judge", 0, 0, 1e-3}}).ok()) << side;
  EXPECT_FALSE(ledger.record(v, "k", {{"line", "rival", "judge", 0, 0, 1e-3}}).ok());
  EXPECT_FALSE(ledger.record(v, "k", {{"line", "candidate", "wall", 0, 0, 1e-3}}).ok());
}

TEST_F(LedgerTest, AFailedRecordLeavesTheEarlierVerdict) {
  Ledger ledger = open();
  ASSERT_TRUE(ledger.record(verdict_with(Unreadable{"r"}, "a"), "k1").ok());
  ASSERT_FALSE(ledger.record(verdict_with(testing::timed_correct(), "a"), "k2").ok());
  EXPECT_TRUE(ledger.find("a", "k1")->has_value());
  EXPECT_TRUE(ledger.record(verdict_with(Unreadable{"s"}, "b"), "k1").ok());  // no transaction is left open
}

TEST_F(LedgerTest, VerdictsOfCandidatesThatAreGoneCanBeRemoved) {
  Ledger ledger = open();
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(ledger.record(verdict_with(Unreadable{"r"}, id), "k").ok());
  ASSERT_TRUE(ledger.keep_only({"c", "a", "never"}).ok());
  std::vector<std::string> ids;
  const std::vector<Verdict> left = *ledger.verdicts();
  for (const Verdict& v : left) ids.push_back(v.candidate);
  EXPECT_THAT(ids, ElementsAre("a", "c"));
  EXPECT_EQ(count("SELECT count(*) FROM stage_time"), 4);
}

}  // namespace
}  // namespace kbx
