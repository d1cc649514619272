// space_to_depth_test: rules, shapes, elements and the DSL function of space_to_depth.
#include <nnrt/ops/space_to_depth.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::space_to_depth;
using rule = op::rule;
using attrs = op::attrs;

constexpr attrs of_size(std::int64_t block_size) {
  attrs a;
  a.block_size = block_size;
  return a;
}
static_assert(infer<op>(of_size(3), {computed({f32, nhwc, {-1, 15, -1, 2}})}).output(0) ==
              tensor_desc{f32, nhwc, {-1, 5, -1, 18}});
static_assert(infer<op>(of_size(2), {computed({f32, nhwc, {1, 4, 4, -1}})}).output(0) ==
              tensor_desc{f32, nhwc, {1, 2, 2, -1}});
static_assert(infer<op>(of_size(2), {computed({i8, nhwc, {1, 2, 4, 2}, quant{0.5F, 3}})}).output(0) ==
              tensor_desc{i8, nhwc, {1, 1, 2, 8}, quant{0.5F, 3}});

constexpr auto of_32 = [] {
  filled<std::int32_t> x({2, 2, 4, 2});
  for (std::size_t i = 0; i < 32; ++i) x.elements[i] = static_cast<std::int32_t>(i);
  return run<op, std::int32_t>(of_size(2), {2, 1, 2, 8}, x).elements;
};

// Python: numpy's reshape to [2, 1, 2, 2, 2, 2], then the transposition (0, 1, 3, 2, 4, 5)
static_assert(of_32() == std::vector<std::int32_t>{0,  1,  2,  3,  8,  9,  10, 11, 4,  5,  6,  7,  12, 13, 14, 15,
                                                   16, 17, 18, 19, 24, 25, 26, 27, 20, 21, 22, 23, 28, 29, 30, 31});
TEST_CASE("space_to_depth: pixels become channels, row by row of their block") {
  CHECK(of_32() == std::vector<std::int32_t>{0,  1,  2,  3,  8,  9,  10, 11, 4,  5,  6,  7,  12, 13, 14, 15,
                                             16, 17, 18, 19, 24, 25, 26, 27, 20, 21, 22, 23, 28, 29, 30, 31});
  CHECK(run<op, float>(of_size(2), {0, 2, 2, 4}, filled<float>({0, 4, 4, 1})).elements.empty());
}

TEST_CASE("space_to_depth: each broken rule is named with both values, and so are those of the signature") {
  NNRT_CHECK_REFUSED(op, {"a matrix", of_size(2), {computed(f32_of({2, 4}))}, {}, rule::input_rank_must_be_4, 2, 4});
  NNRT_CHECK_REFUSED(op, {"planes",
                          of_size(2),
                          {computed({f32, nchw, {1, 4, 2, 2}})},
                          {},
                          rule::input_must_be_nhwc,
                          int(nchw),
                          int(nhwc)});
  NNRT_CHECK_REFUSED(
      op, {"no block", {}, {computed({f32, nhwc, {1, 2, 2, 4}})}, {}, rule::block_size_must_be_at_least_2, 0, 2});
  NNRT_CHECK_REFUSED(
      op,
      {"one pixel", of_size(1), {computed({f32, nhwc, {1, 2, 2, 4}})}, {}, rule::block_size_must_be_at_least_2, 1, 2});
  NNRT_CHECK_REFUSED(op, {"odd height",
                          of_size(2),
                          {computed({f32, nhwc, {1, 3, 2, 6}})},
                          {},
                          rule::image_must_be_divisible_by_the_block_size,
                          3,
                          2});
  NNRT_CHECK_REFUSED(op, {"a huge block",
                          of_size(INT64_MAX),
                          {computed({f32, nhwc, {1, 0, 2, 6}})},
                          {},
                          rule::image_must_be_divisible_by_the_block_size,
                          2,
                          INT64_MAX});
  CHECK(breaks(infer<op>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
}

constexpr auto network = [](builder& b) {
  auto y = space_to_depth(b.input<f32, shape<1, 4, 4, 2>>("x"), block_size<2>);
  static_assert(y.desc == tensor_desc{f32, nhwc, {1, 2, 2, 8}});
  b.output("y", y);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{104};
}());

}  // namespace
