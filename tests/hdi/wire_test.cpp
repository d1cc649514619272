// wire_test: the byte form of every structure, held against bytes that were written down from its description.
#include <nnrt/hdi/nodes.hpp>
#include <nnrt/hdi/wire.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

using namespace nnrt;
using namespace nnrt::hdi;

namespace {

using bytes_t = std::vector<std::int8_t>;

/// "01 00 | ff" as bytes; what is no digit parts.
bytes_t bytes_of(std::string_view hex) {
  bytes_t bytes;
  int high = -1;
  for (const char c : hex) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) continue;
    if (high >= 0) bytes.push_back(static_cast<std::int8_t>(high * 16 + digit));
    high = high < 0 ? digit : -1;
  }
  return bytes;
}
std::string hex_of(const bytes_t& bytes) {
  std::string hex;
  for (const std::int8_t byte : bytes) {
    hex += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4U];
    hex += "0123456789abcdef"[static_cast<unsigned char>(byte) & 15U];
  }
  return hex;
}

/// What reading a structure from bytes came to; apart from the structure's type, so that the checks are compiled once
/// for all.
struct reading {
  bool succeeded = false, is_same = false;
  std::int64_t left = 0;
  std::string message;
};
template <class T> reading read_like(const void* value, array_ref<const std::int8_t> bytes) {
  reader in(bytes);
  T back{};
  const auto done = unmarshal(in, back);
  if (!done) return {.message = done.error().message()};
  return {true, back == *static_cast<const T*>(value), static_cast<std::int64_t>(in.left()), {}};
}

using read_function = reading (*)(const void* value, array_ref<const std::int8_t> bytes);

/// A structure and its bytes: written so, and read so, and too short in every shorter form.
void check_encoding(const bytes_t& written, const void* value, read_function read, std::string_view hex) {
  const bytes_t expected = bytes_of(hex);
  CHECK(hex_of(written) == hex_of(expected));
  const reading whole = read(value, expected);
  CHECK(whole.succeeded);
  CHECK(whole.is_same);
  CHECK(whole.left == 0);
  for (std::size_t size = 0; size < expected.size(); ++size) {
    CAPTURE(size);
    const reading cut = read(value, array_ref<const std::int8_t>(expected.data(), size));
    CHECK(!cut.succeeded);
    CHECK(!cut.message.empty());
  }
}
template <class T> void check_encoding(const T& value, std::string_view hex) {
  check_encoding(marshalled(value), &value, &read_like<T>, hex);
}

/// Of structures without members.
template <class... T> void check_empty() { (check_encoding(T{}, "00000000 00000000"), ...); }

Conv2DFusion small_convolution() {
  Conv2DFusion c{};
  c.kernelSize = {3, 3}, c.stride = {1, 1}, c.dilation = {1, 1};
  c.padMode = PAD_MODE_SAME;
  c.group = c.inChannel = c.outChannel = 1;
  return c;
}

// Sizes of plain structures, and where their members lie, from the tables of the interface.
template <class T, std::size_t Size> constexpr bool has_size = sizeof(T) == Size && alignof(T) == 8;
static_assert(has_size<Activation, 24> && offsetof(Activation, alpha) == 4 && offsetof(Activation, approximate) == 16);
static_assert(has_size<AddFusion, 8> && has_size<All, 8> && has_size<Assert, 8> && has_size<Concat, 8> &&
              has_size<Eltwise, 8>);
static_assert(has_size<ArgMaxFusion, 24> && offsetof(ArgMaxFusion, keepDims) == 16 &&
              offsetof(ArgMaxFusion, outMaxValue) == 17);
static_assert(has_size<Clip, 8> && offsetof(Clip, min) == 4 && has_size<ExpFusion, 16> &&
              offsetof(ExpFusion, shift) == 8);
static_assert(has_size<FullConnection, 24> && offsetof(FullConnection, axis) == 8 &&
              offsetof(FullConnection, activationType) == 16);
static_assert(has_size<LayerNormFusion, 24> && offsetof(LayerNormFusion, elementwiseAffine) == 12 &&
              offsetof(LayerNormFusion, beginParamsAxis) == 16);
