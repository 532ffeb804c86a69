// SPDX-License-Identifier: Apache-2.0
// A ledger that an earlier kbx wrote: read as it is, brought to today's tables by the next run that writes to it.
#include <gmock/gmock.h>

#include "core/json.h"
#include "core/verdict_json.h"
#include "fixture.h"

namespace kbx {
namespace {

// The tables as format 1 had them.
constexpr const char* kFormat1 = R"sql(
CREATE TABLE run(
  id INTEGER PRIMARY KEY CHECK (id = 1), submission TEXT NOT NULL, seed INTEGER NOT NULL, policy TEXT NOT NULL, gate TEXT NOT NULL,
  device TEXT NOT NULL, environment TEXT NOT NULL, kbx_version TEXT NOT NULL, candidates INTEGER NOT NULL, created TEXT NOT NULL,
  finished TEXT
);
CREATE TABLE verdict(
  candidate TEXT PRIMARY KEY, task TEXT NOT NULL, category TEXT NOT NULL,
  language TEXT NOT NULL CHECK (language IN ('triton', 'cuda', 'cpp')),
  key TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('unreadable', 'build_failed', 'crashed', 'timed_out', 'out_of_memory', 'wrong',
                                           'dishonest', 'correct', 'not_judged')),
  paper_gate INTEGER NOT NULL CHECK (paper_gate IN (0, 1)),
  full_gate INTEGER NOT NULL CHECK (full_gate IN (0, 1)),
  accuracy TEXT, authorship TEXT,
  speedup REAL, speedup_low REAL, speedup_high REAL,
  judged TEXT NOT NULL, json TEXT NOT NULL,
  CHECK ((accuracy IS NOT NULL) = (outcome IN ('wrong', 'correct'))),
  CHECK ((authorship IS NOT NULL) = (outcome = 'correct')),
  CHECK (speedup IS NULL OR outcome = 'correct'),
  CHECK ((speedup IS NULL) = (speedup_low IS NULL) AND (speedup IS NULL) = (speedup_high IS NULL)),
  CHECK (speedup IS NULL OR (0 < speedup_low AND speedup_low <= speedup AND speedup <= speedup_high)),
  CHECK (full_gate <= paper_gate),
  CHECK (outcome <> 'correct' OR paper_gate = 1),
  CHECK (outcome NOT IN ('unreadable', 'build_failed') OR paper_gate = 0)
) WITHOUT ROWID;
CREATE TABLE sample(
  candidate TEXT NOT NULL REFERENCES verdict(candidate) ON DELETE CASCADE,
  line TEXT NOT NULL,
  side TEXT NOT NULL CHECK (side IN ('baseline', 'candidate')),
  block INTEGER NOT NULL,
  seconds REAL NOT NULL CHECK (seconds >= 0)
);
CREATE INDEX sample_candidate ON sample(candidate);
CREATE TABLE stage_time(
  candidate TEXT NOT NULL REFERENCES verdict(candidate) ON DELETE CASCADE,
  stage TEXT NOT NULL,
  seconds REAL NOT NULL CHECK (seconds >= 0)
);
CREATE INDEX stage_time_candidate ON stage_time(candidate);
INSERT INTO run VALUES (1, '/s', 7, 'oracle', 'full', 'cpu', 'e', '0', 2, '2026-01-01T00:00:00Z', NULL);
INSERT INTO sample VALUES ('a', 'input=randn[64]', 'baseline', 3, 0.002), ('a', 'input=randn[64]', 'candidate', 3, 0.001);
INSERT INTO stage_time VALUES ('a', 'build', 0.5);
PRAGMA application_id = 0x6b627831;
PRAGMA user_version = 1;
)sql";

class OlderFormat : public testing::InFolder {
 protected:
  OlderFormat() {
    Verdict v = testing::verdict_with(testing::timed_correct(), "a");
    v.paper_gate = true;
    nlohmann::json json = *parse_json(json_line(to_json(v)));
    json["utilisation"] = nullptr;
    nlohmann::json& efficiency = json["detail"]["efficiency"];
    const auto keep = [](nlohmann::json& object, std::vector<const char*> fields) {
      nlohmann::json kept;
      for (const char* field : fields) kept[field] = object[field];
      object = kept;
    };
    keep(efficiency, {"cases", "speedup", "withheld"});
    keep(efficiency["cases"][0], {"line", "baseline_seconds", "candidate_seconds", "speedup", "class", "samples"});

    std::filesystem::create_directories(dir_);
    sqlite3* db = nullptr;
    sqlite3_stmt* insert = nullptr;
    EXPECT_EQ(SQLITE_OK, sqlite3_open((dir_ / "ledger.sqlite").c_str(), &db));
    EXPECT_EQ(SQLITE_OK, sqlite3_exec(db, kFormat1, nullptr, nullptr, nullptr)) << sqlite3_errmsg(db);
    const char* sql =
        "INSERT INTO verdict VALUES ('a', 'gelu', 'Activation', 'cuda', 'k', 'correct', 1, 0, 'fp32', 'mixed', 2, 1.9, 2.1, '', "
        "?)";
    EXPECT_EQ(SQLITE_OK, sqlite3_prepare_v2(db, sql, -1, &insert, nullptr)) << sqlite3_errmsg(db);
    const std::string text = json.dump();
    sqlite3_bind_text(insert, 1, text.c_str(), -1, SQLITE_TRANSIENT);
    EXPECT_EQ(SQLITE_DONE, sqlite3_step(insert)) << sqlite3_errmsg(db);
    sqlite3_finalize(insert);
    sqlite3_close(db);
  }
};

TEST_F(OlderFormat, IsReadAsItIs) {
  const auto ledger = Ledger::open(dir_, Ledger::Open::read);
  ASSERT_TRUE(ledger.ok()) << ledger.error().text();
  const auto verdicts = ledger->verdicts();
  ASSERT_TRUE(verdicts.ok()) << verdicts.error().text();
  ASSERT_EQ(verdicts->size(), 1u);
  EXPECT_EQ(speedup_of(verdicts->front().outcome)->value, 2);
  EXPECT_EQ(count("PRAGMA user_version"), 1);
}

TEST_F(OlderFormat, IsContinuedWithoutLosingAnything) {
  {
    Ledger ledger = open();
    EXPECT_EQ((*ledger.run())->seed, 7u);
    ASSERT_TRUE(ledger.find("a", "k")->has_value());  // a resumed run does not judge it again
    EXPECT_EQ(count("SELECT count(*) FROM sample WHERE candidate = 'a' AND clock = 'judge' AND process = 0 AND block = 3"
                    " AND discarded = 0 AND seconds = CASE side WHEN 'baseline' THEN 0.002 ELSE 0.001 END"),
              2);
    EXPECT_EQ(count("SELECT count(*) FROM stage_time"), 1);
    Verdict v = testing::verdict_with(testing::timed_correct(), "b");
    v.paper_gate = true;
    ASSERT_TRUE(ledger.record(v, "k", {{"line", "compile", "gpu", 0, 0, 1e-3}}).ok());
  }
  EXPECT_EQ(count("PRAGMA user_version"), 2);
  EXPECT_EQ(count("SELECT count(*) FROM sqlite_master WHERE name LIKE 'sample%'"), 2);  // the table and its index
  Ledger again = open();
  EXPECT_EQ(again.verdicts()->size(), 2u);
  ASSERT_TRUE(again.keep_only({"b"}).ok());
  EXPECT_EQ(count("SELECT count(*) FROM sample"), 1);  // samples still go with their verdict
}

}  // namespace
}  // namespace kbx
