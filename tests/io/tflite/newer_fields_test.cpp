// newer_fields: tables of a file that say more than the schema which is read are refused by their names, or are known
// to mean nothing.
#include <doctest/doctest.h>

#include <string>

#include "../../support/tflite_file.hpp"
#include "run_file.hpp"

namespace {

using namespace tflite_test;

/// y = relu(x + w), with a signature.
file good() {
  file f;
  f.add({float32, {1, 2}, "x"});
  f.add({float32, {2}, "w", bytes_of<float>({1, -5})});
  f.add({float32, {1, 2}, "sum"});
  f.add({float32, {1, 2}, "y"});
  f.calls = {{0, {0, 1}, {2}, {11, {}}}, {19, {2}, {3}}};
  f.inputs = {0};
  f.outputs = {3};
  f.signatures = {{"main", {{"from", 0}}, {{"to", 3}}}};
  return f;
}
std::string error_of(const file& f) { return load_file(f.bytes(), false, "main").error; }

TEST_CASE("tflite: fields that the schema has not are refused in every table that is read") {
  struct row {
    const char* table;
    int fields;
    const char* where;
  };
  constexpr row table[] = {
      {"Model", 10, ""},
      {"SubGraph", 6, "subgraph 0: "},
      {"Tensor", 11, "subgraph 0: input 0: tensor 0 \"x\" "},
      {"QuantizationParameters", 7, "subgraph 0: input 0: tensor 0 \"x\" "},
      {"Buffer", 3, "subgraph 0: input 0: tensor 0 \"x\" buffer 1: "},
      {"OperatorCode", 4, "subgraph 0: operator 0 ADD: "},
      {"Operator", 14, "subgraph 0: operator 0 ADD: "},
      {"SignatureDef", 5, "signature \"main\": "},
      {"TensorMap", 2, "signature \"main\": "},
  };
  REQUIRE(error_of(good()) == "");
  for (const row& r : table) {
    CAPTURE(r.table);
    for (const int slot : {r.fields, r.fields + 7, r.fields + 300}) {
      file f = good();
      f.further = {{r.table, slot}};
      const int named = slot < r.fields + 64 ? slot : r.fields + 64;
      CHECK(error_of(f) == std::string(r.where) + r.table + ": field " + std::to_string(named) +
                               " is newer than the schema that nnrt reads, which ends with field " +
                               std::to_string(r.fields - 1));
    }
  }
}

TEST_CASE("tflite: fields of the schema that change what an operator or tensor means are refused") {
  struct row {
    further_field field;
    const char* message;
  };
  const row table[] = {
      {{"Operator", 6}, "operator 0 ADD: custom_options_format: got 1, expected 0 (FLEXBUFFERS)"},
      {{"Operator", 7, std::vector<std::uint8_t>{0, 1}},
       "operator 0 ADD: changes input 1, a variable (mutating_variable_inputs)"},
      {{"Operator", 9, std::uint64_t{64}},
       "operator 0 ADD: its options stand after the FlatBuffer (large_custom_options_offset)"},
      {{"Operator", 10, std::uint64_t{64}},
       "operator 0 ADD: its options stand after the FlatBuffer (large_custom_options_offset)"},
      {{"Operator", 11}, "operator 0 ADD: builtin_options_2: got kind 1, expected none"},
      {{"Operator", 12, std::vector<std::uint8_t>{0}}, "operator 0 ADD: builtin_options_2: got kind 0, expected none"},
      {{"Tensor", 9, std::vector<std::uint8_t>{0, 0, 0, 0}},
       "input 0: tensor 0 \"x\" has tensors as elements (variant_tensors)"},
  };
  for (const row& r : table) {
    CAPTURE(r.field.table);
    CAPTURE(r.field.slot);
    file f = good();
    f.further = {r.field};
    CHECK(error_of(f) == std::string("subgraph 0: ") + r.message);
  }
}

TEST_CASE("tflite: fields of the schema that say nothing about results change none") {
  const further_field table[] = {
      {"Operator", 7, std::vector<std::uint8_t>{0, 0}},
      {"Operator", 8, std::vector<std::uint8_t>{}},
      {"Operator", 13, std::uint64_t{1}},
      {"Tensor", 8},
      {"Tensor", 9, std::vector<std::uint8_t>{}},
      {"SubGraph", 5, std::uint64_t{1}},
      {"QuantizationParameters", 0, std::vector<std::uint8_t>{}},
  };
  for (const further_field& field : table) {
    CAPTURE(field.table);
    CAPTURE(field.slot);
    file f = good();
    f.further = {field};
    const outcome got = run_file(f.bytes(), {{1, 2}});
    REQUIRE(got.error == "");
    CHECK(got.outputs[0].numbers == std::vector<double>{2, 0});
  }
}

}  // namespace
