// names: names of the builtin operators, element types and fused activations of .tflite files, by number.
// Flow: operators.hpp looks operators up by these names; error messages use them.
#pragma once

#include <nnrt/core/dtype.hpp>
#include <nnrt/core/text.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

/// Builtin operators by number; numbers from 162 on belong to StableHLO. Empty: a mark of the format, not an operator.
// clang-format off
inline constexpr std::string_view builtin_names[] = {
    /*   0 */ "ADD", "AVERAGE_POOL_2D", "CONCATENATION", "CONV_2D", "DEPTHWISE_CONV_2D", "DEPTH_TO_SPACE", "DEQUANTIZE",
    /*   7 */ "EMBEDDING_LOOKUP", "FLOOR", "FULLY_CONNECTED", "HASHTABLE_LOOKUP", "L2_NORMALIZATION", "L2_POOL_2D",
    /*  13 */ "LOCAL_RESPONSE_NORMALIZATION", "LOGISTIC", "LSH_PROJECTION", "LSTM", "MAX_POOL_2D", "MUL", "RELU",
    /*  20 */ "RELU_N1_TO_1", "RELU6", "RESHAPE", "RESIZE_BILINEAR", "RNN", "SOFTMAX", "SPACE_TO_DEPTH", "SVDF", "TANH",
    /*  29 */ "CONCAT_EMBEDDINGS", "SKIP_GRAM", "CALL", "CUSTOM", "EMBEDDING_LOOKUP_SPARSE", "PAD",
    /*  35 */ "UNIDIRECTIONAL_SEQUENCE_RNN", "GATHER", "BATCH_TO_SPACE_ND", "SPACE_TO_BATCH_ND", "TRANSPOSE", "MEAN",
    /*  41 */ "SUB", "DIV", "SQUEEZE", "UNIDIRECTIONAL_SEQUENCE_LSTM", "STRIDED_SLICE", "BIDIRECTIONAL_SEQUENCE_RNN",
    /*  47 */ "EXP", "TOPK_V2", "SPLIT", "LOG_SOFTMAX", "DELEGATE", "BIDIRECTIONAL_SEQUENCE_LSTM", "CAST", "PRELU",
    /*  55 */ "MAXIMUM", "ARG_MAX", "MINIMUM", "LESS", "NEG", "PADV2", "GREATER", "GREATER_EQUAL", "LESS_EQUAL",
              "SELECT",
    /*  65 */ "SLICE", "SIN", "TRANSPOSE_CONV", "SPARSE_TO_DENSE", "TILE", "EXPAND_DIMS", "EQUAL", "NOT_EQUAL", "LOG",
    /*  74 */ "SUM", "SQRT", "RSQRT", "SHAPE", "POW", "ARG_MIN", "FAKE_QUANT", "REDUCE_PROD", "REDUCE_MAX", "PACK",
    /*  84 */ "LOGICAL_OR", "ONE_HOT", "LOGICAL_AND", "LOGICAL_NOT", "UNPACK", "REDUCE_MIN", "FLOOR_DIV", "REDUCE_ANY",
    /*  92 */ "SQUARE", "ZEROS_LIKE", "FILL", "FLOOR_MOD", "RANGE", "RESIZE_NEAREST_NEIGHBOR", "LEAKY_RELU",
    /*  99 */ "SQUARED_DIFFERENCE", "MIRROR_PAD", "ABS", "SPLIT_V", "UNIQUE", "CEIL", "REVERSE_V2", "ADD_N",
              "GATHER_ND",
    /* 108 */ "COS", "WHERE", "RANK", "ELU", "REVERSE_SEQUENCE", "MATRIX_DIAG", "QUANTIZE", "MATRIX_SET_DIAG", "ROUND",
    /* 117 */ "HARD_SWISH", "IF", "WHILE", "NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5", "SCATTER_ND",
              "SELECT_V2",
    /* 124 */ "DENSIFY", "SEGMENT_SUM", "BATCH_MATMUL", "", "CUMSUM", "CALL_ONCE", "BROADCAST_TO", "RFFT2D", "CONV_3D",
    /* 133 */ "IMAG", "REAL", "COMPLEX_ABS", "HASHTABLE", "HASHTABLE_FIND", "HASHTABLE_IMPORT", "HASHTABLE_SIZE",
    /* 140 */ "REDUCE_ALL", "CONV_3D_TRANSPOSE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "BROADCAST_ARGS",
    /* 146 */ "RANDOM_STANDARD_NORMAL", "BUCKETIZE", "RANDOM_UNIFORM", "MULTINOMIAL", "GELU", "DYNAMIC_UPDATE_SLICE",
    /* 152 */ "RELU_0_TO_1", "UNSORTED_SEGMENT_PROD", "UNSORTED_SEGMENT_MAX", "UNSORTED_SEGMENT_SUM", "ATAN2",
    /* 157 */ "UNSORTED_SEGMENT_MIN", "SIGN", "BITCAST", "BITWISE_XOR", "RIGHT_SHIFT"};
