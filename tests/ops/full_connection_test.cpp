// full_connection_test: rules, axes, arithmetic and the DSL form of full_connection.
#include <nnrt/ops/full_connection.hpp>

#include <doctest/doctest.h>
#include <nnrt/ir/apply.hpp>
#include <nnrt/kernels/fast.hpp>
#include <nnrt/ops/relu6.hpp>

#include "support/operators.hpp"

namespace {

using namespace nnrt_test;
using rule = ops::full_connection::rule;

constexpr ops::full_connection::attrs from_axis(std::int64_t axis, activation fused = activation::none) {
  ops::full_connection::attrs a;
  a.axis = axis;
  a.fused = fused;
  return a;
}
constexpr ops::full_connection::attrs plain{};

struct refused_row {
  const char* what;
  ops::full_connection::attrs attrs;
  tensor_desc x, w, b;
  rule broken;
  std::int64_t got, expected;
};
constexpr tensor_desc x23 = f32_of({2, 3}), w43 = f32_of({4, 3}), none{};
constexpr refused_row refused[] = {
    {"a scalar", plain, f32_of({}), w43, none, rule::input_rank_must_be_at_least_1, 0, 1},
    {"axis behind the last", from_axis(2), x23, w43, none, rule::axis_must_be_an_axis_of_the_input, 2, 1},
    {"axis before the first", from_axis(-3), x23, w43, none, rule::axis_must_be_an_axis_of_the_input, -3, 1},
    {"hostile axis", from_axis(max_elements), x23, w43, none, rule::axis_must_be_an_axis_of_the_input, max_elements, 1},
    {"weight of rank 1", plain, x23, f32_of({3}), none, rule::weight_rank_must_be_2, 1, 2},
    {"weight of rank 4", plain, x23, f32_of({4, 3, 1, 1}), none, rule::weight_rank_must_be_2, 4, 2},
    {"weight of another dtype", plain, x23, {f16, {4, 3}}, none, rule::weight_type_must_equal_input_type, 10, 11},
    {"inner extents", plain, x23, f32_of({3, 4}), none, rule::inner_extents_must_be_equal, 3, 4},
    {"inner extents of two axes", from_axis(0), x23, w43, none, rule::inner_extents_must_be_equal, 6, 3},
    {"bias of another dtype", plain, x23, w43, {f64, {4}}, rule::bias_type_must_equal_input_type, 12, 11},
    {"bias too long", plain, x23, w43, f32_of({5}), rule::bias_must_have_one_element_for_each_output, 5, 4},
    {"bias for the inputs", plain, x23, w43, f32_of({3}), rule::bias_must_have_one_element_for_each_output, 3, 4},
};
constexpr bool refused_as_stated(const refused_row& r) {
  return breaks(infer<ops::full_connection>(r.attrs, {computed(r.x), weight(r.w), weight(r.b)}), r.broken, r.got,
                r.expected);
}
static_assert([] {
  for (const refused_row& row : refused)
    if (!refused_as_stated(row)) return false;
  return true;
}());
constexpr auto missing_rule = signature_rule::required_operand_must_be_given;
constexpr auto type_rule = signature_rule::operand_type_must_be_accepted_by_the_operator;
static_assert(breaks(infer<ops::full_connection>({}, {computed(x23)}), missing_rule, 1, 2));
static_assert(breaks(infer<ops::full_connection>({}, {computed({i8, {2, 3}}), weight(w43)}), type_rule, 2, 10));

TEST_CASE("full_connection: what does not fit is refused with the rule and both values") {
  for (const refused_row& row : refused) {
    CAPTURE(row.what);
    CHECK(refused_as_stated(row));
  }
  CHECK(breaks(infer<ops::full_connection>({}, {computed(x23)}), missing_rule, 1, 2));
  CHECK(breaks(infer<ops::full_connection>({}, {computed({i8, {2, 3}}), weight(w43)}), type_rule, 2, 10));
}

struct shape_row {
  const char* what;
  std::int64_t axis;
  shape_t x, w, y;
  std::int64_t macs;
};
constexpr shape_row shapes[] = {
    {"a batch of vectors", -1, {3, 5}, {4, 5}, {3, 4}, 60},
    {"one vector without a batch", -1, {5}, {4, 5}, {4}, 20},
    {"the last axis of an image", -1, {2, 3, 3, 5}, {4, 5}, {2, 3, 3, 4}, 360},
    {"the last axis by its number", 3, {2, 3, 3, 5}, {4, 5}, {2, 3, 3, 4}, 360},
    {"everything after the batch", 1, {2, 3, 1, 5}, {4, 15}, {2, 4}, 120},
    {"everything after the batch, from the end", -3, {2, 3, 1, 5}, {4, 15}, {2, 4}, 120},
    {"everything", 0, {2, 3, 5}, {7, 30}, {7}, 210},
    {"one output", -1, {3, 5}, {1, 5}, {3, 1}, 15},
    {"an empty batch", -1, {0, 5}, {4, 5}, {0, 4}, 0},
    {"no inputs", -1, {2, 0}, {4, 0}, {2, 4}, 0},
};

TEST_CASE("full_connection: the axes from axis on become one row, the others stay") {
  for (const shape_row& row : shapes) {
    CAPTURE(row.what);
    const operand in[] = {computed(f32_of(row.x)), weight(f32_of(row.w)), missing()};
    const verdict v = infer_node<ops::full_connection>(from_axis(row.axis), in, {});
    REQUIRE(v);
    CHECK(v.output(0) == f32_of(row.y));
    CHECK(ops::full_connection::macs(from_axis(row.axis), in, v.outputs) == row.macs);
  }
}

TEST_CASE("full_connection: unknown extents stay unknown, and refuse nothing") {
  const auto y = [](std::int64_t axis, shape_t x, shape_t w) {
    return shape_of(
        infer<ops::full_connection>(from_axis(axis), {computed(f32_of(x)), weight(f32_of(w)), weight(f32_of({-1}))}));
  };
  CHECK(y(-1, {-1, 5}, {4, 5}) == shape_t{-1, 4});
  CHECK(y(1, {2, -1, 5}, {4, 15}) == shape_t{2, 4});
  CHECK(y(-1, {2, 5}, {-1, 5}) == shape_t{2, -1});
}

TEST_CASE("full_connection: each output is a row of x times a row of the weight, whatever the axis") {
  for (const shape_row& row : shapes) {
    CAPTURE(row.what);
    filled<float> x(row.x), w(row.w), b(shape_t{row.w[0]});
    for (std::size_t i = 0; i < x.elements.size(); ++i) x.elements[i] = static_cast<float>(i % 11) - 4.5F;
    for (std::size_t i = 0; i < w.elements.size(); ++i) w.elements[i] = static_cast<float>(i % 5) - 2.0F;
    for (std::size_t i = 0; i < b.elements.size(); ++i) b.elements[i] = 100.0F * static_cast<float>(i);
    const filled<float> y = run<ops::full_connection, float>(from_axis(row.axis), row.y, x, w, b);
    const auto outputs = static_cast<std::size_t>(row.w[0]), inner = static_cast<std::size_t>(row.w[1]);
    for (std::size_t i = 0; i < y.elements.size(); ++i) {
      double sum = 100.0 * static_cast<double>(i % outputs);
      for (std::size_t k = 0; k < inner; ++k)
        sum += double{x.elements[i / outputs * inner + k]} * double{w.elements[i % outputs * inner + k]};
      REQUIRE(double{y.elements[i]} == sum);  // small halves: exact in float
    }
  }
}

// x = (1, 2, -1), weight rows (1, 0, 2), (-1, 1, 1), (3, 3, 0), bias (0.5, -1, 0): worked by hand.
template <class T>
constexpr bool gives(activation fused, std::initializer_list<T> with_bias, std::initializer_list<T> without) {
  const filled<T> x({1, 3}, {T(1), T(2), T(-1)}), b({3}, {T(0.5), T(-1), T(0)});
  const filled<T> w({3, 3}, {T(1), T(0), T(2), T(-1), T(1), T(1), T(3), T(3), T(0)});
  const auto attrs = from_axis(-1, fused);
  return run<ops::full_connection, T>(attrs, {1, 3}, x, w, b).elements == std::vector<T>(with_bias) &&
         run<ops::full_connection, T>(attrs, {1, 3}, x, w).elements == std::vector<T>(without);
}
static_assert(gives<float>(activation::none, {-0.5F, -1, 9}, {-1, 0, 9}));
static_assert(gives<double>(activation::relu, {0, 0, 9}, {0, 0, 9}));
static_assert(gives<float>(activation::relu6, {0, 0, 6}, {0, 0, 6}));

TEST_CASE("full_connection: float16 sums in float, and a bias that is missing counts as zero") {
  CHECK(gives<float16>(activation::none, {float16(-0.5F), float16(-1.0F), float16(9.0F)},
                       {float16(-1.0F), float16(0.0F), float16(9.0F)}));
  const filled<float16> x({1, 3}, {float16(2048.0F), float16(1.0F), float16(1.0F)}),
      w({1, 3}, {float16(1.0F), float16(1.0F), float16(1.0F)});
  CHECK(static_cast<float>(run<ops::full_connection, float16>({}, {1, 1}, x, w).elements[0]) == 2050.0F);
  const tensor_desc desc{f32, {1, 1}};
  float three[] = {3}, y[] = {0};
  const view in[] = {{&desc, three}, {&desc, three}, {}}, out[] = {{&desc, y}};
  ops::full_connection::reference<float>({}, in, out);
  CHECK(y[0] == 9);
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f32, shape<2, 3, 4>>("x");
  auto h = full_connection(x, b.weight<f32, shape<5, 12>>("fc1.weight"), b.weight<f32, shape<5>>("fc1.bias"), axis<1>,
                           relu6);
  b.output("y", full_connection(h, b.weight<f32, shape<7, 5>>("fc2.weight")));
};

TEST_CASE("full_connection: keywords arrive as attributes, and the weight names the node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 2);
  const auto first = unpack<ops::full_connection::attrs>(g.attrs_of(g.nodes[0]));
  const auto second = unpack<ops::full_connection::attrs>(g.attrs_of(g.nodes[1]));
  CHECK((first.axis == 1 && first.fused == activation::relu6));
  CHECK((second.axis == -1 && second.fused == activation::none));
  CHECK(g.inputs_of(g.nodes[0]).size() == 3);
  CHECK(g.inputs_of(g.nodes[1]).size() == 2);
  CHECK(g.name_of(g.nodes[0].name) == "fc1");
  CHECK(g.at(g.outputs[0].value).desc == f32_of({2, 7}));
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 2);

}  // namespace
