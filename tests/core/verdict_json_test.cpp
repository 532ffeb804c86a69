// SPDX-License-Identifier: Apache-2.0
#include "core/verdict_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/exit_status.h"
#include "core/json.h"
#include "verdicts.h"

namespace kbx {
namespace {

using testing::every_outcome;
using testing::verdict_with;

nlohmann::json parsed(const Verdict& v) { return *parse_json(json_line(to_json(v))); }

TEST(VerdictJson, EveryOutcomeComesBackWithEveryField) {
  for (const Outcome& outcome : every_outcome()) {
    Verdict v = verdict_with(outcome);
    v.paper_gate = true;  // unlike full_gate
    const nlohmann::json once = parsed(v);
    const Result<Verdict> back = verdict_from_json(once);
    ASSERT_TRUE(back.ok()) << outcome_name(outcome) << ": " << back.error().text();
    EXPECT_EQ(back->outcome.index(), outcome.index());
    EXPECT_EQ(parsed(*back), once) << outcome_name(outcome);
  }
}

TEST(VerdictJson, StableFieldsHaveTheirDocumentedNamesAndTypes) {
  const nlohmann::json j = parsed(verdict_with(testing::timed_correct()));
  EXPECT_EQ(j["candidate"], "Activation/gelu.py");
  EXPECT_EQ(j["language"], "cuda");
  EXPECT_EQ(j["outcome"], "correct");
  EXPECT_EQ(j["accuracy"], "fp32");
  EXPECT_EQ(j["authorship"], "mixed");
  EXPECT_EQ(j["speedup"], nlohmann::json::parse(R"({"value": 2.0, "low": 1.9, "high": 2.1})"));
  EXPECT_EQ(j["utilisation"], 0.625);
  EXPECT_EQ(j["diagnosis"],
            nlohmann::json::parse(R"([{"pattern": "last_block", "evidence": "rows 960 to 999", "advice": "mask the tail"}])"));
  EXPECT_EQ(j["provenance"]["seed"], 18446744073709551615u);
}

TEST(VerdictJson, DetailIsAnObjectEvenWithASingleField) {
  EXPECT_EQ(parsed(verdict_with(Unreadable{"r"}))["detail"], nlohmann::json::parse(R"({"reason": "r"})"));
  EXPECT_EQ(parsed(verdict_with(Dishonest{{"a", "b"}}))["detail"], nlohmann::json::parse(R"({"evidence": ["a", "b"]})"));
}

TEST(VerdictJson, NothingIsSaidAboutAccuracyAndSpeedWhereTheyMeanNothing) {
  const nlohmann::json j = parsed(verdict_with(Crashed{"SIGSEGV", ""}));
  EXPECT_TRUE(j["accuracy"].is_null());
  EXPECT_TRUE(j["authorship"].is_null());
  EXPECT_TRUE(j["speedup"].is_null());
  EXPECT_EQ(parsed(verdict_with(testing::wrong()))["accuracy"], "tf32");
}

TEST(VerdictJson, ATimeThatIsNotBelievedGivesNoSpeedupAndNoUtilisation) {
  Correct quarantined = testing::quarantined_correct(), withheld = testing::timed_correct();
  quarantined.efficiency->speedup = Interval{9, 8, 10};  // even where somebody left it standing
  withheld.efficiency->withheld = "the judge's clock says otherwise";
  for (const Correct& c : {quarantined, withheld}) {
    const nlohmann::json j = parsed(verdict_with(c));
    EXPECT_TRUE(j["speedup"].is_null());
    EXPECT_TRUE(j["utilisation"].is_null());
    EXPECT_EQ(j["detail"]["efficiency"]["utilisation"], 0.625);  // what was measured stays for those who look
  }
}

// What a ledger of format 1 holds, word for word.
TEST(VerdictJson, AnEfficiencyOfFormat1IsStillRead) {
  nlohmann::json j = parsed(verdict_with(testing::timed_correct()));
  j["utilisation"] = nullptr;
  j["detail"]["efficiency"] = nlohmann::json::parse(R"({
    "cases": [{"line": "input=randn[64]", "baseline_seconds": 0.002, "candidate_seconds": 0.001,
               "speedup": {"value": 2.0, "low": 1.9, "high": 2.1}, "class": "faster", "samples": 40}],
    "speedup": {"value": 2.0, "low": 1.9, "high": 2.1}, "withheld": ""})");
  const Result<Verdict> back = verdict_from_json(j);
  ASSERT_TRUE(back.ok()) << back.error().text();
  const Efficiency& e = *std::get<Correct>(back->outcome).efficiency;
  EXPECT_EQ(e.cases.at(0).samples, 40);
  EXPECT_EQ(e.speedup->value, 2);
  EXPECT_FALSE(e.utilisation || e.cases[0].roofline || e.cases[0].call_speedup);
  EXPECT_EQ(e.caches, "warm");  // none were flushed then
}

TEST(VerdictJson, NonFiniteNumbersAreKept) {
  Wrong w = testing::wrong();
  w.actual = std::numeric_limits<double>::quiet_NaN();
  w.expected = -std::numeric_limits<double>::infinity();
  w.error = std::numeric_limits<double>::infinity();
  const Result<Verdict> back = verdict_from_json(parsed(verdict_with(w)));
  ASSERT_TRUE(back.ok()) << back.error().text();
  const Wrong& b = std::get<Wrong>(back->outcome);
  EXPECT_TRUE(std::isnan(b.actual));
  EXPECT_EQ(b.expected, w.expected);
  EXPECT_EQ(b.error, w.error);
}

TEST(VerdictJson, AnyBytesOfACandidateBecomeValidJson) {
  Verdict v = verdict_with(Crashed{"raised \xff\xfe", "case \xc3"});
  v.log = std::string("zero \0 escape \x1b[31m \xed\xa0\x80", 22);
  v.candidate = "caf\xe9.py";
  const Result<Verdict> back = verdict_from_json(parsed(v));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->candidate, "caf\uFFFD.py");
  EXPECT_EQ(std::get<Crashed>(back->outcome).how, "raised \uFFFD\uFFFD");
}

