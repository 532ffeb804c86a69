// SPDX-License-Identifier: Apache-2.0
// A thin owner of a SQLite connection and of prepared statements. Internal to the ledger.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/result.h"

namespace kbx::ledger {

// One execution of one statement: bind in order, then step. Use from one thread.
class Statement {
 public:
  Statement& text(const std::string& value);
  Statement& text_or_null(const std::optional<std::string>& value);
  Statement& integer(int64_t value);
  Statement& real(double value);
  Statement& real_or_null(const std::optional<double>& value);

  // True: a row is there. Error: SQLite's, with a remedy.
  Result<bool> step();
  // Steps once and expects no row.
  Status run();
  // Ready to be bound anew.
  void reset();

  std::string column_text(int column) const;
  int64_t column_integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  const std::string* path_ = nullptr;
  int bound_ = 0;
};

class Database {
 public:
  // Error: names the file and the remedy.
  static Result<Database> open(const std::filesystem::path& file, int flags, bool immutable);

  // Several statements without parameters.
  Status execute(const char* sql);
  // REQUIRES: one statement. Error: the file is no database, or lacks the table.
  Result<Statement> prepare(const char* sql) const;
  // Runs a statement without parameters that yields one integer.
  Result<int64_t> integer(const char* sql) const;

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close(db); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
  std::unique_ptr<std::string> path_;  // its address outlives moves: statements point to it
};

// One transaction: rolled back by the destructor unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(&database) {}
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Status begin();
  Status commit();

 private:
  Database* database_;
  bool open_ = false;
};

}  // namespace kbx::ledger
