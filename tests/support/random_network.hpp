// random_network: networks over images that nobody would write - convolutions of every kind, norms, pads, residuals,
// joins, cuts, dense heads - of floats or of quantised bytes. Flow: exec/random_networks_test holds all that becomes of
// them against their operators' references.
#pragma once

// All units of a program must know the same kernels: an operator's table of functions is one object for all of them.
#include <nnrt/kernels/select.hpp>

#include <nnrt/io/model_builder.hpp>

#include "support/dice.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace nnrt_test {

/// Makes one network for each seed; all tensors between its layers are f32, or, when stored, i8 or u8 with one scale.
class random_network {
 public:
  random_network(std::uint64_t seed, bool is_quantised)
      : random_(seed),
        is_quantised_(is_quantised),
        type_(!is_quantised        ? f32
              : random_.once_in(4) ? u8
                                   : i8),
        is_large_(random_.once_in(16)) {
    for (int i = random_.once_in(4) ? 2 : 1; i > 0; --i) add_input();
    const int nodes = static_cast<int>(random_.between(2, 14));
    for (int tries = 0; tries < 10 * nodes && nodes_ < nodes; ++tries) add_any_node(any_image());
    if (random_.once_in(4)) add_head();
    add_outputs();
  }
  ir::graph made() const { return b_.graph(); }

 private:
  struct image {
    std::int32_t id;
    shape_t shape;
    float scale = 0;

    bool has_pixels() const { return shape.rank == 4; }
    std::int64_t channels() const { return shape[-1]; }
  };

  // --- values ------------------------------------------------------------------

  quantisation any_quantisation(float scale) {
    const auto zero = static_cast<std::int32_t>(random_.once_in(4) ? 0 : random_.between(-30, 30));
    return quant{scale, type_ == u8 ? 128 + zero : zero};
  }
  void add_input() {
    const std::int64_t side = is_large_            ? random_.between(50, 120)
                              : random_.once_in(3) ? random_.between(1, 9)
                                                   : random_.between(8, 40);
    const std::int64_t width = random_.once_in(2) ? side : random_.between(1, is_large_ ? 120 : 40);
    const std::int64_t channels = random_.once_in(3) ? random_.one_of<std::int64_t>({1, 3, 4}) : random_.between(1, 40);
    tensor_desc desc{type_, nhwc, {random_.once_in(5) ? random_.between(2, 3) : 1, side, width, channels}};
    if (is_quantised_) desc.quantised = any_quantisation(static_cast<float>(random_.real(0.01, 0.1)));
    keep(b_.input("x" + std::to_string(pool_.size()), desc).value());
  }
  void keep(std::int32_t id) {
    const tensor_desc& desc = b_.desc(id);
    if (desc.type == type_ && desc.rank() > 0) pool_.push_back({id, desc.shape, desc.quantised.scale});
  }
  /// Mostly the last one, so that chains grow; sometimes one that everybody has forgotten.
  image any_image() {
    const auto n = static_cast<int>(pool_.size());
    const int back = random_.once_in(5) ? random_.below(n) : random_.once_in(3) ? random_.below(std::min(n, 3)) : 0;
    return pool_[static_cast<std::size_t>(n - 1 - back)];
  }
  image any_like(const image& x) {
    for (int tries = 0; tries < 8; ++tries)
      if (const image other = any_image(); other.shape == x.shape && other.id != x.id) return other;
    return x;
  }

  // --- constants and weights ---------------------------------------------------

