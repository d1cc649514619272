// subgraphs_test: operators of .tflite files that call subgraphs - their operators stand in the network as often as
// they run.
#include <doctest/doctest.h>

#include <string>

#include "../../support/tflite_file.hpp"
#include "run_file.hpp"

namespace {

using namespace tflite_test;

constexpr int call_code = 31, fully_connected = 9, gather = 36, if_code = 118, less = 58, equal = 71, mul = 18,
              strided_slice = 45, add_code = 0, shape_code = 77, while_code = 119;

tensor floats(std::vector<std::int32_t> shape, std::string name) { return {float32, shape, name}; }
tensor integers(std::vector<std::int32_t> shape, std::string name, std::vector<double> numbers = {}) {
  return {int32, shape, name, bytes_of<std::int32_t>(numbers)};
}
tensor truth(std::string name) { return {boolean, {}, name}; }
options calls(int first) { return {16, {{0, std::int32_t{first}}}}; }
options chooses(int first, int second) { return {92, {{0, std::int32_t{first}}, {1, std::int32_t{second}}}}; }
options loops(int condition, int body) { return {93, {{0, std::int32_t{condition}}, {1, std::int32_t{body}}}}; }

/// y = factor x.
subgraph times(double factor) {
  subgraph g;
  g.tensors = {floats({2}, "x"), {float32, {1}, "factor", bytes_of<float>({factor})}, floats({2}, "y")};
  g.calls = {{mul, {0, 1}, {2}}};
  g.inputs = {0}, g.outputs = {2};
  return g;
}
/// y is what an operator of subgraphs makes of x.
file of_one(call c) {
  file f;
  f.tensors = {floats({2}, "x"), floats({2}, "y")};
  f.calls = {std::move(c)};
  f.inputs = {0}, f.outputs = {1};
  return f;
}

TEST_CASE("tflite: CALL puts the operators of a subgraph in its place, each time it is called") {
  file f = of_one({call_code, {0}, {2}, calls(1)});
  f.add(floats({2}, "between"));
  f.calls.push_back({call_code, {2}, {1}, calls(2)});
  f.called = {times(2), times(5)};
  f.called[1].tensors.push_back(floats({2}, "z"));  // 5 (2 x)
  f.called[1].calls = {{call_code, {0}, {3}, calls(1)}, {mul, {3, 1}, {2}}};
  const outcome got = run_file(f.bytes(), {{1, -3}});
  REQUIRE(got.error == "");
  CHECK(got.nodes == std::vector<std::string>{"mul", "mul", "mul"});
  CHECK(got.outputs[0].numbers == std::vector<double>{20, -60});
}

TEST_CASE("tflite: IF takes the subgraph that a known condition chooses, and leaves the other out") {
  for (const bool is_true : {false, true}) {
    file f = of_one({if_code, {2, 0}, {1}, chooses(1, 2)});
    f.add({boolean, {}, "condition", bytes_of<std::int8_t>({is_true ? 1.0 : 0.0})});
    f.called = {times(2), times(5)};
    const outcome got = run_file(f.bytes(), {{1, -3}});
    REQUIRE(got.error == "");
    CHECK(got.nodes == std::vector<std::string>{"mul"});
    CHECK(got.outputs[0].numbers == (is_true ? std::vector<double>{2, -6} : std::vector<double>{5, -15}));
  }
}

/// i < limit.
subgraph counts_up() {
  subgraph g;
  g.tensors = {integers({}, "i"), integers({}, "limit"), floats({2}, "x"), truth("goes_on")};
  g.calls = {{less, {0, 1}, {3}, {41, {}}}};
  g.inputs = {0, 1, 2}, g.outputs = {3};
  return g;
}
/// i + 1, limit, factor x.
subgraph counted(double factor) {
  subgraph g;
  g.tensors = {integers({}, "i"),
               integers({}, "limit"),
               floats({2}, "x"),
               integers({}, "one", {1}),
               {float32, {1}, "factor", bytes_of<float>({factor})},
               integers({}, "next"),
               floats({2}, "y")};
  g.calls = {{add_code, {0, 3}, {5}, {11, {}}}, {mul, {2, 4}, {6}}};
  g.inputs = {0, 1, 2}, g.outputs = {5, 1, 6};
  return g;
}
/// x times 3 as often as the limit says.
file loop(int limit) {
  file f = of_one({while_code, {2, 3, 0}, {4, 5, 1}, loops(1, 2)});
  f.tensors.insert(f.tensors.end(), {integers({}, "from", {0}), integers({}, "limit", {static_cast<double>(limit)}),
                                     integers({}, "last"), integers({}, "limit_again")});
  f.called = {counts_up(), counted(3)};
  return f;
}

TEST_CASE("tflite: WHILE is unrolled, as often as constants say") {
  double factor = 1;
  for (const int trips : {0, 1, 3, 7}) {
    CAPTURE(trips);
    while (factor < std::vector<double>{1, 3, 27, 2187}[trips == 7   ? 3
                                                        : trips == 3 ? 2
                                                                     : static_cast<std::size_t>(trips)])
      factor *= 3;
    file f = loop(trips);
    f.outputs = {1, 4};  // what it counted is known, too
    const outcome got = run_file(f.bytes(), {{1, -2}});
    REQUIRE(got.error == "");
    CHECK(got.nodes.size() == static_cast<std::size_t>(trips));
    CHECK(got.outputs[0].numbers == std::vector<double>{factor, -2 * factor});
    CHECK(got.outputs[1].numbers == std::vector<double>{static_cast<double>(trips)});
  }
}

/// A loop over the rows of x, as many as it has: the sum of row i times i + 1.
file loop_over_rows() {
  file f;
  f.tensors = {floats({4, 2}, "x"),       integers({2}, "shape"), integers({1}, "zero", {0}),
               integers({1}, "one", {1}), integers({}, "rows"),   integers({}, "from", {0}),
               floats({2}, "sum"),        integers({}, "last"),   integers({}, "rows_again"),
               floats({4, 2}, "x_again"), floats({2}, "y"),       {float32, {2}, "none", bytes_of<float>({0, 0})}};
  f.calls = {{shape_code, {0}, {1}, {55, {{0, std::int8_t{int32}}}}},
             {strided_slice, {1, 2, 3, 3}, {4}, {32, {{4, std::int32_t{1}}}}},
             {while_code, {5, 4, 0, 11}, {7, 8, 9, 10}, loops(1, 2)}};
  f.inputs = {0}, f.outputs = {10};
  subgraph condition = counts_up();
  condition.tensors[2] = floats({4, 2}, "x");
  condition.tensors.push_back(floats({2}, "sum"));
  condition.inputs.push_back(4);
  subgraph body;
  body.tensors = {integers({}, "i"),        integers({}, "rows"), floats({4, 2}, "x"), floats({2}, "sum"),
                  integers({}, "one", {1}), integers({}, "next"), floats({2}, "row"),  floats({}, "weight"),
                  floats({2}, "weighed"),   floats({2}, "more")};
  body.calls = {{add_code, {0, 4}, {5}, {11, {}}},
                {gather, {2, 0}, {6}, {23, {}}},
                {53, {5}, {7}, {37, {}}},
                {mul, {6, 7}, {8}},
                {add_code, {3, 8}, {9}, {11, {}}}};
  body.inputs = {0, 1, 2, 3}, body.outputs = {5, 1, 2, 9};
  f.called = {condition, body};
  return f;
}

TEST_CASE("tflite: WHILE is unrolled as often as the shape of an input says") {
  const outcome got = run_file(loop_over_rows().bytes(), {{1, 10, 2, 20, 3, 30, 4, 40}});
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].numbers == std::vector<double>{1 + 4 + 9 + 16, 10 + 40 + 90 + 160});
  file f = loop_over_rows();
  f.tensors[0].signature = {-1, 2};
  CHECK(load_file(f.bytes(), true).error ==
        "subgraph 0: operator 2 WHILE: the number of trips depends on extents that are unknown; nnrt reads those that "
        "follow from shapes and constants");
}

