// sparse_test: constants of which a file has some elements alone get the others, which are 0.
#include <doctest/doctest.h>

#include <string>

#include "../../support/tflite_file.hpp"
#include "run_file.hpp"

namespace {

using namespace tflite_test;

constexpr int dense_of = 124, dequantize = 6, fully_connected = 9;

/// A sparse constant of these elements, through DENSIFY.
file densified(std::vector<std::int32_t> shape, const sparsity& how, const std::vector<double>& stored) {
  file f;
  f.add({float32, shape, "w", bytes_of<float>(stored)});
  f.tensors[0].is_sparse = true, f.tensors[0].sparse = how;
  f.add({float32, shape, "y"});
  f.calls = {{dense_of, {0}, {1}, {99, {}}}};
  f.outputs = {1};
  return f;
}
/// Rows in which the places of what is not 0 are listed: 0 7 0 8 / 0 0 0 0 / 9 0 0 0.
sparsity rows(int width = 4) { return {{0, 1}, {}, {{3}, {0, {0, 2, 2, 3}, {1, 3, 0}, width}}}; }

TEST_CASE("tflite: each format of sparse constants has its elements in their places") {
  struct row {
    const char* what;
    std::vector<std::int32_t> shape;
    sparsity how;
    std::vector<double> stored, all;
  };
  const row table[] = {
      {"compressed rows", {3, 4}, rows(), {7, 8, 9}, {0, 7, 0, 8, 0, 0, 0, 0, 9, 0, 0, 0}},
      {"indices of 16 bits", {3, 4}, rows(2), {7, 8, 9}, {0, 7, 0, 8, 0, 0, 0, 0, 9, 0, 0, 0}},
      {"indices of 8 bits", {3, 4}, rows(1), {7, 8, 9}, {0, 7, 0, 8, 0, 0, 0, 0, 9, 0, 0, 0}},
      {"compressed columns", {3, 2}, {{1, 0}, {}, {{2}, {0, {0, 1, 3}, {2, 0, 1}}}}, {7, 8, 9}, {0, 8, 0, 9, 7, 0}},
      {"no axis compressed", {2, 2}, {{0, 1}, {}, {{2}, {2}}}, {1, 2, 3, 4}, {1, 2, 3, 4}},
      {"both axes compressed",
       {3, 2},
       {{0, 1}, {}, {{0, {0, 2}, {0, 2}}, {0, {0, 1, 2}, {1, 0}}}},
       {5, 6},
       {0, 5, 0, 0, 6, 0}},
      {"blocks of two rows",
       {4, 2},
       {{0, 1, 2}, {0}, {{2}, {0, {0, 1, 2}, {1, 0}}, {2}}},
       {1, 2, 3, 4},
       {0, 1, 0, 2, 3, 0, 4, 0}},
      {"blocks of two by two",
       {4, 4},
       {{0, 1, 2, 3}, {0, 1}, {{2}, {0, {0, 1, 2}, {1, 0}}, {2}, {2}}},
       {1, 2, 3, 4, 5, 6, 7, 8},
       {0, 0, 1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 7, 8, 0, 0}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const outcome got = run_file(densified(r.shape, r.how, r.stored).bytes(), {});
    REQUIRE(got.error == "");
    CHECK(got.outputs[0].numbers == r.all);
  }
}

TEST_CASE("tflite: sparse weights of a layer, and sparse bytes of several scales, are computed with like others") {
  file f;
  f.add({float32, {1, 4}, "x"});
  f.add({float32, {3, 4}, "w", bytes_of<float>({7, 8, 9})});
  f.tensors[1].is_sparse = true, f.tensors[1].sparse = rows();
  f.add({float32, {1, 3}, "y"});
  f.calls = {{fully_connected, {0, 1, -1}, {2}, {8, {}}}};
  f.inputs = {0}, f.outputs = {2};
  const outcome layer = run_file(f.bytes(), {{1, 2, 3, 4}});
  REQUIRE(layer.error == "");
  CHECK(layer.outputs[0].numbers == std::vector<double>{14 + 32, 0, 9});

  f.tensors[1] = {int8, {3, 4}, "w", bytes_of<std::int8_t>({7, 8, 9}), {{0.5F, 1, 2}, {0, 0, 0}, 0}};
  f.tensors[1].is_sparse = true, f.tensors[1].sparse = rows();
  f.tensors[2].shape = {3, 4};
  f.calls = {{dequantize, {1}, {2}, {38, {}}}}, f.inputs = {};
  const outcome real = run_file(f.bytes(), {});
  REQUIRE(real.error == "");
  CHECK(real.outputs[0].numbers == std::vector<double>{0, 3.5, 0, 4, 0, 0, 0, 0, 18, 0, 0, 0});
}

TEST_CASE("tflite: what is wrong with a sparse constant is said, and what is too large is refused") {
  struct row {
    const char* what;
    sparsity how;
    std::vector<double> stored;
    const char* message;
  };
  const row table[] = {
      {"no axes", {}, {7}, "sparsity: got 0 axes and 0 descriptions, expected 2 and one for each of 0 axes of blocks"},
      {"an axis twice", {{0, 0}, {}, {{3}, {4}}}, {7}, "sparsity: axis 1: got 0, expected each axis once"},
      {"no axis", {{0, 7}, {}, {{3}, {4}}}, {7}, "sparsity: axis 1: got 7, expected each axis once"},
      {"another size",
       {{0, 1}, {}, {{3}, {5}}},
       {7},
       "sparsity: axis 1: got 5 indices, which do not make 4 with its blocks"},
      {"blocks that do not fit",
       {{0, 1, 2}, {1}, {{3}, {1}, {3}}},
       {7},
       "sparsity: axis 1: got 1 indices, which do not make 4 with its blocks"},
      {"blocks of no axis", {{0, 1, 2}, {2}, {{3}, {1}, {4}}}, {7}, "sparsity: blocks of axis 2, expected one of 2"},
      {"blocks whose axes change places",
       {{0, 1, 3, 2}, {0, 1}, {{1}, {1}, {4}, {3}}},
       {7},
       "sparsity: axis 2: got 3, expected blocks in their order"},
      {"compressed blocks",
       {{0, 1, 2}, {1}, {{3}, {1}, {0, {0, 1}, {0}}}},
       {7},
       "sparsity: axis 2: got format 1, expected DENSE for blocks"},
      {"segments that go back",
       {{0, 1}, {}, {{3}, {0, {0, 2, 1, 3}, {1, 3, 0}}}},
       {7, 8, 9},
       "sparsity: axis 1: segment 2 ends at 1, expected 2 to 3"},
      {"more indices than there are",
       {{0, 1}, {}, {{3}, {0, {0, 2, 2, 4}, {1, 3, 0}}}},
       {7, 8, 9},
       "sparsity: axis 1: segment 3 ends at 4, expected 2 to 3"},
      {"too few segments",
       {{0, 1}, {}, {{3}, {0, {0, 2}, {1, 3}}}},
       {7, 8},
       "sparsity: its axes do not lead to the 2 elements that are stored"},
      {"an index outside",
       {{0, 1}, {}, {{3}, {0, {0, 1, 1, 1}, {4}}}},
       {7},
       "sparsity: its axes do not lead to the 1 elements that are stored"},
      {"too few elements", rows(), {7, 8}, "sparsity: its axes do not lead to the 2 elements that are stored"},
      {"too many elements", rows(), {7, 8, 9, 10}, "sparsity: its axes do not lead to the 4 elements that are stored"},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(load_file(densified({3, 4}, r.how, r.stored).bytes()).error ==
          std::string("subgraph 0: operator 0 DENSIFY: tensor 0 \"w\" ") + r.message);
  }
  file large = densified({30000, 4}, rows(), {7, 8, 9});
  large.tensors[0].sparse.axes[0].dense_size = 30000;
  CHECK(load_file(large.bytes()).error.find("constants and names: got 960000 bytes to copy") == std::string::npos);
  file huge = densified({3000000, 4}, rows(), {7, 8, 9});
  CHECK(load_file(huge.bytes()).error.find("constants and names: got 96000000 bytes to copy") != std::string::npos);
  file computed = densified({3, 4}, rows(), {7, 8, 9});
  computed.tensors[0] = {float32, {3, 4}, "w"}, computed.inputs = {0};
  CHECK(load_file(computed.bytes()).error ==
        "subgraph 0: operator 0 DENSIFY: input 0: got f32 [3, 4] that a run computes or is given, expected a constant "
        "of the file");
  computed.calls[0].version = 2;
  CHECK(load_file(computed.bytes()).error == "subgraph 0: operator 0 DENSIFY: version 2; nnrt knows up to 1");
}

}  // namespace
