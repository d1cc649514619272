// neural_network_runtime_type.h: types and constants of OpenHarmony's Neural Network Runtime, for C99 and C++.
// Flow: neural_network_core.h and neural_network_runtime.h include it. The number in parentheses is the API level since
// which a name exists.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
/// noexcept in C++: no function of this interface throws.
#define NNRT_NOEXCEPT noexcept
/// An enumeration with C's underlying type, so that a C caller may pass any number; functions return codes for invalid
/// ones.
#define NNRT_ENUM enum : int
extern "C" {
#else
#include <stdbool.h>
#define NNRT_NOEXCEPT
#define NNRT_ENUM enum
#endif

/// A graph of tensors and operations: modifiable until OH_NNModel_Finish, then ready to compile.
typedef struct OH_NNModel OH_NNModel;

/// A model, a device and options; OH_NNCompilation_Build prepares it for executors.
typedef struct OH_NNCompilation OH_NNCompilation;

/// Runs a compilation and returns shapes of inputs and outputs.
typedef struct OH_NNExecutor OH_NNExecutor;

/// Scales, zero points and widths of a quantised tensor. (11)
typedef struct NN_QuantParam NN_QuantParam;

/// Name, type, format and shape of a tensor. (11)
typedef struct NN_TensorDesc NN_TensorDesc;

/// A tensor in memory that its device can reach. (11)
typedef struct NN_Tensor NN_Tensor;

/// Trade of speed for power.
typedef NNRT_ENUM{
    OH_NN_PERFORMANCE_NONE = 0,     ///< no preference
    OH_NN_PERFORMANCE_LOW = 1,      ///< least power
    OH_NN_PERFORMANCE_MEDIUM = 2,   ///< balanced
    OH_NN_PERFORMANCE_HIGH = 3,     ///< fast
    OH_NN_PERFORMANCE_EXTREME = 4,  ///< highest speed
} OH_NN_PerformanceMode;

/// Scheduling priority of models that share a device.
typedef NNRT_ENUM{
    OH_NN_PRIORITY_NONE = 0,    ///< no preference
    OH_NN_PRIORITY_LOW = 1,     ///< after the others
    OH_NN_PRIORITY_MEDIUM = 2,  ///< in between
    OH_NN_PRIORITY_HIGH = 3,    ///< before the others
} OH_NN_Priority;

/// Return code of a function.
typedef NNRT_ENUM{
    OH_NN_SUCCESS = 0,                ///< success
    OH_NN_FAILED = 1,                 ///< failure without a more specific code
    OH_NN_INVALID_PARAMETER = 2,      ///< an argument is null, out of range, or inconsistent
    OH_NN_MEMORY_ERROR = 3,           ///< out of memory
    OH_NN_OPERATION_FORBIDDEN = 4,    ///< not allowed in this state, or not with this device
    OH_NN_NULL_PTR = 5,               ///< a null pointer where an object was expected
    OH_NN_INVALID_FILE = 6,           ///< a file has invalid contents
    OH_NN_UNAVALIDABLE_DEVICE = 7,    ///< API 9's name and number of ::OH_NN_UNAVAILABLE_DEVICE
    OH_NN_INVALID_PATH = 8,           ///< no such directory
    OH_NN_TIMEOUT = 9,                ///< the time-out has passed (11)
    OH_NN_UNSUPPORTED = 10,           ///< the device does not support it (11)
    OH_NN_CONNECTION_EXCEPTION = 11,  ///< the device's process does not respond (11)
    OH_NN_SAVE_CACHE_EXCEPTION = 12,  ///< the cache could not be written (11)
    OH_NN_DYNAMIC_SHAPE = 13,         ///< an extent is unknown until the run (11)
    OH_NN_UNAVAILABLE_DEVICE = 14,    ///< the device failed (11)
} OH_NN_ReturnCode;

/// Activation that an operation applies to its result. One byte, like the parameter tensor that holds it.
#ifdef __cplusplus
typedef enum : int8_t {
#else
enum {
#endif
  OH_NN_FUSED_NONE = 0,   ///< none
  OH_NN_FUSED_RELU = 1,   ///< max(x, 0)
  OH_NN_FUSED_RELU6 = 2,  ///< min(max(x, 0), 6)
#ifdef __cplusplus
} OH_NN_FuseType;
#else
};
typedef int8_t OH_NN_FuseType;
#endif

/// Order of a tensor's axes in memory.
typedef NNRT_ENUM{
    OH_NN_FORMAT_NONE = 0,  ///< unspecified
    OH_NN_FORMAT_NCHW = 1,  ///< batch, channels, height, width
    OH_NN_FORMAT_NHWC = 2,  ///< batch, height, width, channels
    OH_NN_FORMAT_ND = 3,    ///< axes without a meaning (11)
} OH_NN_Format;

/// Kind of a device.
typedef NNRT_ENUM{
    OH_NN_OTHERS = 0,       ///< none of these
    OH_NN_CPU = 1,          ///< general processor
    OH_NN_GPU = 2,          ///< graphics processor
    OH_NN_ACCELERATOR = 3,  ///< processor for neural networks
} OH_NN_DeviceType;

/// Type of a tensor's elements.
typedef NNRT_ENUM{
    OH_NN_UNKNOWN = 0,   ///< unspecified; 0 bytes
    OH_NN_BOOL = 1,      ///< 1 byte: 0 is false, other values are true
    OH_NN_INT8 = 2,      ///< 1 byte
    OH_NN_INT16 = 3,     ///< 2 bytes
    OH_NN_INT32 = 4,     ///< 4 bytes
    OH_NN_INT64 = 5,     ///< 8 bytes
    OH_NN_UINT8 = 6,     ///< 1 byte
    OH_NN_UINT16 = 7,    ///< 2 bytes
    OH_NN_UINT32 = 8,    ///< 4 bytes
    OH_NN_UINT64 = 9,    ///< 8 bytes
    OH_NN_FLOAT16 = 10,  ///< 2 bytes, IEEE 754 binary16
    OH_NN_FLOAT32 = 11,  ///< 4 bytes
    OH_NN_FLOAT64 = 12,  ///< 8 bytes
} OH_NN_DataType;

/// What an operation computes. Operands and parameters of each: docs/operators.md.
typedef NNRT_ENUM{
    OH_NN_OPS_ADD = 1,                ///< a + b, then the fused activation; broadcasts
    OH_NN_OPS_AVG_POOL = 2,           ///< mean of each window; NHWC
    OH_NN_OPS_BATCH_NORM = 3,         ///< (x - mean) / sqrt(variance + epsilon) * scale + offset along the last axis
    OH_NN_OPS_BATCH_TO_SPACE_ND = 4,  ///< moves blocks of the batch into height and width, then crops
    OH_NN_OPS_BIAS_ADD = 5,           ///< adds one number per channel
    OH_NN_OPS_CAST = 6,               ///< to the type that the second input holds, an ::OH_NN_DataType as one int32
    OH_NN_OPS_CONCAT = 7,             ///< along one axis
    OH_NN_OPS_CONV2D = 8,             ///< input NHWC, weight [outC, kH, kW, inC / group]
    OH_NN_OPS_CONV2D_TRANSPOSE = 9,   ///< gradient of CONV2D by its input
    OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE = 10,  ///< each input channel with its filters; weight [outC, kH, kW, 1]
    OH_NN_OPS_DIV = 11,                      ///< a / b, then the fused activation; broadcasts
    OH_NN_OPS_ELTWISE = 12,                  ///< product, sum or maximum of two tensors
    OH_NN_OPS_EXPAND_DIMS = 13,              ///< inserts an axis of extent 1
    OH_NN_OPS_FILL = 14,                     ///< a tensor of one value; inputs are the value and the shape
    OH_NN_OPS_FULL_CONNECTION = 15,          ///< x times the transpose of weight [outC, inC], plus bias
    OH_NN_OPS_GATHER = 16,                   ///< slices of the input at indices along an axis
    OH_NN_OPS_HSWISH = 17,                   ///< x * relu6(x + 3) / 6
    OH_NN_OPS_LESS_EQUAL = 18,               ///< a <= b as bool; broadcasts
    OH_NN_OPS_MATMUL = 19,                   ///< matrix products over the last two axes, batched over the others
    OH_NN_OPS_MAXIMUM = 20,                  ///< the larger of a and b; broadcasts
    OH_NN_OPS_MAX_POOL = 21,                 ///< maximum of each window; NHWC
    OH_NN_OPS_MUL = 22,                      ///< a * b, then the fused activation; broadcasts
    OH_NN_OPS_ONE_HOT = 23,                  ///< a new axis with onValue at each index, offValue elsewhere
    OH_NN_OPS_PAD = 24,                      ///< with a constant, or mirrored
    OH_NN_OPS_POW = 25,                      ///< (scale * x + shift) to the power y; broadcasts
    OH_NN_OPS_SCALE = 26,                    ///< x * scale + bias, whose axes begin at a given one
    OH_NN_OPS_SHAPE = 27,                    ///< the input's extents
    OH_NN_OPS_SIGMOID = 28,                  ///< 1 / (1 + exp(-x))
    OH_NN_OPS_SLICE = 29,                    ///< a block given by begin and size
    OH_NN_OPS_SOFTMAX = 30,                  ///< exp(x) over its sum along axes
    OH_NN_OPS_SPACE_TO_BATCH_ND = 31,        ///< pads, then moves blocks of height and width into the batch
    OH_NN_OPS_SPLIT = 32,                    ///< several blocks along one axis
    OH_NN_OPS_SQRT = 33,                     ///< square root
    OH_NN_OPS_SQUARED_DIFFERENCE = 34,       ///< (a - b)^2; broadcasts
    OH_NN_OPS_SQUEEZE = 35,                  ///< removes axes of extent 1
    OH_NN_OPS_STACK = 36,                    ///< joins tensors along a new axis
    OH_NN_OPS_STRIDED_SLICE = 37,            ///< begin, end and strides with five bit masks
    OH_NN_OPS_SUB = 38,                      ///< a - b, then the fused activation; broadcasts
    OH_NN_OPS_TANH = 39,                     ///< hyperbolic tangent
    OH_NN_OPS_TILE = 40,                     ///< repeats the input along each axis
    OH_NN_OPS_TRANSPOSE = 41,                ///< permutes the axes
    OH_NN_OPS_REDUCE_MEAN = 42,              ///< mean over axes
    OH_NN_OPS_RESIZE_BILINEAR = 43,          ///< to a new height and width; NHWC
    OH_NN_OPS_RSQRT = 44,                    ///< 1 / sqrt(x)
    OH_NN_OPS_RESHAPE = 45,                  ///< the same elements in another shape
    OH_NN_OPS_PRELU = 46,                    ///< x above 0, weight * x below; a weight per channel, or one
    OH_NN_OPS_RELU = 47,                     ///< max(x, 0)
    OH_NN_OPS_RELU6 = 48,                    ///< min(max(x, 0), 6)
    OH_NN_OPS_LAYER_NORM = 49,               ///< normalises the axes from one on, then gamma and beta
    OH_NN_OPS_REDUCE_PROD = 50,              ///< product over axes
    OH_NN_OPS_REDUCE_ALL = 51,               ///< logical and over axes
    OH_NN_OPS_QUANT_DTYPE_CAST = 52,         ///< between float and quantised values
    OH_NN_OPS_TOP_K = 53,                    ///< the k largest along an axis, with their indices
    OH_NN_OPS_ARG_MAX = 54,                  ///< index of the largest along an axis
    OH_NN_OPS_UNSQUEEZE = 55,                ///< inserts an axis of extent 1
    OH_NN_OPS_GELU = 56,                     ///< 0.5 * x * (1 + erf(x / sqrt(2))), or its tanh form
    OH_NN_OPS_UNSTACK = 57,                  ///< slices along an axis, which is removed (12)
    OH_NN_OPS_ABS = 58,                      ///< absolute value (12)
    OH_NN_OPS_ERF = 59,                      ///< error function (12)
    OH_NN_OPS_EXP = 60,                      ///< base to the power shift + scale * x (12)
    OH_NN_OPS_LESS = 61,                     ///< a < b as bool; broadcasts (12)
    OH_NN_OPS_SELECT = 62,                   ///< input1 where the condition holds, else input2 (12)
    OH_NN_OPS_SQUARE = 63,                   ///< x * x (12)
    OH_NN_OPS_FLATTEN = 64,                  ///< to two axes, split before a given one (12)
    OH_NN_OPS_DEPTH_TO_SPACE = 65,           ///< moves channels into height and width (12)
    OH_NN_OPS_RANGE = 66,                    ///< start, start + delta, ... below limit (12)
    OH_NN_OPS_INSTANCE_NORM = 67,            ///< normalises each channel of each image (12)
    OH_NN_OPS_CONSTANT_OF_SHAPE = 68,        ///< a tensor of one value; the input is the shape (12)
    OH_NN_OPS_BROADCAST_TO = 69,             ///< to a larger shape (12)
    OH_NN_OPS_EQUAL = 70,                    ///< a == b as bool; broadcasts (12)
    OH_NN_OPS_GREATER = 71,                  ///< a > b as bool; broadcasts (12)
    OH_NN_OPS_NOT_EQUAL = 72,                ///< a != b as bool; broadcasts (12)
    OH_NN_OPS_GREATER_EQUAL = 73,            ///< a >= b as bool; broadcasts (12)
    OH_NN_OPS_LEAKY_RELU = 74,               ///< x above 0, slope * x below (12)
    OH_NN_OPS_LSTM = 75,                     ///< long short-term memory over a sequence (12)
    OH_NN_OPS_CLIP = 76,                     ///< min(max(x, lowest), highest) (12)
    OH_NN_OPS_ALL = 77,                      ///< logical and over axes (12)
    OH_NN_OPS_ASSERT = 78,                   ///< passes data on where the condition holds; else the run fails (12)
    OH_NN_OPS_COS = 79,                      ///< cosine of radians (12)
    OH_NN_OPS_LOG = 80,                      ///< natural logarithm (12)
    OH_NN_OPS_LOGICAL_AND = 81,              ///< a and b; broadcasts (12)
    OH_NN_OPS_LOGICAL_NOT = 82,              ///< not x (12)
    OH_NN_OPS_MOD = 83,                      ///< remainder with the divisor's sign; broadcasts (12)
    OH_NN_OPS_NEG = 84,                      ///< -x (12)
    OH_NN_OPS_RECIPROCAL = 85,               ///< 1 / x (12)
    OH_NN_OPS_SIN = 86,                      ///< sine of radians (12)
    OH_NN_OPS_WHERE = 87,                    ///< input1 where the condition holds, else input2 (12)
    OH_NN_OPS_SPARSE_TO_DENSE = 88,          ///< values at indices of a zero tensor (12)
    OH_NN_OPS_LOGICAL_OR = 89,               ///< a or b; broadcasts (12)
    OH_NN_OPS_CEIL = 90,                     ///< the least integer not below x (12)
    OH_NN_OPS_CROP = 91,                     ///< a block of a given shape from an offset on (12)
    OH_NN_OPS_DETECTION_POST_PROCESS = 92,   ///< boxes from anchors, then non-maximum suppression (12)
    OH_NN_OPS_FLOOR = 93,                    ///< the greatest integer not above x (12)
    OH_NN_OPS_L2_NORMALIZE = 94,             ///< x / sqrt(max(sum of squares, epsilon)) over axes (12)
    OH_NN_OPS_LOG_SOFTMAX = 95,              ///< logarithm of SOFTMAX (12)
    OH_NN_OPS_LRN = 96,                      ///< local response normalisation across channels (12)
    OH_NN_OPS_MINIMUM = 97,                  ///< the smaller of a and b; broadcasts (12)
    OH_NN_OPS_RANK = 98,                     ///< the number of axes (12)
    OH_NN_OPS_REDUCE_MAX = 99,               ///< maximum over axes (12)
    OH_NN_OPS_REDUCE_MIN = 100,              ///< minimum over axes (12)
    OH_NN_OPS_REDUCE_SUM = 101,              ///< sum over axes (12)
    OH_NN_OPS_ROUND = 102,                   ///< to the nearest integer, halves to even (12)
    OH_NN_OPS_SCATTER_ND = 103,              ///< updates at indices of a zero tensor (12)
    OH_NN_OPS_SPACE_TO_DEPTH = 104,          ///< moves blocks of height and width into channels (12)
    OH_NN_OPS_SWISH = 105,                   ///< x * sigmoid(x) (12)
    OH_NN_OPS_REDUCE_L2 = 106,               ///< root of the sum of squares over axes (12)
    OH_NN_OPS_HARD_SIGMOID = 107,            ///< relu6(x + 3) / 6 (12)
    OH_NN_OPS_GATHER_ND = 108,               ///< slices of the input at index tuples (12)
} OH_NN_OperationType;

/// What a tensor is: data (::OH_NN_TENSOR), or a parameter of the operation that its name begins with.
typedef NNRT_ENUM{
    OH_NN_TENSOR = 0,                       ///< an input, output or constant of operations
    OH_NN_ADD_ACTIVATIONTYPE = 1,           ///< int8: an ::OH_NN_FuseType
    OH_NN_AVG_POOL_KERNEL_SIZE = 2,         ///< int64 [height, width]
    OH_NN_AVG_POOL_STRIDE = 3,              ///< int64 [height, width]
    OH_NN_AVG_POOL_PAD_MODE = 4,            ///< int8: 0 same, 1 valid
    OH_NN_AVG_POOL_PAD = 5,                 ///< int64 [top, bottom, left, right]
    OH_NN_AVG_POOL_ACTIVATION_TYPE = 6,     ///< int8: an ::OH_NN_FuseType
    OH_NN_BATCH_NORM_EPSILON = 7,           ///< float32; 1e-4 when absent
    OH_NN_BATCH_TO_SPACE_ND_BLOCKSIZE = 8,  ///< int64 [height, width]
    OH_NN_BATCH_TO_SPACE_ND_CROPS = 9,      ///< int64 [[top, bottom], [left, right]]
    OH_NN_CONCAT_AXIS = 10,                 ///< int64; 0 when absent
    OH_NN_CONV2D_STRIDES = 11,              ///< int64 [height, width]
    OH_NN_CONV2D_PAD = 12,                  ///< int64 [top, bottom, left, right]
    OH_NN_CONV2D_DILATION = 13,             ///< int64 [height, width]
    OH_NN_CONV2D_PAD_MODE = 14,             ///< int8: 0 same, 1 valid
    OH_NN_CONV2D_ACTIVATION_TYPE = 15,      ///< int8: an ::OH_NN_FuseType
    OH_NN_CONV2D_GROUP = 16,                ///< int64; 1 when absent
    OH_NN_CONV2D_TRANSPOSE_STRIDES = 17,    ///< int64 [height, width]
    OH_NN_CONV2D_TRANSPOSE_PAD = 18,        ///< int64 [top, bottom, left, right]
    OH_NN_CONV2D_TRANSPOSE_DILATION = 19,   ///< int64 [height, width]
    OH_NN_CONV2D_TRANSPOSE_OUTPUT_PADDINGS =
        20,                                ///< int64, one or two: what is added to height and width of the output
    OH_NN_CONV2D_TRANSPOSE_PAD_MODE = 21,  ///< int8: 0 same, 1 valid
    OH_NN_CONV2D_TRANSPOSE_ACTIVATION_TYPE = 22,         ///< int8: an ::OH_NN_FuseType
    OH_NN_CONV2D_TRANSPOSE_GROUP = 23,                   ///< int64; 1 when absent
    OH_NN_DEPTHWISE_CONV2D_NATIVE_STRIDES = 24,          ///< int64 [height, width]
    OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD = 25,              ///< int64 [top, bottom, left, right]
    OH_NN_DEPTHWISE_CONV2D_NATIVE_DILATION = 26,         ///< int64 [height, width]
    OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD_MODE = 27,         ///< int8: 0 same, 1 valid
    OH_NN_DEPTHWISE_CONV2D_NATIVE_ACTIVATION_TYPE = 28,  ///< int8: an ::OH_NN_FuseType
    OH_NN_DIV_ACTIVATIONTYPE = 29,                       ///< int8: an ::OH_NN_FuseType
    OH_NN_ELTWISE_MODE = 30,                             ///< int8: 0 product, 1 sum, 2 maximum
    OH_NN_FULL_CONNECTION_AXIS = 31,                     ///< int64: axes from this one on are one row
    OH_NN_FULL_CONNECTION_ACTIVATIONTYPE = 32,           ///< int8: an ::OH_NN_FuseType
    OH_NN_MATMUL_TRANSPOSE_A = 33,                       ///< bool
    OH_NN_MATMUL_TRANSPOSE_B = 34,                       ///< bool
    OH_NN_MATMUL_ACTIVATION_TYPE = 35,                   ///< int8: an ::OH_NN_FuseType
    OH_NN_MAX_POOL_KERNEL_SIZE = 36,                     ///< int64 [height, width]
    OH_NN_MAX_POOL_STRIDE = 37,                          ///< int64 [height, width]
    OH_NN_MAX_POOL_PAD_MODE = 38,                        ///< int8: 0 same, 1 valid
    OH_NN_MAX_POOL_PAD = 39,                             ///< int64 [top, bottom, left, right]
    OH_NN_MAX_POOL_ACTIVATION_TYPE = 40,                 ///< int8: an ::OH_NN_FuseType
    OH_NN_MUL_ACTIVATION_TYPE = 41,                      ///< int8: an ::OH_NN_FuseType
    OH_NN_ONE_HOT_AXIS = 42,                             ///< int64; -1, a new last axis, when absent
    OH_NN_PAD_CONSTANT_VALUE = 43,                       ///< float32
    OH_NN_SCALE_ACTIVATIONTYPE = 44,                     ///< int8: an ::OH_NN_FuseType
    OH_NN_SCALE_AXIS = 45,                               ///< int64; must be given
    OH_NN_SOFTMAX_AXIS = 46,                             ///< int64; the last axis when absent
    OH_NN_SPACE_TO_BATCH_ND_BLOCK_SHAPE = 47,            ///< int64 [height, width]
    OH_NN_SPACE_TO_BATCH_ND_PADDINGS = 48,               ///< int64 [[top, bottom], [left, right]]
    OH_NN_SPLIT_AXIS = 49,                               ///< int64; 0 when absent
    OH_NN_SPLIT_OUTPUT_NUM = 50,                         ///< int64
    OH_NN_SPLIT_SIZE_SPLITS = 51,                        ///< int64, one per output; equal parts when absent
    OH_NN_SQUEEZE_AXIS = 52,                             ///< int64, any number; every axis of extent 1 when absent
    OH_NN_STACK_AXIS = 53,                               ///< int64; 0 when absent
    OH_NN_STRIDED_SLICE_BEGIN_MASK = 54,                 ///< int64: bit i starts axis i at its first element
    OH_NN_STRIDED_SLICE_END_MASK = 55,                   ///< int64: bit i ends axis i after its last element
    OH_NN_STRIDED_SLICE_ELLIPSIS_MASK = 56,              ///< int64: the bit expands to all axes that are not named
    OH_NN_STRIDED_SLICE_NEW_AXIS_MASK = 57,              ///< int64: bit i inserts an axis of extent 1
    OH_NN_STRIDED_SLICE_SHRINK_AXIS_MASK = 58,  ///< int64: bit i takes the element at begin[i] and removes the axis
    OH_NN_SUB_ACTIVATIONTYPE = 59,              ///< int8: an ::OH_NN_FuseType
    OH_NN_REDUCE_MEAN_KEEP_DIMS = 60,           ///< bool
    OH_NN_RESIZE_BILINEAR_NEW_HEIGHT = 61,      ///< int64, in pixels
    OH_NN_RESIZE_BILINEAR_NEW_WIDTH = 62,       ///< int64, in pixels
    OH_NN_RESIZE_BILINEAR_PRESERVE_ASPECT_RATIO = 63,         ///< bool
    OH_NN_RESIZE_BILINEAR_COORDINATE_TRANSFORM_MODE = 64,     ///< int8: 0 asymmetric, 1 align corners, 2 half pixel
    OH_NN_RESIZE_BILINEAR_EXCLUDE_OUTSIDE = 65,               ///< int64: 1 gives weight 0 to pixels outside the image
    OH_NN_LAYER_NORM_BEGIN_NORM_AXIS = 66,                    ///< int64 scalar; 1 when absent
    OH_NN_LAYER_NORM_EPSILON = 67,                            ///< float32 scalar; 1e-7 when absent
    OH_NN_LAYER_NORM_BEGIN_PARAM_AXIS = 68,                   ///< int64 scalar; 1 when absent
    OH_NN_LAYER_NORM_ELEMENTWISE_AFFINE = 69,                 ///< reserved: no operation takes it
    OH_NN_REDUCE_PROD_KEEP_DIMS = 70,                         ///< bool
    OH_NN_REDUCE_ALL_KEEP_DIMS = 71,                          ///< bool
    OH_NN_QUANT_DTYPE_CAST_SRC_T = 72,                        ///< int64: an ::OH_NN_DataType; must be given
    OH_NN_QUANT_DTYPE_CAST_DST_T = 73,                        ///< int64: an ::OH_NN_DataType; must be given
    OH_NN_TOP_K_SORTED = 74,                                  ///< bool; true, largest first, when absent
    OH_NN_ARG_MAX_AXIS = 75,                                  ///< int64; -1 when absent
    OH_NN_ARG_MAX_KEEPDIMS = 76,                              ///< bool
    OH_NN_UNSQUEEZE_AXIS = 77,                                ///< int64
    OH_NN_UNSTACK_AXIS = 78,                                  ///< int64; 0 when absent
    OH_NN_FLATTEN_AXIS = 79,                                  ///< int64; 1 when absent
    OH_NN_DEPTH_TO_SPACE_BLOCK_SIZE = 80,                     ///< int64
    OH_NN_DEPTH_TO_SPACE_MODE = 81,                           ///< int32: 0 depth, column, row; 1 column, row, depth
    OH_NN_RANGE_START = 82,                                   ///< int64; 0 when absent
    OH_NN_RANGE_LIMIT = 83,                                   ///< int64; 0 when absent
    OH_NN_RANGE_DELTA = 84,                                   ///< int64; 1 when absent
    OH_NN_CONSTANT_OF_SHAPE_DATA_TYPE = 85,                   ///< int64: an ::OH_NN_DataType
    OH_NN_CONSTANT_OF_SHAPE_VALUE = 86,                       ///< float32
    OH_NN_BROADCAST_TO_SHAPE = 87,                            ///< int64, one per axis
    OH_NN_INSTANCE_NORM_EPSILON = 88,                         ///< float32; 0 when absent
    OH_NN_EXP_BASE = 89,                                      ///< float32; -1, which means e, when absent
    OH_NN_EXP_SCALE = 90,                                     ///< float32; 1 when absent
    OH_NN_EXP_SHIFT = 91,                                     ///< float32; 0 when absent
    OH_NN_LEAKY_RELU_NEGATIVE_SLOPE = 92,                     ///< float32
    OH_NN_LSTM_BIDIRECTIONAL = 93,                            ///< bool
    OH_NN_LSTM_HAS_BIAS = 94,                                 ///< bool
    OH_NN_LSTM_INPUT_SIZE = 95,                               ///< int64
    OH_NN_LSTM_HIDDEN_SIZE = 96,                              ///< int64
    OH_NN_LSTM_NUM_LAYERS = 97,                               ///< int64
    OH_NN_LSTM_NUM_DIRECTIONS = 98,                           ///< int64
    OH_NN_LSTM_DROPOUT = 99,                                  ///< float32
    OH_NN_LSTM_ZONEOUT_CELL = 100,                            ///< float32
    OH_NN_LSTM_ZONEOUT_HIDDEN = 101,                          ///< float32
    OH_NN_LSTM_PROJ_SIZE = 102,                               ///< int64
    OH_NN_CLIP_MAX = 103,                                     ///< float32
    OH_NN_CLIP_MIN = 104,                                     ///< float32
    OH_NN_ALL_KEEP_DIMS = 105,                                ///< int64: 0 or 1
    OH_NN_ASSERT_SUMMARIZE = 106,                             ///< int64: how many elements a message shows
    OH_NN_POW_SCALE = 107,                                    ///< float32; 1 when absent
    OH_NN_POW_SHIFT = 108,                                    ///< float32; 0 when absent
    OH_NN_AVG_POOL_ROUND_MODE = 109,                          ///< int32: 0 floor, 1 ceil
    OH_NN_AVG_POOL_GLOBAL = 110,                              ///< bool: one window over the whole image
    OH_NN_FULL_CONNECTION_HAS_BIAS = 111,                     ///< bool
    OH_NN_FULL_CONNECTION_USE_AXIS = 112,                     ///< bool
    OH_NN_GELU_APPROXIMATE = 113,                             ///< bool: the tanh form
    OH_NN_MAX_POOL_ROUND_MODE = 114,                          ///< int32: 0 floor, 1 ceil
    OH_NN_MAX_POOL_GLOBAL = 115,                              ///< bool: one window over the whole image
    OH_NN_PAD_PADDING_MODE = 116,                             ///< int32: 0 constant, 1 reflect, 2 symmetric
    OH_NN_REDUCE_MEAN_REDUCE_TO_END = 117,                    ///< bool: every axis from the first one given on
    OH_NN_REDUCE_MEAN_COEFF = 118,                            ///< float32: a factor of the result, with REDUCE_TO_END
    OH_NN_REDUCE_PROD_REDUCE_TO_END = 119,                    ///< bool
    OH_NN_REDUCE_PROD_COEFF = 120,                            ///< float32
    OH_NN_REDUCE_ALL_REDUCE_TO_END = 121,                     ///< bool
    OH_NN_REDUCE_ALL_COEFF = 122,                             ///< float32
    OH_NN_TOP_K_AXIS = 123,                                   ///< int64; 0 when absent
    OH_NN_ARG_MAX_TOP_K = 124,                                ///< int64; 1 when absent
    OH_NN_ARG_MAX_OUT_MAX_VALUE = 125,                        ///< bool: the values in place of the indices
    OH_NN_QUANT_DTYPE_CAST_AXIS = 126,                        ///< int64: the axis of per-channel parameters
    OH_NN_SLICE_AXES = 127,                                   ///< int64, any number: the axes of begin and size
    OH_NN_TILE_DIMS = 128,                                    ///< int64, any number
    OH_NN_CROP_AXIS = 129,                                    ///< int64: the first axis that is cropped
    OH_NN_CROP_OFFSET = 130,                                  ///< int64, one for all axes or one each
    OH_NN_DETECTION_POST_PROCESS_INPUT_SIZE = 131,            ///< int64
    OH_NN_DETECTION_POST_PROCESS_SCALE = 132,                 ///< float32 [y, x, height, width]
    OH_NN_DETECTION_POST_PROCESS_NMS_IOU_THRESHOLD = 133,     ///< float32
    OH_NN_DETECTION_POST_PROCESS_NMS_SCORE_THRESHOLD = 134,   ///< float32
    OH_NN_DETECTION_POST_PROCESS_MAX_DETECTIONS = 135,        ///< int64
    OH_NN_DETECTION_POST_PROCESS_DETECTIONS_PER_CLASS = 136,  ///< int64
    OH_NN_DETECTION_POST_PROCESS_MAX_CLASSES_PER_DETECTION = 137,  ///< int64
    OH_NN_DETECTION_POST_PROCESS_NUM_CLASSES = 138,                ///< int64
    OH_NN_DETECTION_POST_PROCESS_USE_REGULAR_NMS = 139,            ///< bool
    OH_NN_DETECTION_POST_PROCESS_OUT_QUANTIZED = 140,              ///< bool
    OH_NN_L2_NORMALIZE_AXIS = 141,                                 ///< int64, any number
    OH_NN_L2_NORMALIZE_EPSILON = 142,                              ///< float32; 1e-6 when absent
    OH_NN_L2_NORMALIZE_ACTIVATION_TYPE = 143,                      ///< int8: an ::OH_NN_FuseType
    OH_NN_LOG_SOFTMAX_AXIS = 144,                                  ///< int64; 0 when absent
    OH_NN_LRN_DEPTH_RADIUS = 145,                                  ///< int64: channels on each side
    OH_NN_LRN_BIAS = 146,                                          ///< float32
    OH_NN_LRN_ALPHA = 147,                                         ///< float32
    OH_NN_LRN_BETA = 148,                                          ///< float32
    OH_NN_LRN_NORM_REGION = 149,                                   ///< int32: 0 across channels
    OH_NN_SPACE_TO_DEPTH_BLOCK_SIZE = 150,                         ///< int64
    OH_NN_REDUCE_MAX_KEEP_DIMS = 151,                              ///< bool
    OH_NN_REDUCE_MAX_REDUCE_TO_END = 152,                          ///< bool
    OH_NN_REDUCE_MAX_COEFF = 153,                                  ///< float32
    OH_NN_REDUCE_MIN_KEEP_DIMS = 154,                              ///< bool
    OH_NN_REDUCE_MIN_REDUCE_TO_END = 155,                          ///< bool
    OH_NN_REDUCE_MIN_COEFF = 156,                                  ///< float32
    OH_NN_REDUCE_SUM_KEEP_DIMS = 157,                              ///< bool
    OH_NN_REDUCE_SUM_REDUCE_TO_END = 158,                          ///< bool
    OH_NN_REDUCE_SUM_COEFF = 159,                                  ///< float32
    OH_NN_REDUCE_L2_KEEP_DIMS = 160,                               ///< bool
    OH_NN_REDUCE_L2_REDUCE_TO_END = 161,                           ///< bool
    OH_NN_REDUCE_L2_COEFF = 162,                                   ///< float32
} OH_NN_TensorType;

/// Indices of tensors. An empty list has null data and size 0.
typedef struct OH_NN_UInt32Array {
  uint32_t* data;  ///< borrowed for the call
  uint32_t size;   ///< number of indices
} OH_NN_UInt32Array;

/// Quantisation in API 9: real = scale * (quantised - zeroPoint). One entry for the tensor, or one for each channel.
typedef struct OH_NN_QuantParam {
  uint32_t quantCount;       ///< length of the three arrays
  const uint32_t* numBits;   ///< 8
  const double* scale;       ///< > 0
  const int32_t* zeroPoint;  ///< in the range of the quantised type
} OH_NN_QuantParam;

/// A tensor in API 9. NN_TensorDesc is its successor.
typedef struct OH_NN_Tensor {
  OH_NN_DataType dataType;             ///< type of the elements
  uint32_t dimensionCount;             ///< number of axes; 0 is a scalar
  const int32_t* dimensions;           ///< extents, -1 if unknown until the run; null for a scalar
  const OH_NN_QuantParam* quantParam;  ///< null when not quantised
  OH_NN_TensorType type;               ///< data, or the kind of parameter
} OH_NN_Tensor;

/// Memory that an executor shares with its device, in API 9. NN_Tensor is its successor.
typedef struct OH_NN_Memory {
  void* const data;     ///< page-aligned address
  const size_t length;  ///< in bytes
} OH_NN_Memory;

/// Called once at the end of an asynchronous run. userData: as given to OH_NNExecutor_RunAsync. errCode: result of the
/// run. outputTensor, outputCount: its outputs. (11)
typedef void (*NN_OnRunDone)(void* userData, OH_NN_ReturnCode errCode, void* outputTensor[], int32_t outputCount);

/// Called if the device's process dies during an asynchronous run. (11)
typedef void (*NN_OnServiceDied)(void* userData);

#ifdef __cplusplus
}
#endif
