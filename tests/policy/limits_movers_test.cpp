#include <policy/limits.hpp>

#include <nnrt/ops/list.hpp>

using namespace nnrt_test;

namespace {

constexpr const accelerator &x3 = bernoulli2::table, &ultra = bayes::table, &x5 = bayes_e::table;

struct pool_of {
  shape_t x{1, 32, 32, 8};
  extent2 kernel{2, 2}, stride{1, 1};
  pads pad{pad_mode::same};
  bool global = false;
};
template <class Op> constexpr ir::graph pooled(const pool_of& p) {
  typename Op::attrs a;
  a.kernel = p.kernel;
  a.stride = p.stride;
  a.pad = p.pad;
  a.global = p.global;
  return single<Op>(a, {of(p.x)});
}
constexpr ir::graph largest(const pool_of& p) { return pooled<ops::max_pool>(p); }
constexpr ir::graph mean(const pool_of& p) { return pooled<ops::avg_pool>(p); }

constexpr ir::graph shares(shape_t x, std::initializer_list<std::int64_t> axes, bool is_last = true) {
  ir::graph g = single<ops::softmax>(with<ops::softmax>([&](auto& a) {
                                       for (const std::int64_t axis : axes) a.axis.push_back(axis);
                                     }),
                                     {of(x)});
  if (!is_last) g.outputs[0].value = append<ops::relu>(g, {}, {g.outputs[0].value});
  return g;
}
constexpr ir::graph arg(shape_t x, std::int64_t axis, std::int64_t k = 1) {
  return single<ops::arg_max>(with<ops::arg_max>([&](auto& a) { a.axis = axis, a.k = k; }), {of(x)});
}
constexpr ir::graph joined(shape_t a, shape_t b, std::int64_t axis) {
  return single<ops::concat>(with<ops::concat>([&](auto& attrs) { attrs.axis = axis; }), {of(a), of(b)});
}
constexpr ir::graph parted(shape_t x, std::int64_t axis, std::initializer_list<std::int64_t> sizes) {
  return single<ops::split>(with<ops::split>([&](auto& a) {
                              a.axis = axis;
                              a.output_num = static_cast<std::int64_t>(sizes.size());
                              for (const std::int64_t size : sizes) a.sizes.push_back(size);
                            }),
                            {of(x)});
}
constexpr ir::graph padded(std::initializer_list<std::int64_t> paddings, border mode = border::constant) {
  return single<ops::pad>(with<ops::pad>([&](auto& a) { a.mode = mode; }),
                          {of({1, 4, 4, 8}), listed(paddings, {4, 2})});
}
template <class Op> constexpr ir::graph blocks(shape_t x, std::int64_t size) {
  return single<Op>(with<Op>([&](auto& a) { a.block_size = size; }), {of(x)});
}
constexpr ir::graph scaled(shape_t x, std::int64_t height, std::int64_t width) {
  return single<ops::resize_bilinear>(
      with<ops::resize_bilinear>([&](auto& a) { a.new_height = height, a.new_width = width; }), {of(x)});
}
template <class Op> constexpr ir::graph reduced(shape_t x, std::initializer_list<std::int64_t> axes, bool keep = true) {
  return single<Op>(with<Op>([&](auto& a) { a.keep_dims = keep; }), {of(x), listed(axes)});
}
/// From the first of these axes to the last of all.
template <class Op> constexpr ir::graph reduced_to_end(shape_t x, std::initializer_list<std::int64_t> axes) {
  return single<Op>(with<Op>([&](auto& a) { a.keep_dims = a.reduce_to_end = true; }), {of(x), listed(axes)});
}
constexpr ir::graph looked_up(shape_t x, node_operand indices) {
  return single<ops::gather>({}, {of(x), indices, listed({0}, {1})});
}
constexpr ir::graph spread(shape_t x, std::initializer_list<std::int64_t> to) {
  return single<ops::broadcast_to>(with<ops::broadcast_to>([&](auto& a) {
                                     for (const std::int64_t extent : to) a.shape.push_back(extent);
                                   }),
                                   {of(x)});
}
constexpr ir::graph best(shape_t x, bool sorted) {
  return single<ops::top_k>(with<ops::top_k>([&](auto& a) { a.sorted = sorted; }), {of(x), listed({2}, {1})});
}
/// Three steps of each sequence.
constexpr ir::graph recurrent(std::int64_t sequences) {
  return single<ops::lstm>({of({3, sequences, 4}), weight_of({1, 8, 4}), weight_of({1, 8, 2})});
}
constexpr ir::graph reshaped(shape_t x, std::initializer_list<std::int64_t> to) {
  return single<ops::reshape>({}, {of(x), listed(to)});
}

constexpr limit_row on_x3[] = {
    {"max_pool kernel", x3,
     [] {
       return largest({.x = {1, 80, 80, 8}, .kernel = {64, 64}});
     },
     [] {
       return largest({.x = {1, 80, 80, 8}, .kernel = {65, 2}});
     },
     kernel_must_lie_within_the_limits, 65, 64},
    {"max_pool stride", x3,
     [] {
       return largest({.stride = {185, 185}});
     },
     [] {
       return largest({.stride = {1, 186}});
     },
     strides_must_lie_within_the_limits, 186, 185},
    {"avg_pool kernel", x3,
     [] {
       return mean({.kernel = {7, 7}});
     },
     [] {
       return mean({.kernel = {7, 8}});
     },
     kernel_must_lie_within_the_limits, 8, 7},
    {"avg_pool stride", x3,
     [] {
       return mean({.stride = {185, 185}});
     },
     [] {
       return mean({.stride = {186, 1}});
     },
     strides_must_lie_within_the_limits, 186, 185},
    {"global avg_pool", x3,
     [] {
       return mean({.x = {1, 64, 128, 8}, .global = true});
     },
     [] {
       return mean({.x = {1, 64, 129, 8}, .global = true});
     },
     area_of_a_global_pool_must_lie_within_the_limits, 8256, 8192},
    {"global max_pool", x3,
     [] {
       return largest({.x = {1, 1024, 1024, 8}, .global = true});
     },
     [] {
       return largest({.x = {1, 2, 1025, 8}, .global = true});
     },
     sides_of_a_global_pool_must_lie_within_the_limits, 1025, 1024},
    {"softmax axis", x3,
     [] {
       return shares({1, 4, 4, 8}, {3});
     },
     [] {
       return shares({1, 4, 4, 8}, {2});
     },
     axis_must_be_that_of_channels, 2, 3},
    {"softmax in the middle", x3,
     [] {
       return shares({1, 4, 4, 8}, {-1});
     },
     [] {
       return shares({1, 4, 4, 8}, {-1}, false);
     },
     node_must_be_the_last, 1, 0},
    {"arg_max axis", x3,
     [] {
       return arg({1, 4, 4, 64}, 3);
     },
     [] {
       return arg({1, 4, 4, 64}, 1);
     },
     axis_must_be_that_of_channels, 1, 3},
    {"arg_max channels", x3,
     [] {
       return arg({1, 4, 4, 64}, -1);
     },
     [] {
       return arg({1, 4, 4, 65}, -1);
     },
     extent_of_the_axis_must_lie_within_the_limits, 65, 64},
    {"arg_max results", x3,
     [] {
       return arg({1, 4, 4, 64}, -1, 1);
     },
     [] {
       return arg({1, 4, 4, 64}, -1, 2);
     },
     results_must_not_be_too_many, 2, 1},
    {"concat channels", x3,
     [] {
       return joined({1, 4, 4, 1024}, {1, 4, 4, 1024}, 3);
     },
     [] {
       return joined({1, 4, 4, 1024}, {1, 4, 4, 1025}, 3);
     },
     channels_must_lie_within_the_limits, 2049, 2048},
    {"split axis", x3,
     [] {
       return parted({2, 4, 4, 8}, 1, {2, 2});
     },
     [] {
       return parted({2, 4, 4, 8}, 0, {1, 1});
     },
     axis_must_not_be_that_of_the_batch, 0, 1},
    {"split parts", x3,
     [] {
       return parted({2, 4, 4, 8}, 3, {4, 4});
     },
     [] {
       return parted({2, 4, 4, 8}, 3, {3, 5});
     },
     parts_must_be_equal, 5, 3},
    {"pad mode", x3,
     [] {
       return padded({0, 0, 1, 1, 1, 1, 0, 0});
     },
     [] {
       return padded({0, 0, 1, 1, 1, 1, 0, 0}, border::reflect);
     },
     padding_mode_must_be_constant, 1, 0},
    {"pad axes", x3,
     [] {
       return padded({0, 0, 3, 0, 0, 3, 0, 0});
     },
     [] {
       return padded({0, 0, 1, 1, 1, 1, 0, 2});
     },
     height_and_width_alone_may_be_padded, 1, 0},
    {"depth_to_space block", x3,
     [] {
       return blocks<ops::depth_to_space>({1, 4, 4, 36}, 2);
     },
     [] {
       return blocks<ops::depth_to_space>({1, 4, 4, 36}, 3);
     },
     block_size_must_lie_within_the_limits, 3, 2},
    {"space_to_depth block", x3,
     [] {
       return blocks<ops::space_to_depth>({1, 12, 12, 4}, 2);
     },
     [] {
       return blocks<ops::space_to_depth>({1, 12, 12, 4}, 3);
     },
     block_size_must_lie_within_the_limits, 3, 2},
    {"resize, larger", x3,
     [] {
       return scaled({1, 2, 2, 8}, 512, 512);
     },
     [] {
       return scaled({1, 2, 2, 8}, 513, 2);
     },
     enlargement_must_lie_within_the_limits, 257, 256},
    {"resize, wider", x3,
     [] {
       return scaled({1, 2, 2, 8}, 512, 512);
     },
     [] {
       return scaled({1, 2, 2, 8}, 2, 513);
     },
     enlargement_must_lie_within_the_limits, 257, 256},
    {"resize, lower", x3,
     [] {
       return scaled({1, 511, 511, 8}, 2, 2);
     },
     [] {
       return scaled({1, 512, 2, 8}, 2, 2);
     },
     reduction_must_lie_within_the_limits, 256, 255},
    {"resize, smaller", x3,
     [] {
       return scaled({1, 511, 511, 8}, 2, 2);
     },
     [] {
       return scaled({1, 2, 512, 8}, 2, 2);
     },
     reduction_must_lie_within_the_limits, 256, 255},
    {"reduce_mean axes", x3,
     [] {
       return reduced<ops::reduce_mean>({1, 4, 4, 8}, {1, 2});
     },
     [] {
       return reduced<ops::reduce_mean>({1, 4, 4, 8}, {1});
     },
     axes_must_be_height_and_width, 1, 2},
    {"reduce_mean of batch and channels", x3,
     [] {
       return reduced<ops::reduce_mean>({1, 4, 4, 8}, {2, 1});
     },
     [] {
       return reduced<ops::reduce_mean>({1, 4, 4, 8}, {0, 3});
     },
     axes_must_be_height_and_width, 2, 2},
    {"softmax that names no axis", x3,
     [] {
       return shares({1, 4, 4, 8}, {});
     },
     [] {
       return shares({1, 4, 4, 8}, {}, false);
     },
     node_must_be_the_last, 1, 0},
    {"reduce_mean to the end", x3,
     [] {
       return reduced<ops::reduce_mean>({1, 4, 4, 8}, {1, 2});
     },
     [] {
       return reduced_to_end<ops::reduce_mean>({1, 4, 4, 8}, {1, 2});
     },
     axes_must_be_height_and_width, 3, 2},
    {"lstm sequences", x3, [] { return recurrent(1); }, [] { return recurrent(2); }, batch_must_lie_within_the_limits,
     2, 1},
    {"reshape that moves nothing", x3,
     [] {
       return reshaped({1, 4, 4, 8}, {1, 128});
     },
     [] {
       return single<ops::transpose>({}, {of({1, 4, 4, 8}), listed({0, 3, 1, 2})});
     },
     operator_must_be_in_the_table, 0, 1},
    {"batch_norm without a convolution", x3,
     [] {
       return single<ops::relu>({of({1, 4, 4, 8})});
     },
     [] {
       return single<ops::bias_add>({of({1, 4, 4, 8}), weight_of({8})});
     },
     operator_must_be_fused_into_a_convolution, 0, 1},
};

constexpr limit_row on_ultra[] = {
    {"max_pool kernel", ultra,
     [] {
       return largest({.x = {1, 300, 4, 8}, .kernel = {256, 1}});
     },
     [] {
       return largest({.x = {1, 300, 4, 8}, .kernel = {257, 1}});
     },
     kernel_must_lie_within_the_limits, 257, 256},
    {"max_pool stride", ultra,
     [] {
       return largest({.stride = {256, 256}});
     },
     [] {
       return largest({.stride = {1, 257}});
     },
     strides_must_lie_within_the_limits, 257, 256},
    {"max_pool pads", ultra,
     [] {
       return largest({.kernel = {256, 256}, .pad = {pad_mode::explicit_pads, 255, 255, 255, 255}});
     },
     [] {
       return largest({.kernel = {300, 2}, .pad = {pad_mode::explicit_pads, 299, 0, 0, 0}});
     },
     kernel_must_lie_within_the_limits, 300, 256},
    {"avg_pool kernel", ultra,
     [] {
       return mean({.x = {1, 300, 4, 8}, .kernel = {256, 1}});
     },
     [] {
       return mean({.x = {1, 300, 4, 8}, .kernel = {257, 1}});
     },
     kernel_must_lie_within_the_limits, 257, 256},
    {"avg_pool stride", ultra,
     [] {
       return mean({.stride = {256, 256}});
     },
     [] {
       return mean({.stride = {257, 1}});
     },
     strides_must_lie_within_the_limits, 257, 256},
    {"global max_pool", ultra,
     [] {
       return largest({.x = {1, 256, 256, 8}, .global = true});
     },
     [] {
       return largest({.x = {1, 257, 2, 8}, .global = true});
     },
     sides_of_a_global_pool_must_lie_within_the_limits, 257, 256},
    {"softmax axis", ultra,
     [] {
       return shares({2, 4, 4, 8}, {1});
     },
     [] {
       return shares({2, 4, 4, 8}, {0});
     },
     axis_must_not_be_that_of_the_batch, 0, 1},
    {"softmax axes", ultra,
     [] {
       return shares({1, 4, 4, 8}, {2});
     },
     [] {
       return shares({1, 4, 4, 8}, {2, 3});
     },
     axes_must_be_one, 2, 1},
    {"softmax rank", ultra,
     [] {
       return shares({2, 8}, {-1});
     },
     [] {
       return shares({1, 1, 4, 4, 8}, {-1});
     },
     rank_must_lie_within_the_limits, 5, 4},
    {"arg_max axis", ultra,
     [] {
       return arg({1, 4, 4, 64}, 3);
     },
     [] {
       return arg({1, 4, 4, 64}, 2);
     },
     axis_must_be_that_of_channels, 2, 3},
    {"arg_max channels", ultra,
     [] {
       return arg({1, 4, 4, 64}, -1);
     },
     [] {
       return arg({1, 4, 4, 65}, -1);
     },
     extent_of_the_axis_must_lie_within_the_limits, 65, 64},
    {"concat axis", ultra,
     [] {
       return joined({1, 4, 4, 8}, {1, 4, 4, 8}, 1);
     },
     [] {
       return joined({1, 4, 4, 8}, {1, 4, 4, 8}, 0);
     },
     axis_must_not_be_that_of_the_batch, 0, 1},
    {"split axis", ultra,
     [] {
       return parted({2, 2, 4, 4, 8}, 2, {2, 2});
     },
     [] {
       return parted({2, 4, 8}, -3, {1, 1});
     },
     axis_must_not_be_that_of_the_batch, 0, 1},
    {"split parts", ultra,
     [] {
       return parted({2, 4, 4, 8}, 3, {4, 4});
     },
     [] {
       return parted({2, 4, 4, 8}, 3, {3, 5});
     },
     parts_must_be_equal, 5, 3},
    {"pad mode", ultra,
     [] {
       return padded({1, 0, 1, 1, 1, 1, 0, 2});
     },
     [] {
       return padded({0, 0, 1, 1, 1, 1, 0, 0}, border::symmetric);
     },
     padding_mode_must_be_constant, 2, 0},
    {"depth_to_space block", ultra,
     [] {
       return blocks<ops::depth_to_space>({1, 4, 4, 144}, 2);
     },
     [] {
       return blocks<ops::depth_to_space>({1, 4, 4, 144}, 3);
     },
     block_size_must_lie_within_the_limits, 3, 2},
    {"depth_to_space channels", ultra,
     [] {
       return blocks<ops::depth_to_space>({1, 4, 4, 32}, 2);
     },
     [] {
       return blocks<ops::depth_to_space>({1, 4, 4, 24}, 2);
     },
     result_channels_must_be_multiples_of_4, 6, 4},
    {"space_to_depth block", ultra,
     [] {
       return blocks<ops::space_to_depth>({1, 12, 12, 4}, 2);
     },
     [] {
       return blocks<ops::space_to_depth>({1, 12, 12, 4}, 4);
     },
     block_size_must_lie_within_the_limits, 4, 2},
    {"resize", ultra,
     [] {
       return scaled({1, 2, 2, 8}, 8192, 2);
     },
     [] {
       return scaled({1, 2, 2, 8}, 2, 8193);
     },
     sides_must_lie_within_the_limits, 8193, 8192},
    {"resize of a large image", ultra,
     [] {
       return scaled({1, 8192, 2, 8}, 2, 2);
     },
     [] {
       return scaled({1, 8193, 2, 8}, 2, 2);
     },
     sides_must_lie_within_the_limits, 8193, 8192},
    {"reduce_mean axes", ultra,
     [] {
       return reduced<ops::reduce_mean>({1, 4, 4, 8}, {2, 1});
     },
     [] {
       return reduced<ops::reduce_mean>({1, 4, 4, 8}, {2, 3});
     },
     axes_must_be_one_or_height_and_width, 2, 2},
    {"reduce_mean ranks", ultra,
     [] {
       return reduced<ops::reduce_mean>({1, 4, 4, 4, 8}, {1});
     },
     [] {
       return reduced<ops::reduce_mean>({1, 1, 4, 4, 4, 8}, {1});
     },
     rank_must_lie_within_the_limits, 6, 5},
    {"reduce_mean keeps", ultra,
     [] {
       return reduced<ops::reduce_mean>({1, 4, 4, 8}, {3});
     },
     [] {
       return reduced<ops::reduce_mean>({1, 4, 4, 8}, {3}, false);
     },
     axes_must_be_kept, 0, 1},
    {"reduce_sum axes", ultra,
     [] {
       return reduced<ops::reduce_sum>({1, 4, 4, 8}, {3}, false);
     },
     [] {
       return reduced<ops::reduce_sum>({1, 4, 4, 8}, {1, 2});
     },
     axes_must_be_one, 2, 1},
    {"reduce_sum ranks", ultra,
     [] {
       return reduced<ops::reduce_sum>({4, 8}, {1});
     },
     [] {
       return reduced<ops::reduce_sum>({1, 1, 4, 4, 4, 8}, {1});
     },
     rank_must_lie_within_the_limits, 6, 5},
    {"reduce_max axes", ultra,
     [] {
       return reduced<ops::reduce_max>({1, 4, 4, 8}, {1});
     },
     [] {
       return reduced<ops::reduce_max>({1, 4, 4, 8}, {1, 2});
     },
     axes_must_be_one, 2, 1},
    {"reduce_sum axes of five", ultra,
     [] {
       return reduced<ops::reduce_sum>({2, 3, 4, 4, 8}, {1});
     },
     [] {
       return reduced<ops::reduce_sum>({2, 3, 4, 4, 8}, {0, 1});
     },
     axes_must_be_one, 2, 1},
    {"reduce_mean axes of five", ultra,
     [] {
       return reduced<ops::reduce_mean>({2, 3, 4, 4, 8}, {2, 3});
     },
     [] {
       return reduced<ops::reduce_mean>({2, 3, 4, 4, 8}, {0, 1});
     },
     axes_must_be_one_or_height_and_width, 2, 2},
    {"reduce_max extent of five", ultra,
     [] {
       return reduced<ops::reduce_max>({2, 8192, 1, 1, 8}, {1});
     },
     [] {
       return reduced<ops::reduce_max>({2, 8193, 1, 1, 8}, {1});
     },
     extent_of_the_axis_must_lie_within_the_limits, 8193, 8192},
    {"reduce_max extent", ultra,
     [] {
       return reduced<ops::reduce_max>({1, 4, 4, 8192}, {3});
     },
     [] {
       return reduced<ops::reduce_max>({1, 4, 4, 8193}, {3});
     },
     extent_of_the_axis_must_lie_within_the_limits, 8193, 8192},
    {"reduce_max keeps", ultra,
     [] {
       return reduced<ops::reduce_max>({1, 4, 4, 8}, {3});
     },
     [] {
       return reduced<ops::reduce_max>({1, 4, 4, 8}, {3}, false);
     },
     axes_must_be_kept, 0, 1},
    {"gather indices", ultra,
     [] {
       return looked_up({9, 8}, of(i32, {3}));
     },
     [] {
       return looked_up({9, 8}, of(i64, {3}));
     },
     computed_indices_must_be_i32, static_cast<int>(i64), static_cast<int>(i32), unit::type},
    {"gather ranks", ultra,
     [] {
       return looked_up({9, 8, 2, 3}, listed({1, 2}));
     },
     [] {
       return looked_up({9, 8, 2, 3, 2}, listed({1, 2}));
     },
     rank_must_lie_within_the_limits, 5, 4},
    {"broadcast_to", ultra,
     [] {
       return spread({1, 4, 1, 8}, {1, 4, 6, 8});
     },
     [] {
       return spread({1, 1, 1, 8}, {1, 4, 6, 8});
     },
     extents_that_change_must_not_be_too_many, 2, 1},
    {"broadcast_to, size", ultra,
     [] {
       return spread({1, 1024, 1, 1024}, {1, 1024, 1024, 1024});
     },
     [] {
       return spread({1, 1024, 1, 1024}, {1, 1024, 1025, 1024});
     },
     elements_must_lie_within_the_limits, 1074790400, 1073741824},
    {"tile", ultra,
     [] {
       return single<ops::tile>({}, {of({1, 4, 4, 8}), listed({1, 3, 1, 1})});
     },
     [] {
       return single<ops::tile>({}, {of({1, 4, 4, 8}), listed({1, 3, 2, 1})});
     },
     extents_that_change_must_not_be_too_many, 2, 1},
    {"top_k", ultra,
     [] {
       return best({4, 8}, true);
     },
     [] {
       return best({4, 8}, false);
     },
     results_must_be_sorted, 0, 1},
    {"lstm sequences", ultra, [] { return recurrent(1); }, [] { return recurrent(2); },
     batch_must_lie_within_the_limits, 2, 1},
    {"reshape, lowest rank", ultra,
     [] {
       return reshaped({1, 1}, {1});
     },
     [] {
       return reshaped({1, 1}, {});
     },
     rank_must_lie_within_the_limits, 0, 1},
    {"transpose, first extent", ultra,
     [] {
       return single<ops::transpose>({}, {of({4096, 4}), listed({0, 1})});
     },
     [] {
       return single<ops::transpose>({}, {of({4, 4097}), listed({1, 0})});
     },
     batch_must_lie_within_the_limits, 4097, 4096},
    {"reshape, extents", ultra,
     [] {
       return reshaped({2, 65536}, {512, 256});
     },
     [] {
       return reshaped({1, 65536, 2}, {131072});
     },
     extents_must_lie_within_the_limits, 131072, 65536},
};

constexpr limit_row on_x5[] = {
    {"avg_pool kernel", x5,
     [] {
       return mean({.x = {1, 300, 4, 8}, .kernel = {256, 1}});
     },
     [] {
       return mean({.x = {1, 300, 4, 8}, .kernel = {257, 1}});
     },
     kernel_must_lie_within_the_limits, 257, 256},
    {"avg_pool area, largest", x5,
     [] {
       return mean({.x = {1, 300, 300, 8}, .kernel = {128, 64}});
     },
     [] {
       return mean({.x = {1, 300, 300, 8}, .kernel = {127, 65}});
     },
     kernel_area_must_lie_within_the_limits, 8255, 8192},
    {"avg_pool area, smallest", x5,
     [] {
       return mean({.kernel = {1, 2}});
     },
     [] {
       return mean({.kernel = {1, 1}});
     },
     kernel_area_must_lie_within_the_limits, 1, 2},
    {"avg_pool stride", x5,
     [] {
       return mean({.stride = {256, 256}});
     },
     [] {
       return mean({.stride = {257, 1}});
     },
     strides_must_lie_within_the_limits, 257, 256},
    {"avg_pool pads", x5,
     [] {
       return mean({.kernel = {256, 1}, .pad = {pad_mode::explicit_pads, 255, 255, 0, 0}});
     },
     [] {
       return mean({.kernel = {257, 1}});
     },
     kernel_must_lie_within_the_limits, 257, 256},
    {"global max_pool", x5,
     [] {
       return largest({.x = {1, 256, 256, 8}, .global = true});
     },
     [] {
       return largest({.x = {1, 2, 257, 8}, .global = true});
     },
     sides_of_a_global_pool_must_lie_within_the_limits, 257, 256},
    {"arg_max channels", x5,
     [] {
       return arg({1, 4, 4, 8191}, -1);
     },
     [] {
       return arg({1, 4, 4, 8192}, -1);
     },
     extent_of_the_axis_must_lie_within_the_limits, 8192, 8191},
    {"depth_to_space channels", x5,
     [] {
       return blocks<ops::depth_to_space>({1, 4, 4, 32}, 2);
     },
     [] {
       return blocks<ops::depth_to_space>({1, 4, 4, 24}, 2);
     },
     result_channels_must_be_multiples_of_4, 6, 4},
    {"concat axis", x5,
     [] {
       return joined({1, 4, 4, 8}, {1, 4, 4, 8}, 1);
     },
     [] {
       return joined({1, 4, 4, 8}, {1, 4, 4, 8}, 0);
     },
     axis_must_not_be_that_of_the_batch, 0, 1},
    {"reduce_sum axes", x5,
     [] {
       return reduced<ops::reduce_sum>({1, 4, 4, 8}, {3}, false);
     },
     [] {
       return reduced<ops::reduce_sum>({1, 4, 4, 8}, {1, 2});
     },
     axes_must_be_one, 2, 1},
    {"reduce_sum to the end", x5,
     [] {
       return reduced_to_end<ops::reduce_sum>({1, 4, 4, 8}, {3});
     },
     [] {
       return reduced_to_end<ops::reduce_sum>({1, 4, 4, 8}, {1});
     },
     axes_must_be_one, 3, 1},
    {"lstm sequences", x5, [] { return recurrent(1); }, [] { return recurrent(2); }, batch_must_lie_within_the_limits,
     2, 1},
    {"top_k", x5,
     [] {
       return best({4, 8}, true);
     },
     [] {
       return best({4, 8}, false);
     },
     results_must_be_sorted, 0, 1},
};

static_assert(first_wrong(on_x3) == -1);
static_assert(first_wrong(on_ultra) == -1);
static_assert(first_wrong(on_x5) == -1);

// What has no limits, and what X3 has not.
static_assert(is_taken(x3, single<ops::slice>({}, {of({1, 4, 4, 8}), listed({0, 1, 1, 0}), listed({1, 2, 2, 8})})));
static_assert(is_taken(ultra, mean({.x = {1, 512, 512, 8}, .global = true})));
static_assert(is_absent(x3, reduced<ops::reduce_sum>({1, 4, 4, 8}, {3})) &&
              is_absent(x3, looked_up({9, 8}, of(i32, {3}))) && is_absent(x3, best({4, 8}, true)));
static_assert(is_taken(ultra, single<ops::bias_add>({of({1, 4, 4, 8}), weight_of({8})})));
static_assert(is_absent(x5, single<ops::cast>({}, {of({4}), listed({1}, {1})})));

// An axis that is named twice is one; the only axis of a tensor is no batch.
static_assert(is_taken(ultra, reduced<ops::reduce_sum>({1, 4, 4, 8}, {3, -1})));
static_assert(is_taken(ultra, shares({8}, {0})));

// No images at all: their extents may have any product.
static_assert(check(ultra, mean({.x = {0, max_elements, max_elements, max_elements}, .global = true}))
                  .breaks(batch_must_lie_within_the_limits));
static_assert(check(x3, mean({.x = {0, max_elements, max_elements, 1}, .global = true})) ==
              accelerator_verdict{static_cast<int>(area_of_a_global_pool_must_lie_within_the_limits), unit::number,
                                  std::numeric_limits<std::int64_t>::max(), 8192});

}  // namespace

TEST_CASE("limits: pools, reductions and what moves numbers on X3") { check_at_run_time(on_x3); }
TEST_CASE("limits: pools, reductions and what moves numbers on RDK Ultra") { check_at_run_time(on_ultra); }
TEST_CASE("limits: pools, reductions and what moves numbers on X5") { check_at_run_time(on_x5); }
