// SPDX-License-Identifier: Apache-2.0
#include "runner/channel.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "core/check.h"
#include "protocol/wire.h"

namespace kbx {

Result<std::pair<Channel, Descriptor>> Channel::open() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return Error{fmt::format("socketpair: {}", std::strerror(errno)), "raise the limit of open files"};
  return std::pair(Channel(Descriptor(ends[0])), Descriptor(ends[1]));
}

Channel::State Channel::send(const std::string& message, const std::vector<int>& descriptors) {
  KBX_CHECK_LE(message.size(), wire::kMaxMessage);
  iovec part{const_cast<char*>(message.data()), message.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  const size_t bytes = descriptors.size() * sizeof(int);
  std::vector<cmsghdr> control(CMSG_SPACE(bytes) / sizeof(cmsghdr) + 1);
  if (!descriptors.empty()) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(bytes);
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(bytes);
    std::memcpy(CMSG_DATA(rights), descriptors.data(), bytes);
  }
  while (sendmsg(fd(), &header, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno == EINTR) continue;
    return errno == EAGAIN ? State::would_block : State::closed;
  }
  return State::done;
}

Channel::State Channel::receive(std::string& message, Descriptor* descriptor) {
  message.resize(wire::kMaxMessage);
  iovec part{message.data(), message.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (descriptor != nullptr) {
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
  ssize_t size;
  while ((size = recvmsg(fd(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC)) < 0) {
    if (errno == EINTR) continue;
    return errno == EAGAIN ? State::would_block : State::closed;
  }
  if (const cmsghdr* rights = CMSG_FIRSTHDR(&header); rights != nullptr && rights->cmsg_type == SCM_RIGHTS) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(rights), sizeof fd);
    *descriptor = Descriptor(fd);
  }
  // An empty datagram reads like the end; no message of the protocol is empty.
  if (size == 0) return State::closed;
  if (header.msg_flags & MSG_TRUNC) return State::oversized;
  message.resize(static_cast<size_t>(size));
  return State::done;
}

}  // namespace kbx
