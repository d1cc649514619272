// operators: the table of supported .tflite operators, with their versions, numbers of operands and readers.
// Flow: read.hpp looks up every operator of a file here; an operator without a row is refused by name.
#pragma once

#include <nnrt/io/tflite/counted_rows.hpp>
#include <nnrt/io/tflite/operators/counted.hpp>
#include <nnrt/io/tflite/operators/detections.hpp>
#include <nnrt/io/tflite/operators/elementwise.hpp>
#include <nnrt/io/tflite/operators/functions.hpp>
#include <nnrt/io/tflite/operators/images.hpp>
#include <nnrt/io/tflite/operators/layers.hpp>
#include <nnrt/io/tflite/operators/lists.hpp>
#include <nnrt/io/tflite/operators/logic.hpp>
#include <nnrt/io/tflite/operators/lookups.hpp>
#include <nnrt/io/tflite/operators/mediapipe.hpp>
#include <nnrt/io/tflite/operators/normalisations.hpp>
#include <nnrt/io/tflite/operators/recurrent.hpp>
#include <nnrt/io/tflite/operators/reductions.hpp>
#include <nnrt/io/tflite/operators/sequences.hpp>
#include <nnrt/io/tflite/operators/shapes.hpp>
#include <nnrt/io/tflite/operators/signals.hpp>
#include <nnrt/io/tflite/operators/spectra.hpp>
#include <nnrt/io/tflite/operators/subgraphs.hpp>
#include <nnrt/io/tflite/operators/volumes.hpp>
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

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

/// No limit on the number of operands.
inline constexpr std::size_t any_number = std::size_t(-1);

/// A supported operator. Inputs after the first `min_inputs` are optional: they may be missing at the end or be -1.
/// Inputs from `required` on may be -1, too. `newest` is the highest version known of TensorFlow Lite's files. A
/// version adds element types, ranks and fields of options; each is either supported or refused.
struct operator_row {
  std::string_view name;
  int newest;
  schema::options_kind options;
  std::size_t min_inputs, max_inputs;
  std::size_t min_outputs, max_outputs;
  void (*read)(node_reader& node);
  detail::use_by_input counted = {};  // use of inputs with a run-time number of valid rows
  bool changes_variables = false;     // true when it changes variable operands
  std::size_t required = any_number;
};

