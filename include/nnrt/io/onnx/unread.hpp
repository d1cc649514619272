// unread: attributes and inputs of .onnx operators that nnrt does not read because they change no result.
// Flow: node_reader.hpp refuses a node with others that its reader has not asked for.
#pragma once

#include <nnrt/io/onnx/attribute.hpp>

#include <optional>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

/// An attribute without a meaning where nnrt reads its operator. `only` is the one integer that it may be.
struct unread_attribute {
  std::string_view op, name;  // "": every operator
  std::optional<std::int64_t> only = {};
};
inline constexpr unread_attribute unread_attributes[] = {
    // of training
    {"BatchNormalization", "momentum"},
    {"BatchNormalization", "spatial", 1},
    {"Dropout", "is_test"},
    {"Dropout", "ratio"},
    {"Dropout", "seed"},
    // of 8-bit floats, which are refused
    {"Cast", "round_mode"},
    {"Cast", "saturate"},
    {"CastLike", "round_mode"},
    {"CastLike", "saturate"},
    {"QuantizeLinear", "saturate"},
    // sums are computed in f32 at least
    {"GroupNormalization", "stash_type", 1},
    {"LayerNormalization", "stash_type", 1},
    {"RMSNormalization", "stash_type", 1},
    {"QuantizeLinear", "precision", 0},
    // of an output that the node does not have, of any order, and of memory
    {"MaxPool", "storage_order"},
    {"TopK", "sorted"},
    {"", "consumed_inputs"},
    {"GRU", "output_sequence"},
    {"LSTM", "output_sequence"},
    {"RNN", "output_sequence"},
    // of com.microsoft: of an output's presence, and of rotation, which is refused
    {"EmbedLayerNormalization", "mask_index_type"},
    {"Attention", "rotary_embedding_dim"},
};

/// Inputs without a meaning.
struct unread_input {
  std::string_view op;
  std::size_t index;
};
inline constexpr unread_input unread_inputs[] = {
    {"Dropout", 1},                  // the ratio, of training
    {"EmbedLayerNormalization", 7},  // the mask, of an output that the node does not have
    {"Resize", 1},                   // the region, of a coordinate mode that the node does not have
};

constexpr bool has_no_meaning(std::string_view op, std::string_view name, const attribute& given) {
  for (const unread_attribute& one : unread_attributes)
    if ((one.op.empty() || one.op == op) && one.name == name)
      return !one.only.has_value() || (given.kind == attribute_kind::integer && given.integer == *one.only);
  return false;
}
constexpr bool has_no_meaning(std::string_view op, std::size_t input) {
  for (const unread_input& one : unread_inputs)
    if (one.op == op && one.index == input) return true;
  return false;
}

}}}  // namespace nnrt::NNRT_ISA::onnx
