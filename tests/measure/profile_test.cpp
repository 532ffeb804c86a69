// SPDX-License-Identifier: Apache-2.0
#include "measure/profile.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace kbx {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

DeviceProfile example() {
  DeviceProfile p;
  p.device = "NVIDIA H200";
  p.gpu = true;
  p.environment = "torch 2.11.0, driver API 13000";
  p.measured = "2026-01-02T03:04:05Z";
  p.bandwidth = {{16384, 1.5e9, 2.5e9, 3.5e9, 4.5e9}, {4294967296, 4.1e12, 4.2e12, 4.3e12, 4.4e12}};
  p.matrix = {{"fp32", 5.1e13}, {"bf16", 7.3e14}};
  p.vector = 5.1e13;
  p.launch_seconds = 1.875e-6;
  p.call_seconds = 8.5e-6;
  p.noise = {{"gpu", {0.0125, 9}}, {"pace", {0.05, 7}}};
  return p;
}

class Profile : public ::testing::Test {
 protected:
  Profile() {
    std::string name = (fs::temp_directory_path() / "kbx-profile-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    ::setenv("XDG_DATA_HOME", folder_.c_str(), 1);
  }
  ~Profile() override { fs::remove_all(folder_); }

  // What is said of a file in which the value at a place of `example` is another one.
  std::string said_of(const std::string& pointer, const nlohmann::json& value) {
    nlohmann::json object = nlohmann::json::parse(to_json(example()));
    object[nlohmann::json::json_pointer(pointer)] = value;
    return said_of(object.dump());
  }
  std::string said_of(const std::string& text) {
    std::ofstream(folder_ / "p.json") << text;
    const auto read = read_profile(folder_ / "p.json");
    return read ? "" : read.error().text();
  }

  fs::path folder_;
};

TEST_F(Profile, LiesBelowTheDataFolderUnderAPlainName) {
  EXPECT_EQ(profile_path("NVIDIA H200"), folder_ / "kbx/devices/nvidia-h200.json");
  EXPECT_EQ(profile_path("../Xeon(R) 2.2 GHz, 1 thread"), folder_ / "kbx/devices/---xeon-r--2-2-ghz--1-thread.json");
}

TEST_F(Profile, ComesBackAsItWasWritten) {
  const fs::path file = profile_path("NVIDIA H200");
  ASSERT_TRUE(write_profile(example(), file));
  const auto read = read_profile(file);
  ASSERT_TRUE(read && *read);
  const DeviceProfile &p = **read, e = example();
  EXPECT_EQ(p.device, e.device);
  EXPECT_EQ(p.gpu, e.gpu);
  EXPECT_EQ(p.environment, e.environment);
  EXPECT_EQ(p.measured, e.measured);
  ASSERT_EQ(p.bandwidth.size(), 2u);
  EXPECT_EQ(p.bandwidth[1].bytes, 4294967296);
  EXPECT_EQ(p.bandwidth[0].copy, 1.5e9);
  EXPECT_EQ(p.bandwidth[0].triad, 2.5e9);
  EXPECT_EQ(p.bandwidth[0].read, 3.5e9);
  EXPECT_EQ(p.bandwidth[0].write, 4.5e9);
  EXPECT_EQ(p.matrix, e.matrix);
  EXPECT_EQ(p.vector, e.vector);
  EXPECT_EQ(p.launch_seconds, e.launch_seconds);
  EXPECT_EQ(p.call_seconds, e.call_seconds);
  ASSERT_EQ(p.noise.size(), 2u);
  EXPECT_EQ(p.noise.at("gpu").process_spread, 0.0125);
  EXPECT_EQ(p.noise.at("gpu").pairs, 9);
  EXPECT_EQ(p.noise.at("pace").process_spread, 0.05);
}

TEST_F(Profile, MayHaveNoNoise) {
  DeviceProfile p = example();
  p.noise.clear();
  ASSERT_TRUE(write_profile(p, folder_ / "p.json"));
  const auto read = read_profile(folder_ / "p.json");
  ASSERT_TRUE(read && *read);
  EXPECT_TRUE((*read)->noise.empty());
}

// The luck of a clock that was never raced taken for none, or for another's that is steadier.
TEST(SpreadOf, AClockWithoutPairsScattersAsTheWorstDoes) {
  DeviceProfile p;
  p.noise["gpu"] = {0.002, 100};
  EXPECT_EQ(spread_of(&p).of("gpu"), 0.002);
  EXPECT_EQ(spread_of(&p).of("pace"), 0.01);
  p.noise["pace"] = {0.05, 40};
  EXPECT_EQ(spread_of(&p).of("pace"), 0.05);
  EXPECT_EQ(spread_of(&p).of("judge"), 0.05);
  EXPECT_EQ(spread_of(nullptr).of("gpu"), 0.01);
}

TEST_F(Profile, ThatIsNotThereIsNothingAndNoError) {
  const auto read = read_profile(folder_ / "none.json");
  ASSERT_TRUE(read);
  EXPECT_FALSE(*read);
}

TEST_F(Profile, OfADamagedFileTheFieldIsNamed) {
  EXPECT_THAT(said_of("/bandwidth/1/triad", -1),
              AllOf(HasSubstr("p.json is damaged: bandwidth[1].triad is not a positive number"), HasSubstr("kbx calibrate")));
  EXPECT_THAT(said_of("/bandwidth/1/bytes", 16384), HasSubstr("bandwidth[1].bytes is not larger"));
  EXPECT_THAT(said_of("/bandwidth", nlohmann::json::array()), HasSubstr("bandwidth is not a list"));
  EXPECT_THAT(said_of("/bandwidth/0", 3), HasSubstr("bandwidth[0] is not an object"));
  EXPECT_THAT(said_of("/matrix/bf16", "fast"), HasSubstr("matrix.bf16 is not a positive number"));
  EXPECT_THAT(said_of("/launch_seconds", 0), HasSubstr("launch_seconds is not a positive number"));
  EXPECT_THAT(said_of("/device", nullptr), HasSubstr("device is not a text"));
  EXPECT_THAT(said_of("/gpu", 1), HasSubstr("gpu is neither true nor false"));
  EXPECT_THAT(said_of("/noise/gpu/process_spread", -0.1), HasSubstr("noise.gpu.process_spread"));
  EXPECT_THAT(said_of("/noise/pace", nlohmann::json::object()), HasSubstr("noise.pace.process_spread is missing"));
  EXPECT_THAT(said_of("/noise", 0.01), HasSubstr("noise is not an object"));
  EXPECT_THAT(said_of("{}"), HasSubstr("device is missing"));
  EXPECT_THAT(said_of("[]"), HasSubstr("not an object"));
  EXPECT_THAT(said_of(to_json(example()).substr(0, 100)), HasSubstr("p.json is damaged: "));
}

TEST_F(Profile, AFolderThatCannotBeMadeIsNamed) {
  std::ofstream(folder_ / "file") << "";
  const Status written = write_profile(example(), folder_ / "file/devices/p.json");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().text(), AllOf(HasSubstr("file/devices"), HasSubstr("XDG_DATA_HOME")));
}

}  // namespace
}  // namespace kbx
