#include <nnrt/kernels/int8/conv/conv2d.hpp>
#include <support/byte_products.hpp>
#include <support/kernels.hpp>

#include <doctest/doctest.h>
#include <cstdint>
#include <vector>

using namespace nnrt;
using namespace nnrt::kernels;
using namespace nnrt_test::byte_products;
using nnrt_test::fenced_bytes;

namespace {

/// Kernels of this scope do without matrix registers.
class without_registers {
 public:
  without_registers() { kernels::detail::matrix_permission = kernels::detail::permission::refused; }
  without_registers(const without_registers&) = delete;
  without_registers& operator=(const without_registers&) = delete;
  ~without_registers() { kernels::detail::matrix_permission = before_; }

 private:
  kernels::detail::permission before_ = (may_use_matrix_registers(), kernels::detail::matrix_permission);
};

/// A product in blocks as far as the machine has them.
int8_packing in_blocks(std::int64_t m, std::int64_t k, std::int64_t n) {
  int8_packing of = int8_packing::of(m, k, n);
  of.in_blocks = true;
  return of;
}

TEST_CASE("byte blocks: as few as can be, alike, and the last ends with the rows") {
  for (std::int64_t rows = 1; rows < 200; ++rows) {
    CAPTURE(rows);
    const row_blocks blocks(rows);
    CHECK(blocks.count == (rows + 15) / 16);
    CHECK(blocks.height <= 16);
    std::int64_t own = 0;
    for (std::int64_t i = 0; i < blocks.count; ++i) {
      CHECK(blocks.begin(i) + blocks.repeated(i) == own);
      own = blocks.begin(i) + blocks.height;
    }
    CHECK(own == rows);
  }
}

TEST_CASE(
    "byte blocks: products of any extents are what the definition says, in blocks and in tiles, in any number of "
    "parts") {
  for (const quantisation_case& how : quantisation_cases)
    for (const auto [m, k, n] :
         {gemm_shape{2, 20, 9}, gemm_shape{5, 64, 16}, gemm_shape{16, 63, 31}, gemm_shape{17, 128, 32},
          gemm_shape{31, 36, 33}, gemm_shape{33, 196, 64}, gemm_shape{50, 257, 70}, gemm_shape{64, 4, 100},
          gemm_shape{100, 512, 48}, gemm_shape{15, 4096, 32}, gemm_shape{33, 900, 40}}) {
      CAPTURE(how.a_zero);
      CAPTURE(m);
      CAPTURE(k);
      CAPTURE(n);
      product p(in_blocks(m, k, n), m, how);
      const std::vector<std::byte> expected = p.expected();
      CHECK(goes_in_blocks({p.packing, p.packed.data(), how.factors(), how.narrowed()}) == may_use_matrix_registers());
      CHECK(p.run() == expected);
      for (const int parts : {2, 3, 7}) {
        CHECK(p.run(parts) == expected);
        CHECK(p.run(parts, true) == expected);
      }
      const without_registers tiles;
      CHECK_FALSE(goes_in_blocks({p.packing, p.packed.data(), how.factors(), how.narrowed()}));
      CHECK(p.run() == expected);
    }
}

TEST_CASE("byte blocks: packings are for them only where the machine has the registers and a call enough to do") {
  CHECK(suits_blocks(64, 512, 512) == has_matrix_registers);
  for (const auto [rows, products, n] :
       {gemm_shape{3, 4096, 4096}, gemm_shape{4096, 16, 4096}, gemm_shape{4096, 4096, 8}, gemm_shape{4, 64, 64}})
    CHECK_FALSE(suits_blocks(rows, products, n));
  CHECK(int8_packing::of(64, 512, 512).in_blocks == has_matrix_registers);
  CHECK_FALSE(int8_packing::of(1, 512, 512).in_blocks);
}

/// A convolution with a 3x3 kernel, or another.
conv_shape convolution(std::int64_t height, std::int64_t width, std::int64_t in, std::int64_t out,
                       std::int64_t kernel = 3, std::int64_t stride = 1, std::int64_t dilation = 1,
                       std::int64_t group = 1) {
  conv_shape s{.batch = 2,
               .height = height,
               .width = width,
               .in = in,
               .out = out,
               .kernel_h = kernel,
               .kernel_w = kernel,
               .stride_h = stride,
               .stride_w = stride,
               .dilation_h = dilation,
               .dilation_w = dilation,
               .pad_top = kernel / 2 * dilation,
               .pad_left = kernel / 2 * dilation,
               .out_height = 0,
               .out_width = 0,
               .group = group};
  s.out_height = (height - 1) / stride + 1, s.out_width = (width - 1) / stride + 1;
  return s;
}

std::vector<std::byte> convolved(const conv_shape& s, const quantisation_case& how, const std::vector<std::byte>& x,
                                 std::byte* packed, int parts) {
  const int8_conv_plan plan = int8_conv_plan::of(s);
  lines scratch(std::max<std::int64_t>(1, int8_conv_scratch_bytes(plan)));
  fenced_bytes image(x),
      y(std::vector<std::byte>(static_cast<std::size_t>(s.batch * s.out_pixels() * s.out), std::byte{0x55}));
  const int8_product p{int8_conv_packing(plan), packed, how.factors(), how.narrowed()};
  for (int i = 0; i < parts; ++i) int8_conv(plan, p, {image.data(), y.data(), scratch.data()}, {i, parts});
  return {y.data(), y.data() + s.batch * s.out_pixels() * s.out};
}

TEST_CASE("byte blocks: convolutions have the bits of tiles, over whole lines and copied pixels") {
  const conv_shape shapes[] = {convolution(9, 33, 16, 40),          convolution(20, 20, 24, 16),
                               convolution(7, 7, 64, 48),           convolution(8, 8, 32, 64),
                               convolution(30, 30, 3, 32, 3, 2),    convolution(14, 50, 3, 8, 5),
                               convolution(6, 17, 64, 65, 1),       convolution(13, 9, 256, 32, 1, 2),
                               convolution(12, 40, 8, 24, 3, 1, 2), convolution(10, 32, 32, 64, 3, 1, 1, 2),
                               convolution(3, 12, 512, 33),         convolution(5, 64, 20, 4)};
  for (const conv_shape& s : shapes)
    for (const quantisation_case& how : quantisation_cases) {
      CAPTURE(s.width);
      CAPTURE(s.in);
      CAPTURE(how.a_zero);
      const std::vector<std::byte> x = random_bytes(s.batch * s.height * s.width * s.in, 3),
                                   filters = random_bytes(s.out * s.depth(), 4);
      lines packed(int8_conv_packed_bytes(int8_conv_plan::of(s)));
      int8_conv_pack(
          s, how.factors(), how.range(), filters.data(), [&](std::int64_t j) { return channel_of(j, s.depth()); },
          packed.data());
      const std::vector<std::byte> whole = convolved(s, how, x, packed.data(), 1);
      for (const int parts : {2, 5}) CHECK(convolved(s, how, x, packed.data(), parts) == whole);
      const without_registers tiles;
      CHECK(convolved(s, how, x, packed.data(), 1) == whole);
    }
}

}  // namespace