static_assert(has_size<LSTM, 64> && offsetof(LSTM, inputSize) == 8 && offsetof(LSTM, dropout) == 40 &&
              offsetof(LSTM, zoneoutHidden) == 48 && offsetof(LSTM, projSize) == 56);
static_assert(has_size<MatMulFusion, 8> && offsetof(MatMulFusion, activationType) == 2 && has_size<PowFusion, 8>);
static_assert(has_size<QuantDTypeCast, 16> && has_size<QuantDTypeCastV2, 24> && has_size<Range, 32> &&
              has_size<ReduceFusion, 8>);
static_assert(offsetof(ReduceFusion, mode) == 1 && offsetof(ReduceFusion, reduceToEnd) == 2 &&
              offsetof(ReduceFusion, coeff) == 4);
static_assert(has_size<Resize, 48> && offsetof(Resize, newHeight) == 8 && offsetof(Resize, preserveAspectRatio) == 24 &&
              offsetof(Resize, coordinateTransformMode) == 25 && offsetof(Resize, cubicCoeff) == 28 &&
              offsetof(Resize, excludeOutside) == 32 && offsetof(Resize, extrapolationValue) == 40 &&
              offsetof(Resize, nearestMode) == 44);
static_assert(has_size<ScaleFusion, 16> && offsetof(ScaleFusion, activationType) == 8 && has_size<SpaceToDepth, 16>);
static_assert(has_size<StridedSlice, 40> && has_size<TopKFusion, 16> && offsetof(TopKFusion, axis) == 8 &&
              has_size<Transpose, 8>);
static_assert(has_size<v1_0::ModelConfig, 16> && offsetof(v1_0::ModelConfig, mode) == 4 &&
              offsetof(v1_0::ModelConfig, priority) == 8);
static_assert(has_size<QuantParam, 16> && offsetof(QuantParam, scale) == 8);

// Which versions have which nodes.
static_assert(std::is_same_v<node_kind<NODE_TYPE_QUANT_DTYPE_CAST>::type, QuantDTypeCastV2>);
static_assert(std::is_same_v<older_node_kind<NODE_TYPE_QUANT_DTYPE_CAST>::type, QuantDTypeCast>);
static_assert(older_node_kind<NODE_TYPE_MAX_POOL_FUSION>::since == version::v2_0);
static_assert(node_kind<NODE_TYPE_LESS_EQUAL>::since == version::v1_0 &&
              node_kind<NODE_TYPE_LESS>::since == version::v2_1);
static_assert(std::is_void_v<node_kind<3>::type>);

}  // namespace