/// Sorted by name. Conditions on operands are checked by the rules of the nnrt operators that a row becomes.
inline constexpr operator_row operator_table[] = {
    {"ABS", 5, schema::empty_options(78), 1, 1, 1, 1, read_unary<ops::abs>, detail::by_elements},
    {"ADD", 5, schema::kind_of<schema::add_options>, 2, 2, 1, 1, read_sum_of_two<ops::add, schema::add_options>,
     detail::by_pairs},
    {"ADD_N", 1, schema::empty_options(82), 1, any_number, 1, 1, read_add_n},
    {"ARG_MAX", 3, schema::kind_of<schema::arg_max_options>, 2, 2, 1, 1, read_arg_max},
    {"ARG_MIN", 3, schema::kind_of<schema::arg_min_options>, 2, 2, 1, 1, read_arg_min},
    {"ASSIGN_VARIABLE", 1, schema::empty_options(113), 2, 2, 0, 0, read_assign_variable},
    {"ATAN2", 1, schema::empty_options(122), 2, 2, 1, 1, read_atan2},
    {"AVERAGE_POOL_2D", 3, schema::kind_of<schema::pool2d_options>, 1, 1, 1, 1, read_pool_2d<ops::avg_pool>},
    {"BATCH_MATMUL", 4, schema::kind_of<schema::batch_matmul_options>, 2, 2, 1, 1, read_batch_matmul},
    {"BATCH_TO_SPACE_ND", 4, schema::empty_options(24), 3, 3, 1, 1, read_batch_to_space_nd},
    {"BIDIRECTIONAL_SEQUENCE_LSTM",
     3,
     schema::kind_of<schema::two_way_lstm_options>,
     48,
     48,
     1,
     2,
     read_two_way_lstm,
     {},
     true,
     1},
    {"BIDIRECTIONAL_SEQUENCE_RNN",
     3,
     schema::kind_of<schema::two_way_rnn_options>,
     12,
     12,
     1,
     2,
     read_two_way_rnn,
     {},
     true,
     1},
    {"BROADCAST_ARGS", 1, schema::no_options, 2, 2, 1, 1, read_broadcast_args},
    {"BROADCAST_TO", 3, schema::empty_options(104), 2, 2, 1, 1, read_broadcast_to},
    {"CALL", 1, schema::kind_of<schema::call_options>, 0, any_number, 0, any_number, read_call},
    {"CALL_ONCE", 1, schema::kind_of<schema::call_once_options>, 0, 0, 0, 0, read_call_once},
    {"CAST", 7, {37, 2}, 1, 1, 1, 1, read_cast, detail::by_elements},
    {"CEIL", 1, schema::no_options, 1, 1, 1, 1, read_function<ops::ceil>, detail::by_elements},
    {"COMPLEX_ABS", 1, schema::no_options, 1, 1, 1, 1, read_complex_abs},
    {"CONCATENATION", 4, schema::kind_of<schema::concatenation_options>, 1, any_number, 1, 1, read_concatenation},
    {"CONV_2D", 8, schema::kind_of<schema::conv2d_options>, 2, 3, 1, 1, read_conv_2d},
    {"CONV_3D", 1, schema::kind_of<schema::conv3d_options>, 2, 3, 1, 1, read_conv_3d},
    {"CONV_3D_TRANSPOSE", 1, schema::kind_of<schema::conv3d_options>, 3, 4, 1, 1, read_conv_3d_transpose},
    {"COS", 1, schema::empty_options(84), 1, 1, 1, 1, read_function<ops::cos>, detail::by_elements},
    {"CUMSUM", 1, schema::kind_of<schema::cumsum_options>, 2, 2, 1, 1, read_cumsum},
    {"DENSIFY", 1, schema::empty_options(99), 1, 1, 1, 1, read_densify},
    {"DEPTHWISE_CONV_2D", 7, schema::kind_of<schema::depthwise_conv2d_options>, 2, 3, 1, 1, read_depthwise_conv_2d},
    {"DEPTH_TO_SPACE", 2, schema::kind_of<schema::depth_to_space_options>, 1, 1, 1, 1, read_depth_to_space},
    {"DEQUANTIZE", 6, schema::empty_options(38), 1, 1, 1, 1, read_dequantize, detail::by_elements},
    {"DIV", 2, schema::kind_of<schema::div_options>, 2, 2, 1, 1, read_arithmetic<ops::div, schema::div_options>},
    {"DYNAMIC_UPDATE_SLICE", 2, schema::empty_options(117), 3, 3, 1, 1, read_dynamic_update_slice},
    {"ELU", 1, schema::no_options, 1, 1, 1, 1, read_elu, detail::by_elements},
    {"EMBEDDING_LOOKUP", 3, schema::no_options, 2, 2, 1, 1, read_embedding_lookup, detail::by_list},
    {"EQUAL", 4, schema::empty_options(53), 2, 2, 1, 1, read_binary<ops::equal>, detail::by_pairs},
    {"EXP", 2, schema::empty_options(33), 1, 1, 1, 1, read_exp, detail::by_elements},
    {"EXPAND_DIMS", 1, schema::empty_options(52), 2, 2, 1, 1, read_binary<ops::expand_dims>, detail::by_rows},
    {"FAKE_QUANT", 2, schema::kind_of<schema::fake_quant_options>, 1, 1, 1, 1, read_fake_quant},
    {"FILL", 4, schema::empty_options(68), 2, 2, 1, 1, read_fill},
    {"FLOOR", 1, schema::no_options, 1, 1, 1, 1, read_function<ops::floor>, detail::by_elements},
    {"FLOOR_DIV", 3, schema::empty_options(65), 2, 2, 1, 1, read_floor_div},
    {"FLOOR_MOD", 2, schema::empty_options(72), 2, 2, 1, 1, read_floor_mod},
    {"FULLY_CONNECTED", 12, schema::kind_of<schema::fully_connected_options>, 2, 3, 1, 1, read_fully_connected},
    {"GATHER", 7, schema::kind_of<schema::gather_options>, 2, 2, 1, 1, read_gather, detail::by_index},
    {"GATHER_ND", 5, schema::empty_options(83), 2, 2, 1, 1, read_gather_nd, detail::by_index},
    {"GELU", 2, schema::kind_of<schema::gelu_options>, 1, 1, 1, 1, read_gelu, detail::by_elements},
    {"GREATER", 2, schema::empty_options(44), 2, 2, 1, 1, read_binary<ops::greater>, detail::by_pairs},
    {"GREATER_EQUAL", 3, schema::empty_options(45), 2, 2, 1, 1, read_binary<ops::greater_equal>, detail::by_pairs},
    {"HARD_SWISH", 1, schema::empty_options(91), 1, 1, 1, 1, read_unary<ops::hswish>, detail::by_elements},
    {"IF", 1, schema::kind_of<schema::if_options>, 1, any_number, 0, any_number, read_if},
    {"IMAG", 1, schema::no_options, 1, 1, 1, 1, read_part<1>},
    {"L2_NORMALIZATION", 2, schema::kind_of<schema::l2_norm_options>, 1, 1, 1, 1, read_l2_normalization},
    {"L2_POOL_2D", 1, schema::kind_of<schema::pool2d_options>, 1, 1, 1, 1, read_l2_pool_2d},
    {"LEAKY_RELU", 2, schema::kind_of<schema::leaky_relu_options>, 1, 1, 1, 1, read_leaky_relu, detail::by_elements},
    {"LESS", 3, schema::empty_options(41), 2, 2, 1, 1, read_binary<ops::less>, detail::by_pairs},
    {"LESS_EQUAL", 2, schema::empty_options(46), 2, 2, 1, 1, read_binary<ops::less_equal>, detail::by_pairs},
    {"LOCAL_RESPONSE_NORMALIZATION", 1, schema::kind_of<schema::local_response_normalization_options>, 1, 1, 1, 1,
     read_local_response_normalization},
    {"LOG", 2, schema::no_options, 1, 1, 1, 1, read_function<ops::log>, detail::by_elements},
    {"LOGICAL_AND", 1, schema::empty_options(62), 2, 2, 1, 1, read_binary<ops::logical_and>, detail::by_pairs},
    {"LOGICAL_NOT", 1, schema::empty_options(63), 1, 1, 1, 1, read_unary<ops::logical_not>, detail::by_elements},
    {"LOGICAL_OR", 1, schema::empty_options(60), 2, 2, 1, 1, read_binary<ops::logical_or>, detail::by_pairs},
    {"LOGISTIC", 3, schema::no_options, 1, 1, 1, 1, read_unary<ops::sigmoid>, detail::by_elements},
    {"LOG_SOFTMAX", 2, schema::empty_options(36), 1, 1, 1, 1, read_log_softmax},
    {"LSTM", 4, schema::kind_of<schema::lstm_options>, 5, 24, 1, 4, read_lstm, {}, true, 1},
    {"MAXIMUM", 4, schema::empty_options(39), 2, 2, 1, 1, read_extreme<ops::maximum>, detail::by_pairs},
    {"MAX_POOL_2D", 3, schema::kind_of<schema::pool2d_options>, 1, 1, 1, 1, read_pool_2d<ops::max_pool>},
    {"MEAN", 3, schema::kind_of<schema::reducer_options>, 2, 2, 1, 1, read_reduction<ops::reduce_mean>},
    {"MINIMUM", 4, schema::empty_options(39), 2, 2, 1, 1, read_extreme<ops::minimum>, detail::by_pairs},
    {"MIRROR_PAD", 3, schema::kind_of<schema::mirror_pad_options>, 2, 2, 1, 1, read_mirror_pad},
    {"MUL", 7, schema::kind_of<schema::mul_options>, 2, 2, 1, 1, read_arithmetic<ops::mul, schema::mul_options>,
     detail::by_pairs},
    {"NEG", 1, schema::empty_options(42), 1, 1, 1, 1, read_neg, detail::by_elements},
    {"NON_MAX_SUPPRESSION_V4", 1, schema::empty_options(95), 5, 5, 2, 2, read_non_max_suppression},
    {"NON_MAX_SUPPRESSION_V5", 1, schema::empty_options(96), 6, 6, 3, 3, read_non_max_suppression},
    {"NOT_EQUAL", 3, schema::empty_options(54), 2, 2, 1, 1, read_binary<ops::not_equal>, detail::by_pairs},
    {"ONE_HOT", 1, schema::kind_of<schema::one_hot_options>, 4, 4, 1, 1, read_one_hot},
    {"PACK", 4, schema::kind_of<schema::pack_options>, 1, any_number, 1, 1, read_pack},
    {"PAD", 4, schema::empty_options(22), 2, 2, 1, 1, read_pad},
    {"PADV2", 4, schema::empty_options(43), 3, 3, 1, 1, read_pad},
    {"POW", 1, schema::empty_options(56), 2, 2, 1, 1, read_pow},
    {"PRELU", 1, schema::no_options, 2, 2, 1, 1, read_prelu},
    {"QUANTIZE", 4, schema::empty_options(89), 1, 1, 1, 1, read_quantize, detail::by_elements},
    {"RANGE", 2, schema::empty_options(73), 3, 3, 1, 1, read_range},
    {"RANK", 1, schema::empty_options(86), 1, 1, 1, 1, read_rank},
    {"READ_VARIABLE", 1, schema::empty_options(112), 1, 1, 1, 1, read_read_variable},
    {"REAL", 1, schema::no_options, 1, 1, 1, 1, read_part<0>},
    {"REDUCE_ALL", 1, schema::kind_of<schema::reducer_options>, 2, 2, 1, 1, read_reduction<ops::reduce_all>},
    {"REDUCE_ANY", 1, schema::kind_of<schema::reducer_options>, 2, 2, 1, 1, read_reduce_any},
    {"REDUCE_MAX", 3, schema::kind_of<schema::reducer_options>, 2, 2, 1, 1, read_reduction<ops::reduce_max>},
    {"REDUCE_MIN", 3, schema::kind_of<schema::reducer_options>, 2, 2, 1, 1, read_reduction<ops::reduce_min>},
    {"REDUCE_PROD", 2, schema::kind_of<schema::reducer_options>, 2, 2, 1, 1, read_reduction<ops::reduce_prod>},
    {"RELU", 3, schema::no_options, 1, 1, 1, 1, read_unary<ops::relu>, detail::by_elements},
    {"RELU6", 3, schema::no_options, 1, 1, 1, 1, read_unary<ops::relu6>, detail::by_elements},
    {"RELU_0_TO_1", 1, schema::no_options, 1, 1, 1, 1, read_clamp<0>},
    {"RELU_N1_TO_1", 1, schema::no_options, 1, 1, 1, 1, read_clamp<-1>},
    {"RESHAPE", 1, schema::kind_of<schema::reshape_options>, 1, 2, 1, 1, read_reshape, detail::by_rows},
    {"RESIZE_BILINEAR", 4, schema::kind_of<schema::resize_bilinear_options>, 2, 2, 1, 1, read_resize_bilinear},
    {"RESIZE_NEAREST_NEIGHBOR", 4, schema::kind_of<schema::resize_nearest_neighbor_options>, 2, 2, 1, 1,
     read_resize_nearest_neighbor},
    {"REVERSE_SEQUENCE", 1, schema::kind_of<schema::reverse_sequence_options>, 2, 2, 1, 1, read_reverse_sequence},
    {"REVERSE_V2", 3, schema::empty_options(81), 2, 2, 1, 1, read_reverse_v2},
    {"RFFT2D", 1, schema::empty_options(105), 2, 2, 1, 1, read_rfft2d},
    {"RNN", 3, schema::kind_of<schema::rnn_options>, 5, 5, 1, 1, read_rnn, {}, true, 1},
    {"ROUND", 1, schema::no_options, 1, 1, 1, 1, read_function<ops::round>, detail::by_elements},
    {"RSQRT", 3, schema::no_options, 1, 1, 1, 1, read_unary<ops::rsqrt>, detail::by_elements},
    {"SCATTER_ND", 1, schema::empty_options(97), 3, 3, 1, 1, read_scatter_nd},
    {"SELECT", 4, schema::empty_options(47), 3, 3, 1, 1, read_select},
    {"SELECT_V2", 2, schema::empty_options(98), 3, 3, 1, 1, read_select_v2},
    {"SHAPE", 1, schema::kind_of<schema::shape_options>, 1, 1, 1, 1, read_shape},
    {"SIGN", 2, schema::empty_options(123), 1, 1, 1, 1, read_sign, detail::by_elements},
    {"SIN", 1, schema::no_options, 1, 1, 1, 1, read_function<ops::sin>, detail::by_elements},
    {"SLICE", 6, schema::empty_options(48), 3, 3, 1, 1, read_slice},
    {"SOFTMAX", 3, schema::kind_of<schema::softmax_options>, 1, 1, 1, 1, read_softmax},
    {"SPACE_TO_BATCH_ND", 4, schema::empty_options(25), 3, 3, 1, 1, read_space_to_batch_nd},
    {"SPACE_TO_DEPTH", 2, schema::kind_of<schema::space_to_depth_options>, 1, 1, 1, 1, read_space_to_depth},
    {"SPARSE_TO_DENSE", 3, {50, 1}, 4, 4, 1, 1, read_sparse_to_dense},
    {"SPLIT", 4, schema::kind_of<schema::split_options>, 2, 2, 1, any_number, read_split},
    {"SPLIT_V", 2, schema::kind_of<schema::split_v_options>, 3, 3, 1, any_number, read_split_v},
    {"SQRT", 1, schema::no_options, 1, 1, 1, 1, read_unary<ops::sqrt>, detail::by_elements},
    {"SQUARE", 1, schema::empty_options(66), 1, 1, 1, 1, read_unary<ops::square>, detail::by_elements},
    {"SQUARED_DIFFERENCE", 2, schema::empty_options(76), 2, 2, 1, 1, read_binary<ops::squared_difference>},
    {"SQUEEZE", 2, schema::kind_of<schema::squeeze_options>, 1, 1, 1, 1, read_squeeze, detail::by_rows},
    {"STRIDED_SLICE", 8, schema::kind_of<schema::strided_slice_options>, 4, 4, 1, 1, read_strided_slice,
     detail::by_rows},
    {"SUB", 5, schema::kind_of<schema::sub_options>, 2, 2, 1, 1, read_sum_of_two<ops::sub, schema::sub_options>,
     detail::by_pairs},
    {"SUM", 2, schema::kind_of<schema::reducer_options>, 2, 2, 1, 1, read_sum},
    {"SVDF", 4, schema::kind_of<schema::svdf_options>, 5, 5, 1, 1, read_svdf, {}, true, 1},
    {"TANH", 3, schema::no_options, 1, 1, 1, 1, read_unary<ops::tanh>, detail::by_elements},
    {"TILE", 3, schema::empty_options(51), 2, 2, 1, 1, read_tile},
    {"TOPK_V2", 3, schema::empty_options(34), 2, 2, 2, 2, read_top_k},
    {"TRANSPOSE", 6, schema::empty_options(26), 2, 2, 1, 1, read_transpose},
    {"TRANSPOSE_CONV", 5, schema::kind_of<schema::transpose_conv_options>, 3, 4, 1, 1, read_transpose_conv},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM",
     5,
     schema::kind_of<schema::sequence_lstm_options>,
     20,
     24,
     1,
     1,
     read_sequence_lstm,
     {},
     true,
     1},
    {"UNIDIRECTIONAL_SEQUENCE_RNN",
     3,
     schema::kind_of<schema::sequence_rnn_options>,
     5,
     5,
     1,
     1,
     read_sequence_rnn,
     {},
     true,
     1},
    {"UNIQUE", 1, schema::kind_of<schema::unique_options>, 1, 1, 2, 2, read_unique},
    {"UNPACK", 4, schema::kind_of<schema::unpack_options>, 1, 1, 1, any_number, read_unpack},
    {"VAR_HANDLE", 1, schema::kind_of<schema::var_handle_options>, 0, 0, 1, 1, read_var_handle},
    {"WHERE", 2, schema::empty_options(85), 1, 1, 1, 1, read_where},
    {"WHILE", 1, schema::kind_of<schema::while_options>, 0, any_number, 0, any_number, read_while},
    {"ZEROS_LIKE", 1, schema::empty_options(67), 1, 1, 1, 1, read_zeros_like},
};

