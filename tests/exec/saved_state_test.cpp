// saved_state_test: networks with states - what they remember, in executors and in sessions, put back, saved and
// loaded.
#include <nnrt/dynamic.hpp>
#include <nnrt/nnrt.hpp>

#include <doctest/doctest.h>
#include <nnrt/exec/stored_program.hpp>
#include <nnrt/passes/open_states.hpp>

#include "support/networks.hpp"
#include "support/random_states.hpp"
#include "support/weighed.hpp"

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace nnrt_test;

/// A running sum that begins with 1, 2.
constexpr auto running_sum = [](builder& g) {
  auto x = g.input<f32, shape<1, 2>>("x");
  auto total = g.state<f32, shape<1, 2>>("total", {1, 2});
  auto next = add(total, x);
  g.next(total, next);
  g.output("y", mul(next, 10));
};
using sums = graph<running_sum>;
using two = std::array<float, 2>;

static_assert(sums::states.size() == 1 && sums::states[0].name == "total" && sums::inputs.size() == 1);
static_assert(evaluate<sums>(two{1, 1}) == two{20, 30});  // the first run

/// Two states that exchange what they are, one that follows them a run later, one that is an input later, one that
/// stays, and one that becomes a constant.
constexpr auto exchange = [](builder& g) {
  auto x = g.input<f32, shape<1, 2>>("x");
  auto a = g.state<f32, shape<1, 2>>("a", std::array<float, 2>{1, 2}), b = g.state<f32, shape<1, 2>>("b", {3, 4});
  auto late = g.state<f32, shape<1, 2>>("late"), given = g.state<f32, shape<1, 2>>("given");
  auto kept = g.state<f32, shape<1, 2>>("kept", {5, 6}), fixed = g.state<f32, shape<1, 2>>("fixed");
  g.next(a, b), g.next(b, a), g.next(late, a), g.next(given, x), g.next(kept, kept);
  g.next(fixed, g.constant<f32, shape<1, 2>>({7, 8}));
  g.output("a", a), g.output("b", b), g.output("late", late), g.output("given", given);
  g.output("kept", kept), g.output("fixed", fixed);
};

two pair_of(std::span<const float> x) { return {x[0], x[1]}; }

TEST_CASE_TEMPLATE("states: each run of an executor begins where the last one ended", Policy, cpu, cpu_planned) {
  executor<sums, Policy> run;
  CHECK(pair_of(run(two{1, 10})) == two{20, 120});
  CHECK(pair_of(run(two{1, 10})) == two{30, 220});
  two y{};
  run(two{1, 10}, y);
  CHECK(y == two{40, 320});
  run.reset();
  CHECK(pair_of(run(two{0, 0})) == two{10, 20});
}

TEST_CASE("states: they become all at once what may be another one, itself, an input or a constant") {
  executor<graph<exchange>> run;
  const auto look = [&] {
    return std::array{run.output<"a">()[0],     run.output<"b">()[0],    run.output<"late">()[0],
                      run.output<"given">()[0], run.output<"kept">()[0], run.output<"fixed">()[0]};
  };
  run(two{9, 0});
  CHECK(look() == std::array<float, 6>{1, 3, 0, 0, 5, 0});
  run(two{11, 0});
  CHECK(look() == std::array<float, 6>{3, 1, 1, 9, 5, 7});
  run(two{13, 0});
  CHECK(look() == std::array<float, 6>{1, 3, 3, 11, 5, 7});
}

TEST_CASE("states: circles of three and more, and lines of delays that end in one") {
  for (const int length : {1, 2, 3, 5, 8}) {
    CAPTURE(length);
    model_builder b;
    std::vector<std::int32_t> circle, line;
    const auto x = *b.input("x", {f32, {1}});
    for (int i = 0; i < length; ++i) {
      const float number = static_cast<float>(i);
      circle.push_back(
          *b.state("c" + std::to_string(i), {f32, {1}}, *b.constant<float>({f32, {1}}, std::span(&number, 1))));
      line.push_back(*b.state("l" + std::to_string(i), {f32, {1}}));
    }
    for (std::size_t i = 0; i < circle.size(); ++i) {
      REQUIRE(b.next(circle[i], circle[(i + 1) % circle.size()]));
      REQUIRE(b.next(line[i], i == 0 ? circle[0] : line[i - 1]));
      REQUIRE(b.output("c" + std::to_string(i), circle[i]));
      REQUIRE(b.output("l" + std::to_string(i), line[i]));
    }
    REQUIRE(b.output("x", x));
    session s(compile(b.finish()).value());
    for (int run = 0; run < 3 * length; ++run) {
      REQUIRE(s.run());
      for (int i = 0; i < length; ++i) {
        CHECK(s.output<float>(static_cast<std::size_t>(2 * i))[0] == static_cast<float>((i + run) % length));
        const int age = run - i - 1;  // what the circle's first one was then
        CHECK(s.output<float>(static_cast<std::size_t>(2 * i + 1))[0] ==
              (age < 0 ? 0.0F : static_cast<float>(age % length)));
      }
    }
  }
}

