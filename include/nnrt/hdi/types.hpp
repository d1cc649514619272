// types: HDI's models in versions 1.0, 2.0 and 2.1 - tensors, nodes, graphs, shared buffers, and all enumerations.
// Flow: hdi/write_model.hpp makes them from an ir::graph, hdi/read_model.hpp converts them back; drivers use them
// through hdi_ohos.hpp.
//
// Names are those of OpenHarmony's drivers_interface/nnrt (NnrtTypes.idl, ModelTypes.idl). hdi::common has what all
// versions share; hdi::v1_0, v2_0 and v2_1 contain it and what differs. hdi:: itself is 2.1.
#pragma once

#include <nnrt/hdi/record.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace hdi {

/// A version of HDI: ten times the major number plus the minor.
enum class version { v1_0 = 10, v2_0 = 20, v2_1 = 21 };

namespace common {
struct SharedBuffer;
}  // namespace common
/// Not plain: its file descriptor is passed separately from the bytes.
template <> struct detail::plainness<common::SharedBuffer> {
  static constexpr bool value = false;
};

namespace common {

// NOLINTBEGIN(readability-identifier-naming): names are OpenHarmony's.

enum DeviceType : std::int32_t { OTHER, CPU, GPU, ACCELERATOR };
enum DeviceStatus : std::int32_t { AVAILABLE, BUSY, OFFLINE, UNKNOWN };
enum PerformanceMode : std::int32_t {
  PERFORMANCE_NONE,
  PERFORMANCE_LOW,
  PERFORMANCE_MEDIUM,
  PERFORMANCE_HIGH,
  PERFORMANCE_EXTREME
};
enum Priority : std::int32_t { PRIORITY_NONE, PRIORITY_LOW, PRIORITY_MEDIUM, PRIORITY_HIGH };
enum Format : std::int8_t { FORMAT_NONE = -1, FORMAT_NCHW = 0, FORMAT_NHWC = 1 };
enum DataType : std::int8_t {
  DATA_TYPE_UNKNOWN = 0,
  DATA_TYPE_BOOL = 30,
  DATA_TYPE_INT8 = 32,
  DATA_TYPE_INT16 = 33,
  DATA_TYPE_INT32 = 34,
  DATA_TYPE_INT64 = 35,
  DATA_TYPE_UINT8 = 37,
  DATA_TYPE_UINT16 = 38,
  DATA_TYPE_UINT32 = 39,
  DATA_TYPE_UINT64 = 40,
  DATA_TYPE_FLOAT16 = 42,
  DATA_TYPE_FLOAT32 = 43,
  DATA_TYPE_FLOAT64 = 44
};
enum QuantType : std::int8_t { QUANT_TYPE_NONE, QUANT_TYPE_ALL };
enum ResizeMethod : std::int8_t {
  RESIZE_METHOD_UNKNOWN = -1,
  RESIZE_METHOD_LINEAR,
  RESIZE_METHOD_NEAREST,
  RESIZE_METHOD_CUBIC
};
enum CoordinateTransformMode : std::int8_t {
  COORDINATE_TRANSFORM_MODE_ASYMMETRIC,
  COORDINATE_TRANSFORM_MODE_ALIGN_CORNERS,
  COORDINATE_TRANSFORM_MODE_HALF_PIXEL
};
enum NearestMode : std::int8_t {
  NEAREST_MODE_NORMAL,
  NEAREST_MODE_ROUND_HALF_DOWN,
  NEAREST_MODE_ROUND_HALF_UP,
  NEAREST_MODE_FLOOR,
  NEAREST_MODE_CEIL
};
enum ActivationType : std::int8_t {
  ACTIVATION_TYPE_NO_ACTIVATION,
  ACTIVATION_TYPE_RELU,
  ACTIVATION_TYPE_SIGMOID,
  ACTIVATION_TYPE_RELU6,
  ACTIVATION_TYPE_ELU,
  ACTIVATION_TYPE_LEAKY_RELU,
  ACTIVATION_TYPE_ABS,
  ACTIVATION_TYPE_RELU1,
  ACTIVATION_TYPE_SOFTSIGN,
  ACTIVATION_TYPE_SOFTPLUS,
  ACTIVATION_TYPE_TANH,
  ACTIVATION_TYPE_SELU,
  ACTIVATION_TYPE_HSWISH,
  ACTIVATION_TYPE_HSIGMOID,
  ACTIVATION_TYPE_THRESHOLDRELU,
  ACTIVATION_TYPE_LINEAR,
  ACTIVATION_TYPE_HARD_TANH,
  ACTIVATION_TYPE_SIGN,
  ACTIVATION_TYPE_SWISH,
  ACTIVATION_TYPE_GELU,
  ACTIVATION_TYPE_UNKNOWN
};
/// L2 exists since version 2.1.
enum ReduceMode : std::int8_t {
  REDUCE_MODE_MEAN,
  REDUCE_MODE_MAX,
  REDUCE_MODE_MIN,
  REDUCE_MODE_PROD,
  REDUCE_MODE_SUM,
  REDUCE_MODE_SUM_SQUARE,
  REDUCE_MODE_ASUM,
  REDUCE_MODE_ALL,
  REDUCE_MODE_L2
};
enum EltwiseMode : std::int8_t { ELTWISE_MODE_PROD, ELTWISE_MODE_SUM, ELTWISE_MODE_MAXIMUM, ELTWISE_MODE_UNKNOWN };
enum PadMode : std::int8_t { PAD_MODE_PAD, PAD_MODE_SAME, PAD_MODE_VALID };
enum RoundMode : std::int8_t { ROUND_MODE_FLOOR, ROUND_MODE_CEIL };
enum PaddingMode : std::int8_t {
  PADDING_MODE_CONSTANT,
  PADDING_MODE_REFLECT,
  PADDING_MODE_SYMMETRIC,
  PADDING_MODE_RESERVED
};

/// What a node computes. hdi/nodes.hpp says which versions have which.
enum NodeType : std::uint32_t {
  NODE_TYPE_NONE = 0,
  NODE_TYPE_ABS = 1,
  NODE_TYPE_ACTIVATION = 2,
  NODE_TYPE_ADD_FUSION = 5,
  NODE_TYPE_ALL = 9,
  NODE_TYPE_ARGMAX_FUSION = 11,
  NODE_TYPE_ASSERT = 13,
  NODE_TYPE_AVGPOOL_FUSION = 17,
  NODE_TYPE_BATCH_TO_SPACE_ND = 22,
  NODE_TYPE_BIAS_ADD = 23,
  NODE_TYPE_BROADCAST_TO = 27,
  NODE_TYPE_CAST = 28,
  NODE_TYPE_CEIL = 29,
  NODE_TYPE_CLIP = 30,
  NODE_TYPE_CONCAT = 31,
  NODE_TYPE_CONV2D_FUSION = 35,
  NODE_TYPE_CONV2D_TRANSPOSE_FUSION = 36,
  NODE_TYPE_COS = 37,
  NODE_TYPE_CONSTANT_OF_SHAPE = 38,
  NODE_TYPE_CROP = 39,
  NODE_TYPE_DEPTH_TO_SPACE = 45,
  NODE_TYPE_DETECTION_POST_PROCESS = 46,
  NODE_TYPE_DIV_FUSION = 47,
  NODE_TYPE_ELTWISE = 52,
  NODE_TYPE_EQUAL = 53,
  NODE_TYPE_EXPFUSION = 55,
  NODE_TYPE_EXPAND_DIMS = 56,
  NODE_TYPE_FLATTEN = 61,
  NODE_TYPE_FLOOR = 63,
  NODE_TYPE_FILL = 66,
  NODE_TYPE_FULL_CONNECTION = 67,
  NODE_TYPE_FUSED_BATCH_NORM = 68,
  NODE_TYPE_GATHER = 69,
  NODE_TYPE_GATHER_ND = 70,
  NODE_TYPE_GREATER = 71,
  NODE_TYPE_GREATER_EQUAL = 72,
  NODE_TYPE_INSTANCE_NORM = 74,
  NODE_TYPE_LAYER_NORM_FUSION = 75,
  NODE_TYPE_LEAKY_RELU = 76,
  NODE_TYPE_LESS = 77,
  NODE_TYPE_LESS_EQUAL = 78,
  NODE_TYPE_LOG = 79,
  NODE_TYPE_LOGICAL_AND = 81,
  NODE_TYPE_LOGICAL_NOT = 82,
  NODE_TYPE_LOGICAL_OR = 83,
  NODE_TYPE_LRN = 85,
  NODE_TYPE_LSTM = 87,
  NODE_TYPE_L2_NORMALIZE_FUSION = 88,
  NODE_TYPE_MATMUL_FUSION = 89,
  NODE_TYPE_MAXIMUM = 90,
  NODE_TYPE_MAX_POOL_FUSION = 92,
  NODE_TYPE_MINIMUM = 96,
  NODE_TYPE_MOD = 98,
  NODE_TYPE_MUL_FUSION = 99,
  NODE_TYPE_NEG = 101,
  NODE_TYPE_NOT_EQUAL = 103,
  NODE_TYPE_ONE_HOT = 105,
  NODE_TYPE_PAD_FUSION = 107,
  NODE_TYPE_POW_FUSION = 110,
  NODE_TYPE_PRELU_FUSION = 112,
  NODE_TYPE_QUANT_DTYPE_CAST = 113,
  NODE_TYPE_RANK = 114,
  NODE_TYPE_RANGE = 115,
  NODE_TYPE_RECIPROCAL = 116,
  NODE_TYPE_REAL_DIV = 117,
  NODE_TYPE_REDUCE_FUSION = 118,
  NODE_TYPE_RESHAPE = 119,
  NODE_TYPE_RESIZE = 120,
  NODE_TYPE_ROUND = 125,
  NODE_TYPE_RSQRT = 126,
  NODE_TYPE_SCALE_FUSION = 127,
  NODE_TYPE_SCATTER_ND = 128,
  NODE_TYPE_SHAPE = 130,
  NODE_TYPE_SIN = 133,
  NODE_TYPE_SLICE_FUSION = 135,
  NODE_TYPE_SOFTMAX = 138,
  NODE_TYPE_SPACE_TO_BATCH_ND = 141,
  NODE_TYPE_SPACE_TO_DEPTH = 142,
  NODE_TYPE_SPARSE_TO_DENSE = 144,
  NODE_TYPE_SPLIT = 145,
  NODE_TYPE_SQRT = 146,
  NODE_TYPE_SQUEEZE = 147,
  NODE_TYPE_SQUARE = 148,
  NODE_TYPE_SQUARED_DIFFERENCE = 149,
  NODE_TYPE_STACK = 150,
  NODE_TYPE_STRIDED_SLICE = 151,
  NODE_TYPE_SUB_FUSION = 152,
  NODE_TYPE_TILE_FUSION = 160,
  NODE_TYPE_TOPK_FUSION = 161,
  NODE_TYPE_TRANSPOSE = 162,
  NODE_TYPE_UNSQUEEZE = 165,
  NODE_TYPE_UNSTACK = 166,
  NODE_TYPE_WHERE = 168,
  NODE_TYPE_SELECT = 170,
  NODE_TYPE_ERF = 178,
  NODE_TYPE_LOG_SOFTMAX = 189,
  NODE_TYPE_QUANT_DTYPE_CAST_V2 = 999
};

// A range of shared memory: `dataSize` bytes at `offset`. fd: -1 if there is no data; bufferSize: bytes of the whole
// memory.
NNRT_HDI_RECORD(SharedBuffer, (int, fd), (std::uint32_t, bufferSize), (std::uint32_t, offset),
                (std::uint32_t, dataSize))
// real = scale * (quantised - zeroPoint).
NNRT_HDI_PLAIN(QuantParam, (std::int32_t, numBits), (std::int32_t, zeroPoint), (double, scale))
// An input or output of a run.
NNRT_HDI_RECORD(IOTensor, (std::string, name), (DataType, dataType), (std::vector<std::int32_t>, dimensions),
                (Format, format), (SharedBuffer, data))
// A tensor of a model. quantParams: one for the tensor, or one for each index of an axis.
NNRT_HDI_RECORD(Tensor, (std::string, name), (DataType, dataType), (std::vector<std::int32_t>, dims), (Format, format),
                (SharedBuffer, data), (std::vector<QuantParam>, quantParams))
// A node. nodeAttr: serialised structure of its nodeType; the indices refer to tensors.
NNRT_HDI_RECORD(Node, (std::string, name), (NodeType, nodeType), (std::vector<std::int8_t>, nodeAttr),
                (std::vector<std::uint32_t>, inputIndex), (std::vector<std::uint32_t>, outputIndex),
                (QuantType, quantType))
NNRT_HDI_RECORD(SubGraph, (std::string, name), (std::vector<std::uint32_t>, inputIndices),
                (std::vector<std::uint32_t>, outputIndices), (std::vector<std::uint32_t>, nodeIndices))
// A model. subGraph[0] is the main graph, usually the only one.
NNRT_HDI_RECORD(Model, (std::string, name), (std::vector<std::uint32_t>, inputIndex),
                (std::vector<std::uint32_t>, outputIndex), (std::vector<Node>, nodes),
                (std::vector<Tensor>, allTensors), (std::vector<SubGraph>, subGraph))

}  // namespace common

