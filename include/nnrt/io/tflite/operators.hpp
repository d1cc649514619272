// operators: which builtin operators of .tflite files we read, how many operands each has, and by which function.
// Flow: load() looks up every operator of a file here; whatever is not in the table is refused by its name.
#pragma once

#include <nnrt/io/tflite/operators/detections.hpp>
#include <nnrt/io/tflite/operators/elementwise.hpp>
#include <nnrt/io/tflite/operators/functions.hpp>
#include <nnrt/io/tflite/operators/images.hpp>
#include <nnrt/io/tflite/operators/layers.hpp>
#include <nnrt/io/tflite/operators/logic.hpp>
#include <nnrt/io/tflite/operators/lookups.hpp>
#include <nnrt/io/tflite/operators/reductions.hpp>
#include <nnrt/io/tflite/operators/shapes.hpp>
#include <nnrt/ops/abs.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/avg_pool.hpp>
#include <nnrt/ops/ceil.hpp>
#include <nnrt/ops/cos.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/equal.hpp>
#include <nnrt/ops/expand_dims.hpp>
#include <nnrt/ops/floor.hpp>
#include <nnrt/ops/greater.hpp>
#include <nnrt/ops/greater_equal.hpp>
#include <nnrt/ops/hswish.hpp>
#include <nnrt/ops/less.hpp>
#include <nnrt/ops/less_equal.hpp>
#include <nnrt/ops/log.hpp>
#include <nnrt/ops/logical_and.hpp>
#include <nnrt/ops/logical_not.hpp>
#include <nnrt/ops/logical_or.hpp>
#include <nnrt/ops/max_pool.hpp>
#include <nnrt/ops/maximum.hpp>
#include <nnrt/ops/minimum.hpp>
#include <nnrt/ops/mod.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/not_equal.hpp>
#include <nnrt/ops/pow.hpp>
#include <nnrt/ops/reduce_all.hpp>
#include <nnrt/ops/reduce_max.hpp>
#include <nnrt/ops/reduce_mean.hpp>
#include <nnrt/ops/reduce_min.hpp>
#include <nnrt/ops/reduce_prod.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/relu6.hpp>
#include <nnrt/ops/round.hpp>
#include <nnrt/ops/rsqrt.hpp>
#include <nnrt/ops/sigmoid.hpp>
#include <nnrt/ops/sin.hpp>
#include <nnrt/ops/sqrt.hpp>
#include <nnrt/ops/square.hpp>
#include <nnrt/ops/squared_difference.hpp>
#include <nnrt/ops/sub.hpp>
#include <nnrt/ops/tanh.hpp>

