// host_test: what a host counts, whom it waits for and for how long, and who gets a place.
#include <nnrt/hal/cpu_driver.hpp>
#include <nnrt/io/model_builder.hpp>
#include <nnrt/ops/exp.hpp>
#include <nnrt/ops/reduce_sum.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/tile.hpp>
#include <nnrt/remote/activation.hpp>
#include <nnrt/remote/client.hpp>

#include "remote/hosted.hpp"
#include "remote/liar.hpp"
#include "remote/toy_driver.hpp"
#include "support/child_process.hpp"

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <csignal>
#include <cstdlib>
#include <list>
#include <memory>
#include <string>
#include <vector>

using namespace nnrt;
using namespace nnrt::remote;
using namespace nnrt_test;

namespace {

/// y = sum of exp(x + 0) over `count` copies of x [1, 1]: inputs and outputs of a few bytes, and an arena of 4 count
/// and more.
model of_large_arena(std::int64_t count) {
  model_builder b;
  const auto x = *b.input("x", {f32, {1, 1}});
  const std::int64_t wide[] = {1, count}, axis[] = {1};
  const auto copies = (*b.apply<ops::tile>({}, {x, *b.constant<std::int64_t>({i64, {2}}, wide)}))[0];
  const auto powers = (*b.apply<ops::exp>({}, {copies}))[0];
  ops::reduce_sum::attrs keeps;
  (void)b.output("y", (*b.apply<ops::reduce_sum>(keeps, {powers, *b.constant<std::int64_t>({i64, {1}}, axis)}))[0]);
  return b.finish();
}
model small_network() {
  model_builder b;
  (void)b.output("y", (*b.apply<ops::relu>({}, {*b.input("x", {f32, {2, 4}})}))[0]);
  return b.finish();
}

/// How a run on the numbers [1, 1] ended; empty: well.
std::string run_one(hal::prepared_model& of) {
  const auto runs = of.make_execution();
  if (!runs) return runs.error().message();
  float x = 0, y[1] = {};
  const hal::argument in{reinterpret_cast<std::byte*>(&x), sizeof x, {1, 1}};
  hal::argument out{reinterpret_cast<std::byte*>(y), sizeof y, {}};
  const auto done = (*runs)->run({&in, 1}, {&out, 1}, no_deadline);
  return done ? "" : done.error().message();
}

/// A liar with model 1 and memory 1, whose runs take as long as toy_model::run_milliseconds() says.
struct running_liar {
  liar client;
  owned_fd file{::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  explicit running_liar(const hosted& host) : client(host) {
    REQUIRE(::ftruncate(file.number(), 4096) == 0);
    REQUIRE(::fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    REQUIRE(client.ask(question::lend, lent_memory{1, 4096, {file.number(), 0, 0, 0}}).code == -1);
    REQUIRE(
        client.ask(question::prepare, wanted_model{{}, no_deadline, hdi::write_model(small_network())->model}).code ==
        -1);
  }
  bool begin_run() {
    return client.only_ask(question::run, run_order{1, no_deadline, 0, {{1, 0, 32, {2, 4}}}, {{1, 64, 32, {}}}});
  }
};

template <class Is> bool comes_true(Is is) {
  for (int i = 0; i < 500; ++i) {
    if (is()) return true;
    ::usleep(10'000);
  }
  return false;
}

}  // namespace

TEST_CASE("host: what runs take is counted for their client: arenas, and weights as kernels read them") {
  host_options options;
  options.most.memory_bytes = 1 << 20;
  const hosted host(std::make_shared<hal::cpu_driver>(), options);
  const auto device = *connect(host.path());
  const auto small = device->prepare(of_large_arena(1000), {}), large = device->prepare(of_large_arena(1 << 20), {});
  REQUIRE(small);
  REQUIRE(large);
  CHECK(run_one(**small) == "");
  const std::string refused = run_one(**large);
  CHECK(refused.find("session: ") != refused.npos);
  CHECK(refused.find("bytes more than") != refused.npos);
  CHECK(refused.find("expected at most 1048576") != refused.npos);
  CHECK(run_one(**small) == "");

  options.most.memory_bytes = 64 << 20;
  const hosted oversized(std::make_shared<hal::cpu_driver>(), options);
  const auto other = *connect(oversized.path());
  CHECK(run_one(**other->prepare(of_large_arena(1 << 20), {})) == "");
}

TEST_CASE("host: executions that wait for the next run are counted, and what a model took is free when it is dropped") {
  host_options options;
  const auto compiled = compile(of_large_arena(1 << 20));
  REQUIRE(compiled);
  const nnrt::session alone(*compiled);
  options.most.memory_bytes =
      static_cast<std::uint64_t>(alone.plan_of_steps().arena_bytes) * 3 / 2;  // for one, not for two
  const hosted host(std::make_shared<hal::cpu_driver>(), options);
  const auto device = *connect(host.path());
  auto first = *device->prepare(of_large_arena(1 << 20), {});
  CHECK(run_one(*first) == "");
  auto second = *device->prepare(of_large_arena(1 << 20), {});
  CHECK(run_one(*second).find("bytes more than") != std::string::npos);
  first.reset();
  (void)device->status();  // the host has dropped it by then
  CHECK(run_one(*second) == "");
}

TEST_CASE("host: a run ends when its client is gone, and other clients' runs do not") {
  const hosted host(std::make_shared<toy_driver>());
  toy_model::run_milliseconds() = 0;
  running_liar dies(host), lives(host);
  toy_model::run_milliseconds() = 20'000;
  const int before = toy_model::given_up();
  REQUIRE(dies.begin_run());
  REQUIRE(lives.begin_run());
  ::usleep(20'000);
  dies.client.hang_up();
  CHECK(comes_true([&] { return toy_model::given_up() == before + 1; }));
  ::usleep(100'000);
  CHECK(toy_model::given_up() == before + 1);
  lives.client.hang_up();
  CHECK(comes_true([&] { return toy_model::given_up() == before + 2; }));
  toy_model::run_milliseconds() = 0;
}

TEST_CASE("host: a preparation ends when its client is gone, and other clients' preparations do not") {
  const auto driver = std::make_shared<toy_driver>();
  const hosted host(driver);
  liar dies(host), lives(host);
  driver->preparation_milliseconds = 20'000;
  const auto ask = [](liar& client) {
    return client.only_ask(question::prepare, wanted_model{{}, no_deadline, hdi::write_model(small_network())->model});
  };
  REQUIRE(ask(dies));
  REQUIRE(ask(lives));
  REQUIRE(comes_true([&] { return driver->begun == 2; }));
  dies.hang_up();
  CHECK(comes_true([&] { return driver->given_up == 1; }));
  ::usleep(100'000);
  CHECK(driver->given_up == 1);
  driver->preparation_milliseconds = 0;
  CHECK(comes_true([&] { return driver->prepared == 1; }));
  CHECK(driver->given_up == 1);
}

TEST_CASE("host: the processor's preparation ends when nobody wants it any more") {
  hal::cpu_driver processor;
  std::atomic<bool> is_unwanted{false};
  hal::preferences wanted;
  wanted.is_unwanted = &is_unwanted;
  const auto made = processor.prepare(of_large_arena(4096), wanted);
  REQUIRE(made);
  is_unwanted = true;
  CHECK(run_one(**made) == "");  // what is prepared stays
  const auto unwanted = processor.prepare(of_large_arena(4096), wanted);
  REQUIRE(!unwanted);
  CHECK(unwanted.error().code() == error_code::deadline_missed);
}

TEST_CASE("host: the processor's run ends between two steps when its client is gone") {
  hal::cpu_driver processor;
  const auto made = processor.prepare(of_large_arena(4096), {});
  REQUIRE(made);
  const auto runs = *(*made)->make_execution();
  float x = 0, y = 0;
  const hal::argument in{reinterpret_cast<std::byte*>(&x), sizeof x, {1, 1}};
  hal::argument out{reinterpret_cast<std::byte*>(&y), sizeof y, {}};
  std::atomic<bool> is_unwanted{false};
  runs->stop_when(&is_unwanted);
  CHECK(runs->run({&in, 1}, {&out, 1}, no_deadline));
  is_unwanted = true;
  const auto ended = runs->run({&in, 1}, {&out, 1}, steady_now() + 60'000'000'000);
  REQUIRE(!ended);
  CHECK(ended.error().code() == error_code::deadline_missed);
  runs->stop_when(nullptr);
  CHECK(runs->run({&in, 1}, {&out, 1}, no_deadline));
}

TEST_CASE("host: who never asks anything is hung up on, and so is who has nothing here and stays silent") {
  host_options options;
  options.most.handshake_milliseconds = 100, options.most.idle_milliseconds = 300;
  const hosted host(std::make_shared<toy_driver>(), options);
  liar silent(host), idle(host);
  REQUIRE(idle.ask(question::hello, greeting{protocol_version}).code == -1);
  running_liar keeps(host);
  CHECK(silent.is_hung_up_within(5000));
  CHECK(idle.is_hung_up_within(5000));
  CHECK_FALSE(keeps.client.is_hung_up_within(700));
  CHECK(keeps.client.ask(question::hello, greeting{protocol_version}).code == -1);
}

TEST_CASE("host: silent connections do not take the places of those who ask") {
  host_options options;
  options.most.clients = 8;
  const hosted host(std::make_shared<toy_driver>(), options);
  std::list<liar> silent;
  for (int i = 0; i < 30; ++i) silent.emplace_back(host);
  // Each that comes takes the place of one that is silent, as long as there is one.
  std::vector<std::shared_ptr<hal::driver>> all;
  for (int i = 0; i < 6; ++i) {
    auto made = connect(host.path());
    REQUIRE(made);
    all.push_back(std::move(*made));
  }
  CHECK(!connect(host.path()));
}

TEST_CASE("host: a process that has a place leaves the last quarter to others") {
  host_options options;
  options.most.clients = 8;
  const hosted host(std::make_shared<toy_driver>(), options);
  std::vector<std::shared_ptr<hal::driver>> all;
  for (auto made = connect(host.path()); made && all.size() < 8; made = connect(host.path()))
    all.push_back(std::move(*made));
  CHECK(all.size() == 6);
  const auto another_process = [&] { return in_child([&] { return connect(host.path()) ? 0 : 1; }); };
  CHECK(another_process() == 0);
}

TEST_CASE("host: a process that is given a listening socket finds it by its environment, and no other") {
  struct row {
    const char* what;
    const char *process, *count;
    int type;
    bool listens;
    int expected;  // 0: a socket, 1: none, 2: refused
  };
  const row table[] = {
      {"one socket", "own", "1", SOCK_SEQPACKET, true, 0},
      {"nothing", nullptr, nullptr, SOCK_SEQPACKET, true, 1},
      {"another process's", "1", "1", SOCK_SEQPACKET, true, 1},
      {"no number", "own", "one", SOCK_SEQPACKET, true, 1},
      {"none", "own", "0", SOCK_SEQPACKET, true, 1},
      {"two sockets", "own", "2", SOCK_SEQPACKET, true, 2},
      {"a stream", "own", "1", SOCK_STREAM, true, 2},
      {"one that does not listen", "own", "1", SOCK_SEQPACKET, false, 2},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const temporary_folder folder;
    const std::string path = folder.file("socket");
    const int got = in_child([&] {
      const auto address = remote::detail::address_of(path);
      const int made = ::socket(AF_UNIX, r.type, 0);
      if (::bind(made, reinterpret_cast<const ::sockaddr*>(&*address), sizeof *address) != 0) return 9;
      if (r.listens && ::listen(made, 4) != 0) return 9;
      if (made != 3 && ::dup2(made, 3) != 3) return 9;
      if (r.process != nullptr)
        ::setenv("LISTEN_PID", std::string(r.process) == "own" ? std::to_string(::getpid()).c_str() : r.process, 1);
      if (r.count != nullptr) ::setenv("LISTEN_FDS", r.count, 1);
      const auto found = activated_socket();
      if (std::getenv("LISTEN_FDS") != nullptr || std::getenv("LISTEN_PID") != nullptr) return 8;
      if (!found) return 2;
      if (!*found) return 1;
      return (*found)->path() == path && (*found)->number() == 3 ? 0 : 7;
    });
    CHECK(got == r.expected);
    CHECK(std::filesystem::exists(path));  // it is the other process's to remove
  }
}
