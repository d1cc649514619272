// client_test: a driver in another process is the driver that it would be in this one - and what happens when its host
// dies, or its client lies.
#include <nnrt/remote/client.hpp>

#include <nnrt/hal/device.hpp>
#include <nnrt/io/model_builder.hpp>
#include <nnrt/ops/erf.hpp>
#include <nnrt/ops/relu.hpp>

#include "remote/hosted.hpp"
#include "remote/liar.hpp"
#include "remote/pair_of_sockets.hpp"
#include "remote/toy_driver.hpp"
#include "support/child_process.hpp"
#include "support/failing_memory.hpp"
#include "support/float_environments.hpp"
#include "support/sanitized.hpp"

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <future>
#include <thread>

using namespace nnrt;
using namespace nnrt::remote;
using namespace nnrt_test;

namespace {

model network(shape_t shape = {2, -1}, int nodes = 1) {
  model_builder b;
  auto x = *b.input("x", {f32, shape});
  for (int i = 0; i < nodes; ++i) x = (*b.apply<ops::relu>({}, {x}))[0];
  (void)b.output("y", x);
  return b.finish();
}

std::byte* bytes_in(std::vector<float>& list) { return reinterpret_cast<std::byte*>(list.data()); }

/// Runs over [2, n] numbers in memory of the test's own. Nothing: the numbers are right; else what is wrong.
std::string run_wrongly(hal::execution& runs, float first, std::int64_t n, std::int64_t deadline = no_deadline) {
  std::vector<float> x(static_cast<std::size_t>(2 * n)), y(x.size(), -1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = first + static_cast<float>(i);
  const hal::argument in{bytes_in(x), x.size() * sizeof(float), {2, n}};
  hal::argument out{bytes_in(y), y.size() * sizeof(float), {}};
  if (auto done = runs.run({&in, 1}, {&out, 1}, deadline); !done) return done.error().message();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (y[i] != 2 * x[i] + 1) return "wrong numbers";
  return out.shape == shape_t{2, n} ? "" : "a wrong shape";
}

std::shared_ptr<hal::driver> connected(const hosted& host) {
  auto made = connect(host.path());
  REQUIRE(made);
  return *made;
}
std::shared_ptr<hal::prepared_model> prepared(hal::driver& device, const model& of = network()) {
  auto made = device.prepare(of, {});
  REQUIRE_MESSAGE(made, (made ? std::string() : made.error().message()));
  return *made;
}

/// What a host says to a question that went well: these structures.
hdi::writer answer(const auto&... with) {
  hdi::writer said;
  hdi::marshal(said, ending{-1, {}});
  (hdi::marshal(said, with), ...);
  return said;
}

/// A host that says what the test wants, over one connection in addition to the first; to one question twice.
class dictated_host {
 public:
  explicit dictated_host(std::function<hdi::writer(question)> answers, question answered_twice = {})
      : answers_(std::move(answers)), answered_twice_(answered_twice), thread_([this] { serve(); }) {}
  dictated_host(const dictated_host&) = delete;
  dictated_host& operator=(const dictated_host&) = delete;
  ~dictated_host() {
    sockets_.mine = {};
    thread_.join();  // devices are gone by then
  }
  std::shared_ptr<hal::driver> connected() {
    auto made = connection::over(std::move(sockets_.mine), "the test");
    REQUIRE(made);
    return std::make_shared<remote_driver>("the test", std::move(*made));
  }

 private:
  void serve() {
    for (bool goes_on = true; goes_on;) {
      ::pollfd waiting[] = {{sockets_.theirs.number(), POLLIN, 0}, {further_.theirs.number(), POLLIN, 0}};
      (void)::poll(waiting, 2, -1);
      if (waiting[1].revents != 0 && !serve_one(further_.theirs)) further_.theirs = {};
      if (waiting[0].revents != 0) goes_on = serve_one(sockets_.theirs);
    }
  }
  bool serve_one(const owned_fd& socket) {
    packet asked;
    if (receive(socket.number(), asked) != arrival::message) return false;
    const bool opens = asked.asked == static_cast<std::uint32_t>(question::open);
    hdi::writer said = opens ? answer() : answers_(static_cast<question>(asked.asked));
    if (opens) said.descriptors.push_back(further_.mine.number());
    bool is_sent = send(socket.number(), asked.asked, said, asked.number).has_value();
    if (asked.asked == static_cast<std::uint32_t>(answered_twice_))
      is_sent = is_sent && send(socket.number(), asked.asked, said, asked.number).has_value();
    if (opens) further_.mine = {};
    return is_sent;
  }

  std::function<hdi::writer(question)> answers_;
  question answered_twice_;
  pair_of_sockets sockets_, further_;
  std::thread thread_;
};

/// Answers of a host with one model, from floats [2, 4] to as many, all of whose runs give the same.
auto of_a_model_whose_runs_give(const run_result& made) {
  return [made](question what) {
    model_end end = end_of({f32, {2, 4}}, "end", nullptr);
    end.no_range = "any";
    if (what == question::hello) return answer(device_facts{protocol_version, "d", "v", 1, 0, hdi::CPU, {}, {}, 1});
    if (what == question::prepare) return answer(model_facts{1, {end}, {end}});
    return what == question::run ? answer(made) : answer();
  };
}

}  // namespace

TEST_CASE("client: the device is described as its driver describes itself") {
  const auto driver = std::make_shared<toy_driver>();
  const hosted host(driver);
  const auto device = connected(host);
  CHECK(device->name() == "remote_toy");
  CHECK(device->vendor() == "test");
  CHECK(device->major_version() == 3);
  CHECK(device->minor_version() == driver->minor_version());
  CHECK(*device->type() == hal::device_type::accelerator);
  CHECK(*device->status() == hal::device_status::available);
  const auto can = *device->supported_features();
  CHECK(can.caching);
  CHECK(can.dynamic_inputs);
  CHECK(!can.float16);
  CHECK(!can.performance);
  CHECK(device->cost_of(f32).time == 0.25F);
  CHECK(device->cost_of(i8).time == 2.0F);
}

TEST_CASE("client: numbers of a host that mean nothing are no status and no type") {
  std::atomic<int> now{0};
  dictated_host host([&](question what) {
    if (what == question::hello)
      return answer(device_facts{protocol_version, "d", "v", 1, 0, static_cast<hdi::DeviceType>(4), {}, {}, 1});
    return answer(device_state{static_cast<hdi::DeviceStatus>(now.load())});
  });
  const auto device = host.connected();
  const auto type = device->type();
  REQUIRE(!type);
  CHECK(type.error().code() == error_code::device_failed);
  CHECK(type.error().message() == "the test: the driver's host says that its type is 4, expected 0 to 3");
  for (const auto& [said, means] : {std::pair{0, hal::device_status::available},
                                    {3, hal::device_status::unknown},
                                    {4, hal::device_status::unknown},
                                    {-1, hal::device_status::unknown}}) {
    now = said;
    CHECK(*device->status() == means);
  }
}

TEST_CASE("client: a host that makes more of an output than there can be has died, and nothing is copied") {
  dictated_host host(of_a_model_whose_runs_give(run_result{{{2, 1 << 20}}}));
  const auto device = host.connected();
  const auto runs = *prepared(*device, network({2, 4}))->make_execution();
  std::vector<float> x(8, 1), y(2 << 20, -5);
  const hal::argument in{bytes_in(x), 32, {2, 4}};
  hal::argument out{bytes_in(y), y.size() * sizeof(float), {}};  // more than the output can need
  // so it goes through memory of the client's
  const auto done = runs->run({&in, 1}, {&out, 1}, steady_now() + 10'000'000'000);
  REQUIRE(!done);
  CHECK(done.error().code() == error_code::device_failed);
  CHECK(done.error().message() == "the test: the driver's host makes outputs that do not fit");
  CHECK(std::count(y.begin(), y.end(), -5.0F) == 2 << 20);
}

TEST_CASE("client: a host that tells of fewer outputs than the model has has died") {
  dictated_host host(of_a_model_whose_runs_give(run_result{}));
  const auto device = host.connected();
  const auto runs = *prepared(*device, network({2, 4}))->make_execution();
  CHECK(run_wrongly(*runs, 1, 4) == "the test: the driver's host forgets outputs");
}

TEST_CASE("client: a host that answers a run twice has died, and its second answer is no other run's") {
  dictated_host host(of_a_model_whose_runs_give(run_result{{{2, 4}}}), question::run);
  const auto device = host.connected();
  const auto runs = *prepared(*device, network({2, 4}))->make_execution();
  std::vector<float> x(8), y(8);
  const hal::argument in{bytes_in(x), 32, {2, 4}};
  hal::argument out{bytes_in(y), 32, {}};
  CHECK(runs->run({&in, 1}, {&out, 1}, no_deadline));
  const auto again = runs->run({&in, 1}, {&out, 1}, no_deadline);
  REQUIRE(!again);
  CHECK(again.error().message() == "the test: the driver's host answers another question");
}

TEST_CASE("client: a host that tells of extents which no input can have has died") {
  struct row {
    longs least, most;
    bool is_taken;
  };
  const row table[] = {
      {{2, 4}, {2, 4}, true},
      {{2, 0}, {2, 9}, true},
      {{2, 4}, {2}, false},
      {{2}, {2, 4}, false},
      {{1, 1, 1, 1, 1, 1, 1, 1}, {7}, false},
      {{}, {}, false},
      {{2, -1}, {2, 4}, false},
      {{2, 5}, {2, 4}, false},
  };
  for (const row& r : table) {
    CAPTURE(r.least.size());
    CAPTURE(r.most.size());
    dictated_host host([&](question what) {
      model_end end = end_of({f32, {2, 4}}, "end", nullptr);
      if (what == question::hello) return answer(device_facts{protocol_version, "d", "v", 1, 0, hdi::CPU, {}, {}, 1});
      if (what != question::prepare) return answer();
      const model_end out = end;
      end.least = r.least, end.most = r.most;
      return answer(model_facts{1, {end}, {out}});
    });
    const auto device = host.connected();
    const auto made = device->prepare(network({2, 4}), {});
    CHECK(made.has_value() == r.is_taken);
    if (!made) CHECK(made.error().message() == "the test: the driver's host tells of tensors that cannot be");
  }
}

TEST_CASE("client: a host may give its device another name") {
  host_options options;
  options.name = "npu";
  const hosted host(std::make_shared<toy_driver>(), options);
  CHECK(connected(host)->name() == "npu");
}

TEST_CASE("client: refusals arrive node by node, however many") {
  const hosted host(std::make_shared<toy_driver>());
  model_builder b;
  auto x = *b.input("x", {f32, {2, 2}});
  for (int i = 0; i < 2000; ++i) x = i % 3 == 1 ? (*b.apply<ops::erf>({}, {x}))[0] : (*b.apply<ops::relu>({}, {x}))[0];
  (void)b.output("y", x);
  const auto reasons = connected(host)->refusals(b.finish());
  REQUIRE(reasons);
  REQUIRE(reasons->size() == 2000);
  for (std::size_t i = 0; i < 2000; ++i) CHECK((*reasons)[i] == (i % 3 == 1 ? "it is erf" : ""));
}

TEST_CASE("client: a prepared model has the ends and the wishes that it had here") {
  const auto driver = std::make_shared<toy_driver>();
  const hosted host(driver);
  model_builder b;
  const auto x = b.input("x", {u8, format::nchw, {1, 3, -1, 5}, quant{0.5F, 3}});
  const auto other = b.input("other", {f32, {}});
  (void)b.output("y", *x), (void)b.output("same", *other);
  hal::preferences wanted{hal::performance::high,
                          hal::priority::low,
                          true,
                          {{"ModelName", {std::byte{1}, std::byte{0}, std::byte{2}}}, {"empty", {}}}};
  const auto made = connected(host)->prepare(b.finish(), wanted);
  REQUIRE_MESSAGE(made, (made ? std::string() : made.error().message()));
  REQUIRE((*made)->input_count() == 2);
  REQUIRE((*made)->output_count() == 2);
  CHECK((*made)->input_desc(0) == tensor_desc(u8, format::nchw, {1, 3, -1, 5}, quant{0.5F, 3}));
  CHECK((*made)->input_desc(1) == tensor_desc(f32, {}));
  CHECK((*made)->input_name(1) == "other");
  CHECK((*made)->output_name(0) == "y");
  CHECK((*made)->output_name(1) == "same");
  REQUIRE((*made)->input_range(0));
  CHECK((*made)->input_range(0)->least == shape_t{1, 3, 0, 5});
  CHECK((*made)->input_range(0)->most == shape_t{1, 3, 1 << 30, 5});
  const auto range = (*made)->input_range(1);
  REQUIRE(!range);
  CHECK(range.error().code() == error_code::not_supported);
  CHECK(range.error().message() == "the second input may have any extents");
  const hal::preferences seen = *driver->seen;
  CHECK(seen.speed == hal::performance::high);
  CHECK(seen.turn == hal::priority::low);
  CHECK(seen.float16);
  REQUIRE(seen.extensions.size() == 2);
  CHECK(seen.extensions[0].value == wanted.extensions[0].value);
  CHECK(seen.extensions[1].name == "empty");
}

TEST_CASE("client: runs give the driver's numbers, for any shape and from several threads at once") {
  const auto driver = std::make_shared<toy_driver>();
  const hosted host(driver);
  const auto model = prepared(*connected(host));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const auto runs = *model->make_execution();
      for (int i = 0; i < 100; ++i)
        if (!run_wrongly(*runs, static_cast<float>(1000 * t + i), 1 + (i * 37 + t) % 300).empty()) ++wrong;
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("client: the host reads and writes a tensor of its device where it is") {
  const auto driver = std::make_shared<toy_driver>();
  driver->before = [](auto inputs, auto outputs) -> result<void> {
    // The test changes its input when it sees the output change: with a copy on either side this would never end.
    auto* const seen = reinterpret_cast<float*>(outputs[0].data);
    const auto* const x = reinterpret_cast<const float*>(inputs[0].data);
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(seen), 77, __ATOMIC_SEQ_CST);
    const std::int64_t end = steady_now() + 5'000'000'000;
    while (__atomic_load_n(reinterpret_cast<const std::uint32_t*>(x), __ATOMIC_SEQ_CST) == 0)
      if (steady_now() > end) return fail(error_code::device_failed, "the input is a copy");
    return {};
  };
  const hosted host(driver);
  const auto device = connected(host);
  const auto memory = *device->allocate(4096);
  const auto model = prepared(*device);
  const auto runs = *model->make_execution();
  const hal::argument in{memory.data() + 1024, 32, {2, 4}};
  hal::argument out{memory.data() + 2048, 32, {}};
  std::thread changes([&] {
    while (__atomic_load_n(reinterpret_cast<const std::uint32_t*>(memory.data() + 2048), __ATOMIC_SEQ_CST) != 77)
      std::this_thread::yield();
    const float five = 5;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &five, sizeof bits);
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(memory.data() + 1024), bits, __ATOMIC_SEQ_CST);
  });
  const auto done = runs->run({&in, 1}, {&out, 1}, no_deadline);
  changes.join();
  REQUIRE_MESSAGE(done, (done ? std::string() : done.error().message()));
  float y = 0;
  std::memcpy(&y, memory.data() + 2048, sizeof y);
  CHECK(y == 11);
}

