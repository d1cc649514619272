// random_node: a node of any operator with random operands, attributes and elements, made from the operator's tables.
// Flow: the batteries make nodes until the rules accept enough of them, and hold operators and kernels against them.
#pragma once

#include "support/catalogue.hpp"
#include "support/dice.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nnrt_test {

/// The seed of a run: that of the environment variable NNRT_SEED, else always the same.
std::uint64_t seed_of_run();

/// An operand with its elements.
struct random_operand {
  tensor_desc desc;  // dtype::none: missing
  bool is_constant = false;
  std::vector<std::int64_t> values;  // of a constant of integers
  std::vector<float> scales;         // of a tensor that is quantised per channel
  std::vector<std::byte> bytes;

  operand as_operand() const { return {desc, values, is_constant}; }
  view as_view();
};

/// What the shapes of a random node have: any ranks and extents, a tensor of rank 8, or one without elements.
enum class shape_wish { any, max_rank, empty };

/// A node that its operator's rules accept, with all extents known and few elements.
struct random_node {
  const operator_info* op = nullptr;
  std::vector<word> words;
  std::vector<random_operand> in;
  std::vector<tensor_desc> wanted;
  std::vector<tensor_desc> out;

  std::vector<operand> operands() const;
  std::vector<view> views();
  verdict infer() const;
  /// Whether some tensor of the node is such.
  bool is_wished(shape_wish wish) const;
  /// Operator, attributes, operands and results in one line.
  std::string text() const;
};

/// One attempt at a node whose reference runs for this dtype; nothing when the rules refuse it, or it is large.
///
/// \param given operand 0, elements included, where that is made already
std::optional<random_node> try_node(const operator_info& op, dtype computed, dice& random,
                                    shape_wish wish = shape_wish::any, const random_operand* given = nullptr);

/// Attempts until there are `count` nodes, or 300,000 have been made; 1,000 of those with a wish, which many operators'
/// rules refuse.
std::vector<random_node> random_nodes(const operator_info& op, dtype computed, std::size_t count, dice& random,
                                      shape_wish wish = shape_wish::any);

/// Words that have the form of the operator's attributes: mostly small numbers, or, when hostile, any.
std::vector<word> random_words(const operator_info& op, int rank, dice& random);
std::vector<word> hostile_words(const operator_info& op, dice& random);

/// Small, or any of 64 bits, or one at an edge.
std::int64_t hostile_number(dice& random);

/// A desc whose dtype, rank, format and kind of quantisation exist; everything else may be anything.
tensor_desc hostile_desc(dice& random);

}  // namespace nnrt_test
