#include <nnrt/kernels/bind/unary.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

TEST_CASE_TEMPLATE("relu and relu6: the kernel is the reference for every length around whole vectors", Op, ops::relu,
                   ops::relu6) {
  for (std::int64_t n = 1; n <= 3 * kernels::f32_lanes + 1; ++n) {
    CAPTURE(n);
    check_kernel<Op>({}, {floats({n}, random_floats(n, 7, 9.0F))});
    check_kernel<Op>({}, {floats({n}, with_special_values(random_floats(n, 8)))});
  }
  check_kernel<Op>({}, {floats({2, 3, 5, 7})});
  check_kernel<Op>({}, {floats({300, 300})});
}

TEST_CASE("relu: what is no f32, or empty, is left to the reference") {
  CHECK(has_no_kernel<ops::relu>({}, {pattern(i32, {4})}));
  CHECK(has_no_kernel<ops::relu>({}, {pattern(f16, {4})}));
  CHECK(has_no_kernel<ops::relu>({}, {floats({0, 3})}));
}

TEST_CASE("relu: only large tensors are cut into parts") {
  CHECK(node_under_test<ops::relu>({}, {floats({4095})}).choose().parts == 1);
  CHECK(node_under_test<ops::relu>({}, {floats({4096})}).choose().parts == 2);
  CHECK(node_under_test<ops::relu>({}, {floats({8, 65536})}).choose().parts == 256);
}