TEST_CASE("states: what was saved in the middle is gone on with, by others, too") {
  executor<sums> run;
  run(two{1, 1});
  const saved_state kept = run.save_state();
  CHECK(kept.count() == 1);
  CHECK(kept.name(0) == "total");
  CHECK(kept.desc(0) == sums::states[0].desc);
  const two next = pair_of(run(two{5, 5}));
  run(two{100, 100});
  REQUIRE(run.load_state(kept));
  CHECK(pair_of(run(two{5, 5})) == next);
  executor<sums, cpu_planned> other;
  REQUIRE(other.load_state(kept));
  CHECK(pair_of(other(two{5, 5})) == next);
  session s(compile(to_model<sums>().value()).value());
  REQUIRE(s.load_state(kept));
  s.input<float>(0)[0] = s.input<float>(0)[1] = 5;
  REQUIRE(s.run());
  CHECK(pair_of(s.output<float>(0)) == next);
  REQUIRE(run.load_state(s.save_state()));
  CHECK(pair_of(run(two{0, 0})) == next);
}

TEST_CASE("states: those of another network are refused, and nothing changes") {
  constexpr auto renamed = [](builder& g) {
    auto x = g.input<f32, shape<1, 2>>("x");
    auto h = g.state<f32, shape<1, 2>>("h");
    g.next(h, x), g.output("y", h);
  };
  constexpr auto wider = [](builder& g) {
    auto x = g.input<f32, shape<1, 3>>("x");
    auto h = g.state<f32, shape<1, 3>>("total");
    g.next(h, x), g.output("y", h);
  };
  executor<sums> run;
  const auto refused = [&](const saved_state& from) {
    const auto loaded = run.load_state(from);
    CHECK(pair_of(run(two{0, 0})) == two{10, 20});
    return loaded ? std::string() : loaded.error().message();
  };
  CHECK(refused({}) == "saved state: got 0 states, expected 1");
  CHECK(refused(executor<graph<exchange>>().save_state()) == "saved state: got 6 states, expected 1");
  CHECK(refused(executor<graph<renamed>>().save_state()) ==
        "saved state: state 0: got \"h\" f32 [1, 2], expected \"total\" f32 [1, 2]");
  CHECK(refused(executor<graph<wider>>().save_state()) ==
        "saved state: state 0: got \"total\" f32 [1, 3], expected \"total\" f32 [1, 2]");
}

TEST_CASE("states: executors that share weights have separate states, and moved ones keep theirs") {
  executor<sums> first;
  first(two{1, 1});
  executor<sums> second = first.share();
  CHECK(pair_of(second(two{0, 0})) == two{10, 20});
  CHECK(pair_of(first(two{0, 0})) == two{20, 30});
  executor<sums> moved = std::move(first);
  CHECK(pair_of(moved(two{0, 0})) == two{20, 30});
  moved.reset();
  CHECK(pair_of(moved(two{0, 0})) == two{10, 20});
}

TEST_CASE("states: a thousand sessions of one program have separate states") {
  const program compiled = compile(to_model<sums>().value()).value();
  CHECK(compiled.state_count() == 1);
  CHECK(compiled.state_name(0) == "total");
  CHECK(compiled.state_desc(0).shape == shape_t{1, 2});
  CHECK(compiled.state_desc(1).type == dtype::none);
  std::vector<session> all;
  for (int i = 0; i < 1000; ++i) all.emplace_back(compiled);
  for (int step = 0; step < 3; ++step)
    for (int i = 0; i < 1000; ++i) {
      session& s = all[static_cast<std::size_t>((i * 7 + step * 131) % 1000)];
      s.input<float>(0)[0] = static_cast<float>((i * 7 + step * 131) % 1000);
      REQUIRE(s.run());
    }
  bool are_right = true;
  for (int i = 0; i < 1000; ++i)
    are_right = are_right && pair_of(all[static_cast<std::size_t>(i)].output<float>(0)) ==
                                 two{10 * (1.0F + 3.0F * static_cast<float>(i)), 20};
  CHECK(are_right);
}

