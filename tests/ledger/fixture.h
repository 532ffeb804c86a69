// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <stdlib.h>

#include <filesystem>

#include "core/verdicts.h"
#include "ledger/ledger.h"

namespace kbx::testing {

class InFolder : public ::testing::Test {
 protected:
  InFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "kbx-ledger-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    dir_ = root_ / "run";
  }
  ~InFolder() override { std::filesystem::remove_all(root_); }

  Ledger open() {
    Result<Ledger> ledger = Ledger::open(dir_, Ledger::Open::write);
    KBX_CHECK_EQ("", ledger.ok() ? "" : ledger.error().text());
    return std::move(*ledger);
  }

  // One number out of the file, by another connection.
  int64_t count(const char* sql) {
    sqlite3* db = nullptr;
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(SQLITE_OK, sqlite3_open((dir_ / "ledger.sqlite").c_str(), &db));
    EXPECT_EQ(SQLITE_OK, sqlite3_prepare_v2(db, sql, -1, &statement, nullptr));
    EXPECT_EQ(SQLITE_ROW, sqlite3_step(statement));
    const int64_t n = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return n;
  }

  std::filesystem::path root_, dir_;
};

}  // namespace kbx::testing
