// interpolated: entries of the tables for 16-bit numbers, and what stands between two of them.
#include <nnrt/ops/detail/interpolated.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt;
using namespace nnrt::ops::detail;

TEST_CASE("interpolated: sigmoid's entries are the 16-bit numbers of TFLite's table") {
  struct row {
    int i;
    std::int32_t entry;
  };
  // Round numbers of 65536 * sigmoid(i / 24) would be 35492 at 4, 38179 at 8, 49974 at 28 and 62302 at 71.
  static constexpr row table[] = {{0, 32768},  {1, 33451},  {4, 35493},   {8, 38180},   {28, 49975}, {65, 61441},
                                  {71, 62302}, {93, 64204}, {163, 65462}, {254, 65534}, {255, 65535}};
  for (const row& r : table) {
    CAPTURE(r.i);
    CHECK(sigmoid_entry(r.i) == r.entry);
  }
  static_assert(sigmoid_entry(28) == 49975);
}

TEST_CASE("interpolated: between entries lies a straight line, after the last one its limit") {
  CHECK(sigmoid_of(0) == 16384);
  CHECK(sigmoid_of(512) == 16726);   // 33451 / 2, half rounded up
  CHECK(sigmoid_of(256) == 16555);   // (32768 + 33451) / 4 = 16554.75
  CHECK(sigmoid_of(-256) == 16213);  // 32768 - 16554.75, as 16213.25
  CHECK(sigmoid_of(255 * 512) == 32767);
  CHECK(sigmoid_of(-255 * 512) == 1);  // as TFLite has it: not 0
  CHECK(tanh_of(0) == 0);
  CHECK(tanh_of(256) == 683);  // 33451 - 32768
  CHECK(tanh_of(-256) == -683);
  CHECK(tanh_of(1 << 20) == 32767);
  CHECK(tanh_of(-(1 << 20)) == -32767);
}

TEST_CASE("interpolated: scales next to the powers of two that TFLite knows are taken as these") {
  CHECK(sigmoid_argument(1 / 4096.0F, false).multiplier == 3);
  CHECK(sigmoid_argument(1.0006F / 4096, false).multiplier == 3);
  CHECK(sigmoid_argument(1 / 2048.0F, true).multiplier == 6);
  CHECK(sigmoid_argument(1 / 2048.0F, false).multiplier == 24576);  // 6 * 2^12
  CHECK(sigmoid_argument(1 / 2048.0F, false).shift == 12);
  CHECK(sigmoid_argument(1.001F / 4096, false).shift == 13);
  CHECK(sigmoid_argument(std::numeric_limits<float>::max(), true)(-32768) == -32768 * (std::int64_t{1} << 31));
  CHECK(sigmoid_argument(std::numeric_limits<float>::min(), true)(32767) == 0);
}

TEST_CASE("interpolated: a function in 512 steps is as close as 16 bits can be") {
  constexpr table_of_steps table{[](double x) { return math::exp(x); }, -10.0, 0.0};
  CHECK(table(-32768) == 2);
  CHECK(table(32767) == 32762);  // 32133 + (634 * 127 + 64) / 128
  for (int x = -32768; x < 32768; x += 997) {
    const double exact = 32768 * math::exp((x - 32767) * 10.0 / 65535);
    CHECK(math::abs(table(x) - exact) < 6);
  }
}

}  // namespace
