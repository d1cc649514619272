// operators: every builtin operator that is read, in a file of its own, gives what its definition in TensorFlow says.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "rows.hpp"
#include "run_file.hpp"

namespace {

using namespace tflite_test;

const std::vector<row>& all_rows() {
  static const std::vector<row> rows = [] {
    std::vector<row> all = rows_of_operators();
    for (const row& r : rows_of_composed_operators()) all.push_back(r);
    for (const row& r : rows_of_stored_operators()) all.push_back(r);
    return all;
  }();
  return rows;
}

std::vector<std::byte> stored(const data& d) {
  switch (d.type) {
    case float32:
      return bytes_of<float>(d.numbers);
    case int32:
      return bytes_of<std::int32_t>(d.numbers);
    case int64:
      return bytes_of<std::int64_t>(d.numbers);
    case uint64:
      return bytes_of<std::uint64_t>(d.numbers);
    case int16:
      return bytes_of<std::int16_t>(d.numbers);
    case uint8:
      return bytes_of<std::uint8_t>(d.numbers);
    default:
      return bytes_of<std::int8_t>(d.numbers);
  }
}

/// The operator alone in a file; what is no constant is an input.
file file_of(const row& r, std::vector<std::vector<double>>& inputs) {
  file made;
  call c{r.builtin, {}, {}, r.with};
  for (const data& d : r.inputs) {
    if (d.type < 0) {
      c.inputs.push_back(-1);
      continue;
    }
    const int index = made.add({d.type, d.shape, "in" + std::to_string(made.tensors.size()),
                                d.is_constant ? stored(d) : std::vector<std::byte>(), d.quantization});
    c.inputs.push_back(index);
    if (d.is_constant) continue;
    made.inputs.push_back(index);
    inputs.push_back(d.numbers);
  }
  for (const data& d : r.outputs) {
    c.outputs.push_back(made.add({d.type, d.shape, "out" + std::to_string(made.tensors.size()), {}, d.quantization}));
    made.outputs.push_back(c.outputs.back());
  }
  made.calls.push_back(c);
  return made;
}

const char* name_of(int type) {
  switch (type) {
    case float32:
      return "f32";
    case int32:
      return "i32";
    case int64:
      return "i64";
    case int16:
      return "i16";
    case boolean:
      return "boolean";
    case uint8:
      return "u8";
    case uint64:
      return "u64";
    default:
      return "i8";
  }
}

void check_output(const result_tensor& got, const data& expected) {
  CHECK(got.type == name_of(expected.type));
  CHECK(got.shape == std::vector<std::int64_t>(expected.shape.begin(), expected.shape.end()));
  REQUIRE(got.numbers.size() == expected.numbers.size());
  for (std::size_t k = 0; k < got.numbers.size(); ++k) {
    const double is = got.numbers[k], should_be = expected.numbers[k];
    if (is != should_be) CHECK(is == doctest::Approx(should_be).epsilon(1e-6));
  }
}

TEST_CASE("tflite: every operator computes what its row says") {
  for (const row& r : all_rows()) {
    CAPTURE(r.name);
    CAPTURE(r.what);
    std::vector<std::vector<double>> inputs;
    const file made = file_of(r, inputs);
    const outcome got = run_file(made.bytes(), inputs);
    REQUIRE(got.error == "");
    REQUIRE(got.outputs.size() == r.outputs.size());
    for (std::size_t k = 0; k < got.outputs.size(); ++k) check_output(got.outputs[k], r.outputs[k]);
  }
}

/// The same file with unknown extents: all but the last one, which counts channels. Shapes and numbers for its inputs.
struct file_of_any_shape {
  std::vector<std::vector<double>> inputs;
  std::vector<std::vector<std::int64_t>> shapes;
  file made;

  explicit file_of_any_shape(const row& r) : made(file_of(r, inputs)) {
    for (const std::int32_t i : made.inputs) {
      const auto& shape = forget_extents(i);
      shapes.push_back({shape.begin(), shape.end()});
    }
    for (const std::int32_t i : made.outputs) forget_extents(i);
  }

 private:
  const std::vector<std::int32_t>& forget_extents(std::int32_t i) {
    tensor& t = made.tensors[static_cast<std::size_t>(i)];
    t.signature = t.shape;
    for (std::size_t axis = 0; axis + 1 < t.shape.size(); ++axis) t.signature[axis] = -1;
    return t.shape;
  }
};

TEST_CASE("tflite: extents that stay unknown until a run change no result, or are refused where they must be known") {
  // SQUEEZE without axes: an extent that turns out to be 1 would change the rank.
  for (const row& r : all_rows()) {
    CAPTURE(r.name);
    CAPTURE(r.what);
    const file_of_any_shape f(r);
    if (f.shapes.empty()) continue;
    const outcome got = run_resized(f.made.bytes(), f.shapes, f.inputs);
    if (r.name == std::string("SQUEEZE") && !got.error.empty()) continue;
    REQUIRE(got.error == "");
    for (std::size_t k = 0; k < got.outputs.size(); ++k) check_output(got.outputs[k], r.outputs[k]);
  }
}

TEST_CASE("tflite: every operator that is read has a row, under the number that TensorFlow gives it") {
  for (const std::string& name : names_of_operators()) {
    CAPTURE(name);
    CHECK(std::ranges::any_of(all_rows(), [&](const row& r) { return r.name == name; }));
  }
  for (const row& r : all_rows()) {
    std::vector<std::vector<double>> inputs;
    file made = file_of(r, inputs);
    made.calls[0].inputs.clear();
    CHECK(load_file(made.bytes())
              .error.starts_with(std::string("subgraph 0: operator 0 ") + r.name + ": inputs: got 0, expected "));
  }
}

TEST_CASE("tflite: options of another kind are refused by every operator that reads its own") {
  // The others follow their outputs' number and types.
  const std::string follow_outputs[] = {"ARG_MAX", "ARG_MIN", "CAST", "SHAPE", "SPLIT", "SPLIT_V"};
  for (const row& r : all_rows()) {
    if (r.with.fields.empty() || std::ranges::count(follow_outputs, r.name) > 0) continue;
    CAPTURE(r.name);
    CAPTURE(r.what);
    std::vector<std::vector<double>> inputs;
    file made = file_of(r, inputs);
    made.calls[0].with.tag = 90;
    CHECK(load_file(made.bytes()).error == std::string("subgraph 0: operator 0 ") + r.name +
                                               ": options: got kind 90, expected kind " + std::to_string(r.with.tag));
  }
}

}  // namespace
