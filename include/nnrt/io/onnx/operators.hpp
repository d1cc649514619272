// operators: the table of supported .onnx operators, with their versions, numbers of operands and readers.
// Flow: read.hpp looks up every node of a file here; a node without a row is refused by name.
#pragma once

#include <nnrt/io/onnx/operators/einsum.hpp>
#include <nnrt/io/onnx/operators/elementwise.hpp>
#include <nnrt/io/onnx/operators/images.hpp>
#include <nnrt/io/onnx/operators/integers.hpp>
#include <nnrt/io/onnx/operators/layers.hpp>
#include <nnrt/io/onnx/operators/losses.hpp>
#include <nnrt/io/onnx/operators/microsoft.hpp>
#include <nnrt/io/onnx/operators/pools.hpp>
#include <nnrt/io/onnx/operators/quantised.hpp>
#include <nnrt/io/onnx/operators/recurrent.hpp>
#include <nnrt/io/onnx/operators/reductions.hpp>
#include <nnrt/io/onnx/operators/regions.hpp>
#include <nnrt/io/onnx/operators/shapes.hpp>
#include <nnrt/io/onnx/operators/signals.hpp>
#include <nnrt/io/onnx/operators/trigonometry.hpp>
#include <nnrt/ops/atan2.hpp>
#include <nnrt/ops/ceil.hpp>
#include <nnrt/ops/cos.hpp>
#include <nnrt/ops/floor.hpp>
#include <nnrt/ops/hswish.hpp>
#include <nnrt/ops/logical_and.hpp>
#include <nnrt/ops/sin.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

/// No limit on the number of operands.
inline constexpr std::size_t any_number = std::size_t(-1);

/// A supported operator of ONNX's own domain. Its reader asks for node.version() where the meaning has changed.
struct operator_row {
  std::string_view name;
  std::size_t min_inputs, max_inputs, max_outputs;
  void (*read)(node_reader& node);
};

