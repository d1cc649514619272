// spectra_test: RFFT2D and what makes real numbers of its spectra, against sums that Python made, and what is refused.
#include <doctest/doctest.h>

#include <cmath>

#include "../../support/tflite_file.hpp"
#include "run_file.hpp"

using namespace tflite_test;

namespace {

constexpr int complex64 = 8, rfft2d = 131, imag = 133, real = 134, complex_abs = 135, reshape = 22, squeeze = 43,
              transpose = 39;
const options of_rfft2d{105, {}};

tensor constant(std::vector<double> numbers) {
  return {int32, {static_cast<std::int32_t>(numbers.size())}, "constant", bytes_of<std::int32_t>(numbers)};
}

/// x [2, 3, 6], which becomes a spectrum of 4 x 8 (of 4 rows and 5 columns), and the reals that an operator makes of
/// that.
file spectrum(int last, bool is_output = false, std::vector<double> length = {4, 8}) {
  file f;
  const auto x = f.add({float32, {2, 3, 6}, "x"}), lengths = f.add(constant(std::move(length)));
  const auto z = f.add({complex64, {2, 4, 5}, "z"}), y = f.add({float32, {2, 4, 5}, "y"});
  f.calls = {{rfft2d, {x, lengths}, {z}, of_rfft2d}, {last, {z}, {y}}};
  f.inputs = {x}, f.outputs = {is_output ? z : y};
  return f;
}
std::vector<double> pattern(int count) {
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(i * 7 % 11 - 5);
  return numbers;
}
void check_close(const std::vector<double>& got, const std::vector<double>& expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK(std::fabs(got[i] - expected[i]) < 1e-5);
  }
}

// Python: x[i] = i * 7 % 11 - 5, [2, 3, 6]; z = sum(x[h, w] * exp(-2j * pi * (k * h / 4 + l * w / 8))) for k < 4, l <
// 5, the real and the imaginary parts.
const std::vector<double> reals{2,   0.4644661, -1,  7.535534,  -8,  -9, -7.707107, 12,  -25.6066,  -11,
                                8,   -12.36396, -15, 0.363961,  -10, -9, -4.393398, -4,  -6.292893, -11,
                                -7,  2.192388,  -8,  -16.19239, 3,   2,  -2.020815, -15, 21.19239,  0,
                                -17, 2.87868,   -10, 7.12132,   1,   2,  2.807612,  1,   22.02082,  0};
const std::vector<double> imaginaries{0, -8.192388, 13,  -10.19239, 0, 3,  -10.02082, 0,  -21.19239, -1,
                                      0, -4.87868,  -3,  9.12132,   0, -3, 2.807612,  14, -14.02082, 1,
                                      0, 0.5355339, -13, 6.535534,  0, -5, 1.292893,  6,  20.6066,   -1,
                                      0, 5.363961,  3,   7.363961,  0, 5,  0.6066017, 8,  -2.707107, 1};
std::vector<double> lengths() {
  std::vector<double> made;
  for (std::size_t i = 0; i < reals.size(); ++i) made.push_back(std::hypot(reals[i], imaginaries[i]));
  return made;
}

}  // namespace

TEST_CASE("tflite: RFFT2D continues its input with zeros, and REAL, IMAG and COMPLEX_ABS make floats of its spectrum") {
  const outcome re = run_file(spectrum(real).bytes(), {pattern(36)});
  REQUIRE(re.error == "");
  check_close(re.outputs[0].numbers, reals);
  const outcome im = run_file(spectrum(imag).bytes(), {pattern(36)});
  REQUIRE(im.error == "");
  check_close(im.outputs[0].numbers, imaginaries);
  const outcome abs = run_file(spectrum(complex_abs).bytes(), {pattern(36)});
  REQUIRE(abs.error == "");
  CHECK(abs.outputs[0].shape == std::vector<std::int64_t>{2, 4, 5});
  check_close(abs.outputs[0].numbers, lengths());
}

