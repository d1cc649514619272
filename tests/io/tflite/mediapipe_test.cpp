// mediapipe_test: MediaPipe's custom operators in files, against what their definitions say, and those that are
// refused.
#include <doctest/doctest.h>

#include "../../support/tflite_file.hpp"
#include "run_file.hpp"

using namespace tflite_test;

namespace {

/// int32 members of a structure, as they lie in memory, and what follows them.
std::vector<std::uint8_t> structure(std::vector<std::int32_t> numbers, std::size_t more = 0) {
  std::vector<std::uint8_t> bytes;
  for (const std::int32_t number : numbers)
    for (unsigned int shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(number) >> shift));
  bytes.resize(bytes.size() + more, 0xAB);
  return bytes;
}
constexpr std::int32_t same = 1, valid = 2;  // TfLitePadding

/// i * factor % modulus - modulus / 2.
std::vector<double> pattern(int count, int factor, int modulus) {
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(i * factor % modulus - modulus / 2);
  return numbers;
}
int count_of(const std::vector<std::int32_t>& shape) {
  int count = 1;
  for (const std::int32_t extent : shape) count *= extent;
  return count;
}

/// One custom operator; inputs without elements are the network's.
file file_of(const std::string& code, std::vector<std::uint8_t> options, std::vector<tensor> inputs,
             std::vector<tensor> outputs) {
  file f;
  call c{32, {}, {}, {}, code};
  c.custom_options = std::move(options);
  for (tensor& t : inputs) {
    const bool is_input = t.data.empty();
    c.inputs.push_back(f.add(std::move(t)));
    if (is_input) f.inputs.push_back(c.inputs.back());
  }
  for (tensor& t : outputs) c.outputs.push_back(f.add(std::move(t)));
  f.outputs = c.outputs;
  f.calls.push_back(c);
  return f;
}

struct image {
  std::int32_t h, w;
};
/// Two channels to one, in a batch of one: filters i * 5 % 7 - 3, bias 1.
file transposed(image from, image kernel, image to, std::vector<std::uint8_t> options, int weight_type = float32) {
  const std::vector<std::int32_t> filters{1, kernel.h, kernel.w, 2};
  const std::vector<double> numbers = pattern(count_of(filters), 5, 7);
  tensor weight{weight_type, filters, "filters",
                weight_type == float16 ? std::vector<std::byte>{} : bytes_of<float>(numbers)};
  if (weight_type == float16)
    for (const double number : numbers) {  // -3 … 3, whose bits are these
      constexpr std::uint16_t halves[] = {0xC200, 0xC000, 0xBC00, 0, 0x3C00, 0x4000, 0x4200};
      const std::uint16_t half = halves[static_cast<int>(number) + 3];
      for (const int byte : {half & 255, half >> 8}) weight.data.push_back(static_cast<std::byte>(byte));
    }
  return file_of("Convolution2DTransposeBias", std::move(options),
                 {{float32, {1, from.h, from.w, 2}, "x"}, weight, {float32, {1}, "bias", bytes_of<float>({1})}},
                 {{float32, {1, to.h, to.w, 1}, "y"}});
}

}  // namespace

// Python: y = bias, then for each input pixel (h, w), channel i and tap (a, b): y[h * stride_h - pad_h // 2 + a, w *
// stride_w - pad_w // 2 + b] += x[h, w, i] * f[a, b, i] where that is a pixel; with SAME pad = max(0, kernel - (extent
// - 1) % stride - 1), and the result has stride * (extent - 1) + kernel - pad rows; x is i * 7 % 11 - 5.
TEST_CASE("tflite: Convolution2DTransposeBias makes the extents and sums of its definition") {
  struct row {
    const char* what;
    image from, kernel, stride, to;
    std::int32_t padding;
    std::vector<double> y;
  };
  const row rows[] = {
      {"SAME, and a stride that divides the width alone",
       {3, 4},
       {3, 3},
       {2, 2},
       {5, 8},
       same,
       {0,  -9, 4,   -3, 28, 3,  -14, 9, 12, 14, -26, 27,  -23, -4, 2,  -13, -4,  -7, 34, -1,
        -8, 5,  -17, 11, 11, 11, -14, 2, 0,  -7, 36,  -16, -8,  -5, 31, 1,   -11, 7,  -9, -9}},
      {"VALID", {2, 3}, {3, 2}, {2, 3}, {5, 8}, valid, {20, -3, 1,   17, -9, 1,  -8, 7,  -12, 0, 1,  0,  -12, 1,
                                                        1,  9,  -21, 17, 1,  15, 14, 1,  -4,  0, 13, -3, 1,   -8,
                                                        -4, 1,  -7,  17, 9,  -7, 1,  -7, 18,  1, -1, -12}},
      {"SAME, and a window as long as the stride", {3, 2}, {2, 2}, {2, 2}, {5, 4}, same, {20,  -3, 17, -9,  -12, 0, 0,
                                                                                          -12, -8, 7,  -11, 1,   1, 9,
                                                                                          13,  -3, 19, -5,  -6,  11}},
      {"SAME, and a window shorter than the stride", {2, 3}, {1, 2}, {3, 2}, {4, 5}, same, {20, -3,  17, -9, -8, 1, 1,
                                                                                            1,  1,   1,  1,  1,  1, 1,
                                                                                            1,  -11, 1,  19, -5, -6}},
  };
  for (const row& r : rows) {
    CAPTURE(r.what);
    const std::vector<double> x = pattern(r.from.h * r.from.w * 2, 7, 11);
    for (const int type : {float32, float16}) {
      const auto options = structure({r.padding, r.stride.w, r.stride.h}, type == float16 ? 8 : 0);
      const outcome got = run_file(transposed(r.from, r.kernel, r.to, options, type).bytes(), {x});
      REQUIRE(got.error == "");
      CHECK(got.nodes == std::vector<std::string>{"conv2d_transpose"});
      CHECK(got.outputs[0].numbers == r.y);
    }
  }
}

