// volumes_test: convolutions over three axes in .tflite files, held against their formula.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "rows.hpp"
#include "run_file.hpp"

namespace {

using namespace tflite_test;

/// Depth, height and width.
struct triple {
  int d, h, w;
  int operator[](int axis) const { return axis == 0 ? d : axis == 1 ? h : w; }
};
struct layer {
  const char* what;
  int batch;
  triple image;
  int in_channels;
  triple kernel;
  int out_channels;
  int padding = valid;
  triple stride = {1, 1, 1}, dilation = {1, 1, 1};
  int fused = 0;
  bool has_bias = true;
};

constexpr layer layers[] = {
    {"one plane at a time", 2, {3, 4, 5}, 2, {1, 3, 2}, 3},
    {"planes that are skipped", 1, {7, 2, 3}, 2, {1, 1, 1}, 2, valid, {3, 1, 1}},
    {"a cube", 1, {4, 5, 6}, 3, {3, 3, 3}, 4},
    {"padded", 2, {4, 5, 6}, 3, {3, 3, 3}, 4, same},
    {"padded, an even kernel: more zeros at the end", 1, {5, 3, 4}, 1, {4, 2, 2}, 2, same},
    {"padded, strides", 1, {5, 6, 7}, 2, {3, 2, 3}, 3, same, {2, 3, 2}},
    {"padded where no window needs it", 1, {4, 4, 4}, 1, {2, 2, 2}, 1, same, {2, 2, 2}},
    {"strides", 2, {7, 5, 5}, 2, {2, 3, 1}, 2, valid, {3, 2, 2}, {1, 1, 1}, relu},
    {"dilations", 1, {7, 6, 5}, 2, {3, 2, 2}, 2, valid, {1, 1, 1}, {3, 2, 1}},
    {"dilations, padded", 1, {5, 6, 5}, 2, {2, 3, 2}, 2, same, {1, 1, 1}, {2, 2, 3}, relu6},
    {"strides and dilations, without a bias", 1, {9, 6, 8}, 2, {3, 2, 2}, 5, same, {2, 1, 2}, {2, 3, 1}, 0, false},
    {"tanh", 1, {2, 2, 2}, 1, {2, 1, 1}, 1, valid, {1, 1, 1}, {1, 1, 1}, 4},
};

int results_along(const layer& l, int axis) {
  const int reach = (l.kernel[axis] - 1) * l.dilation[axis] + 1, n = l.image[axis], step = l.stride[axis];
  return l.padding == same ? (n + step - 1) / step : (n - reach) / step + 1;
}
int zeros_before(const layer& l, int axis) {
  const int reach = (l.kernel[axis] - 1) * l.dilation[axis] + 1;
  return l.padding == same ? std::max((results_along(l, axis) - 1) * l.stride[axis] + reach - l.image[axis], 0) / 2 : 0;
}
double number_at(int i, int seed) { return ((i * 37 + seed * 11) % 23 - 11) / 8.0; }
std::vector<double> some_numbers(int count, int seed) {
  std::vector<double> made;
  for (int i = 0; i < count; ++i) made.push_back(number_at(i, seed));
  return made;
}
double activated(double y, int fused) {
  if (fused == relu) return std::max(y, 0.0);
  if (fused == relu6) return std::clamp(y, 0.0, 6.0);
  return fused == 4 ? std::tanh(y) : y;
}

/// y[n, d, h, w, o] = fused(bias[o] + sum over the kernel's (a, b, c) and over i of x[n, d * stride + a * dilation -
/// before, …, i] * filters[a, b, c, i, o]), where x is 0 outside.
row row_of(const layer& l) {
  const std::vector<std::int32_t> of_x{l.batch, l.image.d, l.image.h, l.image.w, l.in_channels},
      of_filters{l.kernel.d, l.kernel.h, l.kernel.w, l.in_channels, l.out_channels},
      of_y{l.batch, results_along(l, 0), results_along(l, 1), results_along(l, 2), l.out_channels};
  const auto size = [](const std::vector<std::int32_t>& shape) {
    int product = 1;
    for (const std::int32_t extent : shape) product *= extent;
    return product;
  };
  const std::vector<double> x = some_numbers(size(of_x), 1), filters = some_numbers(size(of_filters), 2),
                            bias = some_numbers(l.out_channels, 3);
  std::vector<double> y;
  for (int i = 0; i < size(of_y); ++i) {
    int rest = i / l.out_channels;
    const int o = i % l.out_channels;
    int first[3] = {};
    for (int axis = 2; axis >= 0; --axis) {
      const int n = results_along(l, axis);
      first[axis] = rest % n * l.stride[axis] - zeros_before(l, axis);
      rest /= n;
    }
    double sum = l.has_bias ? bias[static_cast<std::size_t>(o)] : 0;
    for (int k = 0; k < l.kernel.d * l.kernel.h * l.kernel.w; ++k) {
      const int tap[] = {k / (l.kernel.h * l.kernel.w), k / l.kernel.w % l.kernel.h, k % l.kernel.w};
      int at[3] = {};
      bool is_inside = true;
      for (int axis = 0; axis < 3; ++axis) {
        at[axis] = first[axis] + tap[axis] * l.dilation[axis];
        is_inside = is_inside && at[axis] >= 0 && at[axis] < l.image[axis];
      }
      for (int c = 0; is_inside && c < l.in_channels; ++c)
        sum += x[static_cast<std::size_t>(
                   (((rest * l.image.d + at[0]) * l.image.h + at[1]) * l.image.w + at[2]) * l.in_channels + c)] *
               filters[static_cast<std::size_t>((k * l.in_channels + c) * l.out_channels + o)];
    }
    y.push_back(activated(sum, l.fused));
  }
  row made{l.what, 132, "CONV_3D", {f(of_x, x), constant(of_filters, filters)}, {}, {f(of_y, y)}};
  if (l.has_bias) made.inputs.push_back(constant({l.out_channels}, bias));
  made.with = {106,
               {byte(0, l.padding), number(1, l.stride.d), number(2, l.stride.w), number(3, l.stride.h),
                byte(4, l.fused), number(5, l.dilation.d), number(6, l.dilation.w), number(7, l.dilation.h)}};
  return made;
}

/// The layer that such a one is the transposed one of: x has the places of its results, y those of its image. y[n, d *
/// stride + a * dilation - before, …, o] is fused(bias[o] + the sum of all x[n, d, h, w, i] * filters[a, b, c, o, i]
/// that come there).
row transposed_row_of(const layer& l) {
  const triple from{results_along(l, 0), results_along(l, 1), results_along(l, 2)};
  const int taps = l.kernel.d * l.kernel.h * l.kernel.w, pixels = l.image.d * l.image.h * l.image.w,
            places = from.d * from.h * from.w;
  const std::vector<double> x = some_numbers(l.batch * places * l.in_channels, 1),
                            filters = some_numbers(taps * l.out_channels * l.in_channels, 2),
                            bias = some_numbers(l.out_channels, 3);
  std::vector<double> y(static_cast<std::size_t>(l.batch * pixels * l.out_channels), 0.0);
  for (int i = 0; i < l.batch * places; ++i)
    for (int k = 0; k < taps; ++k) {
      const int tap[] = {k / (l.kernel.h * l.kernel.w), k / l.kernel.w % l.kernel.h, k % l.kernel.w};
      const int place[] = {i % places / (from.h * from.w), i / from.w % from.h, i % from.w};
      int at[3] = {};
      bool is_inside = true;
      for (int axis = 0; axis < 3; ++axis) {
        at[axis] = place[axis] * l.stride[axis] + tap[axis] * l.dilation[axis] - zeros_before(l, axis);
        is_inside = is_inside && at[axis] >= 0 && at[axis] < l.image[axis];
      }
      const int to = ((i / places * l.image.d + at[0]) * l.image.h + at[1]) * l.image.w + at[2];
      for (int o = 0; is_inside && o < l.out_channels; ++o)
        for (int c = 0; c < l.in_channels; ++c)
          y[static_cast<std::size_t>(to * l.out_channels + o)] +=
              x[static_cast<std::size_t>(i * l.in_channels + c)] *
              filters[static_cast<std::size_t>((k * l.out_channels + o) * l.in_channels + c)];
    }
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = activated(y[i] + (l.has_bias ? bias[i % static_cast<std::size_t>(l.out_channels)] : 0), l.fused);
  const std::vector<std::int32_t> of_x{l.batch, from.d, from.h, from.w, l.in_channels},
      of_y{l.batch, l.image.d, l.image.h, l.image.w, l.out_channels},
      of_filters{l.kernel.d, l.kernel.h, l.kernel.w, l.out_channels, l.in_channels};
  row made{l.what,
           141,
           "CONV_3D_TRANSPOSE",
           {integers({of_y.begin(), of_y.end()}), constant(of_filters, filters), f(of_x, x)},
           {},
           {f(of_y, y)}};
  if (l.has_bias) made.inputs.push_back(constant({l.out_channels}, bias));
  made.with = {106,
               {byte(0, l.padding), number(1, l.stride.d), number(2, l.stride.w), number(3, l.stride.h),
                byte(4, l.fused), number(5, l.dilation.d), number(6, l.dilation.w), number(7, l.dilation.h)}};
  return made;
}

void check_near(const outcome& got, const row& r) {
  REQUIRE(got.error == "");
  REQUIRE(got.outputs.size() == 1);
  CHECK(got.outputs[0].shape == std::vector<std::int64_t>(r.outputs[0].shape.begin(), r.outputs[0].shape.end()));
  REQUIRE(got.outputs[0].numbers.size() == r.outputs[0].numbers.size());
  for (std::size_t i = 0; i < r.outputs[0].numbers.size(); ++i)
    CHECK(got.outputs[0].numbers[i] == doctest::Approx(r.outputs[0].numbers[i]).epsilon(1e-5));
}

}  // namespace

