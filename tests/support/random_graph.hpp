// random_graph: graphs that nobody would write - residuals, joins, cuts, chains of views, late reads, outputs of every
// kind. Flow: property tests of passes and of the memory planner.
#pragma once

#include <nnrt/ops/add.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/maximum.hpp>
#include <nnrt/ops/of.hpp>
#include <nnrt/ops/reduce_mean.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/softmax.hpp>
#include <nnrt/ops/split.hpp>
#include <nnrt/ops/sub.hpp>
#include <nnrt/ops/tanh.hpp>
#include <nnrt/ops/transpose.hpp>

#include "support/graphs.hpp"

#include <string>

namespace nnrt_test {

/// Makes one graph for each seed. All values are f32 and have at most 512 elements.
class random_graph {
 public:
  explicit random_graph(std::uint32_t seed) : state_(seed * 2654435761U + 99U) {
    const int inputs = 1 + below(3), weights = below(3), nodes = 4 + below(26);
    for (int i = 0; i < inputs; ++i) g_.inputs.push_back(declare(ir::kind::input, "x" + std::to_string(i)));
    for (int i = 0; i < weights; ++i) declare(ir::kind::weight, "w" + std::to_string(i));
    declare_constant();
    for (int tries = 0; tries < 20 * nodes && static_cast<int>(g_.nodes.size()) < nodes; ++tries) add_any_node();
    choose_outputs();
  }
  ir::graph made() const { return g_; }

 private:
  int below(int n) {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<int>((state_ >> 10U) % static_cast<std::uint32_t>(n));
  }
  shape_t any_shape() {
    static const shape_t shapes[] = {{12},       {1, 12},      {2, 6}, {1, 2, 6}, {4, 12},
                                     {1, 4, 12}, {1, 1, 6, 4}, {6, 4}, {48},      {1}};
    return shapes[below(static_cast<int>(std::size(shapes)))];
  }
  std::int32_t declare(ir::kind is, const std::string& name) {
    const std::int32_t id = g_.add_value({{f32, any_shape()}, is, g_.add_text(name), 0, ir::none});
    pool_.push_back(id);
    return id;
  }
  void declare_constant() {
    const tensor_desc desc{f32, any_shape()};
    pool_.push_back(g_.add_constant<float>(desc, numbers_named("constant", desc.elements(), state_)));
  }
  /// Mostly one of the last values, so that chains grow; sometimes one that everybody has forgotten.
  std::int32_t any_value() {
    const int n = static_cast<int>(pool_.size());
    return pool_[static_cast<std::size_t>(below(3) == 0 ? below(n) : n - 1 - below(n < 4 ? n : 4))];
  }
  const shape_t& shape_of(std::int32_t id) const { return g_.at(id).desc.shape; }
  std::int32_t value_like(std::int32_t id) {
    for (int tries = 0; tries < 8; ++tries)
      if (const std::int32_t other = any_value(); shape_of(other) == shape_of(id)) return other;
    return id;
  }

