// lookout_test: a packet that comes after the same time again and again is looked for about then, and what is looked
// for in vain less and less often.
#include <nnrt/remote/adaptive_wait.hpp>

#include "remote/pair_of_sockets.hpp"

#include <doctest/doctest.h>

#include <ctime>
#include <thread>

using namespace nnrt;
using namespace nnrt::remote;
using nnrt_test::message_of, nnrt_test::pair_of_sockets;

namespace {

constexpr std::int64_t milliseconds = 1'000'000;

/// Nanoseconds for which this thread had a core.
std::int64_t worked() {
  ::timespec all{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &all);
  return std::int64_t{all.tv_sec} * 1'000'000'000 + all.tv_nsec;
}

bool has_packet(int socket) {
  ::pollfd waiting{socket, POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

/// The other side: sends a packet some time after each that it gets, until its socket is closed.
class slow_side {
 public:
  slow_side(int socket, std::int64_t takes)
      : thread_([socket, takes] {
          const ::timespec pause{0, static_cast<long>(takes)};
          for (packet got; receive(socket, got) == arrival::message;) {
            ::clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
            if (!send(socket, 2, message_of(4))) return;
          }
        }) {}
  ~slow_side() { thread_.join(); }

 private:
  std::thread thread_;
};

}  // namespace

TEST_CASE("adaptive_wait: who looks for a packet in vain looks less often, and who finds one does not") {
  const pair_of_sockets sockets;
  adaptive_wait waits;
  const std::int64_t begin = worked();
  for (int i = 0; i < 2000; ++i) waits.look(sockets.mine.number());
  CHECK(worked() - begin < 25 * milliseconds);  // looking each time takes 100 ms
  packet got;
  REQUIRE(send(sockets.theirs.number(), 1, message_of(4)));
  for (int i = 0; i < 256; ++i) waits.look(sockets.mine.number());  // one of them sees it
  REQUIRE(receive(sockets.mine.number(), got) == arrival::message);
  const std::int64_t now = steady_now();
  waits.look(sockets.mine.number());
  CHECK(steady_now() - now >= 50'000);
}

TEST_CASE("adaptive_wait: a packet that always takes as long is found by looking, most of which is sleep") {
  pair_of_sockets sockets;
  const slow_side other(sockets.theirs.number(), 5 * milliseconds);
  const auto own = std::move(sockets.mine);  // closed before the other side is waited for
  adaptive_wait waits;
  packet got;
  int found = 0, sent = 0;
  const std::int64_t begin = worked();
  for (; sent < 100 || (found == 0 && sent < 2000); ++sent) {  // a busy machine wakes nobody in time, for a while
    REQUIRE(send(own.number(), 1, message_of(4)));
    waits.look(own.number());
    found += has_packet(own.number()) ? 1 : 0;
    REQUIRE(receive(own.number(), got) == arrival::message);
    waits.came();
  }
  CHECK(found > 0);
  CHECK(worked() - begin < sent * milliseconds);  // of five times as many
}

TEST_CASE("adaptive_wait: nobody looks or sleeps for a packet after the time until which it is waited for") {
  const pair_of_sockets sockets;
  adaptive_wait waits;
  waits.look(sockets.mine.number());
  const ::timespec pause{0, 300 * milliseconds};
  ::clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
  waits.came();
  waits.look(sockets.mine.number(), steady_now());  // one rest, for the look in vain
  const std::int64_t begin = steady_now();
  packet got;
  CHECK(receive(sockets.mine.number(), got, begin + 20 * milliseconds, &waits) == arrival::late);
  CHECK(steady_now() - begin >= 20 * milliseconds);
  CHECK(steady_now() - begin < 250 * milliseconds);
}
