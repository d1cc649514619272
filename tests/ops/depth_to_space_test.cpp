// depth_to_space_test: rules, shapes, elements and the DSL function of depth_to_space.
#include <nnrt/ops/depth_to_space.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::depth_to_space;
using rule = op::rule;
using attrs = op::attrs;

constexpr attrs of_size(std::int64_t block_size) {
  attrs a;
  a.block_size = block_size;
  return a;
}
constexpr attrs counted_first(std::int64_t block_size) {
  attrs a = of_size(block_size);
  a.crd = true;
  return a;
}
static_assert(infer<op>(of_size(3), {computed({f32, nhwc, {-1, 5, -1, 18}})}).output(0) ==
              tensor_desc{f32, nhwc, {-1, 15, -1, 2}});
static_assert(infer<op>(of_size(2), {computed({f32, nhwc, {1, 2, 2, -1}})}).output(0) ==
              tensor_desc{f32, nhwc, {1, 4, 4, -1}});
static_assert(infer<op>(of_size(2), {computed({i8, nhwc, {1, 1, 2, 8}, quant{0.5F, 3}})}).output(0) ==
              tensor_desc{i8, nhwc, {1, 2, 4, 2}, quant{0.5F, 3}});

constexpr auto of_32 = [](const attrs& a) {
  filled<std::int32_t> x({2, 1, 2, 8});
  for (std::size_t i = 0; i < 32; ++i) x.elements[i] = static_cast<std::int32_t>(i);
  return run<op, std::int32_t>(a, {2, 2, 4, 2}, x).elements;
};

// Python: numpy's reshape to [2, 1, 2, 2, 2, 2], then the transpositions (0, 1, 3, 2, 4, 5) and, with crd, (0, 1, 4, 2,
// 5, 3)
static_assert(of_32(of_size(2)) == std::vector<std::int32_t>{0,  1,  2,  3,  8,  9,  10, 11, 4,  5,  6,
                                                             7,  12, 13, 14, 15, 16, 17, 18, 19, 24, 25,
                                                             26, 27, 20, 21, 22, 23, 28, 29, 30, 31});
TEST_CASE("depth_to_space: channels become pixels in the order that is asked for") {
  CHECK(of_32(of_size(2)) == std::vector<std::int32_t>{0,  1,  2,  3,  8,  9,  10, 11, 4,  5,  6,  7,  12, 13, 14, 15,
                                                       16, 17, 18, 19, 24, 25, 26, 27, 20, 21, 22, 23, 28, 29, 30, 31});
  CHECK(of_32(counted_first(2)) == std::vector<std::int32_t>{0,  4,  1,  5,  8,  12, 9,  13, 2,  6,  3,
                                                             7,  10, 14, 11, 15, 16, 20, 17, 21, 24, 28,
                                                             25, 29, 18, 22, 19, 23, 26, 30, 27, 31});
  CHECK(run<op, float>(of_size(1), {1, 1, 1, 3}, filled<float>({1, 1, 1, 3}, {4, 5, 6})).elements ==
        std::vector<float>{4, 5, 6});
  CHECK(run<op, float>(of_size(2), {0, 4, 4, 1}, filled<float>({0, 2, 2, 4})).elements.empty());
}
TEST_CASE("depth_to_space: keywords become attributes") {
  builder b;
  depth_to_space(b.input<f32, shape<1, 2, 2, 9>>("x"), block_size<3>, crd);
  const auto a = unpack<attrs>(b.graph().attrs_of(b.graph().nodes[0]));
  CHECK(a.block_size == 3);
  CHECK(a.crd);
}

TEST_CASE("depth_to_space: each broken rule is named with both values, and so are those of the signature") {
  NNRT_CHECK_REFUSED(op, {"a matrix", of_size(2), {computed(f32_of({2, 4}))}, {}, rule::input_rank_must_be_4, 2, 4});
  NNRT_CHECK_REFUSED(op, {"planes",
                          of_size(2),
                          {computed({f32, nchw, {1, 4, 2, 2}})},
                          {},
                          rule::input_must_be_nhwc,
                          int(nchw),
                          int(nhwc)});
  NNRT_CHECK_REFUSED(
      op, {"no block", {}, {computed({f32, nhwc, {1, 2, 2, 4}})}, {}, rule::block_size_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(op, {"too few channels",
                          of_size(2),
                          {computed({f32, nhwc, {1, 2, 2, 6}})},
                          {},
                          rule::channels_must_be_divisible_by_the_squared_block_size,
                          6,
                          4});
  NNRT_CHECK_REFUSED(op, {"a huge block",
                          of_size(INT64_MAX),
                          {computed({f32, nhwc, {1, 2, 2, 6}})},
                          {},
                          rule::channels_must_be_divisible_by_the_squared_block_size,
                          6,
                          max_elements + 1});
  CHECK(breaks(infer<op>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
}

constexpr auto network = [](builder& b) {
  auto y = depth_to_space(b.input<f32, shape<1, 2, 2, 8>>("x"), block_size<2>);
  static_assert(y.desc == tensor_desc{f32, nhwc, {1, 4, 4, 2}});
  b.output("y", y);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{65};
}());

}  // namespace
