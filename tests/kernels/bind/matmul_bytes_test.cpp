#include <nnrt/kernels/bind/matmul.hpp>
#include <support/bytes.hpp>

using namespace nnrt_test;

namespace {

using attributes = ops::matmul::attrs;

void check(attributes attrs, dtype type, shape_t a, shape_t b) {
  const int first = type == u8 ? 0 : -128;
  check_kernel<ops::matmul>(
      attrs, {stored_bytes(type, a, quant{0.02F, first + 90}, 3), stored_bytes(type, b, quant{0.01F, first + 140}, 4)},
      {}, into_bytes(0.02F, first + 120));
}

}  // namespace

TEST_CASE("matmul of bytes: transposed factors, batches that repeat, depths that are no whole dot products") {
  for (const dtype type : {i8, u8})
    for (const bool transpose_a : {false, true})
      for (const bool transpose_b : {false, true})
        for (const std::int64_t k : {1, 6, 8, 35})
          for (const std::int64_t m : {1, 15, 70}) {
            CAPTURE(k);
            CAPTURE(m);
            attributes attrs;
            attrs.transpose_a = transpose_a, attrs.transpose_b = transpose_b;
            const std::int64_t n = 37;
            const shape_t a = transpose_a ? shape_t{2, 1, k, m} : shape_t{2, 1, m, k},
                          b = transpose_b ? shape_t{3, n, k} : shape_t{3, k, n};
            check(attrs, type, a, b);
          }
}

TEST_CASE("matmul of bytes: rows with 4K aliasing") {
  for (const bool transpose_a : {false, true}) {
    attributes attrs;
    attrs.transpose_a = transpose_a;
    check(attrs, u8, transpose_a ? shape_t{2, 4096, 15} : shape_t{2, 15, 4096}, {4096, 33});
  }
}

TEST_CASE("matmul of bytes: one row, fused activations") {
  for (const activation fused : {activation::relu, activation::relu6}) {
    attributes attrs;
    attrs.fused = fused;
    check(attrs, i8, {1, 64}, {64, 5});
    check(attrs, u8, {1, 64}, {64, 50});
  }
}

TEST_CASE("matmul of bytes: a scale for each column") {
  for (const bool transpose_b : {false, true})
    for (const std::int64_t k : {1, 6, 35})
      for (const std::int64_t n : {1, 5, 67}) {
        CAPTURE(k);
        CAPTURE(n);
        attributes attrs;
        attrs.transpose_b = transpose_b;
        given_operand b = quantised_filters(i8, {n, k}, 0.01F, 4);
        if (!transpose_b) b.desc.shape = {k, n}, b.desc.quantised = per_channel<1>;
        check_kernel<ops::matmul>(attrs, {stored_bytes(i8, {2, 7, k}, quant{0.02F, 9}, 3), b}, {},
                                  into_bytes(0.02F, -8));
      }
}

TEST_CASE("matmul of bytes: a second factor that is no constant is packed in parts, and shared out by columns") {
  for (const bool transpose_b : {false, true})
    for (const std::int64_t m : {1, 30})
      for (const std::int64_t n : {150, 1024})
        for (const bool is_constant : {false, true}) {
          CAPTURE(m);
          CAPTURE(n);
          CAPTURE(is_constant);
          const std::int64_t k = n == 150 ? 4096 : 260;  // rows of 4096 have 4K aliasing
          attributes attrs;
          attrs.transpose_b = transpose_b;
          given_operand b = stored_bytes(u8, transpose_b ? shape_t{n, k} : shape_t{k, n}, quant{0.01F, 140}, 4);
          if (is_constant) b = constant(b);
          const std::vector<given_operand> in{stored_bytes(u8, {m, k}, quant{0.02F, 90}, 3), b};
          CHECK(node_under_test<ops::matmul>(attrs, in, into_bytes(0.02F, 120)).choose().pack_parts > 1);
          check_kernel<ops::matmul>(attrs, in, {}, into_bytes(0.02F, 120));
        }
}
