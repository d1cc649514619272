// The kernels of layers of 16-bit activations, whose elements are the references'.
#include <nnrt/kernels/bind/conv2d.hpp>
#include <nnrt/kernels/bind/full_connection.hpp>
#include <support/bytes.hpp>

using namespace nnrt_test;

namespace {

given_operand i16_values(shape_t shape, std::uint32_t seed, float range = 32767) {
  given_operand x = elements<std::int16_t>(shape, seed, range);
  x.desc.quantised = quant{0.001F, 0};
  return x;
}
template <class T> given_operand bias_of(std::int64_t n, float range) {
  given_operand b = elements<T>({n}, 9, range);
  return constant(b);
}
std::vector<tensor_desc> scaled(float scale, std::int32_t zero_point = 0) {
  tensor_desc wanted;
  wanted.quantised = quant{scale, zero_point};
  return {wanted};
}

}  // namespace

TEST_CASE("conv2d of 16-bit activations: pads, strides, dilation, groups, every depth around whole vectors") {
  for (const std::int64_t channels : {1, 3, 8, 16, 31, 64, 67})
    for (const std::int64_t group : {1, 2})
      for (const pads& pad : {pads{}, pads{pad_mode::same, 0, 0, 0, 0}, pads{pad_mode::explicit_pads, 1, 0, 2, 1}}) {
        CAPTURE(channels);
        CAPTURE(group);
        ops::conv2d::attrs attrs;
        attrs.pad = pad, attrs.group = group, attrs.stride = {1, 2}, attrs.dilation = {2, 1};
        const given_operand x = i16_values({2, 7, 8, channels * group}, 3),
                            w = quantised_filters(i8, {6, 3, 2, channels}, 0.02F, 4);
        const float scale = 0.02F * static_cast<float>(channels);
        check_kernel<ops::conv2d>(attrs, {x, w, bias_of<std::int64_t>(6, 1e9F)}, {}, scaled(scale));
        check_kernel<ops::conv2d>(attrs, {x, w, bias_of<std::int32_t>(6, 1e6F)}, {}, scaled(scale, 77));
        attrs.fused = activation::relu6;
        check_kernel<ops::conv2d>(attrs, {x, w}, {}, scaled(scale / 64));
      }
}

TEST_CASE("full_connection of 16-bit activations: any rows and depths, the largest sums") {
  for (const std::int64_t rows : {1, 3, 4, 9})
    for (const std::int64_t k : {1, 15, 16, 32, 33, 100}) {
      CAPTURE(rows);
      CAPTURE(k);
      check_kernel<ops::full_connection>({}, {i16_values({rows, k}, 3), quantised_filters(i8, {21, k}, 0.02F, 4)}, {},
                                         scaled(0.1F));
      check_kernel<ops::full_connection>(
          {}, {i16_values({rows, k}, 3), quantised_filters(i8, {21, k}, 0.02F, 4), bias_of<std::int64_t>(21, 1e9F)}, {},
          scaled(0.1F));
    }
  given_operand low = i16_values({2, 20000}, 3);
  for (std::size_t i = 0; i < low.bytes.size(); i += 2)
    low.bytes[i] = std::byte{0x00}, low.bytes[i + 1] = std::byte{0x80};
  given_operand w = stored_bytes(i8, {3, 20000}, quant{0.02F, 0}, 3, bytes_are::all_lowest);
  check_kernel<ops::full_connection>({}, {low, w}, {}, scaled(100.0F));
  check_kernel<ops::full_connection>({}, {low, w, bias_of<std::int32_t>(3, 1e6F)}, {}, scaled(100.0F));
}

TEST_CASE("layers of 16-bit activations with zero points are left to the references") {
  given_operand x = i16_values({2, 8}, 3);
  x.desc.quantised.zero_point = 1;
  const auto y = scaled(0.1F);
  CHECK_FALSE(
      bool(node_under_test<ops::full_connection>({}, {x, quantised_filters(i8, {21, 8}, 0.02F, 4)}, y).choose()));
}
