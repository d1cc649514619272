// executor_test: what a static network's executor takes and returns, in either form, shared, moved, and by several
// threads.
#include <nnrt/nnrt.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "support/networks.hpp"

#if defined(__linux__)
#include <sched.h>
#endif

namespace {

using namespace nnrt_test;

using micro = graph<affine>;
using net = graph<branches>;
using many = graph<several>;

static_assert(micro::is_micro && !net::is_micro);
static_assert(micro::macs == 8 && micro::nodes == 1 && micro::arena_bytes <= 64);

TEST_CASE("executor: inputs are contiguous ranges of every kind") {
  executor<micro> run;
  const auto fits = [](std::span<const float, 2> y) { return y[0] == 5.5F && y[1] == 12.5F; };
  const float plain[4] = {1, 0, 0, 1};
  float writable[4] = {1, 0, 0, 1};
  const std::array<float, 4> array{1, 0, 0, 1};
  const std::vector<float> vector{1, 0, 0, 1};
  CHECK(fits(run(plain)));
  CHECK(fits(run(writable)));
  CHECK(fits(run(array)));
  CHECK(fits(run(std::array<float, 4>{1, 0, 0, 1})));
  CHECK(fits(run(vector)));
  CHECK(fits(run(std::span<const float, 4>(array))));
  CHECK(fits(run(std::span<const float>(vector))));
  CHECK(fits(run(std::span<float>(writable))));
}

TEST_CASE("executor: an input may lie anywhere its elements may") {
  executor<micro> run;
  std::array<float, 9> room{};
  for (std::size_t first = 0; first < 5; ++first) {
    CAPTURE(first);
    room.fill(0);
    room[first] = room[first + 3] = 1;
    CHECK(run(std::span<const float, 4>(room.data() + first, 4))[0] == 5.5F);
  }
}

TEST_CASE("executor: run(x, y) writes into the caller's memory, of every kind") {
  executor<micro> run;
  const std::array<float, 4> x{1, 0, 0, 1};
  float plain[2] = {};
  std::array<float, 2> array{};
  std::vector<float> vector(2);
  run(x, plain);
  run(x, array);
  run(x, vector);
  run(x, std::span<float, 2>(plain));
  run(x, std::span<float>(vector));
  CHECK(plain[0] == 5.5F);
  CHECK(array == std::array{5.5F, 12.5F});
  CHECK(vector == std::vector{5.5F, 12.5F});
}

TEST_CASE("executor: several outputs are a tuple, and each has its name") {
  executor<many> run;
  const std::array<float, 6> a{1, 2, 3, 4, 5, 6};
  const std::array<float, 3> b{10, 20, 30};
  auto [sum, flat, again, product] = run(a, b);
  static_assert(std::is_same_v<decltype(sum), std::span<const float, 6>>);
  CHECK(copied(sum) == std::vector<float>{11, 22, 33, 14, 25, 36});
  CHECK(copied(flat) == copied(sum));
  CHECK(copied(again) == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(copied(product) == std::vector<float>{11, 44, 99, 56, 125, 216});
  CHECK(run.output<"product">().data() == product.data());
  CHECK(run.output<"a again">().data() == again.data());
  CHECK(again.data() != a.data());
  std::array<float, 6> y[4];
  run(a, b, y[0], y[1], y[2], y[3]);
  CHECK(copied(y[3]) == copied(product));
  CHECK(std::get<0>(run.outputs()).data() == sum.data());
}

// What the replaced contract handler was told last.
std::string told;
void remember(const std::string& message) { told = message; }

struct with_handler {
  contract_handler before = set_contract_handler(&remember);
  with_handler() { told.clear(); }
  ~with_handler() { set_contract_handler(before); }
};

TEST_CASE("executor: a size that only run time knows is a contract; the previous output stays") {
  const with_handler guard;
  executor<micro> run;
  run(std::vector<float>{1, 0, 0, 1});
  CHECK(told.empty());
  CHECK(run(std::vector<float>{9, 9, 9})[0] == 5.5F);
  CHECK(told == "input \"x\": got 3 elements, expected 4");
  CHECK(run(std::vector<float>(5))[0] == 5.5F);
  CHECK(told == "input \"x\": got 5 elements, expected 4");
  std::vector<float> y(3, 7.0F);
  run(std::vector<float>{0, 0, 0, 0}, y);
  CHECK(told == "output \"y\": got 3 elements, expected 2");
  CHECK(y == std::vector<float>(3, 7.0F));
  CHECK(run.outputs()[0] == 5.5F);
}

TEST_CASE("executor: try_run returns the same as an error, and runs nothing") {
  const with_handler guard;
  executor<many> run;
  const std::vector<float> a(6, 1.0F), b(3, 2.0F);
  REQUIRE(run.try_run(a, b));
  const auto refused = run.try_run(a, std::vector<float>(4));
  REQUIRE(!refused);
  CHECK(refused.error().message() == "input \"b\": got 4 elements, expected 3");
  CHECK(refused.error().code() == error_code::invalid_argument);
  CHECK(run.output<"sum">()[0] == 3.0F);
  CHECK(told.empty());
}

TEST_CASE("executor: try_run(x, y) copies the outputs where all is well, and nothing where it is not") {
  const with_handler guard;
  executor<micro> run;
  std::vector<float> x{1, 0, 0, 1}, y(2), small(1, 7.0F);
  REQUIRE(run.try_run(x, y));
  CHECK(y == std::vector{5.5F, 12.5F});
  std::array<float, 2> array{};
  REQUIRE(run.try_run(std::array<float, 4>{1, 0, 0, 1}, std::span(array)));
  CHECK(array[1] == 12.5F);
  const auto refused = run.try_run(x, small);
  REQUIRE(!refused);
  CHECK(refused.error().message() == "output \"y\": got 1 elements, expected 2");
  CHECK(small[0] == 7.0F);
  const auto of_input = run.try_run(std::vector<float>(3), y);
  REQUIRE(!of_input);
  CHECK(of_input.error().message() == "input \"x\": got 3 elements, expected 4");
  CHECK(y == std::vector{5.5F, 12.5F});
  CHECK(told.empty());
}

TEST_CASE(
    "executor: an input that lies in the results of the last run is refused; one of the caller's may be an output, "
    "too") {
  const with_handler guard;
  const std::string lies = "lies in the executor's own results, which the run overwrites; give it a range of your own";
  executor<many> run;
  std::array<float, 6> a{1, 2, 3, 4, 5, 6};
  const std::array<float, 3> b{10, 20, 30};
  const auto sum = std::get<0>(run(a, b));
  const auto refused = run.try_run(sum, b);
  REQUIRE(!refused);
  CHECK(refused.error().message() == "input \"a\" " + lies);
  CHECK(refused.error().code() == error_code::invalid_argument);
  CHECK(told.empty());
  run(a, sum.first<3>());
  CHECK(told == "input \"b\" " + lies);
  told.clear();
  run(sum, b, a, a, a, a);
  CHECK(told == "input \"a\" " + lies);
  CHECK(copied(sum) == std::vector<float>{11, 22, 33, 14, 25, 36});
  told.clear();
  std::array<float, 6> unused[3];
  run(a, b, a, unused[0], unused[1], unused[2]);
  CHECK(a == std::array<float, 6>{11, 22, 33, 14, 25, 36});
  run(a, b, a, unused[0], unused[1], unused[2]);
  CHECK(a == std::array<float, 6>{21, 42, 63, 24, 45, 66});
  executor<many> other;
  CHECK(std::get<0>(other(sum, b))[0] == 31.0F);  // another executor's results stay
  executor<micro> unrolled;
  unrolled(std::array<float, 4>{1, 0, 0, 1});
  unrolled(std::span<const float>(unrolled.outputs().data(), 4));
  CHECK(told == "input \"x\" " + lies);
}

template <class G, class Policy> std::vector<float> ran(const options& wanted = {}) {
  auto made = executor<G, Policy>::create(weights_for<G>(), wanted);
  REQUIRE(made);
  const std::vector<float> x = input_for<G>();
  (*made)(x);
  return copied((*made)(x));
}

TEST_CASE("executor: the planned and the unrolled form give what the references give") {
  const outputs_of_graph expected = computed_by_references(net::ir());
  CHECK(close({ran<net, cpu>()}, expected, 1e-5));
  CHECK(close({ran<net, cpu_planned>()}, expected, 1e-5));
  CHECK(close({ran<net, cpu_unrolled>()}, expected, 1e-5));
  executor<micro, cpu_planned> planned;
  executor<micro, cpu_unrolled> unrolled;
  const std::array<float, 4> x{1, -2, 0.5F, 3};
  CHECK(copied(planned(x)) == copied(unrolled(x)));
  executor<many, cpu_planned> several_planned;
  executor<many> several_unrolled;
  const std::array<float, 6> a{1, 2, 3, 4, 5, 6};
  const std::array<float, 3> b{10, 20, 30};
  CHECK(copied(std::get<3>(several_planned(a, b))) == copied(std::get<3>(several_unrolled(a, b))));
  CHECK(copied(std::get<1>(several_planned(a, b))) == copied(std::get<1>(several_unrolled(a, b))));
}

TEST_CASE("executor: results have the same bits for any number of threads") {
  const std::vector<float> alone = ran<graph<large>, cpu>();
  CHECK(close({alone}, computed_by_references(graph<large>::ir()), 1e-5));
  CHECK(ran<graph<large>, cpu>({.threads = 2}) == alone);
  CHECK(ran<graph<large>, cpu>({.threads = 3}) == alone);
  CHECK(ran<net, cpu>({.threads = 3}) == ran<net, cpu>());
}

/// What the process's other threads have computed until now, in nanoseconds.
std::int64_t computed_by_others() {
  const auto read = [](clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  };
  return read(CLOCK_PROCESS_CPUTIME_ID) - read(CLOCK_THREAD_CPUTIME_ID);
}

constexpr auto residual = [](builder& g) {
  auto x = g.input<f32, shape<1, 15, 13, 32>>("image");
  g.output("y", relu(x + layers::conv2d<32, 3, 3>(layers::conv2d<32, 3, 3>(x, "first", same, relu), "second", same)));
};

/// Whether an executor's worker computes for longer than it takes to fall asleep.
template <class G> bool threads_have_work() {
  constexpr std::int64_t enough = 3'000'000;
  auto run = executor<G>::create(weights_for<G>(), {.threads = 2}).value();
  const std::vector<float> x = input_for<G>();
  const std::int64_t before = computed_by_others();
  for (int runs = 0; runs < 20'000 && computed_by_others() < before + enough; ++runs) run(x);
  return computed_by_others() >= before + enough;
}

TEST_CASE("executor: threads have work, whether there are groups of steps or not") {
  static_assert(graph<residual>::plan.stripes.empty() && !graph<large>::plan.stripes.empty());
  CHECK(threads_have_work<graph<residual>>());
  CHECK(threads_have_work<graph<large>>());
}

/// The largest error over the largest number.
double relative_error(const std::vector<float>& got, const std::vector<float>& expected) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(got[i]) - static_cast<double>(expected[i])));
    largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
  }
  return worst / largest;
}