TEST_CASE(
    "client: memory that could not be made whole is not taken for memory of the device when another one lies there") {
  const auto lends = std::make_shared<nnrt::remote::detail::lender>();
  std::byte* const where = lends->allocate(1 << 16)->data();  // and the next one is, too
  bool is_whole = false;
  for (long n = 0; !is_whole; ++n) {
    CAPTURE(n);
    begin_shortage({n, false});
    is_whole = lacking([&] {
      try {
        return lends->allocate(1 << 16).has_value();
      } catch (const std::bad_alloc&) {
        return false;
      }
    });
    place found;
    const auto is_lent = lends->find(nullptr, {where, 32, {}}, found, no_deadline);
    REQUIRE(is_lent);
    CHECK(!*is_lent);
  }
}

TEST_CASE("client: an output that is too small is refused, and its shape told") {
  const hosted host(std::make_shared<toy_driver>());
  const auto model = prepared(*connected(host));
  const hal::prepared_model_handle runs(model);
  std::vector<float> x(20, 1), y(20);
  hal::request asked{{{bytes_in(x), 80, {2, 10}}}, {{bytes_in(y), 76, {}}}};
  hal::outcome how = runs.execute(asked);
  CHECK(how.ended == hal::status::output_insufficient_size);
  REQUIRE(how.outputs.size() == 1);
  CHECK(how.outputs[0].shape == shape_t{2, 10});
  CHECK(!how.outputs[0].is_sufficient);
  asked.outputs[0].bytes = 80;
  how = runs.execute(asked);
  CHECK(how.ended == hal::status::none);
  CHECK(how.outputs[0].shape == shape_t{2, 10});
  CHECK(y[19] == 3);
}

