// SPDX-License-Identifier: Apache-2.0
#include "ledger/ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <set>

#include "core/json.h"
#include "core/verdict_json.h"
#include "ledger/database.h"
#include "ledger/schema.h"

namespace kbx {
namespace fs = std::filesystem;
using ledger::Database;
using ledger::Statement;
using ledger::Transaction;

struct Ledger::State {
  Database database;
  int lock = -1;  // descriptor that holds the flock, -1 when reading

  State(Database db, int lock_fd) : database(std::move(db)), lock(lock_fd) {}
  ~State() {
    if (lock >= 0) ::close(lock);
  }
};

namespace {

std::string now() {
  const std::time_t t = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&t, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Status make_folder(const fs::path& dir) {
  std::error_code error;
  fs::create_directories(dir, error);
  if (error && !fs::is_directory(dir))
    return Error{fmt::format("cannot make the folder {}: {}", dir.string(), error.message()), "choose another --out"};
  return Done{};
}

// The descriptor of DIR/lock, locked. The kernel unlocks it when the process ends, however it ends.
Result<int> take_lock(const fs::path& dir) {
  const fs::path file = dir / "lock";
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) {
    const int error = errno;
    if (error == ENOSPC) return Error{"the disk is full: cannot write " + file.string(), "free some space and run again"};
    return Error{fmt::format("the folder {} is not writable: {}", dir.string(), std::strerror(error)),
                 "choose another --out, or chmod u+w it"};
  }
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) {
    const std::string pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(fd, 0) == 0) (void)!::pwrite(fd, pid.data(), pid.size(), 0);
    return fd;
  }
  char pid[32] = {};
  (void)!::pread(fd, pid, sizeof pid - 1, 0);
  ::close(fd);
  pid[std::strcspn(pid, "\n")] = '\0';
  return Error{fmt::format("another run is writing to {}{}", dir.string(), *pid ? fmt::format(" (process {})", pid) : ""),
               "wait until it has ended, or choose another --out"};
}

Status check_format(const Database& database, const fs::path& file) {
  const Result<int64_t> application = database.integer("PRAGMA application_id");
  if (!application) return application.error();
  const Result<int64_t> format = database.integer("PRAGMA user_version");
  if (!format) return format.error();
  if (*application != ledger::kApplication)
    return Error{file.string() + " is not a ledger: a database of another program",
                 "choose another folder, or move the file away"};
  if (*format > ledger::kFormat)
    return Error{
        fmt::format("{} was written by a newer kbx (format {}, this one reads {})", file.string(), *format, ledger::kFormat),
        "update kbx"};
  return Done{};
}

// Runs the statements and stamps the file with this format, all or nothing.
Status define(Database& database, std::initializer_list<const char*> statements) {
  Transaction transaction(database);
  if (Status s = transaction.begin(); !s) return s;
  for (const char* sql : statements)
    if (Status s = database.execute(sql); !s) return s;
  const std::string stamp =
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", ledger::kApplication, ledger::kFormat);
  if (Status s = database.execute(stamp.c_str()); !s) return s;
  return transaction.commit();
}

