// one_node: a random node as a network, what its reference makes of it, and how close to that others must come.
// Flow: results_test holds kernels and sessions to it, nnrt-hal-test drivers.
#pragma once

#include "battery/random_node.hpp"

#include <nnrt/io/model.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA {
class model_builder;
}}  // namespace nnrt::NNRT_ISA

namespace nnrt_test {

/// The elements of every output of a node, and what the run complained of.
struct node_result {
  std::vector<std::vector<std::byte>> bytes;
  run_fault fault;
};

/// Runs f on outputs that hold `filling`, and gives back what they are then.
template <class F> node_result with_outputs(const random_node& node, std::byte filling, F f) {
  node_result made;
  for (const tensor_desc& y : node.out) made.bytes.emplace_back(static_cast<std::size_t>(y.bytes()), filling);
  std::vector<view> out;
  for (std::size_t i = 0; i < node.out.size(); ++i)
    out.push_back({&node.out[i], any_pointer::bytes(made.bytes[i].data()), nullptr, {}, {}});
  made.fault = f(out);
  return made;
}

node_result reference_of(random_node& node, std::byte filling = std::byte{0x5a});

/// What differs between results that have no fault: nothing where each output is as close as computing in another order
/// allows. Quantised outputs may differ by `steps`: devices round in other ways.
std::string difference(const random_node& node, const node_result& got, const node_result& expected, int steps = 0);

/// Differences between a compiled network's results and the reference's. Of float16 it may be what the reference
/// computes in float32 and rounds in the end. A recurrent layer then keeps states between its steps that float16 would
/// round to 0.
std::string difference_of_network(const random_node& node, const node_result& got, const node_result& expected,
                                  int steps = 0);

/// Adds an operand to a network and returns its value: a constant, or an input called x0, x1 …; with `hides_extents`
/// every second extent of an input is known to the run alone.
std::int32_t add_operand(model_builder& builder, const random_operand& x, std::size_t number,
                         bool hides_extents = false);

/// A network of the node, whose operands are inputs unless they are constants; with `hides_extents` some are told by
/// the run alone. Nothing: the rules refuse it then.
std::optional<model> network_of(const random_node& node, bool hides_extents);

/// The operands that are inputs of that network, in its order.
std::vector<const random_operand*> fed_operands(const random_node& node);

}  // namespace nnrt_test
