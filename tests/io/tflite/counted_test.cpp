// counted_test: WHERE and UNIQUE in .tflite files - results whose number is known, results of which a run counts the
// first ones, and who may read those.
#include <doctest/doctest.h>

#include <string>

#include "rows.hpp"
#include "run_file.hpp"

namespace {

using namespace tflite_test;

constexpr int gather = 36, cast = 53, sum = 74, shape = 77, equal = 71, unique_of = 103, gather_nd = 107, where = 109,
              concatenation = 2;

tensor named(int type, std::vector<std::int32_t> extents, const char* name, std::vector<std::byte> data = {}) {
  return {type, std::move(extents), name, std::move(data)};
}
using numbers = std::vector<double>;

/// An input of booleans [2, 3], and WHERE of them.
struct where_file : file {
  int condition = add(named(boolean, {2, 3}, "condition")), places = add(named(int64, {1, 2}, "places"));
  where_file() {
    tensors[1].signature = {-1, 2};
    inputs = {condition};
    calls.push_back({where, {condition}, {places}, {85, {}}});
  }
};
const std::vector<numbers> booleans{{0, 1, 1, 0, 0, 1}};

TEST_CASE(
    "tflite: WHERE of what a run computes gives as many places as there may be, and how many of them count as a "
    "further output") {
  where_file f;
  f.outputs = {f.places};
  const outcome got = run_file(f.bytes(), booleans);
  REQUIRE(got.error == "");
  REQUIRE(got.outputs.size() == 2);
  CHECK(got.outputs[0].name == "places");
  CHECK(got.outputs[0].type == "i64");
  CHECK(got.outputs[0].shape == std::vector<std::int64_t>{6, 2});
  CHECK(got.outputs[0].numbers == numbers{0, 1, 0, 2, 1, 2, 0, 0, 0, 0, 0, 0});
  CHECK(got.outputs[1].name == "places_count");
  CHECK(got.outputs[1].type == "i32");
  CHECK(got.outputs[1].numbers == numbers{3});
}

TEST_CASE("tflite: the count's name differs from those of the file's outputs") {
  where_file f;
  const int other = f.add(named(int64, {1, 2}, "places_count"));
  f.tensors.back().signature = {-1, 2};
  f.calls.push_back({cast, {f.places}, {other}, {37, {}}});
  f.outputs = {f.places, other};
  const outcome got = run_file(f.bytes(), booleans);
  REQUIRE(got.error == "");
  REQUIRE(got.outputs.size() == 4);
  CHECK(got.outputs[1].name == "places_count");
  CHECK(got.outputs[2].name == "places_count_1");
  CHECK(got.outputs[3].name == "places_count_count");
  CHECK(got.outputs[1].numbers == got.outputs[0].numbers);
  CHECK(got.outputs[2].numbers == numbers{3});
  CHECK(got.outputs[3].numbers == numbers{3});
}

TEST_CASE("tflite: what is gathered at such places has a row for each, of which as many count") {
  where_file f;
  const int x = f.add(named(float32, {2, 3}, "x")), picked = f.add(named(float32, {1}, "picked"));
  f.tensors.back().signature = {-1};
  f.inputs.push_back(x);
  f.calls.push_back({gather_nd, {x, f.places}, {picked}, {83, {}}});
  f.outputs = {picked};
  const outcome got = run_file(f.bytes(), {booleans[0], {10, 11, 12, 13, 14, 15}});
  REQUIRE(got.error == "");
  REQUIRE(got.outputs.size() == 2);
  CHECK(got.outputs[0].numbers == numbers{11, 12, 15, 10, 10, 10});
  CHECK(got.outputs[1].name == "picked_count");
  CHECK(got.outputs[1].numbers == numbers{3});
}

TEST_CASE("tflite: a mask of rows, as TensorFlow's boolean_mask is written down, keeps rows in order") {
  file f;
  const int mask = f.add(named(boolean, {4}, "mask")), x = f.add(named(float32, {4, 2}, "x")),
            places = f.add(named(int64, {1, 1}, "places"));
  const int list = f.add(named(int64, {1}, "list")), rows = f.add(named(float32, {1, 2}, "rows")),
            column = f.add(named(float32, {1}, "column"));
  const int begin = f.add(named(int32, {2}, "begin", bytes_of<std::int32_t>({0, 1}))),
            end = f.add(named(int32, {2}, "end", bytes_of<std::int32_t>({0, 2})));
  const int ones = f.add(named(int32, {2}, "ones", bytes_of<std::int32_t>({1, 1}))),
            half = f.add(named(float32, {}, "half", bytes_of<float>({0.5})));
  const int halved = f.add(named(float32, {1}, "halved"));
  for (const int i : {places, list, rows, column, halved})
    f.tensors[static_cast<std::size_t>(i)].signature = f.tensors[static_cast<std::size_t>(i)].shape;
  for (const int i : {places, list, rows, column, halved}) f.tensors[static_cast<std::size_t>(i)].signature[0] = -1;
  f.inputs = {mask, x};
  f.calls.push_back({where, {mask}, {places}, {85, {}}});
  f.calls.push_back({43, {places}, {list}, {30, {tflite_test::list(0, {1})}}});  // SQUEEZE
  f.calls.push_back({gather, {x, list}, {rows}, {23, {}}});
  f.calls.push_back({45, {rows, begin, end, ones}, {column}, strided(1, 1, 0, 0, 2)});
  f.calls.push_back({18, {column, half}, {halved}, {21, {}}});  // MUL
  f.outputs = {rows, halved};
  const outcome got = run_file(f.bytes(), {{0, 1, 0, 1}, {10, 20, 30, 40, 50, 60, 70, 80}});
  REQUIRE(got.error == "");
  REQUIRE(got.outputs.size() == 4);
  CHECK(got.outputs[0].numbers == numbers{30, 40, 70, 80, 10, 20, 10, 20});
  CHECK(got.outputs[1].numbers == numbers{20, 40, 10, 10});
  CHECK(got.outputs[2].numbers == numbers{2});
  CHECK(got.outputs[3].name == "halved_count");
  CHECK(got.outputs[3].numbers == numbers{2});

  file shaped = f;  // as a matrix of other rows
  const int two = shaped.add(named(int32, {2}, "two", bytes_of<std::int32_t>({2, -1}))),
            pairs = shaped.add(named(float32, {2, 4}, "pairs"));
  shaped.calls.push_back({22, {rows, two}, {pairs}, {17, {}}});  // RESHAPE
  shaped.outputs = {pairs};
  CHECK(load_file(shaped.bytes()).error ==
        "subgraph 0: operator 5 RESHAPE: output 0: got [2, 4] of 4 rows of which a run counts the first ones, expected "
        "as many rows");
  file backwards = f;
  backwards.tensors[static_cast<std::size_t>(ones)].data = bytes_of<std::int32_t>({-1, 1});
  CHECK(
      load_file(backwards.bytes())
          .error.starts_with("subgraph 0: operator 3 STRIDED_SLICE: input 0: how many rows it has only a run knows; "));
}

/// Numbers of a run [5], and UNIQUE of them.
struct unique_file : file {
  int x = add(named(int32, {5}, "x")), y = add(named(int32, {1}, "y")), at = add(named(int32, {5}, "at"));
  unique_file() {
    tensors[1].signature = {-1};
    inputs = {x};
    calls.push_back({unique_of, {x}, {y, at}, {80, {}}});
  }
};

TEST_CASE("tflite: UNIQUE of what a run computes repeats its first number after those that count") {
  unique_file f;
  f.outputs = {f.y, f.at};
  const outcome got = run_file(f.bytes(), {{7, 3, 7, 1, 3}});
  REQUIRE(got.error == "");
  REQUIRE(got.outputs.size() == 3);
  CHECK(got.outputs[0].numbers == numbers{7, 3, 1, 7, 7});
  CHECK(got.outputs[1].numbers == numbers{0, 1, 0, 2, 1});
  CHECK(got.outputs[2].name == "y_count");
  CHECK(got.outputs[2].numbers == numbers{3});
}

TEST_CASE(
    "tflite: rows looked up once for each different index, and given out again, are all there, and nothing is "
    "counted") {
  unique_file f;
  const int table = f.add(
      named(float32, {8, 2}, "table", bytes_of<float>({0, 1, 10, 11, 20, 21, 30, 31, 40, 41, 50, 51, 60, 61, 70, 71})));
  const int rows = f.add(named(float32, {1, 2}, "rows")), all = f.add(named(float32, {5, 2}, "all"));
  f.calls.push_back({gather, {table, f.y}, {rows}, {23, {}}});
  f.calls.push_back({gather, {rows, f.at}, {all}, {23, {}}});
  f.outputs = {all};
  const outcome got = run_file(f.bytes(), {{7, 3, 7, 1, 3}});
  REQUIRE(got.error == "");
  REQUIRE(got.outputs.size() == 1);
  CHECK(got.outputs[0].numbers == numbers{70, 71, 30, 31, 70, 71, 10, 11, 30, 31});
}

TEST_CASE("tflite: operators that would compute with rows that do not count are refused with the reason") {
  const std::string reason =
      ": input 0: how many rows it has only a run knows; nnrt has as many as there may be, and counts those that are, "
      "which "
      "gathers, operators on elements and outputs of the network can take";
  where_file counted;
  const int extents = counted.add(named(int32, {2}, "extents"));
  counted.calls.push_back({shape, {counted.places}, {extents}, {55, {byte(0, int32)}}});
  counted.outputs = {extents};
  CHECK(load_file(counted.bytes()).error == "subgraph 0: operator 1 SHAPE" + reason);

  unique_file added;
  const int wide = added.add(named(float32, {1}, "wide")),
            axis = added.add(named(int32, {}, "axis", bytes_of<std::int32_t>({0}))),
            all = added.add(named(float32, {}, "all"));
  added.calls.push_back({cast, {added.y}, {wide}, {37, {}}});
  added.calls.push_back({sum, {wide, axis}, {all}, {27, {}}});
  added.outputs = {all};
  CHECK(load_file(added.bytes()).error == "subgraph 0: operator 2 SUM" + reason);

  unique_file along;
  const int table = along.add(named(float32, {1, 8}, "table")), columns = along.add(named(float32, {1, 1}, "columns"));
  along.inputs.push_back(table);
  along.calls.push_back({gather, {table, along.y}, {columns}, {23, {number(0, 1)}}});
  along.outputs = {columns};
  CHECK(load_file(along.bytes()).error == "subgraph 0: operator 1 GATHER: input 1" + reason.substr(9));
}

TEST_CASE("tflite: WHERE of a constant of any size has the exact number of places, which any operator may read") {
  file f;
  numbers mask(5000, 0);
  mask[7] = mask[4321] = 1;
  const int condition = f.add(named(boolean, {50, 100}, "condition", bytes_of<std::int8_t>(mask))),
            places = f.add(named(int64, {2, 2}, "places"));
  const int twice = f.add(named(int64, {4, 2}, "twice"));
  f.calls.push_back({where, {condition}, {places}, {85, {}}});
  f.calls.push_back({concatenation, {places, places}, {twice}, {10, {number(0, 0)}}});
  f.outputs = {twice};
  const outcome got = run_file(f.bytes(), {});
  REQUIRE(got.error == "");
  REQUIRE(got.outputs.size() == 1);
  CHECK(got.outputs[0].numbers == numbers{0, 7, 43, 21, 0, 7, 43, 21});
}

TEST_CASE("tflite: the same of what follows from shapes") {
  file f;
  const int x = f.add(named(float32, {4, 2, 4}, "x")), extents = f.add(named(int32, {3}, "extents")),
            four = f.add(named(int32, {}, "four", bytes_of<std::int32_t>({4})));
  const int is_four = f.add(named(boolean, {3}, "is four")), axes = f.add(named(int64, {2, 1}, "axes"));
  f.inputs = {x};
  f.calls.push_back({shape, {x}, {extents}, {55, {byte(0, int32)}}});
  f.calls.push_back({equal, {extents, four}, {is_four}, {53, {}}});
  f.calls.push_back({where, {is_four}, {axes}, {85, {}}});
  f.outputs = {axes};
  const outcome got = run_file(f.bytes(), {numbers(32, 1)});
  REQUIRE(got.error == "");
  REQUIRE(got.outputs.size() == 1);
  CHECK(got.outputs[0].numbers == numbers{0, 2});
}

TEST_CASE("tflite: WHERE and UNIQUE are refused in words where they have other operands than TensorFlow Lite takes") {
  const auto error_of = [](const row& r) {
    std::vector<std::vector<double>> unused;
    return load_file(file_of(r, unused).bytes()).error;
  };
  const data places{int64, {1, 1}, {0}};
  CHECK(error_of({"", where, "", {q({2}, {0, 1}, 0.5F, 0)}, {85, {}}, {places}}) ==
        "subgraph 0: operator 0 WHERE: input 0: got quantised i8 [2] that a run computes or is given, expected numbers "
        "without a scale");
  CHECK(error_of({"", where, "", {b({2}, {0, 1})}, {85, {}}, {i({1, 1}, {0})}}) ==
        "subgraph 0: operator 0 WHERE: output 0: got i32 [1, 1], expected i64 [2, 1]");
  CHECK(error_of({"", unique_of, "", {i({1, 2}, {0, 1})}, {80, {}}, {i({1}, {0}), i({2}, {0, 1})}}) ==
        "subgraph 0: operator 0 UNIQUE: input 0: got i32 [1, 2] that a run computes or is given, expected a list of "
        "f32, i8, u8, i16, i32 or i64");
  CHECK(error_of({"", unique_of, "", {b({2}, {0, 1})}, {80, {}}, {b({1}, {0}), i({2}, {0, 1})}}) ==
        "subgraph 0: operator 0 UNIQUE: input 0: got boolean [2] that a run computes or is given, expected a list of "
        "f32, i8, u8, i16, i32 or i64");
  CHECK(error_of({"", unique_of, "", {i({2}, {0, 1})}, {80, {byte(0, int16)}}, {i({1}, {0}), i({2}, {0, 1})}}) ==
        "subgraph 0: operator 0 UNIQUE: options: got indices of INT16, expected INT32 or INT64");
}

TEST_CASE(
    "tflite: NON_MAX_SUPPRESSION and ATAN2 are refused in words where they have other operands than TensorFlow Lite "
    "takes") {
  const auto error_of = [](const row& r) {
    std::vector<std::vector<double>> unused;
    return load_file(file_of(r, unused).bytes()).error;
  };
  const data boxes = f({1, 4}, {0, 0, 1, 1}), scores = f({1}, {1}), half = constant({}, {0.5});
  const std::string v4 = "subgraph 0: operator 0 NON_MAX_SUPPRESSION_V4: ",
                    v5 = "subgraph 0: operator 0 NON_MAX_SUPPRESSION_V5: ";
  const std::vector<data> found{i({1}, {0}), i({}, {1})};
  CHECK(error_of({"", 120, "", {boxes, scores, i({}, {1}), half, half}, {95, {}}, found}) ==
        v4 + "input 2: got i32 [] that a run computes or is given, expected integers that are known before the network "
             "runs");
  CHECK(error_of({"", 120, "", {q({1, 4}, {0, 0, 1, 1}, 1, 0), scores, integer(1), half, half}, {95, {}}, found}) ==
        v4 + "input 0: got quantised i8 [1, 4] that a run computes or is given, expected f32");
  CHECK(error_of({"", 120, "", {boxes, scores, integer(1), integer(1), half}, {95, {}}, found}) ==
        v4 + "input 3: got i32 [], expected f32");
  CHECK(error_of({"",
                  121,
                  "",
                  {boxes, scores, integer(1), half, half, constant({}, {-1})},
                  {96, {}},
                  {found[0], scores, found[1]}}) == v5 + "input 5: got a sigma of -1, expected at least 0");
  CHECK(error_of({"", 156, "", {f({2}, {1, 2}), f({1}, {1})}, {122, {}}, {f({2}, {1, 2})}}) ==
        "subgraph 0: operator 0 ATAN2: input 1: got f32 [1], expected f32 [2], as input 0");
  CHECK(error_of({"", 156, "", {i({2}, {1, 2}), i({2}, {1, 1})}, {122, {}}, {i({2}, {1, 2})}}) ==
        "subgraph 0: operator 0 ATAN2: input 0: got i32 [2] that a run computes or is given, expected f32 or f64");
}

}  // namespace
