// SPDX-License-Identifier: Apache-2.0
// CHECKs for bugs: a failed one prints file, line, the expression and its operands, and aborts.
#pragma once

#include <sstream>
#include <string>

namespace kbx {

// Prints "file:line: check failed: what" to stderr and aborts. Safe from any thread.
[[noreturn]] void check_failed(const char* file, int line, const std::string& what);

template <typename A, typename B>
std::string check_operands(const char* expression, const A& a, const B& b) {
  std::ostringstream out;
  out << expression << " (" << a << " vs. " << b << ")";
  return out.str();
}

}  // namespace kbx

#define KBX_CHECK(condition)                                               \
  do {                                                                     \
    if (!(condition)) ::kbx::check_failed(__FILE__, __LINE__, #condition); \
  } while (false)

#define KBX_CHECK_OP(op, a, b)                                                                                     \
  do {                                                                                                             \
    const auto& kbx_check_a = (a);                                                                                 \
    const auto& kbx_check_b = (b);                                                                                 \
    if (!(kbx_check_a op kbx_check_b))                                                                             \
      ::kbx::check_failed(__FILE__, __LINE__, ::kbx::check_operands(#a " " #op " " #b, kbx_check_a, kbx_check_b)); \
  } while (false)

#define KBX_CHECK_EQ(a, b) KBX_CHECK_OP(==, a, b)
#define KBX_CHECK_NE(a, b) KBX_CHECK_OP(!=, a, b)
#define KBX_CHECK_LT(a, b) KBX_CHECK_OP(<, a, b)
#define KBX_CHECK_LE(a, b) KBX_CHECK_OP(<=, a, b)
#define KBX_CHECK_GT(a, b) KBX_CHECK_OP(>, a, b)
#define KBX_CHECK_GE(a, b) KBX_CHECK_OP(>=, a, b)
