// death_test: hosts are killed at random moments while four threads run their models - nothing hangs, no number is
// wrong, nothing is left over.
#include <nnrt/remote/client.hpp>
#include <nnrt/remote/host.hpp>

#include <nnrt/io/model_builder.hpp>
#include <nnrt/ops/relu.hpp>

#include "remote/hosted.hpp"
#include "remote/toy_driver.hpp"
#include "support/child_process.hpp"
#include "support/sanitized.hpp"

#include <doctest/doctest.h>

#include <sys/prctl.h>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <thread>

using namespace nnrt;
using namespace nnrt::remote;
using namespace nnrt_test;

namespace {

/// A host whose runs take up to 6 ms, so that most of its deaths come in the middle of some.
int be_host(const std::string& path) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto driver = std::make_shared<toy_driver>();
  driver->before = [](auto inputs, auto) {
    float first = 0;
    std::memcpy(&first, inputs[0].data, sizeof first);
    return ::usleep(static_cast<unsigned>(first) * 40 % 6000), result<void>();
  };
  auto listens = listening_socket::at(path);
  const owned_fd never(::eventfd(0, EFD_CLOEXEC));
  return listens && serve(hal::device(driver), *listens, never.number()) ? 0 : 1;
}

/// Starts hosts and kills them, until it is killed itself. Under a sanitizer hosts live longer, and need longer to be
/// back.
class killer {
 public:
  explicit killer(const std::string& path)
      : process_(begin_child([path] {
          ::prctl(PR_SET_PDEATHSIG, SIGKILL);
          std::mt19937 random(20261120);
          for (;;) {
            const ::pid_t host = begin_child([&] { return be_host(path); });
            for (int i = 0; i < 10'000 && !connect_to(path); ++i) ::usleep(1000);  // it shall be of use first
            ::usleep(slowness() * (5'000 + static_cast<unsigned>(random() % 60'000)));
            ::kill(host, SIGKILL);
            (void)end_of(host);
          }
          return 0;
        })) {}
  killer(const killer&) = delete;
  killer& operator=(const killer&) = delete;
  ~killer() {
    ::kill(process_, SIGKILL);
    (void)end_of(process_);
  }

 private:
  ::pid_t process_;
};

std::size_t shared_mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find("memfd:nnrt") != std::string::npos;
  return count;
}

/// What the threads met, all together.
struct tally {
  std::atomic<int> done{0}, wrong{0}, failed{0};
  std::atomic<std::int64_t> max_outage{0};  // nanoseconds from a failed run to the next that went well

  void note_outage(std::int64_t took) {
    std::int64_t known = max_outage;
    while (took > known && !max_outage.compare_exchange_weak(known, took)) {
    }
  }
};

model network() {
  model_builder b;
  (void)b.output("y", (*b.apply<ops::relu>({}, {*b.input("x", {f32, {2, -1}})}))[0]);
  return b.finish();
}

/// One thread's runs: every second one in memory that is shared with the host, the others in the thread's own.
void run_many(hal::driver& device, tally& all, int wanted, int thread) {
  std::mt19937 random(static_cast<unsigned>(thread));
  auto shared = device.allocate(8192);
  std::vector<float> x(512), y(512);
  std::unique_ptr<hal::execution> runs;
  std::int64_t failed_at = 0;
  while (all.done < wanted) {
    if (runs == nullptr) {
      auto prepared = device.prepare(network(), {});
      if (prepared) runs = std::move(*(*prepared)->make_execution());
      else ::usleep(1000);
      if (runs == nullptr) continue;
    }
    const bool is_shared = random() % 2 == 0;
    float* const in = is_shared ? reinterpret_cast<float*>(shared->data()) : x.data();
    float* const out = is_shared ? reinterpret_cast<float*>(shared->data() + 4096) : y.data();
    const std::size_t count = 2 * (1 + random() % 250);
    const float first = static_cast<float>(random() % 1000);
    for (std::size_t i = 0; i < count; ++i) in[i] = first + static_cast<float>(i), out[i] = -1;
    const hal::argument given{reinterpret_cast<std::byte*>(in), count * 4, {2, static_cast<std::int64_t>(count / 2)}};
    hal::argument made{reinterpret_cast<std::byte*>(out), count * 4, {}};
    if (const auto done = runs->run({&given, 1}, {&made, 1}, no_deadline); !done) {
      if (done.error().code() != error_code::device_failed) ++all.wrong;
      if (failed_at == 0) failed_at = steady_now();
      ++all.failed;
      runs = nullptr;
      continue;
    }
    if (failed_at != 0) all.note_outage(steady_now() - failed_at);
    failed_at = 0;
    bool is_right = made.shape == given.shape;
    for (std::size_t i = 0; i < count; ++i) is_right = is_right && out[i] == 2 * in[i] + 1;
    if (!is_right) ++all.wrong;
    ++all.done;
  }
}

}  // namespace

