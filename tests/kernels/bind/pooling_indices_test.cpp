// pooling_indices_test: kernels of max_pool_indices and max_unpool against the references, bit for bit.
#include <nnrt/kernels/bind/max_pool_indices.hpp>
#include <nnrt/kernels/bind/max_unpool.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

constexpr pads same_pads{pad_mode::same, 0, 0, 0, 0}, around{pad_mode::explicit_pads, 1, 0, 1, 1};

/// Small whole numbers, of which many are equal.
std::vector<float> with_equal_ones(std::int64_t n, std::uint32_t seed) {
  std::vector<float> values = random_floats(n, seed, 3.0F);
  for (float& value : values) value = static_cast<float>(static_cast<int>(value));
  return values;
}

}  // namespace

TEST_CASE("max_pool_indices: the kernel has the bits of the reference, with equal pixels and special values, too") {
  for (const bool in_window : {false, true})
    for (const pads& pad : {pads{}, same_pads, around})
      for (const std::int64_t channels : {1, 3, 8, 16, 17, 40}) {
        CAPTURE(channels);
        ops::max_pool_indices::attrs a;
        a.kernel = {2, 3}, a.stride = {2, 1}, a.pad = pad, a.in_window = in_window;
        const shape_t shape{2, 7, 6, channels};
        const auto n = shape.elements();
        check_kernel<ops::max_pool_indices>(a, {floats(shape, with_equal_ones(n, 3))});
        a.fused = activation::relu6;
        check_kernel<ops::max_pool_indices>(a, {floats(shape, with_special_values(with_equal_ones(n, 4)))});
      }
  ops::max_pool_indices::attrs whole;
  whole.global = true;
  check_kernel<ops::max_pool_indices>(whole, {floats({2, 5, 9, 19})});
}

TEST_CASE("max_unpool: the kernel has the bits of the reference, with indices that name one pixel twice or none") {
  for (const bool in_window : {false, true})
    for (const std::int64_t channels : {1, 7, 33}) {
      CAPTURE(channels);
      ops::max_unpool::attrs a;
      a.kernel = {2, 3}, a.stride = {2, 2}, a.pad = {pad_mode::explicit_pads, 0, 0, 1, 0}, a.in_window = in_window;
      const shape_t shape{3, 4, 5, channels};
      const std::vector<float> indices = random_floats(shape.elements(), 9, in_window ? 7.0F : 90.0F);
      check_kernel<ops::max_unpool>(a, {floats(shape), elements<std::int32_t>(shape, indices)});
      check_kernel<ops::max_unpool>(a,
                                    {elements<std::int8_t>(shape, 5, 100.0F), elements<std::int32_t>(shape, indices)});
    }
}
