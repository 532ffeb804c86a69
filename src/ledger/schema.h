// SPDX-License-Identifier: Apache-2.0
// The tables of a ledger. Internal; docs/ledger.md explains them. Outcomes' presence rules are CHECKs, so that no program
// can store, say, a speedup of something that is not correct.
#pragma once

namespace kbx::ledger {

// PRAGMA user_version. A change of the tables raises it.
constexpr int kFormat = 2;
// PRAGMA application_id: "kbx1".
constexpr int kApplication = 0x6b627831;

constexpr const char* kSchema = R"sql(
CREATE TABLE run(
  id INTEGER PRIMARY KEY CHECK (id = 1),
  submission TEXT NOT NULL,
  seed INTEGER NOT NULL,               -- the 64 bits, as a signed number
  policy TEXT NOT NULL,
  gate TEXT NOT NULL,
  device TEXT NOT NULL,
  environment TEXT NOT NULL,
  kbx_version TEXT NOT NULL,
  candidates INTEGER NOT NULL,
  created TEXT NOT NULL,
  finished TEXT                        -- NULL while unfinished
);
CREATE TABLE verdict(
  candidate TEXT PRIMARY KEY,
  task TEXT NOT NULL,
  category TEXT NOT NULL,
  language TEXT NOT NULL CHECK (language IN ('triton', 'cuda', 'cpp')),
  key TEXT NOT NULL,                   -- digest of all that decides the verdict
  outcome TEXT NOT NULL CHECK (outcome IN ('unreadable', 'build_failed', 'crashed', 'timed_out', 'out_of_memory', 'wrong',
                                           'dishonest', 'correct', 'not_judged')),
  paper_gate INTEGER NOT NULL CHECK (paper_gate IN (0, 1)),
  full_gate INTEGER NOT NULL CHECK (full_gate IN (0, 1)),
  accuracy TEXT,
  authorship TEXT,
  speedup REAL, speedup_low REAL, speedup_high REAL,
  utilisation REAL CHECK (utilisation IS NULL OR (utilisation >= 0 AND speedup IS NOT NULL)),
  judged TEXT NOT NULL,
  json TEXT NOT NULL,                  -- the whole verdict
  CHECK ((accuracy IS NOT NULL) = (outcome IN ('wrong', 'correct'))),
  CHECK ((authorship IS NOT NULL) = (outcome = 'correct')),
  CHECK (speedup IS NULL OR outcome = 'correct'),
  CHECK ((speedup IS NULL) = (speedup_low IS NULL) AND (speedup IS NULL) = (speedup_high IS NULL)),
  CHECK (speedup IS NULL OR (0 < speedup_low AND speedup_low <= speedup AND speedup <= speedup_high)),
  CHECK (full_gate <= paper_gate),
  CHECK (outcome <> 'correct' OR paper_gate = 1),
  CHECK (outcome NOT IN ('unreadable', 'build_failed') OR paper_gate = 0)
) WITHOUT ROWID;
CREATE TABLE stage_time(
  candidate TEXT NOT NULL REFERENCES verdict(candidate) ON DELETE CASCADE,
  stage TEXT NOT NULL,
  seconds REAL NOT NULL CHECK (seconds >= 0)
);
CREATE INDEX stage_time_candidate ON stage_time(candidate);
)sql";

constexpr const char* kSampleTable = R"sql(
CREATE TABLE sample(
  candidate TEXT NOT NULL REFERENCES verdict(candidate) ON DELETE CASCADE,
  line TEXT NOT NULL,                  -- the perf case
  side TEXT NOT NULL CHECK (side IN ('baseline', 'candidate', 'compile', 'max-autotune')),
  clock TEXT NOT NULL CHECK (clock IN ('judge', 'gpu', 'pace')),
  process INTEGER NOT NULL CHECK (process >= 0),
  block INTEGER NOT NULL CHECK (block >= 0),
  seconds REAL NOT NULL CHECK (seconds >= 0),
  discarded INTEGER NOT NULL CHECK (discarded IN (0, 1))
);
CREATE INDEX sample_candidate ON sample(candidate);
)sql";

// Format 1 had no utilisation, and samples by the judge's clock alone, their blocks counted on from process to process.
// SQLite cannot change a CHECK, so that the samples move: these two steps, with kSampleTable between them.
constexpr const char* kLeaveFormat1 = R"sql(
ALTER TABLE verdict ADD COLUMN utilisation REAL CHECK (utilisation IS NULL OR (utilisation >= 0 AND speedup IS NOT NULL));
DROP INDEX sample_candidate;
ALTER TABLE sample RENAME TO sample_1;
)sql";
constexpr const char* kMoveSamples = R"sql(
INSERT INTO sample SELECT candidate, line, side, 'judge', 0, block, seconds, 0 FROM sample_1;
DROP TABLE sample_1;
)sql";

}  // namespace kbx::ledger