TEST_CASE(
    "executor: a policy says whether convolutions may be transformed, and both ways give what the references give") {
  using exact = basic_cpu<execution_form::planned, winograd::off>;
  using transformed = graph<residual>;
  const auto kernels_of = [](const auto& plan) {
    std::string names;
    for (const step& s : plan.steps) names += std::string(s.kernel) + ", ";
    return names;
  };
  CHECK(kernels_of(transformed::plan) == "winograd 4x4, winograd 4x4, binary, ");
  CHECK(kernels_of(transformed::plan_as<false, winograd::off>()) == "gemm windows, gemm windows, binary, ");
  const std::vector<float> expected = computed_by_references(transformed::ir())[0];
  CHECK(relative_error(ran<transformed, cpu>(), expected) < 1e-5);
  CHECK(relative_error(ran<transformed, exact>(), expected) < 1e-6);
  CHECK(ran<transformed, cpu>() != ran<transformed, exact>());
  CHECK(ran<transformed, cpu>({.threads = 2}) == ran<transformed, cpu>());
}

TEST_CASE("executor: a number of threads that makes no sense is an error") {
  for (const int threads : {0, -1, 1025}) {
    CAPTURE(threads);
    const auto made = executor<net>::create(weights_for<net>(), {.threads = threads});
    REQUIRE(!made);
    CHECK(made.error().message() == "threads: got " + std::to_string(threads) + ", expected 1 to 1024");
    CHECK(made.error().code() == error_code::invalid_argument);
    CHECK(!executor<micro>::create({.threads = threads}));
  }
}

