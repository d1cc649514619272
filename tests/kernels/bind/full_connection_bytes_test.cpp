#include <nnrt/kernels/bind/full_connection.hpp>
#include <support/bytes.hpp>

using namespace nnrt_test;

namespace {

using attributes = ops::full_connection::attrs;

attributes fused_with(activation fused) {
  attributes a;
  a.fused = fused;
  return a;
}

}  // namespace

TEST_CASE("full_connection of bytes: rows, columns and depths around whole tiles and dot products") {
  for (const std::int64_t m : {1, 2, 5, kernels::mr, kernels::mr + 1, 4 * kernels::mr + 3})
    for (const std::int64_t k : {1, 3, 4, 17, 64})
      for (const std::int64_t n : {1, 4, 7, 16, 33, 70}) {
        CAPTURE(m);
        CAPTURE(k);
        CAPTURE(n);
        check_kernel<ops::full_connection>(fused_with(activation::none),
                                           {stored_bytes(i8, {m, k}, quant{0.02F, 11}, 3),
                                            quantised_filters(i8, {n, k}, 0.01F, 4), quantised_bias(n, 5)},
                                           {}, into_bytes(0.02F, -7));
      }
}

TEST_CASE("full_connection of bytes: rows with 4K aliasing, and copies of whole steps that would have it") {
  for (const std::int64_t m : {kernels::mr, 4 * kernels::mr + 3})
    for (const std::int64_t k : {4096, 4094}) {
      CAPTURE(m);
      CAPTURE(k);
      CHECK(kernels::copied_row_bytes(kernels::int8_packing::of(m, k, 35)) % 4096 != 0);
      check_kernel<ops::full_connection>(fused_with(activation::relu),
                                         {stored_bytes(i8, {m, k}, quant{0.02F, 11}, 3),
                                          quantised_filters(i8, {35, k}, 0.01F, 4), quantised_bias(35, 5)},
                                         {}, into_bytes(0.9F, -7));
    }
}

TEST_CASE("full_connection of bytes: one scale for the weight, whose zero point may be anything; fused activations") {
  for (const dtype type : {i8, u8})
    for (const int at : {0, 100, 255})
      for (const activation fused : {activation::none, activation::relu, activation::relu6}) {
        const int first = type == u8 ? 0 : -128;
        CAPTURE(at);
        check_kernel<ops::full_connection>(
            fused_with(fused),
            {stored_bytes(type, {3, 4, 10}, quant{0.02F, first + 255 - at}, 3),
             constant(stored_bytes(type, {21, 10}, quant{0.01F, first + at}, 4)), quantised_bias(21, 5)},
            {}, into_bytes(0.02F, first + at / 2));
        check_kernel<ops::full_connection>(fused_with(fused),
                                           {stored_bytes(type, {2, 64}, quant{0.02F, first + 255 - at}, 3),
                                            constant(stored_bytes(type, {21, 64}, quant{0.01F, first + at}, 4))},
                                           {}, into_bytes(0.02F, first + at / 2));
      }
}