TEST_CASE("wire: structures have the bytes that their description gives") {
  check_encoding(AddFusion{ACTIVATION_TYPE_RELU}, "01 00 00 00 00 00 00 00");
  check_encoding(AddFusion{ACTIVATION_TYPE_RELU6}, "03 00 00 00 00 00 00 00");
  check_encoding(Transpose{}, "00 00 00 00 00 00 00 00");
  Conv2DFusion conv = small_convolution();
  const std::string threes = "02000000 0300000000000000 0300000000000000",
                    ones = "02000000 0100000000000000 0100000000000000", one = "0100000000000000",
                    zero = "0000000000000000";
  check_encoding(conv, threes + ones + ones + one + "00000000" + one + one + one + zero);
  conv.padMode = PAD_MODE_PAD;
  conv.padList = {1, 1, 1, 1};
  check_encoding(conv, threes + ones + ones + zero + "04000000" + one + one + one + one + one + one + one + zero);
  CHECK(marshalled(conv).size() == 136);
  BatchToSpaceND blocks{};
  blocks.blockShape = {2, 2}, blocks.crops = {{0, 0}, {0, 1}};
  check_encoding(blocks,
                 "02000000 0200000000000000 0200000000000000 | 02000000 | 02000000 0000000000000000 0000000000000000 | "
                 "02000000 0000000000000000 0100000000000000");
  AvgPoolFusion pool{};
  pool.kernelSize = {2, 2}, pool.strides = {1, 1}, pool.padMode = PAD_MODE_VALID,
  pool.activationType = ACTIVATION_TYPE_RELU;
  check_encoding(pool, "02000000 0200000000000000 0200000000000000" + ones + "00000000 0200000000000000" + zero + zero +
                           "00000000" + one);
  PadFusion pad{};
  pad.constantValue = 1.5F;
  check_encoding(pad, "00000000 0000000000000000 0000c03f");
  Split split{};
  split.outputNum = 2, split.axis = 1;
  check_encoding(split, "0200000000000000 00000000 0100000000000000");
  DepthToSpace depth{};
  depth.blockSize = 2, depth.mode = "DCR";
  check_encoding(depth, "0200000000000000 0000000000000000 44435200");
  ReduceFusion all{};
  all.keepDims = true, all.mode = REDUCE_MODE_ALL;
  check_encoding(all, "01 07 00 00 00000000");
  FullConnection dense{};
  dense.hasBias = true, dense.activationType = ACTIVATION_TYPE_RELU6;
  check_encoding(dense, "01 00 000000000000 | 0000000000000000 | 03 00000000000000");
  Activation tanh{};
  tanh.activationType = ACTIVATION_TYPE_TANH;
  check_encoding(tanh, "0a000000 00000000 00000000 00000000 00000000 00000000");
  LRN lrn{};
  lrn.depthRadius = 5, lrn.bias = 1, lrn.alpha = 1e-4F, lrn.beta = 0.75F, lrn.normRegion = "ACROSS_CHANNELS";
  check_encoding(lrn, "0500000000000000 0000803f 17b7d138 0000403f 4143524f53535f4348414e4e454c5300");
  ConstantOfShape filled{};
  filled.dataType = 45, filled.value = {1, -1};
  check_encoding(filled, "2d00000000000000 02000000 0000803f 000080bf");
}

