// flexbuffer_test: options of custom operators as flatbuffers' own library writes them, damaged ones, and the operator
// that has such options.
#include <nnrt/io/numbers_at.hpp>
#include <nnrt/io/tflite/flexbuffer.hpp>

#include <doctest/doctest.h>
#include <flatbuffers/flexbuffers.h>

#include <algorithm>
#include <random>
#include <string>

#include "../../support/tflite_file.hpp"
#include "run_file.hpp"

namespace {

using namespace tflite_test;
using nnrt::tflite::named_numbers;

template <class F> std::vector<std::uint8_t> map_of(F add) {
  flexbuffers::Builder b;
  b.Map([&] { add(b); });
  b.Finish();
  return b.GetBuffer();
}
std::string_view bytes(const std::vector<std::uint8_t>& from) {
  return nnrt::letters_of(std::as_bytes(std::span(from)));
}

std::vector<std::uint8_t> detector(bool is_regular, double threshold = 0.2) {
  return map_of([&](flexbuffers::Builder& b) {
    b.Int("max_detections", 5);
    b.Int("max_classes_per_detection", 1);
    b.Int("detections_per_class", 2);
    b.Int("num_classes", 3);
    b.Float("nms_score_threshold", static_cast<float>(threshold));
    b.Float("nms_iou_threshold", 0.5F);
    b.Float("y_scale", 2), b.Float("x_scale", 2), b.Float("h_scale", 1), b.Float("w_scale", 1);
    b.Bool("use_regular_nms", is_regular);
    b.String("_output_quantized", "no");
  });
}

TEST_CASE("flexbuffer: numbers of every kind and width are found by their names") {
  for (const double wide : {1.0, 70000.0, 5e9}) {
    const auto map = map_of([&](flexbuffers::Builder& b) {
      b.Int("small", -3);
      b.Int("large", static_cast<std::int64_t>(wide) * -1);
      b.UInt("natural", static_cast<std::uint64_t>(wide));
      b.Float("float", 0.1F);
      b.Double("double", 0.1);
      b.IndirectInt("int elsewhere", -70000);
      b.IndirectUInt("natural elsewhere", 200);
      b.IndirectFloat("float elsewhere", 2.5F);
      b.IndirectDouble("double elsewhere", 1e300);
      b.Bool("true", true), b.Bool("false", false);
      b.String("text", "12"), b.Null("nothing");
    });
    CAPTURE(wide);
    const named_numbers found(bytes(map));
    CHECK(found["small"] == -3);
    CHECK(found["large"] == -wide);
    CHECK(found["natural"] == wide);
    CHECK(found["float"] == double{0.1F});
    CHECK(found["double"] == 0.1);
    CHECK(found["int elsewhere"] == -70000);
    CHECK(found["natural elsewhere"] == 200);
    CHECK(found["float elsewhere"] == 2.5);
    CHECK(found["double elsewhere"] == 1e300);
    CHECK(found["true"] == 1);
    CHECK(found["false"] == 0);
    for (const char* name : {"text", "nothing", "smal", "smalls", ""}) CHECK_FALSE(found[name].has_value());
  }
}

TEST_CASE("flexbuffer: what is no map has no names") {
  flexbuffers::Builder b;
  b.Int(3);
  b.Finish();
  CHECK_FALSE(named_numbers(bytes(b.GetBuffer()))["3"].has_value());
  CHECK_FALSE(named_numbers({})["x"].has_value());
}

TEST_CASE("flexbuffer: types and names end with the bytes") {
  // Names "a" to "d" at 0, where they are at 8, the distance to that with its width and the count, four values; then no
  // types, but the root alone.
  std::vector<std::uint8_t> map{'a', 0, 'b', 0, 'c', 0, 'd', 0, 8, 7, 6, 5, 4, 1, 4, 11, 12, 13, 14};
  const std::size_t values = 15;
  const std::uint8_t integer = 1U << 2U, map_of_bytes = 9U << 2U;
  map.insert(map.end(), {integer, integer, integer, integer, 8, map_of_bytes, 1});
  const named_numbers right(bytes(map));
  CHECK(right["a"] == 11);
  CHECK(right["d"] == 14);
  CHECK_FALSE(right["e"].has_value());
  // One type fewer than values, counting the three bytes of the root; the next byte, which is not of the map, would
  // be one.
  std::vector<std::uint8_t> shorter(map.begin(), map.begin() + static_cast<std::ptrdiff_t>(values + 4));
  shorter.insert(shorter.end(), {4, map_of_bytes, 1, integer});
  for (const char* name : {"a", "d"})
    CHECK_FALSE(named_numbers(bytes(shorter).substr(0, shorter.size() - 1))[name].has_value());
  // A name up to the map's last byte, whose zero would be the next byte.
  const std::string name(map.begin() + 6, map.end());
  map.push_back(0);
  CHECK_FALSE(named_numbers(bytes(map).substr(0, map.size() - 1))[name].has_value());
}

TEST_CASE("flexbuffer: damaged bytes are read within their bounds") {
  const auto whole = detector(true);
  std::mt19937 random(7);
  const named_numbers right(bytes(whole));
  int intact = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::uint8_t> spoilt(
        whole.begin(), whole.end() - (i % 3 == 0 ? static_cast<std::ptrdiff_t>(random() % whole.size()) : 0));
    for (std::uint32_t count = random() % 4; count > 0 && !spoilt.empty(); --count)
      spoilt[random() % spoilt.size()] = static_cast<std::uint8_t>(random());
    const std::vector<std::uint8_t> alone(spoilt);  // its end is that of its block: a sanitizer sees reads after it
    const named_numbers found(bytes(alone));
    for (const char* name : {"max_detections", "w_scale", "_output_quantized", "no"}) {
      const auto number = found[name];
      if (!std::equal(alone.begin(), alone.end(), whole.begin(), whole.end())) continue;
      CHECK(number == right[name]);
      ++intact;
    }
  }
  CHECK(intact > 1000);
}