TEST(VerdictJson, AMissingOrMistypedFieldIsNamed) {
  nlohmann::json j = parsed(verdict_with(Unreadable{"r"}));
  j.erase("entry");
  EXPECT_NE(verdict_from_json(j).error().message.find("no field `entry`"), std::string::npos);
  j["entry"] = 3;
  EXPECT_NE(verdict_from_json(j).error().message.find("`entry` has another type"), std::string::npos);
  j["entry"] = "";
  j["outcome"] = "splendid";
  EXPECT_NE(verdict_from_json(j).error().message.find("`splendid`"), std::string::npos);
  EXPECT_FALSE(verdict_from_json(nlohmann::json::array()).ok());
}

TEST(Outcome, ExitStatusTellsOutcomesApart) {
  const std::vector<int> expected{3, 3, 4, 4, 4, 1, 1, 0, 0, 5};  // docs/verdicts.md
  const auto outcomes = every_outcome();
  for (size_t i = 0; i < outcomes.size(); ++i) EXPECT_EQ(exit_status(outcomes[i]), expected[i]) << outcome_name(outcomes[i]);
}

TEST(Outcome, SummaryIsOneLineAndNamesTheCase) {
  EXPECT_EQ(outcome_summary(Crashed{"raised ValueError:\nbad", "boundary: input=randn[0]"}),
            "raised ValueError: bad (at boundary: input=randn[0])");
  EXPECT_EQ(outcome_summary(TimedOut{"c", 8}), "no answer within 8 s (at c)");
  EXPECT_EQ(outcome_summary(testing::timed_correct()), "fp32, mixed, 2.00x [1.90, 2.10]");
  EXPECT_NE(outcome_summary(testing::wrong()).find("last_block: off by one"), std::string::npos);
}

TEST(Outcome, AWithheldSpeedupSaysWhy) {
  Correct c = testing::timed_correct();
  c.efficiency->speedup.reset();
  c.efficiency->withheld = "the clocks disagree";
  EXPECT_EQ(outcome_summary(c), "fp32, mixed, speedup withheld: the clocks disagree");
  EXPECT_EQ(outcome_summary(testing::quarantined_correct()),
            "fp32, mixed, quarantined: 12 us, at least 40 us on input=randn[64]");
}

}  // namespace
}  // namespace kbx
