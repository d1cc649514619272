// forks_test: a child process runs what its parent made with threads, on one thread with the same bits, and destroys
// it; nothing waits for threads that are the parent's.
#include <nnrt/dynamic.hpp>
#include <nnrt/exec/forks.hpp>

#include "support/child_process.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <vector>

namespace {

using namespace nnrt;

inline constexpr auto network = [](builder& g) {
  auto x = g.input<f32, shape<1, 32, 32, 8>>("x");
  auto y = mul(x, g.constant<f32, shape<8>>({0.5F, 2, 3, 4, 5, 6, 7, 8}));
  g.output("y", softmax(add(y, g.constant<f32, shape<1>>({0.25F}))));
};
using net = graph<network>;
constexpr std::size_t elements = 32 * 32 * 8;

std::vector<float> input() {
  std::vector<float> x(elements);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 97) * 0.01F;
  return x;
}
bool equal(std::span<const float> a, std::span<const float> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

/// How a child ended that runs `act`; one that takes longer than a minute is killed, and -1.
template <class Act> int in_child_of_a_minute(Act act) {
  return nnrt_test::in_child([&] {
    ::alarm(60);
    return act();
  });
}

TEST_CASE("forks: an object knows whether its process is the one that made it") {
  nnrt::detail::home_process home;
  CHECK(home.is_here());
  CHECK(in_child_of_a_minute([&] {
          if (home.is_here()) return 1;
          const nnrt::detail::home_process other;
          if (!other.is_here()) return 2;
          // A child's child is another one again.
          if (in_child_of_a_minute([&] { return other.is_here() || home.is_here() ? 1 : 0; }) != 0) return 3;
          home.move_here();
          return home.is_here() ? 0 : 4;
        }) == 0);
  CHECK(home.is_here());
}

TEST_CASE("forks: a pool that sleeps, waits or looks is run and destroyed in a child, again and again") {
  struct counted {
    std::atomic<int> parts{0};
    static void run(void* context, int) { ++static_cast<counted*>(context)->parts; }
  };
  for (const int threads : {2, 3, 4}) {
    CAPTURE(threads);
    int failed = 0;
    for (int i = 0; i < 60; ++i) {
      std::optional<thread_pool> pool;
      REQUIRE(pool.emplace().start(threads));
      counted before;
      if (i % 3 != 0) pool->run(&counted::run, &before, threads);
      if (i % 4 == 0) {
        struct timespec pause {
          0, 2'000'000
        };
        nanosleep(&pause, nullptr);  // workers sleep by then
      }
      failed += in_child_of_a_minute([&] {
                  counted all;
                  for (int run = 0; run < (i % 2) * 3; ++run) pool->run(&counted::run, &all, 7);
                  pool.reset();
                  return all.parts == (i % 2) * 21 ? 0 : 1;
                }) != 0;
      counted after;
      pool->run(&counted::run, &after, 7);  // the parent's pool is what it was
      failed += after.parts != 7;
    }
    CHECK(failed == 0);
  }
}

TEST_CASE("forks: an executor and a session give the same bits in a child, and are destroyed there") {
  const std::vector<float> x = input();
  auto alone = executor<net>::create();
  REQUIRE(alone);
  const auto y = (*alone)(x);
  const std::vector<float> expected(y.begin(), y.end());
  model_builder made;
  const auto in = made.input("x", {f32, {1, 32, 32, 8}});
  REQUIRE(in);
  const auto out = made.apply<ops::softmax>({}, {*in});
  REQUIRE(out);
  REQUIRE(made.output("y", (*out)[0]));
  const auto compiled = compile(made.finish(), {.threads = 3});
  REQUIRE(compiled);
  int failed = 0;
  for (int i = 0; i < 20; ++i) {
    auto several = executor<net>::create({.threads = 2 + i % 3});
    REQUIRE(several);
    std::optional<executor<net>> runs(std::move(*several));
    std::optional<session> s(*compiled);
    std::copy(x.begin(), x.end(), s->input<float>(0).begin());
    REQUIRE(s->run());
    const auto z = s->output<float>(0);
    const std::vector<float> of_session(z.begin(), z.end());
    if (i % 2 == 0) (void)(*runs)(x);
    failed += in_child_of_a_minute([&] {
                for (int run = 0; run < i % 3; ++run)
                  if (!equal((*runs)(x), expected) || !s->run() || !equal(s->output<float>(0), of_session)) return 1;
                {
                  // What a child makes has threads there.
                  auto own = executor<net>::create({.threads = 2});
                  if (!own || !equal((*own)(x), expected)) return 2;
                  auto shared = runs->share();
                  if (!equal(shared(x), expected)) return 3;
                }
                runs.reset();
                s.reset();
                return 0;
              }) != 0;
    failed += !equal((*runs)(x), expected);
  }
  CHECK(failed == 0);
}

TEST_CASE("forks: a child that ends by exit() destroys what is static") {
  static auto kept = executor<net>::create({.threads = 2});
  REQUIRE(kept);
  const std::vector<float> x = input();
  (void)(*kept)(x);
  for (int i = 0; i < 10; ++i) {
    const ::pid_t child = ::fork();
    if (child == 0) {
      ::alarm(60);
      std::exit(0);
    }
    CHECK(nnrt_test::end_of(child) == 0);
  }
}

}  // namespace
