// SPDX-License-Identifier: Apache-2.0
// The real `kbx`, run in an installation of its own: what it prints and what it exits with.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/exit_status.h"
#include "core/verdicts.h"
#include "ledger/ledger.h"

namespace kbx {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using testing::verdict_with;

struct Ran {
  int status = -1;
  std::string out, err;
};

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class Command : public ::testing::Test {
 protected:
  Command() {
    std::string name = (fs::temp_directory_path() / "kbx-command-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    fs::create_directories(root_ / "bin");
    fs::create_directories(root_ / "share/kbx");
    fs::copy_file(std::getenv("KBX_COMMAND"), root_ / "bin/kbx");
    std::ofstream(root_ / "share/kbx/environment.json") << R"({"version": "9.8.7", "python": "/none"})";
    json tasks = json::array();
    for (const char* id : {"gelu", "selu"})
      tasks.push_back({{"id", id},
                       {"category", "Activation"},
                       {"official", true},
                       {"difficulty", 1},
                       {"entry", id},
                       {"schema", std::string(id) + "(Tensor input) -> Tensor"},
                       {"contract", "numeric"},
                       {"summary", "Smooth."},
                       {"math", "y = x"},
                       {"deviation", ""},
                       {"cases", {"standard: input=randn[3]"}},
                       {"perf", json::array()}});
    tasks.push_back(tasks[0]);
    tasks[2]["id"] = "svd";
    tasks[2]["category"] = "LinearAlgebra";
    std::ofstream(root_ / "share/kbx/catalogue.json") << tasks;
    std::ofstream(root_ / "bin/kbx-judge") << "#!/bin/sh\necho \"$@\"\ngrep SigIgn /proc/self/status\nexit 4\n";
    fs::permissions(root_ / "bin/kbx-judge", fs::perms(0755));
  }
  ~Command() override { fs::remove_all(root_); }

  Ran kbx(std::vector<std::string> arguments, const char* out = nullptr) {
    arguments.insert(arguments.begin(), (root_ / "bin/kbx").string());
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(::open(out ? out : (root_ / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
      ::dup2(::open((root_ / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
      ::unsetenv("KBX_PYTHON");
      std::vector<char*> argv;
      for (std::string& a : arguments) argv.push_back(a.data());
      argv.push_back(nullptr);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(root_ / "out"), text_of(root_ / "err")};
  }

  std::string ledger(bool finished) {
    const fs::path dir = root_ / "run";
    auto opened = Ledger::open(dir, Ledger::Open::write);
    EXPECT_TRUE(opened
                    ->begin_run({.submission = "/s",
                                 .seed = 1,
                                 .policy = "oracle",
                                 .gate = "full",
                                 .device = "cpu",
                                 .environment = "",
                                 .kbx_version = "",
                                 .candidates = 5,
                                 .created = "",
                                 .finished = ""})
                    .ok());
    EXPECT_TRUE(opened->record(verdict_with(Unreadable{"r"}, "a.py"), "k").ok());
    EXPECT_TRUE(opened->record(verdict_with(testing::wrong(), "b\xff.py"), "k").ok());
    if (finished) EXPECT_TRUE(opened->finish_run().ok());
    return dir.string();
  }

  fs::path root_;
};

TEST_F(Command, HelpListsEveryVerbAndTheExitStatuses) {
  const Ran ran = kbx({"--help"});
  EXPECT_EQ(ran.status, 0);
  for (const char* verb : {"judge", "run", "doctor", "tasks", "show", "analyze", "export", "130 interrupted"})
    EXPECT_THAT(ran.out, HasSubstr(verb));
}

TEST_F(Command, NoArgumentOrAWrongOneIsUsage) {
  EXPECT_EQ(kbx({}).status, kExitUsage);
  EXPECT_EQ(kbx({"--nonsense"}).status, kExitUsage);
  EXPECT_EQ(kbx({"tasks", "--nonsense"}).status, kExitUsage);
  const Ran ran = kbx({"exprot"});
  EXPECT_EQ(ran.status, kExitUsage);
  EXPECT_THAT(ran.err, HasSubstr("unknown verb `exprot`; did you mean export"));
}

TEST_F(Command, Version) { EXPECT_EQ(kbx({"--version"}).out, "kbx 9.8.7\n"); }

TEST_F(Command, JudgeAndRunAreHandedOverAsTheyAre) {
  for (const char* verb : {"judge", "run"}) {
    const Ran ran = kbx({verb, "a b.py", "--task", "gelu", "--nonsense", "--help"});
    EXPECT_EQ(ran.status, 4);  // the judge's
    EXPECT_THAT(ran.out, StartsWith(std::string(verb) + " a b.py --task gelu --nonsense --help\n"));
    // SIGPIPE is not ignored on its behalf; what else is ignored came from whoever started the test.
    const size_t mask = ran.out.find("SigIgn:\t");
    ASSERT_NE(mask, std::string::npos) << ran.out;
    EXPECT_EQ(std::stoull(ran.out.substr(mask + 8), nullptr, 16) & (1ull << (SIGPIPE - 1)), 0u) << ran.out;
  }
}

TEST_F(Command, AMissingJudgeIsTroubleOfOurOwn) {
  fs::remove(root_ / "bin/kbx-judge");
  const Ran ran = kbx({"judge", "x.py"});
  EXPECT_EQ(ran.status, kExitTrouble);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("kbx-judge: No such file"), HasSubstr("build kbx")));
}

TEST_F(Command, TasksListsAllOrACategory) {
  EXPECT_THAT(kbx({"tasks"}).out, AllOf(ContainsRegex("gelu +Activation +yes +1 +numeric"), HasSubstr("3 tasks")));
  EXPECT_THAT(kbx({"tasks", "--category", "linear_algebra"}).out,
              AllOf(HasSubstr("svd"), Not(HasSubstr("gelu ")), HasSubstr("\n1 task\n")));
}

TEST_F(Command, TasksAsJsonHasTheStableFields) {
  const json list = json::parse(kbx({"tasks", "--json"}).out);
  ASSERT_EQ(list.size(), 3u);
  for (const char* field : {"id", "category", "official", "difficulty", "entry", "schema", "contract"})
    EXPECT_TRUE(list[0].contains(field)) << field;
}

TEST_F(Command, UnknownCategoryAndTaskOfferTheNearest) {
  const Ran category = kbx({"tasks", "--category", "Activaton"});
  EXPECT_EQ(category.status, kExitUsage);
  EXPECT_THAT(category.err,
              AllOf(HasSubstr("did you mean Activation"), HasSubstr("the categories are Activation, LinearAlgebra")));
  const Ran task = kbx({"show", "gleu"});
  EXPECT_EQ(task.status, kExitUsage);
  EXPECT_THAT(task.err, HasSubstr("unknown task `gleu`; did you mean gelu"));
  EXPECT_THAT(task.out, IsEmpty());
}

TEST_F(Command, ShowSaysWhatTheTaskIs) {
  EXPECT_THAT(kbx({"show", "gelu"}).out,
              AllOf(HasSubstr("gelu(Tensor input) -> Tensor"), HasSubstr("Smooth."), HasSubstr("standard: input=randn[3]")));
  EXPECT_EQ(json::parse(kbx({"show", "svd", "--json"}).out)["category"], "LinearAlgebra");
}

TEST_F(Command, ADamagedCatalogueIsTroubleOfOurOwn) {
  std::ofstream(root_ / "share/kbx/catalogue.json") << "[{\"id\": 3}]";
  EXPECT_EQ(kbx({"tasks"}).status, kExitTrouble);
  fs::remove(root_ / "share/kbx/catalogue.json");
  const Ran ran = kbx({"show", "gelu"});
  EXPECT_EQ(ran.status, kExitTrouble);
  EXPECT_THAT(ran.err, HasSubstr("catalogue.json"));
}

TEST_F(Command, ExportWritesOneJsonObjectPerLine) {
  const Ran ran = kbx({"export", ledger(true), "--format", "verdicts"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.err, IsEmpty());
  std::istringstream lines(ran.out);
  std::vector<json> verdicts;
  for (std::string line; std::getline(lines, line);) verdicts.push_back(json::parse(line));
  ASSERT_EQ(verdicts.size(), 2u);
  for (const char* field : {"candidate", "task", "category", "language", "outcome", "paper_gate", "full_gate", "accuracy",
                            "authorship", "speedup", "utilisation", "diagnosis"})
    EXPECT_TRUE(verdicts[1].contains(field)) << field;
  EXPECT_EQ(verdicts[1]["candidate"], "b\uFFFD.py");
}

TEST_F(Command, ExportToAFile) {
  const std::string file = (root_ / "verdicts.jsonl").string();
  const Ran ran = kbx({"export", ledger(true), "-o", file});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_EQ(text_of(file), kbx({"export", (root_ / "run").string()}).out);
  EXPECT_EQ(kbx({"export", (root_ / "run").string(), "-o", "/nonexistent/x"}).status, kExitTrouble);
}

TEST_F(Command, ExportOfAnUnfinishedRunSaysSo) {
  const Ran ran = kbx({"export", ledger(false)});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.err, HasSubstr("unfinished: 2 of 5 candidates have a verdict"));
  EXPECT_THAT(ran.out, Not(HasSubstr("unfinished")));
}

TEST_F(Command, ExportWithoutALedgerOrOfAnUnknownFormat) {
  const Ran ran = kbx({"export", (root_ / "nowhere").string()});
  EXPECT_EQ(ran.status, kExitUsage);
  EXPECT_THAT(ran.err, HasSubstr("there is no ledger in"));
  EXPECT_EQ(kbx({"export", ledger(true), "--format", "xml"}).status, kExitUsage);
  std::ofstream(root_ / "run/ledger.sqlite") << std::string(200, '.');
  EXPECT_EQ(kbx({"export", (root_ / "run").string()}).status, kExitTrouble);
}

TEST_F(Command, AnalyzeSpeedSaysFastPOfEachLedger) {
  const std::string dir = ledger(true);
  EXPECT_THAT(kbx({"analyze", "speed", dir}).out, HasSubstr("nothing was timed"));
  {
    auto opened = Ledger::open(dir, Ledger::Open::write);
    Verdict v = verdict_with(testing::timed_correct(), "c.py");
    v.paper_gate = true;
    ASSERT_TRUE(opened->record(v, "k").ok());
  }
  const Ran ran = kbx({"analyze", "speed", dir});
  EXPECT_EQ(ran.status, 0);
  // One of three, Wilson: [0.0615, 0.7923].
  EXPECT_THAT(ran.out, AllOf(HasSubstr("3 candidates: 1 correct"), HasSubstr("faster than eager: 33 % [6, 79] of 3 judged")));
  const json list = json::parse(kbx({"analyze", "speed", dir, dir, "--json"}).out);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["judged"], 3);
  EXPECT_EQ(list[0]["timed"], 1);
  EXPECT_EQ(list[0]["fast_p"][2]["p"], 1);
  EXPECT_NEAR(list[0]["fast_p"][2]["share"]["high"], 0.7923, 5e-5);
}

TEST_F(Command, AnalyzeWithoutALedgerOrOfSomethingUnknown) {
  const Ran ran = kbx({"analyze", "speed", (root_ / "nowhere").string()});
  EXPECT_EQ(ran.status, kExitUsage);
  EXPECT_THAT(ran.err, HasSubstr("there is no ledger in"));
  EXPECT_EQ(kbx({"analyze", "speed"}).status, kExitUsage);
  EXPECT_EQ(kbx({"analyze", "beauty", ledger(true)}).status, kExitUsage);
}

TEST_F(Command, AFullDiskBehindStdoutIsNotSuccess) {
  const Ran ran = kbx({"tasks"}, "/dev/full");
  EXPECT_EQ(ran.status, kExitTrouble);
  EXPECT_THAT(ran.err, HasSubstr("cannot write the output: No space left"));
}

TEST_F(Command, DoctorNamesWhatThisInstallationLacks) {
  const Ran ran = kbx({"doctor"});
  EXPECT_EQ(ran.status, kExitTrouble);  // there is no python at /none
  EXPECT_THAT(ran.out, AllOf(HasSubstr("there is no /none"), HasSubstr("remedy: make demo"), HasSubstr("sandbox: ")));
  EXPECT_EQ(json::parse(kbx({"doctor", "--json"}).out)["judges_on_cpu"], false);
}

}  // namespace
}  // namespace kbx
