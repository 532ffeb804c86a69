# SPDX-License-Identifier: Apache-2.0
# Libraries of the system (Debian packages, see the table in README.md).
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(seccomp REQUIRED IMPORTED_TARGET libseccomp)
if(KBX_TESTS)
  find_package(GTest REQUIRED)
endif()