namespace nnrt::inline NNRT_ISA::tflite {

/// A builtin operator that we read. Optional operands may be missing at the end or be -1.
struct operator_row {
  std::string_view name;
  std::size_t least_inputs, most_inputs;
  std::size_t least_outputs, most_outputs;
  void (*read)(node_reader& node);
};

/// So many operands that a limit would mean nothing.
inline constexpr std::size_t any_number = std::size_t(-1);

/// By name. What an operator demands of its operands is written in the rules of ours that it becomes, and only there.
inline constexpr operator_row operator_table[] = {
    {"ABS", 1, 1, 1, 1, read_unary<ops::abs>},
    {"ADD", 2, 2, 1, 1, read_sum_of_two<ops::add, schema::add_options>},
    {"ADD_N", 1, any_number, 1, 1, read_add_n},
    {"ARG_MAX", 2, 2, 1, 1, read_arg_max},
    {"ARG_MIN", 2, 2, 1, 1, read_arg_min},
    {"AVERAGE_POOL_2D", 1, 1, 1, 1, read_pool_2d<ops::avg_pool>},
    {"BATCH_MATMUL", 2, 2, 1, 1, read_batch_matmul},
    {"BATCH_TO_SPACE_ND", 3, 3, 1, 1, read_batch_to_space_nd},
    {"BROADCAST_ARGS", 2, 2, 1, 1, read_broadcast_args},
    {"BROADCAST_TO", 2, 2, 1, 1, read_broadcast_to},
    {"CAST", 1, 1, 1, 1, read_cast},
    {"CEIL", 1, 1, 1, 1, read_function<ops::ceil>},
    {"CONCATENATION", 1, any_number, 1, 1, read_concatenation},
    {"CONV_2D", 2, 3, 1, 1, read_conv_2d},
    {"COS", 1, 1, 1, 1, read_function<ops::cos>},
    {"DEPTHWISE_CONV_2D", 2, 3, 1, 1, read_depthwise_conv_2d},
    {"DEPTH_TO_SPACE", 1, 1, 1, 1, read_depth_to_space},
    {"DEQUANTIZE", 1, 1, 1, 1, read_dequantize},
    {"DIV", 2, 2, 1, 1, read_arithmetic<ops::div, schema::div_options>},
    {"ELU", 1, 1, 1, 1, read_elu},
    {"EMBEDDING_LOOKUP", 2, 2, 1, 1, read_embedding_lookup},
    {"EQUAL", 2, 2, 1, 1, read_binary<ops::equal>},
    {"EXP", 1, 1, 1, 1, read_exp},
    {"EXPAND_DIMS", 2, 2, 1, 1, read_binary<ops::expand_dims>},
    {"FILL", 2, 2, 1, 1, read_fill},
    {"FLOOR", 1, 1, 1, 1, read_function<ops::floor>},
    {"FLOOR_DIV", 2, 2, 1, 1, read_floor_div},
    {"FLOOR_MOD", 2, 2, 1, 1, read_binary<ops::mod>},
    {"FULLY_CONNECTED", 2, 3, 1, 1, read_fully_connected},
    {"GATHER", 2, 2, 1, 1, read_gather},
    {"GATHER_ND", 2, 2, 1, 1, read_gather_nd},
    {"GELU", 1, 1, 1, 1, read_gelu},
    {"GREATER", 2, 2, 1, 1, read_binary<ops::greater>},
    {"GREATER_EQUAL", 2, 2, 1, 1, read_binary<ops::greater_equal>},
    {"HARD_SWISH", 1, 1, 1, 1, read_unary<ops::hswish>},
    {"L2_NORMALIZATION", 1, 1, 1, 1, read_l2_normalization},
    {"L2_POOL_2D", 1, 1, 1, 1, read_l2_pool_2d},
    {"LEAKY_RELU", 1, 1, 1, 1, read_leaky_relu},
    {"LESS", 2, 2, 1, 1, read_binary<ops::less>},
    {"LESS_EQUAL", 2, 2, 1, 1, read_binary<ops::less_equal>},
    {"LOCAL_RESPONSE_NORMALIZATION", 1, 1, 1, 1, read_local_response_normalization},
    {"LOG", 1, 1, 1, 1, read_function<ops::log>},
    {"LOGICAL_AND", 2, 2, 1, 1, read_binary<ops::logical_and>},
    {"LOGICAL_NOT", 1, 1, 1, 1, read_unary<ops::logical_not>},
    {"LOGICAL_OR", 2, 2, 1, 1, read_binary<ops::logical_or>},
    {"LOGISTIC", 1, 1, 1, 1, read_unary<ops::sigmoid>},
    {"LOG_SOFTMAX", 1, 1, 1, 1, read_log_softmax},
    {"MAXIMUM", 2, 2, 1, 1, read_extreme<ops::maximum>},
    {"MAX_POOL_2D", 1, 1, 1, 1, read_pool_2d<ops::max_pool>},
    {"MEAN", 2, 2, 1, 1, read_reduction<ops::reduce_mean>},
    {"MINIMUM", 2, 2, 1, 1, read_extreme<ops::minimum>},
    {"MIRROR_PAD", 2, 2, 1, 1, read_mirror_pad},
    {"MUL", 2, 2, 1, 1, read_arithmetic<ops::mul, schema::mul_options>},
    {"NEG", 1, 1, 1, 1, read_neg},
    {"NOT_EQUAL", 2, 2, 1, 1, read_binary<ops::not_equal>},
    {"ONE_HOT", 4, 4, 1, 1, read_one_hot},
    {"PACK", 1, any_number, 1, 1, read_pack},
    {"PAD", 2, 2, 1, 1, read_pad},
    {"PADV2", 3, 3, 1, 1, read_pad},
    {"POW", 2, 2, 1, 1, read_binary<ops::pow>},
    {"PRELU", 2, 2, 1, 1, read_prelu},
    {"QUANTIZE", 1, 1, 1, 1, read_quantize},
    {"RANGE", 3, 3, 1, 1, read_range},
    {"RANK", 1, 1, 1, 1, read_rank},
    {"REDUCE_ALL", 2, 2, 1, 1, read_reduction<ops::reduce_all>},
    {"REDUCE_ANY", 2, 2, 1, 1, read_reduce_any},
    {"REDUCE_MAX", 2, 2, 1, 1, read_reduction<ops::reduce_max>},
    {"REDUCE_MIN", 2, 2, 1, 1, read_reduction<ops::reduce_min>},
    {"REDUCE_PROD", 2, 2, 1, 1, read_reduction<ops::reduce_prod>},
    {"RELU", 1, 1, 1, 1, read_unary<ops::relu>},
    {"RELU6", 1, 1, 1, 1, read_unary<ops::relu6>},
    {"RELU_0_TO_1", 1, 1, 1, 1, read_clamp<0>},
    {"RELU_N1_TO_1", 1, 1, 1, 1, read_clamp<-1>},
    {"RESHAPE", 1, 2, 1, 1, read_reshape},
    {"RESIZE_BILINEAR", 2, 2, 1, 1, read_resize_bilinear},
    {"RESIZE_NEAREST_NEIGHBOR", 2, 2, 1, 1, read_resize_nearest_neighbor},
    {"REVERSE_V2", 2, 2, 1, 1, read_reverse_v2},
    {"ROUND", 1, 1, 1, 1, read_function<ops::round>},
    {"RSQRT", 1, 1, 1, 1, read_unary<ops::rsqrt>},
    {"SCATTER_ND", 3, 3, 1, 1, read_scatter_nd},
    {"SELECT", 3, 3, 1, 1, read_select},
    {"SELECT_V2", 3, 3, 1, 1, read_select_v2},
    {"SHAPE", 1, 1, 1, 1, read_shape},
    {"SIN", 1, 1, 1, 1, read_function<ops::sin>},
    {"SLICE", 3, 3, 1, 1, read_slice},
    {"SOFTMAX", 1, 1, 1, 1, read_softmax},
    {"SPACE_TO_BATCH_ND", 3, 3, 1, 1, read_space_to_batch_nd},
    {"SPACE_TO_DEPTH", 1, 1, 1, 1, read_space_to_depth},
    {"SPARSE_TO_DENSE", 4, 4, 1, 1, read_sparse_to_dense},
    {"SPLIT", 2, 2, 1, any_number, read_split},
    {"SPLIT_V", 3, 3, 1, any_number, read_split_v},
    {"SQRT", 1, 1, 1, 1, read_unary<ops::sqrt>},
    {"SQUARE", 1, 1, 1, 1, read_unary<ops::square>},
    {"SQUARED_DIFFERENCE", 2, 2, 1, 1, read_binary<ops::squared_difference>},
    {"SQUEEZE", 1, 1, 1, 1, read_squeeze},
    {"STRIDED_SLICE", 4, 4, 1, 1, read_strided_slice},
    {"SUB", 2, 2, 1, 1, read_sum_of_two<ops::sub, schema::sub_options>},
    {"SUM", 2, 2, 1, 1, read_sum},
    {"TANH", 1, 1, 1, 1, read_unary<ops::tanh>},
    {"TILE", 2, 2, 1, 1, read_tile},
    {"TOPK_V2", 2, 2, 2, 2, read_top_k},
    {"TRANSPOSE", 2, 2, 1, 1, read_transpose},
    {"TRANSPOSE_CONV", 3, 4, 1, 1, read_transpose_conv},
    {"UNPACK", 1, 1, 1, any_number, read_unpack},
    {"ZEROS_LIKE", 1, 1, 1, 1, read_zeros_like},
};

/// Custom operators that we read, by their codes.
inline constexpr operator_row custom_operator_table[] = {
    {"TFLite_Detection_PostProcess", 3, 3, 4, 4, read_detection_post_process},
};

/// The row of this name, of builtin operators or of custom ones; nullptr when we do not read the operator.
constexpr const operator_row* find_row(std::string_view name, bool is_custom = false) {
  for (const operator_row& row : is_custom ? array_ref<const operator_row>(custom_operator_table) : array_ref<const operator_row>(operator_table))
    if (row.name == name) return &row;
  return nullptr;
}

namespace detail {
constexpr bool names_are_known() {
  for (const operator_row& row : operator_table)
    if (builtin_number(row.name) < 0) return false;
  return true;
}
static_assert(names_are_known(), "nnrt: a row of this table has a name that no builtin operator has");
}  // namespace detail

}  // namespace nnrt::inline NNRT_ISA::tflite
