// variables_test: variables of .tflite files are states of the network - what READ_VARIABLE sees, what the next run
// begins with.
#include <doctest/doctest.h>

#include <string>

#include "../../support/tflite_file.hpp"
#include "run_file.hpp"

namespace {

using namespace tflite_test;

constexpr int add_code = 0, call_once = 129, concatenation = 2, mul = 18, relu = 19, strided_slice = 45,
              var_handle = 142, read_variable = 143, assign_variable = 144;

tensor floats(std::vector<std::int32_t> shape, std::string name) { return {float32, shape, name}; }
tensor handle(std::string name = "handle") { return {resource, {}, name}; }
call named(std::int32_t to, std::string name, std::string container = "") {
  return {var_handle, {}, {to}, {111, {{0, container}, {1, name}}}};
}
call read(std::int32_t from, std::int32_t to) { return {read_variable, {from}, {to}, {112, {}}}; }
call assign(std::int32_t to, std::int32_t from) { return {assign_variable, {to, from}, {}, {113, {}}}; }
call once(std::int32_t subgraph) { return {call_once, {}, {}, {103, {{0, subgraph}}}}; }
call sum(std::int32_t a, std::int32_t b, std::int32_t to) { return {add_code, {a, b}, {to}, {11, {}}}; }

/// Assigns a constant to a variable.
subgraph begins_as(tensor constant, std::string name) {
  subgraph g;
  g.tensors = {handle(), std::move(constant)};
  g.calls = {named(0, name), assign(0, 1)};
  return g;
}
tensor constant(std::vector<double> numbers) {
  return {float32, {static_cast<std::int32_t>(numbers.size())}, "first", bytes_of<float>(numbers)};
}

/// y = total + x, and that is the total from then on, which begins with 1, 2.
file running_sum() {
  file f;
  f.tensors = {floats({2}, "x"), handle(), floats({2}, "total"), floats({2}, "y")};
  f.calls = {once(1), named(1, "sum"), read(1, 2), sum(2, 0, 3), assign(1, 3)};
  f.inputs = {0}, f.outputs = {3};
  f.called = {begins_as(constant({1, 2}), "sum")};
  return f;
}

std::vector<std::vector<double>> numbers_of(const std::vector<outcome>& runs, std::size_t output = 0) {
  std::vector<std::vector<double>> numbers;
  for (const outcome& one : runs) {
    REQUIRE(one.error == "");
    numbers.push_back(one.outputs[output].numbers);
  }
  return numbers;
}
using rows = std::vector<std::vector<double>>;

TEST_CASE("tflite: a variable begins with what CALL_ONCE assigns, and lives from run to run until a reset") {
  const auto runs = run_in_turn(running_sum().bytes(), {{{10, 20}}, {{1, 1}}, {{0, 5}}, {{10, 20}}}, 3);
  CHECK(numbers_of(runs) == rows{{11, 22}, {12, 23}, {12, 28}, {11, 22}});
  REQUIRE(runs[0].states.size() == 1);
  CHECK(runs[0].states[0].name == "sum");
  CHECK(runs[0].states[0].shape == std::vector<std::int64_t>{2});
  CHECK(runs[0].inputs.size() == 1);
  CHECK(runs[0].nodes == std::vector<std::string>{"add"});
}

TEST_CASE(
    "tflite: a variable is what it was before it is assigned, the new value after, and the last one in the next run") {
  file f = running_sum();
  const int before = 2, between = f.add(floats({2}, "between")), doubled = f.add(floats({2}, "doubled")),
            other = f.add(handle("other")), after = f.add(floats({2}, "after")), negative = f.add(floats({2}, "kept"));
  f.calls.push_back(read(1, between));
  f.calls.push_back(sum(between, between, doubled));
  f.calls.push_back(named(other, "sum"));  // another handle of the same variable
  f.calls.push_back(assign(other, doubled));
  f.calls.push_back(read(1, after));
  f.calls.push_back(assign(1, 0));
  f.calls.push_back({relu, {after}, {negative}});
  f.outputs = {before, between, negative};
  const auto runs = run_in_turn(f.bytes(), {{{10, 20}}, {{3, 4}}});
  CHECK(numbers_of(runs, 0) == rows{{1, 2}, {10, 20}});  // x of the run before
  CHECK(numbers_of(runs, 1) == rows{{11, 22}, {13, 24}});
  CHECK(numbers_of(runs, 2) == rows{{22, 44}, {26, 48}});
}

TEST_CASE("tflite: a variable that is only read stays, and one that is assigned before it is read is no state") {
  file f = running_sum();
  f.calls.pop_back();
  CHECK(numbers_of(run_in_turn(f.bytes(), {{{10, 20}}, {{10, 20}}})) == rows{{11, 22}, {11, 22}});
  f.calls = {named(1, "sum"), assign(1, 0), read(1, 2), sum(2, 0, 3)};
  const auto runs = run_in_turn(f.bytes(), {{{10, 20}}, {{1, 2}}});
  CHECK(numbers_of(runs) == rows{{20, 40}, {2, 4}});
  CHECK(runs[0].states.empty());
}

TEST_CASE("tflite: an output may be a variable that no operator reads, and is what that begins with") {
  file f;
  f.tensors = {floats({2}, "x"), floats({2}, "total")};
  f.tensors[1].is_variable = true;
  f.inputs = {0}, f.outputs = {1};
  const auto runs = run_in_turn(f.bytes(), {{{10, 20}}, {{1, 2}}});
  CHECK(numbers_of(runs) == rows{{0, 0}, {0, 0}});
  REQUIRE(runs[0].states.size() == 1);
  CHECK(runs[0].states[0].name == "total");
}

TEST_CASE("tflite: variables of one name in two containers are two, and each has a name as a state") {
  file f = running_sum();
  const int other = f.add(handle("other")), old = f.add(floats({2}, "old")), unnamed = f.add(handle("unnamed")),
            third = f.add(floats({2}, "third"));
  f.calls.insert(f.calls.end(), {once(2),
                                 once(3),
                                 once(3),
                                 named(other, "sum", "elsewhere"),
                                 read(other, old),
                                 assign(other, 0),
                                 {var_handle, {}, {unnamed}},
                                 read(unnamed, third),
                                 assign(unnamed, old)});
  f.called.push_back(begins_as(constant({-1, -2}), "sum"));
  f.called.back().calls[0] = named(0, "sum", "elsewhere");
  f.called.push_back(begins_as(constant({7, 8}), ""));
  f.outputs = {3, old, third};
  const auto runs = run_in_turn(f.bytes(), {{{10, 20}}, {{3, 4}}, {{5, 6}}});
  CHECK(numbers_of(runs, 0) == rows{{11, 22}, {14, 26}, {19, 32}});
  CHECK(numbers_of(runs, 1) == rows{{-1, -2}, {10, 20}, {3, 4}});
  CHECK(numbers_of(runs, 2) == rows{{7, 8}, {-1, -2}, {10, 20}});
  REQUIRE(runs[0].states.size() == 3);
  CHECK(runs[0].states[1].name == "sum_1");
  CHECK(runs[0].states[2].name == "variable");
}

/// The last three frames of bytes, as streaming networks keep them: y joins them and a new one.
file delay_line(quantized first, quantized kept, quantized joined) {
  file f;
  f.tensors = {{int8, {1, 1, 2}, "x", {}, kept},
               handle(),
               {int8, {1, 3, 2}, "old", {}, kept},
               {int8, {1, 4, 2}, "y", {}, kept},
               {int8, {1, 3, 2}, "new", {}, joined}};
  for (const std::vector<double>& list : {std::vector<double>{0, 1, 0}, {0, 0, 0}, {1, 1, 1}})
    f.add({int32, {3}, "list", bytes_of<std::int32_t>(list)});
  f.calls = {once(1),
             named(1, "frames"),
             read(1, 2),
             {concatenation, {2, 0}, {3}, {10, {{0, std::int32_t{1}}}}},
             {strided_slice, {3, 5, 6, 7}, {4}, {32, {{0, std::int32_t{5}}, {1, std::int32_t{7}}}}},
             assign(1, 4)};
  f.inputs = {0}, f.outputs = {3};
  f.called = {
      begins_as({int8, {1, 3, 2}, "first", bytes_of<std::int8_t>({-128, -127, 0, 1, 126, 127}), first}, "frames")};
  return f;
}

TEST_CASE("tflite: bytes in variables stay the same, whatever scale each of their readers and writers declares") {
  const quantized plain{}, q{{0.5F}, {3}}, other{{0.3F}, {-7}};
  for (const auto& scales : {std::array{q, q, q}, {plain, q, q}, {other, q, q}, {q, q, other}, {plain, plain, plain}}) {
    const auto runs =
        run_in_turn(delay_line(scales[0], scales[1], scales[2]).bytes(), {{{5, 6}}, {{7, -8}}, {{9, 10}}, {{11, 12}}});
    CHECK(numbers_of(runs) == rows{{-128, -127, 0, 1, 126, 127, 5, 6},
                                   {0, 1, 126, 127, 5, 6, 7, -8},
                                   {126, 127, 5, 6, 7, -8, 9, 10},
                                   {5, 6, 7, -8, 9, 10, 11, 12}});
    REQUIRE(runs[0].states.size() == 1);
    CHECK(runs[0].states[0].type == "i8");
  }
}

TEST_CASE("tflite: a variable may begin with a large constant, which stays in the file") {
  std::vector<double> first;
  for (int i = 0; i < 1000; ++i) first.push_back(i);
  file f = running_sum();
  f.called = {begins_as(constant(first), "sum")};
  for (const std::size_t i : {0U, 2U, 3U}) f.tensors[i].shape = {1000};
  const auto runs = run_in_turn(f.bytes(), {{std::vector<double>(1000, 0.5)}, {std::vector<double>(1000, 0.25)}});
  CHECK(numbers_of(runs)[0][999] == 999.5);
  CHECK(numbers_of(runs)[1][7] == 7.75);
}

TEST_CASE("tflite: a variable in a loop is assigned with each trip") {
  file f = running_sum();
  // Thrice: total + x.
  f.tensors = {floats({2}, "x"),
               handle(),
               {int32, {}, "from", bytes_of<std::int32_t>({0})},
               floats({2}, "y"),
               {int32, {}, "last"},
               handle("again"),
               floats({2}, "x_again")};
  f.calls = {once(1),
             named(1, "sum"),
             {119, {2, 1, 0}, {4, 5, 6}, {93, {{0, std::int32_t{2}}, {1, std::int32_t{3}}}}},
             read(5, 3)};
  subgraph condition, body;
  condition.tensors = {{int32, {}, "i"},
                       handle(),
                       floats({2}, "x"),
                       {int32, {}, "limit", bytes_of<std::int32_t>({3})},
                       {boolean, {}, "goes_on"}};
  condition.calls = {{58, {0, 3}, {4}, {41, {}}}};
  condition.inputs = {0, 1, 2}, condition.outputs = {4};
  body.tensors = {{int32, {}, "i"},    handle(),
                  floats({2}, "x"),    {int32, {}, "one", bytes_of<std::int32_t>({1})},
                  {int32, {}, "next"}, floats({2}, "total"),
                  floats({2}, "more")};
  body.calls = {sum(0, 3, 4), read(1, 5), sum(5, 2, 6), assign(1, 6)};
  body.inputs = {0, 1, 2}, body.outputs = {4, 1, 2};
  f.called.insert(f.called.end(), {condition, body});
  CHECK(numbers_of(run_in_turn(f.bytes(), {{{10, 20}}, {{1, 2}}})) == rows{{31, 62}, {34, 68}});
}

/// y = total + x, where the total is a tensor that the file calls a variable.
file variable_tensor(int type, quantized q) {
  file f;
  f.tensors = {{type, {2}, "x", {}, q}, {type, {2}, "total", {}, q}, {type, {2}, "y", {}, q}};
  f.tensors[1].is_variable = true;
  f.calls = {sum(1, 0, 2), {relu, {2}, {1}}};
  f.inputs = {0}, f.outputs = {2};
  return f;
}

TEST_CASE("tflite: a tensor that is a variable begins with zeros, and is in the next run what an operator made of it") {
  const auto runs = run_in_turn(variable_tensor(float32, {}).bytes(), {{{1, -2}}, {{10, 20}}, {{0, -30}}, {{1, 1}}});
  CHECK(numbers_of(runs) == rows{{1, -2}, {11, 20}, {11, -10}, {12, 1}});
  REQUIRE(runs[0].states.size() == 1);
  CHECK(runs[0].states[0].name == "total");
  // The zero point stands for 0: steps of 1 from 5.
  const auto bytes = run_in_turn(variable_tensor(int8, {{1}, {5}}).bytes(), {{{6, 3}}, {{15, 25}}});
  CHECK(numbers_of(bytes) == rows{{6, 3}, {16, 25}});
}

struct spoiled {
  const char* what;
  void (*spoil)(file& f);
  const char* message;
};
const spoiled files[] = {
    {"read before it has a value", [](file& f) { f.calls.erase(f.calls.begin()); },
     "subgraph 0: operator 1 READ_VARIABLE: variable \"sum\" is read, but no CALL_ONCE before has assigned it"},
    {"begun after it was read", [](file& f) { f.calls.push_back(once(2)), f.called.push_back(f.called[0]); },
     "subgraph 0: operator 5 CALL_ONCE: subgraph 2: operator 1 ASSIGN_VARIABLE: variable \"sum\" is assigned by "
     "CALL_ONCE after others have read or assigned it"},
    {"begins with what is computed of a weight",
     [](file& f) {
       f.called[0].tensors.push_back(floats({1000}, "positive"));
       f.called[0].tensors[1] = constant(std::vector<double>(1000, 1));
       f.called[0].calls[1] = {relu, {1}, {2}}, f.called[0].calls.push_back(assign(0, 2));
     },
     "subgraph 0: operator 0 CALL_ONCE: subgraph 1: operator 2 ASSIGN_VARIABLE: variable \"sum\" begins as f32 [1000] "
     "that is computed, expected a constant "
     "of the file, or what follows from at most 1024 of its numbers"},
    {"another shape", [](file& f) { f.called[0].tensors[1] = constant({1}); },
     "subgraph 0: \"sum\": f32 [1] cannot become f32 [2]"},
    {"another type", [](file& f) { f.tensors[2].type = int32; },
     "subgraph 0: operator 2 READ_VARIABLE: declared output type must match (got f32, expected i32)"},
    {"a reader of what is no variable", [](file& f) { f.calls[2] = read(0, 2); },
     "subgraph 0: operator 2 READ_VARIABLE: input 0: got a tensor with elements, expected a resource that VAR_HANDLE "
     "makes"},
    {"elements of a handle", [](file& f) { f.calls[3] = sum(1, 0, 3); },
     "subgraph 0: operator 3 ADD: tensor 1 \"handle\" is a resource, expected one that has elements"},
    {"a handle that is an output", [](file& f) { f.outputs = {1}; },
     "subgraph 0: output 0: tensor 1 \"handle\" is a resource, expected one that has elements"},
    {"a handle that nobody makes", [](file& f) { f.calls.erase(f.calls.begin() + 1); },
     "subgraph 0: operator 1 READ_VARIABLE: tensor 1 \"handle\" has elements of RESOURCE, which nnrt does not have"},
    {"a handle that is made twice", [](file& f) { f.calls.push_back(named(1, "sum")); },
     "subgraph 0: operator 5 VAR_HANDLE: tensor 1 \"handle\" is made by this operator, but is an input of the network, "
     "or made by another one before"},
    {"nothing to assign", [](file& f) { f.called[0].calls[1] = assign(0, -1); },
     "subgraph 0: operator 0 CALL_ONCE: subgraph 1: operator 1 ASSIGN_VARIABLE: input 1: got none, expected a tensor"},
    {"no variable", [](file& f) { f.calls[4] = assign(-1, 3); },
     "subgraph 0: operator 4 ASSIGN_VARIABLE: input 0: got none, expected a tensor"},
    {"a subgraph that runs once and gives something", [](file& f) { f.called[0].outputs = {1}; },
     "subgraph 0: operator 0 CALL_ONCE: outputs: got 0, expected 1, as many as the subgraph has"},
    {"a variable tensor of a subgraph that runs once",
     [](file& f) { f.called[0].tensors[1] = floats({2}, "v"), f.called[0].tensors[1].is_variable = true; },
     "subgraph 0: operator 0 CALL_ONCE: subgraph 1: operator 1 ASSIGN_VARIABLE: tensor 1 \"v\" is a variable of a "
     "subgraph that runs once"},
    {"more than a network has",
     [](file& f) {
       for (int i = 0; i < 4096; ++i) f.calls.push_back(named(f.add(handle()), std::to_string(i)));
     },
     "subgraph 0: operator 4100 VAR_HANDLE: variables: got more than 4096"},
    {"a newer version", [](file& f) { f.calls[2].version = 2; },
     "subgraph 0: operator 2 READ_VARIABLE: version 2; nnrt knows up to 1"},
    {"options of another kind", [](file& f) { f.calls[4].with.tag = 112; },
     "subgraph 0: operator 4 ASSIGN_VARIABLE: options: got kind 112, expected kind 113"},
};

TEST_CASE("tflite: what nnrt does not read of variables is said with operator, variable and reason") {
  REQUIRE(load_file(running_sum().bytes()).error == "");
  for (const spoiled& s : files) {
    CAPTURE(s.what);
    file f = running_sum();
    s.spoil(f);
    CHECK(load_file(f.bytes()).error == s.message);
  }
}

}  // namespace
