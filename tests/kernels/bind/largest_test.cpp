// The kernels of arg_max and top_k, whose elements and indices are the references', also for equal elements and NaN.
#include <nnrt/kernels/bind/arg_max.hpp>
#include <nnrt/kernels/bind/top_k.hpp>
#include <support/kernels.hpp>

#include <limits>

using namespace nnrt_test;

namespace {

/// Numbers of which many are equal, and, of floats, some are none, infinite or zeros of both signs.
given_operand crowded(dtype type, shape_t shape, std::uint32_t seed) {
  std::vector<float> values = random_floats(shape.elements(), seed, 6);
  for (float& value : values) value = std::round(value);
  if (type == f32) return floats(shape, with_special_values(values));
  if (type == i32) return elements<std::int32_t>(shape, values);
  if (type == i8) return elements<std::int8_t>(shape, values);
  for (float& value : values) value = std::fabs(value);
  return elements<std::uint8_t>(shape, values);
}
constexpr dtype ranked_types[] = {f32, i32, i8, u8};
constexpr shape_t shapes[] = {{1}, {7}, {1000}, {5, 67}, {3, 4, 5}, {2, 33, 17}};

}  // namespace

TEST_CASE("arg_max: the first of the largest along any axis, as an index of either width or as the element") {
  for (const dtype type : ranked_types)
    for (const shape_t& shape : shapes)
      for (int axis = 0; axis < shape.rank; ++axis) {
        CAPTURE(int(type));
        CAPTURE(shape.elements());
        CAPTURE(axis);
        const given_operand x = crowded(type, shape, 7);
        ops::arg_max::attrs attrs;
        attrs.axis = axis;
        check_kernel<ops::arg_max>(attrs, {x});
        tensor_desc wide;
        wide.type = i64;
        check_kernel<ops::arg_max>(attrs, {x}, {}, {wide});
        attrs.out_max_value = attrs.keep_dims = true;
        check_kernel<ops::arg_max>(attrs, {x});
      }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::vector<float>& row :
       {std::vector<float>{1, nan, 2, nan}, {nan, 1, 2, 3}, {-nan, 9, nan, 9}, {-0.0F, 0.0F, -1, -2}})
    check_kernel<ops::arg_max>({}, {floats({4}, row)});
}

TEST_CASE("arg_max: several of the largest, and dtypes that nobody asked a kernel for, are the reference's") {
  ops::arg_max::attrs two;
  two.k = 2;
  CHECK(has_no_kernel<ops::arg_max>(two, {floats({3, 4})}));
  CHECK(has_no_kernel<ops::arg_max>({}, {pattern(i64, {3, 4})}));
}

TEST_CASE("top_k: any number of the largest along any axis, in either order") {
  for (const dtype type : ranked_types)
    for (const shape_t& shape : shapes)
      for (int axis = 0; axis < shape.rank; ++axis)
        for (const std::int64_t k : {std::int64_t{1}, std::int64_t{2}, shape[axis] / 2, shape[axis]}) {
          if (k < 1 || k > shape[axis]) continue;
          CAPTURE(int(type));
          CAPTURE(shape.elements());
          CAPTURE(axis);
          CAPTURE(k);
          ops::top_k::attrs attrs;
          attrs.axis = axis;
          check_kernel<ops::top_k>(attrs, {crowded(type, shape, 11), integers_of({k})});
          attrs.sorted = false;
          check_kernel<ops::top_k>(attrs, {crowded(type, shape, 12), integers_of({k})});
        }
  const std::vector<float> falling = [] {
    std::vector<float> values;
    for (int i = 0; i < 300; ++i) values.push_back(static_cast<float>(300 - i));
    return values;
  }();
  check_kernel<ops::top_k>({}, {floats({300}, falling), integers_of({40})});
  check_kernel<ops::top_k>({}, {floats({300}, {falling.rbegin(), falling.rend()}), integers_of({40})});
  CHECK(has_no_kernel<ops::top_k>({}, {pattern(i64, {3, 4}), integers_of({2})}));
}