/// As converters write a recurrent layer that nothing has fused: row i of the result is row i of x and the sum of the
/// rows before, put into a list that is cut before and after it.
file loop_over_a_list() {
  file f;
  f.tensors = {floats({3, 2}, "x"),
               integers({}, "from", {0}),
               {float32, {2}, "begin", bytes_of<float>({0, 0})},
               {float32, {3, 2}, "empty", bytes_of<float>({0, 0, 0, 0, 0, 0})},
               integers({}, "last"),
               floats({2}, "sum"),
               floats({3, 2}, "y"),
               floats({3, 2}, "x_again")};
  f.calls = {{while_code, {1, 2, 3, 0}, {4, 5, 6, 7}, loops(1, 2)}};
  f.inputs = {0}, f.outputs = {6};
  subgraph condition, body;
  condition.tensors = {integers({}, "i"),   floats({2}, "sum"),         floats({3, 2}, "list"),
                       floats({3, 2}, "x"), integers({}, "limit", {3}), truth("goes_on")};
  condition.calls = {{less, {0, 4}, {5}, {41, {}}}};
  condition.inputs = {0, 1, 2, 3}, condition.outputs = {5};
  constexpr int slice = 65, pack = 83, expand_dims = 70, concatenation = 2;
  const auto unknown_rows = [](std::string name) {
    tensor t = floats({1, 2}, name);
    t.signature = {-1, 2};
    return t;
  };
  body.tensors = {integers({}, "i"),
                  floats({2}, "sum"),
                  floats({3, 2}, "list"),
                  floats({3, 2}, "x"),
                  integers({}, "one", {1}),
                  integers({}, "next"),
                  floats({2}, "row"),
                  floats({2}, "more"),
                  integers({}, "zero", {0}),
                  integers({}, "all", {-1}),
                  integers({2}, "none", {0, 0}),
                  integers({2}, "head_size"),
                  integers({2}, "tail_begin"),
                  integers({2}, "tail_size", {-1, -1}),
                  unknown_rows("head"),
                  unknown_rows("tail"),
                  floats({1, 2}, "item"),
                  floats({3, 2}, "longer")};
  body.calls = {{add_code, {0, 4}, {5}, {11, {}}},
                {gather, {3, 0}, {6}, {23, {}}},
                {add_code, {1, 6}, {7}, {11, {}}},
                {pack, {0, 9}, {11}, {59, {{0, std::int32_t{2}}}}},
                {pack, {5, 8}, {12}, {59, {{0, std::int32_t{2}}}}},
                {slice, {2, 10, 11}, {14}, {48, {}}},
                {slice, {2, 12, 13}, {15}, {48, {}}},
                {expand_dims, {7, 8}, {16}, {52, {}}},
                {concatenation, {14, 16, 15}, {17}, {10, {{0, std::int32_t{0}}}}}};
  body.inputs = {0, 1, 2, 3}, body.outputs = {5, 7, 17, 3};
  f.called = {condition, body};
  return f;
}