TEST_CASE("states: an initial value may be a weight, and reset goes back to it") {
  constexpr auto from_weight = [](builder& g) {
    auto x = g.input<f32, shape<1, 4>>("x");
    auto h = g.state<f32, shape<1, 4>>("h", g.weight<f32, shape<1, 4>>("h0"));
    g.next(h, add(h, x));
    g.output("y", h);
  };
  using net = graph<from_weight>;
  auto run = executor<net>::create(weights_for<net>());
  REQUIRE(run);
  const std::array<float, 4> x{1, 1, 1, 1};
  const float begun = (*run)(x)[2];
  CHECK(begun != 0);
  CHECK((*run)(x)[2] == begun + 1);
  run->reset();
  CHECK((*run)(x)[2] == begun);
  const program compiled = compile(to_model<net>(weights_for<net>()).value()).value();
  const program restored = restore_program(shared_bytes::copy_of(store_program(compiled).value())).value();
  session s(restored);
  REQUIRE(s.run());
  CHECK(s.output<float>(0)[2] == begun);
}

// ---- Streaming ----

constexpr std::int64_t steps = 7, features = 5, hidden = 6;

constexpr auto sequence = [](builder& g) {
  auto x = g.input<f32, shape<steps, 1, features>>("x");
  auto w = g.weight<f32, shape<1, 4 * hidden, features>>("w");
  auto u = g.weight<f32, shape<1, 4 * hidden, hidden>>("u");
  auto [y, h, c] = lstm(x, w, u, g.weight<f32, shape<1, 8 * hidden>>("b"));
  g.output("y", y), g.output("h", h), g.output("c", c);
};
constexpr auto one_step = [](builder& g) {
  auto x = g.input<f32, shape<1, 1, features>>("x");
  auto h = g.state<f32, shape<1, 1, hidden>>("h"), c = g.state<f32, shape<1, 1, hidden>>("c");
  auto w = g.weight<f32, shape<1, 4 * hidden, features>>("w");
  auto u = g.weight<f32, shape<1, 4 * hidden, hidden>>("u");
  auto [y, next_h, next_c] = lstm(x, w, u, g.weight<f32, shape<1, 8 * hidden>>("b"), h, c);
  g.next(h, next_h), g.next(c, next_c);
  g.output("y", y);
};

/// A gated recurrent unit of plain operators: h' = (1 - z) * n + z * h.
template <tensor_desc X, tensor_desc H> constexpr auto gated(builder& g, tensor<X> x, tensor<H> h) {
  const auto dense = [&](auto from, std::string_view name) {
    return full_connection(from, g.weight<f32, shape<hidden, from.desc.shape[1]>>(name));
  };
  auto z = sigmoid(add(dense(x, "wz"), dense(h, "uz"))), r = sigmoid(add(dense(x, "wr"), dense(h, "ur")));
  auto n = tanh(add(dense(x, "wn"), mul(r, dense(h, "un"))));
  return add(mul(sub(1, z), n), mul(z, h));
}
constexpr auto gated_sequence = [](builder& g) {
  auto x = g.input<f32, shape<4, features>>("x");
  auto [a, b, c, d] = split(x, sizes<1, 1, 1, 1>, axis<0>);
  auto zeros = g.input<f32, shape<1, hidden>>("zeros");  // no constant, of which references would make the first step
  auto first = gated(g, a, zeros), second = gated(g, b, first), third = gated(g, c, second);
  g.output("y", concat(first, second, third, gated(g, d, third), axis<0>));
};
constexpr auto gated_step = [](builder& g) {
  auto x = g.input<f32, shape<1, features>>("x");
  auto h = g.state<f32, shape<1, hidden>>("h");
  auto next = gated(g, x, h);
  g.next(h, next);
  g.output("y", next);
};

