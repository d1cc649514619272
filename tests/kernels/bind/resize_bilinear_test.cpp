#include <nnrt/kernels/bind/resize_bilinear.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

constexpr tolerance allowed{1e-6, 1e-6};
constexpr coordinates modes[] = {coordinates::asymmetric, coordinates::align_corners, coordinates::half_pixel};

ops::resize_bilinear::attrs to(extent2 size, coordinates mode) {
  ops::resize_bilinear::attrs a;
  a.new_height = size.h, a.new_width = size.w, a.coordinate_mode = mode;
  return a;
}

}  // namespace

TEST_CASE("resize_bilinear: larger and smaller images in each mode") {
  for (const coordinates mode : modes)
    for (const extent2 size : {extent2{1, 1}, extent2{5, 7}, extent2{2, 13}, extent2{10, 3}, extent2{17, 16}}) {
      CAPTURE(static_cast<int>(mode));
      CAPTURE(size.h);
      check_kernel<ops::resize_bilinear>(to(size, mode), {floats({2, 5, 7, 5}, 3)}, allowed);
      check_kernel<ops::resize_bilinear>(to(size, mode), {floats({1, 1, 1, 2}, 4)}, allowed);
    }
}

TEST_CASE("resize_bilinear: every number of channels around whole vectors") {
  for (std::int64_t c = 1; c <= 3 * kernels::f32_lanes + 1; ++c) {
    CAPTURE(c);
    check_kernel<ops::resize_bilinear>(to({5, 4}, coordinates::half_pixel), {floats({2, 3, 3, c}, 5)}, allowed);
  }
}

TEST_CASE("resize_bilinear: NaN and infinities reach the pixels that see them, and no others") {
  for (const coordinates mode : modes)
    check_kernel<ops::resize_bilinear>(to({6, 8}, mode),
                                       {floats({1, 4, 4, 5}, with_special_values(random_floats(80, 3)))}, allowed);
}

TEST_CASE("resize_bilinear: integers and empty images are left to the reference") {
  CHECK(has_no_kernel<ops::resize_bilinear>(to({4, 4}, coordinates::asymmetric), {pattern(i8, {1, 2, 2, 3})}));
  CHECK(has_no_kernel<ops::resize_bilinear>(to({4, 4}, coordinates::asymmetric), {floats({0, 2, 2, 3})}));
}
