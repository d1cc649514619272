// nodes: HDI's structures of node attributes - one for each kind of node, and a table from node types to them by
// version.
// Flow: hdi/operators.hpp finds the structure of an operator's node type here; hdi_ohos.hpp names functions after the
// same rows.
#pragma once

#include <nnrt/hdi/types.hpp>

// A row is a node type, its structure, and the structure's members. Its type is NODE_TYPE_NONE if another row has the
// node type. PLAIN structures hold only numbers (hdi/record.hpp). Source: NodeAttrTypes.idl of drivers_interface/nnrt.

// Identical in every version.
#define NNRT_HDI_NODES(PLAIN, RECORD)                                                                               \
  PLAIN(NODE_TYPE_ACTIVATION, Activation, (ActivationType, activationType), (float, alpha), (float, minVal),        \
        (float, maxVal), (bool, approximate))                                                                       \
  PLAIN(NODE_TYPE_ADD_FUSION, AddFusion, (ActivationType, activationType))                                          \
  PLAIN(NODE_TYPE_ARGMAX_FUSION, ArgMaxFusion, (std::int64_t, axis), (std::int64_t, topK), (bool, keepDims),        \
        (bool, outMaxValue))                                                                                        \
  PLAIN(NODE_TYPE_BIAS_ADD, BiasAdd)                                                                                \
  PLAIN(NODE_TYPE_CAST, Cast)                                                                                       \
  PLAIN(NODE_TYPE_CONCAT, Concat, (std::int64_t, axis))                                                             \
  PLAIN(NODE_TYPE_DIV_FUSION, DivFusion, (ActivationType, activationType))                                          \
  PLAIN(NODE_TYPE_ELTWISE, Eltwise, (EltwiseMode, mode))                                                            \
  PLAIN(NODE_TYPE_EXPAND_DIMS, ExpandDims)                                                                          \
  PLAIN(NODE_TYPE_FILL, Fill)                                                                                       \
  PLAIN(NODE_TYPE_FULL_CONNECTION, FullConnection, (bool, hasBias), (bool, useAxis), (std::int64_t, axis),          \
        (ActivationType, activationType))                                                                           \
  PLAIN(NODE_TYPE_FUSED_BATCH_NORM, FusedBatchNorm, (float, epsilon))                                               \
  PLAIN(NODE_TYPE_GATHER, Gather)                                                                                   \
  PLAIN(NODE_TYPE_LAYER_NORM_FUSION, LayerNormFusion, (std::int64_t, beginNormAxis), (float, epsilon),              \
        (bool, elementwiseAffine), (std::int64_t, beginParamsAxis))                                                 \
  PLAIN(NODE_TYPE_LESS_EQUAL, LessEqual)                                                                            \
  PLAIN(NODE_TYPE_MATMUL_FUSION, MatMulFusion, (bool, transposeA), (bool, transposeB),                              \
        (ActivationType, activationType))                                                                           \
  PLAIN(NODE_TYPE_MAXIMUM, Maximum)                                                                                 \
  PLAIN(NODE_TYPE_MUL_FUSION, MulFusion, (ActivationType, activationType))                                          \
  PLAIN(NODE_TYPE_ONE_HOT, OneHot, (std::int64_t, axis))                                                            \
  PLAIN(NODE_TYPE_POW_FUSION, PowFusion, (float, scale), (float, shift))                                            \
  PLAIN(NODE_TYPE_PRELU_FUSION, PReLUFusion, (bool, channelShared))                                                 \
  PLAIN(NODE_TYPE_NONE, QuantDTypeCast, (std::int64_t, srcT), (std::int64_t, dstT))                                 \
  PLAIN(NODE_TYPE_REDUCE_FUSION, ReduceFusion, (bool, keepDims), (ReduceMode, mode), (bool, reduceToEnd),           \
        (float, coeff))                                                                                             \
  PLAIN(NODE_TYPE_RESHAPE, Reshape)                                                                                 \
  PLAIN(NODE_TYPE_RESIZE, Resize, (ResizeMethod, method), (std::int64_t, newHeight), (std::int64_t, newWidth),      \
        (bool, preserveAspectRatio), (CoordinateTransformMode, coordinateTransformMode), (float, cubicCoeff),       \
        (std::int64_t, excludeOutside), (float, extrapolationValue), (NearestMode, nearestMode))                    \
  PLAIN(NODE_TYPE_RSQRT, Rsqrt)                                                                                     \
  PLAIN(NODE_TYPE_SCALE_FUSION, ScaleFusion, (std::int64_t, axis), (ActivationType, activationType))                \
  PLAIN(NODE_TYPE_SHAPE, Shape)                                                                                     \
  PLAIN(NODE_TYPE_SQRT, Sqrt)                                                                                       \
  PLAIN(NODE_TYPE_SQUARED_DIFFERENCE, SquaredDifference)                                                            \
  PLAIN(NODE_TYPE_STACK, Stack, (std::int64_t, axis))                                                               \
  PLAIN(NODE_TYPE_STRIDED_SLICE, StridedSlice, (std::int64_t, beginMask), (std::int64_t, endMask),                  \
        (std::int64_t, ellipsisMask), (std::int64_t, newAxisMask), (std::int64_t, shrinkAxisMask))                  \
  PLAIN(NODE_TYPE_SUB_FUSION, SubFusion, (ActivationType, activationType))                                          \
  PLAIN(NODE_TYPE_TOPK_FUSION, TopKFusion, (bool, sorted), (std::int64_t, axis))                                    \
  PLAIN(NODE_TYPE_TRANSPOSE, Transpose)                                                                             \
  RECORD(NODE_TYPE_AVGPOOL_FUSION, AvgPoolFusion, (longs, kernelSize), (longs, strides), (longs, pad),              \
         (PadMode, padMode), (RoundMode, roundMode), (Format, format), (bool, global),                              \
         (ActivationType, activationType))                                                                          \
  RECORD(NODE_TYPE_BATCH_TO_SPACE_ND, BatchToSpaceND, (longs, blockShape), (rows_of_longs, crops))                  \
  RECORD(NODE_TYPE_CONV2D_FUSION, Conv2DFusion, (longs, kernelSize), (longs, stride), (longs, dilation),            \
         (PadMode, padMode), (longs, padList), (std::int64_t, group), (std::int64_t, inChannel),                    \
         (std::int64_t, outChannel), (ActivationType, activationType))                                              \
  RECORD(NODE_TYPE_CONV2D_TRANSPOSE_FUSION, Conv2dTransposeFusion, (longs, kernelSize), (longs, stride),            \
         (longs, dilation), (PadMode, padMode), (longs, padList), (std::int64_t, group), (std::int64_t, inChannel), \
         (std::int64_t, outChannel), (ActivationType, activationType), (longs, outputPaddings))                     \
  RECORD(NODE_TYPE_PAD_FUSION, PadFusion, (rows_of_longs, paddings), (PaddingMode, paddingMode),                    \
         (float, constantValue))                                                                                    \
  RECORD(NODE_TYPE_SLICE_FUSION, SliceFusion, (longs, axes))                                                        \
  RECORD(NODE_TYPE_SOFTMAX, Softmax, (longs, axis))                                                                 \
  RECORD(NODE_TYPE_SPACE_TO_BATCH_ND, SpaceToBatchND, (longs, blockShape), (rows_of_longs, paddings))               \
  RECORD(NODE_TYPE_SPLIT, Split, (std::int64_t, outputNum), (longs, sizeSplits), (std::int64_t, axis))              \
  RECORD(NODE_TYPE_SQUEEZE, Squeeze, (longs, axis))                                                                 \
  RECORD(NODE_TYPE_TILE_FUSION, TileFusion, (longs, dims))                                                          \
  RECORD(NODE_TYPE_UNSQUEEZE, Unsqueeze, (longs, axis))

