// matmul_test: products of matrices of floats against the reference - batches, transposed factors, rows with 4K
// aliasing in the cache.
#include <nnrt/kernels/bind/matmul.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

void check(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t k, std::int64_t n) {
  CAPTURE(transpose_a);
  CAPTURE(transpose_b);
  CAPTURE(m);
  CAPTURE(k);
  CAPTURE(n);
  ops::matmul::attrs attrs;
  attrs.transpose_a = transpose_a, attrs.transpose_b = transpose_b;
  const shape_t a = transpose_a ? shape_t{2, 1, k, m} : shape_t{2, 1, m, k},
                b = transpose_b ? shape_t{3, n, k} : shape_t{3, k, n};
  check_kernel<ops::matmul>(attrs, {floats(a, 3), floats(b, 4)}, {1e-5 * static_cast<double>(k), 2e-5});
}

}  // namespace

TEST_CASE("matmul: transposed factors, batches that repeat, extents around whole tiles and vectors") {
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true})
      for (const std::int64_t m : {std::int64_t{1}, std::int64_t{15}, std::int64_t{2 * kernels::mr + 3}})
        for (const std::int64_t k : {1, 7, 40})
          for (const std::int64_t n : {1, 8, 37}) check(transpose_a, transpose_b, m, k, n);
}

TEST_CASE("matmul: rows with 4K aliasing, and those of a transposed factor that would have it") {
  for (const bool transpose_a : {false, true})
    for (const std::int64_t m : {12, 13, 30})
      for (const std::int64_t n : {16, 33}) check(transpose_a, false, m, 1024, n);
}

TEST_CASE("matmul: a second factor that is no constant is packed in parts, and shared out by columns") {
  for (const bool transpose_b : {false, true})
    for (const std::int64_t k : {64, 1024})  // rows of 1024 have 4K aliasing
      for (const std::int64_t n : {160, 200})
        for (const bool is_constant : {false, true}) {
          CAPTURE(is_constant);
          ops::matmul::attrs attrs;
          attrs.transpose_b = transpose_b;
          given_operand b = floats(transpose_b ? shape_t{n, k} : shape_t{k, n}, 4);
          if (is_constant) b = constant(b);
          const std::vector<given_operand> in{floats({30, k}, 3), b};
          CHECK(node_under_test<ops::matmul>(attrs, in).choose().pack_parts > 1);
          check_kernel<ops::matmul>(attrs, in, {1e-5 * static_cast<double>(k), 2e-5});
        }
}