TEST_CASE("wire: every other structure has each of its members in its place") {
  check_encoding(Activation{ACTIVATION_TYPE_LEAKY_RELU, 0.5F, -1, 2, true},
                 "05000000 0000003f 000080bf 00000040 01000000 00000000");
  check_encoding(All{1}, "01000000 00000000");
  check_encoding(ArgMaxFusion{-2, 3, true, false}, "feffffff ffffffff 03000000 00000000 01000000 00000000");
  check_encoding(ArgMaxFusion{-2, 3, false, true}, "feffffff ffffffff 03000000 00000000 00010000 00000000");
  check_encoding(Assert{7}, "07000000 00000000");
  check_encoding(Clip{6, -1}, "0000c040 000080bf");
  check_encoding(Concat{-1}, "ffffffff ffffffff");
  check_encoding(DivFusion{ACTIVATION_TYPE_RELU}, "01000000 00000000");
  check_encoding(Eltwise{ELTWISE_MODE_MAXIMUM}, "02000000 00000000");
  check_encoding(ExpFusion{2, 3, -0.5F}, "00000040 00004040 000000bf 00000000");
  check_encoding(Flatten{2}, "02000000 00000000");
  check_encoding(FullConnection{false, true, -2, ACTIVATION_TYPE_RELU},
                 "00010000 00000000 feffffff ffffffff 01000000 00000000");
  check_encoding(FusedBatchNorm{0.5F}, "0000003f 00000000");
  check_encoding(InstanceNorm{0.25F}, "0000803e 00000000");
  check_encoding(LayerNormFusion{1, 0.5F, true, 2}, "01000000 00000000 0000003f 01000000 02000000 00000000");
  check_encoding(LeakyRelu{0.25F}, "0000803e 00000000");
  check_encoding(LogSoftmax{-1}, "ffffffff ffffffff");
  check_encoding(LSTM{true, false, 2, 3, 4, 5, 0.5F, 0.25F, 2, 6},
                 "01000000 00000000 02000000 00000000 03000000 00000000 04000000 00000000 05000000 00000000 0000003f "
                 "0000803e 00000040 00000000"
                 "06000000 00000000");
  check_encoding(MatMulFusion{false, true, ACTIVATION_TYPE_RELU6}, "00010300 00000000");
  check_encoding(MulFusion{ACTIVATION_TYPE_RELU6}, "03000000 00000000");
  check_encoding(OneHot{-1}, "ffffffff ffffffff");
  check_encoding(PowFusion{2, -1}, "00000040 000080bf");
  check_encoding(PReLUFusion{true}, "01000000 00000000");
  check_encoding(QuantDTypeCast{43, 32}, "2b000000 00000000 20000000 00000000");
  check_encoding(QuantDTypeCastV2{43, 32, -1}, "2b000000 00000000 20000000 00000000 ffffffff ffffffff");
  check_encoding(Range{34, 1, 9, 2}, "22000000 00000000 01000000 00000000 09000000 00000000 02000000 00000000");
  check_encoding(ReduceFusion{false, REDUCE_MODE_L2, true, 0.5F}, "00080100 0000003f");
  check_encoding(
      Resize{RESIZE_METHOD_UNKNOWN, 5, 6, true, COORDINATE_TRANSFORM_MODE_HALF_PIXEL, -0.75F, 1, 2, NEAREST_MODE_CEIL},
      "ff000000 00000000 05000000 00000000 06000000 00000000 01020000 000040bf 01000000 00000000 00000040 04000000");
  check_encoding(ScaleFusion{-1, ACTIVATION_TYPE_RELU}, "ffffffff ffffffff 01000000 00000000");
  check_encoding(SpaceToDepth{2, FORMAT_NHWC}, "02000000 00000000 01000000 00000000");
  check_encoding(Stack{1}, "01000000 00000000");
  check_encoding(StridedSlice{1, 2, 4, 8, 16},
                 "01000000 00000000 02000000 00000000 04000000 00000000 08000000 00000000 10000000 00000000");
  check_encoding(SubFusion{ACTIVATION_TYPE_RELU6}, "03000000 00000000");
  check_encoding(TopKFusion{true, -1}, "01000000 00000000 ffffffff ffffffff");
  check_encoding(Unstack{1}, "01000000 00000000");
  check_encoding(
      AvgPoolFusion{{1}, {}, {1, 2, 3, 4}, PAD_MODE_SAME, ROUND_MODE_CEIL, FORMAT_NONE, true, ACTIVATION_TYPE_RELU6},
      "01000000 01000000 00000000 00000000 04000000 01000000 00000000 02000000 00000000 03000000 00000000 04000000 "
      "00000000 01000000"
      "00000000 01000000 00000000 ffffffff ffffffff 01000000 03000000 00000000");
  check_encoding(v1_0::MaxPoolFusion{{1}, {}, {2}, PAD_MODE_SAME, FORMAT_NHWC, true, ACTIVATION_TYPE_RELU6},
                 "01000000 01000000 00000000 00000000 01000000 02000000 00000000 01000000 00000000 01000000 00000000 "
                 "01000000 03000000 00000000");
  check_encoding(MaxPoolFusion{{1}, {}, {2}, PAD_MODE_SAME, FORMAT_NONE, ROUND_MODE_CEIL, true, ACTIVATION_TYPE_RELU6},
                 "01000000 01000000 00000000 00000000 01000000 02000000 00000000 01000000 00000000 ffffffff ffffffff "
                 "01000000 00000000 01000000"
                 "03000000 00000000");
  check_encoding(BroadcastTo{{2, 3}}, "02000000 02000000 00000000 03000000 00000000");
  check_encoding(Conv2dTransposeFusion{{3}, {2}, {}, PAD_MODE_VALID, {}, 4, 5, 6, ACTIVATION_TYPE_RELU, {1, 0}},
                 "01000000 03000000 00000000 01000000 02000000 00000000 00000000 02000000 00000000 00000000 04000000 "
                 "00000000 05000000 00000000"
                 "06000000 00000000 01000000 00000000 02000000 01000000 00000000 00000000 00000000");
  check_encoding(Crop{2, {1, 1}}, "02000000 00000000 02000000 01000000 00000000 01000000 00000000");
  check_encoding(DetectionPostProcess{FORMAT_NCHW, 300, {10, 5}, 0.5F, 0.25F, 1, 2, 3, 4, true, false},
                 "00000000 00000000 2c010000 00000000 02000000 00002041 0000a040 0000003f 0000803e 01000000 00000000 "
                 "02000000 00000000 03000000"
                 "00000000 04000000 00000000 01000000 00000000");
  check_encoding(DepthToSpace{3, FORMAT_NHWC, ""}, "03000000 00000000 01000000 00000000 00000000");
  check_encoding(L2NormalizeFusion{{-1}, 0.5F, ACTIVATION_TYPE_RELU},
                 "01000000 ffffffff ffffffff 0000003f 01000000 00000000");
  check_encoding(PadFusion{{{1, 2}, {}}, PADDING_MODE_SYMMETRIC, -1},
                 "02000000 02000000 01000000 00000000 02000000 00000000 00000000 02000000 00000000 000080bf");
  check_encoding(SliceFusion{{0}}, "01000000 00000000 00000000");
  check_encoding(Softmax{{-1}}, "01000000 ffffffff ffffffff");
  check_encoding(SpaceToBatchND{{2}, {{1, 0}}},
                 "01000000 02000000 00000000 01000000 02000000 01000000 00000000 00000000 00000000");
  check_encoding(Squeeze{{}}, "00000000");
  check_encoding(TileFusion{{0}}, "01000000 00000000 00000000");
  check_encoding(Unsqueeze{{1}}, "01000000 01000000 00000000");
  check_encoding(SharedBuffer{-1, 64, 8, 4}, "00000000 40000000 08000000 04000000");
  check_encoding(
      IOTensor{"in", DATA_TYPE_FLOAT16, {1, -1}, FORMAT_NHWC, {-1, 0, 0, 0}},
      "696e0000 2a000000 00000000 02000000 01000000 ffffffff 01000000 00000000 00000000 00000000 00000000 00000000");
  check_encoding(SubGraph{"sub", {1}, {}, {2, 3}}, "73756200 01000000 01000000 00000000 02000000 02000000 03000000");
  const Node node{"n", NODE_TYPE_ADD_FUSION, {1, 0, 0, 0, 0, 0, 0, 0}, {0}, {1}, QUANT_TYPE_NONE};
  const Tensor tensor{"", DATA_TYPE_FLOAT32, {}, FORMAT_NHWC, {-1, 0, 0, 0}, {}};
  check_encoding(Model{"m", {0}, {1}, {node}, {tensor}, {{"s", {}, {}, {0}}}},
                 "6d000000 01000000 00000000 01000000 01000000 01000000 6e000000 05000000 00000000 08000000 01000000 "
                 "00000000 01000000 00000000"
                 "01000000 01000000 00000000 00000000 01000000 00000000 2b000000 00000000 00000000 01000000 00000000 "
                 "00000000 00000000 00000000"
                 "00000000 00000000 01000000 73000000 00000000 00000000 01000000 00000000");
  check_empty<Abs, BiasAdd, Cast, Ceil, Cos, Equal, ExpandDims, Floor, Fill, Gather, Greater, GreaterEqual, Less,
              LessEqual, Log, LogicalAnd, LogicalNot, LogicalOr, Maximum, Minimum, Mod, Neg, NotEqual, Rank, Reciprocal,
              RealDiv, Reshape, Round, Rsqrt, ScatterNd, Shape, Sin, SparseToDense, Sqrt, Square, SquaredDifference,
              Transpose, Where, Select, Erf, GatherNd>();
}

