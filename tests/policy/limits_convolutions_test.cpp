#include <policy/limits.hpp>

#include <nnrt/ops/add.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/conv2d_transpose.hpp>
#include <nnrt/ops/depthwise_conv2d.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/matmul.hpp>
#include <nnrt/ops/relu.hpp>

using namespace nnrt_test;

namespace {

struct layer {
  shape_t x{1, 32, 32, 8};
  std::int64_t filters = 8;
  extent2 kernel{3, 3}, stride{1, 1}, dilation{1, 1};
  std::int64_t group = 1;
  pads pad{pad_mode::same};
  extent2 output_paddings{0, 0};
  dtype type = f32;
  std::int32_t zero_point = 0;
};

template <class Op> constexpr typename Op::attrs attrs_of(const layer& l) {
  typename Op::attrs a;
  a.stride = l.stride;
  a.dilation = l.dilation;
  a.pad = l.pad;
  if constexpr (requires { a.group; }) a.group = l.group;
  if constexpr (requires { a.output_paddings; }) a.output_paddings = l.output_paddings;
  return a;
}
/// i8 and i16 layers with scales of 1/4, results of the type of x.
template <class Op> constexpr ir::graph convolution(const layer& l, bool is_depthwise = false) {
  node_operand x = of(l.type, l.x),
               w = weight_of({l.filters, l.kernel.h, l.kernel.w, is_depthwise ? 1 : l.x[3] / l.group},
                             l.type == f32 ? f32 : i8);
  if (l.type == f32) return single<Op>(attrs_of<Op>(l), {x, w});
  x.desc.quantised = quant{0.25F, l.zero_point};
  w.desc.quantised = quant{0.25F, 0};
  return single<Op>(attrs_of<Op>(l), {x, w}, tensor_desc{l.type, nhwc, {}, quant{0.25F, 0}});
}
constexpr ir::graph conv(const layer& l) { return convolution<ops::conv2d>(l); }
constexpr ir::graph depthwise(const layer& l) { return convolution<ops::depthwise_conv2d>(l, true); }
constexpr ir::graph transposed(const layer& l) { return convolution<ops::conv2d_transpose>(l); }

/// The graph with a relu after it, so that the layer is not the last one.
constexpr ir::graph followed(ir::graph g) {
  g.outputs[0].value = append<ops::relu>(g, {}, {g.outputs[0].value});
  return g;
}
/// The result is added to another tensor of its shape.
constexpr ir::graph with_residual(ir::graph g) {
  const tensor_desc d = g.at(g.outputs[0].value).desc;
  const std::int32_t other = add(g, of(d.shape));
  g.outputs[0].value = append<ops::add>(g, {}, {g.outputs[0].value, other});
  return g;
}
constexpr ir::graph dense(std::int64_t inputs, std::int64_t outputs) {
  return single<ops::full_connection>({of({1, inputs}), weight_of({outputs, inputs})});
}
constexpr ir::graph product(shape_t a, shape_t b) { return single<ops::matmul>({of(a), of(b)}); }
constexpr ir::graph weighted(shape_t a, shape_t b) { return single<ops::matmul>({of(a), weight_of(b)}); }
constexpr ir::graph turned(shape_t a, shape_t b) {
  return single<ops::matmul>(with<ops::matmul>([](auto& attrs) { attrs.transpose_a = true; }), {of(a), weight_of(b)});
}

constexpr const accelerator &x3 = bernoulli2::table, &ultra = bayes::table, &x5 = bayes_e::table;

constexpr limit_row on_x3[] = {
    {"kernel height", x3,
     [] {
       return conv({.kernel = {7, 1}});
     },
     [] {
       return conv({.kernel = {8, 1}});
     },
     kernel_must_lie_within_the_limits, 8, 7},
    {"kernel width", x3,
     [] {
       return conv({.kernel = {1, 7}});
     },
     [] {
       return conv({.kernel = {1, 8}});
     },
     kernel_must_lie_within_the_limits, 8, 7},
    {"kernel of a depthwise layer", x3,
     [] {
       return depthwise({.kernel = {7, 7}});
     },
     [] {
       return depthwise({.kernel = {7, 8}});
     },
     kernel_must_lie_within_the_limits, 8, 7},
    {"channels", x3,
     [] {
       return conv({.x = {1, 8, 8, 4096}, .kernel = {1, 1}});
     },
     [] {
       return conv({.x = {1, 8, 8, 4097}, .kernel = {1, 1}});
     },
     channels_per_group_must_lie_within_the_limits, 4097, 4096},
    {"channels of a group", x3,
     [] {
       return conv({.x = {1, 8, 8, 4096}, .kernel = {1, 1}, .group = 2});
     },
     [] {
       return conv({.x = {1, 8, 8, 4098}, .kernel = {1, 1}, .group = 2});
     },
     channels_per_group_must_lie_within_the_limits, 2049, 2048},
    {"channels of a dilated layer", x3,
     [] {
       return conv({.x = {1, 8, 8, 2048}, .kernel = {1, 1}, .dilation = {2, 2}});
     },
     [] {
       return conv({.x = {1, 8, 8, 2049}, .kernel = {1, 1}, .dilation = {2, 2}});
     },
     channels_per_group_must_lie_within_the_limits, 2049, 2048},
    {"kernel volume", x3,
     [] {
       return conv({.x = {1, 8, 8, 2048}, .kernel = {4, 4}});
     },
     [] {
       return conv({.x = {1, 8, 8, 2049}, .kernel = {4, 4}});
     },
     kernel_volume_must_lie_within_the_limits, 32784, 32768},
    {"stride", x3,
     [] {
       return conv({.stride = {9, 9}});
     },
     [] {
       return with_residual(conv({.stride = {9, 9}}));
     },
     strides_before_a_residual_add_must_lie_within_the_limits, 9, 2},
    {"stride before a sum", x3,
     [] {
       return with_residual(conv({.stride = {2, 2}}));
     },
     [] {
       return with_residual(conv({.stride = {2, 3}}));
     },
     strides_before_a_residual_add_must_lie_within_the_limits, 3, 2},
    {"dilation, a power of two", x3,
     [] {
       return conv({.dilation = {4, 4}});
     },
     [] {
       return conv({.dilation = {1, 3}});
     },
     dilations_must_be_powers_of_two, 3, 2},
    {"dilation, a multiple of the stride", x3,
     [] {
       return conv({.stride = {2, 2}, .dilation = {2, 4}});
     },
     [] {
       return conv({.stride = {1, 4}, .dilation = {1, 2}});
     },
     dilations_must_be_multiples_of_the_strides, 2, 4},
    {"dilation, a multiple of the stride downwards", x3,
     [] {
       return conv({.stride = {4, 4}, .dilation = {4, 4}});
     },
     [] {
       return conv({.stride = {4, 4}, .dilation = {2, 4}});
     },
     dilations_must_be_multiples_of_the_strides, 2, 4},
    {"dilations in order", x3,
     [] {
       return conv({.dilation = {2, 4}});
     },
     [] {
       return conv({.dilation = {4, 2}});
     },
     dilation_height_must_not_exceed_dilation_width, 4, 2},
    {"batch", x3,
     [] {
       return conv({.x = {128, 8, 8, 8}});
     },
     [] {
       return conv({.x = {129, 8, 8, 8}});
     },
     batch_must_lie_within_the_limits, 129, 128},
    {"no i16", x3, [] { return conv({.type = i8}); }, [] { return conv({.type = i16}); },
     operand_type_must_be_accepted_by_the_accelerator, static_cast<int>(i16), static_cast<int>(i8), unit::type},
    {"symmetric alone", x3, [] { return conv({.type = i8}); }, [] { return conv({.type = i8, .zero_point = 3}); },
     zero_point_must_be_0, 3, 0},
    {"symmetric results", x3, [] { return conv({.type = i8}); },
     [] {
       ir::graph g = conv({.type = i8});
       g.at(g.outputs_of(g.nodes[0])[0]).desc.quantised = quant{0.5F, -128};
       return g;
     },
     zero_point_must_be_0, -128, 0},
    {"transposed kernel, largest", x3,
     [] {
       return transposed({.kernel = {14, 14}, .stride = {2, 2}});
     },
     [] {
       return transposed({.kernel = {15, 14}, .stride = {2, 2}});
     },
     kernel_must_lie_within_the_limits, 15, 14},
    {"transposed kernel, smallest", x3,
     [] {
       return transposed({.kernel = {2, 2}, .stride = {2, 2}});
     },
     [] {
       return transposed({.kernel = {2, 1}, .stride = {2, 2}});
     },
     kernel_must_lie_within_the_limits, 1, 2},
    {"transposed channels", x3,
     [] {
       return transposed({.x = {1, 4, 4, 2048}, .stride = {2, 2}});
     },
     [] {
       return transposed({.x = {1, 4, 4, 2049}, .stride = {2, 2}});
     },
     channels_must_lie_within_the_limits, 2049, 2048},
    {"transposed pads", x3,
     [] {
       return transposed({.kernel = {5, 5}, .stride = {2, 2}, .pad = {pad_mode::explicit_pads, 2, 2, 2, 2}});
     },
     [] {
       return transposed({.kernel = {5, 5}, .stride = {2, 2}, .pad = {pad_mode::explicit_pads, 2, 3, 2, 2}});
     },
     pads_must_not_exceed_half_of_the_kernel, 3, 2},
    {"transposed pads above", x3,
     [] {
       return transposed({.kernel = {5, 5}, .stride = {2, 2}, .pad = {pad_mode::explicit_pads, 2, 2, 2, 2}});
     },
     [] {
       return transposed({.kernel = {5, 5}, .stride = {2, 2}, .pad = {pad_mode::explicit_pads, 3, 2, 2, 2}});
     },
     pads_must_not_exceed_half_of_the_kernel, 3, 2},
    {"transposed stride, smallest", x3,
     [] {
       return transposed({.stride = {2, 4}});
     },
     [] {
       return transposed({.stride = {1, 2}});
     },
     strides_must_lie_within_the_limits, 1, 2},
    {"transposed stride, largest", x3,
     [] {
       return transposed({.kernel = {4, 4}, .stride = {4, 4}});
     },
     [] {
       return transposed({.kernel = {5, 5}, .stride = {2, 5}});
     },
     strides_must_lie_within_the_limits, 5, 4},
    {"transposed stride between", x3,
     [] {
       return transposed({.kernel = {4, 4}, .stride = {2, 4}});
     },
     [] {
       return transposed({.kernel = {4, 4}, .stride = {2, 3}});
     },
     strides_must_be_powers_of_two, 3, 2},
    {"transposed stride between, downwards", x3,
     [] {
       return transposed({.kernel = {4, 4}, .stride = {2, 4}});
     },
     [] {
       return transposed({.kernel = {4, 4}, .stride = {3, 4}});
     },
     strides_must_be_powers_of_two, 3, 2},
    {"transposed strides in order", x3,
     [] {
       return transposed({.kernel = {4, 4}, .stride = {2, 4}});
     },
     [] {
       return transposed({.kernel = {4, 4}, .stride = {4, 2}});
     },
     stride_height_must_not_exceed_stride_width, 4, 2},
    {"transposed dilation", x3,
     [] {
       return transposed({.stride = {2, 2}});
     },
     [] {
       return transposed({.stride = {2, 2}, .dilation = {1, 2}, .pad = {pad_mode::valid}});
     },
     dilations_must_lie_within_the_limits, 2, 1},
    {"dense inputs", x3, [] { return dense(16384, 8); }, [] { return dense(16385, 8); },
     channels_per_group_must_lie_within_the_limits, 16385, 16384},
    {"dense outputs, then more", x3, [] { return followed(dense(8, 4096)); }, [] { return followed(dense(8, 4097)); },
     aligned_blocks_of_the_result_must_lie_within_the_limits, 1025, 1024},
    {"dense outputs, the last", x3, [] { return dense(8, 8188); }, [] { return dense(8, 8189); },
     aligned_blocks_of_the_result_must_lie_within_the_limits, 2048, 2047},
    {"matrices, batch", x3,
     [] {
       return product({1, 3, 4, 5}, {1, 1, 5, 6});
     },
     [] {
       return product({2, 3, 4, 5}, {1, 1, 5, 6});
     },
     batch_must_lie_within_the_limits, 2, 1},
    {"matrices, second factor", x3,
     [] {
       return product({1, 3, 4, 5}, {1, 1, 5, 6});
     },
     [] {
       return product({1, 3, 4, 5}, {1, 3, 5, 6});
     },
     outer_extents_of_the_second_factor_must_be_1, 3, 1},
    {"matrix and weight", x3,
     [] {
       return weighted({4, 2048}, {2048, 6});
     },
     [] {
       return weighted({1, 4, 2, 2049}, {2049, 6});
     },
     channels_per_group_must_lie_within_the_limits, 2049, 2048},
    {"matrix, turned, and weight", x3,
     [] {
       return turned({1, 2, 2048, 2}, {2048, 6});
     },
     [] {
       return turned({1, 2, 2049, 2}, {2049, 6});
     },
     channels_per_group_must_lie_within_the_limits, 2049, 2048},
    {"matrix and weight, blocks of whole eights", x3,
     [] {
       return weighted({1, 8, 16}, {16, 8188});
     },
     [] {
       return weighted({1, 8, 16}, {16, 8189});
     },
     aligned_blocks_of_the_result_must_lie_within_the_limits, 2048, 2047},
    {"matrices and weights", x3,
     [] {
       return weighted({1, 3, 4, 5}, {1, 1, 5, 6});
     },
     [] {
       return weighted({1, 3, 4, 5}, {1, 3, 5, 6});
     },
     outer_extents_of_the_second_factor_must_be_1, 3, 1},
};

constexpr limit_row on_ultra[] = {
    {"filters", ultra, [] { return conv({.filters = 8192}); }, [] { return conv({.filters = 8193}); },
     filters_must_lie_within_the_limits, 8193, 8192},
    {"kernel height", ultra,
     [] {
       return conv({.kernel = {31, 1}});
     },
     [] {
       return conv({.kernel = {32, 1}});
     },
     kernel_must_lie_within_the_limits, 32, 31},
    {"kernel width", ultra,
     [] {
       return depthwise({.kernel = {1, 31}});
     },
     [] {
       return depthwise({.kernel = {1, 32}});
     },
     kernel_must_lie_within_the_limits, 32, 31},
    {"kernel volume", ultra,
     [] {
       return conv({.x = {1, 8, 8, 4369}, .kernel = {3, 5}});
     },
     [] {
       return conv({.x = {1, 8, 8, 4370}, .kernel = {3, 5}});
     },
     kernel_volume_must_lie_within_the_limits, 65550, 65535},
    {"channels, then more", ultra,
     [] {
       return followed(conv({.x = {1, 2, 2, 8192}, .kernel = {1, 1}}));
     },
     [] {
       return followed(conv({.x = {1, 2, 2, 8193}, .kernel = {1, 1}}));
     },
     channels_per_group_must_lie_within_the_limits, 8193, 8192},
    {"channels of the last node", ultra,
     [] {
       return conv({.x = {1, 2, 2, 65535}, .kernel = {1, 1}});
     },
     [] {
       return conv({.x = {1, 2, 2, 65536}, .kernel = {1, 1}});
     },
     kernel_volume_must_lie_within_the_limits, 65536, 65535},
    {"stride", ultra,
     [] {
       return conv({.x = {1, 300, 2, 8}, .stride = {256, 1}});
     },
     [] {
       return conv({.x = {1, 300, 2, 8}, .stride = {257, 1}});
     },
     strides_must_lie_within_the_limits, 257, 256},
    {"stride before a sum", ultra,
     [] {
       return with_residual(conv({.stride = {1, 2}}));
     },
     [] {
       return with_residual(conv({.stride = {1, 3}}));
     },
     strides_before_a_residual_add_must_lie_within_the_limits, 3, 2},
    {"stride and dilation", ultra,
     [] {
       return conv({.dilation = {2, 2}});
     },
     [] {
       return conv({.stride = {1, 2}, .dilation = {2, 2}});
     },
     strides_of_a_dilated_kernel_must_be_1, 2, 1},
    {"dilation", ultra,
     [] {
       return conv({.dilation = {16, 16}});
     },
     [] {
       return conv({.x = {1, 34, 34, 8}, .dilation = {17, 17}});
     },
     dilations_must_lie_within_the_limits, 17, 16},
    {"image and dilation", ultra,
     [] {
       return conv({.x = {1, 9, 6, 8}, .dilation = {3, 3}});
     },
     [] {
       return conv({.x = {1, 9, 7, 8}, .dilation = {3, 3}});
     },
     image_must_be_a_multiple_of_the_dilation, 7, 3},
    {"image and dilation, downwards", ultra,
     [] {
       return conv({.x = {1, 9, 6, 8}, .dilation = {3, 3}});
     },
     [] {
       return conv({.x = {1, 10, 6, 8}, .dilation = {3, 3}});
     },
     image_must_be_a_multiple_of_the_dilation, 10, 3},
    {"result of a dilated layer", ultra,
     [] {
       return conv({.dilation = {2, 2}, .type = i8});
     },
     [] {
       return conv({.dilation = {2, 2}, .type = i16});
     },
     result_of_a_dilated_kernel_must_be_i8, static_cast<int>(i16), static_cast<int>(i8), unit::type},
    {"pads", ultra,
     [] {
       return conv({.pad = {pad_mode::explicit_pads, 256, 0, 0, 256}});
     },
     [] {
       return conv({.pad = {pad_mode::explicit_pads, 0, 0, 257, 0}});
     },
     pads_must_lie_within_the_limits, 257, 256},
    {"batch", ultra,
     [] {
       return conv({.x = {4096, 2, 2, 8}});
     },
     [] {
       return conv({.x = {4097, 2, 2, 8}});
     },
     batch_must_lie_within_the_limits, 4097, 4096},
    {"height", ultra,
     [] {
       return conv({.x = {1, 65536, 2, 8}});
     },
     [] {
       return conv({.x = {1, 65537, 2, 8}});
     },
     extents_must_lie_within_the_limits, 65537, 65536},
    {"width", ultra,
     [] {
       return conv({.x = {1, 2, 65536, 8}});
     },
     [] {
       return conv({.x = {1, 2, 65537, 8}});
     },
     extents_must_lie_within_the_limits, 65537, 65536},
    {"size", ultra,
     [] {
       return conv({.x = {1, 16384, 8192, 8}});
     },
     [] {
       return conv({.x = {1, 16384, 8193, 8}});
     },
     elements_must_lie_within_the_limits, 1073872896, 1073741824},
    {"i16", ultra, [] { return conv({.type = i16}); },
     [] {
       return transposed({.stride = {2, 2}, .type = i16});
     },
     operand_type_must_be_accepted_by_the_accelerator, static_cast<int>(i16), static_cast<int>(i8), unit::type},
    {"transposed batch", ultra,
     [] {
       return transposed({.x = {128, 4, 4, 8}, .stride = {2, 2}});
     },
     [] {
       return transposed({.x = {129, 4, 4, 8}, .stride = {2, 2}});
     },
     batch_must_lie_within_the_limits, 129, 128},
    {"transposed channels", ultra,
     [] {
       return transposed({.x = {1, 4, 4, 2048}, .stride = {2, 2}});
     },
     [] {
       return transposed({.x = {1, 4, 4, 2049}, .stride = {2, 2}});
     },
     channels_must_lie_within_the_limits, 2049, 2048},
    {"transposed filters", ultra,
     [] {
       return transposed({.filters = 2048, .stride = {2, 2}});
     },
     [] {
       return transposed({.filters = 2049, .stride = {2, 2}});
     },
     channels_must_lie_within_the_limits, 2049, 2048},
    {"transposed kernel", ultra,
     [] {
       return transposed({.kernel = {14, 14}, .stride = {14, 14}});
     },
     [] {
       return transposed({.kernel = {14, 15}, .stride = {14, 14}});
     },
     kernel_must_lie_within_the_limits, 15, 14},
    {"transposed kernel of one", ultra,
     [] {
       return transposed({.kernel = {1, 2}, .stride = {1, 2}});
     },
     [] {
       return transposed({.kernel = {1, 1}, .stride = {1, 2}, .pad = {pad_mode::valid}});
     },
     kernel_area_must_lie_within_the_limits, 1, 2},
    {"transposed volume", ultra,
     [] {
       return transposed({.x = {1, 4, 4, 455}, .kernel = {12, 12}, .stride = {4, 4}, .pad = {pad_mode::valid}});
     },
     [] {
       return transposed({.x = {1, 4, 4, 456}, .kernel = {12, 12}, .stride = {4, 4}, .pad = {pad_mode::valid}});
     },
     kernel_volume_must_lie_within_the_limits, 65664, 65535},
    {"transposed stride", ultra,
     [] {
       return transposed({.kernel = {14, 14}, .stride = {14, 1}});
     },
     [] {
       return transposed({.kernel = {14, 14}, .stride = {1, 15}, .pad = {pad_mode::valid}});
     },
     strides_must_lie_within_the_limits, 15, 14},
    {"transposed stride of one", ultra,
     [] {
       return transposed({.stride = {2, 1}});
     },
     [] {
       return transposed({.stride = {1, 1}});
     },
     stride_area_must_lie_within_the_limits, 1, 2},
    {"transposed pads, even stride", ultra,
     [] {
       return transposed({.kernel = {4, 4}, .stride = {2, 2}, .pad = {pad_mode::explicit_pads, 2, 2, 2, 2}});
     },
     [] {
       return transposed({.kernel = {4, 4}, .stride = {2, 2}, .pad = {pad_mode::explicit_pads, 2, 3, 2, 2}});
     },
     pads_must_not_exceed_kernel_over_stride, 3, 2},
    {"transposed pads, odd stride", ultra,
     [] {
       return transposed({.kernel = {6, 6}, .stride = {3, 3}, .pad = {pad_mode::explicit_pads, 1, 1, 1, 1}});
     },
     [] {
       return transposed({.kernel = {6, 6}, .stride = {3, 3}, .pad = {pad_mode::explicit_pads, 1, 1, 1, 2}});
     },
     pads_must_not_exceed_kernel_over_stride, 2, 1},
    {"output paddings", ultra,
     [] {
       return transposed({.stride = {3, 3}, .pad = {pad_mode::valid}, .output_paddings = {1, 1}});
     },
     [] {
       return transposed({.stride = {3, 3}, .pad = {pad_mode::valid}, .output_paddings = {1, 2}});
     },
     output_paddings_must_lie_within_the_limits, 2, 1},
    {"output paddings, downwards", ultra,
     [] {
       return transposed({.stride = {3, 3}, .pad = {pad_mode::valid}, .output_paddings = {1, 1}});
     },
     [] {
       return transposed({.stride = {3, 3}, .pad = {pad_mode::valid}, .output_paddings = {2, 1}});
     },
     output_paddings_must_lie_within_the_limits, 2, 1},
    {"transposed dilation", ultra,
     [] {
       return transposed({.stride = {2, 2}});
     },
     [] {
       return transposed({.stride = {2, 2}, .dilation = {2, 1}, .pad = {pad_mode::valid}});
     },
     dilations_must_lie_within_the_limits, 2, 1},
    {"dense outputs", ultra, [] { return dense(8, 8192); }, [] { return dense(8, 8193); },
     filters_must_lie_within_the_limits, 8193, 8192},
    {"dense inputs, then more", ultra, [] { return followed(dense(8192, 8)); }, [] { return followed(dense(8193, 8)); },
     channels_per_group_must_lie_within_the_limits, 8193, 8192},
    {"dense inputs, the last", ultra, [] { return dense(65535, 8); }, [] { return dense(65536, 8); },
     kernel_volume_must_lie_within_the_limits, 65536, 65535},
    {"matrices, ranks", ultra,
     [] {
       return product({3, 4, 5}, {3, 5, 6});
     },
     [] {
       return product({3, 4, 5}, {5, 6});
     },
     ranks_of_factors_must_be_equal, 2, 3},
    {"matrices, extents", ultra,
     [] {
       return product({1, 8192}, {8192, 1});
     },
     [] {
       return product({1, 8193}, {8193, 1});
     },
     extents_of_matrices_must_lie_within_the_limits, 8193, 8192},
    {"matrices, outer extents", ultra,
     [] {
       return product({4096, 1, 2}, {4096, 2, 1});
     },
     [] {
       return product({4097, 1, 2}, {4097, 2, 1});
     },
     outer_extents_must_lie_within_the_limits, 4097, 4096},
    {"matrices, first factor", ultra,
     [] {
       return product({1, 1, 4, 5}, {2, 3, 5, 6});
     },
     [] {
       return product({2, 1, 4, 5}, {2, 3, 5, 6});
     },
     first_factor_must_be_broadcast_as_a_whole_or_not_at_all, 2, 1},
    {"matrices, second factor", ultra,
     [] {
       return product({2, 3, 4, 5}, {2, 1, 5, 6});
     },
     [] {
       return product({2, 3, 4, 5}, {1, 3, 5, 6});
     },
     broadcast_extents_of_the_second_factor_must_follow_the_others, 3, 1},
    {"matrices, second factor after an extent of one", ultra,
     [] {
       return product({2, 1, 3, 4, 5}, {1, 1, 1, 5, 6});
     },
     [] {
       return product({2, 1, 3, 4, 5}, {1, 1, 3, 5, 6});
     },
     broadcast_extents_of_the_second_factor_must_follow_the_others, 3, 1},
    {"matrices and weights", ultra,
     [] {
       return weighted({2, 3, 4, 5}, {2, 1, 5, 6});
     },
     [] {
       return weighted({2, 3, 4, 5}, {1, 3, 5, 6});
     },
     broadcast_extents_of_the_second_factor_must_follow_the_others, 3, 1},
    {"matrix and weight, ranks", ultra,
     [] {
       return weighted({3, 4, 5}, {5, 6});
     },
     [] {
       return weighted({3, 4, 5}, {3, 1, 5, 6});
     },
     ranks_of_factors_must_be_equal, 4, 3},
    {"matrix and weight, outputs", ultra,
     [] {
       return weighted({2, 8}, {8, 8192});
     },
     [] {
       return weighted({2, 8}, {8, 8193});
     },
     filters_must_lie_within_the_limits, 8193, 8192},
    {"matrix and weight, inputs, then more", ultra,
     [] {
       return followed(weighted({2, 8192}, {8192, 8}));
     },
     [] {
       return followed(weighted({2, 8193}, {8193, 8}));
     },
     channels_per_group_must_lie_within_the_limits, 8193, 8192},
    {"matrix and weight, inputs, the last", ultra,
     [] {
       return weighted({2, 65535}, {65535, 8});
     },
     [] {
       return weighted({2, 65536}, {65536, 8});
     },
     kernel_volume_must_lie_within_the_limits, 65536, 65535},
};

constexpr limit_row on_x5[] = {
    {"kernel volume", x5,
     [] {
       return conv({.x = {1, 8, 8, 4681}, .kernel = {1, 7}});
     },
     [] {
       return conv({.x = {1, 8, 8, 4682}, .kernel = {1, 7}});
     },
     kernel_volume_must_lie_within_the_limits, 32774, 32767},
    {"kernel", x5,
     [] {
       return conv({.kernel = {31, 31}});
     },
     [] {
       return conv({.kernel = {31, 32}});
     },
     kernel_must_lie_within_the_limits, 32, 31},
    {"dilation", x5,
     [] {
       return conv({.dilation = {16, 16}});
     },
     [] {
       return conv({.x = {1, 34, 34, 8}, .dilation = {17, 17}});
     },
     dilations_must_lie_within_the_limits, 17, 16},
    {"stride", x5,
     [] {
       return conv({.x = {1, 300, 2, 8}, .stride = {256, 1}});
     },
     [] {
       return conv({.x = {1, 300, 2, 8}, .stride = {257, 1}});
     },
     strides_must_lie_within_the_limits, 257, 256},
    {"transposed volume, decomposed", x5,
     [] {
       return transposed({.x = {1, 4, 4, 2047}, .kernel = {8, 4}, .stride = {2, 1}, .pad = {pad_mode::valid}});
     },
     [] {
       return transposed({.x = {1, 4, 4, 2048}, .kernel = {8, 4}, .stride = {2, 1}, .pad = {pad_mode::valid}});
     },
     decomposed_kernel_volume_must_lie_within_the_limits, 32768, 32767},
    {"transposed volume, decomposed after pads", x5,
     [] {
       return transposed(
           {.x = {1, 4, 4, 1638}, .kernel = {8, 4}, .stride = {2, 1}, .pad = {pad_mode::explicit_pads, 1, 1, 0, 0}});
     },
     [] {
       return transposed(
           {.x = {1, 4, 4, 1639}, .kernel = {8, 4}, .stride = {2, 1}, .pad = {pad_mode::explicit_pads, 1, 1, 0, 0}});
     },
     decomposed_kernel_volume_must_lie_within_the_limits, 32780, 32767},
    {"transposed volume, decomposed after a stride of pads", x5,
     [] {
       return transposed(
           {.x = {1, 4, 4, 2047}, .kernel = {8, 4}, .stride = {2, 1}, .pad = {pad_mode::explicit_pads, 2, 2, 0, 0}});
     },
     [] {
       return transposed(
           {.x = {1, 4, 4, 2048}, .kernel = {8, 4}, .stride = {2, 1}, .pad = {pad_mode::explicit_pads, 2, 2, 0, 0}});
     },
     decomposed_kernel_volume_must_lie_within_the_limits, 32768, 32767},
    {"transposed volume, decomposed with a stride of pads", x5,
     [] {
       return transposed(
           {.x = {1, 4, 4, 2047}, .kernel = {4, 8}, .stride = {1, 2}, .pad = {pad_mode::explicit_pads, 0, 0, 2, 2}});
     },
     [] {
       return transposed(
           {.x = {1, 4, 4, 2048}, .kernel = {4, 8}, .stride = {1, 2}, .pad = {pad_mode::explicit_pads, 0, 0, 2, 2}});
     },
     decomposed_kernel_volume_must_lie_within_the_limits, 32768, 32767},
    {"transposed pads", x5,
     [] {
       return transposed({.kernel = {4, 4}, .stride = {2, 2}, .pad = {pad_mode::explicit_pads, 2, 2, 2, 2}});
     },
     [] {
       return transposed({.kernel = {4, 4}, .stride = {2, 2}, .pad = {pad_mode::explicit_pads, 2, 3, 2, 2}});
     },
     pads_must_not_exceed_kernel_over_stride, 3, 2},
    {"dense inputs, the last", x5, [] { return dense(32767, 8); }, [] { return dense(32768, 8); },
     kernel_volume_must_lie_within_the_limits, 32768, 32767},
    {"matrix and weight, inputs", x5,
     [] {
       return weighted({2, 3, 32767}, {32767, 8});
     },
     [] {
       return weighted({2, 3, 32768}, {32768, 8});
     },
     kernel_volume_must_lie_within_the_limits, 32768, 32767},
};

static_assert(first_wrong(on_x3) == -1);
static_assert(first_wrong(on_ultra) == -1);
static_assert(first_wrong(on_x5) == -1);

// A sum that broadcasts, or that is not the only reader, is no residual one: the layer in front of it may have any
// stride.
static_assert(is_taken(ultra, [] {
  ir::graph g = conv({.stride = {1, 3}});
  g.outputs[0].value = append<ops::add>(g, {}, {g.outputs[0].value, add(g, of({1, 1, 1, 8}))});
  return g;
}()));
static_assert(is_taken(ultra, [] {
  ir::graph g = conv({.stride = {1, 3}});
  const std::int32_t y = g.outputs[0].value;
  g.outputs.push_back({append<ops::relu>(g, {}, {y}), {}});
  g.outputs[0].value = append<ops::add>(g, {}, {y, add(g, of(g.at(y).desc.shape))});
  return g;
}()));
// Rows of a matrix are no batch.
static_assert(is_taken(x3, product({4, 5}, {5, 6})));

}  // namespace

TEST_CASE("limits: convolutions, dense layers and matrix products on X3") { check_at_run_time(on_x3); }
TEST_CASE("limits: convolutions, dense layers and matrix products on RDK Ultra") { check_at_run_time(on_ultra); }
TEST_CASE("limits: convolutions, dense layers and matrix products on X5") { check_at_run_time(on_x5); }
