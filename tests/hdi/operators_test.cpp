// operators_test: every operator of the list as a node of HDI and back, in every version, and what the shipped
// implementation makes of them.
#include <nnrt/hdi/operators.hpp>

#include "battery/random_node.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace nnrt;
using namespace nnrt_test;

namespace {

constexpr hdi::version versions[] = {hdi::version::v1_0, hdi::version::v2_0, hdi::version::v2_1};

template <class Op> std::vector<word> words_of(const typename Op::attrs& attrs) {
  std::vector<word> words;
  pack(attrs, words);
  return words;
}
/// The node's structure as a version has it, of an operator with these attributes and operands.
template <class Node, class Op>
Node node_of(const typename Op::attrs& attrs, const std::vector<operand>& in, hdi::encoder how,
             hdi::version v = hdi::version::v2_1) {
  const auto encoded = hdi::encode_node(v, how, hdi::detail::encoding_of_operator<Op>, words_of<Op>(attrs), in);
  REQUIRE(encoded.has_value());
  CHECK(static_cast<int>(encoded->node_type) == Op::foreign.hdi);
  Node node{};
  hdi::reader reader(encoded->node_attr);
  REQUIRE(hdi::unmarshal(reader, node).has_value());
  return node;
}
operand f32_of(shape_t shape) { return {tensor_desc{f32, shape}, {}, false, false}; }

constexpr auto upstream = hdi::encoder::upstream, lossless = hdi::encoder::lossless;

}  // namespace