TEST_CASE("tflite: Convolution2DTransposeBias of an unknown height is read where the stride tells the result's") {
  const auto with_unknown_height = [](image stride, std::int32_t padding) {
    file f = transposed({4, 4}, {3, 3}, {4 * stride.h, 4 * stride.w}, structure({padding, stride.w, stride.h}));
    f.tensors[0].signature = {1, -1, 4, 2}, f.tensors[3].signature = {1, -1, 4 * stride.w, 1};
    return f.bytes();
  };
  const outcome read = load_file(with_unknown_height({1, 2}, same), true);
  REQUIRE(read.error == "");
  CHECK(read.outputs[0].shape == std::vector<std::int64_t>{1, -1, 8, 1});
  CHECK(load_file(with_unknown_height({2, 2}, same), true).error ==
        "subgraph 0: operator 0 CUSTOM \"Convolution2DTransposeBias\": input 0: got [1, -1, 4, 2], expected a height "
        "and width that are known "
        "with SAME and strides");
}

TEST_CASE("tflite: MaxPoolingWithArgmax2D gives places in windows as floats, 0.1 above each") {
  // Two images [3, 3] with one channel; windows 2x2, stride 2, and SAME, which adds a row and a column at the end.
  const std::vector<double> x{1, 2, 7, 3, 4, 5, 9, 8, -1, 5, 5, 1, 5, 5, 6, 0, 0, -2};
  const auto file_with = [&](std::vector<std::int32_t> options, image to) {
    return file_of("MaxPoolingWithArgmax2D", structure(std::move(options), 16), {{float32, {2, 3, 3, 1}, "x"}},
                   {{float32, {2, to.h, to.w, 1}, "y"}, {float32, {2, to.h, to.w, 1}, "indices"}})
        .bytes();
  };
  const outcome got = run_file(file_with({same, 2, 2, 2, 2, 0}, {2, 2}), {x});
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].numbers == std::vector<double>{4, 7, 9, -1, 5, 6, 0, -2});
  const auto place = [](int k) { return double{static_cast<float>(k) + 0.1F}; };
  CHECK(got.outputs[1].numbers ==
        std::vector<double>{place(3), place(0), place(0), place(0), place(0), place(2), place(0), place(0)});
  // Windows of one row and three columns, side by side in steps of one; relu of maxima, whose places stay.
  const outcome wide = run_file(file_with({valid, 1, 1, 3, 1, 1}, {3, 1}), {x});
  REQUIRE(wide.error == "");
  CHECK(wide.outputs[0].numbers == std::vector<double>{7, 5, 9, 5, 6, 0});
  CHECK(wide.outputs[1].numbers == std::vector<double>{place(2), place(2), place(0), place(0), place(2), place(0)});
  const outcome bounded = run_file(file_with({same, 3, 3, 3, 3, 2}, {1, 1}), {x});
  REQUIRE(bounded.error == "");
  CHECK(bounded.outputs[0].numbers == std::vector<double>{1, 1});
  CHECK(bounded.outputs[1].numbers == std::vector<double>{place(6), place(5)});
}

TEST_CASE(
    "tflite: MaxUnpooling2D puts numbers to the places in their windows, and leaves out those outside of the image") {
  const auto file_with = [](std::vector<std::int32_t> options, image to) {
    return file_of("MaxUnpooling2D", structure(std::move(options)),
                   {{float32, {1, 2, 3, 1}, "x"}, {float32, {1, 2, 3, 1}, "indices"}},
                   {{float32, {1, to.h, to.w, 1}, "y"}})
        .bytes();
  };
  const std::vector<double> x{1, 2, 3, 4, 5, 6};
  const outcome got = run_file(file_with({same, 2, 2, 2, 2, 0}, {4, 6}), {x, {0.1, 1.1, 2.1, 3.1, 0.1, 3.1}});
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].numbers == std::vector<double>{1, 0, 0, 2, 0, 0,  //
                                                      0, 0, 0, 0, 3, 0,  //
                                                      0, 0, 5, 0, 0, 0,  //
                                                      0, 4, 0, 0, 0, 6});
  // The image has as many pixels as windows have places, whatever the stride: 2 x 6 for windows of 1 x 2 in steps of 1
  // x 3. Places begin at columns -1, 2 and 5, since ((3 - 1) * 3 + 2 - 6) / 2 columns are left out. The last place of
  // the first row lies outside.
  const outcome wide = run_file(file_with({valid, 3, 1, 2, 1, 0}, {2, 6}), {x, {1.1, 0.1, 1.1, 0.1, 1.1, 0.1}});
  REQUIRE(wide.error == "");
  CHECK(wide.outputs[0].numbers == std::vector<double>{1, 0, 2, 0, 0, 0,  //
                                                       0, 0, 0, 5, 0, 6});
}