  template <class Op> void add(const typename Op::attrs& attrs, const std::vector<std::int32_t>& in) {
    const verdict v = infer_node<Op>(attrs, ir::operand_list(g_, in).operands, {});
    if (!v) return;
    for (const tensor_desc& y : v.outputs)
      if (y.elements() > 512) return;
    std::vector<word> words;
    pack(attrs, words);
    std::vector<std::int32_t> out;
    for (const tensor_desc& y : v.outputs) out.push_back(g_.add_value({y, ir::kind::result, {}, 0, ir::none}));
    pool_.insert(pool_.end(), out.begin(), out.end());
    const ir::range attributes = g_.add_words(words), inputs = g_.add_operands(in);
    g_.nodes.push_back(node_of(ops::of<Op>(), attributes, inputs, g_.add_operands(out)));
  }
  template <class Op> void add_with_axis(const std::vector<std::int32_t>& in, int parts = 0) {
    typename Op::attrs attrs;
    const int rank = shape_of(in[0]).rank;
    if (rank == 0) return;
    attrs.axis = below(3) == 0 ? below(rank) : 0;
    // Often the outermost axis that has more than one element: joins and cuts along it move nothing.
    if (below(2) == 0)
      while (attrs.axis + 1 < rank && shape_of(in[0])[static_cast<int>(attrs.axis)] == 1) ++attrs.axis;
    if constexpr (requires { attrs.output_num; }) attrs.output_num = parts;
    add<Op>(attrs, in);
  }
  std::int32_t integers(const std::vector<std::int64_t>& list) {
    return g_.add_constant<std::int64_t>({i64, {static_cast<std::int64_t>(list.size())}}, list);
  }
  void add_reshape(std::int32_t x) {
    const std::int64_t n = g_.at(x).desc.elements(), a = 1 + below(6);
    std::vector<std::int64_t> to;
    if (n % a == 0 && below(2) == 0) to = {a, n / a};
    else if (below(2) == 0) to = {1, n};
    else to = {n};
    add<ops::reshape>({}, {x, integers(to)});
  }
  void add_transpose(std::int32_t x) {
    std::vector<std::int64_t> order;
    for (int i = shape_of(x).rank; i-- > 0;) order.push_back(i);
    if (!order.empty()) add<ops::transpose>({}, {x, integers(order)});
  }
  void add_mean(std::int32_t x) {
    ops::reduce_mean::attrs attrs;
    attrs.keep_dims = true;
    if (shape_of(x).rank > 0) add<ops::reduce_mean>(attrs, {x, integers({shape_of(x).rank - 1})});
  }
  void add_dense(std::int32_t x) {
    const std::int64_t inner = shape_of(x).rank > 0 ? shape_of(x)[-1] : 1, outer = 1 + below(8);
    const std::string name = "dense" + std::to_string(g_.nodes.size());
    const std::int32_t weight = g_.add_value({{f32, {outer, inner}}, ir::kind::weight, g_.add_text(name), 0, ir::none});
    add<ops::full_connection>({}, {x, weight});
  }
  void add_concat() {
    std::vector<std::int32_t> in{any_value()};
    for (int more = below(4); more > 0; --more) in.push_back(below(4) == 0 ? any_value() : value_like(in[0]));
    add_with_axis<ops::concat>(in);
  }

  /// x - part of x: neither may be written over while the other is read.
  void add_whole_and_part(std::int32_t x) {
    const std::size_t values = pool_.size();
    add_with_axis<ops::split>({x}, 2 + below(2));
    if (pool_.size() > values) add<ops::sub>({}, {x, pool_.back()});
  }

  void add_any_node() {
    const std::int32_t x = any_value();
    switch (below(17)) {
      case 0: return add<ops::add>({}, {x, any_value()});
      case 1: return add<ops::add>({}, {x, value_like(x)});
      case 2: return add<ops::sub>({}, {value_like(x), x});
      case 3: return add<ops::maximum>({}, {x, any_value()});
      case 4: return add<ops::sub>({}, {x, x});
      case 5: return add<ops::relu>({}, {x});
      case 6: return add<ops::tanh>({}, {x});
      case 7: return add_reshape(x);
      case 8: return add_transpose(x);
      case 9: return add_mean(x);
      case 10: return add_dense(x);
      case 11:
      case 12: return add_concat();
      case 13:
      case 14: return add_with_axis<ops::split>({x}, 1 + below(3));
      case 15: return add_whole_and_part(x);
      default: return add<ops::softmax>({}, {x});
    }
  }
  void choose_outputs() {
    const int count = 1 + below(5);
    for (int i = 0; i < count; ++i) {
      const std::int32_t id = i == 0 ? pool_.back() : any_value();
      g_.outputs.push_back({id, g_.add_text("y" + std::to_string(i))});
      if (below(6) == 0) g_.outputs.push_back({id, g_.add_text("again" + std::to_string(i))});
    }
  }

  std::uint32_t state_;
  ir::graph g_;
  std::vector<std::int32_t> pool_;
};

}  // namespace nnrt_test
