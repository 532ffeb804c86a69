// SPDX-License-Identifier: Apache-2.0
#include "ledger/database.h"

#include <fmt/format.h>

namespace kbx::ledger {
namespace {

constexpr uintmax_t kSmallestLedger = 64 << 10;

bool disk_is_full(const std::string& path) {
  std::error_code error;
  const auto space = std::filesystem::space(std::filesystem::path(path).parent_path(), error);
  return !error && space.available < kSmallestLedger;
}

// What SQLite says, as a message about the ledger, with what to do.
Error trouble(sqlite3* db, const std::string& path) {
  const int code = sqlite3_extended_errcode(db);
  const std::string what = sqlite3_errmsg(db);
  const std::string again = "run the same command again: it resumes";
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return {"the disk is full: cannot write " + path, "free some space, then " + again};
    case SQLITE_IOERR:  // also for a WAL index that does not fit
      if (disk_is_full(path)) return {"the disk is full: cannot write " + path, "free some space, then " + again};
      return {"cannot read or write " + path + ": " + what, "check the disk and its free space, then " + again};
    case SQLITE_READONLY:
      return {path + " cannot be written: it or its folder is read-only", "choose another folder, or chmod u+w it"};
    case SQLITE_CANTOPEN:
      return {"cannot open " + path, "check that its folder exists and that you may write there"};
    case SQLITE_NOTADB:
      return {path + " is not a ledger: not a SQLite file", "choose another folder, or move the file away"};
    case SQLITE_CORRUPT:
      return {path + " is damaged: " + what, "move it away and run again"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {path + " is in use by another program", "wait until it has ended"};
    default:
      return {fmt::format("{}: {} (SQLite {})", path, what, code), ""};
  }
}

}  // namespace

Statement& Statement::text(const std::string& value) {
  KBX_CHECK_EQ(SQLITE_OK,
               sqlite3_bind_text64(handle_.get(), ++bound_, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::text_or_null(const std::optional<std::string>& value) {
  if (value) return text(*value);
  KBX_CHECK_EQ(SQLITE_OK, sqlite3_bind_null(handle_.get(), ++bound_));
  return *this;
}

Statement& Statement::integer(int64_t value) {
  KBX_CHECK_EQ(SQLITE_OK, sqlite3_bind_int64(handle_.get(), ++bound_, value));
  return *this;
}

Statement& Statement::real(double value) {
  KBX_CHECK_EQ(SQLITE_OK, sqlite3_bind_double(handle_.get(), ++bound_, value));
  return *this;
}

Statement& Statement::real_or_null(const std::optional<double>& value) {
  if (value) return real(*value);
  KBX_CHECK_EQ(SQLITE_OK, sqlite3_bind_null(handle_.get(), ++bound_));
  return *this;
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return trouble(sqlite3_db_handle(handle_.get()), *path_);
}

Status Statement::run() {
  const Result<bool> stepped = step();
  if (!stepped) return stepped.error();
  return Done{};
}

void Statement::reset() {
  sqlite3_reset(handle_.get());
  sqlite3_clear_bindings(handle_.get());
  bound_ = 0;
}

std::string Statement::column_text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  return text ? std::string(text, static_cast<size_t>(sqlite3_column_bytes(handle_.get(), column))) : "";
}

Result<Database> Database::open(const std::filesystem::path& file, int flags, bool immutable) {
  Database out;
  out.path_ = std::make_unique<std::string>(file.string());
  std::string name = file.string();
  if (immutable) {
    std::string escaped;
    for (char c : name) escaped += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02x}", c) : std::string(1, c);
    name = "file:" + escaped + "?immutable=1";
    flags |= SQLITE_OPEN_URI;
  }
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
  out.handle_.reset(handle);
  if (!handle) return Error{"no memory to open " + file.string(), ""};
  if (code != SQLITE_OK) return trouble(handle, *out.path_);
  sqlite3_busy_timeout(handle, 5000);
  return out;
}

Status Database::execute(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return trouble(handle_.get(), *path_);
  return Done{};
}

Result<Statement> Database::prepare(const char* sql) const {
  sqlite3_stmt* handle = nullptr;
  if (sqlite3_prepare_v2(handle_.get(), sql, -1, &handle, nullptr) != SQLITE_OK) return trouble(handle_.get(), *path_);
  Statement out;
  out.handle_.reset(handle);
  out.path_ = path_.get();
  return out;
}

Result<int64_t> Database::integer(const char* sql) const {
  Result<Statement> statement = prepare(sql);
  if (!statement) return statement.error();
  const Result<bool> row = statement->step();
  if (!row) return row.error();
  return *row ? statement->column_integer(0) : 0;
}

Status Transaction::begin() {
  Status begun = database_->execute("BEGIN IMMEDIATE");
  open_ = begun.ok();
  return begun;
}

Status Transaction::commit() {
  Status committed = database_->execute("COMMIT");
  if (committed) open_ = false;
  return committed;
}

Transaction::~Transaction() {
  if (open_) (void)database_->execute("ROLLBACK");  // SQLite has rolled back by itself after some errors
}

}  // namespace kbx::ledger