TEST_CASE("hdi operators: each operator has the node type, and the version, that the interface gives it") {
  struct row {
    std::string_view name;
    int node_type;
    hdi::version since;
  };
  using enum hdi::version;
  static constexpr row table[] = {{"add", 5, v1_0},
                                  {"avg_pool", 17, v1_0},
                                  {"batch_norm", 68, v1_0},
                                  {"batch_to_space_nd", 22, v1_0},
                                  {"bias_add", 23, v1_0},
                                  {"cast", 28, v1_0},
                                  {"concat", 31, v1_0},
                                  {"conv2d", 35, v1_0},
                                  {"conv2d_transpose", 36, v1_0},
                                  {"depthwise_conv2d", 35, v1_0},
                                  {"div", 47, v1_0},
                                  {"eltwise", 52, v1_0},
                                  {"expand_dims", 56, v1_0},
                                  {"fill", 66, v1_0},
                                  {"full_connection", 67, v1_0},
                                  {"gather", 69, v1_0},
                                  {"hswish", 2, v1_0},
                                  {"less_equal", 78, v1_0},
                                  {"matmul", 89, v1_0},
                                  {"maximum", 90, v1_0},
                                  {"max_pool", 92, v1_0},
                                  {"mul", 99, v1_0},
                                  {"one_hot", 105, v1_0},
                                  {"pad", 107, v1_0},
                                  {"pow", 110, v1_0},
                                  {"scale", 127, v1_0},
                                  {"shape_of", 130, v1_0},
                                  {"sigmoid", 2, v1_0},
                                  {"slice", 135, v1_0},
                                  {"softmax", 138, v1_0},
                                  {"space_to_batch_nd", 141, v1_0},
                                  {"split", 145, v1_0},
                                  {"sqrt", 146, v1_0},
                                  {"squared_difference", 149, v1_0},
                                  {"squeeze", 147, v1_0},
                                  {"stack", 150, v1_0},
                                  {"strided_slice", 151, v1_0},
                                  {"sub", 152, v1_0},
                                  {"tanh", 2, v1_0},
                                  {"tile", 160, v1_0},
                                  {"transpose", 162, v1_0},
                                  {"reduce_mean", 118, v1_0},
                                  {"resize_bilinear", 120, v1_0},
                                  {"rsqrt", 126, v1_0},
                                  {"reshape", 119, v1_0},
                                  {"prelu", 112, v1_0},
                                  {"relu", 2, v1_0},
                                  {"relu6", 2, v1_0},
                                  {"layer_norm", 75, v1_0},
                                  {"reduce_prod", 118, v1_0},
                                  {"reduce_all", 118, v1_0},
                                  {"quant_dtype_cast", 113, v1_0},
                                  {"top_k", 161, v1_0},
                                  {"arg_max", 11, v1_0},
                                  {"unsqueeze", 165, v1_0},
                                  {"gelu", 2, v1_0},
                                  {"unstack", 166, v2_1},
                                  {"abs", 2, v1_0},
                                  {"erf", 178, v2_1},
                                  {"exp", 55, v2_1},
                                  {"less", 77, v2_1},
                                  {"select", 170, v2_1},
                                  {"square", 148, v2_1},
                                  {"flatten", 61, v2_1},
                                  {"depth_to_space", 45, v2_1},
                                  {"range", 115, v2_1},
                                  {"instance_norm", 74, v2_1},
                                  {"constant_of_shape", 38, v2_1},
                                  {"broadcast_to", 27, v2_1},
                                  {"equal", 53, v2_1},
                                  {"greater", 71, v2_1},
                                  {"not_equal", 103, v2_1},
                                  {"greater_equal", 72, v2_1},
                                  {"leaky_relu", 2, v1_0},
                                  {"lstm", 87, v2_1},
                                  {"clip", 30, v2_1},
                                  {"all", 9, v2_1},
                                  {"assert", 13, v2_1},
                                  {"cos", 37, v2_1},
                                  {"log", 79, v2_1},
                                  {"logical_and", 81, v2_1},
                                  {"logical_not", 82, v2_1},
                                  {"mod", 98, v2_1},
                                  {"neg", 101, v2_1},
                                  {"reciprocal", 116, v2_1},
                                  {"sin", 133, v2_1},
                                  {"where", 168, v2_1},
                                  {"sparse_to_dense", 144, v2_1},
                                  {"logical_or", 83, v2_1},
                                  {"ceil", 29, v2_1},
                                  {"crop", 39, v2_1},
                                  {"detection_post_process", 46, v2_1},
                                  {"floor", 63, v2_1},
                                  {"l2_normalize", 88, v2_1},
                                  {"log_softmax", 189, v2_1},
                                  {"lrn", 85, v2_1},
                                  {"minimum", 96, v2_1},
                                  {"rank", 114, v2_1},
                                  {"reduce_max", 118, v1_0},
                                  {"reduce_min", 118, v1_0},
                                  {"reduce_sum", 118, v1_0},
                                  {"round", 125, v2_1},
                                  {"scatter_nd", 128, v2_1},
                                  {"space_to_depth", 142, v2_1},
                                  {"swish", 2, v1_0},
                                  {"reduce_l2", 118, v2_1},
                                  {"hard_sigmoid", 2, v1_0},
                                  {"gather_nd", 70, v2_1}};
  std::size_t found = 0;
  for (const hdi::operator_encoding* encoding : hdi::operator_encodings()) {
    const std::string name(encoding->op->name);
    CAPTURE(name);
    if (static_cast<int>(encoding->op->code) >= 1000) {
      CHECK(encoding->numbers.hdi == -1);
      continue;
    }
    bool is_listed = false;
    for (const row& r : table) {
      if (r.name != name) continue;
      is_listed = true;
      CHECK(encoding->numbers.hdi == r.node_type);
      CHECK(encoding->since == r.since);
    }
    CHECK((is_listed || static_cast<int>(encoding->op->code) > 108));  // newer than this table
    ++found;
  }
  CHECK(found >= 101);
}

TEST_CASE("hdi operators: lossless nodes of any attributes come back word by word, in every version") {
  dice random(seed_of_run());
  for (const hdi::operator_encoding* encoding : hdi::operator_encodings())
    for (const hdi::version v : versions)
      for (int round = 0; round < 60; ++round) {
        const bool is_hostile = round % 3 == 0;
        const std::vector<word> words =
            is_hostile ? hostile_words(*encoding->op, random) : random_words(*encoding->op, random.below(6), random);
        std::vector<operand> in;
        for (int i = random.below(4); i > 0; --i) in.push_back({hostile_desc(random), {}, false, false});
        const std::string name(encoding->op->name);
        CAPTURE(name);
        CAPTURE(static_cast<int>(v));
        CAPTURE(round);
        const auto encoded = hdi::encode_node(v, lossless, *encoding, words, in);
        CHECK(encoded.has_value() == encoding->well_formed(words));
        if (!encoded) continue;
        const auto back = hdi::decode_node(v, encoded->node_type, encoded->node_attr, in);
        REQUIRE_MESSAGE(back.has_value(), back.error().message());
        CHECK(back->encoding == encoding);
        CHECK(std::equal(words.begin(), words.end(), back->words.begin(), back->words.end()));
      }
}