TEST_CASE("tflite: CONV_3D is the sum over three axes, with each padding, stride and dilation") {
  for (const layer& l : layers) {
    CAPTURE(l.what);
    const row r = row_of(l);
    std::vector<std::vector<double>> inputs;
    const file made = file_of(r, inputs);
    check_near(run_file(made.bytes(), inputs), r);
  }
}

TEST_CASE("tflite: CONV_3D of images whose extents a session tells is the same") {
  for (const layer& l : layers) {
    CAPTURE(l.what);
    const row r = row_of(l);
    std::vector<std::vector<double>> inputs;
    file made = file_of(r, inputs);
    for (tensor& t : made.tensors)
      if (t.data.empty()) t.signature = {-1, -1, -1, -1, t.shape[4]};
    check_near(run_resized(made.bytes(), {{l.batch, l.image.d, l.image.h, l.image.w, l.in_channels}}, inputs), r);
  }
}

TEST_CASE("tflite: CONV_3D with filters that a run is given") {
  row r = row_of(layers[3]);
  r.inputs[1].is_constant = r.inputs[2].is_constant = false;
  std::vector<std::vector<double>> inputs;
  const file made = file_of(r, inputs);
  check_near(run_file(made.bytes(), inputs), r);
}

TEST_CASE("tflite: CONV_3D is refused in words where it has other operands than TensorFlow Lite takes") {
  struct refused_layer {
    row r;
    const char* message;
  };
  const data x = f({1, 2, 2, 2, 1}, some_numbers(8, 1)), filters = constant({1, 1, 1, 1, 1}, {1}),
             y = f({1, 2, 2, 2, 1}, some_numbers(8, 1));
  const options plain{106, {byte(0, valid), number(1, 1), number(2, 1), number(3, 1)}};
  const refused_layer table[] = {
      {{"", 132, "CONV_3D", {f({2, 2, 2, 1}, some_numbers(8, 1)), filters}, plain, {y}},
       "input 0: got f32 [2, 2, 2, 1] that a run computes or is given, expected f32 of rank 5"},
      {{"", 132, "CONV_3D", {x, constant({1, 1, 1, 1}, {1})}, plain, {y}},
       "input 1: got f32 [1, 1, 1, 1], expected f32 of rank 5"},
      {{"", 132, "CONV_3D", {q({1, 2, 2, 2, 1}, some_numbers(8, 1), 1, 0), filters}, plain, {y}},
       "input 0: got quantised i8 [1, 2, 2, 2, 1] that a run computes or is given, expected f32 of rank 5"},
      {{"", 132, "CONV_3D", {x, in_file(q({1, 1, 1, 1, 1}, {1}, 1, 0))}, plain, {y}},
       "input 1: got quantised i8 [1, 1, 1, 1, 1], expected f32 of rank 5"},
      {{"", 132, "CONV_3D", {x, filters, integers({1})}, plain, {y}}, "input 2: got i32 [1], expected f32 of rank 1"},
      {{"", 132, "CONV_3D", {x, constant({1, 1, 1, 2, 1}, {1, 1})}, plain, {y}},
       "filters: got [1, 1, 1, 2, 1], expected [D, H, W, I, O] of the 1 channels of the input"},
      {{"", 132, "CONV_3D", {x, constant({3, 1, 1, 1, 1}, {1, 1, 1})}, plain, {y}},
       "input 0: got 2 planes, expected at least 3, as many as a window has"},
      {{"", 132, "CONV_3D", {x, filters}, {106, {byte(0, valid), number(1, 0), number(2, 1), number(3, 1)}}, {y}},
       "options: got stride 0 and dilation 1 in depth, expected at least 1"},
      {{"",
        132,
        "CONV_3D",
        {x, constant({2, 1, 1, 1, 1}, {1, 1})},
        {106, {byte(0, same), number(1, 1), number(2, 1), number(3, 1), byte(4, 10)}},
        {y}},
       "fused activation number 10"},
  };
  for (const refused_layer& t : table) {
    std::vector<std::vector<double>> inputs;
    CHECK(load_file(file_of(t.r, inputs).bytes()).error == std::string("subgraph 0: operator 0 CONV_3D: ") + t.message);
  }
}