/// Sorted by name. Conditions on operands are checked by the rules of the nnrt operators that a row becomes.
inline constexpr operator_row operator_table[] = {
    {"Abs", 1, 1, 1, read_unary<ops::abs>},
    {"Acos", 1, 1, 1, read_real<detail::acos>},
    {"Acosh", 1, 1, 1, read_real<detail::acosh>},
    {"Add", 2, 2, 1, read_binary<ops::add>},
    {"And", 2, 2, 1, read_binary<ops::logical_and>},
    {"ArgMax", 1, 1, 1, read_arg<true>},
    {"ArgMin", 1, 1, 1, read_arg<false>},
    {"Asin", 1, 1, 1, read_real<detail::asin>},
    {"Asinh", 1, 1, 1, read_real<detail::asinh>},
    {"Atan", 1, 1, 1, read_real<detail::atan>},
    {"Atanh", 1, 1, 1, read_real<detail::atanh>},
    {"AveragePool", 1, 1, 1, read_average_pool},
    {"BatchNormalization", 5, 5, 5, read_batch_norm},
    {"BitShift", 2, 2, 1, read_bit_shift},
    {"BitwiseAnd", 2, 2, 1, read_bitwise<bit_function::both>},
    {"BitwiseNot", 1, 1, 1, read_bitwise_not},
    {"BitwiseOr", 2, 2, 1, read_bitwise<bit_function::either>},
    {"BitwiseXor", 2, 2, 1, read_bitwise<bit_function::one>},
    {"BlackmanWindow", 1, 1, 1, read_window<false, true>},
    {"Cast", 1, 1, 1, read_cast},
    {"CastLike", 2, 2, 1, read_cast_like},
    {"Ceil", 1, 1, 1, read_unary<ops::ceil>},
    {"Celu", 1, 1, 1, read_celu},
    {"Clip", 1, 3, 1, read_clip},
    {"Compress", 2, 2, 1, read_compress},
    {"Concat", 1, any_number, 1, read_concat},
    {"Constant", 0, 0, 1, read_constant},
    {"ConstantOfShape", 1, 1, 1, read_constant_of_shape},
    {"Conv", 2, 3, 1, read_conv},
    {"ConvInteger", 2, 4, 1, read_conv_integer},
    {"ConvTranspose", 2, 3, 1, read_conv_transpose},
    {"Cos", 1, 1, 1, read_unary<ops::cos>},
    {"Cosh", 1, 1, 1, read_real<detail::cosh>},
    {"CumSum", 2, 2, 1, read_cum_sum},
    {"DFT", 1, 3, 1, read_dft},
    {"DepthToSpace", 1, 1, 1, read_depth_to_space},
    {"DequantizeLinear", 2, 3, 1, read_dequantize_linear},
    {"Det", 1, 1, 1, read_det},
    {"Div", 2, 2, 1, read_binary<ops::div>},
    {"Dropout", 1, 3, 2, read_dropout},
    {"DynamicQuantizeLinear", 1, 1, 3, read_dynamic_quantize_linear},
    {"Einsum", 1, any_number, 1, read_einsum},
    {"Elu", 1, 1, 1, read_elu},
    {"Equal", 2, 2, 1, read_equal},
    {"Erf", 1, 1, 1, read_unary<ops::erf>},
    {"Exp", 1, 1, 1, read_unary<ops::exp>},
    {"Expand", 2, 2, 1, read_expand},
    {"EyeLike", 1, 1, 1, read_eye_like},
    {"Flatten", 1, 1, 1, read_flatten},
    {"Floor", 1, 1, 1, read_unary<ops::floor>},
    {"GRU", 3, 6, 2, read_gru},
    {"Gather", 2, 2, 1, read_gather},
    {"GatherElements", 2, 2, 1, read_gather_elements},
    {"GatherND", 2, 2, 1, read_gather_nd},
    {"Gelu", 1, 1, 1, read_gelu},
    {"Gemm", 2, 3, 1, read_gemm},
    {"GlobalAveragePool", 1, 1, 1, read_global_pool<ops::reduce_mean>},
    {"GlobalLpPool", 1, 1, 1, read_global_lp_pool},
    {"GlobalMaxPool", 1, 1, 1, read_global_pool<ops::reduce_max>},
    {"Greater", 2, 2, 1, read_comparison<ops::greater>},
    {"GreaterOrEqual", 2, 2, 1, read_comparison<ops::greater_equal>},
    {"GridSample", 2, 2, 1, read_grid_sample},
    {"GroupNormalization", 3, 3, 1, read_group_norm},
    {"HammingWindow", 1, 1, 1, read_window<true, false>},
    {"HannWindow", 1, 1, 1, read_window<false, false>},
    {"HardSigmoid", 1, 1, 1, read_hard_sigmoid},
    {"HardSwish", 1, 1, 1, read_unary<ops::hswish>},
    {"Hardmax", 1, 1, 1, read_hardmax},
    {"Identity", 1, 1, 1, read_identity},
    {"InstanceNormalization", 3, 3, 1, read_instance_norm},
    {"IsInf", 1, 1, 1, read_is_inf},
    {"IsNaN", 1, 1, 1, read_is_nan},
    {"LRN", 1, 1, 1, read_lrn},
    {"LSTM", 3, 8, 3, read_lstm},
    {"LayerNormalization", 2, 3, 3, read_layer_norm},
    {"LeakyRelu", 1, 1, 1, read_leaky_relu},
    {"Less", 2, 2, 1, read_comparison<ops::less>},
    {"LessOrEqual", 2, 2, 1, read_comparison<ops::less_equal>},
    {"Log", 1, 1, 1, read_unary<ops::log>},
    {"LogSoftmax", 1, 1, 1, read_log_softmax},
    {"LpNormalization", 1, 1, 1, read_lp_norm},
    {"LpPool", 1, 1, 1, read_lp_pool},
    {"MatMul", 2, 2, 1, read_matmul},
    {"MatMulInteger", 2, 4, 1, read_matmul_integer},
    {"Max", 1, any_number, 1, read_chain<ops::maximum>},
    {"MaxPool", 1, 1, 2, read_max_pool},
    {"MaxRoiPool", 2, 2, 1, read_max_roi_pool},
    {"MaxUnpool", 2, 3, 1, read_max_unpool},
    {"Mean", 1, any_number, 1, read_mean},
    {"MeanVarianceNormalization", 1, 1, 1, read_mean_variance_norm},
    {"MelWeightMatrix", 5, 5, 1, read_mel_weights},
    {"Min", 1, any_number, 1, read_chain<ops::minimum>},
    {"Mish", 1, 1, 1, read_mish},
    {"Mod", 2, 2, 1, read_mod},
    {"Mul", 2, 2, 1, read_binary<ops::mul>},
    {"Neg", 1, 1, 1, read_unary<ops::neg>},
    {"NegativeLogLikelihoodLoss", 2, 3, 1, read_log_likelihood_loss},
    {"NonMaxSuppression", 2, 5, 1, read_non_max_suppression},
    {"NonZero", 1, 1, 1, read_nonzero},
    {"Not", 1, 1, 1, read_unary<ops::logical_not>},
    {"OneHot", 3, 3, 1, read_one_hot},
    {"Or", 2, 2, 1, read_binary<ops::logical_or>},
    {"PRelu", 2, 2, 1, read_prelu},
    {"Pad", 1, 4, 1, read_pad},
    {"Pow", 2, 2, 1, read_pow},
    {"QLinearConv", 8, 9, 1, read_qlinear_conv},
    {"QLinearMatMul", 8, 8, 1, read_qlinear_matmul},
    {"QuantizeLinear", 2, 3, 1, read_quantize_linear},
    {"RMSNormalization", 2, 2, 1, read_rms_norm},
    {"RNN", 3, 6, 2, read_rnn},
    {"Range", 3, 3, 1, read_range},
    {"Reciprocal", 1, 1, 1, read_unary<ops::reciprocal>},
    {"ReduceL1", 1, 2, 1, read_reduce_l1},
    {"ReduceL2", 1, 2, 1, read_reduce_l2},
    {"ReduceLogSum", 1, 2, 1, read_reduce_log_sum},
    {"ReduceLogSumExp", 1, 2, 1, read_reduce_log_sum_exp},
    {"ReduceMax", 1, 2, 1, read_reduce<ops::reduce_max, 18>},
    {"ReduceMean", 1, 2, 1, read_reduce<ops::reduce_mean, 18>},
    {"ReduceMin", 1, 2, 1, read_reduce<ops::reduce_min, 18>},
    {"ReduceProd", 1, 2, 1, read_reduce<ops::reduce_prod, 18>},
    {"ReduceSum", 1, 2, 1, read_reduce<ops::reduce_sum, 13>},
    {"ReduceSumSquare", 1, 2, 1, read_reduce_sum_square},
    {"Relu", 1, 1, 1, read_relu},
    {"Reshape", 1, 2, 1, read_reshape},
    {"Resize", 1, 4, 1, read_resize},
    {"ReverseSequence", 2, 2, 1, read_reverse_sequence},
    {"RoiAlign", 3, 3, 1, read_roi_align},
    {"Round", 1, 1, 1, read_unary<ops::round>},
    {"STFT", 2, 4, 1, read_stft},
    {"Scatter", 3, 3, 1, read_scatter_elements},
    {"ScatterElements", 3, 3, 1, read_scatter_elements},
    {"ScatterND", 3, 3, 1, read_scatter_nd},
    {"Selu", 1, 1, 1, read_selu},
    {"Shape", 1, 1, 1, read_shape},
    {"Shrink", 1, 1, 1, read_shrink},
    {"Sigmoid", 1, 1, 1, read_unary<ops::sigmoid>},
    {"Sign", 1, 1, 1, read_sign},
    {"Sin", 1, 1, 1, read_unary<ops::sin>},
    {"Sinh", 1, 1, 1, read_real<detail::sinh>},
    {"Size", 1, 1, 1, read_size},
    {"Slice", 1, 5, 1, read_slice},
    {"Softmax", 1, 1, 1, read_softmax},
    {"SoftmaxCrossEntropyLoss", 2, 3, 2, read_cross_entropy_loss},
    {"Softplus", 1, 1, 1, read_softplus},
    {"Softsign", 1, 1, 1, read_softsign},
    {"SpaceToDepth", 1, 1, 1, read_space_to_depth},
    {"Split", 1, 2, any_number, read_split},
    {"Sqrt", 1, 1, 1, read_unary<ops::sqrt>},
    {"Squeeze", 1, 2, 1, read_squeeze},
    {"Sub", 2, 2, 1, read_binary<ops::sub>},
    {"Sum", 1, any_number, 1, read_chain<ops::add>},
    {"Swish", 1, 1, 1, read_swish},
    {"Tan", 1, 1, 1, read_real<detail::tan>},
    {"Tanh", 1, 1, 1, read_unary<ops::tanh>},
    {"ThresholdedRelu", 1, 1, 1, read_thresholded_relu},
    {"Tile", 2, 2, 1, read_tile},
    {"TopK", 1, 2, 2, read_top_k},
    {"Transpose", 1, 1, 1, read_transpose},
    {"Trilu", 1, 2, 1, read_trilu},
    {"Unique", 1, 1, 4, read_unique},
    {"Unsqueeze", 1, 2, 1, read_unsqueeze},
    {"Upsample", 1, 2, 1, read_resize},
    {"Where", 3, 3, 1, read_where},
    {"Xor", 2, 2, 1, read_xor},
};

