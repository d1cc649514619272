// double_oracle: a network as it was written, computed in float64 by the operators' references alone.
// Flow: network_check.hpp hands it the graph in plain terms, since double_oracle.cpp is compiled once, for one
// instruction set, while the programs that ask it are compiled for many.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nnrt_test {

/// A tensor of a network; floating types count as float64. Enumerators are those of nnrt, as numbers.
struct plain_value {
  int type = 0, layout = 0, rank = 0;
  std::int64_t extents[8] = {};
  bool is_real = false;
  std::vector<double> reals;           // elements known before the network runs: weights, constants, inputs
  std::vector<std::int64_t> integers;  // the same of integer types
};

/// An operator by its number, with attribute words and the ids of its values (-1: a missing operand).
struct plain_node {
  int code = 0;
  std::vector<std::int64_t> attrs;
  std::vector<std::int32_t> inputs, outputs;
};

/// A network without anything that depends on an instruction set.
struct plain_graph {
  std::vector<plain_value> values;
  std::vector<plain_node> nodes;  // every value is made before it is used
  std::vector<std::int32_t> outputs;
};

/// The outputs, each in row-major order. An operator that is not in the list ends the program.
std::vector<std::vector<double>> computed_in_double(const plain_graph& network);

}  // namespace nnrt_test
