#include <nnrt/kernels/bind/cast.hpp>
#include <nnrt/kernels/bind/quant_dtype_cast.hpp>
#include <nnrt/kernels/bind/unary.hpp>
#include <support/functions.hpp>

#include <cmath>
#include <limits>

using namespace nnrt_test;

namespace {

/// The largest numbers, the smallest, subnormal ones, and where exponentials begin to overflow and vanish.
const std::vector<float> edges = {3.4e38F, -3.4e38F, 1e-38F, -1e-38F, 1e-45F, -1e-45F, 88.0F,  -88.0F,  88.8F, -88.8F,
                                  87.3F,   -87.3F,   87.4F,  -87.4F,  44.4F,  -44.4F,  104.0F, -104.0F, 13.2F, -13.2F,
                                  0.65F,   -0.65F,   9.1F,   -9.1F,   1e-5F,  -1e-5F,  1e19F,  -1e19F};

template <class Op> void check_function(const typename Op::attrs& attrs, tolerance allowed = {2e-7, 5e-7}) {
  nnrt_test::check_function<Op>(attrs, allowed, {0.01F, 1.0F, 12.0F, 120.0F}, edges);
}

}  // namespace

TEST_CASE_TEMPLATE("functions of one operand: the kernel is the reference within some ulp", Op, ops::sigmoid, ops::tanh,
                   ops::hswish, ops::gelu) {
  check_function<Op>({});
}

TEST_CASE("gelu: tanh's approximation has a separate kernel") {
  ops::gelu::attrs attrs;
  attrs.approximate = true;
  check_function<ops::gelu>(attrs);
}

TEST_CASE("tanh: small numbers keep their relative accuracy") {
  check_kernel<ops::tanh>({}, {floats({1001}, ramp(1001, 1e-4F))}, {0, 3e-7});
  check_kernel<ops::tanh>({}, {floats({1001}, ramp(1001, 1.0F))}, {0, 5e-7});
}

TEST_CASE_TEMPLATE("functions of stored bytes: a table of what the reference gives, for tensors of every size", Op,
                   ops::relu, ops::relu6, ops::sigmoid, ops::tanh, ops::hswish, ops::gelu, ops::sqrt, ops::rsqrt) {
  for (const dtype type : {i8, u8})
    for (const shape_t& shape : {shape_t{1}, shape_t{16}, shape_t{511}, shape_t{3, 5, 7, 11}, shape_t{2, 300, 301}}) {
      CAPTURE(shape.elements());
      const std::int32_t shift = type == u8 ? 128 : 0;
      check_kernel<Op>({}, {quantised_pattern(type, shape, 10 + shift)}, {}, {wish(quant{0.03F, -20 + shift})});
    }
  const std::vector<tensor_desc> wanted{wish(quant{0.03F, 0})};
  CHECK_FALSE(bool(node_under_test<Op>({}, {quantised_pattern(i8, {0, 3}, 0)}, wanted).choose()));
  CHECK_FALSE(bool(node_under_test<Op>({}, {quantised_pattern(i16, {512}, 0)}, wanted).choose()));
}

TEST_CASE("quant_dtype_cast: a table leads from bytes to bytes") {
  ops::quant_dtype_cast::attrs attrs;
  attrs.src_t = int(u8), attrs.dst_t = int(i8);
  check_kernel<ops::quant_dtype_cast>(attrs, {quantised_pattern(u8, {40, 50}, 100)}, {}, {wish(quant{0.03F, -20})});
  attrs.dst_t = int(f16);
  CHECK(has_no_kernel<ops::quant_dtype_cast>(attrs, {quantised_pattern(u8, {40, 50}, 100)}));
}

TEST_CASE("quant_dtype_cast: vectors give the reference's bits between floats and quantised values, at every length") {
  for (const dtype type : {i8, u8, i16}) {
    const std::int32_t shift = type == u8 ? 128 : 0;
    CAPTURE(int(type));
    ops::quant_dtype_cast::attrs to, from;
    to.src_t = from.dst_t = int(f32), to.dst_t = from.src_t = int(type);
    for (const std::int64_t n : {1, 3, 15, 16, 17, 31, 33, 64, 67, 1000}) {
      CAPTURE(n);
      for (const float scale : {0.05F, 1e-3F, std::numeric_limits<float>::min(), std::numeric_limits<float>::max()}) {
        CAPTURE(scale);
        const quant q{scale, -7 + shift};
        check_kernel<ops::quant_dtype_cast>(to, {floats({n}, with_special_values(random_floats(n, 3, 9)))}, {},
                                            {wish(q)});
        given_operand x = pattern(type, {n});
        x.desc.quantised = q;
        check_kernel<ops::quant_dtype_cast>(from, {x});
      }
    }
    // Halves, their neighbours, and numbers around the ends of the range and beyond.
    std::vector<float> halves;
    for (const float at : {0.5F, 1.5F, 2.5F, 126.5F, 127.5F, 254.5F, 255.5F, 32766.5F, 32767.5F, 65534.5F, 1e9F, 1e30F})
      for (const float sign : {1.0F, -1.0F})
        for (const float next : {0.0F, at, 1e38F}) halves.push_back(sign * std::nextafter(at, next));
    const auto count = static_cast<std::int64_t>(halves.size());
    for (const std::int32_t zero : {-128 + shift, shift, 127 + shift})
      check_kernel<ops::quant_dtype_cast>(to, {floats({count}, halves)}, {}, {wish(quant{1, zero})});
  }
}

TEST_CASE("sqrt: the kernel has the reference's bits, rsqrt is within an ulp or two") {
  check_function<ops::sqrt>({}, {0, 0});
  check_function<ops::rsqrt>({}, {0, 1.8e-7});
}

TEST_CASE("cast: kernels to and from f32, and between indices, give the reference's elements") {
  constexpr dtype all[] = {boolean, i8, i16, i32, i64, u8, f16, f32, f64};
  const auto given = [](dtype type, std::int64_t n) {
    if (type == f32) return floats({n}, with_special_values(random_floats(n, 5, 1e10F)));
    if (type == f64) return elements<double>({n}, random_floats(n, 5, 1e10F));
    if (type == f16) return elements<float16>({n}, random_floats(n, 5, 1e3F));
    return pattern(type, {n});
  };
  for (const std::int64_t n : {1, 7, 16, 67, 1000})
    for (const dtype type : all) {
      CAPTURE(int(type));
      CAPTURE(n);
      if (type != f32) check_kernel<ops::cast>({}, {given(type, n), integers_of({int(f32)})});
      if (type != f32 && type != i16) check_kernel<ops::cast>({}, {floats({n}, 6), integers_of({int(type)})});
      if (type != f32 && type != i16) check_kernel<ops::cast>({}, {given(f32, n), integers_of({int(type)})});
    }
  check_kernel<ops::cast>({}, {pattern(i32, {67}), integers_of({int(i64)})});
  check_kernel<ops::cast>({}, {pattern(i64, {67}), integers_of({int(i32)})});
  CHECK(has_no_kernel<ops::cast>({}, {pattern(u16, {67}), integers_of({int(i64)})}));
}