TEST_CASE("wire: enumerations go over with their sign, in 8 bytes, in structures that are not plain") {
  DetectionPostProcess d{};
  d.format = FORMAT_NONE, d.useRegularNms = true;
  const bytes_t bytes = marshalled(d);
  CHECK(hex_of({bytes.begin(), bytes.begin() + 8}) == "ffffffffffffffff");
  CHECK(bytes.size() == 8 + 8 + 4 + 4 + 4 + 4 * 8 + 4 + 4);
  CHECK(hex_of(marshalled(SpaceToDepth{2, FORMAT_NONE})) == "0200000000000000ff00000000000000");
}

TEST_CASE("wire: nodes, tensors and models are their members in order, file descriptors with them") {
  Node node{};
  node.name = "a", node.nodeType = NODE_TYPE_ADD_FUSION, node.nodeAttr = {1, 2, 3}, node.inputIndex = {7},
  node.quantType = QUANT_TYPE_ALL;
  check_encoding(node, "61000000 0500000000000000 03000000 01020300 01000000 07000000 00000000 0100000000000000");
  Tensor tensor{};
  tensor.name = "abcd", tensor.dataType = DATA_TYPE_INT8, tensor.dims = {-1}, tensor.format = FORMAT_NONE;
  tensor.data = {-1, 64, 8, 0}, tensor.quantParams = {{8, -3, 0.5}};
  check_encoding(
      tensor,
      "6162636400000000 2000000000000000 01000000 ffffffff ffffffffffffffff 00000000 40000000 08000000 00000000"
      "01000000 08000000 fdffffff 000000000000e03f");
  tensor.data.fd = 17;
  writer out;
  marshal(out, tensor);
  CHECK(out.descriptors == std::vector<int>{17});
  marshal(out, tensor);
  CHECK(out.descriptors.size() == 1);  // a memory goes over once, however many tensors lie in it
  const int received[] = {23};
  Tensor back{};
  reader in(out.bytes, received);
  CHECK(unmarshal(in, back).has_value());
  CHECK(back.data.fd == 23);
  reader without(out.bytes);
  const auto failed = unmarshal(without, back);
  CHECK(failed.error().message() == "data.fd: got file descriptor 0 of 0");
}

