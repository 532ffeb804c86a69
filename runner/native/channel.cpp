// SPDX-License-Identifier: Apache-2.0
#include "native/channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "protocol/wire.h"

namespace kbx::runner {
namespace {

constexpr int kExitLostSocket = 70;

}  // namespace

bool receive(std::string& message, std::vector<int>& descriptors) {
  message.resize(wire::kMaxMessage);
  descriptors.clear();
  iovec part{message.data(), message.size()};
  alignas(cmsghdr) static char control[CMSG_SPACE(wire::kMaxDescriptors * sizeof(int))];
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  ssize_t size;
  do size = recvmsg(kSocket, &header, MSG_CMSG_CLOEXEC);
  while (size < 0 && errno == EINTR);
  if (size <= 0) return false;
  message.resize(static_cast<size_t>(size));
  if (const cmsghdr* rights = CMSG_FIRSTHDR(&header); rights != nullptr && rights->cmsg_type == SCM_RIGHTS) {
    descriptors.resize((rights->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(descriptors.data(), CMSG_DATA(rights), descriptors.size() * sizeof(int));
  }
  return true;
}

void send(const std::string& message) {
  while (::send(kSocket, message.data(), message.size(), MSG_NOSIGNAL) < 0)
    if (errno != EINTR) _exit(kExitLostSocket);
}

}  // namespace kbx::runner