// Only in version 2.1.
#define NNRT_HDI_NODES_SINCE_2_1(PLAIN, RECORD)                                                                     \
  PLAIN(NODE_TYPE_ABS, Abs)                                                                                         \
  PLAIN(NODE_TYPE_ALL, All, (std::int64_t, keepDims))                                                               \
  PLAIN(NODE_TYPE_ASSERT, Assert, (std::int64_t, summarize))                                                        \
  PLAIN(NODE_TYPE_CEIL, Ceil)                                                                                       \
  PLAIN(NODE_TYPE_CLIP, Clip, (float, max), (float, min))                                                           \
  PLAIN(NODE_TYPE_COS, Cos)                                                                                         \
  PLAIN(NODE_TYPE_EQUAL, Equal)                                                                                     \
  PLAIN(NODE_TYPE_ERF, Erf)                                                                                         \
  PLAIN(NODE_TYPE_EXPFUSION, ExpFusion, (float, base), (float, scale), (float, shift))                              \
  PLAIN(NODE_TYPE_FLATTEN, Flatten, (std::int64_t, axis))                                                           \
  PLAIN(NODE_TYPE_FLOOR, Floor)                                                                                     \
  PLAIN(NODE_TYPE_GATHER_ND, GatherNd)                                                                              \
  PLAIN(NODE_TYPE_GREATER, Greater)                                                                                 \
  PLAIN(NODE_TYPE_GREATER_EQUAL, GreaterEqual)                                                                      \
  PLAIN(NODE_TYPE_INSTANCE_NORM, InstanceNorm, (float, epsilon))                                                    \
  PLAIN(NODE_TYPE_LEAKY_RELU, LeakyRelu, (float, negativeSlope))                                                    \
  PLAIN(NODE_TYPE_LESS, Less)                                                                                       \
  PLAIN(NODE_TYPE_LOG, Log)                                                                                         \
  PLAIN(NODE_TYPE_LOGICAL_AND, LogicalAnd)                                                                          \
  PLAIN(NODE_TYPE_LOGICAL_NOT, LogicalNot)                                                                          \
  PLAIN(NODE_TYPE_LOGICAL_OR, LogicalOr)                                                                            \
  PLAIN(NODE_TYPE_LOG_SOFTMAX, LogSoftmax, (std::int64_t, axis))                                                    \
  PLAIN(NODE_TYPE_LSTM, LSTM, (bool, bidirectional), (bool, hasBias), (std::int64_t, inputSize),                    \
        (std::int64_t, hiddenSize), (std::int64_t, numLayers), (std::int64_t, numDirections), (float, dropout),     \
        (float, zoneoutCell), (float, zoneoutHidden), (std::int64_t, projSize))                                     \
  PLAIN(NODE_TYPE_MINIMUM, Minimum)                                                                                 \
  PLAIN(NODE_TYPE_MOD, Mod)                                                                                         \
  PLAIN(NODE_TYPE_NEG, Neg)                                                                                         \
  PLAIN(NODE_TYPE_NOT_EQUAL, NotEqual)                                                                              \
  PLAIN(NODE_TYPE_NONE, QuantDTypeCastV2, (std::int64_t, srcT), (std::int64_t, dstT), (std::int64_t, axis))         \
  PLAIN(NODE_TYPE_RANGE, Range, (std::int64_t, dataType), (std::int64_t, start), (std::int64_t, limit),             \
        (std::int64_t, delta))                                                                                      \
  PLAIN(NODE_TYPE_RANK, Rank)                                                                                       \
  PLAIN(NODE_TYPE_REAL_DIV, RealDiv)                                                                                \
  PLAIN(NODE_TYPE_RECIPROCAL, Reciprocal)                                                                           \
  PLAIN(NODE_TYPE_ROUND, Round)                                                                                     \
  PLAIN(NODE_TYPE_SCATTER_ND, ScatterNd)                                                                            \
  PLAIN(NODE_TYPE_SELECT, Select)                                                                                   \
  PLAIN(NODE_TYPE_SIN, Sin)                                                                                         \
  PLAIN(NODE_TYPE_SPACE_TO_DEPTH, SpaceToDepth, (std::int64_t, blockSize), (Format, format))                        \
  PLAIN(NODE_TYPE_SPARSE_TO_DENSE, SparseToDense)                                                                   \
  PLAIN(NODE_TYPE_SQUARE, Square)                                                                                   \
  PLAIN(NODE_TYPE_UNSTACK, Unstack, (std::int64_t, axis))                                                           \
  PLAIN(NODE_TYPE_WHERE, Where)                                                                                     \
  RECORD(NODE_TYPE_BROADCAST_TO, BroadcastTo, (longs, shape))                                                       \
  RECORD(NODE_TYPE_CONSTANT_OF_SHAPE, ConstantOfShape, (std::int64_t, dataType), (std::vector<float>, value))       \
  RECORD(NODE_TYPE_CROP, Crop, (std::int64_t, axis), (longs, offset))                                               \
  RECORD(NODE_TYPE_DEPTH_TO_SPACE, DepthToSpace, (std::int64_t, blockSize), (Format, format), (std::string, mode))  \
  RECORD(NODE_TYPE_DETECTION_POST_PROCESS, DetectionPostProcess, (Format, format), (std::int64_t, inputSize),       \
         (std::vector<float>, scale), (float, nmsIoUThreshold), (float, nmsScoreThreshold),                         \
         (std::int64_t, maxDetections), (std::int64_t, detectionsPerClass), (std::int64_t, maxClassesPerDetection), \
         (std::int64_t, numClasses), (bool, useRegularNms), (bool, outQuantized))                                   \
  RECORD(NODE_TYPE_L2_NORMALIZE_FUSION, L2NormalizeFusion, (longs, axis), (float, epsilon),                         \
         (ActivationType, activationType))                                                                          \
  RECORD(NODE_TYPE_LRN, LRN, (std::int64_t, depthRadius), (float, bias), (float, alpha), (float, beta),             \
         (std::string, normRegion))