TEST_CASE("tflite: CONV_3D_TRANSPOSE adds each place of its input to the places that CONV_3D makes it of") {
  for (const layer& l : layers) {
    CAPTURE(l.what);
    const row r = transposed_row_of(l);
    std::vector<std::vector<double>> inputs;
    file made = file_of(r, inputs);
    check_near(run_file(made.bytes(), inputs), r);
    std::vector<std::int64_t> extents;
    for (tensor& t : made.tensors)
      if (t.data.empty() && t.name == "in2")
        t.signature = {-1, -1, -1, -1, t.shape[4]}, extents.assign(t.shape.begin(), t.shape.end());
    check_near(run_resized(made.bytes(), {extents}, inputs), r);
  }
}

TEST_CASE(
    "tflite: CONV_3D_TRANSPOSE is refused where its output's shape is no constant, or another one than the input can "
    "make") {
  row r = transposed_row_of(layers[3]);
  std::vector<std::vector<double>> unused;
  r.inputs[0].is_constant = false;
  CHECK(load_file(file_of(r, unused).bytes()).error ==
        "subgraph 0: operator 0 CONV_3D_TRANSPOSE: input 0: got i32 [5] that a run computes or is given, expected "
        "integers that are known before the network runs");
  r.inputs[0] = integers({2, 5, 5, 6, 4});
  CHECK(load_file(file_of(r, unused).bytes()).error ==
        "subgraph 0: operator 0 CONV_3D_TRANSPOSE: output_shape: got [2, 5, 5, 6, 4], expected one whose convolution "
        "with filters [3, 3, 3, 4, 3] has the input's "
        "shape, [2, 4, 5, 6, 3]");
}