TEST_CASE("death: a thousand inferences from four threads survive hosts that are killed at random") {
  const char* const asked = std::getenv("NNRT_STRESS_INFERENCES");  // more of them, nightly
  const int wanted = asked != nullptr ? std::max(1000, std::atoi(asked)) : 1000;
  ::alarm(static_cast<unsigned>(60 + wanted / 20));  // a hang ends the test
  const temporary_folder folder;
  const std::string path = folder.file("socket");
  const std::size_t files = open_files(), mappings = shared_mappings();
  tally all;
  {
    const killer kills(path);
    auto device = connect(path);
    while (!device) device = connect(path);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) threads.emplace_back([&, t] { run_many(**device, all, wanted, t); });
    for (std::thread& t : threads) t.join();
  }
  ::alarm(0);
  MESSAGE(all.done.load() << " inferences, " << all.failed.load() << " failed, back after at most "
                          << all.max_outage.load() / 1'000'000 << " ms");
  CHECK(all.done >= wanted);
  CHECK(all.wrong == 0);
  CHECK(all.failed > 0);
  CHECK(all.max_outage < slowness() * std::int64_t{1'000'000'000});
  CHECK(open_files() == files);
  CHECK(shared_mappings() == mappings);
}

TEST_CASE("death: a run that is under way ends at once when its host is killed") {
  const temporary_folder folder;
  const std::string path = folder.file("socket");
  const ::pid_t host = begin_child([&] {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const auto driver = std::make_shared<toy_driver>();
    driver->before = [](auto, auto) { return ::sleep(30), result<void>(); };
    auto listens = listening_socket::at(path);
    const owned_fd never(::eventfd(0, EFD_CLOEXEC));
    return listens && serve(hal::device(driver), *listens, never.number()) ? 0 : 1;
  });
  auto device = connect(path);
  while (!device) device = connect(path);
  const auto prepared = (*device)->prepare(network(), {});
  REQUIRE(prepared);
  const auto runs = *(*prepared)->make_execution();
  std::thread kills([&] { ::usleep(50'000), ::kill(host, SIGKILL); });
  std::vector<float> x(4), y(4);
  const hal::argument in{reinterpret_cast<std::byte*>(x.data()), 16, {2, 2}};
  hal::argument out{reinterpret_cast<std::byte*>(y.data()), 16, {}};
  const std::int64_t begin = steady_now();
  const auto done = runs->run({&in, 1}, {&out, 1}, no_deadline);
  kills.join();
  CHECK(steady_now() - begin < 5'000'000'000);
  REQUIRE(!done);
  CHECK(done.error().code() == error_code::device_failed);
  CHECK(done.error().message().find("the driver's host has died") != std::string::npos);
  CHECK(*(*device)->status() == hal::device_status::offline);
  (void)end_of(host);
}

namespace {

/// A host in another process that the test stops and continues; its runs take this number of microseconds.
class stoppable {
 public:
  explicit stoppable(unsigned run_takes) {
    const std::string path = folder_.file("socket");
    process_ = begin_child([path, run_takes] {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      const auto driver = std::make_shared<toy_driver>();
      driver->before = [run_takes](auto, auto outputs) {
        ::usleep(run_takes);
        std::memset(outputs[0].data, 0x42, outputs[0].bytes);  // whatever the deadline says
        return result<void>();
      };
      auto listens = listening_socket::at(path);
      const owned_fd never(::eventfd(0, EFD_CLOEXEC));
      return listens && serve(hal::device(driver), *listens, never.number()) ? 0 : 1;
    });
    auto made = connect(path);
    while (!made) made = connect(path);
    device_ = std::move(*made);
  }
  stoppable(const stoppable&) = delete;
  stoppable& operator=(const stoppable&) = delete;
  ~stoppable() {
    ::kill(process_, SIGKILL);
    (void)end_of(process_);
  }
  void stop() {
    ::kill(process_, SIGSTOP);
    ::usleep(10'000);
  }
  void go_on() { ::kill(process_, SIGCONT); }
  hal::driver& device() { return *device_; }

 private:
  temporary_folder folder_;
  ::pid_t process_ = -1;
  std::shared_ptr<hal::driver> device_;
};

/// A run over [2, 2] numbers from `first` on. Empty: it went well; else what is wrong.
std::string run_wrongly(hal::execution& runs, float* x, float* y, float first, std::int64_t deadline) {
  for (int i = 0; i < 4; ++i) x[i] = first + static_cast<float>(i), y[i] = -1;
  const hal::argument in{reinterpret_cast<std::byte*>(x), 16, {2, 2}};
  hal::argument out{reinterpret_cast<std::byte*>(y), 16, {}};
  const auto done = runs.run({&in, 1}, {&out, 1}, deadline);
  if (!done) return done.error().code() == error_code::deadline_missed ? "missed" : done.error().message();
  for (int i = 0; i < 4; ++i)
    if (y[i] != 2 * x[i] + 1) return "wrong numbers";
  return "";
}
constexpr std::int64_t milliseconds = 1'000'000;

}  // namespace

TEST_CASE("death: a run with a deadline ends with it when its host is stopped, and its late answer is no other run's") {
  stoppable host(100'000);
  const auto prepared = host.device().prepare(network(), {});
  REQUIRE(prepared);
  const auto runs = *(*prepared)->make_execution(), others = *(*prepared)->make_execution();
  const auto memory = *host.device().allocate(8192);
  std::vector<float> own(2048);
  for (const bool is_shared : {false, true}) {
    CAPTURE(is_shared);
    float* const x = is_shared ? reinterpret_cast<float*>(memory.data()) : own.data();
    float* const y = x + 1024;
    CHECK(run_wrongly(*runs, x, y, 1, steady_now() + 10'000 * milliseconds) == "");
    std::thread stops([&] { ::usleep(30'000), host.stop(); });  // in the middle of the first run
    for (int again = 0; again < 3; ++again) {
      if (again == 1) stops.join();
      const std::int64_t begin = steady_now();
      CHECK(run_wrongly(*runs, x, y, 100, begin + 50 * milliseconds) == "missed");
      CHECK(steady_now() - begin >= 50 * milliseconds);
      CHECK(steady_now() - begin < slowness() * 1000 * milliseconds);
    }
    // The memory is the caller's again, also when the host continues.
    for (int i = 0; i < 4; ++i) y[i] = -7;
    host.go_on();
    CHECK(run_wrongly(*runs, x + 512, y + 512, 1000, steady_now() + 10'000 * milliseconds) == "");
    CHECK(run_wrongly(*others, x + 512, y + 512, 2000, no_deadline) == "");
    ::usleep(100'000);  // the first run has ended
    CHECK(std::count(y, y + 4, -7.0F) == 4);
  }
}

TEST_CASE(
    "death: a deadline holds for what a run needs before it begins, and a stopped host's client continues at the "
    "deadline") {
  stoppable host(0);
  const auto prepared = host.device().prepare(network(), {});
  REQUIRE(prepared);
  const auto runs = *(*prepared)->make_execution();
  const auto memory = *host.device().allocate(8192);  // the host has not seen it
  float* const x = reinterpret_cast<float*>(memory.data());
  const std::size_t files = open_files();
  host.stop();
  for (int again = 0; again < 3; ++again) {
    const std::int64_t begin = steady_now();
    CHECK(run_wrongly(*runs, x, x + 1024, 1, begin + 50 * milliseconds) == "missed");
    CHECK(steady_now() - begin < slowness() * 1000 * milliseconds);
  }
  hal::preferences soon;
  soon.deadline = steady_now() + 50 * milliseconds;
  const auto late = host.device().prepare(network(), soon);
  CHECK(steady_now() - soon.deadline < slowness() * 1000 * milliseconds);
  REQUIRE(!late);
  CHECK(late.error().code() == error_code::deadline_missed);
  host.go_on();
  CHECK(run_wrongly(*runs, x, x + 1024, 2, no_deadline) == "");
  CHECK(run_wrongly(*runs, x, x + 1024, 3, steady_now() + 10'000 * milliseconds) == "");
  CHECK(*host.device().status() == hal::device_status::available);
  CHECK(open_files() <= files + 1);  // the staging memory of runs with deadlines
}
