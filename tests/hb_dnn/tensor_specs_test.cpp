// tensor_specs: what inputs and outputs are to clients - shapes of 4 axes, padding, strides in bytes, shifts and
// scales.
#include <nnrt/hb_dnn/tensor_specs.hpp>
#include <nnrt/policy/accelerators.hpp>

#include <doctest/doctest.h>

#include <array>
#include <span>

using namespace nnrt;

namespace {

using extents = std::array<std::int32_t, 4>;

extents first_four(const hbDNNTensorShape& shape) {
  return {shape.dimensionSize[0], shape.dimensionSize[1], shape.dimensionSize[2], shape.dimensionSize[3]};
}
hb_dnn::tensor_spec made(const accelerator& table, const tensor_desc& desc, tensor_use use,
                         std::span<const float> scales = {}) {
  return {"t", desc, {}, table, use, scales};
}
hb_dnn::tensor_spec image(const accelerator& table, image_type type, std::int64_t n, std::int64_t h, std::int64_t w) {
  const std::int64_t channels = type == image_type::y ? 1 : 3;
  saved_input given;
  given.is_image = true;
  given.given = type;
  return {"image", {f32, {n, h, w, channels}}, given, table, tensor_use::input, {}};
}

}  // namespace

TEST_CASE("tensor_specs: floats have no padding, and four axes") {
  struct row {
    shape_t shape;
    extents valid;
    std::int32_t layout, bytes;
    std::int64_t batch;
  };
  const row table[] = {{{7}, {1, 7, 1, 1}, HB_DNN_LAYOUT_NCHW, 28, 1},
                       {{2, 10}, {2, 10, 1, 1}, HB_DNN_LAYOUT_NCHW, 80, 2},
                       {{1, 30, 85}, {1, 30, 85, 1}, HB_DNN_LAYOUT_NCHW, 10200, 1},
                       {{2, 3, 5, 4}, {2, 3, 5, 4}, HB_DNN_LAYOUT_NHWC, 480, 2},
                       {{}, {1, 1, 1, 1}, HB_DNN_LAYOUT_NCHW, 4, 1}};
  for (const row& r : table) {
    CAPTURE(r.bytes);
    const auto spec = made(bayes::table, {f32, r.shape}, tensor_use::output);
    const hbDNNTensorProperties& p = spec.properties;
    CHECK((first_four(p.validShape) == r.valid && first_four(p.alignedShape) == r.valid &&
           p.validShape.numDimensions == 4));
    CHECK((p.tensorLayout == r.layout && p.alignedByteSize == r.bytes && spec.batch() == r.batch &&
           p.quantiType == NONE));
    CHECK((p.stride[3] == 4 && p.stride[0] == 4 * r.valid[1] * r.valid[2] * r.valid[3]));
  }
  const auto five = made(bayes::table, {f32, {2, 3, 4, 5, 6}}, tensor_use::output);
  CHECK((five.properties.validShape.numDimensions == 5 && five.properties.stride[0] == 1440 &&
         five.properties.stride[4] == 4));
}

TEST_CASE("tensor_specs: quantised values are aligned as their architecture wants it, and say what they stand for") {
  const quantisation q = quant{0.25F, 0, quantised_rounding::half_to_even},
                     odd = quant{0.3F, 0, quantised_rounding::half_to_even};
  const auto wide = made(bayes::table, {i8, format::nhwc, {1, 5, 7, 20}, q}, tensor_use::output);
  CHECK((first_four(wide.properties.alignedShape) == extents{1, 5, 7, 32} &&
         wide.properties.alignedByteSize == 5 * 7 * 32 && wide.properties.stride[2] == 32));
  CHECK((wide.properties.quantiType == SCALE && wide.properties.scale.scaleLen == 1 &&
         wide.properties.scale.scaleData[0] == 0.25F && wide.properties.scale.zeroPointData[0] == 0));
  const auto narrow = made(bayes::table, {i8, format::nhwc, {1, 5, 7, 3}, q}, tensor_use::input);
  CHECK(first_four(narrow.properties.alignedShape) == extents{1, 6, 32, 3});
  const auto shifted = made(bernoulli2::table, {i8, format::nhwc, {1, 5, 7, 6}, q}, tensor_use::input);
  CHECK((first_four(shifted.properties.alignedShape) == extents{1, 5, 8, 8} && shifted.properties.quantiType == SHIFT &&
         shifted.properties.shift.shiftLen == 1 && shifted.properties.shift.shiftData[0] == 2));
  // no power of two
  const auto unshifted = made(bernoulli2::table, {i8, format::nhwc, {1, 5, 7, 6}, odd}, tensor_use::input);
  CHECK(unshifted.properties.quantiType == SCALE);
  const auto rows = made(bayes::table, {i8, nd, {2, 5}, q}, tensor_use::output);
  CHECK((first_four(rows.properties.validShape) == extents{2, 1, 1, 5} &&
         first_four(rows.properties.alignedShape) == extents{2, 1, 1, 16} && rows.batch() == 2));
  const auto sums = made(bayes::table, {i32, format::nhwc, {1, 2, 2, 3}, q}, tensor_use::output);
  CHECK((sums.properties.tensorType == HB_DNN_TENSOR_TYPE_S32 && sums.properties.alignedShape.dimensionSize[3] == 4));
}

