#include <nnrt/kernels/bind/reduce_mean.hpp>
#include <support/bytes.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

constexpr tolerance allowed{4e-6, 1e-6};

}  // namespace

TEST_CASE("reduce_mean: any axes side by side") {
  const std::vector<std::int64_t> lists[] = {{0},    {1},    {2},       {3},          {1, 2}, {-1},
                                             {0, 1}, {2, 3}, {1, 2, 3}, {0, 1, 2, 3}, {-3, 2}};
  for (const std::vector<std::int64_t>& list : lists)
    for (const std::int64_t channels : {1, 3, 16, 67, 130}) {
      CAPTURE(list[0]);
      CAPTURE(channels);
      check_kernel<ops::reduce_mean>({}, {floats({2, 7, 5, channels}, 3), integers_of(list)}, allowed);
    }
}

TEST_CASE("reduce_mean: axes that are named again and again count once") {
  check_kernel<ops::reduce_mean>({}, {floats({2, 7, 5}, 3), integers_of({1, -2, 1, 1, -2, 1, 1, 1, 1, 1})}, allowed);
}

TEST_CASE("reduce_mean: rows and columns of every length around whole vectors") {
  for (std::int64_t n = 1; n <= 6 * kernels::f32_lanes + 1; ++n) {
    CAPTURE(n);
    check_kernel<ops::reduce_mean>({}, {floats({3, n}, 5), integers_of({1})}, allowed);
    check_kernel<ops::reduce_mean>({}, {floats({3, n}, 6), integers_of({0})}, allowed);
  }
}

TEST_CASE("reduce_mean: without a list, to the end, with a coefficient, keeping axes") {
  ops::reduce_mean::attrs attrs;
  check_kernel<ops::reduce_mean>(attrs, {floats({3, 5, 7}, 5)}, allowed);
  attrs.keep_dims = true;
  check_kernel<ops::reduce_mean>(attrs, {floats({3, 5, 7}, 5), integers_of({1})}, allowed);
  attrs.reduce_to_end = true;
  attrs.coefficient = 2.5F;
  check_kernel<ops::reduce_mean>(attrs, {floats({3, 5, 7}, 5), integers_of({1})}, allowed);
}

TEST_CASE("reduce_mean: NaN and infinities come out") {
  check_kernel<ops::reduce_mean>({}, {floats({2, 5, 20}, with_special_values(random_floats(200, 3))), integers_of({1})},
                                 allowed);
  check_kernel<ops::reduce_mean>({}, {floats({10, 20}, with_special_values(random_floats(200, 3))), integers_of({1})},
                                 allowed);
}

TEST_CASE("reduce_mean: axes that others stand between are left to the reference") {
  CHECK(has_no_kernel<ops::reduce_mean>({}, {floats({2, 3, 5}), integers_of({0, 2})}));
}

TEST_CASE("reduce_mean of stored bytes: columns of every length and width, coefficients of either sign, extremes") {
  for (const dtype type : {i8, u8})
    for (const std::int64_t n : {2, 3, 4, 49, 1000})
      for (const std::int64_t channels :
           {std::int64_t{8}, std::int64_t{13}, kernels::register_bytes, 2 * kernels::register_bytes + 9})
        for (const float coefficient : {0.0F, -1.5F, 40.0F})
          for (const bytes_are fill : {bytes_are::random, bytes_are::all_lowest, bytes_are::all_highest}) {
            CAPTURE(n);
            CAPTURE(channels);
            CAPTURE(coefficient);
            const int first = type == u8 ? 0 : -128;
            ops::reduce_mean::attrs attrs;
            attrs.coefficient = coefficient;
            check_kernel<ops::reduce_mean>(
                attrs,
                {stored_bytes(type, {2, n, 1, channels}, quant{0.05F, first + 70}, 3, fill), integers_of({1, 2})}, {},
                into_bytes(0.031F, first + 200));
          }
}