TEST_CASE(
    "tflite: convolutions over three axes that would be taken apart into more than the file's size allows are "
    "refused") {
  constexpr std::int32_t many = 1 << 30;
  for (const bool is_transposed : {false, true}) {
    const std::int32_t planes = is_transposed ? 1 : many;
    file made;
    const int shape = made.add({int32, {5}, "shape", bytes_of<std::int32_t>({1, 1, 1, 1, 1})}),
              x = made.add({float32, {1, planes, 1, 1, 1}, "x"});
    const int filters = made.add({float32, {many, 1, 1, 1, 1}, "filters"}),
              y = made.add({float32, {1, planes, 1, 1, 1}, "y"});
    made.inputs = {x, filters}, made.outputs = {y};
    made.calls.push_back(
        {is_transposed ? 141 : 132,
         is_transposed ? std::vector<std::int32_t>{shape, filters, x} : std::vector<std::int32_t>{x, filters},
         {y},
         {106, {byte(0, same), number(1, 1), number(2, 1), number(3, 1)}}});
    const std::string error = load_file(made.bytes()).error;
    CAPTURE(error);
    CHECK(error.find("tensor \"y\": constants and names: got ") != std::string::npos);
    CHECK(error.find("bytes to copy, expected at most ") != std::string::npos);
  }
}