  template <class T, class Draw> std::int32_t constant(const tensor_desc& desc, Draw draw) {
    std::vector<T> elements(static_cast<std::size_t>(desc.elements()));
    for (T& element : elements) element = static_cast<T>(draw());
    return b_.constant<T>(desc, elements).value();
  }
  /// Numbers that the passes know, or a weight: numbers between -1 and 1 that follow from its name, of a variance
  /// positive ones.
  std::int32_t numbers(const shape_t& shape, double least, double most, const std::string& role = {}) {
    if (random_.once_in(3)) return b_.weight("w" + std::to_string(weights_++) + role, {f32, shape}).value();
    return constant<float>({f32, shape}, [&] { return random_.real(least, most); });
  }
  std::int32_t integers(const std::vector<std::int64_t>& list) {
    return b_.constant<std::int64_t>({i64, {static_cast<std::int64_t>(list.size())}}, list).value();
  }
  /// Filters [outputs, …] around one over the root of the products that each output sums.
  std::int32_t filters(const shape_t& shape) {
    const double size = 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(1, shape.elements(1))));
    if (!is_quantised_) return numbers(shape, -1.7 * size, 1.7 * size);
    const auto step = static_cast<float>(size / 64);
    const format layout = shape.rank == 4 ? nhwc : nd;
    if (type_ == u8)
      return constant<std::uint8_t>({u8, layout, shape, quant{step, 120}}, [&] { return random_.between(0, 255); });
    const bool has_one_scale = random_.once_in(3);
    const quantisation scales = has_one_scale ? quantisation(quant{step, 0}) : quantisation(per_channel<0>);
    const std::int32_t id =
        constant<std::int8_t>({i8, layout, shape, scales}, [&] { return random_.between(-127, 127); });
    if (!has_one_scale)
      b_.set_scales(id, constant<float>({f32, {shape[0]}}, [&] { return random_.real(step / 2, step * 2); }));
    return id;
  }
  std::int32_t bias(std::int64_t outputs) {
    if (random_.once_in(4)) return ir::none;
    if (!is_quantised_) return numbers({outputs}, -1, 1);
    return constant<std::int32_t>({i32, {outputs}}, [&] { return random_.between(-3000, 3000); });
  }

  // --- what results shall be ---------------------------------------------------

  tensor_desc wish(float scale) {
    tensor_desc wanted;
    if (is_quantised_) wanted.quantised = any_quantisation(scale);
    return wanted;
  }
  /// Where sums of filters() take about the whole range.
  tensor_desc wish_of_sums(const image& x) { return wish(x.scale * static_cast<float>(random_.real(0.5, 2))); }
  /// Of functions between 0 and 1.
  tensor_desc wish_of_shares() {
    tensor_desc wanted;
    if (is_quantised_) wanted.quantised = quant{0x1p-8F, type_ == u8 ? 0 : -128};
    return wanted;
  }
  activation any_activation() {
    return random_.one_of({activation::none, activation::none, activation::relu, activation::relu6});
  }
  pads any_pads() {
    const int way = random_.below(3);
    if (way == 0) return {pad_mode::same};
    if (way == 1) return {pad_mode::valid};
    return {pad_mode::explicit_pads, random_.between(0, 2), random_.between(0, 2), random_.between(0, 2),
            random_.between(0, 2)};
  }
  extent2 any_extent(std::int64_t most) {
    const std::int64_t side = random_.between(1, most);
    return {side, random_.once_in(5) ? random_.between(1, most) : side};
  }

  // --- nodes -------------------------------------------------------------------

  /// Adds the node if its rules take it and it is small enough.
  void add(const operator_info& op, const pool<word>& words, const std::vector<std::int32_t>& in,
           const std::vector<tensor_desc>& wanted) {
    const ir::operand_list list(b_.graph(), in);
    const verdict v = op.infer(words, list.operands, wanted);
    if (!v ||
        op.macs(words, list.operands, {v.outputs.begin(), v.outputs.size()}) > (is_large_ ? 40'000'000 : 4'000'000))
      return;
    for (const tensor_desc& y : v.outputs)
      if (y.elements() <= 0 || y.elements() > (is_large_ ? 900'000 : 60'000)) return;
    const auto made = b_.apply(op, words, in, wanted, std::string(op.name) + std::to_string(nodes_));
    if (!made) return;
    ++nodes_;
    for (const std::int32_t id : *made) keep(id);
  }
  template <class Op>
  void add(const typename Op::attrs& attrs, const std::vector<std::int32_t>& in,
           const std::vector<tensor_desc>& wanted = {}) {
    pool<word> words;
    pack(attrs, words);
    add(ops::of<Op>(), words, in, wanted);
  }
  template <class Op> void add_layer(const typename Op::attrs& attrs, const image& x, const shape_t& of_filters) {
    const std::int32_t w = filters(of_filters), b = bias(of_filters[0]);
    add<Op>(attrs, {x.id, w, b}, {wish_of_sums(x)});
  }

  void add_convolution(const image& x) {
    ops::conv2d::attrs a;
    a.stride = any_extent(2), a.pad = any_pads(), a.fused = any_activation();
    if (random_.once_in(6)) a.dilation = any_extent(3);
    if (x.channels() % 2 == 0 && random_.once_in(8)) a.group = 2;
    const extent2 k = random_.once_in(3) ? extent2{1, 1} : random_.once_in(2) ? extent2{3, 3} : any_extent(5);
    add_layer<ops::conv2d>(a, x, {a.group * random_.between(1, 48 / a.group), k.h, k.w, x.channels() / a.group});
  }
  void add_depthwise(const image& x) {
    ops::depthwise_conv2d::attrs a;
    a.stride = any_extent(2), a.pad = any_pads(), a.fused = any_activation();
    if (random_.once_in(6)) a.dilation = any_extent(2);
    const extent2 k = random_.once_in(2) ? extent2{3, 3} : any_extent(5);
    add_layer<ops::depthwise_conv2d>(a, x, {x.channels() * (random_.once_in(6) ? 2 : 1), k.h, k.w, 1});
  }
  void add_transposed(const image& x) {
    ops::conv2d_transpose::attrs a;
    a.stride = any_extent(2), a.pad = {random_.once_in(2) ? pad_mode::same : pad_mode::valid},
    a.fused = any_activation();
    const extent2 k = any_extent(4);
    add_layer<ops::conv2d_transpose>(a, x, {random_.between(1, 20), k.h, k.w, x.channels()});
  }
  void add_dense(const image& x) {
    ops::full_connection::attrs a;
    a.fused = any_activation();
    add_layer<ops::full_connection>(a, x, {random_.between(1, 40), x.channels()});
  }
  void add_norm(const image& x) {
    const shape_t c{x.channels()};
    if (random_.once_in(2)) {
      const std::int32_t scale = numbers(c, 0.5, 1.5), offset = numbers(c, -1, 1), mean = numbers(c, -0.5, 0.5),
                         variance = numbers(c, 0.5, 2, ".variance");
      return add<ops::batch_norm>({}, {x.id, scale, offset, mean, variance}, {wish(x.scale)});
    }
    ops::scale::attrs a;
    a.fused = any_activation();
    const std::int32_t scale = numbers(c, -1.5, 1.5), offset = numbers(c, -1, 1);
    add<ops::scale>(a, {x.id, scale, offset}, {wish(x.scale)});
  }
  template <class Op> void add_pool(const image& x) {
    typename Op::attrs a;
    if (random_.once_in(5)) a.global = true, a.kernel = {1, 1};
    else a.kernel = any_extent(4), a.stride = any_extent(3), a.pad = any_pads();
    if (random_.once_in(4)) a.fused = any_activation();
    add<Op>(a, {x.id});
  }
  void add_pad(const image& x) {
    ops::pad::attrs a;
    if (random_.once_in(4)) a.mode = random_.one_of({border::reflect, border::symmetric});
    std::vector<std::int64_t> around(8, 0);
    for (std::size_t i = 2; i < (random_.once_in(5) ? 8U : 6U); ++i) around[i] = random_.between(0, 2);
    add<ops::pad>(a, {x.id, integers(around)});
  }
  /// With a constant for each channel or for all, or with another image, which often has the same shape.
  template <class Op> void add_pair(const image& x) {
    typename Op::attrs a;
    a.fused = any_activation();
    if (!is_quantised_ && random_.once_in(4)) {
      const std::int32_t c = numbers({random_.once_in(3) ? 1 : x.channels()}, -1, 1);
      return random_.once_in(4) ? add<Op>(a, {c, x.id}) : add<Op>(a, {x.id, c});
    }
    const image other = random_.once_in(3) ? any_image() : any_like(x);
    add<Op>(a, {x.id, other.id},
            {wish(std::is_same_v<Op, ops::mul> ? x.scale * other.scale * 60 : x.scale + other.scale)});
  }
  void add_bias(const image& x) {
    if (!is_quantised_) add<ops::bias_add>({}, {x.id, numbers({x.channels()}, -1, 1)});
  }
  void add_join(const image& x) {
    std::vector<std::int32_t> in{x.id};
    for (int more = 1 + random_.below(3); more > 0; --more) in.push_back(random_.once_in(5) ? x.id : any_image().id);
    ops::concat::attrs a;
    a.axis = random_.once_in(3) ? random_.below(x.shape.rank) : -1;
    add<ops::concat>(a, in, {random_.once_in(2) ? wish(x.scale) : tensor_desc{}});
  }
  void add_cut(const image& x) {
    ops::split::attrs a;
    a.axis = random_.once_in(3) ? random_.below(x.shape.rank) : x.shape.rank - 1;
    a.output_num = 2 + random_.below(2);
    add<ops::split>(a, {x.id});
  }
  void add_slice(const image& x) {
    std::vector<std::int64_t> begin, size;
    for (const std::int64_t extent : x.shape) {
      begin.push_back(random_.once_in(2) ? 0 : random_.between(0, extent - 1));
      size.push_back(random_.between(1, extent - begin.back()));
    }
    const std::int32_t from = integers(begin), count = integers(size);
    add<ops::slice>({}, {x.id, from, count});
  }
  void add_resize(const image& x) {
    ops::resize_bilinear::attrs a;
    a.new_height = random_.between(1, 2 * x.shape[1]), a.new_width = random_.between(1, 2 * x.shape[2]);
    a.coordinate_mode = random_.one_of({coordinates::asymmetric, coordinates::align_corners, coordinates::half_pixel});
    add<ops::resize_bilinear>(a, {x.id});
  }
  void add_transpose(const image& x) {
    std::vector<std::int64_t> order;
    for (int i = x.shape.rank; i-- > 0;) order.push_back(i);
    if (x.has_pixels() && random_.once_in(2))
      order = random_.one_of({std::vector<std::int64_t>{0, 3, 1, 2}, std::vector<std::int64_t>{0, 2, 3, 1}});
    add<ops::transpose>({}, {x.id, integers(order)});
  }
  void add_reshape(const image& x) {
    std::vector<std::int64_t> to{1, 1, -1, x.channels()};
    if (random_.once_in(2)) to = {-1, x.shape.elements(1)};
    else if (x.has_pixels() && random_.once_in(2)) to = {x.shape[0], x.shape[2], x.shape[1], x.shape[3]};
    add<ops::reshape>({}, {x.id, integers(to)});
  }
  void add_mean(const image& x) {
    ops::reduce_mean::attrs a;
    a.keep_dims = random_.once_in(2);
    add<ops::reduce_mean>(a, {x.id, integers({1, 2})}, {wish(x.scale)});
  }
  void add_blocks(const image& x) {
    ops::space_to_depth::attrs down;
    ops::depth_to_space::attrs up;
    down.block_size = up.block_size = 2;
    random_.once_in(2) ? add<ops::space_to_depth>(down, {x.id}) : add<ops::depth_to_space>(up, {x.id});
  }
  void add_function(const image& x) {
    ops::clip::attrs range;
    range.min = -0.5F, range.max = static_cast<float>(random_.real(0, 3));
    const tensor_desc maybe = random_.once_in(2) ? tensor_desc{} : wish(x.scale);
    switch (random_.below(9)) {
      case 0: return add<ops::relu>({}, {x.id}, {maybe});
      case 1: return add<ops::relu6>({}, {x.id}, {maybe});
      case 2: return add<ops::hswish>({}, {x.id}, {wish(x.scale)});
      case 3: return add<ops::sigmoid>({}, {x.id}, {wish_of_shares()});
      case 4: return add<ops::tanh>({}, {x.id}, {wish_of_shares()});
      case 5: return add<ops::clip>(range, {x.id});
      case 6: return add<ops::leaky_relu>({}, {x.id}, {wish(x.scale)});
      case 7: return add<ops::softmax>({}, {x.id}, {wish_of_shares()});
      default: return add<ops::abs>({}, {x.id}, {wish(x.scale)});
    }
  }
  void add_node_of_pixels(const image& x) {
    switch (random_.below(14)) {
      case 0:
      case 1: return add_depthwise(x);
      case 2: return add_transposed(x);
      case 3: return add_pool<ops::max_pool>(x);
      case 4: return add_pool<ops::avg_pool>(x);
      case 5: return add_pad(x);
      case 6: return add_resize(x);
      case 7: return add_mean(x);
      case 8: return add_blocks(x);
      default: return add_convolution(x);
    }
  }
  void add_any_node(const image& x) {
    if (x.has_pixels() && random_.once_in(2)) return add_node_of_pixels(x);
    switch (random_.below(14)) {
      case 0: return add_dense(x);
      case 1:
      case 2: return add_norm(x);
      case 3:
      case 4: return add_pair<ops::add>(x);
      case 5: return random_.once_in(2) ? add_pair<ops::sub>(x) : add_pair<ops::mul>(x);
      case 6: return add_bias(x);
      case 7: return add_join(x);
      case 8: return add_cut(x);
      case 9: return add_slice(x);
      case 10: return add_transpose(x);
      case 11: return add_reshape(x);
      default: return add_function(x);
    }
  }
  void add_head() {
    if (pool_.back().has_pixels()) add_mean(pool_.back());
    add_dense(pool_.back());
    add<ops::softmax>({}, {pool_.back().id}, {wish_of_shares()});
  }
  void add_outputs() {
    const int count = 1 + random_.below(3);
    for (int i = 0; i < count; ++i) (void)b_.output("y" + std::to_string(i), i == 0 ? pool_.back().id : any_image().id);
  }

  dice random_;
  bool is_quantised_;
  dtype type_;
  bool is_large_;  // some intermediate tensors leave L2, and steps run in stripes
  model_builder b_;
  std::vector<image> pool_;
  int nodes_ = 0, weights_ = 0;
};

}  // namespace nnrt_test
