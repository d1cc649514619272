#include <nnrt/policy/alignment.hpp>

#include <nnrt/policy/bayes.hpp>
#include <nnrt/policy/bayes_e.hpp>
#include <nnrt/policy/bernoulli2.hpp>

#include <doctest/doctest.h>

using namespace nnrt;

namespace {

struct row {
  const char* what;
  const accelerator& table;
  tensor_desc desc;
  tensor_use use;
  shape_t aligned;
  std::int64_t bytes;
};

constexpr std::int64_t huge = max_elements;

// Rows in bytes: 256 k + 0, 16, 32, 64 or 128. Examples with images are those that the boards' documentation prints.
constexpr row rows[] = {
    {"a row of 1 becomes 16", bayes::table, {i8, {1, 2, 3, 1}}, tensor_use::output, {1, 2, 3, 16}, 96},
    {"16 stays", bayes::table, {i8, {1, 2, 3, 16}}, tensor_use::output, {1, 2, 3, 16}, 96},
    {"17 becomes 32", bayes::table, {i8, {1, 2, 3, 17}}, tensor_use::feature_map, {1, 2, 3, 32}, 192},
    {"33 becomes 64", bayes::table, {i8, {1, 2, 3, 33}}, tensor_use::feature_map, {1, 2, 3, 64}, 384},
    {"65 becomes 128", bayes::table, {i8, {1, 2, 3, 65}}, tensor_use::feature_map, {1, 2, 3, 128}, 768},
    {"129 becomes 256", bayes::table, {i8, {1, 2, 3, 129}}, tensor_use::feature_map, {1, 2, 3, 256}, 1536},
    {"257 becomes 272", bayes::table, {i8, {1, 1, 1, 257}}, tensor_use::feature_map, {1, 1, 1, 272}, 272},
    {"bytes count, not elements", bayes::table, {i16, {1, 2, 3, 9}}, tensor_use::feature_map, {1, 2, 3, 16}, 192},
    {"inputs of few channels grow in rows and columns",
     bayes::table,
     {i8, {1, 227, 227, 3}},
     tensor_use::input,
     {1, 228, 256, 3},
     175104},
    {"inputs of 5 channels do not", bayes::table, {i8, {1, 227, 227, 5}}, tensor_use::input, {1, 227, 227, 16}, 824464},
    {"planes grow along width",
     bayes::table,
     tensor_desc{i8, nchw, {1, 3, 5, 33}},
     tensor_use::feature_map,
     {1, 3, 5, 64},
     960},
    {"grey image, 1836 wide",
     bernoulli2::table,
     tensor_desc{u8, nchw, {1, 1, 721, 1836}},
     tensor_use::image,
     {1, 1, 721, 1840},
     1326640},
    {"image, 329 wide",
     bernoulli2::table,
     tensor_desc{u8, nchw, {1, 3, 773, 329}},
     tensor_use::image,
     {1, 3, 773, 336},
     779184},
    {"image, 224 wide",
     bayes_e::table,
     tensor_desc{u8, nchw, {1, 3, 224, 224}},
     tensor_use::image,
     {1, 3, 224, 224},
     150528},
    {"8W4C", bernoulli2::table, {i8, {1, 5, 9, 6}}, tensor_use::feature_map, {1, 5, 16, 8}, 640},
    {"no image of extents beyond all memory",
     bayes::table,
     {i8, {0, huge, huge, huge}},
     tensor_use::output,
     {0, huge, huge, huge},
     0},
    {"images beyond all memory without a row",
     bernoulli2::table,
     {i16, {huge, 0, huge, huge}},
     tensor_use::output,
     {huge, 0, huge, huge},
     0},
    {"rows are items of a batch", bayes::table, {i8, {2, 10}}, tensor_use::output, {2, 1, 1, 16}, 32},
    {"of three axes the middle one is width",
     bernoulli2::table,
     {i8, {2, 9, 6}},
     tensor_use::output,
     {2, 1, 16, 8},
     256},
    {"one axis is channels", bayes::table, {i8, {10}}, tensor_use::output, {1, 1, 1, 16}, 16},
};

constexpr bool holds(const row& r) {
  const aligned_tensor got = aligned(r.table, r.desc, r.use);
  std::int64_t stride = size_of(r.desc.type);
  for (int axis = 4; axis-- > 0;) {
    if (got.strides[axis] != stride) return false;
    stride = detail::saturated_product(stride, r.aligned[axis]);
  }
  return got.aligned == r.aligned && got.bytes == r.bytes;
}
constexpr bool all_hold() {
  for (const row& r : rows)
    if (!holds(r)) return false;
  return true;
}
static_assert(all_hold());

}  // namespace

TEST_CASE("alignment: extents, strides and bytes are those that the boards' documentation gives") {
  for (const row& r : rows) {
    CAPTURE(r.what);
    CHECK(aligned(r.table, r.desc, r.use).bytes == r.bytes);
    CHECK(holds(r));
  }
}

TEST_CASE("alignment: of numbers of four bits two share a byte, rows begin with whole ones") {
  struct halves {
    const char* what;
    const accelerator& table;
    shape_t shape;
    tensor_use use;
    shape_t aligned;
    std::int64_t pixel, row, bytes;
  };
  const halves table[] = {
      {"17 bytes become 32", bayes::table, {1, 2, 3, 33}, tensor_use::output, {1, 2, 3, 64}, 32, 96, 192},
      {"16 bytes stay", bayes::table, {1, 2, 3, 32}, tensor_use::output, {1, 2, 3, 32}, 16, 48, 96},
      {"an odd number of channels", bayes::table, {1, 5, 7, 3}, tensor_use::input, {1, 6, 32, 3}, 2, 64, 384},
      {"8W4C", bernoulli2::table, {1, 5, 9, 6}, tensor_use::feature_map, {1, 5, 16, 8}, 4, 64, 320},
  };
  for (const halves& r : table) {
    CAPTURE(r.what);
    const aligned_tensor got = aligned(r.table, {i8, r.shape}, r.use, true);
    CHECK(got.aligned == r.aligned);
    CHECK((got.strides[3] == 0 && got.strides[2] == r.pixel && got.strides[1] == r.row && got.bytes == r.bytes));
  }
}
