// pair_of_sockets: two connected sockets of packets, both in this process.
// Flow: tests of what goes over a socket send on one and receive on the other.
#pragma once

#include <nnrt/remote/packets.hpp>

#include <doctest/doctest.h>

namespace nnrt_test {

struct pair_of_sockets {
  nnrt::owned_fd mine, theirs;
  pair_of_sockets() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    mine = nnrt::owned_fd(ends[0]), theirs = nnrt::owned_fd(ends[1]);
  }
};

/// A message of as many bytes, no two neighbours alike.
inline nnrt::hdi::writer message_of(std::size_t bytes) {
  nnrt::hdi::writer made;
  for (std::size_t i = 0; i < bytes; ++i) made.bytes.push_back(static_cast<std::int8_t>(i * 7));
  return made;
}

}  // namespace nnrt_test