TEST_CASE("hdi operators: nodes of the shipped implementation are read as the operator that they are") {
  dice random(seed_of_run());
  for (const hdi::operator_encoding* encoding : hdi::operator_encodings())
    for (const hdi::version v : versions) {
      const std::string name(encoding->op->name);
      CAPTURE(name);
      const std::vector<word> words = random_words(*encoding->op, 4, random);
      const std::vector<operand> in{f32_of({2, 8, 8, 4}), f32_of({8, 3, 3, name == "conv2d" ? 4 : 1}), f32_of({8})};
      const auto encoded = hdi::encode_node(v, upstream, *encoding, words, in);
      if (encoding->numbers.hdi < 0 || (encoding->lost != nullptr && !encoding->lost(words).empty())) {
        CHECK(encoded.error().code() == error_code::not_supported);
        continue;
      }
      REQUIRE(encoded.has_value());
      CHECK(encoded->node_type == static_cast<std::uint32_t>(encoding->numbers.hdi));
      // of what a version has not, the shipped one knows the number alone
      CHECK(encoded->node_attr.empty() == (v < encoding->type_since));
      const auto back = hdi::decode_node(v, encoded->node_type, encoded->node_attr, in);
      CHECK(back.has_value() == (v >= encoding->since));
      if (back) CHECK(back->encoding == encoding);
    }
}