TEST_CASE("tensor_specs: a zero point fits where 8 bits with a sign have it") {
  struct row {
    dtype type;
    std::int32_t zero_point;
    bool fits;
  };
  constexpr row table[] = {{i8, -128, true}, {i8, 127, true},  {u8, 0, true},     {u8, 127, true},
                           {u8, 128, false}, {u8, 255, false}, {i16, 300, false}, {i16, -129, false}};
  for (const row& r : table) {
    CAPTURE(r.zero_point);
    const auto spec =
        made(bayes::table, {r.type, format::nhwc, {1, 5, 7, 20}, quant{0.25F, r.zero_point}}, tensor_use::output);
    CHECK(spec.zero_point_fits() == r.fits);
    if (r.fits) CHECK(spec.properties.scale.zeroPointData[0] == r.zero_point);
  }
}

TEST_CASE("tensor_specs: scales of channels stand along quantizeAxis") {
  const float scales[] = {0.5F, 0.25F, 0.125F}, uneven[] = {0.5F, 0.3F, 0.1F};
  const tensor_desc desc(i8, format::nhwc, {1, 2, 2, 3}, per_channel<3>), row(i8, format::nd, {2, 3}, per_channel<1>);
  const auto by_scale = made(bayes::table, desc, tensor_use::output, uneven),
             by_shift = made(bernoulli2::table, desc, tensor_use::output, scales),
             of_row = made(bayes::table, row, tensor_use::output, scales);
  CHECK((by_scale.properties.quantiType == SCALE && by_scale.properties.quantizeAxis == 3 &&
         by_scale.properties.scale.scaleLen == 3 && by_scale.properties.scale.scaleData[1] == 0.3F &&
         by_scale.properties.scale.zeroPointLen == 3));
  CHECK((by_shift.properties.quantiType == SHIFT && by_shift.properties.shift.shiftLen == 3 &&
         by_shift.properties.shift.shiftData[0] == 1 && by_shift.properties.shift.shiftData[2] == 3));
  CHECK(of_row.properties.quantizeAxis == 3);  // after the axes of 1
}

TEST_CASE("tensor_specs: rows of images have the lengths of the boards' logs") {
  struct row {
    image_type type;
    std::int64_t h, w;
    std::int32_t aligned_w, layout, bytes;
  };
  constexpr row table[] = {{image_type::y, 721, 1836, 1840, HB_DNN_LAYOUT_NCHW, 721 * 1840},
                           {image_type::nv12, 774, 330, 336, HB_DNN_LAYOUT_NCHW, 774 * 336 * 3 / 2},
                           {image_type::nv12_separate, 108, 1298, 1312, HB_DNN_LAYOUT_NCHW, 108 * 1312 * 3 / 2},
                           {image_type::nv12, 512, 512, 512, HB_DNN_LAYOUT_NCHW, 512 * 512 * 3 / 2},
                           {image_type::bgr, 900, 1352, 1352, HB_DNN_LAYOUT_NHWC, 900 * 1352 * 3},
                           {image_type::yuv444, 9, 7, 7, HB_DNN_LAYOUT_NHWC, 9 * 7 * 3}};
  for (const accelerator* const architecture : all_accelerators())
    for (const row& r : table) {
      CAPTURE(r.bytes);
      const hbDNNTensorProperties p = image(*architecture, r.type, 1, r.h, r.w).properties;
      const int w = r.layout == HB_DNN_LAYOUT_NCHW ? 3 : 2;
      CHECK((p.validShape.dimensionSize[w] == r.w && p.validShape.dimensionSize[w - 1] == r.h &&
             p.alignedShape.dimensionSize[w] == r.aligned_w && p.alignedShape.dimensionSize[w - 1] == r.h));
      CHECK((p.tensorLayout == r.layout && p.alignedByteSize == r.bytes &&
             p.tensorType == static_cast<std::int32_t>(r.type)));
    }
}

TEST_CASE("tensor_specs: bytes of an image that are too many for hbDNN are counted all the same") {
  const auto tall = image(bayes::table, image_type::y, 1, std::int64_t{1} << 28, 1),
             one = image(bayes::table, image_type::nv12, 1, 2, 2);
  CHECK(tall.lies.bytes == std::int64_t{1} << 32);  // rows of 16
  CHECK((one.lies.bytes == 48 && one.properties.alignedByteSize == 48));
}

TEST_CASE("tensor_specs: rows of a dense tensor and of a padded one are visited together") {
  const std::int64_t strides[] = {100, 40, 8, 1};
  std::int64_t rows = 0, dense_sum = 0, at_sum = 0;
  hb_dnn::for_each_row({2, 2, 3, 5}, strides, 1,
                       [&](std::int64_t dense, std::int64_t at) { ++rows, dense_sum += dense, at_sum += at; });
  CHECK((rows == 12 && dense_sum == 5 * 66 && at_sum == 6 * 100 + 6 * 40 + 4 * (8 + 16)));
  hb_dnn::for_each_row({2, 0, 3, 5}, strides, 1, [&](std::int64_t, std::int64_t) { ++rows; });
  CHECK(rows == 12);
  hb_dnn::for_each_row({}, strides, 1,
                       [&](std::int64_t dense, std::int64_t at) { rows += dense == 0 && at == 0 ? 1 : 100; });
  CHECK(rows == 13);  // a scalar is a row
}
