// session_test: networks at run time give what the same networks give as static ones, and refuse what they cannot run.
#include <nnrt/dynamic.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "support/networks.hpp"
#include "support/random_graph.hpp"
#include "support/spoiler.hpp"

namespace {

using namespace nnrt_test;

using net = graph<branches>;
using many = graph<several>;

template <class G> program compiled(const options& wanted = {}) {
  auto model = to_model<G>(weights_for<G>());
  return compile(model.value(), wanted).value();
}
void fill(std::span<float> input, const std::vector<float>& numbers) {
  REQUIRE(input.size() == numbers.size());
  std::copy(numbers.begin(), numbers.end(), input.begin());
}
template <class G> std::vector<float> computed_by(session& s) {
  for (std::size_t i = 0; i < G::inputs.size(); ++i) fill(s.input<float>(i), input_for<G>(i));
  REQUIRE(s.run());
  return copied(s.output<float>(0));
}

TEST_CASE("session: a static network, made dynamic, gives the same bits") {
  auto run = executor<net, cpu_planned>::create(weights_for<net>());
  REQUIRE(run);
  session s(compiled<net>());
  CHECK(computed_by<net>(s) == copied((*run)(input_for<net>())));
  auto heavy = executor<graph<large>>::create(weights_for<graph<large>>());
  REQUIRE(heavy);
  session threaded(compiled<graph<large>>({.threads = 3}));
  CHECK(computed_by<graph<large>>(threaded) == copied((*heavy)(input_for<graph<large>>())));
}

TEST_CASE("program: it has the network's inputs, outputs, steps and sizes") {
  const program p = compiled<many>();
  REQUIRE(p.input_count() == 2);
  REQUIRE(p.output_count() == 4);
  CHECK(p.input_name(1) == "b");
  CHECK(p.input_desc(1) == tensor_desc{f32, {3}});
  CHECK(p.output_name(2) == "a again");
  CHECK(p.output_desc(1) == tensor_desc{f32, {6}});
  CHECK(p.input_name(2).empty());
  CHECK(p.output_name(4).empty());
  CHECK(p.output_desc(4).type == dtype::none);
  const program q = compiled<net>();
  CHECK(q.steps() == net::plan_as<false>().steps.size());
  CHECK(q.arena_bytes() == net::arena_bytes);
  CHECK(q.arena_lower_bound() == net::arena_lower_bound);
  CHECK(q.text() == net::text());
}

TEST_CASE("session: several inputs and outputs, views and inputs among them") {
  session s(compiled<many>());
  fill(s.input<float>(0), {1, 2, 3, 4, 5, 6});
  fill(s.input<float>(1), {10, 20, 30});
  REQUIRE(s.run());
  CHECK(copied(s.output<float>(1)) == std::vector<float>{11, 22, 33, 14, 25, 36});
  CHECK(copied(s.output<float>(2)) == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(copied(s.output<float>(3)) == std::vector<float>{11, 44, 99, 56, 125, 216});
  s.input<float>(0)[0] = 2;  // the rest stays
  REQUIRE(s.run());
  CHECK(s.output<float>(0)[0] == 12);
  CHECK(s.output<float>(0)[5] == 36);
}

/// Results of two dtypes, of a node in the middle, of constants, and one that nobody uses.
constexpr auto winners = [](builder& g) {
  auto x = g.input<f32, shape<2, 4>>("x");
  auto [top, index] = top_k(relu(x), k<2>);
  g.output("top", top);
  g.output("index", index);
  auto [lines, line] = top_k(x, k<1>, axis<0>);
  g.output("line", line);
  auto [bias, place] = top_k(g.constant<f32, shape<4>>({1, 4, 2, 3}), k<2>, unsorted);
  g.output("sum", top + bias);
  g.output("place", place);
};
constexpr std::array<float, 8> scores{1, 4, 2, 3, -1, -2, -3, 5};
constexpr auto won = evaluate<graph<winners>>(scores);
static_assert(std::get<0>(won) == std::array<float, 4>{4, 3, 5, 0});
static_assert(std::get<1>(won) == std::array<std::int32_t, 4>{1, 3, 3, 0});
static_assert(std::get<2>(won) == std::array<std::int32_t, 4>{0, 0, 0, 1});
static_assert(std::get<3>(won) == std::array<float, 4>{7, 7, 8, 4});
static_assert(std::get<4>(won) == std::array<std::int32_t, 2>{3, 1});

TEST_CASE("session: the results of one node may differ in dtype, and need not all be used") {
  session s(compiled<graph<winners>>());
  fill(s.input<float>(0), copied(scores));
  REQUIRE(s.run());
  executor<graph<winners>> run;
  const auto outputs = run(scores);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto agree = [](const auto& computed, const auto& expected) {
      CHECK(std::equal(computed.begin(), computed.end(), expected.begin(), expected.end()));
    };
    (agree(std::get<I>(outputs), std::get<I>(won)), ...);
    (agree(s.output<typename std::remove_cvref_t<decltype(std::get<I>(won))>::value_type>(I), std::get<I>(won)), ...);
  }(std::make_index_sequence<5>());
}

TEST_CASE("session: operands of two dtypes meet in the one of higher precision, whichever comes first") {
  model_builder b;
  const std::int32_t x = b.input("x", {i32, {2, 3}}).value();
  const float row[] = {0.5F, -1, 3};
  const std::int32_t w = b.constant<float>({f32, {3}}, row).value();
  REQUIRE(b.output("sum", b.apply<ops::add>({}, {x, w}).value()[0]));
  REQUIRE(b.output("difference", b.apply<ops::sub>({}, {w, x}).value()[0]));
  REQUIRE(b.output("at most", b.apply<ops::less_equal>({}, {x, w}).value()[0]));
  const program p = compile(b.finish()).value();
  session s{p};
  const std::int32_t numbers[] = {1, -2, 3, 0, 0, 4};
  std::copy(std::begin(numbers), std::end(numbers), s.input<std::int32_t>(0).begin());
  REQUIRE(s.run());
  const float sums[] = {1.5F, -3, 6, 0.5F, -1, 7}, differences[] = {-0.5F, 1, 0, 0.5F, -1, -1};
  const bool at_most[] = {false, true, true, true, false, false};
  CHECK(std::ranges::equal(s.output<float>(0), sums));
  CHECK(std::ranges::equal(s.output<float>(1), differences));
  CHECK(std::ranges::equal(s.output<bool>(2), at_most));
}

TEST_CASE("session: sessions of one program keep to their own arenas, move, and outlive its handle") {
  std::vector<session> sessions;
  {
    const program p = compiled<net>();
    sessions.emplace_back(p);
    sessions.emplace_back(p);
  }
  const std::vector<float> expected = computed_by<net>(sessions[0]);
  fill(sessions[1].input<float>(0), input_for<net>(0, 2));
  REQUIRE(sessions[1].run());
  CHECK(copied(sessions[0].output<float>(0)) == expected);
  CHECK(copied(sessions[1].output<float>(0)) != expected);
  session moved = std::move(sessions[0]);
  CHECK(copied(moved.output<float>(0)) == expected);
  CHECK(computed_by<net>(moved) == expected);
}

std::string told;
void remember(const std::string& message) { told = message; }

TEST_CASE("session: another element type, or a number that is none, is a contract and gives an empty span") {
  const contract_handler before = set_contract_handler(&remember);
  session s(compiled<many>());
  CHECK(s.input<std::int8_t>(0).empty());
  CHECK(told == "input \"a\" has elements of f32, asked for i8");
  CHECK(s.output<double>(1).empty());
  CHECK(told == "output \"flat\" has elements of f32, asked for f64");
  CHECK(s.input<float>(2).empty());
  CHECK(told == "input 2 does not exist");
  CHECK(s.output<float>(4).empty());
  CHECK(told == "output 4 does not exist");
  set_contract_handler(before);
}

TEST_CASE("session: inputs may be read from the caller's memory, but not from the session's own results") {
  static std::string told;
  told.clear();
  const contract_handler before = set_contract_handler([](const std::string& message) { told = message; });
  session s(compiled<many>());
  fill(s.input<float>(1), {10, 20, 30});
  alignas(64) std::array<float, 6> a{1, 2, 3, 4, 5, 6};
  s.read_input_from(0, reinterpret_cast<const std::byte*>(a.data()));
  CHECK(s.input<float>(0).data() == a.data());
  REQUIRE(s.run());
  const std::vector<float> sum{11, 22, 33, 14, 25, 36};
  CHECK(copied(s.output<float>(0)) == sum);
  CHECK(told.empty());
  s.read_input_from(0, s.output_bytes(0).data());
  CHECK(told == "input \"a\" lies in the session's own results, which the run overwrites; give it memory of your own");
  REQUIRE(s.run());
  CHECK(copied(s.output<float>(0)) == sum);
  s.read_input_from(0, nullptr);
  CHECK(s.input<float>(0)[0] == 0);
  REQUIRE(s.run());
  CHECK(s.output<float>(0)[0] == 10);
  set_contract_handler(before);
}

TEST_CASE("session: before the first run outputs are zeros") {
  session s(compiled<many>());
  CHECK(copied(s.output<float>(3)) == std::vector<float>(6));
}

TEST_CASE("compile: options that make no sense are an error") {
  const auto made = compile(to_model<many>().value(), {.threads = 0});
  REQUIRE(!made);
  CHECK(made.error().code() == error_code::invalid_argument);
  CHECK(made.error().message() == "threads: got 0, expected 1 to 1024");
}

TEST_CASE("compile: weights that do not fit are named, all in one error") {
  const auto made = compile(to_model<net>().value());
  REQUIRE(!made);
  CHECK(made.error().code() == error_code::invalid_argument);
  for (const tensor_info& w : net::weights) {
    CAPTURE(std::string(w.name));
    CHECK(made.error().message().find('"' + std::string(w.name) + '"') != std::string::npos);
  }
}

TEST_CASE("compile: a broken rule has the words that the compiler prints") {
  auto broken = to_model<net>(weights_for<net>()).value();
  for (ir::value& v : broken.graph.values)
    if (v.is == ir::kind::weight && broken.graph.name_of(v.name) == "stem.weight") v.desc.shape[3] = 4;
  const auto made = compile(broken);
  REQUIRE(!made);
  CHECK(made.error().code() == error_code::rule_broken);
  CHECK(made.error().message() ==
        "conv2d \"stem\": input channels must equal weight channels times group (got 3, expected 4)");
}

TEST_CASE("compile: a graph out of order is refused, not run") {
  auto broken = to_model<net>(weights_for<net>()).value();
  std::swap(broken.graph.nodes[0], broken.graph.nodes[1]);
  const auto made = compile(broken);
  REQUIRE(!made);
  CHECK(made.error().message() == "graph: node 0 (batch_norm) reads value 2 before it is made");
}

TEST_CASE("session: memory that nobody has is an error at every run") {
  model too_large;
  const tensor_desc desc{f64, {max_elements}};
  for (int i = 0; i < 20; ++i)  // more than processors have addresses for, whatever the system promises
    too_large.graph.inputs.push_back(too_large.graph.add_value({desc, ir::kind::input, {}, 0, ir::none}));
  const std::int32_t operands[] = {0, too_large.graph.add_value({desc, ir::kind::result, {}, 0, ir::none})};
  too_large.graph.add_operands(operands);
  too_large.graph.nodes.push_back(node_of(*ops::find("relu"), {}, {0, 1}, {1, 1}));
  too_large.graph.outputs.push_back({20, too_large.graph.add_text("y")});
  const auto made = compile(too_large);
  REQUIRE(made);
  session s(*made);
  const auto ran = s.run();
  REQUIRE(!ran);
  CHECK(ran.error().code() == error_code::out_of_memory);
  CHECK(ran.error().message().starts_with("session: no memory for "));
  CHECK(s.input_bytes(0).empty());
  CHECK(s.output_bytes(0).empty());
}

TEST_CASE("session: one that was moved away says so") {
  const auto made = compile(to_model<net>(weights_for<net>()).value());
  REQUIRE(made);
  session first(*made);
  const session second = std::move(first);
  CHECK(second.ready());
  for (const result<void>& refused : {first.ready(), first.run(), first.resize({{1}})}) {
    REQUIRE(!refused);
    CHECK(refused.error().message() == "the session was moved away");
  }
  CHECK(first.input_desc(0).type == dtype::none);
  CHECK(first.output_desc(0).type == dtype::none);
  program one = *made;
  const program other = std::move(one);
  CHECK(other.input_count() == 1);
  CHECK(one.cached_plans() == 0);
  CHECK(one.with_shapes({shape_t{1}}).error().message() == "the program was moved away");
  CHECK(one.input_name(0).empty());
  session of_none(one);
  for (const result<void>& refused : {of_none.ready(), of_none.run(), of_none.resize({{1}})}) {
    REQUIRE(!refused);
    CHECK(refused.error().message() == "the program was moved away");
  }
}

/// An operator of a user's own.
struct rectified : ops::relu {
  static constexpr op_code code{123456};
  static constexpr std::string_view name = "rectified";
};

/// Bytes of all values of a graph; -1: some have no size.
std::int64_t bytes_of(const ir::graph& g) {
  std::int64_t sum = 0;
  for (const ir::value& v : g.values) {
    if (v.desc.bytes() < 0 || v.desc.bytes() > max_elements) return -1;
    sum += v.desc.bytes();
  }
  return sum;
}
/// Zeros for every weight that a graph names.
weights zeros_for(const ir::graph& g) {
  std::vector<std::vector<std::byte>> bytes;
  std::vector<tensor_entry> tensors;
  for (const weight_spec& spec : weight_specs_of(g)) {
    bytes.emplace_back(static_cast<std::size_t>(spec.desc.bytes()));
    tensors.push_back({spec.name, spec.desc.type, spec.desc.shape, bytes.back()});
  }
  auto made = make_weights(tensors);
  return made ? *made : weights{};  // a spoiled name may occur twice
}

TEST_CASE("session: spoiled models are refused, or run without harm") {
  int ran = 0;
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    CAPTURE(seed);
    model spoiled{random_graph(seed % 500).made(), {}};
    spoiler s(seed + 1'000'000);
    for (std::uint32_t times = 0; times < 1 + seed % 3; ++times) s.spoil(spoiled.graph);
    ir::graph inferred = spoiled.graph;
    if (!check_graph(inferred) || !infer_graph(inferred) || !require_known_extents(inferred) ||
        bytes_of(inferred) > (1 << 20))
      continue;
    spoiled.weights = zeros_for(spoiled.graph);
    const auto made = compile(spoiled);
    if (!made) continue;
    session runs(*made);
    CHECK(runs.run());
    ++ran;
  }
  CHECK(ran > 100);
}