/// Operators of the domain com.microsoft, which ONNX Runtime's optimiser and quantiser write.
inline constexpr operator_row microsoft_table[] = {
    {"Attention", 2, 7, 2, read_attention},
    {"BiasGelu", 2, 2, 1, read_bias_gelu},
    {"DequantizeLinear", 2, 3, 1, read_dequantize_linear},
    {"DynamicQuantizeMatMul", 3, 5, 1, read_dynamic_quantize_matmul},
    {"EmbedLayerNormalization", 1, 9, 3, read_embed_layer_norm},
    {"FastGelu", 1, 2, 1, read_fast_gelu},
    {"FusedConv", 2, 4, 1, read_fused_conv},
    {"FusedGemm", 2, 3, 1, read_fused_gemm},
    {"FusedMatMul", 2, 2, 1, read_fused_matmul},
    {"GatherND", 2, 2, 1, read_gather_nd},
    {"Gelu", 1, 1, 1, read_gelu},
    {"GridSample", 2, 2, 1, read_grid_sample},
    {"MatMulIntegerToFloat", 4, 7, 1, read_matmul_integer_to_float},
    {"NhwcMaxPool", 1, 1, 1, read_nhwc_max_pool},
    {"QGemm", 2, 9, 1, read_qgemm},
    {"QLinearAdd", 2, 8, 1, read_qlinear_pair<ops::add>},
    {"QLinearAveragePool", 2, 5, 1, read_qlinear_average_pool},
    {"QLinearConcat", 1, any_number, 1, read_qlinear_concat},
    {"QLinearConv", 8, 9, 1, read_channels_first_qlinear_conv},
    {"QLinearGlobalAveragePool", 2, 5, 1, read_qlinear_global_average_pool},
    {"QLinearLeakyRelu", 2, 5, 1, read_qlinear_leaky_relu},
    {"QLinearMul", 2, 8, 1, read_qlinear_pair<ops::mul>},
    {"QLinearSigmoid", 2, 5, 1, read_qlinear_sigmoid},
    {"QLinearSoftmax", 2, 5, 1, read_qlinear_softmax},
    {"QuantizeLinear", 2, 3, 1, read_quantize_linear},
    {"QuickGelu", 1, 1, 1, read_quick_gelu},
    {"SkipLayerNormalization", 3, 5, 4, read_skip_layer_norm},
    {"SkipSimplifiedLayerNormalization", 3, 4, 4, read_skip_rms_norm},
    {"TransposeMatMul", 2, 2, 1, read_fused_matmul},
    {"Trilu", 1, 2, 1, read_trilu},
};

namespace detail {

template <std::size_t N> constexpr bool is_sorted_by_name(const operator_row (&table)[N]) {
  for (std::size_t i = 1; i < N; ++i)
    if (!(table[i - 1].name < table[i].name)) return false;
  return true;
}
static_assert(is_sorted_by_name(operator_table) && is_sorted_by_name(microsoft_table));

/// The row of an operator; null when it is not supported.
[[gnu::cold]] constexpr const operator_row* find_row(array_ref<const operator_row> table, std::string_view name) {
  std::size_t first = 0, last = table.size();
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (table[middle].name < name) first = middle + 1;
    else last = middle;
  }
  return first < table.size() && table[first].name == name ? &table[first] : nullptr;
}

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::onnx