TEST_CASE("client: a tensor whose file its owner has closed fails its run, and no other") {
  const hosted host(std::make_shared<toy_driver>());
  const auto device = connected(host);
  const auto model = prepared(*device), other = prepared(*device);
  const auto others = *other->make_execution();
  CHECK(run_wrongly(*others, 1, 3) == "");
  const auto memory = *device->allocate(4096);
  const owned_fd spare(::memfd_create("test", MFD_CLOEXEC));
  REQUIRE(::close(memory.fd()) == 0);
  std::vector<float> y(8);
  const hal::argument in{memory.data(), 32, {2, 4}};
  hal::argument out{bytes_in(y), 32, {}};
  const auto done = (*model->make_execution())->run({&in, 1}, {&out, 1}, no_deadline);
  REQUIRE(::dup2(spare.number(), memory.fd()) == memory.fd());  // which closes it again
  REQUIRE(!done);
  CHECK(done.error().code() == error_code::io_failed);
  CHECK(done.error().message().find("Bad file descriptor") != std::string::npos);
  CHECK(run_wrongly(*others, 1, 3) == "");
}

TEST_CASE("client: the bytes after an output do not change") {
  const hosted host(std::make_shared<toy_driver>());
  const auto runs = *prepared(*connected(host))->make_execution();
  std::vector<float> x(40, 1), y(40, -5);
  for (const std::int64_t n : {20, 10}) {
    std::fill(y.begin(), y.end(), -5.0F);
    const hal::argument in{bytes_in(x), static_cast<std::size_t>(8 * n), {2, n}};
    hal::argument out{bytes_in(y), 160, {}};
    REQUIRE(runs->run({&in, 1}, {&out, 1}, no_deadline));
    CHECK(std::count(y.begin(), y.end(), 3.0F) == 2 * n);
    CHECK(std::count(y.begin(), y.end(), -5.0F) == 40 - 2 * n);
  }
}

