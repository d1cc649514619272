// node_facts: facts about a node that limits refer to - attributes by name, extents as those of images, readers.
// Flow: check_node() measures nodes with it. It includes no operator: their descriptions suffice.
#pragma once

#include <nnrt/core/window.hpp>
#include <nnrt/passes/uses.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Facts about a graph that the limits of all its nodes need.
struct graph_facts {
  passes::use_table use;
  pool<std::int32_t> reader;  // the last node that reads a value; none: no reader
  pool<char> known;           // values that are known before the network runs

  constexpr explicit graph_facts(const ir::graph& g) : use(g) {
    reader.assign(g.values.size(), ir::none);
    for (const ir::value& v : g.values) known.push_back(v.is == ir::kind::weight || v.is == ir::kind::constant ? 1 : 0);
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      for (const std::int32_t id : g.inputs_of(g.nodes[i]))
        if (id != ir::none) reader[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(i);
      if (is_prepared(g, g.nodes[i]))
        for (const std::int32_t id : g.outputs_of(g.nodes[i])) known[static_cast<std::size_t>(id)] = 1;
    }
  }
  constexpr bool is_known(std::int32_t id) const { return known[static_cast<std::size_t>(id)] != 0; }
  /// Whether a node reads known values only: then it runs once, before the network does.
  constexpr bool is_prepared(const ir::graph& g, const ir::node& n) const {
    bool all = true;
    for (const std::int32_t id : g.inputs_of(n)) all = all && (id == ir::none || is_known(id));
    return all;
  }
};

/// The facts of one node.
class node_facts {
 public:
  const ir::graph& g;
  const ir::node& n;
  const graph_facts& about;
  shape_t image, result;  // operand 0 and the first result as images
  extent2 kernel, stride, dilation;

  constexpr node_facts(const ir::graph& graph, const ir::node& node, const graph_facts& facts)
      : g(graph), n(node), about(facts) {
    if (!has_input(0)) return;
    image = as_image(x());
    result = as_image(y());
    stride = lengths("stride");
    dilation = lengths("dilation");
    if (has_kernel() && has_input(1)) kernel = {x(1).shape[1], x(1).shape[2]};
    else kernel = is_global() ? extent2{image[1], image[2]} : lengths("kernel");
  }

  constexpr std::string_view name() const { return n.label->name; }
  constexpr int operands() const { return n.inputs.count; }
  constexpr std::int32_t input_id(int i) const {
    return i < n.inputs.count ? g.inputs_of(n)[static_cast<std::size_t>(i)] : ir::none;
  }
  constexpr bool has_input(int i) const { return input_id(i) != ir::none; }
  constexpr const tensor_desc& x(int i = 0) const { return g.at(input_id(i)).desc; }
  constexpr const tensor_desc& y(int i = 0) const { return g.at(g.outputs_of(n)[static_cast<std::size_t>(i)]).desc; }
  constexpr bool is_computed(int i) const { return has_input(i) && !about.is_known(input_id(i)); }

  /// The words of an attribute; empty: the operator has no such attribute.
  constexpr array_ref<const word> attribute(std::string_view wanted) const {
    array_ref<const word> left = g.attrs_of(n);
    for (const attribute_field& field : n.label->attributes) {
      const std::size_t count = words_of(field.kind, left);
      if (field.name == wanted) return left.first(count);
      left = left.subspan(count);
    }
    return {};
  }
  constexpr std::int64_t number(std::string_view wanted, std::int64_t otherwise = 0) const {
    const array_ref<const word> words = attribute(wanted);
    return words.empty() ? otherwise : words[0];
  }
  constexpr extent2 lengths(std::string_view wanted) const {
    const array_ref<const word> words = attribute(wanted);
    return words.size() == 2 ? extent2{words[0], words[1]} : extent2{1, 1};
  }
  constexpr pads padding() const {
    pads p;
    const array_ref<const word> words = attribute("pad");
    if (words.size() == 5) p = {static_cast<pad_mode>(words[0]), words[1], words[2], words[3], words[4]};
    return p;
  }
  /// The integers of a constant operand, by its role.
  constexpr pool<std::int64_t> integers(std::string_view role) const {
    pool<std::int64_t> list;
    for (std::size_t i = 0; i < n.op->inputs.size(); ++i)
      if (n.op->inputs[i].role == role && has_input(static_cast<int>(i)))
        ir::append_integers(g, g.at(input_id(static_cast<int>(i))), list);
    return list;
  }

