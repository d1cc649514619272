// scale_test: its rules one by one, its meaning by hand, and the DSL function.
#include <nnrt/ops/scale.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/relu.hpp>
#include <support/quantised.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::scale;
using rule = op::rule;

constexpr op::attrs along(std::int64_t axis, activation fused = activation::none) {
  op::attrs a;
  a.axis = axis, a.fused = fused;
  return a;
}
constexpr operand x = computed(f32_of({2, 3, 5, 4})), c4 = weight(f32_of({4})), c3 = weight(f32_of({3})),
                  half4 = weight({f16, {4}}), map = weight(f32_of({5, 4})), whole = weight(f32_of({2, 3, 5, 4}));
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                       least = std::numeric_limits<std::int64_t>::min();

TEST_CASE("scale: each rule is broken with its two values") {
  NNRT_CHECK_REFUSED(op, {"axis", along(4), {x, c4, c4}, {}, rule::axis_must_be_an_axis_of_the_input, 4, 3});
  NNRT_CHECK_REFUSED(op, {"far axis", along(most), {x, c4, c4}, {}, rule::axis_must_be_an_axis_of_the_input, most, 3});
  NNRT_CHECK_REFUSED(
      op, {"farther axis", along(least), {x, c4, c4}, {}, rule::axis_must_be_an_axis_of_the_input, least, 3});
  NNRT_CHECK_REFUSED(
      op,
      {"scalar input", along(0), {computed(f32_of({})), c4, c4}, {}, rule::axis_must_be_an_axis_of_the_input, 0, -1});
  NNRT_CHECK_REFUSED(
      op, {"dtype of bias", {}, {x, c4, half4}, {}, rule::parameter_types_must_equal_input_type, int(f16), int(f32)});
  NNRT_CHECK_REFUSED(op, {"two axes from the last on",
                          along(3),
                          {x, map, c4},
                          {},
                          rule::parameters_must_not_have_more_axes_than_the_input_from_axis_on,
                          2,
                          1});
  NNRT_CHECK_REFUSED(op, {"a bias of all axes",
                          along(1),
                          {x, c3, whole},
                          {},
                          rule::parameters_must_not_have_more_axes_than_the_input_from_axis_on,
                          4,
                          3});
  NNRT_CHECK_REFUSED(op, {"scale", {}, {x, c3, c4}, {}, rule::parameter_extents_must_equal_input_extents, 3, 4});
  NNRT_CHECK_REFUSED(op, {"bias", along(1), {x, c3, c4}, {}, rule::parameter_extents_must_equal_input_extents, 4, 3});
  NNRT_CHECK_REFUSED(op, {"second extent",
                          along(1),
                          {x, weight(f32_of({3, 4})), c3},
                          {},
                          rule::parameter_extents_must_equal_input_extents,
                          4,
                          5});
  CHECK(breaks(infer<op>({}, {x, c4}), signature_rule::required_operand_must_be_given, 2, 3));
  CHECK(breaks(infer<op>({}, {x, c4, computed({boolean, {4}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(boolean), int(i8)));
}

TEST_CASE("scale: the output is like the input, wherever the parameters lie") {
  struct row {
    const char* what;
    std::int64_t axis;
    tensor_desc x;
    shape_t scale, bias;
  };
  static constexpr row table[] = {
      {"channels last", -1, f32_of({2, 3, 5, 4}), {4}, {4}},
      {"channels first", 1, {f32, nchw, {2, 3, 5, 4}}, {3}, {3}},
      {"the map", 2, f32_of({2, 3, 5, 4}), {5, 4}, {5, 4}},
      {"everything", 0, f32_of({2, 3, 5, 4}), {2, 3, 5, 4}, {2, 3, 5, 4}},
      {"negative axis, two axes", -3, {f16, {2, 3, 5, 4}}, {3, 5}, {3, 5}},
      {"one number", 2, {i32, {2, 3, 5, 4}}, {}, {}},
      {"unlike each other", 1, f32_of({2, 3, 5, 4}), {3, 5}, {3}},
      {"unknown batch", 1, f32_of({-1, 3}), {3}, {3}},
      {"unknown channels", -1, f32_of({2, -1}), {3}, {3}},
      {"no elements", -1, f32_of({0, 3}), {3}, {3}},
      {"rank 8", -2, {f64, {1, 2, 1, 2, 1, 2, 3, 2}}, {3, 2}, {3}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict v =
        infer<op>(along(r.axis), {computed(r.x), weight({r.x.type, r.scale}), weight({r.x.type, r.bias})});
    REQUIRE(v);
    CHECK(v.output(0) == r.x);
  }
  CHECK(op::attrs{}.axis == -1);
  CHECK(op::traits.computes == meaning::scale);
}

/// 1 … 12 as [2, 3, 2].
template <class T> constexpr filled<T> counted() {
  filled<T> values(shape_t{2, 3, 2});
  for (std::size_t i = 0; i < 12; ++i) values.elements[i] = T(static_cast<int>(i) + 1);
  return values;
}
template <class T> constexpr std::vector<T> list_of(std::initializer_list<int> numbers) {
  std::vector<T> list;
  for (const int number : numbers) list.push_back(T(number));
  return list;
}
template <class T> constexpr std::vector<T> scaled(op::attrs a, filled<T> factor, filled<T> offset) {
  return run<op, T>(a, {2, 3, 2}, counted<T>(), factor, offset).elements;
}
static_assert(scaled<float>(along(1), {{3}, {1, 10, 100}}, {{3}, {0.5F, 0, -1}}) ==
              std::vector<float>{1.5F, 2.5F, 30, 40, 499, 599, 7.5F, 8.5F, 90, 100, 1099, 1199});

TEST_CASE_TEMPLATE("scale: x * scale + bias, the parameters along the axes from axis on", T, float16, float, double,
                   std::int16_t, std::uint64_t) {
  const filled<T> row({2}, list_of<T>({2, 3})), offset({2}, list_of<T>({0, 1})), one({}, list_of<T>({5})),
      block({3, 2}, list_of<T>({1, 2, 3, 4, 5, 6})), middle({3}, list_of<T>({10, 20, 30}));
  CHECK(scaled<T>({}, row, offset) == list_of<T>({2, 7, 6, 13, 10, 19, 14, 25, 18, 31, 22, 37}));
  CHECK(scaled<T>(along(1), block, one) == list_of<T>({6, 9, 14, 21, 30, 41, 12, 21, 32, 45, 60, 77}));
  CHECK(scaled<T>(along(-2), one, middle) == list_of<T>({15, 20, 35, 40, 55, 60, 45, 50, 65, 70, 85, 90}));
  CHECK(scaled<T>(along(0), row, offset) == list_of<T>({2, 4, 6, 8, 10, 12, 22, 25, 28, 31, 34, 37}));
}

TEST_CASE("scale: the activation is applied last") {
  const filled<float> factor({2}, {1, -1}), offset({2}, {-3, 10});
  CHECK(scaled<float>(along(-1, activation::relu), factor, offset) ==
        std::vector<float>{0, 8, 0, 6, 2, 4, 4, 2, 6, 0, 8, 0});
  CHECK(scaled<float>(along(-1, activation::relu6), factor, offset) ==
        std::vector<float>{0, 6, 0, 6, 2, 4, 4, 2, 6, 0, 6, 0});
}

TEST_CASE("scale: integers wrap around, and a tensor without elements has none") {
  const filled<std::int8_t> y =
      run<op, std::int8_t>({}, {2}, filled<std::int8_t>({2}, {100, -128}), filled<std::int8_t>({2}, {3, -1}),
                           filled<std::int8_t>({2}, {1, 0}));
  CHECK(y.elements == std::vector<std::int8_t>{45, -128});
  CHECK(run<op, float>({}, {0, 3}, filled<float>({0, 3}), filled<float>(shape_t{3}), filled<float>(shape_t{3}))
            .elements.empty());
  CHECK(run<op, float>({}, {3, 0}, filled<float>({3, 0}), filled<float>(shape_t{0}), filled<float>(shape_t{0}))
            .elements.empty());
}

constexpr auto network = [](builder& g) {
  auto image = g.input<f32, nnrt::shape<2, 3, 3, 4>>("x");
  auto y = scale(image, g.weight<f32, nnrt::shape<3>>("s"), g.weight<f32, nnrt::shape<3>>("o"), axis<1>, relu);
  static_assert(y.desc == f32_of({2, 3, 3, 4}));
  g.output("y", y);
};

TEST_CASE("scale: axis and activation arrive, the axis where passes look for it") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  const op::attrs a = unpack<op::attrs>(g.attrs_of(g.nodes[0]));
  CHECK(a.axis == 1);
  CHECK(a.fused == activation::relu);
  CHECK(g.attrs_of(g.nodes[0])[0] == 1);
  CHECK(g.nodes[0].op->fused_word == 1);
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

constexpr tensor_desc x_u8{u8, nd, {3, 2}, quant{0.05F, 100}}, row_u8{u8, nd, {2}, quant{0.02F, 100}};
constexpr operand f2 = weight(f32_of({2})), s2 = weight(row_u8);

TEST_CASE("scale: a quantised one needs scales, and parameters that are f32 or like the input") {
  constexpr tensor_desc y = wish(quant{0.5F, 0});
  constexpr tensor_desc sums{i32, nd, {3, 2}, quant{0.5F, 0}};
  NNRT_CHECK_REFUSED(op, {"sums of 32 bits",
                          {},
                          {computed(sums), weight({i32, {2}}), weight({i32, {2}})},
                          {y},
                          rule::quantised_type_must_be_i8_u8_or_i16,
                          int(i32),
                          int(i8)});
  NNRT_CHECK_REFUSED(op, {"x per channel",
                          {},
                          {computed({u8, nd, {3, 2}, per_channel<0>}), f2, f2},
                          {y},
                          rule::quantised_input_must_have_one_scale,
                          3,
                          1});
  NNRT_CHECK_REFUSED(
      op, {"nothing wanted", {}, {computed(x_u8), f2, s2}, {}, rule::quantised_output_must_have_one_scale, 0, 1});
  NNRT_CHECK_REFUSED(op, {"i8 with u8",
                          {},
                          {computed(x_u8), f2, weight({i8, nd, {2}, quant{0.5F, 0}})},
                          {y},
                          rule::parameter_types_of_a_quantised_input_must_be_its_type_or_f32,
                          int(i8),
                          int(u8)});
  NNRT_CHECK_REFUSED(op, {"plain factors",
                          {},
                          {computed(x_u8), weight({u8, {2}}), f2},
                          {y},
                          rule::quantised_parameters_must_have_one_scale,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op, {"quantised with plain",
                          {},
                          {computed({u8, {3, 2}}), weight({u8, {2}}), s2},
                          {},
                          rule::parameters_of_a_plain_input_must_be_plain,
                          1,
                          0});
  CHECK(infer<op>({}, {computed(x_u8), s2, f2}, {y}).output(0) == tensor_desc{u8, nd, {3, 2}, quant{0.5F, 0}});
}

// Python: x * scale + bias of the real numbers in f64, rounded to float, times float(1 / 0.06F), halves away from zero,
// + 30; relu6 cuts at 30 and 130. x: i * 37 % 256, scale 0.05F, zero point 100.
TEST_CASE("scale: each quantised value is the nearest to the real result, and an activation is a clamp") {
  const auto of_x = spread<std::uint8_t>({3, 2}, 37, quant{0.05F, 100});
  const filled<float> factor({2}, {1.5F, -0.25F}), offset({2}, {0.5F, 3});
  const quant y{0.06F, 30};
  CHECK(run_quantised<op, std::uint8_t>({}, {3, 2}, y, of_x, factor, offset) ==
        std::vector<std::uint8_t>{0, 93, 6, 78, 98, 62});
  CHECK(run_quantised<op, std::uint8_t>(along(-1, activation::relu6), {3, 2}, y, of_x, factor, offset) ==
        std::vector<std::uint8_t>{30, 93, 30, 78, 98, 62});
  CHECK(run_quantised<op, std::uint8_t>({}, {3, 2}, y, of_x, stored<std::uint8_t>({2}, {200, 90}, quant{0.02F, 100}),
                                        stored<std::uint8_t>({2}, {7, 250}, quant{0.03F, 20})) ==
        std::vector<std::uint8_t>{0, 156, 0, 143, 104, 131});
}
static_assert(run_quantised<op, std::int8_t>({}, {2}, quant{0.5F, 1}, stored<std::int8_t>({2}, {3, -4}, quant{0.5F, 0}),
                                             filled<float>(shape_t{}, {2}), filled<float>(shape_t{}, {0.5F})) ==
              std::vector<std::int8_t>{8, -6});  // 3.5 and -3.5

}  // namespace