TEST_CASE("client: callers who say that they have more memory than there is are given what fits, or an error") {
  const hosted host(std::make_shared<toy_driver>());
  const auto device = connected(host);
  constexpr std::size_t endless = ~std::size_t{0};
  std::vector<float> x(20, 1), y(20);
  const hal::argument in{bytes_in(x), endless, {2, 10}};
  hal::argument out{bytes_in(y), endless, {}};
  const auto whole = *prepared(*device, network({2, 10}))->make_execution();
  CHECK(whole->run({&in, 1}, {&out, 1}, no_deadline));
  CHECK(y[19] == 3);
  const auto open = *prepared(*device)->make_execution();
  for (const std::size_t bytes : {endless, endless - 64, std::size_t{1} << 62U}) {
    out.bytes = bytes;
    CHECK(!open->run({&in, 1}, {&out, 1}, no_deadline));
  }
  out.bytes = 80;
  CHECK(open->run({&in, 1}, {&out, 1}, no_deadline));
}

TEST_CASE("client: a tensor without memory is refused before the host hears of it") {
  const hosted host(std::make_shared<toy_driver>());
  const auto runs = *prepared(*connected(host))->make_execution();
  std::vector<float> x(8, 1);
  const hal::argument in{bytes_in(x), 32, {2, 4}}, no_in{nullptr, 32, {2, 4}};
  hal::argument out{nullptr, 32, {}};
  for (const hal::argument& first : {in, no_in}) {
    const auto done = runs->run({&first, 1}, {&out, 1}, no_deadline);
    REQUIRE(!done);
    CHECK(done.error().code() == error_code::invalid_argument);
    CHECK(done.error().message() == (first.data == nullptr ? "tensor 0: has no memory" : "tensor 1: has no memory"));
  }
  CHECK(run_wrongly(*runs, 1, 4) == "");
}

