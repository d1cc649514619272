// adaptive_wait: decides when to poll for a packet and when to sleep until it arrives.
// Flow: receive() of remote/packets.hpp uses one before it blocks; a client has one for each execution, a host one for
// each connection.
#pragma once

#include <nnrt/core/deadline.hpp>

#include <poll.h>
#include <algorithm>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace remote {

/// Polls for a packet around the time when it is expected, estimated from earlier packets. Waking a sleeping process
/// takes ten times as long as a small network, and longer after long sleeps. After polls that fail, it polls less and
/// less often. One thread at a time may use it.
class adaptive_wait {
 public:
  /// Called before waiting for a packet. Returns when it has arrived, when polling is no longer worthwhile, or at
  /// `until` (steady clock).
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
  /// Called when the packet has arrived: updates the expected time. Short times are adopted at once, long ones slowly,
  /// as late polls include time asleep.
  void came() {
    const std::int64_t waited = steady_now() - begin_;
    expected_ = expected_ == 0 ? waited : std::min(waited, expected_ + (waited - expected_) / 8);
  }

 private:
  // All times are in nanoseconds.
  static constexpr std::int64_t shortest_look = 50'000;  // about the time of a wake-up by another process
  // start of polling before the expected time: about the longest wake-up by a timer
  static constexpr std::int64_t early = 150'000;
  static constexpr std::int64_t max_wait = 1'000'000;  // longest polling after the expected time
  static constexpr int max_rests = 255;

  std::int64_t begin_ = 0, expected_ = 0;  // expected_ is 0 before the first packet
  int failed_ = 0, rests_ = 0;
};

}}}  // namespace nnrt::NNRT_ISA::remote