/// Runs one network over the whole sequence, the other one step by step, saved, lost and loaded in the middle: where
/// their bits differ; empty: nowhere.
template <class Whole, class Step, class Policy> std::string difference_of_stream(std::size_t count) {
  const weights file = weights_for<Whole>();
  auto whole = executor<Whole, Policy>::create(file);
  auto step = executor<Step, Policy>::create(weights_for<Step>());
  REQUIRE(whole);
  REQUIRE(step);
  const std::vector<float> x = numbers_named("x", static_cast<std::int64_t>(count) * features, 7);
  const auto expected = [&] {
    if constexpr (Whole::inputs.size() == 2) return (*whole)(x, std::vector<float>(hidden));
    else return std::get<0>((*whole)(x));
  }();
  for (std::size_t t = 0; t < count; ++t) {
    if (t == count / 2) {
      const saved_state kept = step->save_state();
      (*step)(std::vector<float>(features, 3.0F));
      step->reset();
      if (!step->load_state(kept)) return "not loaded";
    }
    const auto y = (*step)(std::span<const float>(x).subspan(t * features, features));
    if (std::memcmp(y.data(), expected.data() + t * hidden, hidden * sizeof(float)) != 0)
      return "step " + std::to_string(t);
  }
  return {};
}

TEST_CASE_TEMPLATE("states: a recurrent layer run step by step has the bits of the whole sequence", Policy, cpu_planned,
                   cpu_unrolled) {
  CHECK(difference_of_stream<graph<sequence>, graph<one_step>, Policy>(steps) == "");
  CHECK(difference_of_stream<graph<gated_sequence>, graph<gated_step>, Policy>(4) == "");
}

// ---- Where states lie ----

TEST_CASE("states: what they become is made in their place where nobody reads them any more") {
  CHECK(graph<gated_step>::plan.states[0].is_copied == false);
  CHECK(sums::plan.states[0].is_copied == false);
  CHECK(sums::steps == 2);
  CHECK(sums::arena_bytes == 128);  // the state and the product
  constexpr auto read_later = [](builder& g) {
    auto h = g.state<f32, shape<1, 2>>("h");
    auto next = add(h, g.input<f32, shape<1, 2>>("x"));
    g.next(h, next);
    g.output("y", mul(next, h));  // reads what it was
  };
  CHECK(graph<read_later>::plan.states[0].is_copied);
  executor<graph<read_later>> run;
  CHECK(pair_of(run(two{2, 3})) == two{0, 0});
  CHECK(pair_of(run(two{2, 3})) == two{8, 18});
  CHECK(graph<read_later>::text().find("\"h\"") != std::string::npos);
  CHECK(graph<read_later>::text().find("copied at the end") != std::string::npos);
  CHECK(sums::text().find("in place") != std::string::npos);
}

TEST_CASE("states: outputs may be what a state is and what it becomes, before the first run, too") {
  constexpr auto both = [](builder& g) {
    auto h = g.state<f32, shape<1, 2>>("h", {1, 2});
    auto next = add(h, g.input<f32, shape<1, 2>>("x"));
    g.next(h, next);
    g.output("before", h), g.output("after", next);
  };
  constexpr auto after = [](builder& g) {
    auto h = g.state<f32, shape<1, 2>>("h", {1, 2});
    auto next = add(h, g.input<f32, shape<1, 2>>("x"));
    g.next(h, next);
    g.output("after", next);
  };
  executor<graph<both>> run;
  run(two{1, 1});
  run(two{1, 1});
  CHECK(pair_of(run.output<"before">()) == two{2, 3});
  CHECK(pair_of(run.output<"after">()) == two{3, 4});
  executor<graph<after>> alone;
  CHECK(pair_of(alone(two{1, 1})) == two{2, 3});
  CHECK(pair_of(alone(two{1, 1})) == two{3, 4});
}

