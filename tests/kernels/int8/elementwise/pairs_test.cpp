#include <nnrt/kernels/bind/binary.hpp>
#include <support/bytes.hpp>

using namespace nnrt_test;

namespace {

/// All 256 quantised values.
given_operand all_bytes(dtype type, shape_t shape, quant q) {
  std::vector<std::uint8_t> bytes(256);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  return bytes_of({type, nd, shape, q}, bytes.data());
}

}  // namespace

TEST_CASE_TEMPLATE("byte_pairs: all pairs of bytes, for scales far apart and zero points at the ends", Op, ops::add,
                   ops::sub, ops::mul) {
  for (const dtype type : {i8, u8})
    for (const float scale_b : {0.05F, 0.1F, 0.0123F, 40.0F, 1e-6F})
      for (const float scale_y : {0.05F, 0.1F, 0.77F, 1e-4F, 300.0F})
        for (const std::int32_t at : {0, 100, 255})
          for (const activation fused : {activation::none, activation::relu6}) {
            CAPTURE(scale_b);
            CAPTURE(scale_y);
            CAPTURE(at);
            const std::int32_t first = type == u8 ? 0 : -128;
            typename Op::attrs attrs;
            attrs.fused = fused;
            node_under_test<Op> node(attrs,
                                     {all_bytes(type, {256, 1}, quant{0.05F, first + at}),
                                      all_bytes(type, {1, 256}, quant{scale_b, first + 255 - at})},
                                     into_bytes(scale_y, first + at / 2));
            const kernel_choice choice = node.choose();
            REQUIRE(bool(choice));
            CHECK(node.kernel(choice, 1) == node.reference());
          }
}

TEST_CASE_TEMPLATE("byte_pairs: rows that are repeated, of whole registers and others, in any number of parts", Op,
                   ops::add, ops::sub, ops::mul) {
  for (const std::int64_t channels : {64, 128, 192, 256, 320, 96, 40})
    for (const dtype type : {i8, u8}) {
      CAPTURE(channels);
      const quant of_a{0.05F, type == u8 ? 131 : 3}, of_b{0.031F, type == u8 ? 117 : -11};
      std::vector<std::uint8_t> a(static_cast<std::size_t>(7 * 3 * channels)), b(static_cast<std::size_t>(channels));
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<std::uint8_t>(i * 29 + 5);
      const given_operand rows = bytes_of({type, nd, {7, 3, channels}, of_a}, a.data()),
                          repeated = bytes_of({type, nd, {channels}, of_b}, b.data());
      check_kernel<Op>({}, {rows, repeated}, {}, into_bytes(0.07F, type == u8 ? 120 : -5));
      check_kernel<Op>({}, {repeated, rows}, {}, into_bytes(0.07F, type == u8 ? 120 : -5));
    }
}
