// liar: a client that does not keep to the protocol, question by question.
// Flow: tests of hosts ask with it what remote/client.hpp would never ask.
#pragma once

#include <nnrt/remote/client.hpp>

#include "remote/hosted.hpp"

#include <doctest/doctest.h>

#include <poll.h>
#include <sys/socket.h>
#include <cstdint>
#include <utility>

namespace nnrt_test {

/// A client that does not keep to the protocol.
class liar {
 public:
  explicit liar(const hosted& host) : socket_(std::move(*nnrt::remote::connect_to(host.path()))) {}
  template <nnrt::hdi::record T> nnrt::remote::ending ask(nnrt::remote::question what, const T& of) {
    nnrt::hdi::writer message;
    nnrt::hdi::marshal(message, of);
    return send_and_hear(static_cast<std::uint32_t>(what), message);
  }
  /// Asks, and does not wait for the answer.
  template <nnrt::hdi::record T> bool only_ask(nnrt::remote::question what, const T& of) {
    nnrt::hdi::writer message;
    nnrt::hdi::marshal(message, of);
    return nnrt::remote::send(socket_.number(), static_cast<std::uint32_t>(what), message).has_value();
  }
  /// How the answer begins; code -2: the host has hung up.
  nnrt::remote::ending send_and_hear(std::uint32_t what, const nnrt::hdi::writer& message) {
    nnrt::remote::packet answer;
    if (!nnrt::remote::send(socket_.number(), what, message) ||
        nnrt::remote::receive(socket_.number(), answer, nnrt::steady_now() + 5'000'000'000) !=
            nnrt::remote::arrival::message)
      return {-2, {}};
    nnrt::hdi::reader in(answer.bytes);
    nnrt::remote::ending how;
    REQUIRE(nnrt::hdi::unmarshal(in, how));
    return how;
  }
  /// Whether the host hangs up within this time, nothing having been asked.
  bool is_hung_up_within(int milliseconds) {
    ::pollfd waiting{socket_.number(), POLLIN, 0};
    char byte = 0;
    return ::poll(&waiting, 1, milliseconds) == 1 && ::recv(socket_.number(), &byte, 1, MSG_DONTWAIT) <= 0;
  }
  void hang_up() { socket_ = {}; }
  int socket() const { return socket_.number(); }

 private:
  nnrt::owned_fd socket_;
};

}  // namespace nnrt_test