Result<Database> open_to_write(const fs::path& file) {
  Result<Database> database = Database::open(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, false);
  if (!database) return database;
  const Result<int64_t> tables = database->integer("SELECT count(*) FROM sqlite_master");
  if (!tables) return tables.error();
  if (*tables > 0)
    if (Status s = check_format(*database, file); !s) return s.error();
  // FULL: a recorded verdict survives even a power cut.
  if (Status s = database->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON"); !s)
    return s.error();
  const Result<int64_t> format = database->integer("PRAGMA user_version");
  if (!format) return format.error();
  Status defined = Done{};
  if (*tables == 0)
    defined = define(*database, {ledger::kSchema, ledger::kSampleTable});
  else if (*format == 1)
    defined = define(*database, {ledger::kLeaveFormat1, ledger::kSampleTable, ledger::kMoveSamples});
  if (!defined) return defined.error();
  return database;
}

Result<Database> open_to_read(const fs::path& file) {
  if (!fs::exists(file))
    return Error{"there is no ledger in " + file.parent_path().string(), "it is written by `kbx run SUBMISSION --out DIR`"};
  // In a read-only folder SQLite cannot make the shared index of a WAL; without a writer none is needed.
  const bool immutable = ::access(file.parent_path().c_str(), W_OK) != 0 && !fs::exists(file.string() + "-wal");
  Result<Database> database = Database::open(file, SQLITE_OPEN_READONLY, immutable);
  if (!database) return database;
  if (Status s = check_format(*database, file); !s) return s.error();
  return database;
}

RunInfo read_run(const Statement& row) {
  return {.submission = row.column_text(0),
          .seed = static_cast<uint64_t>(row.column_integer(1)),
          .policy = row.column_text(2),
          .gate = row.column_text(3),
          .device = row.column_text(4),
          .environment = row.column_text(5),
          .kbx_version = row.column_text(6),
          .candidates = row.column_integer(7),
          .created = row.column_text(8),
          .finished = row.column_text(9)};
}

Status same(const char* what, const std::string& is, const std::string& wanted) {
  if (is == wanted) return Done{};
  return Error{fmt::format("the ledger holds a run with {} {}, not {}", what, is, wanted),
               "choose another --out, or run with the same " + std::string(what)};
}

Result<Verdict> parse_verdict(const std::string& text) {
  const Result<nlohmann::json> json = parse_json(text);
  if (!json) return Error{"a verdict in the ledger is damaged: " + json.error().message, ""};
  return verdict_from_json(*json);
}

Status insert_verdict(Database& database, const Verdict& verdict, const std::string& key) {
  const nlohmann::json json = to_json(verdict);
  const Interval* speedup = speedup_of(verdict.outcome);
  const auto optional_text = [&](const char* field) {
    return json[field].is_null() ? std::nullopt : std::optional<std::string>(json[field].get<std::string>());
  };
  const auto bound = [&](double Interval::*part) { return speedup ? std::optional<double>(speedup->*part) : std::nullopt; };
  const auto& used = json["utilisation"];
  Result<Statement> insert = database.prepare(
      "INSERT INTO verdict(candidate, task, category, language, key, outcome, paper_gate, full_gate, accuracy, authorship,"
      " speedup, speedup_low, speedup_high, utilisation, judged, json)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (!insert) return insert.error();
  return insert->text(verdict.candidate)
      .text(verdict.task)
      .text(verdict.category)
      .text(name(verdict.language))
      .text(key)
      .text(outcome_name(verdict.outcome))
      .integer(verdict.paper_gate)
      .integer(verdict.full_gate)
      .text_or_null(optional_text("accuracy"))
      .text_or_null(optional_text("authorship"))
      .real_or_null(bound(&Interval::value))
      .real_or_null(bound(&Interval::low))
      .real_or_null(bound(&Interval::high))
      .real_or_null(used.is_number() ? std::optional<double>(used.get<double>()) : std::nullopt)
      .text(now())
      .text(json_line(to_json(verdict)))
      .run();
}

Status insert_times(Database& database, const Verdict& verdict, const std::vector<TimingSample>& samples) {
  Result<Statement> sample = database.prepare(
      "INSERT INTO sample(candidate, line, side, clock, process, block, seconds, discarded) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  if (!sample) return sample.error();
  for (const TimingSample& s : samples) {
    sample->reset();
    const Status done = sample->text(verdict.candidate)
                            .text(s.line)
                            .text(s.side)
                            .text(s.clock)
                            .integer(s.process)
                            .integer(s.block)
                            .real(s.seconds)
                            .integer(s.discarded)
                            .run();
    if (!done) return done;
  }
  Result<Statement> time = database.prepare("INSERT INTO stage_time(candidate, stage, seconds) VALUES (?, ?, ?)");
  if (!time) return time.error();
  for (const StageTime& t : verdict.times) {
    time->reset();
    if (Status done = time->text(verdict.candidate).text(t.stage).real(t.seconds).run(); !done) return done;
  }
  return Done{};
}

Status remove(Database& database, const std::string& candidate) {
  Result<Statement> statement = database.prepare("DELETE FROM verdict WHERE candidate = ?");
  if (!statement) return statement.error();
  return statement->text(candidate).run();
}

}  // namespace

Ledger::Ledger(std::unique_ptr<State> state) : state_(std::move(state)) {}
Ledger::Ledger(Ledger&&) noexcept = default;
Ledger& Ledger::operator=(Ledger&&) noexcept = default;
Ledger::~Ledger() = default;

Result<Ledger> Ledger::open(const fs::path& dir, Open mode) {
  const fs::path file = dir / "ledger.sqlite";
  if (mode == Open::read) {
    Result<Database> database = open_to_read(file);
    if (!database) return database.error();
    return Ledger(std::make_unique<State>(std::move(*database), -1));
  }
  if (Status made = make_folder(dir); !made) return made.error();
  const Result<int> lock = take_lock(dir);
  if (!lock) return lock.error();
  Result<Database> database = open_to_write(file);
  if (!database) {
    ::close(*lock);
    return database.error();
  }
  return Ledger(std::make_unique<State>(std::move(*database), *lock));
}

Result<std::optional<RunInfo>> Ledger::run() const {
  Result<Statement> select = state_->database.prepare(
      "SELECT submission, seed, policy, gate, device, environment, kbx_version, candidates, created, finished FROM run");
  if (!select) return select.error();
  const Result<bool> row = select->step();
  if (!row) return row.error();
  return *row ? std::optional(read_run(*select)) : std::nullopt;
}

Result<RunInfo> Ledger::begin_run(const RunInfo& wanted) {
  const auto existing = run();
  if (!existing) return existing.error();
  RunInfo info = wanted;
  if (*existing) {
    const RunInfo& is = **existing;
    for (const Status& s : {same("policy", is.policy, wanted.policy), same("gate", is.gate, wanted.gate),
                            same("device", is.device, wanted.device), same("submission", is.submission, wanted.submission)})
      if (!s) return s.error();
    info.seed = is.seed;
    info.created = is.created;
  } else {
    info.created = now();
  }
  info.finished.clear();
  Result<Statement> put = state_->database.prepare(
      "INSERT OR REPLACE INTO run(id, submission, seed, policy, gate, device, environment, kbx_version, candidates, created, "
      "finished)"
      " VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)");
  if (!put) return put.error();
  const Status done = put->text(info.submission)
                          .integer(static_cast<int64_t>(info.seed))
                          .text(info.policy)
                          .text(info.gate)
                          .text(info.device)
                          .text(info.environment)
                          .text(info.kbx_version)
                          .integer(info.candidates)
                          .text(info.created)
                          .run();
  if (!done) return done.error();
  return info;
}

Status Ledger::finish_run() {
  Result<Statement> update = state_->database.prepare("UPDATE run SET finished = ?");
  if (!update) return update.error();
  return update->text(now()).run();
}

Result<std::optional<Verdict>> Ledger::find(const std::string& candidate, const std::string& key) const {
  Result<Statement> select = state_->database.prepare("SELECT json FROM verdict WHERE candidate = ? AND key = ?");
  if (!select) return select.error();
  const Result<bool> row = select->text(candidate).text(key).step();
  if (!row) return row.error();
  if (!*row) return std::optional<Verdict>();
  Result<Verdict> verdict = parse_verdict(select->column_text(0));
  if (!verdict) return verdict.error();
  return std::optional(std::move(*verdict));
}

Status Ledger::record(const Verdict& verdict, const std::string& key, const std::vector<TimingSample>& samples) {
  Transaction transaction(state_->database);
  if (Status s = transaction.begin(); !s) return s;
  if (Status s = remove(state_->database, verdict.candidate); !s) return s;
  if (Status s = insert_verdict(state_->database, verdict, key); !s) return s;
  if (Status s = insert_times(state_->database, verdict, samples); !s) return s;
  return transaction.commit();
}

Result<std::vector<Verdict>> Ledger::verdicts() const {
  Result<Statement> select = state_->database.prepare("SELECT json FROM verdict ORDER BY task, candidate");
  if (!select) return select.error();
  std::vector<Verdict> out;
  for (;;) {
    const Result<bool> row = select->step();
    if (!row) return row.error();
    if (!*row) return out;
    Result<Verdict> verdict = parse_verdict(select->column_text(0));
    if (!verdict) return verdict.error();
    out.push_back(std::move(*verdict));
  }
}

Status Ledger::keep_only(const std::vector<std::string>& candidates) {
  const std::set<std::string> kept(candidates.begin(), candidates.end());
  std::vector<std::string> removed;
  Result<Statement> select = state_->database.prepare("SELECT candidate FROM verdict");
  if (!select) return select.error();
  for (;;) {
    const Result<bool> row = select->step();
    if (!row) return row.error();
    if (!*row) break;
    if (std::string id = select->column_text(0); !kept.count(id)) removed.push_back(std::move(id));
  }
  select->reset();
  Transaction transaction(state_->database);
  if (Status s = transaction.begin(); !s) return s;
  for (const std::string& id : removed)
    if (Status s = remove(state_->database, id); !s) return s;
  return transaction.commit();
}

}  // namespace kbx
