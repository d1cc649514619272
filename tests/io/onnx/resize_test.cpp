// resize_test: Resize of .onnx files computes the same whether extents are known in the file or later, or is refused.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "outcomes.hpp"
#include "support/onnx_writer.hpp"

namespace {

using namespace onnx_test;

using attributes = std::vector<message>;
using shape = std::vector<std::int64_t>;

tensor counted(const shape& of) {
  std::int64_t count = 1;
  for (const std::int64_t extent : of) count *= extent;
  std::vector<float> made;
  for (std::int64_t i = 0; i < count; ++i) made.push_back(static_cast<float>((7 * i) % 11 + 1));
  return numbers_of(of, made);
}

/// Resize of x to constant sizes.
std::string to_sizes(const shape& of_x, const shape& sizes, const attributes& more) {
  return model({{node("Resize", {"x", "", "", "sizes"}, {"y"}, more)},
                {longs("sizes", {static_cast<std::int64_t>(sizes.size())}, sizes)},
                {declaration("x", of_float, of_x)},
                {declaration("y", of_float, shape(of_x.size(), -1))}},
               19);
}
std::string by_scales(const shape& of_x, const std::vector<float>& scales, const attributes& more) {
  return model({{node("Resize", {"x", "", "scales"}, {"y"}, more)},
                {floats("scales", {static_cast<std::int64_t>(scales.size())}, scales)},
                {declaration("x", of_float, of_x)},
                {declaration("y", of_float, shape(of_x.size(), -1))}},
               19);
}
/// Resize of x to the extents of z.
std::string to_shape_of_z(const shape& of_x, const shape& of_z, const attributes& more) {
  return model({{node("Shape", {"z"}, {"sizes"}), node("Resize", {"x", "", "", "sizes"}, {"y"}, more)},
                {},
                {declaration("x", of_float, of_x), declaration("z", of_float, of_z)},
                {declaration("y", of_float, shape(of_x.size(), -1))}},
               19);
}

/// The results with extents that are known later are those with known extents, or the file is refused.
bool agree(const outcome& later, const outcome& at_once) {
  CAPTURE(at_once.error);
  CAPTURE(later.error);
  REQUIRE(at_once.error == "");
  if (later.error != "") {
    CHECK(later.error.find("whose extents are unknown; give the input's shape in load_options::shapes") !=
          std::string::npos);
    return false;
  }
  CHECK(later.outputs[0].shape == at_once.outputs[0].shape);
  const std::vector<double> a = later.outputs[0].numbers(), b = at_once.outputs[0].numbers();
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]));
  return true;
}

}  // namespace

