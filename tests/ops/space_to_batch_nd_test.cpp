// space_to_batch_nd_test: the rules, shapes and elements of space_to_batch_nd.
#include <nnrt/ops/space_to_batch_nd.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/batch_to_space_nd.hpp>
#include <support/refused.hpp>

using namespace nnrt_test;
using rule = ops::space_to_batch_nd::rule;

namespace {

constexpr ops::space_to_batch_nd::attrs blocks_of(std::int64_t h, std::int64_t w, int_list<4> paddings = {}) {
  ops::space_to_batch_nd::attrs a;
  a.block = {h, w};
  a.paddings = paddings;
  return a;
}
constexpr operand of(shape_t shape) { return computed(f32_of(shape)); }
constexpr std::int64_t most = max_elements;

}  // namespace

TEST_CASE("space_to_batch_nd: each broken rule is named with both values") {
  using op = ops::space_to_batch_nd;
  NNRT_CHECK_REFUSED(op, {"no image", blocks_of(1, 1), {of({4, 6, 1, 1, 1})}, {}, rule::input_rank_must_be_4, 5, 4});
  NNRT_CHECK_REFUSED(op, {"channels in front",
                          blocks_of(1, 1),
                          {computed({f32, nchw, {1, 2, 2, 2}})},
                          {},
                          rule::input_must_be_nhwc,
                          static_cast<int>(nchw),
                          static_cast<int>(nhwc)});
  NNRT_CHECK_REFUSED(op, {"no block", {}, {of({1, 2, 2, 1})}, {}, rule::block_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(
      op, {"a negative block", blocks_of(1, -2), {of({1, 2, 2, 1})}, {}, rule::block_must_be_positive, -2, 1});
  NNRT_CHECK_REFUSED(op, {"a huge block",
                          blocks_of(1, INT64_MAX),
                          {of({0, 2, 0, 1})},
                          {},
                          rule::block_must_not_exceed_the_size_limit,
                          INT64_MAX,
                          most});
  NNRT_CHECK_REFUSED(op, {"paddings of one axis",
                          blocks_of(1, 1, {0, 0}),
                          {of({1, 2, 2, 1})},
                          {},
                          rule::paddings_must_be_four_numbers,
                          2,
                          4});
  NNRT_CHECK_REFUSED(op, {"a negative padding",
                          blocks_of(1, 1, {0, INT64_MIN, 0, 0}),
                          {of({1, 2, 2, 1})},
                          {},
                          rule::padding_must_not_be_negative,
                          INT64_MIN,
                          0});
  NNRT_CHECK_REFUSED(op, {"a huge padding",
                          blocks_of(1, 1, {0, 0, 0, INT64_MAX}),
                          {of({1, 2, 2, 1})},
                          {},
                          rule::padding_must_not_exceed_the_size_limit,
                          INT64_MAX,
                          most});
  NNRT_CHECK_REFUSED(op, {"a row too many",
                          blocks_of(2, 1),
                          {of({1, 3, 2, 1})},
                          {},
                          rule::padded_image_must_be_divisible_by_the_block,
                          3,
                          2});
  NNRT_CHECK_REFUSED(op, {"a padded column too few",
                          blocks_of(1, 4, {0, 0, 1, 1}),
                          {of({1, 3, 5, 1})},
                          {},
                          rule::padded_image_must_be_divisible_by_the_block,
                          7,
                          4});
}

TEST_CASE("space_to_batch_nd: the signature asks for one tensor, and refuses what becomes too large") {
  CHECK(breaks(infer<ops::space_to_batch_nd>({}, {}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<ops::space_to_batch_nd>(blocks_of(most, most), {of({1, 0, 0, 1})}),
               signature_rule::tensor_must_not_exceed_the_size_limit, most + 1, most));
  CHECK(breaks(infer<ops::space_to_batch_nd>(blocks_of(1, 1, {most, most, 0, 0}), {of({1, 2, 0, 1})}),
               signature_rule::tensor_must_not_exceed_the_size_limit, 2 * most + 2, most));
}

TEST_CASE("space_to_batch_nd: the batch grows by the block, the image shrinks by it") {
  struct row {
    const char* what;
    ops::space_to_batch_nd::attrs a;
    shape_t x, y;
  };
  static constexpr row table[] = {
      {"a block of one", blocks_of(1, 1), {3, 5, 7, 2}, {3, 5, 7, 2}},
      {"squares", blocks_of(2, 2), {1, 2, 2, 3}, {4, 1, 1, 3}},
      {"a batch of 3", blocks_of(2, 3), {3, 10, 21, 1}, {18, 5, 7, 1}},
      {"odd, with paddings", blocks_of(2, 2, {1, 0, 2, 1}), {2, 5, 5, 1}, {8, 3, 4, 1}},
      {"blocks of padding alone", blocks_of(2, 2, {4, 0, 0, 4}), {1, 2, 2, 1}, {4, 3, 3, 1}},
      {"no pixels", blocks_of(2, 2), {1, 0, 2, 1}, {4, 0, 1, 1}},
      {"unknown extents", blocks_of(2, 2, {1, 0, 0, 0}), {-1, -1, 4, -1}, {-1, -1, 2, -1}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::space_to_batch_nd>(r.a, {of(r.x)});
    REQUIRE(got);
    CHECK(got.output(0).shape == r.y);
  }
}

static_assert(run<ops::space_to_batch_nd, float>(blocks_of(2, 2), {4, 1, 1, 1},
                                                 filled<float>({1, 2, 2, 1}, {1, 2, 3, 4}))
                  .elements == std::vector<float>{1, 2, 3, 4});

TEST_CASE("space_to_batch_nd: the corners of each block become four images") {
  filled<std::int16_t> x({1, 4, 4, 1});
  for (std::size_t i = 0; i < 16; ++i) x.elements[i] = static_cast<std::int16_t>(i + 1);
  CHECK(run<ops::space_to_batch_nd, std::int16_t>(blocks_of(2, 2), {4, 2, 2, 1}, x).elements ==
        std::vector<std::int16_t>{1, 3, 9, 11, 2, 4, 10, 12, 5, 7, 13, 15, 6, 8, 14, 16});
}

TEST_CASE("space_to_batch_nd: a border of zeros, or of what stands for 0") {
  const filled<float> x({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6});
  // 0 0 0 0     the columns 0 and 2 apart from 1 and 3,
  // 0 1 2 3     the rows 0 and 2 apart from 1 and 3
  // 0 4 5 6
  // 0 0 0 0
  CHECK(run<ops::space_to_batch_nd, float>(blocks_of(2, 2, {1, 1, 1, 0}), {4, 2, 2, 1}, x).elements ==
        std::vector<float>{0, 0, 0, 5, 0, 0, 4, 6, 0, 2, 0, 0, 1, 3, 0, 0});
  filled<std::int8_t> stored({1, 1, 1, 1}, {7});
  stored.desc.quantised = quant{0.5F, -3};
  CHECK(run<ops::space_to_batch_nd, std::int8_t>(blocks_of(1, 2, {0, 0, 2, 1}), {2, 1, 2, 1}, stored).elements ==
        std::vector<std::int8_t>{-3, 7, -3, -3});
}

TEST_CASE("space_to_batch_nd: batch_to_space_nd is the way back") {
  filled<std::int32_t> x({3, 6, 4, 2});
  for (std::size_t i = 0; i < x.elements.size(); ++i) x.elements[i] = static_cast<std::int32_t>(i);
  const auto apart = run<ops::space_to_batch_nd, std::int32_t>(blocks_of(3, 2, {2, 1, 0, 2}), {18, 3, 3, 2}, x);
  ops::batch_to_space_nd::attrs back;
  back.block = {3, 2};
  back.crops = {2, 1, 0, 2};
  CHECK(run<ops::batch_to_space_nd, std::int32_t>(back, {3, 6, 4, 2}, apart).elements == x.elements);
}

TEST_CASE("space_to_batch_nd: block and paddings arrive") {
  builder g;
  auto x = g.input<f32, shape<1, 3, 4, 1>>("x");
  auto y = space_to_batch_nd(x, block<2, 2>, paddings<1, 0, 0, 2>);
  static_assert(decltype(y)::desc == tensor_desc{f32, {4, 2, 3, 1}});
  REQUIRE(g.graph().nodes.size() == 1);
  const auto a = unpack<ops::space_to_batch_nd::attrs>(g.graph().attrs_of(g.graph().nodes[0]));
  CHECK(a.block == extent2{2, 2});
  CHECK(a.paddings == int_list<4>{1, 0, 0, 2});
}