TEST_CASE("hdi operators: upstream loses and confuses what the shipped implementation does, lossless does not") {
  ops::add::attrs sum;
  sum.fused = activation::relu6;
  CHECK(node_of<hdi::AddFusion, ops::add>(sum, {}, upstream).activationType == hdi::ACTIVATION_TYPE_NO_ACTIVATION);
  CHECK(node_of<hdi::AddFusion, ops::add>(sum, {}, lossless).activationType == hdi::ACTIVATION_TYPE_RELU6);
  CHECK(node_of<hdi::SubFusion, ops::sub>(sum, {}, upstream).activationType == hdi::ACTIVATION_TYPE_RELU6);

  ops::max_pool::attrs pool;
  pool.kernel = {2, 3}, pool.stride = {1, 2}, pool.ceil_mode = true, pool.pad.mode = pad_mode::valid;
  const auto max = node_of<hdi::MaxPoolFusion, ops::max_pool>(pool, {}, upstream);
  CHECK(max.roundMode == hdi::ROUND_MODE_FLOOR);
  CHECK(max.format == hdi::FORMAT_NCHW);
  CHECK(max.kernelSize == hdi::longs{2, 3});
  CHECK(max.strides == hdi::longs{1, 2});
  CHECK(max.pad.empty());
  CHECK(max.padMode == hdi::PAD_MODE_VALID);
  CHECK(node_of<hdi::MaxPoolFusion, ops::max_pool>(pool, {}, lossless).roundMode == hdi::ROUND_MODE_CEIL);
  CHECK(node_of<hdi::MaxPoolFusion, ops::max_pool>(pool, {}, lossless).format == hdi::FORMAT_NHWC);
  CHECK(node_of<hdi::v1_0::MaxPoolFusion, ops::max_pool>(pool, {}, upstream, hdi::version::v1_0).kernelSize ==
        hdi::longs{2, 3});
  ops::avg_pool::attrs mean;
  mean.kernel = {2, 3}, mean.ceil_mode = true;
  CHECK(node_of<hdi::AvgPoolFusion, ops::avg_pool>(mean, {}, upstream).roundMode == hdi::ROUND_MODE_CEIL);

  ops::space_to_batch_nd::attrs blocks;
  blocks.block = {2, 3}, blocks.paddings = {1, 2, 3, 4};
  CHECK(node_of<hdi::SpaceToBatchND, ops::space_to_batch_nd>(blocks, {}, upstream).paddings ==
        hdi::rows_of_longs{{1, 2}, {1, 2}});
  CHECK(node_of<hdi::SpaceToBatchND, ops::space_to_batch_nd>(blocks, {}, lossless).paddings ==
        hdi::rows_of_longs{{1, 2}, {3, 4}});
  CHECK(node_of<hdi::SpaceToBatchND, ops::space_to_batch_nd>(blocks, {}, lossless).blockShape == hdi::longs{2, 3});

  const std::vector<operand> dense{f32_of({2, 4}), f32_of({3, 4}), f32_of({3})};
  ops::full_connection::attrs rows;
  rows.axis = no_axis, rows.fused = activation::relu;
  CHECK(node_of<hdi::FullConnection, ops::full_connection>(rows, dense, upstream) ==
        hdi::FullConnection{false, false, 0, hdi::ACTIVATION_TYPE_RELU});
  CHECK(node_of<hdi::FullConnection, ops::full_connection>(rows, dense, lossless) ==
        hdi::FullConnection{true, false, 0, hdi::ACTIVATION_TYPE_RELU});
  rows.axis = 1;
  CHECK(node_of<hdi::FullConnection, ops::full_connection>(rows, dense, upstream) ==
        hdi::FullConnection{false, true, 1, hdi::ACTIVATION_TYPE_RELU});

  CHECK(node_of<hdi::LayerNormFusion, ops::layer_norm>({}, {}, upstream) == hdi::LayerNormFusion{1, 1e-7F, true, 1});
  CHECK(node_of<hdi::TileFusion, ops::tile>({}, {}, upstream).dims == hdi::longs{0});
  CHECK(node_of<hdi::L2NormalizeFusion, ops::l2_normalize>({}, {}, upstream).axis.empty());
  ops::pad::attrs border_of_2;
  border_of_2.mode = border::reflect, border_of_2.pad_value = 2;
  CHECK(node_of<hdi::PadFusion, ops::pad>(border_of_2, {}, upstream) ==
        hdi::PadFusion{{}, hdi::PADDING_MODE_REFLECT, 2});
  ops::range::attrs numbers;
  numbers.limit = 4;
  CHECK(node_of<hdi::Range, ops::range>(numbers, {}, upstream) == hdi::Range{0, 0, 4, 1});
  ops::lstm::attrs cells;
  cells.hidden_size = 8, cells.proj_size = 4, cells.has_bias = true;
  CHECK(node_of<hdi::LSTM, ops::lstm>(cells, {}, upstream) == hdi::LSTM{false, true, 0, 8, 0, 0, 0, 0, 0, 0});
  CHECK(node_of<hdi::LSTM, ops::lstm>(cells, {}, lossless).projSize == 4);
  ops::lrn::attrs region;
  region.depth_radius = 5;
  CHECK(node_of<hdi::LRN, ops::lrn>(region, {}, upstream) == hdi::LRN{5, 1, 1, 0.5F, "ACROSS_CHANNELS"});
  ops::detection_post_process::attrs boxes;
  boxes.scale = {10, 10, 5, 5};
  CHECK(node_of<hdi::DetectionPostProcess, ops::detection_post_process>(boxes, {}, upstream).format ==
        hdi::FORMAT_NCHW);
  CHECK(node_of<hdi::DetectionPostProcess, ops::detection_post_process>(boxes, {}, upstream).scale ==
        std::vector<float>{10, 10, 5, 5});
  ops::depth_to_space::attrs depth;
  depth.block_size = 2, depth.crd = true;
  CHECK(node_of<hdi::DepthToSpace, ops::depth_to_space>(depth, {}, upstream) ==
        hdi::DepthToSpace{2, hdi::FORMAT_NCHW, "CRD"});
}

