// operators: every builtin operator that is read, each in one file, gives what its definition in TensorFlow says.
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
    for (const row& r : rows_of_quantised_operators()) all.push_back(r);
    for (const row& r : rows_of_sequences()) all.push_back(r);
    return all;
  }();
  return rows;
}

const char* name_of(int type) {
  switch (type) {
    case float32: return "f32";
    case int32: return "i32";
    case int64: return "i64";
    case int16: return "i16";
    case boolean: return "boolean";
    case uint8: return "u8";
    case uint64: return "u64";
    case int8: return "i8";
  }
  return "another type";
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

/// A file with unknown extents: all but the last one, which counts channels. Shapes and numbers for its inputs.
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

/// Operators that mean nothing alone in a file: their tests are subgraphs_test, variables_test, sparse_test and
/// spectra_test.
constexpr std::string_view tested_apart[] = {
    "ASSIGN_VARIABLE", "CALL", "CALL_ONCE", "COMPLEX_ABS", "DENSIFY", "IF", "IMAG",
    "READ_VARIABLE",   "REAL", "RFFT2D",    "VAR_HANDLE",  "WHILE"};

TEST_CASE("tflite: every operator that is read has a row, under the number that TensorFlow gives it") {
  for (const known_operator& known : known_operators()) {
    CAPTURE(known.name);
    if (std::ranges::find(tested_apart, known.name) != std::end(tested_apart)) continue;
    CHECK(std::ranges::any_of(all_rows(), [&](const row& r) { return r.name == known.name; }));
  }
  for (const row& r : all_rows()) {
    std::vector<std::vector<double>> inputs;
    file made = file_of(r, inputs);
    made.calls[0].inputs.clear();
    CHECK(load_file(made.bytes())
              .error.starts_with(std::string("subgraph 0: operator 0 ") + r.name + ": inputs: got 0, expected "));
  }
}

known_operator known_as(const row& r) {
  for (const known_operator& known : known_operators())
    if (known.name == r.name) return known;
  return {};
}
std::string refusal_of(const row& r) { return std::string("subgraph 0: operator 0 ") + r.name + ": "; }

TEST_CASE(
    "tflite: options of another kind are refused by every operator, also by those that have none or read none of "
    "theirs") {
  for (const row& r : all_rows()) {
    CAPTURE(r.name);
    CAPTURE(r.what);
    std::vector<std::vector<double>> inputs;
    file made = file_of(r, inputs);
    made.calls[0].with.tag = 90;
    const int tag = known_as(r).tag;
    CHECK(load_file(made.bytes()).error ==
          refusal_of(r) + "options: got kind 90, expected " + (tag == 0 ? "none" : "kind " + std::to_string(tag)));
    if (r.with.tag != 0) CHECK(r.with.tag == tag);
  }
}

TEST_CASE("tflite: every operator is read up to the newest version that its row knows, and refused beyond it") {
  for (const row& r : all_rows()) {
    CAPTURE(r.name);
    CAPTURE(r.what);
    std::vector<std::vector<double>> inputs;
    file made = file_of(r, inputs);
    const int newest = known_as(r).newest;
    for (const int version : {0, newest}) {
      made.calls[0].version = version;
      CHECK(load_file(made.bytes()).error == "");
    }
    for (const int version : {newest + 1, 9999}) {
      made.calls[0].version = version;
      CHECK(load_file(made.bytes()).error ==
            refusal_of(r) + "version " + std::to_string(version) + "; nnrt knows up to " + std::to_string(newest));
    }
    made.calls[0].version = -1;
    CHECK(load_file(made.bytes()).error == refusal_of(r) + "version -1; nnrt knows 1 up to " + std::to_string(newest));
  }
}

TEST_CASE("tflite: options with a field that is newer than the schema are refused by every operator") {
  for (const row& r : all_rows()) {
    const known_operator known = known_as(r);
    if (known.tag == 0) continue;
    CAPTURE(r.name);
    CAPTURE(r.what);
    for (const int slot : {known.fields, known.fields + 5}) {
      std::vector<std::vector<double>> inputs;
      file made = file_of(r, inputs);
      made.calls[0].with.tag = known.tag;
      made.calls[0].with.fields.push_back(number(slot, 0));
      CHECK(load_file(made.bytes()).error == refusal_of(r) + "options: field " + std::to_string(slot) +
                                                 " is newer than the schema that nnrt reads, in which they have " +
                                                 std::to_string(known.fields) + " fields");
    }
  }
}

struct refused_row {
  row r;
  const char* message;
};

TEST_CASE("tflite: what options say a second time must not contradict the operator") {
  const refused_row table[] = {
      {{"", 49, "SPLIT", {integer(0), f({2}, {1, 2})}, {35, {number(0, 3)}}, {f({1}, {1}), f({1}, {2})}},
       "options: got 3 outputs, expected 2, as many as the operator has"},
      {{"",
        102,
        "SPLIT_V",
        {f({2}, {1, 2}), integers({1, 1}), integer(0)},
        {79, {number(0, 1)}},
        {f({1}, {1}), f({1}, {2})}},
       "options: got 1 outputs, expected 2, as many as the operator has"},
      {{"", 88, "UNPACK", {f({2}, {1, 2})}, {64, {number(0, 1)}}, {f({}, {1}), f({}, {2})}},
       "options: got 1 outputs, expected 2, as many as the operator has"},
      {{"", 83, "PACK", {f({}, {1}), f({}, {2})}, {59, {number(0, 1)}}, {f({2}, {1, 2})}},
       "options: got 1 inputs, expected 2, as many as the operator has"},
      {{"", 56, "ARG_MAX", {f({2}, {1, 2}), integer(0)}, {40, {byte(0, int64)}}, {i({}, {1})}},
       "options: got an output of INT64, expected that of the tensor, i32"},
      {{"", 79, "ARG_MIN", {f({2}, {1, 2}), integer(0)}, {57, {byte(0, int64)}}, {i({}, {0})}},
       "options: got an output of INT64, expected that of the tensor, i32"},
      {{"", 77, "SHAPE", {f({2}, {1, 2})}, {55, {byte(0, int64)}}, {i({1}, {2})}},
       "options: got an output of INT64, expected that of the tensor, i32"},
      {{"",
        9,
        "FULLY_CONNECTED",
        {q({1, 1}, {1}, 1, 0), in_file(q({1, 1}, {1}, 1, 0)), {int32, {1}, {1}, true, {{1}, {0}}}},
        {8, {byte(4, int64)}},
        {q({1, 1}, {2}, 1, 0)}},
       "quantized_bias_type: got INT64, expected that of the bias, i32"},
      {{"",
        9,
        "FULLY_CONNECTED",
        {q({1, 1}, {1}, 1, 0), in_file(q({1, 1}, {1}, 1, 0))},
        {8, {byte(4, int16)}},
        {q({1, 1}, {1}, 1, 0)}},
       "quantized_bias_type: got INT16, expected INT32 or INT64"},
  };
  for (const refused_row& t : table) {
    CAPTURE(t.r.name);
    std::vector<std::vector<double>> inputs;
    CHECK(load_file(file_of(t.r, inputs).bytes()).error == refusal_of(t.r) + t.message);
  }
}

TEST_CASE("tflite: a negative index or begin that only a run knows ends the run, as in TensorFlow Lite") {
  const refused_row table[] = {
      {{"", 36, "GATHER", {f({3}, {1, 2, 3}), i({2}, {0, -1})}, {23, {}}, {f({2}, {1, 3})}},
       "gather \"out2\": indices must lie in the axis (got -1, expected 0) at element 1"},
      {{"",
        36,
        "GATHER",
        {f({2, 2}, {1, 2, 3, 4}), i({2, 1}, {0, -1})},
        {23, {number(0, 1), number(1, 1)}},
        {f({2, 1}, {1, 4})}},
       "gather_nd \"out2\": indices must lie in their axes (got -1, expected 0) at element 3"},
      {{"", 107, "GATHER_ND", {f({2, 3}, {1, 2, 3, 4, 5, 6}), i({1, 2}, {1, -1})}, {83, {}}, {f({1}, {6})}},
       "gather_nd \"out2\": indices must lie in their axes (got -1, expected 0) at element 1"},
      {{"", 122, "SCATTER_ND", {i({1, 1}, {-1}), f({1}, {7}), integers({3})}, {97, {}}, {f({3}, {0, 0, 7})}},
       "scatter_nd \"out3\": indices must lie in their axes (got -1, expected 0) at element 0"},
      {{"", 7, "EMBEDDING_LOOKUP", {i({1}, {-1}), constant({2, 1}, {1, 2})}, {}, {f({1, 1}, {2})}},
       "gather \"out2\": indices must lie in the axis (got -1, expected 0) at element 0"},
      {{"",
        68,
        "SPARSE_TO_DENSE",
        {i({1}, {-1}), integers({3}), f({1}, {7}), constant({}, {0})},
        {50, {}},
        {f({3}, {0, 0, 7})}},
       "sparse_to_dense \"out4\": indices must lie in their axes (got -1, expected 0) at element 0"},
      {{"", 65, "SLICE", {f({4}, {1, 2, 3, 4}), i({1}, {-3}), integers({2})}, {48, {}}, {f({2}, {2, 3})}},
       "strided_slice \"out3\": extent must be that of the output (got 0, expected 2) at element 0"},
      {{"", 65, "SLICE", {f({4}, {1, 2, 3, 4}), i({1}, {-2}), integers({-1})}, {48, {}}, {f({2}, {3, 4})}},
       "strided_slice \"out3\": extent must be that of the output (got 0, expected 2) at element 0"},
  };
  for (const refused_row& t : table) {
    CAPTURE(t.r.name);
    std::vector<std::vector<double>> inputs;
    const std::vector<std::byte> bytes = file_of(t.r, inputs).bytes();
    CHECK(run_file(bytes, inputs).error == t.message);
  }
}

TEST_CASE(
    "tflite: integers are divided by 0, or raised to powers below 0, by no run and no file, as in TensorFlow Lite") {
  const refused_row runs[] = {
      {{"", 95, "FLOOR_MOD", {i({2}, {7, 5}), i({2}, {2, 0})}, {72, {}}, {i({2}, {1, 0})}}, ""},
      {{"", 90, "FLOOR_DIV", {i({2}, {7, 5}), i({2}, {2, 0})}, {65, {}}, {i({2}, {3, 0})}}, ""},
      {{"", 42, "DIV", {i({2}, {7, 5}), i({2}, {2, 0})}, {29, {}}, {i({2}, {3, 0})}}, ""},
      {{"", 78, "POW", {i({2}, {7, 5}), i({2}, {2, -1})}, {56, {}}, {i({2}, {49, 0})}}, ""},
  };
  for (const refused_row& t : runs) {
    CAPTURE(t.r.name);
    std::vector<std::vector<double>> inputs;
    const std::vector<std::byte> bytes = file_of(t.r, inputs).bytes();
    CHECK(run_file(bytes, inputs).error == "assert \"out2\": condition must be true (got 0, expected 1) at element 1");
    inputs[1][1] = 1;
    CHECK(run_file(bytes, inputs).error == "");
  }
  const refused_row constants[] = {
      {{"", 95, "FLOOR_MOD", {i({2}, {7, 5}), integers({2, 0})}, {72, {}}, {i({2}, {1, 0})}},
       "input 1: got divisor 0, expected none that is 0"},
      {{"", 90, "FLOOR_DIV", {i({2}, {7, 5}), in_file(i({1}, {0}))}, {65, {}}, {i({2}, {3, 0})}},
       "input 1: got divisor 0, expected none that is 0"},
      {{"", 42, "DIV", {i({2}, {7, 5}), integers({0, 2})}, {29, {}}, {i({2}, {3, 0})}},
       "input 1: got divisor 0, expected none that is 0"},
      {{"", 78, "POW", {i({2}, {7, 5}), integers({2, -1})}, {56, {}}, {i({2}, {49, 0})}},
       "input 1: got exponent -1, expected none below 0"},
  };
  for (const refused_row& t : constants) {
    CAPTURE(t.r.name);
    std::vector<std::vector<double>> inputs;
    CHECK(load_file(file_of(t.r, inputs).bytes()).error == refusal_of(t.r) + t.message);
  }
}

TEST_CASE("tflite: a negative index in a constant is refused, as TensorFlow Lite does when it runs") {
  std::vector<double> many(5000, 1);
  many[4321] = -2;
  const refused_row table[] = {
      {{"", 36, "GATHER", {f({3}, {1, 2, 3}), integers({0, -1})}, {23, {}}, {f({2}, {1, 3})}},
       "input 1: got index -1, expected none below 0"},
      {{"", 36, "GATHER", {f({3}, {1, 2, 3}), integers(many)}, {}, {f({5000}, many)}},
       "input 1: got index -2, expected none below 0"},
      {{"",
        36,
        "GATHER",
        {f({1, 3}, {1, 2, 3}), in_file(i({1, 1}, {-3}))},
        {23, {number(0, 1), number(1, 1)}},
        {f({1, 1}, {1})}},
       "input 1: got index -3, expected none below 0"},
      {{"", 107, "GATHER_ND", {f({2, 3}, {1, 2, 3, 4, 5, 6}), in_file(i({1, 2}, {1, -1}))}, {83, {}}, {f({1}, {6})}},
       "input 1: got index -1, expected none below 0"},
      {{"", 122, "SCATTER_ND", {in_file(i({1, 1}, {-1})), f({1}, {7}), integers({3})}, {97, {}}, {f({3}, {0, 0, 7})}},
       "input 0: got index -1, expected none below 0"},
      {{"", 7, "EMBEDDING_LOOKUP", {integers({-1}), constant({2, 1}, {1, 2})}, {}, {f({1, 1}, {2})}},
       "input 0: got index -1, expected none below 0"},
  };
  for (const refused_row& t : table) {
    CAPTURE(t.r.name);
    std::vector<std::vector<double>> inputs;
    CHECK(load_file(file_of(t.r, inputs).bytes()).error == refusal_of(t.r) + t.message);
  }
}

}  // namespace
