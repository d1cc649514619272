// stored_rows: operators on stored numbers, with the bytes that TensorFlow Lite 2.14.1 gave: its reference kernels, for SUM of i8 those that it
// runs by default. (The tanh of stored numbers is that of the real ones: TensorFlow Lite leaves it out. ELU and QUANTIZE of 32 bits: by their
// formulas, round(expm1(x) * (1 / scale)) in float, and round(x * (scale of x / scale of y)).)
#include "rows.hpp"

namespace tflite_test {

namespace {

/// Bytes before they are moved, and behind an operator that declares another scale and zero point for them.
data before(std::vector<std::int32_t> shape, std::vector<double> numbers) { return q(shape, numbers, 0.5F, 3); }
data behind(std::vector<std::int32_t> shape, std::vector<double> numbers) { return q(shape, numbers, 0.3F, -7); }
data u_before(std::vector<std::int32_t> shape, std::vector<double> numbers) { return u(shape, numbers, 0.5F, 255); }
data u_behind(std::vector<std::int32_t> shape, std::vector<double> numbers) { return u(shape, numbers, 0.5F, 0); }

std::vector<row> rows_of_sums_and_functions() {
  return {
      {"bytes, along the last axis", 74, "SUM",
       {q({2, 3}, {-128, 10, 127, 7, 100, -100}, 0.5F, 10), integers({-1})}, {27, {flag(0)}}, {q({2, 1}, {-15, -16}, 1.25F, -7)}},
      {"bytes of one scale, which saturate", 74, "SUM",
       {q({2, 3}, {1, 2, 3, 100, 100, 27}, 0.5F, 9), integers({1})}, {27, {}}, {q({2}, {-12, 127}, 0.5F, 9)}},
      {"unsigned bytes", 74, "SUM",
       {u({2, 3}, {0, 10, 255, 7, 100, 200}, 0.5F, 10), integers({1})}, {27, {}}, {u({2}, {101, 118}, 1.25F, 7)}},
      {"bytes; no steps from the zero point stay none", 11, "L2_NORMALIZATION",
       {q({2, 4}, {-128, 5, 13, 90, 7, 3, 3, 3}, 0.1F, 3)}, {12, {}}, {q({2, 4}, {-106, 2, 8, 71, 127, 0, 0, 0}, 1 / 128.0F, 0)}},
      {"unsigned bytes", 11, "L2_NORMALIZATION",
       {u({2, 4}, {0, 133, 141, 218, 135, 131, 131, 131}, 0.1F, 131)}, {12, {}},
       {u({2, 4}, {22, 130, 136, 199, 255, 128, 128, 128}, 1 / 128.0F, 128)}},
      {"bytes", 50, "LOG_SOFTMAX",
       {q({2, 4}, {-128, 5, 127, 90, 3, 3, 3, 3}, 0.1F, 3)}, {36, {}}, {q({2, 4}, {-128, -69, 127, 67, 105, 105, 105, 105}, 1 / 16.0F, 127)}},
      {"unsigned bytes", 50, "LOG_SOFTMAX",
       {u({2, 4}, {0, 133, 255, 218, 131, 131, 131, 131}, 0.1F, 131)}, {36, {}}, {u({2, 4}, {0, 59, 255, 195, 233, 233, 233, 233}, 1 / 16.0F, 255)}},
      {"bytes", 47, "EXP", {q({6}, {-128, -50, 0, 3, 40, 127}, 0.03F, 3)}, {33, {}}, {q({6}, {-100, -98, -91, -90, -70, 127}, 0.1F, -100)}},
      {"bytes", 111, "ELU", {q({8}, {-128, -50, -3, 2, 3, 4, 40, 127}, 0.05F, 3)}, {}, {q({8}, {-125, -123, -106, -101, -100, -99, -54, 55}, 0.04F, -100)}},
      {"bytes, which saturate", 111, "ELU", {q({6}, {-128, -50, -11, -10, -9, 127}, 0.05F, -10)}, {}, {q({6}, {-128, -114, -33, -28, -23, 127}, 0.01F, -28)}},
      {"16 bits to 32", 114, "QUANTIZE",
       {q16({5}, {-32768, -1, 0, 7, 32767}, 0.01F)}, {89, {}}, {q32({5}, {-3276800, -100, 0, 700, 3276700}, 0.0001F)}},
      {"32 bits to 16", 114, "QUANTIZE",
       {q32({7}, {-400000000, -149, -51, 0, 49, 51, 3276800}, 0.0001F)}, {89, {}}, {q16({7}, {-32768, -1, -1, 0, 0, 1, 32767}, 0.01F)}},
      {"32 bits to 8", 114, "QUANTIZE",
       {q32({7}, {-400000000, -149, -51, 0, 49, 51, 3276800}, 0.0001F)}, {89, {}}, {q({7}, {-128, -4, -4, -3, -3, -2, 127}, 0.01F, -3)}},
      {"fused tanh of bytes", 0, "ADD",
       {q({4}, {-100, 0, 20, 120}, 0.05F, 0), q({4}, {10, 5, 3, 100}, 0.04F, 2)}, {11, {byte(0, 4)}}, {q({4}, {-128, 15, 100, 127}, 1 / 128.0F, 0)}},
      {"fused tanh of unsigned bytes", 41, "SUB",
       {u({4}, {0, 100, 120, 255}, 0.05F, 100), u({4}, {10, 105, 103, 100}, 0.04F, 102)}, {28, {byte(0, 4)}},
       {u({4}, {17, 113, 223, 255}, 1 / 128.0F, 128)}},
      {"fused clamp of bytes to -1 ... 1", 0, "ADD",
       {q({4}, {-100, 0, 20, 120}, 0.05F, 0), q({4}, {10, 5, 3, 100}, 0.04F, 2)}, {11, {byte(0, 2)}}, {q({4}, {-45, 11, 55, 55}, 0.02F, 5)}},
  };
}

std::vector<row> rows_of_moves() {
  return {
      {"of another zero point", 22, "RESHAPE", {before({4}, {-128, -91, 3, 127}), integers({2, 2})}, {}, {behind({2, 2}, {-128, -91, 3, 127})}},
      {"of the farthest zero point", 22, "RESHAPE", {u_before({3}, {0, 37, 255}), integers({1, 3})}, {}, {u_behind({1, 3}, {0, 37, 255})}},
      {"of another zero point", 39, "TRANSPOSE", {before({2, 2}, {-128, -91, -54, 127}), integers({1, 0})}, {26, {}}, {behind({2, 2}, {-128, -54, -91, 127})}},
      {"of another zero point", 43, "SQUEEZE", {before({1, 2}, {-128, 127})}, {30, {}}, {behind({2}, {-128, 127})}},
      {"of another zero point", 65, "SLICE", {before({3}, {-128, -91, 127}), integers({1}), integers({2})}, {48, {}}, {behind({2}, {-91, 127})}},
      {"of another zero point", 45, "STRIDED_SLICE",
       {before({3}, {-128, -91, 127}), integers({0}), integers({3}), integers({2})}, strided(0, 0, 0, 0, 0), {behind({2}, {-128, 127})}},
      {"of another zero point", 49, "SPLIT",
       {integer(0), before({2}, {-128, 127})}, {35, {number(0, 2)}}, {behind({1}, {-128}), behind({1}, {127})}},
      {"of another zero point, which surrounds them", 34, "PAD",
       {before({2}, {-128, 127}), in_file(i({1, 2}, {1, 1}))}, {22, {}}, {behind({4}, {-7, -128, 127, -7})}},
      {"of another zero point", 60, "PADV2",
       {before({2}, {-128, 127}), in_file(i({1, 2}, {1, 0})), in_file(behind({1}, {100}))}, {43, {}}, {behind({3}, {100, -128, 127})}},
      {"of another zero point", 69, "TILE", {before({2}, {-128, 127}), integers({2})}, {51, {}}, {behind({4}, {-128, 127, -128, 127})}},
      {"of another zero point", 36, "GATHER", {before({3}, {-128, -91, 127}), integers({2, 0})}, {23, {}}, {behind({2}, {127, -128})}},
      {"of another zero point", 107, "GATHER_ND",
       {before({3}, {-128, -91, 127}), in_file(i({2, 1}, {2, 0}))}, {83, {}}, {behind({2}, {127, -128})}},
      {"of another zero point", 48, "TOPK_V2", {before({3}, {-128, 127, -91}), integer(2)}, {34, {}}, {behind({2}, {127, -91}), i({2}, {1, 2})}},
      {"of another zero point", 105, "REVERSE_V2", {before({2}, {-128, 127}), integers({0})}, {81, {}}, {behind({2}, {127, -128})}},
      {"of another zero point", 5, "DEPTH_TO_SPACE",
       {before({1, 1, 1, 4}, {-128, -91, -54, 127})}, {94, {number(0, 2)}}, {behind({1, 2, 2, 1}, {-128, -91, -54, 127})}},
      {"of another zero point", 97, "RESIZE_NEAREST_NEIGHBOR",
       {before({1, 1, 2, 1}, {-128, 127}), integers({1, 4})}, {74, {}}, {behind({1, 1, 4, 1}, {-128, -128, 127, 127})}},
      {"of another zero point", 23, "RESIZE_BILINEAR",
       {before({1, 1, 2, 1}, {-128, -91}), integers({1, 4})}, {15, {}}, {behind({1, 1, 4, 1}, {-128, -110, -91, -91})}},
      {"of another zero point", 17, "MAX_POOL_2D",
       {before({1, 2, 4, 1}, {-128, -91, -54, -17, 20, 57, 94, -125})}, pool(valid, 2, 2, 2, 2), {behind({1, 1, 2, 1}, {57, 94})}},
      {"of another zero point", 1, "AVERAGE_POOL_2D",
       {before({1, 2, 4, 1}, {-128, -91, -54, -17, 20, 57, 94, -125})}, pool(valid, 2, 2, 2, 2), {behind({1, 1, 2, 1}, {-36, -26})}},
      {"of several zero points", 55, "MAXIMUM", {before({2}, {-128, 127}), q({2}, {5, 5}, 2, 100)}, {39, {}}, {behind({2}, {5, 127})}},
      {"of another zero point", 57, "MINIMUM", {before({2}, {-128, 127}), before({1}, {5})}, {39, {}}, {behind({2}, {-128, 5})}},
      {"of several zero points", 64, "SELECT", {b({2}, {1, 0}), before({2}, {-128, 127}), behind({2}, {5, 6})}, {47, {}}, {behind({2}, {-128, 6})}},
      {"of another zero point", 123, "SELECT_V2", {b({2}, {1, 0}), before({2}, {-128, 127}), before({1}, {5})}, {98, {}}, {behind({2}, {-128, 5})}},
      {"of another zero point", 7, "EMBEDDING_LOOKUP",
       {i({1}, {1}), in_file(before({2, 2}, {-128, -91, -54, 127}))}, {}, {behind({1, 2}, {-54, 127})}},
      {"of another zero point", 85, "ONE_HOT",
       {i({2}, {0, 1}), integer(2), before({}, {7}), before({}, {1})}, {61, {number(0, -1)}}, {behind({2, 2}, {7, 1, 1, 7})}},
  };
}

}  // namespace

std::vector<row> rows_of_stored_operators() {
  std::vector<row> rows = rows_of_sums_and_functions();
  for (const row& r : rows_of_moves()) rows.push_back(r);
  return rows;
}

}  // namespace tflite_test