TEST_CASE("tflite: a list that grows row by row in a loop is cut where there is nothing before or after, too") {
  const outcome got = run_file(loop_over_a_list().bytes(), {{1, 10, 2, 20, 3, 30}});
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].numbers == std::vector<double>{1, 10, 3, 30, 6, 60});
}

TEST_CASE("tflite: subgraphs in loops are chosen anew with each trip") {
  // x times 3, but 5 in trip 1.
  file f = loop(3);
  subgraph& body = f.called[1];
  body.tensors.push_back(truth("is_one"));
  body.calls[1] = {equal, {0, 3}, {7}, {53, {}}};
  body.calls.push_back({if_code, {7, 2}, {6}, chooses(3, 4)});
  f.called.push_back(times(5));
  f.called.push_back(times(3));
  const outcome got = run_file(f.bytes(), {{1, 2}});
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].numbers == std::vector<double>{45, 90});
}

TEST_CASE("tflite: large constants of a body are one weight for all trips, under another name") {
  constexpr int inner = 300;
  file f = loop(2);
  const auto matrix = [](double one) {  // [2, 300]: sums of all, times one; and [300, 2] of ones
    return tensor{float32, {inner, 2}, "w", bytes_of<float>(std::vector<double>(2 * inner, one))};
  };
  f.add(matrix(1)), f.add(floats({1, inner}, "wide")), f.add(floats({1, 2}, "row"));
  // wide = x w: each is x0 + x1.
  f.tensors[0].shape = f.tensors[1].shape = {1, 2};
  subgraph& body = f.called[1];
  f.called[0].tensors[2].shape = body.tensors[2].shape = body.tensors[6].shape = {1, 2};
  body.tensors.push_back(matrix(0.5)), body.tensors.push_back(floats({1, inner}, "wide"));
  body.tensors.push_back({float32, {2, inner}, "w", bytes_of<float>(std::vector<double>(2 * inner, 1.0 / 64))});
  body.calls[1] = {fully_connected, {2, 7, -1}, {8}, {8, {}}};
  body.calls.push_back({fully_connected, {8, 9, -1}, {6}, {8, {}}});
  f.calls.push_back({fully_connected, {1, 6, -1}, {7}, {8, {}}});
  f.outputs = {7};
  const outcome got = run_file(f.bytes(), {{3, 5}});
  REQUIRE(got.error == "");
  const double once = (3 + 5) * 0.5 * inner / 64, twice = 2 * once * 0.5 * inner / 64;
  REQUIRE(got.outputs[0].numbers.size() == inner);
  CHECK(got.outputs[0].numbers[7] == doctest::Approx(2 * twice));
}