TEST_CASE("hdi operators: members that the shipped implementation never fills are as it leaves them") {
  CHECK(node_of<hdi::AvgPoolFusion, ops::avg_pool>({}, {}, upstream).format == hdi::FORMAT_NCHW);
  ops::space_to_depth::attrs blocks;
  blocks.block_size = 2;
  CHECK(node_of<hdi::SpaceToDepth, ops::space_to_depth>(blocks, {}, upstream) ==
        hdi::SpaceToDepth{2, hdi::FORMAT_NCHW});
  CHECK(node_of<hdi::PReLUFusion, ops::prelu>({}, {}, upstream) == hdi::PReLUFusion{false});
  ops::resize_bilinear::attrs size;
  size.new_height = 4, size.new_width = 6, size.coordinate_mode = coordinates::half_pixel, size.exclude_outside = true;
  const hdi::Resize resized{hdi::RESIZE_METHOD_LINEAR, 4, 6, false, hdi::COORDINATE_TRANSFORM_MODE_HALF_PIXEL, 0, 1, 0,
                            hdi::NEAREST_MODE_NORMAL};
  CHECK(node_of<hdi::Resize, ops::resize_bilinear>(size, {}, upstream) == resized);
  // Without its parameter depth_to_space has no mode there, which means the first one.
  const auto depth = hdi::decode_node(hdi::version::v2_1, hdi::NODE_TYPE_DEPTH_TO_SPACE,
                                      hdi::marshalled(hdi::DepthToSpace{2, hdi::FORMAT_NCHW, ""}), {});
  REQUIRE(depth.has_value());
  CHECK_FALSE(unpack<ops::depth_to_space::attrs>(depth->words).crd);
}

TEST_CASE("hdi operators: lists that a model leaves out are empty upstream, and mean what the operator is made with") {
  const auto v = hdi::version::v2_1;
  ops::max_pool::attrs whole;
  whole.global = true;
  ops::avg_pool::attrs mean_of_all;
  mean_of_all.global = true;
  CHECK(node_of<hdi::AvgPoolFusion, ops::avg_pool>(mean_of_all, {}, upstream).kernelSize.empty());
  CHECK(node_of<hdi::MaxPoolFusion, ops::max_pool>(whole, {}, upstream).kernelSize.empty());
  CHECK(node_of<hdi::v1_0::MaxPoolFusion, ops::max_pool>(whole, {}, upstream, hdi::version::v1_0).kernelSize.empty());
  CHECK(node_of<hdi::MaxPoolFusion, ops::max_pool>(whole, {}, lossless).kernelSize == hdi::longs{0, 0});
  CHECK(node_of<hdi::BatchToSpaceND, ops::batch_to_space_nd>({}, {}, upstream) == hdi::BatchToSpaceND{});
  CHECK(node_of<hdi::SpaceToBatchND, ops::space_to_batch_nd>({}, {}, upstream) == hdi::SpaceToBatchND{});
  CHECK(node_of<hdi::DetectionPostProcess, ops::detection_post_process>({}, {}, upstream).scale.empty());
  CHECK(node_of<hdi::DetectionPostProcess, ops::detection_post_process>({}, {}, lossless).scale ==
        std::vector<float>{1, 1, 1, 1});
  const auto boxes =
      hdi::decode_node(v, hdi::NODE_TYPE_DETECTION_POST_PROCESS, hdi::marshalled(hdi::DetectionPostProcess{}), {});
  REQUIRE(boxes.has_value());
  CHECK(unpack<ops::detection_post_process::attrs>(boxes->words).scale.size() == 4);
  // Where the same may have been said, it is written as said.
  CHECK(node_of<hdi::Conv2DFusion, ops::conv2d>({}, {}, upstream).stride == hdi::longs{1, 1});
  CHECK(node_of<hdi::Softmax, ops::softmax>({}, {}, upstream).axis.empty());
  CHECK(node_of<hdi::Unsqueeze, ops::unsqueeze>({}, {}, upstream).axis.empty());
}

TEST_CASE(
    "hdi operators: a structure that knows no norm is written with its mode upstream, as the shipped implementation "
    "does") {
  for (const hdi::version v : versions)
    CHECK(node_of<hdi::ReduceFusion, ops::reduce_l2>({}, {}, upstream, v) ==
          hdi::ReduceFusion{false, hdi::REDUCE_MODE_L2, false, 0});
  CHECK(hdi::encode_node(hdi::version::v2_0, upstream, hdi::detail::encoding_of_operator<ops::erf>, {}, {})
            ->node_attr.empty());
}