  /// Whether operand 1 is a weight [O, kh, kw, C / group]; a dense layer has [O, C] instead.
  constexpr bool has_kernel() const {
    const weights_role role = n.op->traits.weights;
    return role != weights_role::none && role != weights_role::full_connection;
  }
  constexpr bool is_dense() const { return n.op->traits.weights == weights_role::full_connection; }
  constexpr bool is_pool() const { return !attribute("ceil_mode").empty(); }
  constexpr bool is_global() const { return is_pool() && number("global") != 0; }
  constexpr bool is_dilated() const { return dilation != extent2{1, 1}; }
  constexpr std::int64_t groups() const {
    return n.op->traits.weights == weights_role::depthwise_conv2d ? x().shape[-1] : number("group", 1);
  }
  constexpr std::int64_t filters() const { return has_kernel() || is_dense() ? x(1).shape[0] : result[3]; }
  constexpr std::int64_t channels_per_group() const {
    if (has_kernel() || is_dense()) return x(1).shape[-1];
    return x().shape[number("transpose_a") != 0 ? -2 : -1];
  }
  /// Whether the second factor of a matrix product is one known matrix, as in a dense layer.
  constexpr bool is_product_with_weight() const {
    if (is_computed(1)) return false;
    for (int i = 0; i + 2 < x(1).rank(); ++i)
      if (x(1).shape[i] != 1) return false;
    return true;
  }

  /// A shape as that of an image [N, H, W, C]. Above rank 4, the last three extents, and N is the product of the
  /// others.
  static constexpr shape_t as_image(const tensor_desc& d) {
    const shape_t& s = d.shape;
    if (s.rank == 4) return d.layout == nchw ? shape_t{s[0], s[2], s[3], s[1]} : s;
    if (s.rank < 3) return {s.rank == 2 ? s[0] : 1, 1, 1, s.rank == 0 ? 1 : s[-1]};
    return {s.rank == 3 ? 1 : s.elements(0, s.rank - 3), s[-3], s[-2], s[-1]};
  }
  /// Number of images in a tensor, or of sequences; rows of a matrix count as one.
  constexpr std::int64_t batch(const tensor_desc& d) const {
    if (d.rank() > 4) return d.shape[0];
    if (!attribute("bidirectional").empty()) return d.shape[1];  // [S, B, I]
    return d.rank() < 4 && !attribute("transpose_a").empty() ? 1 : as_image(d)[0];
  }
  /// The position of an axis of x in that image: 0 batch, 1 height, 2 width, 3 channels.
  static constexpr int axis_in_image(const tensor_desc& d, std::int64_t axis) {
    const int rank = d.rank(), at = static_cast<int>(axis < 0 ? axis + rank : axis);
    if (rank == 4 && d.layout == nchw) return at == 0 ? 0 : at == 1 ? 3 : at - 1;
    if (rank == 2) return at == 0 ? 0 : 3;
    return at + 4 - rank > 0 ? at + 4 - rank : 0;
  }

  /// Whether no node on the accelerator reads a result. takes(name): whether the accelerator runs an operator.
  template <class Takes> constexpr bool is_last(Takes takes) const {
    for (const std::int32_t id : g.outputs_of(n))
      for (const ir::node& other : g.nodes)
        for (const std::int32_t read : g.inputs_of(other))
          if (read == id && takes(other.label->name)) return false;
    return true;
  }
  /// Whether the only reader adds a computed tensor of the same shape: both nodes become one then.
  constexpr bool is_before_residual_add() const {
    const std::int32_t id = g.outputs_of(n)[0], by = about.reader[static_cast<std::size_t>(id)];
    // other operators may lack operands
    if (by == ir::none || about.use.uses_of(id) != 1 || g.nodes[static_cast<std::size_t>(by)].label->name != "add")
      return false;
    const node_facts add(g, g.nodes[static_cast<std::size_t>(by)], about);
    return add.is_computed(0) && add.is_computed(1) && add.x(0).shape == add.x(1).shape;
  }
};

}}}  // namespace nnrt::NNRT_ISA::detail