namespace v1_0 {
using namespace common;
NNRT_HDI_PLAIN(ModelConfig, (bool, enableFloat16), (PerformanceMode, mode), (Priority, priority))
}  // namespace v1_0

namespace v2_0 {
using namespace common;

/// Return codes of version 2; negative numbers are HDF's.
enum NNRT_ReturnCode : std::uint32_t {
  NNRT_SUCCESS,
  NNRT_FAILED,
  NNRT_NULL_PTR,
  NNRT_INVALID_PARAMETER,
  NNRT_MEMORY_ERROR,
  NNRT_OUT_OF_MEMORY,
  NNRT_OPERATION_FORBIDDEN,
  NNRT_INVALID_FILE,
  NNRT_INVALID_PATH,
  NNRT_INSUFFICIENT_BUFFER,
  NNRT_NO_CHANGE,
  NNRT_NOT_SUPPORT,
  NNRT_SERVICE_ERROR,
  NNRT_DEVICE_ERROR,
  NNRT_DEVICE_BUSY,
  NNRT_CANCELLED,
  NNRT_PERMISSION_DENIED,
  NNRT_TIME_OUT,
  NNRT_INVALID_TENSOR,
  NNRT_INVALID_NODE,
  NNRT_INVALID_INPUT,
  NNRT_INVALID_OUTPUT,
  NNRT_INVALID_DATATYPE,
  NNRT_INVALID_FORMAT,
  NNRT_INVALID_TENSOR_NAME,
  NNRT_INVALID_SHAPE,
  NNRT_OUT_OF_DIMENTION_RANGES,
  NNRT_INVALID_BUFFER,
  NNRT_INVALID_BUFFER_SIZE,
  NNRT_INVALID_PERFORMANCE_MODE,
  NNRT_INVALID_PRIORITY,
  NNRT_INVALID_MODEL,
  NNRT_INVALID_MODEL_CACHE,
  NNRT_UNSUPPORTED_OP
};

using ExtensionMap = std::map<std::string, std::vector<std::int8_t>>;
NNRT_HDI_RECORD(ModelConfig, (bool, enableFloat16), (PerformanceMode, mode), (Priority, priority),
                (ExtensionMap, extensions))
}  // namespace v2_0

namespace v2_1 {
using namespace v2_0;
}  // namespace v2_1
using namespace v2_1;

// NOLINTEND(readability-identifier-naming)

}}}  // namespace nnrt::NNRT_ISA::hdi