TEST_CASE("client: a deadline is the driver's, too") {
  const auto driver = std::make_shared<toy_driver>();
  driver->before = [](auto, auto) { return ::usleep(50'000), result<void>(); };
  const hosted host(driver);
  const auto runs = *prepared(*connected(host))->make_execution();
  CHECK(run_wrongly(*runs, 1, 3, steady_now() + 10'000'000) == "too slow");
  CHECK(run_wrongly(*runs, 1, 3, steady_now() - 1) == "the deadline is over");
  CHECK(run_wrongly(*runs, 1, 3, steady_now() + 10'000'000'000) == "");
}

TEST_CASE("client: what is exported can be restored, and other bytes cannot") {
  const hosted host(std::make_shared<toy_driver>());
  const auto device = connected(host);
  const auto exported = prepared(*device)->exported();
  REQUIRE(exported);
  REQUIRE(exported->size() == 3);
  CHECK((*exported)[0] == std::vector<std::byte>{std::byte{7}, std::byte{8}});
  CHECK((*exported)[1].empty());
  CHECK((*exported)[2] == std::vector<std::byte>(100'000, std::byte{9}));
  std::vector<array_ref<const std::byte>> views(exported->begin(), exported->end());
  const auto again = device->restore(views, {});
  REQUIRE_MESSAGE(again, (again ? std::string() : again.error().message()));
  CHECK(run_wrongly(**(*again)->make_execution(), 1, 3) == "");
  views.pop_back();
  const auto refused = device->restore(views, {});
  REQUIRE(!refused);
  CHECK(refused.error().code() == error_code::invalid_file);
  CHECK(refused.error().message() == "other bytes");
  const std::byte file[3] = {};
  CHECK(device->prepare_offline(file, {}));
  CHECK(!device->prepare_offline({file, 2}, {}));
}

TEST_CASE("client: constants of many megabytes and thousands of nodes are no trouble") {
  const auto driver = std::make_shared<toy_driver>();
  const hosted host(driver);
  const auto device = connected(host);
  CHECK(prepared(*device, network({2, 3}, 5000))->output_desc(0).shape == shape_t{2, 3});
  model_builder b;
  const std::vector<float> numbers(16U << 20U, 1.5F);
  (void)b.input("x", {f32, {2}});
  (void)b.output("y", *b.constant<float>({f32, {16 << 20}}, numbers));
  CHECK(prepared(*device, b.finish())->output_desc(0).shape == shape_t{16 << 20});
}

TEST_CASE("client: what a client may have has limits, and what it gives back counts no more") {
  host_options options;
  options.most.models = 3, options.most.memory_bytes = 10'000, options.most.memories = 4;
  const hosted host(std::make_shared<toy_driver>(), options);
  const auto device = connected(host);
  {
    std::vector<std::shared_ptr<hal::prepared_model>> models;
    for (int i = 0; i < 3; ++i) models.push_back(prepared(*device));
    const auto fourth = device->prepare(network(), {});
    REQUIRE(!fourth);
    CHECK(fourth.error().code() == error_code::out_of_memory);
  }
  const auto model = prepared(*device);
  for (int i = 0; i < 20; ++i) {
    const auto runs = *model->make_execution();
    CHECK(run_wrongly(*runs, 1, 100) == "");
    CHECK(run_wrongly(*runs, 1, 3000).find("may lend no more") != std::string::npos);
  }
  model_builder b;
  const std::vector<float> numbers(3000);
  (void)b.output("y", *b.constant<float>({f32, {3000}}, numbers));
  const auto large = device->prepare(b.finish(), {});
  REQUIRE(!large);
  CHECK(large.error().code() == error_code::out_of_memory);
}

TEST_CASE("client: more runs at once than a client may have connections wait for each other") {
  host_options options;
  options.most.connections = 2;
  const hosted host(std::make_shared<toy_driver>(), options);
  const auto model = prepared(*connected(host));
  std::vector<std::future<std::string>> all;
  for (int t = 0; t < 8; ++t)
    all.push_back(std::async(std::launch::async, [&, t] {
      const auto runs = *model->make_execution();
      for (int i = 0; i < 20; ++i)
        if (std::string wrong = run_wrongly(*runs, static_cast<float>(t), 5); !wrong.empty()) return wrong;
      return std::string();
    }));
  for (auto& one : all) CHECK(one.get() == "");
}

TEST_CASE("host: as many executions wait for a client's next runs as it has connections, and one of each model") {
  host_options options;
  options.most.connections = 4;
  const auto driver = std::make_shared<toy_driver>();
  std::atomic<int> running{0};
  driver->before = [&](auto, auto) {
    for (++running; running % 4 != 0;) ::usleep(100);  // four at once
    return result<void>();
  };
  const hosted host(driver, options);
  const auto device = connected(host);
  const int before = toy_model::executions().load();
  std::vector<std::shared_ptr<hal::prepared_model>> models;
  for (const int expected : {4, 5, 6}) {
    models.push_back(prepared(*device));
    std::vector<std::future<std::string>> all;
    for (int t = 0; t < 4; ++t)
      all.push_back(
          std::async(std::launch::async, [&] { return run_wrongly(**models.back()->make_execution(), 1, 5); }));
    for (auto& one : all) CHECK(one.get() == "");
    CHECK(toy_model::executions().load() == before + expected);
  }
  models.erase(models.begin());
  (void)device->status();  // the host has dropped it by then
  CHECK(toy_model::executions().load() == before + 2);
  running = 3;
  for (int i = 0; i < 2; ++i, running = 3) CHECK(run_wrongly(**models[1]->make_execution(), 1, 5) == "");
  CHECK(toy_model::executions().load() == before + 2);
}

TEST_CASE("client: a preparation that finds no connection free by its deadline leaves the host to the others") {
  host_options options;
  options.most.connections = 1;
  const auto driver = std::make_shared<toy_driver>();
  std::atomic<bool> runs_now{false}, may_end{false};
  driver->before = [&](auto, auto) {
    runs_now = true;
    while (!may_end) ::usleep(1000);
    return result<void>();
  };
  const hosted host(driver, options);
  const auto device = connected(host);
  const auto model = prepared(*device);
  auto other = std::async(std::launch::async, [&] { return run_wrongly(**model->make_execution(), 1, 3); });
  while (!runs_now) ::usleep(1000);
  hal::preferences soon;
  soon.deadline = steady_now() + 50'000'000;
  const auto late = device->prepare(network(), soon);
  may_end = true;
  REQUIRE(!late);
  CHECK(late.error().code() == error_code::deadline_missed);
  CHECK(late.error().message().find("others have all 1 connections") != std::string::npos);
  CHECK(other.get() == "");
  CHECK(run_wrongly(**model->make_execution(), 2, 3) == "");
}

TEST_CASE("client: when the host is gone its models fail, and the next preparation finds the next host") {
  const auto driver = std::make_shared<toy_driver>();
  auto first = std::make_unique<hosted>(driver);
  const std::string path = first->path();
  const temporary_folder folder;  // of the second host
  const auto device = connected(*first);
  const auto model = prepared(*device);
  const auto runs = *model->make_execution();
  CHECK(run_wrongly(*runs, 1, 3) == "");
  first->stop();
  const hal::argument none;
  (void)none;
  CHECK(run_wrongly(*runs, 1, 3).find("has died") != std::string::npos);
  CHECK(*device->status() == hal::device_status::offline);
  const auto nobody = device->prepare(network(), {});
  REQUIRE(!nobody);
  CHECK(nobody.error().code() == error_code::not_found);
  {
    const hosted second(driver, {}, path);
    CHECK(*device->status() == hal::device_status::available);
    CHECK(run_wrongly(**prepared(*device)->make_execution(), 1, 3) == "");
    CHECK(run_wrongly(*runs, 1, 3).find("has died") != std::string::npos);
  }
  host_options options;
  options.name = "somebody";
  const hosted third(driver, options, path);
  const auto other = device->prepare(network(), {});
  REQUIRE(!other);
  CHECK(other.error().code() == error_code::device_failed);
  CHECK(other.error().message().find("somebody") != std::string::npos);
}

TEST_CASE("client: nothing stays open, neither here nor in the host") {
  const hosted host(std::make_shared<toy_driver>());
  const auto once = [&] {
    const auto device = connected(host);
    const auto memory = *device->allocate(4096);
    const auto model = prepared(*device);
    const hal::argument in{memory.data(), 32, {2, 4}};
    hal::argument out{memory.data() + 64, 32, {}};
    CHECK((*model->make_execution())->run({&in, 1}, {&out, 1}, no_deadline));
    CHECK(run_wrongly(**model->make_execution(), 1, 7) == "");
    CHECK(model->exported());
  };
  once();
  const auto files_left = [&](std::size_t files) {  // threads of the host end a moment later
    for (int i = 0; i < 500 && open_files() > files; ++i) connected(host), ::usleep(10'000);
    return open_files();
  };
  const std::size_t before = files_left(0);
  for (int i = 0; i < 20; ++i) once();
  CHECK(files_left(before) <= before);
}

namespace {
constexpr auto invalid = static_cast<std::int32_t>(error_code::invalid_argument);
}  // namespace

TEST_CASE("host: questions that are none, or not whole, are answered with what is wrong") {
  const hosted host(std::make_shared<toy_driver>());
  liar client(host);
  CHECK(client.send_and_hear(0, {}).reason == "driver's host: got question 0, expected 1 to 12");
  CHECK(client.send_and_hear(13, {}).code == static_cast<std::int32_t>(error_code::not_supported));
  CHECK(client.ask(question::hello, greeting{protocol_version + 1}).reason ==
        "driver's host: got protocol 4, expected 3");
  CHECK(client.ask(question::hello, greeting{protocol_version - 1}).reason ==
        "driver's host: got protocol 2, expected 3");
  hdi::writer half;
  half.put_raw(std::int32_t{1});
  CHECK(client.send_and_hear(2, half).code == static_cast<std::int32_t>(error_code::invalid_file));
  hdi::writer long_one;
  hdi::marshal(long_one, greeting{1});
  long_one.put_raw(std::int32_t{1});
  CHECK(client.send_and_hear(1, long_one).reason == "message: has 4 bytes too many");
  CHECK(client.ask(question::hello, greeting{protocol_version}).code == -1);
  REQUIRE(::send(client.socket(), "x", 1, 0) == 1);
  CHECK(client.ask(question::hello, greeting{protocol_version}).code == -2);
}

TEST_CASE("host: memory that could shrink, or is none, is not taken") {
  const hosted host(std::make_shared<toy_driver>());
  liar client(host);
  const owned_fd loose(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING)),
      sealed(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  REQUIRE(::ftruncate(loose.number(), 4096) == 0);
  REQUIRE(::ftruncate(sealed.number(), 4096) == 0);
  REQUIRE(::fcntl(sealed.number(), F_ADD_SEALS, F_SEAL_SHRINK) == 0);
  const auto lend = [&](std::uint64_t number, std::uint64_t bytes, int fd) {
    return client.ask(question::lend, lent_memory{number, bytes, {fd, 0, 0, 0}});
  };
  CHECK(lend(1, 4096, loose.number()).reason.find("may become shorter") != std::string::npos);
  CHECK(lend(1, 4096, -1).code == invalid);
  CHECK(lend(1, 4096, client.socket()).code == invalid);
  CHECK(lend(1, 4097, sealed.number()).reason == "memory: got 4097 bytes of a file of 4096");
  CHECK(lend(1, 0, sealed.number()).code == invalid);
  CHECK(lend(1, 4096, sealed.number()).code == -1);
  CHECK(lend(1, 4096, sealed.number()).reason == "memory 1: is lent already");
  CHECK(client.ask(question::take_back, ticket{2}).code == invalid);
  CHECK(client.ask(question::take_back, ticket{1}).code == -1);
  CHECK(client.ask(question::take_back, ticket{1}).code == invalid);
  hdi::Model m;
  hdi::Tensor t;
  t.name = "c", t.dataType = hdi::DATA_TYPE_INT8, t.dims = {8}, t.format = hdi::FORMAT_NONE;
  t.data = {loose.number(), 4096, 0, 8};
  m.allTensors.push_back(t);
  m.outputIndex = {0};
  CHECK(client.ask(question::prepare, wanted_model{{}, no_deadline, m}).reason.find("F_SEAL_SHRINK") !=
        std::string::npos);
  m.allTensors[0].data.fd = sealed.number();
  CHECK(client.ask(question::prepare, wanted_model{{}, no_deadline, m}).code == -1);
  hdi::ModelConfig config{};
  config.mode = static_cast<hdi::PerformanceMode>(9);
  CHECK(client.ask(question::prepare, wanted_model{config, no_deadline, m}).reason ==
        "performance: got 9, expected 0 to 4");
  CHECK(client.ask(question::restore, stored_model{{}, no_deadline, {{loose.number(), 4096, 0, 4096}}}).code ==
        invalid);
  CHECK(client.ask(question::restore, stored_model{{}, no_deadline, {{sealed.number(), 4096, 4000, 4096}}}).code ==
        invalid);
  CHECK(client.ask(question::prepare_offline, stored_model{{}, no_deadline, {}}).code == invalid);
}

TEST_CASE("host: bytes and files of a client are counted together, and what it gives back counts no more") {
  host_options options;
  options.most.memory_bytes = 10'000, options.most.memories = 3;
  const hosted host(std::make_shared<toy_driver>(), options);
  liar client(host);
  constexpr auto too_much = static_cast<std::int32_t>(error_code::out_of_memory);
  const owned_fd file(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  REQUIRE(::ftruncate(file.number(), 20'000) == 0);
  REQUIRE(::fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK) == 0);
  const auto lend = [&](std::uint64_t number, std::uint64_t bytes) {
    return client.ask(question::lend, lent_memory{number, bytes, {file.number(), 0, 0, 0}}).code;
  };
  CHECK(lend(1, 6000) == -1);
  CHECK(lend(2, 4001) == too_much);
  CHECK(lend(2, 4000) == -1);
  CHECK(lend(3, 1) == too_much);
  CHECK(client.ask(question::take_back, ticket{2}).code == -1);
  for (const std::uint64_t number : {3U, 4U}) CHECK(lend(number, 1) == -1);
  CHECK(lend(5, 1) == too_much);
  CHECK(client.ask(question::take_back, ticket{3}).code == -1);
  CHECK(lend(5, 1) == -1);

  hdi::Model m;
  hdi::Tensor t;
  t.name = "c", t.dataType = hdi::DATA_TYPE_INT8, t.dims = {6000}, t.format = hdi::FORMAT_NONE;
  t.data = {file.number(), 20'000, 0, 6000};
  m.allTensors.push_back(t);
  m.outputIndex = {0};
  const auto prepare = [&] { return client.ask(question::prepare, wanted_model{{}, no_deadline, m}).code; };
  CHECK(prepare() == -1);  // model 1
  CHECK(prepare() == too_much);
  CHECK(client.ask(question::drop_model, ticket{1}).code == -1);
  CHECK(prepare() == -1);
  const hdi::SharedBuffer buffer{file.number(), 20'000, 0, 5001};
  CHECK(client.ask(question::restore, stored_model{{}, no_deadline, {buffer, buffer}}).reason ==
        "buffers: have 10002 bytes, expected at most 10000");
  const hdi::SharedBuffer small{file.number(), 20'000, 0, 8};
  CHECK(client.ask(question::prepare_offline, stored_model{{}, no_deadline, {small, small}}).reason ==
        "offline model: got 2 buffers, expected 1");
}

TEST_CASE("host: the number of a model that was dropped is no other model's") {
  const hosted host(std::make_shared<toy_driver>());
  liar client(host);
  const auto written = hdi::write_model(network());
  const auto prepare = [&] {
    return client.ask(question::prepare, wanted_model{{}, no_deadline, written->model}).code;
  };
  for (int i = 0; i < 2; ++i) REQUIRE(prepare() == -1);  // models 1 and 2
  CHECK(client.ask(question::drop_model, ticket{1}).code == -1);
  REQUIRE(prepare() == -1);
  CHECK(client.ask(question::drop_model, ticket{1}).code == invalid);
  for (const std::uint64_t number : {2U, 3U}) CHECK(client.ask(question::drop_model, ticket{number}).code == -1);
}

TEST_CASE("host: runs on what is not there are refused before the driver sees them") {
  const auto driver = std::make_shared<toy_driver>();
  std::atomic<int> runs{0};
  driver->before = [&](auto, auto) { return ++runs, result<void>(); };
  const hosted host(driver);
  liar client(host);
  const owned_fd file(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  REQUIRE(::ftruncate(file.number(), 4096) == 0);
  REQUIRE(::fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK) == 0);
  CHECK(client.ask(question::lend, lent_memory{5, 4096, {file.number(), 0, 0, 0}}).code == -1);
  const auto written = hdi::write_model(network());
  REQUIRE(client.ask(question::prepare, wanted_model{{}, no_deadline, written->model}).code == -1);  // model 1
  const place in{5, 0, 32, {2, 4}}, out{5, 64, 32, {}};
  struct row {
    const char* what;
    run_order order;
  };
  const row table[] = {
      {"no model of this number", {2, no_deadline, 0, {in}, {out}}},
      {"no input", {1, no_deadline, 0, {}, {out}}},
      {"an output too many", {1, no_deadline, 0, {in}, {out, out}}},
      {"memory that was not lent", {1, no_deadline, 0, {{6, 0, 32, {2, 4}}}, {out}}},
      {"an end after the memory", {1, no_deadline, 0, {{5, 4080, 32, {2, 4}}}, {out}}},
      {"a place after the memory", {1, no_deadline, 0, {{5, ~std::uint64_t{15}, 32, {2, 4}}}, {out}}},
      {"an output after the memory", {1, no_deadline, 0, {in}, {{5, 64, 4096, {}}}}},
      {"a place that no float has", {1, no_deadline, 0, {{5, 3, 32, {2, 4}}}, {out}}},
      {"another shape", {1, no_deadline, 0, {{5, 0, 32, {4, 2}}}, {out}}},
      {"too few bytes", {1, no_deadline, 0, {{5, 0, 28, {2, 4}}}, {out}}},
      {"extents that nothing has", {1, no_deadline, 0, {{5, 0, 32, {2, -2}}}, {out}}},
      {"a product that no number holds", {1, no_deadline, 0, {{5, 0, 32, {2, std::int64_t{1} << 62}}}, {out}}},
      {"more axes than tensors have",
       {1, no_deadline, 0, {{5, 0, 32, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4}}}, {out}}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const ending how = client.ask(question::run, r.order);
    CHECK(how.code == invalid);
    CHECK(!how.reason.empty());
  }
  CHECK(runs == 0);
  CHECK(client.ask(question::run, run_order{1, no_deadline, 0, {in}, {out}}).code == -1);
  CHECK(runs == 1);
  CHECK(client.ask(question::drop_model, ticket{1}).code == -1);
  CHECK(client.ask(question::run, run_order{1, no_deadline, 0, {in}, {out}}).code == invalid);
  CHECK(client.ask(question::export_model, ticket{1}).code == invalid);
}

TEST_CASE("client: who waits for a connection continues when another one cannot be opened") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  const owned_fd theirs(ends[1]);
  std::thread host([socket = theirs.number()] {
    for (packet asked; receive(socket, asked) == arrival::message;) {
      hdi::writer said;
      if (asked.asked == static_cast<std::uint32_t>(question::hello)) {
        hdi::marshal(said, ending{-1, {}});
        hdi::marshal(said, device_facts{protocol_version, "d", "v", 1, 0, hdi::CPU, {}, {}, 1});
      } else {
        ::usleep(100'000);  // the other one waits by then
        hdi::marshal(said, ending{static_cast<std::int32_t>(error_code::out_of_memory), "no thread"});
      }
      if (!send(socket, asked.asked, said, asked.number)) return;
    }
  });
  auto mine = connection::over(owned_fd(ends[0]), "the test");
  REQUIRE(mine);
  const auto ask = [&] {
    hdi::writer message;
    hdi::marshal(message, greeting{protocol_version});
    packet answer;
    const auto state = (*mine)->ask<device_state>(question::status, message, answer);
    return state ? std::string() : state.error().message();
  };
  auto first = std::async(std::launch::async, ask), second = std::async(std::launch::async, ask);
  const bool both_end = first.wait_for(std::chrono::seconds(5)) == std::future_status::ready &&
                        second.wait_for(std::chrono::seconds(5)) == std::future_status::ready;
  CHECK(both_end);
  if (!both_end) (void)(*mine)->died("the test gives up");
  CHECK(first.get() == "no thread");
  CHECK(second.get() == "no thread");
  mine->reset();
  host.join();
}

#if !defined(NNRT_TEST_SANITIZED)  // they need more addresses than the test leaves
TEST_CASE("host: a message that there is no memory for ends its connection, and no other" *
          doctest::skip(runs_in_valgrind())) {  // whose operator new ends the program where it should throw
  const int ended = in_child([] {
    const hosted host(std::make_shared<toy_driver>());
    liar good(host), bad(host);
    if (good.ask(question::hello, greeting{protocol_version}).code != -1 ||
        bad.ask(question::hello, greeting{protocol_version}).code != -1)
      return 1;
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    // threads have taken addresses, too
    const ::rlim_t most = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + (64U << 20U);
    const ::rlimit little{most, most};
    if (::setrlimit(RLIMIT_AS, &little) != 0) return 2;
    const owned_fd file(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (::ftruncate(file.number(), max_message_bytes) != 0 || ::fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK) != 0)
      return 3;
    const packet_head head{packet_mark, 1, static_cast<std::uint32_t>(max_message_bytes), 1, 0};
    const int beside = file.number();
    if (!remote::detail::send_bytes(bad.socket(), {reinterpret_cast<const std::int8_t*>(&head), sizeof head}, {},
                                    {&beside, 1}))
      return 4;
    packet answer;
    if (receive(bad.socket(), answer, steady_now() + 5'000'000'000) != arrival::gone) return 5;
    return good.ask(question::hello, greeting{protocol_version}).code == -1 ? 0 : 6;
  });
  CHECK(ended == 0);
}
#endif

TEST_CASE("host: what one client has no other can name") {
  const hosted host(std::make_shared<toy_driver>());
  liar first(host), second(host);
  const auto written = hdi::write_model(network());
  REQUIRE(first.ask(question::prepare, wanted_model{{}, no_deadline, written->model}).code == -1);
  CHECK(second.ask(question::drop_model, ticket{1}).code == invalid);
  CHECK(first.ask(question::drop_model, ticket{1}).code == -1);
}

TEST_CASE("host: more clients than there may be are turned away, until others go") {
  host_options options;
  options.most.clients = 2;
  const hosted host(std::make_shared<toy_driver>(), options);
  auto first = connect(host.path()), second = connect(host.path());
  REQUIRE(first);
  REQUIRE(second);
  CHECK(!connect(host.path()));
  *first = nullptr;
  bool is_free = false;
  for (int i = 0; i < 500 && !is_free; ++i) is_free = connect(host.path()).has_value() || ::usleep(10'000) != 0;
  CHECK(is_free);
}

TEST_CASE("client: a run computes as the thread that asks for it rounds and treats denormals, and traps nowhere") {
  guarded<float_environment> seen;
  const auto driver = std::make_shared<toy_driver>();
  driver->before = [&](array_ref<const hal::argument>, array_ref<hal::argument>) -> result<void> {
    return seen = float_environment::of_this_thread(), result<void>();
  };
  const hosted host(driver);
  const auto device = connected(host);
  const auto model = prepared(*device);
  const auto runs = model->make_execution();
  REQUIRE(runs);
  for (const named_environment& e : float_environments()) {
    CAPTURE(e.name);
    const float_scope scope(e.floats);
    CHECK(run_wrongly(**runs, 1, 4) == "");
    CHECK(*seen == e.floats);
    CHECK(float_environment::of_this_thread() == e.floats);
  }
#if defined(__GLIBC__) && defined(__x86_64__)
  feenableexcept(FE_DIVBYZERO);
  const float_environment traps = float_environment::of_this_thread();
  const std::string wrong = run_wrongly(**runs, 1, 4);
  fedisableexcept(FE_DIVBYZERO);
  CHECK(wrong == "");
  CHECK(traps != float_environment());
  CHECK(*seen == float_environment());
#endif
}

TEST_CASE("client: a child process has separate connections, and takes nothing from its parent") {
  const hosted host(std::make_shared<toy_driver>());
  auto device = connected(host);
  auto model = prepared(*device);
  auto made = model->make_execution();
  REQUIRE(made);
  std::unique_ptr<hal::execution> runs = std::move(*made);
  auto lent = device->allocate(4096);
  REQUIRE(lent);
  int failed = 0;
  for (int i = 0; i < 8; ++i) {
    failed += !run_wrongly(*runs, 1, 4).empty();
    failed += in_child([&] {
                ::alarm(60);
                if (i % 2 == 1) {
                  if (run_wrongly(*runs, 1, 4) != host.path() + ": the connection is the parent process's") return 1;
                  auto own = device->prepare(network(), {});
                  if (!own) return 2;
                  auto run_there = (*own)->make_execution();
                  if (!run_there || !run_wrongly(**run_there, 5, 3).empty()) return 3;
                }
                runs.reset();
                model.reset();
                lent = hal::shared_memory();
                device.reset();
                return 0;
              }) != 0;
  }
  CHECK(failed == 0);
  CHECK(run_wrongly(*runs, 2, 4) == "");
}

TEST_CASE("host: a child process neither ends its parent's clients nor takes the socket away") {
  temporary_folder folder;
  auto listens = listening_socket::at(folder.file("socket"));
  REQUIRE(listens);
  pair_of_sockets sockets;
  auto served =
      remote::detail::served_socket::begin(std::move(sockets.theirs), [](remote::detail::served_socket& served_here) {
        const int own = served_here.number();
        packet asked;
        while (receive(own, asked) == arrival::message && send(own, asked.asked, answer(), asked.number)) {
        }
      });
  REQUIRE(served);
  CHECK(in_child([&] {
          ::alarm(60);
          { const listening_socket mine = std::move(*listens); }
          served->end();
          served.reset();
          return 0;
        }) == 0);
  packet answered;
  CHECK(send(sockets.mine.number(), 7, answer(), 1));
  CHECK(receive(sockets.mine.number(), answered) == arrival::message);
  CHECK(connect_to(folder.file("socket")));
}