template <class G> void check_shared_and_moved() {
  auto first = executor<G>::create(weights_for<G>());
  REQUIRE(first);
  const std::vector<float> x = input_for<G>(), other = input_for<G>(0, 2);
  auto second = first->share();
  const auto y = (*first)(x);
  const std::vector<float> expected = copied(y);
  const std::vector<float> differs = copied(second(other));
  CHECK(differs != expected);
  CHECK(copied(y) == expected);  // each has its own arena
  executor<G> third = std::move(*first);
  CHECK(copied(third.outputs()) == expected);
  CHECK(copied(third(other)) == differs);
  second = std::move(third);
  CHECK(copied(second.outputs()) == differs);
  CHECK(copied(second(x)) == expected);
}

TEST_CASE("executor: executors share weights and nothing else, and move with what they hold") {
  check_shared_and_moved<net>();
  check_shared_and_moved<graph<large>>();
}

TEST_CASE("executor: one that was moved away has nothing to share, and says so") {
  const with_handler guard;
  auto first = executor<net>::create(weights_for<net>());
  REQUIRE(first);
  const executor<net> second = std::move(*first);
  auto shared = first->share();
  CHECK(told == "the executor was moved away");
  const auto refused = shared.try_run(input_for<net>());
  REQUIRE(!refused);
  CHECK(refused.error().message() == told);
}