/// Supported custom operators, by custom code.
inline constexpr operator_row custom_operator_table[] = {
    {"Convolution2DTransposeBias", 1, schema::no_options, 3, 3, 1, 1, read_transpose_conv_bias},
    {"FlexTensorListFromTensor", 1, schema::no_options, 2, 2, 1, 1, read_list_from_tensor<detail::flex_lists>},
    {"FlexTensorListGetItem", 1, schema::no_options, 3, 3, 1, 1, read_list_get_item<detail::flex_lists>},
    {"FlexTensorListLength", 1, schema::no_options, 1, 1, 1, 1, read_list_length<detail::flex_lists>},
    {"FlexTensorListReserve", 1, schema::no_options, 2, 2, 1, 1, read_list_reserve<detail::flex_lists>},
    {"FlexTensorListSetItem", 1, schema::no_options, 3, 3, 1, 1, read_list_set_item<detail::flex_lists>},
    {"FlexTensorListStack", 1, schema::no_options, 2, 2, 1, 1, read_list_stack<detail::flex_lists>},
    {"MaxPoolingWithArgmax2D", 1, schema::no_options, 1, 1, 2, 2, read_max_pool_argmax},
    {"MaxUnpooling2D", 1, schema::no_options, 2, 2, 1, 1, read_max_unpooling},
    {"SignalDelay", 1, schema::no_options, 1, 1, 1, 1, read_signal_delay},
    {"SignalEnergy", 1, schema::no_options, 1, 1, 1, 1, read_signal_energy},
    {"SignalFftAutoScale", 1, schema::no_options, 1, 1, 2, 2, read_signal_auto_scale},
    {"SignalFilterBank", 1, schema::no_options, 6, 6, 1, 1, read_signal_filter_bank},
    {"SignalFilterBankLog", 1, schema::no_options, 1, 1, 1, 1, read_signal_log},
    {"SignalFilterBankSpectralSubtraction", 1, schema::no_options, 1, 1, 2, 2, read_signal_spectral_subtraction},
    {"SignalFilterBankSquareRoot", 1, schema::no_options, 2, 2, 1, 1, read_signal_square_root},
    {"SignalFramer", 1, schema::no_options, 1, 1, 2, 2, read_signal_framer},
    {"SignalIrfft", 1, schema::no_options, 1, 1, 1, 1, read_signal_fft<true>},
    {"SignalOverlapAdd", 1, schema::no_options, 1, 1, 1, 1, read_signal_overlap_add},
    {"SignalPCAN", 1, schema::no_options, 3, 3, 1, 1, read_signal_gain},
    {"SignalRfft", 1, schema::no_options, 1, 1, 1, 1, read_signal_fft<false>},
    {"SignalStacker", 1, schema::no_options, 1, 1, 2, 2, read_signal_stacker},
    {"SignalWindow", 1, schema::no_options, 2, 2, 1, 1, read_signal_window},
    {"TFLite_Detection_PostProcess", 1, schema::no_options, 3, 3, 4, 4, read_detection_post_process},
    {"TensorListFromTensor", 1, schema::no_options, 2, 2, 1, 1, read_list_from_tensor<detail::own_lists>},
    {"TensorListGetItem", 1, schema::no_options, 3, 3, 1, 1, read_list_get_item<detail::own_lists>},
    {"TensorListLength", 1, schema::no_options, 1, 1, 1, 1, read_list_length<detail::own_lists>},
    {"TensorListReserve", 1, schema::no_options, 2, 2, 1, 1, read_list_reserve<detail::own_lists>},
    {"TensorListSetItem", 1, schema::no_options, 3, 3, 1, 1, read_list_set_item<detail::own_lists>},
    {"TensorListStack", 1, schema::no_options, 2, 2, 1, 1, read_list_stack<detail::own_lists>},
};