// clang-format on

inline constexpr std::int32_t builtin_count = sizeof(builtin_names) / sizeof(builtin_names[0]);

/// The number of the operator with this name; -1 when there is none.
constexpr std::int32_t builtin_number(std::string_view name) {
  std::int32_t number = 0;
  for (const std::string_view known : builtin_names) {
    if (known == name) return number;
    ++number;
  }
  return -1;
}
static_assert(builtin_number("MEAN") == 40 && builtin_number("SPLIT_V") == 102 && builtin_number("RIGHT_SHIFT") == 161);

/// The name with this number in a list of names; an unknown number gives `<what> <number>`.
template <std::size_t Count>
[[gnu::cold]] constexpr pool<char> name_in(const std::string_view (&names)[Count], std::string_view what,
                                           std::int64_t number) {
  const bool is_known = number >= 0 && number < static_cast<std::int64_t>(Count);
  if (is_known && !names[static_cast<std::size_t>(number)].empty())
    return letters({names[static_cast<std::size_t>(number)]});
  return letters({what, " ", number});
}

/// "CONV_2D"; "builtin operator 170".
[[gnu::cold]] constexpr pool<char> name_of_builtin(std::int32_t number) {
  return name_in(builtin_names, "builtin operator", number);
}

/// Additional operators of Circle files, by number from -2 down.
inline constexpr std::string_view circle_names[] = {"INSTANCE_NORM", "BCQ_FULLY_CONNECTED", "BCQ_GATHER", "GRU",
                                                    "RMS_NORM"};
[[gnu::cold]] constexpr pool<char> name_of_circle(std::int32_t number) {
  const std::int64_t index = -2 - std::int64_t{number};
  if (index < 0 || index >= std::int64_t{std::size(circle_names)}) return name_of_builtin(number);
  return letters({circle_names[static_cast<std::size_t>(index)]});
}

/// Element types by number.
inline constexpr std::string_view type_names[] = {
    "FLOAT32",   "FLOAT16", "INT32",    "UINT8",      "INT64",  "STRING",        "BOOL",       "INT16",
    "COMPLEX64", "INT8",    "FLOAT64",  "COMPLEX128", "UINT64", "RESOURCE",      "VARIANT",    "UINT32",
    "UINT16",    "INT4",    "BFLOAT16", "INT2",       "UINT4",  "FLOAT8_E4M3FN", "FLOAT8_E5M2"};

/// "INT8"; "type 40".
[[gnu::cold]] constexpr pool<char> name_of_type(std::int32_t number) { return name_in(type_names, "type", number); }

/// The number of the element type with this name; -1 when there is none.
constexpr std::int32_t type_number(std::string_view name) {
  std::int32_t number = 0;
  for (const std::string_view known : type_names) {
    if (known == name) return number;
    ++number;
  }
  return -1;
}
/// 4-bit values, two in each byte.
inline constexpr std::int32_t type_of_four_bits = type_number("INT4");
/// Complex numbers of two f32.
inline constexpr std::int32_t type_of_complex = type_number("COMPLEX64");
static_assert(type_of_four_bits == 17 && type_of_complex == 8);

/// nnrt's dtype for an element type; `none` when there is none.
constexpr dtype dtype_of_type(std::int32_t number) {
  constexpr dtype types[] = {f32, f16, i32,         u8,  i64,         dtype::none, boolean, i16, dtype::none,
                             i8,  f64, dtype::none, u64, dtype::none, dtype::none, u32,     u16};
  return number >= 0 && number < 17 ? types[number] : dtype::none;
}
static_assert(dtype_of_type(9) == i8 && dtype_of_type(15) == u32 && dtype_of_type(16) == u16);

/// Fused activations by number.
inline constexpr std::string_view activation_names[] = {"NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT"};
inline constexpr std::int8_t fused_tanh = 4;

}}}  // namespace nnrt::NNRT_ISA::tflite