TEST_CASE("hdi operators: convolutions name their extents, and depthwise ones are told apart by them") {
  ops::conv2d::attrs a;
  a.pad = {pad_mode::explicit_pads, 1, 2, 3, 4};
  a.group = 2;
  const std::vector<operand> grouped{f32_of({1, 8, 8, 6}), f32_of({4, 5, 3, 3})};
  const auto conv = node_of<hdi::Conv2DFusion, ops::conv2d>(a, grouped, upstream);
  CHECK(conv.kernelSize == hdi::longs{5, 3});
  CHECK(conv.padList == hdi::longs{1, 2, 3, 4});
  CHECK(conv.group == 2);
  CHECK(conv.inChannel == 3);
  CHECK(conv.outChannel == 4);
  const std::vector<operand> channels{f32_of({1, 8, 8, 6}), f32_of({12, 3, 3, 1})};
  const auto depthwise = node_of<hdi::Conv2DFusion, ops::depthwise_conv2d>({}, channels, upstream);
  CHECK(depthwise.group == 6);
  CHECK(depthwise.inChannel == 6);
  CHECK(depthwise.outChannel == 12);
  const auto bytes = hdi::marshalled(depthwise);
  CHECK(hdi::decode_node(hdi::version::v2_1, 35, bytes, channels)->encoding->op->name == "depthwise_conv2d");
  // The same numbers over a weight that they do not fit.
  const auto failed = hdi::decode_node(hdi::version::v2_1, 35, bytes,
                                       std::vector<operand>{f32_of({1, 8, 8, 6}), f32_of({12, 5, 3, 1})});
  CHECK(failed.error().message() == "nodeAttr: kernelSize: got 3, but the operand's extent is 5");
  // Those of neither operator: a grouped one that counts the channels of all groups.
  hdi::Conv2DFusion whole = conv;
  whole.inChannel = 6;
  const auto neither = hdi::decode_node(hdi::version::v2_1, 35, hdi::marshalled(whole), grouped);
  CHECK(neither.error().message() ==
        "nodeAttr: inChannel: got 6, but the operand's extent is 3; as depthwise_conv2d: group: got 2, but the "
        "operand's extent is 6");
}

TEST_CASE("hdi operators: reductions and activations share a node type, and say which they are") {
  CHECK(node_of<hdi::ReduceFusion, ops::reduce_l2>({}, {}, upstream).mode == hdi::REDUCE_MODE_L2);
  CHECK(node_of<hdi::ReduceFusion, ops::reduce_all>({}, {}, upstream).mode == hdi::REDUCE_MODE_ALL);
  CHECK(node_of<hdi::ReduceFusion, ops::reduce_prod>({}, {}, upstream).mode == hdi::REDUCE_MODE_PROD);
  ops::leaky_relu::attrs slope;
  slope.negative_slope = 0.25F;
  const auto leaky = node_of<hdi::Activation, ops::leaky_relu>(slope, {}, upstream);
  CHECK(leaky.activationType == hdi::ACTIVATION_TYPE_LEAKY_RELU);
  CHECK(leaky.alpha == 0.25F);
  ops::gelu::attrs tanh_form;
  tanh_form.approximate = true;
  CHECK(node_of<hdi::Activation, ops::gelu>(tanh_form, {}, upstream).approximate);
  // Node types that nobody produces, and that mean the same.
  const auto v = hdi::version::v2_1;
  CHECK(hdi::decode_node(v, hdi::NODE_TYPE_ABS, hdi::marshalled(hdi::Abs{}), {})->encoding->op->name == "abs");
  CHECK(hdi::decode_node(v, hdi::NODE_TYPE_REAL_DIV, hdi::marshalled(hdi::RealDiv{}), {})->encoding->op->name == "div");
  const auto decoded = hdi::decode_node(v, hdi::NODE_TYPE_LEAKY_RELU, hdi::marshalled(hdi::LeakyRelu{0.25F}), {});
  REQUIRE(decoded.has_value());
  CHECK(unpack<ops::leaky_relu::attrs>(decoded->words).negative_slope == 0.25F);
}