struct spoiled {
  const char* what;
  file (*made)();
  const char* message;
};

/// A chain of subgraphs, each calling the next one.
file chain(int length) {
  file f = of_one({call_code, {0}, {1}, calls(1)});
  for (int i = 1; i < length; ++i) {
    subgraph g = times(1);
    g.calls = {{call_code, {0}, {2}, calls(i + 1)}};
    f.called.push_back(g);
  }
  f.called.push_back(times(2));
  return f;
}
file changed(file f, void (*change)(file&)) {
  change(f);
  return f;
}

const spoiled files[] = {
    {"a condition of data",
     [] {
       file f = of_one({if_code, {2, 0}, {1}, chooses(1, 1)});
       f.add({boolean, {}, "condition"}), f.inputs.push_back(2), f.called = {times(2)};
       return f;
     },
     "subgraph 0: operator 0 IF: the condition depends on numbers that only a run knows; nnrt reads those that follow "
     "from shapes and constants"},
    {"a loop that data ends",
     [] { return changed(loop(3), [](file& f) { f.tensors[3] = integers({}, "limit"), f.inputs.push_back(3); }); },
     "subgraph 0: operator 0 WHILE: the number of trips depends on numbers that only a run knows; nnrt reads those "
     "that follow from shapes and constants"},
    {"a condition that is no boolean",
     [] {
       return changed(of_one({if_code, {0, 0}, {1}, chooses(1, 1)}), [](file& f) { f.called = {times(2)}; });
     },
     "subgraph 0: operator 0 IF: the condition: got f32 [2], expected one boolean"},
    {"a loop's condition of two outputs",
     [] { return changed(loop(3), [](file& f) {
            f.called[0].outputs = {3, 0};
          }); },
     "subgraph 0: operator 0 WHILE: the condition: got 2 outputs of its subgraph, expected one boolean"},
    {"an endless loop", [] { return changed(loop(3), [](file& f) { f.called[1].outputs[0] = 0; }); },
     "subgraph 0: operator 0 WHILE: subgraph 2: called again and again it has more than 8192 operators; nnrt unrolls "
     "no longer loops"},
    {"an endless loop without operators",
     [] {
       return changed(loop(3), [](file& f) {
         f.called[0].calls.clear(), f.called[0].tensors[3].data = bytes_of<std::int8_t>({1});
         f.called[1].calls.clear(), f.called[1].outputs = f.called[1].inputs;
       });
     },
     "subgraph 0: operator 0 WHILE: subgraph 1: called again and again it has more than 8192 operators; nnrt unrolls "
     "no longer loops"},
    {"one that calls itself",
     [] {
       return of_one({call_code, {0}, {1}, calls(0)});
     },
     "subgraph 0: operator 0 CALL: subgraph 0: calls itself"},
    {"two that call each other",
     [] { return changed(chain(2), [](file& f) {
            f.called[1].calls = {{call_code, {0}, {2}, calls(1)}};
          }); },
     "subgraph 0: operator 0 CALL: subgraph 1: operator 0 CALL: subgraph 2: operator 0 CALL: subgraph 1: calls itself"},
    {"no subgraph",
     [] {
       return of_one({call_code, {0}, {1}, calls(7)});
     },
     "subgraph 0: operator 0 CALL: subgraph: got 7, expected one of 1"},
    {"a negative one", [] { return changed(loop(3), [](file& f) { f.calls[0].with = loops(1, -1); }); },
     "subgraph 0: operator 0 WHILE: subgraph: got -1, expected one of 3"},
    {"another number of operands", [] { return changed(chain(1), [](file& f) {
                                          f.calls[0].inputs = {0, 0};
                                        }); },
     "subgraph 0: operator 0 CALL: subgraph 1: inputs: got 2 of the operator that calls it, expected 1"},
    {"another number of results", [] { return changed(chain(1), [](file& f) {
                                         f.called[0].outputs = {2, 0};
                                       }); },
     "subgraph 0: operator 0 CALL: outputs: got 1, expected 2, as many as the subgraph has"},
    {"an operand of another type",
     [] { return changed(chain(1), [](file& f) { f.called[0].tensors[0].type = int32; }); },
     "subgraph 0: operator 0 CALL: subgraph 1: tensor 0 \"x\" is given f32 [2] by the operator that calls the "
     "subgraph, expected i32 [2]"},
    {"an operand that the subgraph has as a constant",
     [] { return changed(chain(1), [](file& f) { f.called[0].inputs = {1}; }); },
     "subgraph 0: operator 0 CALL: subgraph 1: tensor 1 \"factor\" is made by this operator, but is a constant of the "
     "file"},
    {"a result of another type", [] { return changed(chain(1), [](file& f) { f.tensors[1].type = int32; }); },
     "subgraph 0: operator 0 CALL: declared output type must match (got f32, expected i32)"},
    {"a result that nobody makes", [] { return changed(chain(1), [](file& f) { f.called[0].calls.clear(); }); },
     "subgraph 0: operator 0 CALL: subgraph 1: tensor 2 \"y\" is read, but neither an input nor a constant, nor made "
     "by an operator before"},
    {"an operator in it that nnrt lacks",
     [] { return changed(chain(1), [](file& f) { f.called[0].calls[0].builtin = 15; }); },
     "subgraph 0: operator 0 CALL: subgraph 1: operator 0 LSH_PROJECTION: nnrt has no such operator"},
    {"a rule that is broken in it",
     [] {
       return changed(chain(1), [](file& f) {
         f.called[0].tensors[1] = {float32, {3}, "factor", bytes_of<float>({1, 2, 3})};
       });
     },
     "subgraph 0: operator 0 CALL: subgraph 1: operator 0 MUL: mul \"y\": extents must be equal or 1 (got 3, expected "
     "2)"},
    {"a newer version", [] { return changed(chain(1), [](file& f) { f.calls[0].version = 2; }); },
     "subgraph 0: operator 0 CALL: version 2; nnrt knows up to 1"},
    {"options of another kind", [] { return changed(chain(1), [](file& f) { f.calls[0].with = loops(1, 1); }); },
     "subgraph 0: operator 0 CALL: options: got kind 93, expected kind 16"},
};

TEST_CASE("tflite: what nnrt does not read of subgraphs is said with operator, subgraph and reason") {
  for (const spoiled& s : files) {
    CAPTURE(s.what);
    CHECK(load_file(s.made().bytes()).error == s.message);
  }
}

TEST_CASE("tflite: subgraphs call one another eight deep, and no deeper") {
  CHECK(run_file(chain(8).bytes(), {{1, 2}}).outputs[0].numbers == std::vector<double>{2, 4});
  const std::string error = load_file(chain(9).bytes()).error;
  CHECK(error.ends_with("operator 0 CALL: subgraph 9: is called by 9 subgraphs, one in the other, expected at most 8"));
}

TEST_CASE("tflite: subgraphs that share their tensors do not make memory explode") {
  file f = chain(1);
  for (int i = 0; i < 200; ++i) f.calls.push_back({call_code, {0}, {f.add(floats({2}, ""))}, calls(1)});
  for (int i = 0; i < 2000; ++i) f.called[0].tensors.push_back({float32, {2}, "", {}, {}, {}, false, false, 0, 0});
  CHECK(load_file(f.bytes()).error.find("constants and names: got ") != std::string::npos);
}

}  // namespace