/// Supported operators that only Circle files have.
inline constexpr operator_row circle_operator_table[] = {
    {"INSTANCE_NORM", 1, schema::kind_of<schema::instance_norm_options>, 3, 3, 1, 1, read_instance_norm},
};

namespace detail {

/// The row of each builtin operator, by its number.
struct rows_by_number {
  const operator_row* rows[static_cast<std::size_t>(builtin_count)] = {};
  bool all_are_known = true;

  constexpr rows_by_number() {
    for (const operator_row& row : operator_table) {
      const std::int32_t number = builtin_number(row.name);
      if (number < 0) all_are_known = false;
      else rows[number] = &row;
    }
  }
};
inline constexpr rows_by_number builtin_rows;
static_assert(builtin_rows.all_are_known, "nnrt: a row of this table has a name that no builtin operator has");

}  // namespace detail

/// The row of a builtin operator; null when it is not supported.
constexpr const operator_row* row_of_builtin(std::int32_t number) {
  return number >= 0 && number < builtin_count ? detail::builtin_rows.rows[number] : nullptr;
}
/// The row of an operator of Circle files, by its negative number; null when it is not supported.
constexpr const operator_row* row_of_circle(std::int32_t number) {
  return number == -2 ? &circle_operator_table[0] : nullptr;
}
/// The row of a custom operator; null when it is not supported.
constexpr const operator_row* row_of_custom(std::string_view code) {
  for (const operator_row& row : custom_operator_table)
    if (row.name == code) return &row;
  return nullptr;
}

}}}  // namespace nnrt::NNRT_ISA::tflite