TEST_CASE("tflite: a pool and its inverse in one file keep each maximum where it was") {
  file f;
  const std::vector<std::int32_t> large{2, 4, 4, 3}, small{2, 2, 2, 3};
  const auto x = f.add({float32, large, "x"}), y = f.add({float32, small, "y"}), indices = f.add({float32, small, "i"}),
             z = f.add({float32, large, "z"});
  call pool{32, {x}, {y, indices}, {}, "MaxPoolingWithArgmax2D"}, back{32, {y, indices}, {z}, {}, "MaxUnpooling2D"};
  pool.custom_options = back.custom_options = structure({same, 2, 2, 2, 2, 0}, 16);
  f.calls = {pool, back}, f.inputs = {x}, f.outputs = {y, z};
  std::vector<double> numbers;
  for (int i = 0; i < count_of(large); ++i) numbers.push_back(i * 37 % 101 + 1);  // all differ
  const outcome got = run_file(f.bytes(), {numbers});
  REQUIRE(got.error == "");
  std::vector<double> kept = numbers;
  const auto& maxima = got.outputs[0].numbers;
  for (int i = 0; i < count_of(large); ++i) {
    const int c = i % 3, w = i / 3 % 4, h = i / 12 % 4, n = i / 48;
    const double largest = maxima[static_cast<std::size_t>(((n * 2 + h / 2) * 2 + w / 2) * 3 + c)];
    if (kept[static_cast<std::size_t>(i)] != largest) kept[static_cast<std::size_t>(i)] = 0;
  }
  CHECK(got.outputs[1].numbers == kept);
}

TEST_CASE(
    "tflite: options of MediaPipe's operators that are short or mean nothing, and other types than floats, are refused "
    "in words") {
  const auto error_of = [](const file& f) { return load_file(f.bytes()).error; };
  const std::string transposes = "subgraph 0: operator 0 CUSTOM \"Convolution2DTransposeBias\": ";
  CHECK(error_of(transposed({2, 2}, {2, 2}, {4, 4}, structure({same, 2}))) ==
        transposes + "options: got 8 bytes, expected at least 12");
  CHECK(error_of(transposed({2, 2}, {2, 2}, {4, 4}, structure({0, 2, 2}))) ==
        transposes + "padding: got 0, expected 1 (SAME) or 2 (VALID)");
  CHECK(error_of(transposed({2, 2}, {2, 2}, {4, 4}, structure({same, 0, 2})))
            .find("stride must be positive (got 0, expected 1)") != std::string::npos);
  file integers = transposed({2, 2}, {2, 2}, {4, 4}, structure({same, 2, 2}));
  integers.tensors[0].type = int32;
  CHECK(error_of(integers) ==
        transposes + "input 0: got i32 [1, 2, 2, 2] that a run computes or is given, expected f32");
  file without_bias = transposed({2, 2}, {2, 2}, {4, 4}, structure({same, 2, 2}));
  without_bias.calls[0].inputs.pop_back();
  CHECK(error_of(without_bias) == transposes + "inputs: got 2, expected 3");

  const std::vector<tensor> image{{float32, {1, 4, 4, 1}, "x"}},
      halves{{float32, {1, 2, 2, 1}, "y"}, {float32, {1, 2, 2, 1}, "i"}};
  const auto pool_with = [&](std::vector<std::int32_t> options) {
    return error_of(file_of("MaxPoolingWithArgmax2D", structure(std::move(options)), image, halves));
  };
  const std::string pools = "subgraph 0: operator 0 CUSTOM \"MaxPoolingWithArgmax2D\": ";
  CHECK(pool_with({same, 2, 2, 2, 2}) == pools + "options: got 20 bytes, expected at least 24");
  CHECK(pool_with({3, 2, 2, 2, 2, 0}) == pools + "padding: got 3, expected 1 (SAME) or 2 (VALID)");
  CHECK(pool_with({same, 2, 2, 2, 2, 4}) == pools + "fused activation TANH");
  CHECK(pool_with({same, 2, 2, 0, 2, 0}).find("kernel must be positive (got 0, expected 1)") != std::string::npos);
  const std::string unpools = "subgraph 0: operator 0 CUSTOM \"MaxUnpooling2D\": ";
  CHECK(error_of(file_of("MaxUnpooling2D", structure({same, 2, 2, 2, 2, 0}),
                         {{float32, {1, 2, 2, 1}, "x"}, {int32, {1, 2, 2, 1}, "i"}}, {{float32, {1, 4, 4, 1}, "y"}})) ==
        unpools + "input 1: got i32 [1, 2, 2, 1] that a run computes or is given, expected f32");
}