TEST_CASE("tflite: RFFT2D cuts what is longer than its lengths") {
  file f = spectrum(complex_abs, false, {2, 4});
  f.tensors[2].shape = f.tensors[3].shape = {2, 2, 3};
  const outcome got = run_file(f.bytes(), {pattern(36)});
  REQUIRE(got.error == "");
  // Python: the same sums for h < 2, w < 4 and lengths 2 and 4.
  check_close(got.outputs[0].numbers, {3, 7.81025, 17, 3, 11, 11, 1, 7.81025, 5, 3, 11, 11});
}

TEST_CASE(
    "tflite: spectra of lines are squeezed or reshaped between RFFT2D and COMPLEX_ABS, as converters write them") {
  // 3 lines of 8 numbers.
  for (const bool is_squeezed : {false, true}) {
    file f;
    const auto x = f.add({float32, {3, 1, 8}, "x"}), lengths = f.add(constant({1, 8})),
               shape = f.add(constant({3, -1}));
    const auto z = f.add({complex64, {3, 1, 5}, "z"}), lines = f.add({complex64, {3, 5}, "lines"}),
               y = f.add({float32, {3, 5}, "y"});
    f.calls = {{rfft2d, {x, lengths}, {z}, of_rfft2d}, {reshape, {z, shape}, {lines}}, {complex_abs, {lines}, {y}}};
    if (is_squeezed) f.calls[1] = {squeeze, {z}, {lines}, {30, {{0, std::vector<std::int32_t>{-2}}}}};
    f.inputs = {x}, f.outputs = {y};
    std::vector<double> tones;
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 8; ++i) tones.push_back(std::cos(std::acos(-1.0) * k * i / 4));
    const outcome got = run_file(f.bytes(), {tones});
    REQUIRE(got.error == "");
    check_close(got.outputs[0].numbers, {8, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 4, 0, 0});
    CHECK(got.nodes.front() == "unsqueeze");
  }
}

TEST_CASE("tflite: complex numbers that reach an output or another operator are refused in words") {
  const auto error_of = [](const file& f) { return load_file(f.bytes()).error; };
  const std::string alone =
      " has complex numbers, of which nnrt reads RESHAPE, SQUEEZE, COMPLEX_ABS, REAL and IMAG alone";
  CHECK(error_of(spectrum(real, true)) == "subgraph 0: output 0: tensor 2 \"z\"" + alone);
  file turned = spectrum(real);
  const auto order = turned.add(constant({1, 0, 2})), other = turned.add({complex64, {4, 2, 5}, "other"});
  turned.calls[1] = {transpose, {2, order}, {other}};
  CHECK(error_of(turned) == "subgraph 0: operator 1 TRANSPOSE: tensor 2 \"z\"" + alone);
  file of_reals = spectrum(real);
  of_reals.calls[1].inputs = {0};
  CHECK(error_of(of_reals) ==
        "subgraph 0: operator 1 REAL: tensor 0 \"x\" is no tensor of COMPLEX64 that RFFT2D has made");
  file of_input = spectrum(real);
  of_input.inputs = {0, 2}, of_input.calls[0].outputs = {3};
  CHECK(error_of(of_input).find("has elements of COMPLEX64, which nnrt does not have") != std::string::npos);
  file to_reals = spectrum(real);
  to_reals.tensors[2].type = float32;
  CHECK(error_of(to_reals) == "subgraph 0: operator 0 RFFT2D: output 0: got a tensor of other elements than COMPLEX64");
}

TEST_CASE("tflite: lengths of RFFT2D that are no lengths, or that only a run knows, are refused in words") {
  const auto error_of = [](const file& f) { return load_file(f.bytes()).error; };
  const std::string at = "subgraph 0: operator 0 RFFT2D: ";
  CHECK(error_of(spectrum(real, false, {8})) ==
        at + "fft_length: got 1 numbers, expected a height and a width of at least 1");
  CHECK(error_of(spectrum(real, false, {0, 8})) ==
        at + "fft_length: got 2 numbers, expected a height and a width of at least 1");
  file computed = spectrum(real);
  computed.tensors[1].data.clear();
  computed.inputs = {0, 1};
  CHECK(error_of(computed).find(at + "input 1: got i32 [2]") == 0);
  file of_integers = spectrum(real);
  of_integers.tensors[0].type = int32;
  CHECK(error_of(of_integers) == at + "input 0: got i32 [2, 3, 6] that a run computes or is given, expected f32");
}