TEST_CASE("wire: options of a preparation are plain in version 1.0 and have extensions later") {
  check_encoding(v1_0::ModelConfig{true, PERFORMANCE_HIGH, PRIORITY_LOW}, "01000000 03000000 01000000 00000000");
  v2_0::ModelConfig later{true, PERFORMANCE_HIGH, PRIORITY_LOW, {{"b", {1}}, {"a", {}}}};
  check_encoding(later,
                 "01000000 0300000000000000 0100000000000000 02000000 61000000 00000000 62000000 01000000 01000000");
}

TEST_CASE("wire: what cannot be read is named with its place") {
  struct row {
    const char *what, *hex, *message;
  };
  static constexpr row table[] = {
      {"a list that is longer than the bytes", "02000000 0300000000000000 03000000",
       "kernelSize: needs 16 bytes from 4 on, but there are 12"},
      {"a list that is too long for anybody", "ffffffff",
       "kernelSize: has 4294967295 elements, expected at most 26214400"},
      {"an enumeration with bits that it has not", "00000000 00000000 00000000 0001000000000000",
       "padMode: got 256, which no enumerator can be"},
      {"nothing", "", "kernelSize: needs 4 bytes from 0 on, but there are 0"},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const bytes_t bytes = bytes_of(r.hex);
    reader in(bytes);
    Conv2DFusion c{};
    const auto failed = unmarshal(in, c);
    REQUIRE(!failed);
    CHECK(failed.error().code() == error_code::invalid_file);
    CHECK(failed.error().message() == r.message);
  }
  const bytes_t rows = bytes_of("00000000 02000000 00000000 01000000 00");
  reader in(rows);
  BatchToSpaceND blocks{};
  CHECK(unmarshal(in, blocks).error().message() == "crops[1]: needs 8 bytes from 16 on, but there are 1");
  const bytes_t text = bytes_of("0200000000000000 0000000000000000 444352 44");
  reader endless(text);
  DepthToSpace depth{};
  CHECK(unmarshal(endless, depth).error().message() == "mode: a text from 16 on has no end");
}

TEST_CASE("wire: bytes between members mean nothing, and any other byte than zero is true") {
  const bytes_t bytes = bytes_of("02 07 ee ee 0000803f");
  reader in(bytes);
  ReduceFusion r{};
  REQUIRE(unmarshal(in, r).has_value());
  CHECK(r.keepDims);
  CHECK(hex_of(marshalled(r)) == "010701000000803f");
}