/// A detector's last operator: six boxes, three classes and the background.
file file_of(std::vector<std::uint8_t> options) {
  file f;
  call c{32, {}, {}, {}, "TFLite_Detection_PostProcess"};
  c.custom_options = std::move(options);
  const std::vector<double> anchors{0.25, 0.25, 0.5, 0.5, 0.25, 0.25, 0.5, 0.5, 0.25, 0.25, 0.5, 0.5,
                                    0.75, 0.75, 0.5, 0.5, 0.75, 0.75, 0.5, 0.5, 0.5,  2.0,  0.5, 1.0};
  c.inputs = {f.add({float32, {1, 6, 4}, "boxes"}), f.add({float32, {1, 6, 4}, "scores"}),
              f.add({float32, {6, 4}, "anchors", bytes_of<float>(anchors)})};
  f.inputs = {0, 1};
  for (const auto& [shape, name] : {std::pair<std::vector<std::int32_t>, const char*>{{1, 5, 4}, "y"},
                                    {{1, 5}, "classes"},
                                    {{1, 5}, "confidences"},
                                    {{1}, "count"}})
    c.outputs.push_back(f.add({float32, shape, name}));
  f.outputs = c.outputs;
  f.calls.push_back(c);
  return f;
}
const std::vector<double> codes{0, 0, 0, 0, 0.5, 0, 0, 0, -0.5, 0.25, 0.5, 0, 0, 0, 0, 0, 0.25, 1, 0, -0.5, 0, 0, 0, 1};
const std::vector<double> scores{1, 0.875, 0.25,  0.125, 1, 0.75,  0.25, 0.0625, 1, 0.5,  0.9375, 0.0625,
                                 1, 0.125, 0.875, 0.25,  1, 0.625, 0.25, 0.375,  1, 0.25, 0.125,  0.1875};

TEST_CASE("tflite: TFLite_Detection_PostProcess gives the boxes that its options ask for") {
  const outcome regular = run_file(file_of(detector(true)).bytes(), {codes, scores});
  REQUIRE(regular.error == "");
  CHECK(regular.outputs[1].numbers == std::vector<double>{1, 0, 1, 0, 2});
  CHECK(regular.outputs[2].numbers == std::vector<double>{0.9375, 0.875, 0.875, 0.625, 0.375});
  CHECK(regular.outputs[3].numbers == std::vector<double>{5});
  CHECK(regular.outputs[0].numbers[4] == 0);
  CHECK(regular.outputs[0].numbers[7] == 0.5);
  const outcome fast = run_file(file_of(detector(false, 0.9)).bytes(), {codes, scores});
  REQUIRE(fast.error == "");
  CHECK(fast.outputs[2].numbers == std::vector<double>{0.9375, 0, 0, 0, 0});
  CHECK(fast.outputs[3].numbers == std::vector<double>{1});
}

TEST_CASE("tflite: TFLite_Detection_PostProcess without an option, or with one that breaks a rule, is refused") {
  const auto error_of = [](std::vector<std::uint8_t> options) {
    return load_file(file_of(std::move(options)).bytes()).error;
  };
  const std::string at = "subgraph 0: operator 0 CUSTOM \"TFLite_Detection_PostProcess\"";
  CHECK(error_of({}) == at + ": options: max_detections is missing");
  CHECK(error_of(map_of([](flexbuffers::Builder& b) { b.Int("max_detections", 5); })) ==
        at + ": options: max_classes_per_detection is missing");
  const auto without_classes = map_of([](flexbuffers::Builder& b) {
    for (const char* name : {"max_detections", "max_classes_per_detection", "nms_score_threshold", "y_scale", "x_scale",
                             "h_scale", "w_scale"})
      b.Int(name, 5);
    b.Int("num_classes", 0), b.Float("nms_iou_threshold", 0.5F);
  });
  CHECK(error_of(without_classes).find("classes must be at least 1 (got 0, expected 1)") != std::string::npos);
}

}  // namespace