TEST_CASE("onnx: Resize of extents that are known later gives the same numbers in every mode, or is refused") {
  int computed = 0;
  for (const char* const mode : {"nearest", "linear", "cubic"})
    for (const char* const coordinates :
         {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"})
      for (const char* const rounding : {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) {
        if (std::string(mode) != "nearest" && std::string(rounding) != "floor") continue;
        const attributes more{text_attribute("mode", mode),
                              text_attribute("coordinate_transformation_mode", coordinates),
                              text_attribute("nearest_mode", rounding)};
        for (const shape& to : {shape{1, 2, 1, 1}, {1, 2, 2, 7}, {1, 2, 6, 1}, {1, 2, 9, 10}}) {
          CAPTURE(std::string(mode));
          CAPTURE(std::string(coordinates));
          CAPTURE(std::string(rounding));
          CAPTURE(to[2]);
          const shape from{1, 2, 3, 5}, open{1, 2, -1, -1};
          const outcome at_once = run_bytes(bytes_of(to_sizes(from, to, more)), {counted(from)});
          computed += agree(run_bytes(bytes_of(to_sizes(open, to, more)), {counted(from)}), at_once) ? 1 : 0;
          const outcome later = run_bytes(bytes_of(to_shape_of_z(open, open, more)), {counted(from), counted(to)});
          computed += agree(later, at_once) ? 1 : 0;
          agree(run_bytes(bytes_of(to_shape_of_z({-1, -1, -1, -1}, open, more)), {counted(from), counted(to)}),
                at_once);
        }
        for (const std::vector<float>& scales : {std::vector<float>{1, 1, 2, 3}, {1, 1, 0.4F, 1.5F}, {1, 1, 2, 0.3F}}) {
          const outcome at_once = run_bytes(bytes_of(by_scales({1, 2, 3, 5}, scales, more)), {counted({1, 2, 3, 5})});
          CAPTURE(std::string(mode));
          CAPTURE(std::string(coordinates));
          CAPTURE(scales[2]);
          computed +=
              agree(run_bytes(bytes_of(by_scales({1, 2, -1, -1}, scales, more)), {counted({1, 2, 3, 5})}), at_once) ? 1
                                                                                                                    : 0;
        }
      }
  // 4 coordinate modes: of nearest 4 roundings with all sizes and scales, of linear all sizes and one list of scales
  CHECK(computed == 4 * (4 * (8 + 3) + 8 + 1));
}

TEST_CASE("onnx: Resize keeps the aspect ratio by the smallest or the largest scale") {
  struct row {
    const char* policy;
    shape from, sizes, made;
    std::vector<double> expected;
  };
  const row table[] = {
      {"stretch", {1, 1, 2, 4}, {1, 3}, {1, 1, 1, 3}, {1, 2, 4}},
      {"not_larger", {1, 1, 2, 4}, {1, 3}, {1, 1, 1, 2}, {1, 3}},
      {"not_smaller", {1, 1, 2, 4}, {1, 3}, {1, 1, 2, 3}, {1, 2, 4, 5, 6, 8}},
      {"not_larger", {1, 1, 1, 2}, {3, 4}, {1, 1, 2, 4}, {1, 1, 2, 2, 1, 1, 2, 2}},
      {"not_smaller", {1, 1, 1, 2}, {2, 2}, {1, 1, 2, 4}, {1, 1, 2, 2, 1, 1, 2, 2}},
  };
  for (const row& r : table) {
    CAPTURE(std::string(r.policy));
    std::vector<float> numbers;
    for (std::int64_t i = 0; i < r.from[2] * r.from[3]; ++i) numbers.push_back(static_cast<float>(i + 1));
    const attributes more{text_attribute("keep_aspect_ratio_policy", r.policy), attribute("axes", shape{2, 3})};
    const outcome made = run_bytes(bytes_of(to_sizes(r.from, r.sizes, more)), {numbers_of(r.from, numbers)});
    CHECK(result(made) == r.expected);
    CHECK(made.outputs[0].shape == r.made);
  }
}

TEST_CASE("onnx: Resize refuses what it does not compute") {
  const shape known{1, 2, 4, 4}, open{1, 2, -1, -1};
  const attributes larger{text_attribute("keep_aspect_ratio_policy", "not_larger")};
  const std::string unknown = "whose extents are unknown; give the input's shape in load_options::shapes";
  CHECK(says(load_bytes(bytes_of(to_sizes(open, {1, 2, 8, 6}, larger))),
             "keep_aspect_ratio_policy of [1, 2, -1, -1], " + unknown));
  CHECK(says(load_bytes(bytes_of(to_shape_of_z(open, open, larger))), "keep_aspect_ratio_policy of"));
  CHECK(
      says(load_bytes(bytes_of(to_sizes(
               known, {8, 6}, {attribute("axes", shape{2, 3}), text_attribute("keep_aspect_ratio_policy", "larger")}))),
           R"(keep_aspect_ratio_policy: got "larger")"));
  CHECK(says(load_bytes(bytes_of(to_sizes({1, 2, 1, 64}, {1, 8}, {larger[0], attribute("axes", shape{2, 3})}))),
             "axis 2: got 0 pixels, expected 1 to"));
  CHECK(says(load_bytes(bytes_of(to_sizes(known, {8, 6}, {attribute("axes", shape{2, -2})}))), "axes: got 2 twice"));
  CHECK(says(load_bytes(bytes_of(to_sizes(known, {1, 2, 8, 8}, {attribute("antialias", std::int64_t{1})}))),
             "antialias of the mode nearest"));
  CHECK(says(load_bytes(bytes_of(to_sizes(
                 open, {1, 2, 8, 8}, {text_attribute("mode", "linear"), attribute("antialias", std::int64_t{1})}))),
             "this mode of [1, 2, -1, -1], " + unknown));
  CHECK(says(load_bytes(bytes_of(by_scales(known, {1, 1, 0, 2}, {}))), "scales: got a number that is not above 0"));
  CHECK(says(load_bytes(bytes_of(by_scales(known, {1, 1, 0.1F, 2}, {}))), "axis 2: got 0 pixels"));
  const parts both{{node("Resize", {"x", "", "scales", "sizes"}, {"y"})},
                   {floats("scales", {4}, {1, 1, 2, 2}), longs("sizes", {4}, {1, 2, 8, 8})},
                   {declaration("x", of_float, known)},
                   {declaration("y", of_float, {1, 2, 8, 8})}};
  CHECK(says(load_bytes(bytes_of(model(both, 19))), "got scales and sizes, expected one of them"));
}

TEST_CASE("onnx: sizes of batch and channels are those of the input") {
  CHECK(says(load_bytes(bytes_of(to_sizes({1, 2, -1, -1}, {1, 3, 8, 8}, {}))),
             "sizes of batch or channels: got 3 for axis 1 of [1, 2, -1, -1]"));
  // unknown in the file: a resize refuses others
  const std::string file = to_shape_of_z({-1, 2, -1, -1}, {-1, -1, -1, -1}, {});
  CHECK(run_bytes(bytes_of(file), {counted({1, 2, 2, 2}), counted({1, 2, 4, 4})}).error == "");
  for (const shape& other : {shape{2, 2, 4, 4}, {1, 4, 4, 4}, {1, 1, 4, 4}})
    CHECK(says(run_bytes(bytes_of(file), {counted({1, 2, 2, 2}), counted(other)}), "indices must lie in the axis"));
}
