// program_test: models whose inputs have unknown extents are checked once and planned for each set of shapes that they
// meet.
#include <nnrt/dynamic.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <numeric>
#include <string>
#include <vector>

namespace {

using namespace nnrt;

constexpr std::int64_t any = -1;

/// x [-1, -1, -1, 2] -> 3x3 convolution with 4 filters -> relu -> mean over the image -> dense layer with 3 outputs ->
/// softmax.
model classifier() {
  model_builder b;
  const std::int32_t x = b.input("x", {f32, {any, any, any, 2}}).value();
  std::vector<float> filters(4 * 3 * 3 * 2), matrix(3 * 4);
  for (std::size_t i = 0; i < filters.size(); ++i)
    filters[i] = static_cast<float>(static_cast<int>(i * 7 % 11) - 5) / 8;
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<float>(static_cast<int>(i * 5 % 7) - 3) / 4;
  const std::int32_t w = b.constant<float>({f32, {4, 3, 3, 2}}, filters).value();
  const std::int32_t m = b.constant<float>({f32, {3, 4}}, matrix).value();
  const std::int64_t image[] = {1, 2};
  const std::int32_t axes = b.constant<std::int64_t>({i64, {2}}, image).value();
  ops::conv2d::attrs convolution;
  convolution.pad.mode = pad_mode::same;
  const std::int32_t y = b.apply<ops::conv2d>(convolution, {x, w}, {}, "stem").value()[0];
  const std::int32_t mean = b.apply<ops::reduce_mean>({}, {b.apply<ops::relu>({}, {y}).value()[0], axes}).value()[0];
  const std::int32_t scores = b.apply<ops::full_connection>({}, {mean, m}, {}, "head").value()[0];
  REQUIRE(b.output("scores", b.apply<ops::softmax>({}, {scores}).value()[0]));
  return b.finish();
}

/// Fills the input; image n is the same in every run, for any batch.
void fill(session& s) {
  const shape_t shape = s.input_desc(0).shape;
  const std::span<float> x = s.input<float>(0);
  const auto image = static_cast<std::size_t>(shape.elements(1));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(static_cast<int>((i % image + 3 * (i / image)) % 13) - 6) / 8;
}
std::vector<float> run(session& s) {
  fill(s);
  const result<void> done = s.run();
  INFO((done ? std::string() : done.error().message()));
  REQUIRE(done);
  const std::span<const float> y = s.output<float>(0);
  return {y.begin(), y.end()};
}

TEST_CASE("program: a compilation that is given less time than it takes is not finished") {
  model_builder b;
  std::vector<float> filters(std::size_t{256} * 3 * 3 * 256, 0.01F);
  std::int32_t x = b.input("x", {f32, {1, 8, 8, 256}}).value();
  ops::conv2d::attrs padded;
  padded.pad.mode = pad_mode::same;
  for (int layer = 0; layer < 12; ++layer) {
    filters[0] += 1;  // else they would be one and the same
    x = b.apply<ops::conv2d>(padded, {x, b.constant<float>({f32, {256, 3, 3, 256}}, filters).value()}).value()[0];
  }
  REQUIRE(b.output("y", x));
  const model deep = b.finish();
  const std::int64_t begin = steady_now();
  REQUIRE(compile(deep));
  const std::int64_t whole = steady_now() - begin, again = steady_now();
  const auto late = compile(deep, {.deadline = again + whole / 8});
  REQUIRE(!late);
  CHECK(late.error().code() == error_code::deadline_missed);
  CHECK(steady_now() - again < whole);
  CHECK(compile(deep, {.deadline = 1}).error().message() == "the model was given less time than its preparation takes");
  CHECK(compile(deep, {.deadline = steady_now() + 100 * whole + 1'000'000'000}));
  const std::atomic<bool> is_unwanted{true};
  CHECK(compile(deep, {.is_unwanted = &is_unwanted}).error().code() == error_code::deadline_missed);
}

TEST_CASE("program: with unknown extents there is no plan, but names, descs and what follows from them") {
  const program p = compile(classifier()).value();
  CHECK(!p.has_plan());
  CHECK(p.input_desc(0).shape == shape_t{any, any, any, 2});
  CHECK(p.output_desc(0).shape == shape_t{any, 3});
  CHECK(p.output_name(0) == "scores");
  CHECK(p.steps() == 0);
  CHECK(p.text().empty());
  CHECK(p.cached_plans() == 0);
}

TEST_CASE("program: with_shapes plans once for each set of shapes") {
  const program p = compile(classifier()).value();
  const program small = p.with_shapes({{1, 5, 7, 2}}).value();
  CHECK(small.has_plan());
  CHECK(small.output_desc(0).shape == shape_t{1, 3});
  CHECK(small.steps() > 0);
  CHECK(p.cached_plans() == 1);
  const program again = p.with_shapes({{1, 5, 7, 2}}).value();
  CHECK(p.cached_plans() == 1);
  CHECK(again.text() == small.text());
  const program large = small.with_shapes({{4, 9, 9, 2}}).value();  // from one whose shapes are known, too
  CHECK(large.output_desc(0).shape == shape_t{4, 3});
  CHECK(large.arena_bytes() > small.arena_bytes());
  CHECK(p.cached_plans() == 2);
}

TEST_CASE("program: options say whether convolutions may be transformed, whenever they are planned") {
  model_builder b;
  const std::int32_t x = b.input("x", {f32, {1, any, any, 32}}).value();
  const std::int32_t w = b.constant<float>({f32, {32, 3, 3, 32}}, std::vector<float>(32 * 9 * 32, 0.5F)).value();
  REQUIRE(b.output("y", b.apply<ops::conv2d>({}, {x, w}).value()[0]));
  const model convolution = b.finish();
  const auto kernel = [&](const options& wanted) {
    const program planned = compile(convolution, wanted).value().with_shapes({{1, 24, 24, 32}}).value();
    return std::string(planned.table()[0].kernel);
  };
  CHECK(kernel({}) == "winograd 4x4");
  CHECK(kernel({.winograd = winograd::off}) == "gemm windows");
}

TEST_CASE("program: no more plans are kept than the options say, the oldest goes first") {
  const program p = compile(classifier(), {.cached_plans = 2}).value();
  for (std::int64_t batch = 1; batch <= 5; ++batch) {
    REQUIRE(p.with_shapes({{batch, 3, 3, 2}}));
    CHECK(p.cached_plans() == (batch == 1 ? 1U : 2U));
  }
}

struct refused_shapes {
  std::vector<shape_t> shapes;
  const char* message;
};
const refused_shapes refused[] = {
    {{}, "got shapes for 0 inputs, expected 1"},
    {{{1, 2, 3, 2}, {1}}, "got shapes for 2 inputs, expected 1"},
    {{{1, 2, 2}}, "input \"x\": got shape [1, 2, 2], expected [?, ?, ?, 2]"},
    {{{1, 2, 3, 4}}, "input \"x\": got shape [1, 2, 3, 4], expected [?, ?, ?, 2]"},
    {{{1, any, 3, 2}}, "input \"x\": got shape [1, ?, 3, 2], expected [?, ?, ?, 2] with known extents"},
    {{{1, -2, 3, 2}}, "input \"x\": got shape [1, -2, 3, 2], expected [?, ?, ?, 2] with known extents"},
    {{{max_elements, max_elements, 3, 2}},
     "input \"x\": got shape [1099511627776, 1099511627776, 3, 2], expected [?, ?, ?, 2] with fewer elements"},
};

TEST_CASE("session: shapes that do not fit are refused by name, and the session stays as it was") {
  session s(compile(classifier()).value());
  REQUIRE(s.resize({{2, 4, 5, 2}}));
  const std::vector<float> before = run(s);
  for (const refused_shapes& r : refused) {
    CAPTURE(r.message);
    const result<void> resized = s.resize(r.shapes);
    REQUIRE(!resized);
    CHECK(resized.error().message() == r.message);
    CHECK(resized.error().code() == error_code::invalid_argument);
  }
  CHECK(s.input_desc(0).shape == shape_t{2, 4, 5, 2});
  CHECK(run(s) == before);
}

TEST_CASE("session: it does not run before its inputs have shapes") {
  session s(compile(classifier()).value());
  const result<void> done = s.run();
  REQUIRE(!done);
  CHECK(done.error().message() == "unknown extents: \"x\" f32 [?, ?, ?, 2]; resize() the session first");
}

TEST_CASE("session: every image of a batch gives what it gives alone, and a smaller batch after a larger one, too") {
  session s(compile(classifier(), {.threads = 2}).value());
  REQUIRE(s.resize({{3, 6, 5, 2}}));
  const std::vector<float> three = run(s);
  REQUIRE(s.resize({{1, 6, 5, 2}}));
  const std::vector<float> one = run(s);
  REQUIRE(three.size() == 9);
  for (std::size_t i = 0; i < 3; ++i) CHECK(one[i] == doctest::Approx(three[i]).epsilon(1e-6));
  REQUIRE(s.resize({{3, 6, 5, 2}}));
  CHECK(run(s) == three);
}

TEST_CASE("session: what was planned for shapes gives the bits of a model that was written for them") {
  model fixed = classifier();
  fixed.graph.at(0).desc.shape = {2, 7, 3, 2};
  session known(compile(fixed).value());
  session resized(compile(classifier()).value());
  REQUIRE(resized.resize({{2, 7, 3, 2}}));
  CHECK(run(resized) == run(known));
  CHECK(known.resize({{2, 7, 3, 2}}));
  CHECK(!known.resize({{2, 7, 4, 2}}));
}

TEST_CASE("compile: rules that hold for no extents are broken at once, others when the shapes are there") {
  model_builder b;
  const std::int32_t x = b.input("x", {f32, {any, 4}}).value(), y = b.input("y", {f32, {any, 4}}).value(),
                     z = b.input("z", {f32, {any, 3}}).value();
  const auto refused_now = b.apply<ops::add>({}, {x, z}, {}, "sum");
  REQUIRE(!refused_now);
  CHECK(refused_now.error().message() == "add \"sum\": extents must be equal or 1 (got 3, expected 4)");
  REQUIRE(b.output("sum", b.apply<ops::add>({}, {x, y}, {}, "sum").value()[0]));
  REQUIRE(b.output("z", b.apply<ops::relu>({}, {z}).value()[0]));
  const program p = compile(b.finish()).value();
  CHECK(p.with_shapes({{5, 4}, {1, 4}, {2, 3}}));
  const auto later = p.with_shapes({{5, 4}, {3, 4}, {2, 3}});
  REQUIRE(!later);
  CHECK(later.error().code() == error_code::rule_broken);
  CHECK(later.error().message() == "add \"sum\": extents must be equal or 1 (got 3, expected 5)");
}

TEST_CASE("compile: a shape that is computed from the input's shape reaches the operator that reads it") {
  model_builder b;
  const std::int32_t x = b.input("x", {f32, {any, any, 2}}).value();
  const std::int32_t extents = b.apply<ops::shape_of>({}, {x}).value()[0];
  const std::int64_t from[] = {1}, one[] = {1};
  const std::int32_t begin = b.constant<std::int64_t>({i64, {1}}, from).value(),
                     size = b.constant<std::int64_t>({i64, {1}}, one).value();
  const std::int32_t height = b.apply<ops::slice>({}, {extents, begin, size}).value()[0];
  const std::int32_t inferred = b.constant<std::int32_t>({i32, {1}}, std::array<std::int32_t, 1>{-1}).value();
  const std::int32_t target = b.apply<ops::concat>({}, {height, inferred}).value()[0];
  const auto y = b.apply<ops::reshape>({}, {x, target});
  REQUIRE(y);
  CHECK(b.desc((*y)[0]).shape == shape_t{any, any});
  REQUIRE(b.output("y", (*y)[0]));
  session s(compile(b.finish()).value());
  REQUIRE(s.resize({{3, 4, 2}}));
  CHECK(s.output_desc(0).shape == shape_t{4, 6});
  std::iota(s.input<float>(0).begin(), s.input<float>(0).end(), 0.0F);
  REQUIRE(s.run());
  CHECK(s.output<float>(0)[23] == 23);
  REQUIRE(s.resize({{1, 2, 2}}));
  CHECK(s.output_desc(0).shape == shape_t{2, 2});
}

TEST_CASE("compile: fill, tile and reshape take shapes that other operators have put together") {
  model_builder b;
  const auto list = [&b](std::vector<std::int32_t> numbers) {
    return b.constant<std::int32_t>({i32, {static_cast<std::int64_t>(numbers.size())}}, numbers).value();
  };
  const auto add = [](result<pool<std::int32_t>> made) {
    REQUIRE(made);
    return (*made)[0];
  };
  const std::int32_t x = b.input("x", {f32, {any, any, 2}}).value();
  const std::int32_t extents = add(b.apply<ops::shape_of>({}, {x}));
  ops::strided_slice::attrs one;
  one.shrink_axis_mask = 1;
  const std::int32_t height = add(b.apply<ops::strided_slice>(one, {extents, list({0}), list({1}), list({1})}));
  const std::int32_t width = add(b.apply<ops::gather>(
      {}, {extents, b.constant<std::int32_t>({i32, {}}, std::array<std::int32_t, 1>{1}).value(), list({0})}));
  const std::int32_t turned = add(b.apply<ops::stack>({}, {width, height}));
  const std::int32_t three = b.constant<float>({f32, {}}, std::array<float, 1>{3}).value();
  const std::int32_t threes = add(b.apply<ops::fill>({}, {three, turned}));
  CHECK(b.desc(threes).shape == shape_t{any, any});
  REQUIRE(b.output("threes", threes));
  const std::int32_t row = add(b.apply<ops::reshape>({}, {x, list({1, -1})}));
  const std::int32_t tiled = add(b.apply<ops::tile>({}, {row, turned}));
  REQUIRE(b.output("tiled", tiled));
  session s(compile(b.finish()).value());
  REQUIRE(s.resize({{2, 3, 2}}));
  CHECK(s.output_desc(0).shape == shape_t{3, 2});
  CHECK(s.output_desc(1).shape == shape_t{3, 24});
  std::iota(s.input<float>(0).begin(), s.input<float>(0).end(), 0.0F);
  REQUIRE(s.run());
  CHECK(s.output<float>(0)[5] == 3);
  CHECK(s.output<float>(1)[12] == 0);
  CHECK(s.output<float>(1)[71] == 11);
  REQUIRE(s.resize({{1, 1, 2}}));
  CHECK(s.output_desc(1).shape == shape_t{1, 2});
}

TEST_CASE("session: a shape that only a run knows must be the declared one") {
  model_builder b;
  const std::int32_t one = b.input("one", {f32, {}}).value(), shape = b.input("shape", {i64, {2}}).value();
  const auto filled = b.apply<ops::fill>({}, {one, shape}, {tensor_desc{f32, {2, 3}}}, "late");
  REQUIRE(filled);
  REQUIRE(b.output("y", (*filled)[0]));
  session s(compile(b.finish()).value());
  s.input<float>(0)[0] = 7;
  s.input<std::int64_t>(1)[0] = 2;
  s.input<std::int64_t>(1)[1] = 3;
  REQUIRE(s.run());
  CHECK(s.output<float>(0)[5] == 7);
  s.input<std::int64_t>(1)[1] = 4;
  const auto refused = s.run();
  REQUIRE(!refused);
  CHECK(refused.error().message() ==
        "fill \"late\": extent must be that of the output (got 4, expected 3) at element 1");
}

TEST_CASE("compile: extents that depend on more than shapes are refused by the node's name") {
  model_builder b;
  const std::int32_t x = b.input("x", {f32, {4}}).value(), shape = b.input("shape", {i64, {2}}).value();
  const auto refused_node = b.apply<ops::reshape>({}, {x, shape}, {}, "by input");
  REQUIRE(!refused_node);
  CHECK(refused_node.error().message() == "reshape \"by input\": operand must be a constant (got 0, expected 1)");
}

}  // namespace
