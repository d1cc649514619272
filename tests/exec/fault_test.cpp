// fault_test: values that only a run shows to be wrong end it with an error, in every way to run a network.
#include <nnrt/dynamic.hpp>
#include <nnrt/nnrt.hpp>

#include <doctest/doctest.h>
#include <nnrt/io/make_weights.hpp>

#include <string>
#include <vector>

namespace {

using namespace nnrt;

/// A lookup whose table is a weight, so that its node has a name; a node before it and one after it.
constexpr auto lookup = [](builder& g) {
  auto table = g.weight<f32, shape<5, 3>>("lookup.weight");
  auto i = g.input<i32, shape<4>>("i");
  g.output("y", relu(gather(table, maximum(i, i), axis<0>)));
};
using with_name = graph<lookup>;

constexpr auto pick = [](builder& g) {
  auto x = g.input<f32, shape<3>>("x");
  auto i = g.input<i64, shape<2>>("i");
  g.output("y", gather(x, i, axis<-1>));
};
using unnamed = graph<pick>;

/// Lines of 16384 floats: work that threads share.
constexpr auto pick_lines = [](builder& g) {
  auto x = g.input<f32, shape<8, 16384>>("x");
  auto i = g.input<i32, shape<8>>("i");
  g.output("y", gather(x, i, axis<0>));
};

/// Every operand is known before the network runs, but none of their values to the compiler.
constexpr auto known = [](builder& g) {
  auto table = g.weight<f32, shape<3>>("table");
  auto i = g.weight<i32, shape<2>>("order.index");
  auto x = g.input<f32, shape<2>>("x");
  g.output("y", add(gather(table, i, axis<0>), x));
};

static_assert(graph<pick>::plan.fallible.size() == 1);
static_assert(graph<[](builder& g) { g.output("y", relu(g.input<f32, shape<3>>("x"))); }>::plan.fallible.empty());

weights table() {
  static const std::vector<float> elements = {0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32, 40, 41, 42};
  const tensor_entry one[] = {tensor_of<float>("lookup.weight", {5, 3}, elements)};
  return make_weights(one).value();
}
weights known_weights(std::int32_t first, std::int32_t second) {
  const float elements[] = {1, 2, 3};
  const std::int32_t index[] = {first, second};
  const tensor_entry both[] = {tensor_of<float>("table", {3}, elements),
                               tensor_of<std::int32_t>("order.index", {2}, index)};
  return make_weights(both).value();
}

const std::vector<std::int32_t> good = {0, 4, -1, -5}, bad = {0, 4, 5, 9};
constexpr std::string_view message = "gather \"lookup\": indices must lie in the axis (got 5, expected 4) at element 2";

std::string told;  // by the contract handler
void remember(const std::string& text) { told = text; }
struct with_handler {
  contract_handler before = set_contract_handler(&remember);
  with_handler() { told.clear(); }
  ~with_handler() { set_contract_handler(before); }
};

template <class Policy> void check_executor() {
  auto run = executor<with_name, Policy>::create(table());
  REQUIRE(run);
  const auto y = run->try_run(good);
  REQUIRE(y);
  CHECK((*y)[3] == 40);
  CHECK((*y)[11] == 2);
  const auto refused = run->try_run(bad);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == error_code::invalid_argument);
  CHECK(refused.error().message() == message);
  CHECK(run->try_run(good));  // the next run knows nothing of it
  const with_handler guard;
  (*run)(bad);
  CHECK(told == message);
  std::vector<float> mine(12, 7.0F);
  (*run)(bad, mine);
  CHECK(mine == std::vector<float>(12, 7.0F));
  told.clear();
  (*run)(good, mine);
  CHECK(told.empty());
  CHECK(mine[4] == 41);
}

}  // namespace

TEST_CASE("executor: an index outside of its axis is an error of try_run and a broken contract of run") {
  check_executor<cpu_planned>();
  check_executor<cpu_unrolled>();
  check_executor<cpu>();
}

TEST_CASE("executor: threads report the first index outside, like one thread") {
  std::vector<float> x(8 * 16384, 1.0F);
  const std::vector<std::int32_t> indices = {0, 1, -9, 3, 4, 5, 6, 99};
  for (const int threads : {1, 2, 3}) {
    auto run = executor<graph<pick_lines>>::create({.threads = threads});
    REQUIRE(run);
    const auto refused = run->try_run(x, indices);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message() == "gather: indices must lie in the axis (got -9, expected -8) at element 2");
  }
}

TEST_CASE("session: an index outside of its axis is an error of run") {
  auto made = to_model<with_name>(table());
  REQUIRE(made);
  auto compiled = compile(*made);
  REQUIRE(compiled);
  session s(*compiled);
  std::copy(bad.begin(), bad.end(), s.input<std::int32_t>(0).begin());
  const auto refused = s.run();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == error_code::invalid_argument);
  CHECK(refused.error().message() == message);
  std::copy(good.begin(), good.end(), s.input<std::int32_t>(0).begin());
  REQUIRE(s.run());
  CHECK(s.output<float>(0)[3] == 40);
}

TEST_CASE("create and compile: an index outside, in a weight, is their error") {
  using net = graph<known>;
  auto run = executor<net>::create(known_weights(2, -3));
  REQUIRE(run);
  CHECK((*run)(std::vector<float>{0, 0})[0] == 3);
  const auto refused = executor<net>::create(known_weights(1, 3));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message() == "gather \"table\": indices must lie in the axis (got 3, expected 2) at element 1");
  CHECK_FALSE(compile(*to_model<net>(known_weights(1, 3))));
  CHECK(compile(*to_model<net>(known_weights(1, 2))));
}

TEST_CASE("passes: constants that an operator refuses stay, and the run says why") {
  model_builder b;
  std::vector<std::int32_t> many(300, 1);  // more than rules read
  many[7] = 3;
  const float elements[] = {1, 2, 3};
  const std::int32_t zero[] = {0};
  const auto x = *b.constant<float>({f32, {3}}, elements);
  const auto i = *b.constant<std::int32_t>({i32, {300}}, many);
  const auto axis_of = *b.constant<std::int32_t>({i32, {}}, zero);
  const auto y = b.apply<ops::gather>({}, {x, i, axis_of}, {}, "late");
  REQUIRE(y);
  REQUIRE(b.output("y", (*y)[0]));
  const auto refused = compile(b.finish());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message() == "gather \"late\": indices must lie in the axis (got 3, expected 2) at element 7");
}

static_assert(evaluate<unnamed>(std::array{1.0F, 2.0F, 3.0F}, std::array<std::int64_t, 2>{-1, 0}) ==
              std::array{3.0F, 1.0F});

TEST_CASE("evaluate: an index outside of its axis is a broken contract") {
  const with_handler guard;
  (void)evaluate<unnamed>(std::vector<float>{1, 2, 3}, std::vector<std::int64_t>{0, 3});
  CHECK(told == "gather: indices must lie in the axis (got 3, expected 2) at element 1");
}
