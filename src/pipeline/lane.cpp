// SPDX-License-Identifier: Apache-2.0
#include "pipeline/lane.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/check.h"
#include "core/descriptor.h"
#include "core/verdict_json.h"

namespace kbx {
namespace {

using nlohmann::json;

class LocalLane final : public Lane {
 public:
  LocalLane(const Submission& submission, const JudgeOptions& options, const std::atomic<bool>& cancelled)
      : submission_(submission), judge_(options), cancelled_(cancelled) {}
  void expect(size_t index) override {
    judge_.expect(submission_.candidates[index]);
    expected_.push_back(index);
  }
  Outcome judge_next() override {
    KBX_CHECK(!expected_.empty());
    // What needs no building comes first.
    auto at = std::ranges::find_if(expected_, [&](size_t i) { return !judge_.is_expected(submission_.candidates[i]); });
    if (at == expected_.end()) {
      const Candidate& next = judge_.next();
      at = std::ranges::find_if(expected_, [&](size_t i) { return &submission_.candidates[i].candidate == &next; });
    }
    const size_t index = *at;
    expected_.erase(at);
    return {index, judge_.judge(submission_.candidates[index], cancelled_)};
  }

 private:
  const Submission& submission_;
  Judge judge_;
  const std::atomic<bool>& cancelled_;
  std::deque<size_t> expected_;
};

// Of a GPU that cannot be used.
class BrokenLane final : public Lane {
 public:
  explicit BrokenLane(Error why) : why_(std::move(why)) {}
  void expect(size_t index) override { expected_.push_back(index); }
  Outcome judge_next() override {
    KBX_CHECK(!expected_.empty());
    const size_t index = expected_.front();
    expected_.pop_front();
    return {index, why_};
  }

 private:
  const Error why_;
  std::deque<size_t> expected_;
};

// JSON texts, each after its length, between this process and a lane's: both are ours.
class Line {
 public:
  explicit Line(Descriptor end) : end_(std::move(end)) {}

  bool send(const json& message) {
    const std::string text = message.dump();
    const uint64_t size = text.size();
    return put(reinterpret_cast<const char*>(&size), sizeof size) && put(text.data(), text.size());
  }
  // Nothing when the other side is gone.
  std::optional<json> receive() {
    uint64_t size = 0;
    if (!take(reinterpret_cast<char*>(&size), sizeof size)) return std::nullopt;
    std::string text(size, '\0');
    if (!take(text.data(), size)) return std::nullopt;
    return json::parse(text);
  }

 private:
  bool put(const char* data, size_t size) {
    while (size > 0) {
      const ssize_t n = ::send(end_.get(), data, size, MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      data += n, size -= static_cast<size_t>(n);
    }
    return true;
  }
  bool take(char* data, size_t size) {
    while (size > 0) {
      const ssize_t n = recv(end_.get(), data, size, 0);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      data += n, size -= static_cast<size_t>(n);
    }
    return true;
  }

  Descriptor end_;
};

json as_json(const Lane::Outcome& outcome) {
  const auto& judged = outcome.judged;
  if (!judged) return {{"index", outcome.index}, {"error", judged.error().message}, {"remedy", judged.error().remedy}};
  json samples = json::array();
  for (const TimingSample& s : judged->samples)
    samples.push_back({s.line, s.side, s.clock, s.process, s.block, s.seconds, s.discarded});
  return {{"index", outcome.index}, {"verdict", to_json(judged->verdict)}, {"samples", samples}};
}

Result<Judged> from_json(const json& answer) {
  if (answer.contains("error")) return Error{answer["error"], answer["remedy"]};
  auto verdict = verdict_from_json(answer["verdict"]);
  if (!verdict) return verdict.error();
  Judged judged{*std::move(verdict), {}};
  for (const json& s : answer["samples"]) judged.samples.push_back({s[0], s[1], s[2], s[3], s[4], s[5], s[6]});
  return judged;
}

// The lane's process, until the other side is gone. Returns its exit status.
int serve(Line line, const Submission& submission, const JudgeOptions& options, const std::atomic<bool>& cancelled,
          const std::function<Status(const JudgeOptions&)>& set_up) {
  try {
    const Status ready = set_up(options);
    const auto lane = ready ? make_lane(submission, options, cancelled) : std::make_unique<BrokenLane>(ready.error());
    while (const auto request = line.receive()) {
      if (request->contains("expect"))
        lane->expect((*request)["expect"]);
      else if (!line.send(as_json(lane->judge_next())))
        break;
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "kbx: the lane of GPU {} ends: {}\n", options.device(), e.what());
    return 1;
  }
  return 0;
}

class ForkedLane final : public Lane {
 public:
  ForkedLane(pid_t pid, Descriptor end) : pid_(pid), line_(std::in_place, std::move(end)) {}
  ~ForkedLane() override {
    line_.reset();  // the process ends when it reads the end of the line
    waitpid(pid_, nullptr, 0);
  }
  void expect(size_t index) override {
    expected_.push_back(index);
    alive_ = alive_ && line_->send({{"expect", index}});
  }
  Outcome judge_next() override {
    KBX_CHECK(!expected_.empty());
    std::optional<json> answer;
    if (alive_ && line_->send({{"judge", "next"}})) answer = line_->receive();
    alive_ = answer.has_value();
    const size_t index = answer ? (*answer)["index"].get<size_t>() : expected_.front();
    std::erase(expected_, index);
    if (answer) return {index, from_json(*answer)};
    return {index, Error{"the process of its GPU is gone", "run the same command again; `kbx doctor` looks at the GPU"}};
  }
  bool alive() const override { return alive_; }

 private:
  pid_t pid_;
  std::optional<Line> line_;
  std::deque<size_t> expected_;
  bool alive_ = true;
};

}  // namespace

std::unique_ptr<Lane> make_lane(const Submission& submission, const JudgeOptions& options, const std::atomic<bool>& cancelled) {
  return std::make_unique<LocalLane>(submission, options, cancelled);
}

Result<std::unique_ptr<Lane>> fork_lane(const Submission& submission, const JudgeOptions& options,
                                        const std::atomic<bool>& cancelled,
                                        const std::function<Status(const JudgeOptions&)>& set_up) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Error{fmt::format("socketpair: {}", std::strerror(errno)), "close some programs"};
  Descriptor ours(ends[0]), theirs(ends[1]);
  std::fflush(nullptr);
  const pid_t parent = getpid(), pid = fork();
  if (pid < 0) return Error{fmt::format("fork: {}", std::strerror(errno)), "close some programs"};
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    ours.close();
    _exit(serve(Line(std::move(theirs)), submission, options, cancelled, set_up));
  }
  return std::unique_ptr<Lane>(std::make_unique<ForkedLane>(pid, std::move(ours)));
}

}  // namespace kbx
