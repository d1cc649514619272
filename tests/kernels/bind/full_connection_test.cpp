// full_connection_test: dense layers of floats against the reference - few rows, many, and rows with 4K aliasing in the
// cache.
#include <nnrt/kernels/bind/full_connection.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

void check(std::int64_t m, std::int64_t k, std::int64_t n, activation fused = activation::none) {
  CAPTURE(m);
  CAPTURE(k);
  CAPTURE(n);
  ops::full_connection::attrs attrs;
  attrs.fused = fused;
  check_kernel<ops::full_connection>(attrs, {floats({m, k}, 3), constant(floats({n, k}, 4)), constant(floats({n}, 5))},
                                     {1e-5 * static_cast<double>(k), 2e-5});
}

}  // namespace

TEST_CASE("full_connection: rows, columns and depths around whole tiles and vectors") {
  for (const std::int64_t m :
       {std::int64_t{1}, std::int64_t{2}, std::int64_t{kernels::mr}, std::int64_t{2 * kernels::mr + 3}})
    for (const std::int64_t k : {1, 7, 64})
      for (const std::int64_t n : {1, 8, 33, 70}) check(m, k, n, n % 2 == 0 ? activation::relu6 : activation::none);
}

TEST_CASE("full_connection: rows with and without 4K aliasing") {
  for (const std::int64_t m : {12, 13, 14, 61})
    for (const std::int64_t n : {16, 33, 64}) check(m, 1024, n);
  check(14, 2048, 70, activation::relu);
}
