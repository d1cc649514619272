// dft_test: the kernel of dft against the reference, for lengths of all kinds of factors.
#include <nnrt/kernels/bind/dft.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

TEST_CASE("dft: the kernel is the reference, rounded once, for any length, in both directions") {
  for (const std::int64_t length : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 20, 30, 32, 49, 64, 97, 100, 128, 210})
    for (const bool inverse : {false, true})
      for (const bool onesided : {false, true})
        for (const std::int64_t parts : {1, 2}) {
          if (onesided && (parts == 1) == inverse) continue;
          CAPTURE(length);
          CAPTURE(inverse);
          CAPTURE(onesided);
          CAPTURE(parts);
          ops::dft::attrs a;
          a.inverse = inverse, a.onesided = onesided, a.length = length;
          const std::int64_t extent = inverse && onesided ? length / 2 + 1 : length;
          check_kernel<ops::dft>(a, {floats({3, extent, parts})}, {1e-5, 1e-6});
          check_kernel<ops::dft>(a, {floats({2, extent + 3, parts})}, {1e-5, 1e-6});
          a.axis = 0;
          check_kernel<ops::dft>(a, {floats({(extent + 1) / 2, 5, parts})}, {1e-5, 1e-6});
        }
}

TEST_CASE("dft: special values are the reference's") {
  for (const std::int64_t length : {4, 5, 9})
    for (const bool inverse : {false, true}) {
      ops::dft::attrs a;
      a.inverse = inverse, a.axis = 0;
      check_kernel<ops::dft>(a, {floats({length, 7, 2}, with_special_values(random_floats(length * 14, 3)))},
                             {1e-5, 1e-6});
    }
}
