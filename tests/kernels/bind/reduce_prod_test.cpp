#include <nnrt/kernels/bind/reductions.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

constexpr tolerance allowed{0, 2e-6};

/// Numbers around 1 and -1, so that no product leaves the range of floats.
given_operand factors(shape_t shape, std::uint32_t seed) {
  std::vector<float> values = random_floats(shape.elements(), seed, 0.25F);
  for (float& value : values) value += value < 0 ? -0.9F : 0.9F;
  return floats(shape, values);
}

}  // namespace

TEST_CASE("reduce_prod: any axes side by side") {
  const std::vector<std::int64_t> lists[] = {{0},    {1},    {2},       {3},          {1, 2}, {-1},
                                             {0, 1}, {2, 3}, {1, 2, 3}, {0, 1, 2, 3}, {-3, 2}};
  for (const std::vector<std::int64_t>& list : lists)
    for (const std::int64_t channels : {1, 3, 16, 67}) {
      CAPTURE(list[0]);
      CAPTURE(channels);
      check_kernel<ops::reduce_prod>({}, {factors({2, 2, 3, channels}, 3), integers_of(list)}, {0, 3e-5});
    }
}

TEST_CASE("reduce_prod: rows and columns of every length around whole vectors") {
  for (std::int64_t n = 1; n <= 6 * kernels::f32_lanes + 1; ++n) {
    CAPTURE(n);
    check_kernel<ops::reduce_prod>({}, {factors({3, n}, 5), integers_of({1})}, {0, 1e-5});
    check_kernel<ops::reduce_prod>({}, {factors({3, n}, 6), integers_of({0})}, allowed);
  }
}

TEST_CASE("reduce_prod: to the end, with a coefficient, keeping axes") {
  ops::reduce_prod::attrs attrs;
  attrs.keep_dims = true;
  check_kernel<ops::reduce_prod>(attrs, {factors({3, 5, 7}, 5), integers_of({1})}, allowed);
  attrs.reduce_to_end = true;
  attrs.coefficient = 2.5F;
  check_kernel<ops::reduce_prod>(attrs, {factors({3, 5, 3}, 5), integers_of({1})}, allowed);
}

TEST_CASE("reduce_prod: zeros, NaN and infinities come out") {
  const auto special = [](shape_t shape, std::uint32_t seed) {
    return floats(shape, with_special_values(random_floats(shape.elements(), seed)));
  };
  check_kernel<ops::reduce_prod>({}, {special({2, 5, 20}, 3), integers_of({1})}, allowed);
  check_kernel<ops::reduce_prod>({}, {special({10, 20}, 3), integers_of({1})}, allowed);
  check_kernel<ops::reduce_prod>({}, {special({40, 2}, 4), integers_of({1})}, allowed);
}

TEST_CASE("reduce_prod: other dtypes, and axes that others stand between, are left to the reference") {
  CHECK(has_no_kernel<ops::reduce_prod>({}, {floats({2, 3, 5}), integers_of({0, 2})}));
  CHECK(has_no_kernel<ops::reduce_prod>({}, {pattern(i32, {2, 3, 5}), integers_of({1})}));
}
