// adaptive_wait: when to look for a packet again and again, and when to sleep until it is there.
// Flow: receive() of remote/packets.hpp asks one before it waits; a client has one for each execution, a host for each
// connection.
#pragma once

#include <nnrt/core/deadline.hpp>

#include <poll.h>
#include <algorithm>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace remote {

/// Looks for a packet about the time when it is expected, which is when the last ones came. Of two processors that
/// sleep while they wait for each other one has to be woken for each packet, which takes ten times as long as a small
/// network, and longer the longer it slept. Whoever has looked in vain - what it waits for takes another time, or needs
/// this processor - looks less and less often. Used by one thread at a time.
class adaptive_wait {
 public:
  /// Before a packet is waited for, at most `until` a time of the steady clock. Returns when it is there, and when
  /// looking pays no longer.
  void look(int socket, std::int64_t until = no_deadline) {
    begin_ = steady_now();
    if (rests_ > 0) {
      --rests_;
      return;
    }
    const std::int64_t asleep = expected_ - early;
    ::pollfd waiting{socket, POLLIN, 0};
    if (asleep > shortest_look) {
      const ::timespec most{static_cast<::time_t>(asleep / 1'000'000'000), static_cast<long>(asleep % 1'000'000'000)};
      if (begin_ + asleep >= until || ::ppoll(&waiting, 1, &most, nullptr) != 0) return;
    }
    const std::int64_t end = std::min(until, begin_ + expected_ + shortest_look + std::min(expected_ / 16, max_wait));
    bool is_there = false;
    do is_there = ::poll(&waiting, 1, 0) > 0;
    while (!is_there && steady_now() < end);
    failed_ = is_there ? 0 : std::min(2 * failed_ + 1, max_rests);
    rests_ = failed_;
  }
  /// The packet is there, so many of the next ones will take as long: rather as the quickest of the last ones, since
  /// who looks too late has slept.
  void came() {
    const std::int64_t waited = steady_now() - begin_;
    expected_ = expected_ == 0 ? waited : std::min(waited, expected_ + (waited - expected_) / 8);
  }

 private:
  // Nanoseconds.
  static constexpr std::int64_t shortest_look = 50'000;  // about what being woken by another process takes
  // before the time expected: about what being woken by a clock takes, at most
  static constexpr std::int64_t early = 150'000;
  static constexpr std::int64_t max_wait = 1'000'000;  // behind it, for what never takes quite as long
  static constexpr int max_rests = 255;

  std::int64_t begin_ = 0, expected_ = 0;  // nothing is expected before the first packet
  int failed_ = 0, rests_ = 0;
};

}}}  // namespace nnrt::NNRT_ISA::remote