#define NNRT_HDI_PLAIN_NODE(NUMBER, ...) NNRT_HDI_PLAIN(__VA_ARGS__)
#define NNRT_HDI_RECORD_NODE(NUMBER, ...) NNRT_HDI_RECORD(__VA_ARGS__)

namespace nnrt { inline namespace NNRT_ISA { namespace hdi {

namespace common {
using longs = std::vector<std::int64_t>;
using rows_of_longs = std::vector<std::vector<std::int64_t>>;
NNRT_HDI_NODES(NNRT_HDI_PLAIN_NODE, NNRT_HDI_RECORD_NODE)
}  // namespace common

// The only structure that differs between versions.
namespace v1_0 {
NNRT_HDI_RECORD(MaxPoolFusion, (longs, kernelSize), (longs, strides), (longs, pad), (PadMode, padMode),
                (Format, format), (bool, global), (ActivationType, activationType))
}  // namespace v1_0
namespace v2_0 {
NNRT_HDI_RECORD(MaxPoolFusion, (longs, kernelSize), (longs, strides), (longs, pad), (PadMode, padMode),
                (Format, format), (RoundMode, roundMode), (bool, global), (ActivationType, activationType))
}  // namespace v2_0
namespace v2_1 {
NNRT_HDI_NODES_SINCE_2_1(NNRT_HDI_PLAIN_NODE, NNRT_HDI_RECORD_NODE)
}  // namespace v2_1

namespace detail {
/// A row: the number of a node type, its structure of attributes, and the first version with it.
template <std::uint32_t Number, class Attributes, version Since> struct node_row {
  using type = Attributes;
  static constexpr version since = Since;
};
#define NNRT_HDI_ROW_OF_1_0(NUMBER, RECORD, ...) , node_row<NUMBER, RECORD, version::v1_0>
#define NNRT_HDI_ROW_OF_2_1(NUMBER, RECORD, ...) , node_row<NUMBER, RECORD, version::v2_1>
// clang-format off
struct node_rows : node_row<NODE_TYPE_MAX_POOL_FUSION, v2_0::MaxPoolFusion, version::v1_0>,
                   node_row<NODE_TYPE_QUANT_DTYPE_CAST, QuantDTypeCastV2, version::v1_0>,
                   node_row<NODE_TYPE_QUANT_DTYPE_CAST_V2, QuantDTypeCastV2, version::v2_1>
                   NNRT_HDI_NODES(NNRT_HDI_ROW_OF_1_0, NNRT_HDI_ROW_OF_1_0)
                   NNRT_HDI_NODES_SINCE_2_1(NNRT_HDI_ROW_OF_2_1, NNRT_HDI_ROW_OF_2_1) {};
// Earlier structures of two node types.
struct older_rows : node_row<NODE_TYPE_MAX_POOL_FUSION, v1_0::MaxPoolFusion, version::v2_0>,
                    node_row<NODE_TYPE_QUANT_DTYPE_CAST, QuantDTypeCast, version::v2_1> {};
// clang-format on

template <std::uint32_t Number, class Attributes, version Since>
node_row<Number, Attributes, Since> row_among(const node_row<Number, Attributes, Since>*);
template <std::uint32_t Number> node_row<Number, void, version::v1_0> row_among(const void*);
}  // namespace detail

/// A node type in the newest version: `type` is its structure of attributes (`void`: no such node type), `since` its
/// first version.
template <std::uint32_t NodeType>
using node_kind = decltype(detail::row_among<NodeType>(static_cast<const detail::node_rows*>(nullptr)));
/// The structure before version `since`; `type` is `void` if it never changed.
template <std::uint32_t NodeType>
using older_node_kind = decltype(detail::row_among<NodeType>(static_cast<const detail::older_rows*>(nullptr)));

/// Calls f with a default-constructed structure of version v.
template <std::uint32_t NodeType, class F> auto with_attributes(version v, F f) {
  using older = older_node_kind<NodeType>;
  if constexpr (!std::is_void_v<typename older::type>)
    if (v < older::since) return f(typename older::type{});
  return f(typename node_kind<NodeType>::type{});
}

}}}  // namespace nnrt::NNRT_ISA::hdi
