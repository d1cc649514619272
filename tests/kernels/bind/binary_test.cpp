#include <nnrt/kernels/bind/add.hpp>
#include <nnrt/kernels/bind/div.hpp>
#include <nnrt/kernels/bind/maximum.hpp>
#include <nnrt/kernels/bind/mul.hpp>
#include <nnrt/kernels/bind/sub.hpp>
#include <support/kernels.hpp>

#include <algorithm>

using namespace nnrt_test;

namespace {

struct shapes {
  shape_t a, b;
};

// Same shape, scalars, last axis, outer axes, both sides repeated, missing axes, axes that cannot be merged.
const shapes table[] = {
    {{5}, {5}},
    {{2, 3, 17}, {2, 3, 17}},
    {{}, {}},
    {{7, 19}, {}},
    {{1, 1}, {33}},
    {{40}, {1}},
    {{2, 5, 3, 16}, {16}},
    {{2, 5, 3, 7}, {7}},
    {{31}, {4, 3, 31}},
    {{2, 5, 3, 16}, {2, 1, 1, 16}},
    {{2, 5, 3, 16}, {2, 5, 3, 1}},
    {{2, 5, 1, 16}, {1, 5, 3, 16}},
    {{5, 1}, {1, 20}},
    {{4, 1, 3, 1, 5}, {1, 6, 1, 2, 1}},
    {{3, 2, 2, 2, 2, 2, 2, 2}, {2, 1, 2, 1, 2, 1, 2}},
    {{300, 300}, {300, 300}},
    {{90, 40, 40}, {40}},
    {{90, 40, 41}, {90, 1, 1}},
};

}  // namespace

TEST_CASE_TEMPLATE("binary operators: the kernel is the reference under every broadcast", Op, ops::add, ops::sub,
                   ops::mul, ops::div, ops::maximum) {
  for (const shapes& row : table) {
    CAPTURE(row.a.rank);
    CAPTURE(row.a.elements());
    CAPTURE(row.b.elements());
    check_kernel<Op>({}, {floats(row.a, 3), floats(row.b, 4)});
    check_kernel<Op>({}, {floats(row.b, 5), floats(row.a, 6)});
  }
}

TEST_CASE_TEMPLATE("binary operators: every length around whole vectors, special values included", Op, ops::add,
                   ops::sub, ops::mul, ops::div, ops::maximum) {
  for (std::int64_t n = 1; n <= 3 * kernels::lanes + 1; ++n) {
    CAPTURE(n);
    const auto a = with_special_values(random_floats(n, 1));
    auto b = with_special_values(random_floats(n, 2));
    std::rotate(b.begin(), b.begin() + n / 2, b.end());
    check_kernel<Op>({}, {floats({n}, a), floats({n}, b)});
    check_kernel<Op>({}, {floats({n}, a), floats({}, 3)});
    check_kernel<Op>({}, {floats({1}, 3), floats({n}, b)});
    check_kernel<Op>({}, {floats({3, n}, 3), floats({n}, b)});
  }
}

TEST_CASE_TEMPLATE("binary operators: the fused activation is applied", Op, ops::add, ops::sub, ops::mul, ops::div) {
  for (const activation fused : {activation::relu, activation::relu6}) {
    typename Op::attrs attrs;
    attrs.fused = fused;
    check_kernel<Op>(attrs,
                     {floats({4, 37}, random_floats(4 * 37, 1, 9.0F)), floats({37}, random_floats(37, 2, 9.0F))});
    check_kernel<Op>(attrs, {floats({37}, with_special_values(random_floats(37, 1, 9.0F))), floats({37}, 2)});
  }
}

TEST_CASE("binary operators: the plan takes the flat kernel where no operand is repeated in part") {
  CHECK(node_under_test<ops::add>({}, {floats({2, 3}), floats({2, 3})}).choose().name == "zip");
  CHECK(node_under_test<ops::add>({}, {floats({1, 1}), floats({2, 3})}).choose().name == "zip");
  CHECK(node_under_test<ops::add>({}, {floats({3}), floats({2, 3})}).choose().name == "zip broadcast");
}

TEST_CASE("binary operators: integers are left to the reference") {
  CHECK(has_no_kernel<ops::add>({}, {pattern(i32, {4}), pattern(i32, {4})}));
}

TEST_CASE_TEMPLATE("binary operators on stored bytes: the kernel has the reference's bits under every broadcast", Op,
                   ops::add, ops::sub, ops::mul, ops::div, ops::maximum) {
  tensor_desc wanted;
  for (const dtype type : {i8, u8})
    for (const shapes& row : table) {
      CAPTURE(row.a.rank);
      CAPTURE(row.a.elements());
      CAPTURE(row.b.elements());
      const std::int32_t shift = type == u8 ? 128 : 0;
      given_operand a = pattern(type, row.a), b = pattern(type, row.b);
      a.desc.quantised = quant{0.05F, 3 + shift};
      b.desc.quantised = quant{0.07F, -9 + shift};
      wanted.quantised = quant{0.09F, 1 + shift};
      check_kernel<Op>({}, {a, b}, {}, {wanted});
      check_kernel<Op>({}, {b, a}, {}, {wanted});
    }
}

TEST_CASE("add: the kernel on stored bytes keeps to the fused activation; larger integers are the reference's") {
  ops::add::attrs attrs;
  attrs.fused = activation::relu6;
  tensor_desc wanted;
  wanted.quantised = quant{0.05F, -100};
  given_operand x = pattern(i8, {700}), wide = pattern(i16, {700});
  x.desc.quantised = wide.desc.quantised = quant{0.05F, 0};
  check_kernel<ops::add>(attrs, {x, x}, {}, {wanted});
  CHECK_FALSE(bool(node_under_test<ops::add>(attrs, {wide, wide}, {wanted}).choose()));
  CHECK(has_no_kernel<ops::add>({}, {pattern(i8, {700}), pattern(i8, {700})}));
}
