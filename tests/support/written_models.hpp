// written_models: small .tflite files that tests read in programs, and as literals in the compiler.
// Flow: literals/<name>.inc holds what model_literal() makes of each; io/model_literal_test.cpp says so when one is
// old.
#pragma once

#include "flex_node.hpp"
#include "tflite_file.hpp"

namespace tflite_test {

/// y = relu(w x + b): rows of i8 with a scale each, and floats. b is 1, 0, -1, or three other numbers.
inline file hybrid_model(const std::vector<double>& b = {1, 0, -1}) {
  std::vector<double> rows;
  for (int i = 0; i < 12; ++i) rows.push_back(i - 5);
  tensor w{int8, {3, 4}, "w", bytes_of<std::int8_t>(rows)};
  w.quantization = {{0.5F, 0.25F, 0.125F}, {0, 0, 0}, 0};
  file f;
  f.add({float32, {1, 4}, "x"});
  f.add(w);
  f.add({float32, {3}, "b", bytes_of<float>(b)});
  f.add({float32, {1, 3}, "sum"});
  f.add({float32, {1, 3}, "y"});
  f.calls = {{9, {0, 1, 2}, {3}, {8, {}}}, {19, {3}, {4}}};
  f.inputs = {0};
  f.outputs = {4};
  return f;
}

/// y = x as [N, 6], by arithmetic on the shape of x [2, 3, 2]; a second input is there that nobody reads.
inline file shapes_model() {
  file f;
  f.add({float32, {2, 3, 2}, "x"});
  f.add({int32, {3}, "shape"});
  f.add({int32, {1}, "begin", bytes_of<std::int32_t>({0})});
  f.add({int32, {1}, "end", bytes_of<std::int32_t>({1})});
  f.add({int32, {1}, "step", bytes_of<std::int32_t>({1})});
  f.add({int32, {}, "batch"});
  f.add({int32, {}, "rest", bytes_of<std::int32_t>({6})});
  f.add({int32, {2}, "wanted"});
  f.add({float32, {2, 6}, "y"});
  f.add({int32, {1}, "ignored"});
  f.calls = {{77, {0}, {1}, {55, {{0, std::int8_t{2}}}}},
             {45, {1, 2, 3, 4}, {5}, {32, {{4, std::int32_t{1}}}}},
             {83, {5, 6}, {7}, {59, {{0, std::int32_t{2}}}}},
             {22, {0, 7}, {8}}};
  f.inputs = {0, 9};
  f.outputs = {8};
  return f;
}

/// A network with an operator that nnrt does not read.
inline file unread_model() {
  file f;
  f.add({float32, {1, 4}, "x"});
  f.add({float32, {1, 4}, "y"});
  f.calls = {{137, {0}, {1}}};
  f.inputs = {0};
  f.outputs = {1};
  return f;
}

/// A network whose second layer takes more numbers than the first one gives.
inline file broken_model() {
  file f;
  f.add({float32, {1, 2}, "x"});
  f.add({float32, {3, 2}, "w", bytes_of<float>({1, 2, 3, 4, 5, 6})});
  f.add({float32, {1, 3}, "h"});
  f.add({float32, {2, 4}, "v", bytes_of<float>({1, 2, 3, 4, 5, 6, 7, 8})});
  f.add({float32, {1, 2}, "y"});
  f.calls = {{9, {0, 1, -1}, {2}, {8, {}}}, {9, {2, 3, -1}, {4}, {8, {}}}};
  f.inputs = {0};
  f.outputs = {4};
  return f;
}

/// y = total + 2 (2 x), by a loop of two trips; the total is a variable that begins with 1, 2 and becomes y.
inline file streaming_model() {
  file f;
  f.tensors = {{float32, {2}, "x"},     {resource, {}, "handle"},
               {float32, {2}, "total"}, {int32, {}, "from", bytes_of<std::int32_t>({0})},
               {int32, {}, "last"},     {float32, {2}, "fourfold"},
               {float32, {2}, "y"}};
  f.calls = {{129, {}, {}, {103, {{0, std::int32_t{1}}}}},
             {142, {}, {1}, {111, {{1, std::string("sum")}}}},
             {143, {1}, {2}},
             {119, {3, 0}, {4, 5}, {93, {{0, std::int32_t{2}}, {1, std::int32_t{3}}}}},
             {0, {2, 5}, {6}, {11, {}}},
             {144, {1, 6}, {}}};
  f.inputs = {0}, f.outputs = {6};
  subgraph begin, condition, body;
  begin.tensors = {{resource, {}, "handle"}, {float32, {2}, "first", bytes_of<float>({1, 2})}};
  begin.calls = {{142, {}, {0}, {111, {{1, std::string("sum")}}}}, {144, {0, 1}, {}}};
  condition.tensors = {{int32, {}, "i"},
                       {float32, {2}, "x"},
                       {int32, {}, "limit", bytes_of<std::int32_t>({2})},
                       {boolean, {}, "goes_on"}};
  condition.calls = {{58, {0, 2}, {3}}};
  condition.inputs = {0, 1}, condition.outputs = {3};
  body.tensors = {{int32, {}, "i"},
                  {float32, {2}, "x"},
                  {int32, {}, "one", bytes_of<std::int32_t>({1})},
                  {int32, {}, "next"},
                  {float32, {}, "two", bytes_of<float>({2})},
                  {float32, {2}, "twofold"}};
  body.calls = {{0, {0, 2}, {3}, {11, {}}}, {18, {1, 4}, {5}}};
  body.inputs = {0, 1}, body.outputs = {3, 5};
  f.called = {begin, condition, body};
  return f;
}

/// y = softmax of a dense layer of relu of a convolution of x [1, 4, 4, 1]: 18 and 96 weights, of which every third is
/// negative.
inline file convolved_model() {
  const auto weights = [](int count) {
    std::vector<double> all;
    for (int i = 0; i < count; ++i) all.push_back((i % 3 == 0 ? -0.125 : 0.0625) * (1 + i % 5));
    return bytes_of<float>(all);
  };
  file f;
  f.tensors = {{float32, {1, 4, 4, 1}, "x"},
               {float32, {2, 3, 3, 1}, "stem", weights(18)},
               {float32, {2}, "stem_bias", bytes_of<float>({0.5, -0.25})},
               {float32, {1, 4, 4, 2}, "a"},
               {float32, {3, 32}, "head", weights(96)},
               {float32, {3}, "head_bias", bytes_of<float>({0, 0.5, 1})},
               {float32, {1, 3}, "b"},
               {float32, {1, 3}, "y"}};
  f.calls = {{3, {0, 1, 2}, {3}, {1, {{1, std::int32_t{1}}, {2, std::int32_t{1}}, {3, std::int8_t{1}}}}},
             {9, {3, 4, 5}, {6}, {8, {}}},
             {25, {6}, {7}, {9, {{0, 1.0F}}}}};
  f.inputs = {0}, f.outputs = {7};
  return f;
}

/// Rows of y are those of x times 3: a loop takes them out of one list of TensorFlow's and puts them into another one.
inline file listed_model() {
  const auto list_call = [](const std::string& op, std::vector<std::int32_t> inputs, std::int32_t output) {
    return call{32, inputs, {output}, {}, "Flex" + op, -1, flex_options(op, {element_dtype(float_elements)})};
  };
  const tensor list{variant, {}, "list"}, counter{int32, {}, "i"}, two{int32, {}, "two", bytes_of<std::int32_t>({2})},
      row{float32, {2}, "row"}, extents{int32, {1}, "extents", bytes_of<std::int32_t>({2})};
  file f;
  f.tensors = {{float32, {2, 2}, "x"},
               extents,
               two,
               {int32, {}, "from", bytes_of<std::int32_t>({0})},
               list,
               list,
               counter,
               list,
               list,
               {float32, {2, 2}, "y"}};
  f.calls = {list_call("TensorListFromTensor", {0, 1}, 4),
             list_call("TensorListReserve", {1, 2}, 5),
             {119, {3, 4, 5}, {6, 7, 8}, {93, {{0, std::int32_t{1}}, {1, std::int32_t{2}}}}},
             list_call("TensorListStack", {8, 1}, 9)};
  f.inputs = {0}, f.outputs = {9};
  subgraph condition, body;
  condition.tensors = {counter, list, list, two, {boolean, {}, "goes_on"}};
  condition.calls = {{58, {0, 3}, {4}}};
  condition.inputs = {0, 1, 2}, condition.outputs = {4};
  body.tensors = {counter,
                  list,
                  list,
                  extents,
                  {int32, {}, "one", bytes_of<std::int32_t>({1})},
                  counter,
                  row,
                  {float32, {}, "three", bytes_of<float>({3})},
                  row,
                  list};
  body.calls = {{0, {0, 4}, {5}, {11, {}}},
                list_call("TensorListGetItem", {1, 0, 3}, 6),
                {18, {6, 7}, {8}},
                list_call("TensorListSetItem", {2, 0, 8}, 9)};
  body.inputs = {0, 1, 2}, body.outputs = {5, 1, 9};
  f.called = {condition, body};
  return f;
}

/// y = w x + b of 512 numbers, 520 times: above 1 MiB, so that the literal leaves out elements of w. w[i] is i % 13 -
/// 6, and b[i] is i.
inline file large_model() {
  std::vector<double> w(520 * 512), b(520);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<double>(i % 13) - 6;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i);
  file f;
  f.add({float32, {1, 512}, "x"});
  f.add({float32, {520, 512}, "w", bytes_of<float>(w)});
  f.add({float32, {520}, "b", bytes_of<float>(b)});
  f.add({float32, {1, 520}, "y"});
  f.calls = {{9, {0, 1, 2}, {3}, {8, {}}}};
  f.inputs = {0}, f.outputs = {3};
  return f;
}

/// The files by the names of their literals.
struct named_model {
  const char* name;
  file (*make)();
};
inline constexpr named_model written_models[] = {{"hybrid", [] { return hybrid_model(); }},
                                                 {"shapes", shapes_model},
                                                 {"unread", unread_model},
                                                 {"broken", broken_model},
                                                 {"streaming", streaming_model},
                                                 {"convolved", convolved_model},
                                                 {"listed", listed_model},
                                                 {"large", large_model}};

}  // namespace tflite_test