#if defined(__linux__)
TEST_CASE("executor: threads of a shared executor are pinned like those of the first one") {
  auto first = executor<net>::create(weights_for<net>(), {.threads = 2, .pin_threads = true});
  REQUIRE(first);
  const auto pinned_threads = [] {
    int pinned = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      cpu_set_t allowed;
      if (sched_getaffinity(std::stoi(task.path().filename()), sizeof allowed, &allowed) == 0 &&
          CPU_COUNT(&allowed) == 1)
        ++pinned;
    }
    return pinned;
  };
  const int before = pinned_threads();
  const auto second = first->share();
  CHECK(pinned_threads() == before + 1);
}
#endif

TEST_CASE("executor: a shared executor outlives the first one and the weights' handle") {
  std::vector<float> y, expected;
  {
    auto first = executor<net>::create(weights_for<net>());
    REQUIRE(first);
    expected = copied((*first)(input_for<net>()));
    auto second = first->share();
    first = fail(error_code::not_found, "gone");
    y = copied(second(input_for<net>()));
  }
  CHECK(y == expected);
}

TEST_CASE("executor: every weight that is missing, superfluous or misshapen is named in one error") {
  const std::vector<float> ten(10), eight(8), square(36);
  const tensor_entry tensors[] = {tensor_of<float>("fc.bias", {10}, ten),
                                  tensor_of<float>("stem.weight", {1, 6, 6}, square),
                                  tensor_of<float>("bn.scale", {8}, eight), tensor_of<float>("stray", {8}, eight)};
  const auto made = executor<net>::create(make_weights(tensors).value());
  REQUIRE(!made);
  CHECK(made.error().code() == error_code::invalid_argument);
  const std::string message = made.error().message();
  for (const char* named : {"bn.offset", "bn.mean", "bn.variance", "depthwise.weight", "depthwise.bias", "fc.weight",
                            "stem.weight", "stray"}) {
    CAPTURE(named);
    CHECK(message.find('"' + std::string(named) + '"') != std::string::npos);
  }
  CHECK(message.find("\"fc.bias\"") == std::string::npos);
  CHECK(message.find("[1, 6, 6]") != std::string::npos);
  CHECK(message.find("[8, 3, 3, 3]") != std::string::npos);
}

TEST_CASE("executor: before the first run outputs are zeros") {
  const executor<micro> made_and_not_run;
  executor<micro> run;
  CHECK(copied(run.outputs()) == std::vector<float>{0, 0});
  auto heavy = executor<graph<large>>::create(weights_for<graph<large>>());
  REQUIRE(heavy);
  CHECK(copied(heavy->outputs()) == std::vector<float>(8));
}

}  // namespace