/// Runs the network, and a copy whose states are inputs and outputs that the caller passes on; says what differs.
std::string difference_of_runs(const model& with_states, const options& wanted) {
  model opened = with_states;
  passes::open_states(opened.graph);
  const std::size_t states = with_states.graph.states.size();
  session s(compile(with_states, wanted).value()), by_hand(compile(opened).value());
  const saved_state begun = s.save_state();
  const std::size_t inputs = with_states.graph.inputs.size(), outputs = with_states.graph.outputs.size();
  const auto put = [](std::span<std::byte> to, array_ref<const std::byte> from) {
    std::copy(from.begin(), from.end(), to.begin());
  };
  for (std::size_t k = 0; k < states; ++k) put(by_hand.input_bytes(inputs + k), begun.bytes(k));
  for (int run = 0; run < 5; ++run) {
    for (std::size_t i = 0; i < inputs; ++i) {
      const std::vector<float> x =
          numbers_named(std::to_string(run), s.input_desc(i).elements(), static_cast<std::uint32_t>(i));
      std::copy(x.begin(), x.end(), s.input<float>(i).begin());
      std::copy(x.begin(), x.end(), by_hand.input<float>(i).begin());
    }
    if (auto ok = s.run(); !ok) return ok.error().message();
    if (auto ok = by_hand.run(); !ok) return ok.error().message();
    const auto differ = [](std::span<const std::byte> a, array_ref<const std::byte> b) {
      return std::memcmp(a.data(), b.data(), b.size()) != 0;
    };
    for (std::size_t i = 0; i < outputs; ++i)
      if (const auto y = by_hand.output_bytes(i); differ(s.output_bytes(i), {y.data(), y.size()}))
        return "run " + std::to_string(run) + ": output " + std::to_string(i);
    const saved_state now = s.save_state();
    for (std::size_t k = 0; k < states; ++k) {
      if (differ(by_hand.output_bytes(outputs + k), now.bytes(k)))
        return "run " + std::to_string(run) + ": state " + std::to_string(k);
      put(by_hand.input_bytes(inputs + k), now.bytes(k));
    }
  }
  return {};
}

TEST_CASE("states: any network has the bits of one whose caller hands them on") {
  for (std::uint32_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    CHECK(difference_of_runs(weighed(with_random_states(seed)), {.threads = seed % 5 == 0 ? 3 : 1}) == "");
  }
}

TEST_CASE("states: large images, in stripes and by several threads") {
  // Twice two convolutions whose results leave the cache, and sums with a state of their size.
  model_builder b;
  const tensor_desc image{f32, {1, 128, 96, 16}};
  const auto x = *b.input("x", image), h = *b.state("h", image), late = *b.state("late", image);
  const auto convolve = [&](std::int32_t from, std::string_view name, std::int64_t size) {
    const auto w = *b.weight(name, {f32, {16, size, size, 16}});
    ops::conv2d::attrs how;
    how.pad.mode = pad_mode::same;
    return (*b.apply<ops::conv2d>(how, {from, w}))[0];
  };
  const auto sum = (*b.apply<ops::add>({}, {convolve(convolve(x, "a", 3), "b", 1), h}))[0];
  const auto next =
      (*b.apply<ops::tanh>({}, {(*b.apply<ops::add>({}, {convolve(convolve(sum, "c", 1), "d", 3), late}))[0]}))[0];
  REQUIRE(b.next(h, next));
  REQUIRE(b.next(late, h));
  REQUIRE(b.output("y", sum));
  const model made = weighed(b.finish().graph);
  for (const int threads : {1, 2, 3}) {
    CAPTURE(threads);
    CHECK(difference_of_runs(made, {.threads = threads}) == "");
  }
}

// ---- Runs that fail, and runs that are stopped ----

/// A lookup that fails for indices beyond 3; the state would have become something else before it.
constexpr auto counted_lookup = [](builder& g) {
  auto i = g.input<i32, shape<1>>("i");
  auto total = g.state<f32, shape<4>>("total");
  auto next = add(total, g.constant<f32, shape<4>>({1, 2, 3, 4}));
  g.next(total, next);
  g.output("y", gather(next, i, axis<0>));
};

TEST_CASE("states: after a run that failed they are what they were before it") {
  using net = graph<counted_lookup>;
  const std::array<std::int32_t, 1> good{1}, bad{9};
  executor<net> run;
  CHECK(run(good)[0] == 2);
  CHECK_FALSE(run.try_run(bad));
  CHECK_FALSE(run.try_run(bad));
  CHECK(run(good)[0] == 4);
  session s(compile(to_model<net>().value()).value());
  for (const std::int32_t i : {1, 9, 9, 1}) {
    s.input<std::int32_t>(0)[0] = i;
    CHECK(static_cast<bool>(s.run()) == (i == 1));
  }
  CHECK(s.output<float>(0)[0] == 4);
}