TEST_CASE("hdi operators: an attribute that HDI does not know is not lost") {
  const auto encoded = [](float beta, hdi::encoder how) {
    ops::softmax::attrs attrs;
    attrs.beta = beta;
    return hdi::encode_node(hdi::version::v2_1, how, hdi::detail::encoding_of_operator<ops::softmax>,
                            words_of<ops::softmax>(attrs), {});
  };
  CHECK(encoded(1, upstream));
  CHECK(encoded(2, lossless));
  const auto refused = encoded(2, upstream);
  REQUIRE(!refused);
  CHECK(refused.error().code() == error_code::not_supported);
  CHECK(refused.error().message() == "softmax: beta is not what it is by default, and HDI has no member for it");
}

TEST_CASE("hdi operators: what no operator can be is refused with its member") {
  const auto message = [](std::uint32_t type, const std::vector<std::int8_t>& bytes,
                          hdi::version v = hdi::version::v2_1) {
    const auto decoded = hdi::decode_node(v, type, bytes, {});
    return decoded ? std::string("it is fine") : decoded.error().message();
  };
  hdi::Activation unheard_of{};
  unheard_of.activationType = hdi::ACTIVATION_TYPE_SELU;
  CHECK(message(2, hdi::marshalled(unheard_of)) == "nodeAttr: activationType: got 11, which is no operator's");
  CHECK(message(5, {1, 0, 0}) == "nodeAttr: needs 8 bytes from 0 on, but there are 3");
  CHECK(message(5, hdi::marshalled(hdi::AddFusion{hdi::ACTIVATION_TYPE_SIGMOID})) ==
        "nodeAttr: activationType: got activation 2, expected 0, 1 (relu) or 3 (relu6)");
  CHECK(message(6, {}) == "nodeType: got 6, which is no operator's in this version");
  CHECK(message(59, {}, hdi::version::v2_0) == "nodeType: got 59, which is no operator's in this version");
  CHECK(message(77, {}, hdi::version::v2_0) == "nodeType: got 77, which is no operator's in this version");
  CHECK(message(999, hdi::marshalled(hdi::QuantDTypeCastV2{})) == "it is fine");
  CHECK(message(1, hdi::marshalled(hdi::Abs{}), hdi::version::v2_0) ==
        "nodeType: got 1, which is no operator's in this version");
  CHECK(message(999, hdi::marshalled(hdi::QuantDTypeCastV2{}), hdi::version::v2_0) ==
        "nodeType: got 999, which is no operator's in this version");
  hdi::Squeeze many{};
  many.axis.assign(9, 0);
  CHECK(message(147, hdi::marshalled(many)) == "nodeAttr: axis: has 9 numbers, expected at most 8");
  hdi::BatchToSpaceND uneven{{2, 2}, {{0, 0}, {1}}};
  CHECK(message(22, hdi::marshalled(uneven)) == "nodeAttr: crops: row 1 has 1 numbers, expected 2");
  hdi::DepthToSpace mode{2, hdi::FORMAT_NCHW, "DRC"};
  CHECK(message(45, hdi::marshalled(mode)) == "nodeAttr: mode: got \"DRC\", expected \"DCR\" or \"CRD\"");
  hdi::AvgPoolFusion pads{};
  pads.pad = {1, 1};
  CHECK(message(17, hdi::marshalled(pads)) == "nodeAttr: pad: has 2 numbers, expected 4");
  // Our own words after the members, about another operator, or of another encoding.
  hdi::writer other;
  hdi::marshal(other, hdi::Softmax{});
  hdi::marshal(other, hdi::exact_attributes{hdi::exact_mark, 8, {}});
  CHECK(message(138, other.bytes) == "nodeAttr: operation: got 8, which is no operator of node type 138");
  hdi::writer malformed;
  hdi::marshal(malformed, hdi::Softmax{});
  hdi::marshal(malformed, hdi::exact_attributes{hdi::exact_mark, 30, {1, 99}});
  CHECK(message(138, malformed.bytes) == "nodeAttr: words: are no attributes of softmax");
}
