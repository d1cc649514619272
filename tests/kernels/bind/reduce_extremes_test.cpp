#include <nnrt/kernels/bind/reductions.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

/// Sums are made in another order; extremes are the reference's bits.
template <class Op> constexpr tolerance allowed() {
  return std::is_same_v<Op, ops::reduce_sum> ? tolerance{2e-5, 2e-6} : tolerance{0, 0};
}

}  // namespace

TEST_CASE_TEMPLATE("sums and extremes: any axes side by side", Op, ops::reduce_max, ops::reduce_min, ops::reduce_sum) {
  const std::vector<std::int64_t> lists[] = {{0}, {1}, {3}, {1, 2}, {-1}, {0, 1}, {1, 2, 3}, {0, 1, 2, 3}, {-3, 2}};
  for (const std::vector<std::int64_t>& list : lists)
    for (const std::int64_t channels : {1, 3, 16, 67}) {
      CAPTURE(list[0]);
      CAPTURE(channels);
      check_kernel<Op>({}, {floats({2, 2, 3, channels}, 3), integers_of(list)}, allowed<Op>());
    }
}

TEST_CASE_TEMPLATE("sums and extremes: rows and columns of every length around whole vectors", Op, ops::reduce_max,
                   ops::reduce_min, ops::reduce_sum) {
  for (std::int64_t n = 1; n <= 6 * kernels::f32_lanes + 1; ++n) {
    CAPTURE(n);
    check_kernel<Op>({}, {floats({3, n}, 5), integers_of({1})}, allowed<Op>());
    check_kernel<Op>({}, {floats({3, n}, 6), integers_of({0})}, allowed<Op>());
  }
}

TEST_CASE_TEMPLATE("sums and extremes: to the end, with a coefficient, keeping axes", Op, ops::reduce_max,
                   ops::reduce_min, ops::reduce_sum) {
  typename Op::attrs attrs;
  attrs.keep_dims = attrs.reduce_to_end = true;
  attrs.coefficient = -2.5F;
  check_kernel<Op>(attrs, {floats({3, 5, 3}, 5), integers_of({1})}, allowed<Op>());
}

TEST_CASE_TEMPLATE("sums and extremes: NaN and infinities come out", Op, ops::reduce_max, ops::reduce_min,
                   ops::reduce_sum) {
  const auto special = [](shape_t shape, std::uint32_t seed) {
    return floats(shape, with_special_values(random_floats(shape.elements(), seed)));
  };
  check_kernel<Op>({}, {special({2, 5, 20}, 3), integers_of({1})}, allowed<Op>());
  check_kernel<Op>({}, {special({40, 2}, 4), integers_of({1})}, allowed<Op>());
  check_kernel<Op>({}, {special({2, 40}, 4), integers_of({1})}, allowed<Op>());
}

TEST_CASE_TEMPLATE("sums and extremes: other dtypes, and axes that others stand between, are left to the reference", Op,
                   ops::reduce_max, ops::reduce_min, ops::reduce_sum) {
  CHECK(has_no_kernel<Op>({}, {floats({2, 3, 5}), integers_of({0, 2})}));
  CHECK(has_no_kernel<Op>({}, {pattern(i32, {2, 3, 5}), integers_of({1})}));
}
