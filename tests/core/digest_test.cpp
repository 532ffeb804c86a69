// SPDX-License-Identifier: Apache-2.0
#include "core/digest.h"

#include <gtest/gtest.h>

namespace kbx {
namespace {

// FIPS 180-2, appendix B.
TEST(DigestTest, AgreesWithTheStandardsExamples) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(DigestTest, TextAfterAZeroByteCounts) { EXPECT_NE(sha256_hex({"a\0b", 3}), sha256_hex({"a\0c", 3})); }

}  // namespace
}  // namespace kbx
