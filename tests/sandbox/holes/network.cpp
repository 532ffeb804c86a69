// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "hole.h"

namespace kbx::holes {
namespace {

bool connect_tcp(const std::string& port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(std::atoi(port.c_str())));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

// Names of abstract sockets are given with a leading '@'.
int connect_unix(int fd, const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), std::min(name.size(), sizeof address.sun_path - 1));
  if (name.starts_with('@')) address.sun_path[0] = '\0';
  const socklen_t length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  return connect(fd, reinterpret_cast<sockaddr*>(&address), length);
}

bool connect_to_name(const std::string& name) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return fd >= 0 && connect_unix(fd, name) == 0;
}

// A datagram socket of a pair can be pointed at another address.
bool redirect_pair(const std::string& name) {
  int ends[2];
  return socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0 && connect_unix(ends[0], name) == 0;
}

bool open_family(const std::string& family) { return socket(std::atoi(family.c_str()), SOCK_DGRAM | SOCK_CLOEXEC, 0) >= 0; }

bool stream_pair(const std::string&) {
  int ends[2];
  return socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0;
}

constexpr Hole kHoles[] = {{"connect_tcp", connect_tcp},
                           {"connect_to_name", connect_to_name},
                           {"redirect_pair", redirect_pair},
                           {"open_family", open_family},
                           {"stream_pair", stream_pair}};

}  // namespace

std::span<const Hole> network_holes() { return kHoles; }

}  // namespace kbx::holes