TEST_CASE("states: a run that is stopped once they have begun to change has to be followed by reset or load_state") {
  model_builder b;
  const auto x = *b.input("x", {f32, {3}});
  const auto one = *b.state("one", {f32, {3}}), two_runs = *b.state("two", {f32, {3}});
  const auto first = (*b.apply<ops::softmax>({}, {x}))[0], next = (*b.apply<ops::add>({}, {one, first}))[0];
  REQUIRE(b.next(one, next));
  REQUIRE(b.next(two_runs, next));
  REQUIRE(b.output("y", next));
  const program compiled = compile(b.finish()).value();
  const auto stopped_after = [&](session& s, int steps_done) { return s.run_while([&] { return steps_done-- > 0; }); };
  for (int done = 0; done < static_cast<int>(compiled.steps()); ++done) {
    CAPTURE(done);
    session s(compiled);
    REQUIRE(s.run());
    const saved_state kept = s.save_state();
    const auto stopped = stopped_after(s, done);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code() == error_code::deadline_missed);
    const auto again = s.run();
    CHECK(static_cast<bool>(again) == (done <= 1));  // the second step is the first that changes one
    if (!again)
      CHECK(again.error().message() ==
            "a run was stopped while it changed states; reset() the session, or load_state()");
    REQUIRE(s.load_state(kept));
    CHECK(s.run());
    REQUIRE_FALSE(stopped_after(s, done));
    s.reset();
    CHECK(s.run());
  }
}

TEST_CASE("states: a session that is resized keeps them, and refuses what they could not become") {
  model_builder b;
  const auto x = *b.input("x", {f32, {-1, 2}});
  const auto h = *b.state("h", {f32, {1, 2}});
  ops::reduce_sum::attrs over;
  over.keep_dims = true;
  const std::int64_t axes[] = {0};
  const auto sum = (*b.apply<ops::reduce_sum>(over, {x, *b.constant<std::int64_t>({i64, {1}}, axes)}))[0];
  const auto next = (*b.apply<ops::add>({}, {h, sum}))[0];
  REQUIRE(b.next(h, next));
  REQUIRE(b.output("y", next));
  const program compiled = compile(b.finish()).value();
  session s(compiled);
  CHECK(s.save_state().count() == 0);  // no shapes, no memory
  CHECK_FALSE(s.load_state({}));
  float total = 0;
  for (const std::int64_t rows : {3, 1, 4}) {
    REQUIRE(s.resize({shape_t{rows, 2}}));
    for (float& v : s.input<float>(0)) v = 1;
    REQUIRE(s.run());
    total += static_cast<float>(rows);
    CHECK(pair_of(s.output<float>(0)) == two{total, total});
  }
  model_builder wrong;
  const auto rows = *wrong.input("x", {f32, {-1, 2}});
  REQUIRE(wrong.next(*wrong.state("h", {f32, {1, 2}}), rows));
  REQUIRE(wrong.output("y", rows));
  session open(compile(wrong.finish()).value());
  CHECK(open.resize({shape_t{1, 2}}));
  const auto refused = open.resize({shape_t{2, 2}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message() == "graph: state \"h\" is f32 [1, 2], but becomes f32 [2, 2]");
}

// ---- Stored ----

TEST_CASE("states: any network with states comes back when it was stored or saved") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const model network = weighed(with_random_states(seed));
    const program fresh = compile(network).value();
    const auto bytes = store_program(fresh);
    REQUIRE(bytes);
    auto back = restore_program(shared_bytes::copy_of(*bytes));
    INFO((back ? std::string() : back.error().message()));
    REQUIRE(back);
    const saved_model all[] = {
        {.network = network, .name = "net", .architecture = {}, .places = {}, .inputs = {}, .made_by = {}}};
    const auto file = models_to_bytes(all);
    REQUIRE(file);
    const auto loaded = model::load(std::span<const std::byte>(*file));
    INFO((loaded ? std::string() : loaded.error().message()));
    REQUIRE(loaded);
    session a(fresh), b(*back), c(compile(*loaded).value());
    for (int run = 0; run < 3; ++run) {
      for (session* const s : {&a, &b, &c}) REQUIRE(s->run());
      for (std::size_t i = 0; i < fresh.output_count(); ++i) {
        const auto expected = a.output_bytes(i);
        CHECK(std::equal(expected.begin(), expected.end(), b.output_bytes(i).begin()));
        CHECK(std::equal(expected.begin(), expected.end(), c.output_bytes(i).begin()));
      }
    }
    REQUIRE(b.load_state(a.save_state()));
  }
}

}  // namespace