TEST_CASE("to_model: an operator that is in no list runs as those of the list do") {
  static constexpr auto network = [](builder& g) { g.output("y", dsl::apply<rectified>(g.input<f32, shape<4>>("x"))); };
  const auto made = compile(to_model<graph<network>>().value());
  REQUIRE(made);
  session s(*made);
  const float x[] = {-1, 2, -3, 4};
  std::copy(std::begin(x), std::end(x), s.input<float>(0).begin());
  REQUIRE(s.run());
  for (std::size_t i = 0; i < 4; ++i) CHECK(s.output<float>(0)[i] == (x[i] > 0 ? x[i] : 0));
}

TEST_CASE("compile: a dtype that a static graph's operator was not made for is refused, the list's operator takes it") {
  static constexpr auto network = [](builder& g) { g.output("y", relu(g.input<f32, shape<4>>("x"))); };
  model changed = to_model<graph<network>>().value();
  for (ir::value& v : changed.graph.values) v.desc.type = f64;
  const auto refused = compile(changed);
  REQUIRE(!refused);
  CHECK(refused.error().message() ==
        "graph: node 0 (relu) is not for f64: ops::find() has the operator for every dtype");
  for (ir::node& n : changed.graph.nodes) n.op = ops::find(n.op->code);
  const auto made = compile(changed);
  REQUIRE(made);
  session s(*made);
  s.input<double>(0)[1] = -2, s.input<double>(0)[2] = 3;
  REQUIRE(s.run());
  CHECK(s.output<double>(0)[1] == 0);
  CHECK(s.output<double>(0)[2] == 3);
}

}  // namespace

TEST_CASE("session: a run may do other work between steps, and ends where it is told to") {
  session s(compiled<net>());
  const std::vector<float> whole = computed_by<net>(s);
  const std::size_t steps = s.compiled().steps();
  REQUIRE(steps > 1);

  session other(compiled<net>());
  for (std::size_t i = 0; i < net::inputs.size(); ++i) fill(other.input<float>(i), input_for<net>(i));
  std::size_t asked = 0;
  REQUIRE(other.run_while([&] { return ++asked, static_cast<bool>(s.run()); }));
  CHECK((asked > 1 && asked <= steps));
  CHECK(copied(other.output<float>(0)) == whole);

  std::size_t left = 1;
  const auto stopped = other.run_while([&] { return left-- > 0; });
  REQUIRE(!stopped);
  CHECK(stopped.error().code() == error_code::deadline_missed);
  CHECK(stopped.error().message() == "the run was stopped");
  REQUIRE(other.run());
  CHECK(copied(other.output<float>(0)) == whole);
}
