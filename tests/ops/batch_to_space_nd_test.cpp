// batch_to_space_nd_test: the rules, shapes and elements of batch_to_space_nd.
#include <nnrt/ops/batch_to_space_nd.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

using namespace nnrt_test;
using rule = ops::batch_to_space_nd::rule;

namespace {

constexpr ops::batch_to_space_nd::attrs blocks_of(std::int64_t h, std::int64_t w, int_list<4> crops = {}) {
  ops::batch_to_space_nd::attrs a;
  a.block = {h, w};
  a.crops = crops;
  return a;
}
constexpr operand of(shape_t shape) { return computed(f32_of(shape)); }
constexpr std::int64_t most = max_elements;

}  // namespace

TEST_CASE("batch_to_space_nd: each broken rule is named with both values") {
  using op = ops::batch_to_space_nd;
  NNRT_CHECK_REFUSED(op, {"no image", blocks_of(1, 1), {of({4, 6, 1})}, {}, rule::input_rank_must_be_4, 3, 4});
  NNRT_CHECK_REFUSED(op, {"channels in front",
                          blocks_of(1, 1),
                          {computed({f32, nchw, {1, 2, 2, 2}})},
                          {},
                          rule::input_must_be_nhwc,
                          static_cast<int>(nchw),
                          static_cast<int>(nhwc)});
  NNRT_CHECK_REFUSED(op, {"no block", {}, {of({1, 2, 2, 1})}, {}, rule::block_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(op, {"a negative block",
                          blocks_of(1, INT64_MIN),
                          {of({1, 2, 2, 1})},
                          {},
                          rule::block_must_be_positive,
                          INT64_MIN,
                          1});
  NNRT_CHECK_REFUSED(op, {"a huge block",
                          blocks_of(INT64_MAX, 1),
                          {of({0, 2, 2, 1})},
                          {},
                          rule::block_must_not_exceed_the_size_limit,
                          INT64_MAX,
                          most});
  NNRT_CHECK_REFUSED(
      op,
      {"crops of one axis", blocks_of(1, 1, {0, 0}), {of({1, 2, 2, 1})}, {}, rule::crops_must_be_four_numbers, 2, 4});
  NNRT_CHECK_REFUSED(op, {"a negative crop",
                          blocks_of(1, 1, {0, 0, 0, -1}),
                          {of({1, 2, 2, 1})},
                          {},
                          rule::crop_must_not_be_negative,
                          -1,
                          0});
  NNRT_CHECK_REFUSED(op, {"a huge crop",
                          blocks_of(1, 1, {INT64_MAX, INT64_MAX, 0, 0}),
                          {of({1, 2, 2, 1})},
                          {},
                          rule::crop_must_not_exceed_the_size_limit,
                          INT64_MAX,
                          most});
  NNRT_CHECK_REFUSED(op, {"an image too few",
                          blocks_of(2, 3),
                          {of({11, 2, 2, 1})},
                          {},
                          rule::batch_must_be_divisible_by_the_block,
                          11,
                          6});
  NNRT_CHECK_REFUSED(op, {"blocks beyond number",
                          blocks_of(most, most),
                          {of({4, 2, 2, 1})},
                          {},
                          rule::batch_must_be_divisible_by_the_block,
                          4,
                          most + 1});
  NNRT_CHECK_REFUSED(op, {"an image beyond the limit, of no batch",
                          blocks_of(most, 1),
                          {of({0, 2, 2, 1})},
                          {},
                          rule::image_must_not_exceed_the_size_limit,
                          most + 1,
                          most});
  NNRT_CHECK_REFUSED(op, {"more crops than rows",
                          blocks_of(2, 2, {3, 2, 0, 0}),
                          {of({4, 2, 2, 1})},
                          {},
                          rule::crops_must_not_exceed_the_image,
                          5,
                          4});
  NNRT_CHECK_REFUSED(op, {"more crops than columns",
                          blocks_of(2, 2, {0, 0, 7, 0}),
                          {of({4, 2, 3, 1})},
                          {},
                          rule::crops_must_not_exceed_the_image,
                          7,
                          6});
}

TEST_CASE("batch_to_space_nd: the signature asks for one tensor") {
  CHECK(breaks(infer<ops::batch_to_space_nd>({}, {}), signature_rule::required_operand_must_be_given, 0, 1));
}

TEST_CASE("batch_to_space_nd: the batch shrinks by the block, the image grows by it") {
  struct row {
    const char* what;
    ops::batch_to_space_nd::attrs a;
    shape_t x, y;
  };
  static constexpr row table[] = {
      {"a block of one", blocks_of(1, 1), {3, 5, 7, 2}, {3, 5, 7, 2}},
      {"squares", blocks_of(2, 2), {4, 1, 1, 3}, {1, 2, 2, 3}},
      {"a batch of 3", blocks_of(2, 3), {18, 5, 7, 1}, {3, 10, 21, 1}},
      {"with crops", blocks_of(2, 2, {1, 0, 2, 1}), {8, 3, 4, 1}, {2, 5, 5, 1}},
      {"nothing left", blocks_of(2, 1, {3, 3, 0, 0}), {2, 3, 4, 1}, {1, 0, 4, 1}},
      {"no images", blocks_of(2, 2), {0, 3, 4, 1}, {0, 6, 8, 1}},
      {"unknown extents", blocks_of(2, 2, {1, 0, 0, 0}), {-1, -1, 4, -1}, {-1, -1, 8, -1}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::batch_to_space_nd>(r.a, {of(r.x)});
    REQUIRE(got);
    CHECK(got.output(0).shape == r.y);
  }
  const tensor_desc x{u8, nhwc, {4, 1, 1, 3}, quant{0.25F, 9}};
  CHECK(infer<ops::batch_to_space_nd>(blocks_of(2, 2), {computed(x)}).output(0) ==
        tensor_desc{u8, nhwc, {1, 2, 2, 3}, quant{0.25F, 9}});
}

static_assert(run<ops::batch_to_space_nd, float>(blocks_of(2, 2), {1, 2, 2, 1},
                                                 filled<float>({4, 1, 1, 1}, {1, 2, 3, 4}))
                  .elements == std::vector<float>{1, 2, 3, 4});

TEST_CASE("batch_to_space_nd: four images become the corners of each block of one") {
  // Images {1 3 9 11}, {2 4 10 12}, {5 7 13 15}, {6 8 14 16} make 1 … 16.
  const filled<std::int16_t> x({4, 2, 2, 1}, {1, 3, 9, 11, 2, 4, 10, 12, 5, 7, 13, 15, 6, 8, 14, 16});
  CHECK(run<ops::batch_to_space_nd, std::int16_t>(blocks_of(2, 2), {1, 4, 4, 1}, x).elements ==
        std::vector<std::int16_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  CHECK(run<ops::batch_to_space_nd, std::int16_t>(blocks_of(2, 2, {1, 0, 2, 1}), {1, 3, 1, 1}, x).elements ==
        std::vector<std::int16_t>{7, 11, 15});
}

TEST_CASE("batch_to_space_nd: images of a batch stay apart") {
  const filled<float> x({4, 1, 2, 1}, {1, 2, 5, 6, 3, 4, 7, 8});
  CHECK(run<ops::batch_to_space_nd, float>(blocks_of(1, 2), {2, 1, 4, 1}, x).elements ==
        std::vector<float>{1, 3, 2, 4, 5, 7, 6, 8});
  CHECK(run<ops::batch_to_space_nd, float>(blocks_of(2, 1), {2, 2, 2, 1}, x).elements ==
        std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(run<ops::batch_to_space_nd, double>(blocks_of(2, 1, {1, 1, 0, 0}), {1, 0, max_elements, 1},
                                            filled<double>({2, 1, 0, 1}))
            .elements.empty());
}

TEST_CASE("batch_to_space_nd: block and crops arrive") {
  builder g;
  auto x = g.input<f32, shape<4, 3, 3, 1>>("x");
  auto y = batch_to_space_nd(x, block<2, 2>, crops<1, 0, 2, 1>);
  static_assert(decltype(y)::desc == tensor_desc{f32, {1, 5, 3, 1}});
  REQUIRE(g.graph().nodes.size() == 1);
  const auto a = unpack<ops::batch_to_space_nd::attrs>(g.graph().attrs_of(g.graph().nodes[0]));
  CHECK(a.block == extent2{2, 2});
  CHECK(a.crops == int_list<4>{1, 0, 2, 1});
}
