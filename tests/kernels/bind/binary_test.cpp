#include <nnrt/kernels/bind/binary.hpp>
#include <nnrt/kernels/bind/eltwise.hpp>
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
                   ops::mul, ops::div, ops::maximum, ops::squared_difference, ops::less_equal, ops::eltwise) {
  for (const shapes& row : table) {
    CAPTURE(row.a.rank);
    CAPTURE(row.a.elements());
    CAPTURE(row.b.elements());
    check_kernel<Op>({}, {floats(row.a, 3), floats(row.b, 4)});
    check_kernel<Op>({}, {floats(row.b, 5), floats(row.a, 6)});
  }
}

TEST_CASE_TEMPLATE("binary operators: every length around whole vectors, special values included", Op, ops::add,
                   ops::sub, ops::mul, ops::div, ops::maximum, ops::squared_difference, ops::less_equal, ops::eltwise) {
  for (std::int64_t n = 1; n <= 3 * kernels::f32_lanes + 1; ++n) {
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

TEST_CASE("eltwise: every mode, with special values") {
  for (const eltwise_mode mode : {eltwise_mode::product, eltwise_mode::sum, eltwise_mode::maximum}) {
    ops::eltwise::attrs attrs;
    attrs.mode = mode;
    const auto x = with_special_values(random_floats(5 * 37, 1));
    check_kernel<ops::eltwise>(attrs, {floats({5, 37}, x), floats({5, 37}, 2)});
    check_kernel<ops::eltwise>(attrs, {floats({37}, 3), floats({5, 37}, x)});
    check_kernel<ops::eltwise>(attrs, {floats({5, 37}, x), floats({5, 1}, 4)});
    check_kernel<ops::eltwise>(attrs,
                               {elements<std::int32_t>({5, 37}, 1, 9.0F), elements<std::int32_t>({37}, 2, 9.0F)});
  }
}

TEST_CASE("less_equal: equal numbers are found at every place of a vector") {
  for (std::int64_t n = 1; n <= 2 * kernels::f32_lanes + 1; ++n) {
    CAPTURE(n);
    std::vector<float> a = random_floats(n, 1), b = a;
    for (std::size_t i = 0; i < a.size(); i += 2) b[i] = std::nextafter(a[i], -9.0F);
    check_kernel<ops::less_equal>({}, {floats({n}, a), floats({n}, b)});
    check_kernel<ops::less_equal>({}, {floats({n}, b), floats({n}, a)});
  }
}

TEST_CASE("binary operators: rows longer and shorter than what is laid end to end are repeated, cut anywhere") {
  for (const std::int64_t period : {1, 2, 3, 15, 17, 63, 64, 65, 100}) {
    CAPTURE(period);
    check_kernel<ops::sub>({}, {floats({700, period}, 1), floats({period}, 2)});
    check_kernel<ops::sub>({}, {floats({1, period}, 1), floats({5, 31, period}, 2)});
    check_kernel<ops::sub>({}, {floats({3, 40, period}, 1), floats({3, 1, period}, 2)});
  }
}

namespace {

/// The kernel's name for f32 operands of these shapes.
std::string_view name_for(const shape_t& a, const shape_t& b) {
  return node_under_test<ops::add>({}, {floats(a), floats(b)}).choose().name;
}

}  // namespace

TEST_CASE("binary operators: the plan chooses the way of broadcasting, and the kernel's name says which") {
  struct row {
    shape_t a, b;
    std::string_view name;
  };
  const row names[] = {
      {{2, 3}, {2, 3}, "binary"},
      {{1, 2, 3}, {2, 3}, "binary"},
      {{1, 1}, {1}, "binary"},
      {{1, 1}, {2, 3}, "binary scalar"},
      {{}, {7}, "binary scalar"},
      {{3}, {2, 3}, "binary channels"},
      {{3}, {1, 3}, "binary"},
      {{1, 1, 1, 16}, {2, 5, 3, 16}, "binary channels"},
      {{1, 3, 16}, {2, 5, 3, 16}, "binary channels"},
      {{2, 1}, {2, 3}, "binary broadcast"},
      {{2, 1, 1, 16}, {2, 5, 3, 16}, "binary broadcast"},
      {{5, 1}, {1, 7}, "binary broadcast"},
  };
  for (const row& r : names) {
    CAPTURE(r.name);
    CAPTURE(r.a.elements());
    CAPTURE(r.b.elements());
    CHECK(name_for(r.a, r.b) == r.name);
    CHECK(name_for(r.b, r.a) == r.name);
  }
}

TEST_CASE_TEMPLATE("binary operators: other dtypes go element by element, to the reference's very bits", T, float16,
                   double, std::int32_t) {
  const auto check = []<class Op>(std::type_identity<Op>) {
    CHECK(node_under_test<Op>({}, {elements<T>({2, 3}, 1), elements<T>({3}, 2)}).choose().name == "binary elements");
    for (const shapes& row : table) {
      if (row.a.elements() > 20000) continue;
      CAPTURE(row.a.elements());
      CAPTURE(row.b.elements());
      check_kernel<Op>({}, {elements<T>(row.a, 3, 60.0F), elements<T>(row.b, 4, 60.0F)});
    }
  };
  check(std::type_identity<ops::add>{});
  check(std::type_identity<ops::sub>{});
  check(std::type_identity<ops::mul>{});
  check(std::type_identity<ops::div>{});
  check(std::type_identity<ops::maximum>{});
  check(std::type_identity<ops::squared_difference>{});
  check(std::type_identity<ops::less_equal>{});
  check(std::type_identity<ops::eltwise>{});
}

TEST_CASE("binary operators: the fused activation is applied to other dtypes, too") {
  ops::mul::attrs attrs;
  attrs.fused = activation::relu6;
  check_kernel<ops::mul>(attrs, {elements<std::int32_t>({5, 7}, 1, 9.0F), elements<std::int32_t>({7}, 2, 9.0F)});
  check_kernel<ops::mul>(attrs, {elements<float16>({5, 7}, 1), elements<float16>({7}, 2)});
}

TEST_CASE("bias_add and prelu: f16 and integers, where they take them") {
  check_kernel<ops::bias_add>({}, {elements<std::int32_t>({3, 4, 7}, 1, 99.0F), elements<std::int32_t>({7}, 2, 99.0F)});
  check_kernel<ops::bias_add>({}, {elements<float16>({3, 4, 7}, 1), elements<float16>({7}, 2)});
  check_kernel<ops::prelu>({}, {elements<float16>({3, 4, 7}, 1), elements<float16>({7}, 2)});
  check_kernel<ops::prelu>({}, {elements<double>({3, 4, 7}, 1), elements<double>({1}, 2)});
}

TEST_CASE_TEMPLATE("atan2: every dtype has the reference's bits, under every broadcast", T, float, float16, double) {
  check_kernel<ops::atan2>({}, {elements<T>({4, 3, 5}, 1), elements<T>({}, std::vector<float>{-2})});
  check_kernel<ops::atan2>({}, {elements<T>({4, 3, 5}, 1), elements<T>({3, 1}, 2)});
  check_kernel<ops::atan2>({}, {elements<T>({5}, 1), elements<T>({4, 1}, 2)});
  check_kernel<ops::atan2>({}, {elements<T>({30}, with_special_values(random_floats(30, 3))),
                                elements<T>({2, 1}, with_special_values(random_floats(2, 4)))});
}

TEST_CASE_TEMPLATE("pow: every dtype has the reference's bits, under every broadcast", T, float, float16, double,
                   std::int32_t) {
  ops::pow::attrs scaled;
  scaled.scale = 0.5F, scaled.shift = 3;
  for (const ops::pow::attrs& attrs : {ops::pow::attrs{}, scaled}) {
    check_kernel<ops::pow>(attrs, {elements<T>({4, 3, 5}, 1), elements<T>({}, std::vector<float>{2})});
    check_kernel<ops::pow>(attrs, {elements<T>({4, 3, 5}, 1), elements<T>({3, 1}, 2)});
    check_kernel<ops::pow>(attrs, {elements<T>({5}, 1), elements<T>({4, 1}, 2)});
  }
}

TEST_CASE("binary operators: two dtypes, 8 bits and booleans are left to the reference") {
  CHECK(has_no_kernel<ops::add>({}, {pattern(i8, {4}), pattern(i8, {4})}));
  CHECK(has_no_kernel<ops::add>({}, {floats({4}), elements<std::int32_t>({4}, 1)}));
  CHECK(has_no_kernel<ops::less_equal>({}, {pattern(boolean, {4}), pattern(boolean, {4})}));
}

TEST_CASE_TEMPLATE("binary operators on stored bytes: the kernel has the reference's bits under every broadcast", Op,
                   ops::add, ops::sub, ops::mul, ops::div, ops::maximum, ops::squared_difference) {
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

TEST_CASE("eltwise, prelu and bias_add: the kernels on stored bytes have the references' bits, and other dtypes none") {
  tensor_desc wanted;
  for (const dtype type : {i8, u8}) {
    const std::int32_t shift = type == u8 ? 128 : 0;
    const auto stored = [&](shape_t shape, float scale, std::int32_t zero) {
      given_operand x = pattern(type, shape);
      x.desc.quantised = quant{scale, zero + shift};
      return x;
    };
    wanted.quantised = quant{0.09F, 1 + shift};
    for (const eltwise_mode mode : {eltwise_mode::product, eltwise_mode::sum, eltwise_mode::maximum})
      for (const shapes& row : table) {
        CAPTURE(row.a.elements());
        CAPTURE(row.b.elements());
        ops::eltwise::attrs attrs;
        attrs.mode = mode;
        check_kernel<ops::eltwise>(attrs, {stored(row.a, 0.05F, 3), stored(row.b, 0.07F, -9)}, {}, {wanted});
      }
    for (const std::int64_t channels : {1, 3, 16, 67})
      check_kernel<ops::prelu>({}, {stored({3, 5, channels}, 0.05F, 3), stored({channels}, 0.02F, -9)}, {}, {wanted});
    for (const std::int64_t channels : {1, 3, 16, 67})
      check_kernel<ops::bias_add>({}, {stored({3, 5, channels}, 0.05F, 3), stored({channels}, 0.07F, -9)}, {},
                                  {wanted});
  }
  given_operand wide = pattern(i16, {700});
  wide.desc.quantised = quant{0.05F, 0}, wanted.quantised = quant{0.05F, 0};
  CHECK_FALSE(bool(node_under_test<ops::eltwise>({}, {wide, wide}, {wanted}).choose()));
}

TEST_CASE(
    "mul and prelu: where the scales' product or quotient is beyond float, the kernels on stored bytes have the "
    "references' bits") {
  given_operand x = pattern(i8, {3, 67}), y = pattern(i8, {67});
  x.desc.quantised = quant{1e20F, 3}, y.desc.quantised = quant{1e20F, -9};
  for (const float scale : {1e38F, 1.0F, 1e-20F}) {
    CAPTURE(scale);
    tensor_desc wanted;
    wanted.quantised = quant{scale, 1};
    check_kernel<ops::mul>({}, {x, y}, {}, {wanted});
    check_kernel<ops::prelu>({}, {x, y}, {}, {wanted});
    wanted.quantised.rounding = quantised_rounding::half_to_even;
    check_kernel<ops::mul>({}, {x, y}, {}, {wanted});
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
