// weight_specs: how a network uses each of its weights, found in the graph as it was written.
// Flow: executors and compile() pass the list to bind_weights(), which reorders weights in files of other frameworks.
#pragma once

#include <nnrt/exec/weight_paths.hpp>
#include <nnrt/io/bind_weights.hpp>
#include <nnrt/passes/uses.hpp>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {

constexpr weight_use use_of(weights_role role) {
  switch (role) {
    case weights_role::conv2d: return weight_use::conv2d;
    case weights_role::depthwise_conv2d: return weight_use::depthwise_conv2d;
    case weights_role::conv2d_transpose: return weight_use::conv2d_transpose;
    case weights_role::full_connection: return weight_use::full_connection;
    case weights_role::none: break;
  }
  return weight_use::plain;
}

/// Whether a value is computed at run time only.
constexpr bool is_made_by_runs(const ir::value& v) { return v.is != ir::kind::constant && v.is != ir::kind::weight; }

/// Whether an operand has one element, or one for each column of a node's result, and is a constant or weight.
constexpr bool is_of_columns(const ir::graph& g, std::int32_t id, const tensor_desc& result) {
  if (is_made_by_runs(g.at(id))) return false;
  const shape_t& shape = g.at(id).desc.shape;
  return result.rank() > 0 && shape.rank > 0 && shape[shape.rank - 1] == result.shape[result.rank() - 1] &&
         shape.elements() == shape[shape.rank - 1];
}

/// The operand whose elements a node's result has in the same order; none if there is none. That is the operand of
/// reshapes, of conversions and activations, and of arithmetic with single numbers, numbers for each column, or other
/// computed tensors.
constexpr std::int32_t operand_in_order(const ir::graph& g, const ir::node& n) {
  const auto ids = g.inputs_of(n);
  if (n.op->traits.result == storage::alias_of_input || converts(g, n)) return ids[0];
  if (n.op->traits.result != storage::in_place || g.outputs_of(n).size() != 1) return ir::none;
  const tensor_desc& result = g.at(g.outputs_of(n)[0]).desc;
  const std::int64_t elements = result.elements();
  std::int32_t found = ir::none;
  for (const std::int32_t id : ids) {
    if (id == ir::none || (g.at(id).desc.elements() == 1 && elements != 1) || is_of_columns(g, id, result)) continue;
    if (!is_made_by_runs(g.at(id)) || g.at(id).desc.elements() != elements) return ir::none;
    if (found == ir::none) found = id;
  }
  return found;
}

/// The origin of a tensor's columns.
struct column_source {
  shape_t map = {};       // the [N, H, W, C] that was flattened into them; rank 0: another origin
  bool is_mixed = false;  // from such a map, but in another order
};

/// Whether a node's columns partly keep the order of its operands' columns: joined, cut, gathered or normalised. Not so
/// for products.
constexpr bool keeps_some_order(const ir::graph& g, const ir::node& n) {
  if (n.op->traits.joins_inputs || n.op->traits.outputs_are_parts) return true;
  if (n.op->traits.weights != weights_role::none) return false;
  const tensor_desc& result = g.at(g.outputs_of(n)[0]).desc;
  int others = 0;
  for (const std::int32_t id : g.inputs_of(n)) {
    if (id == ir::none || g.at(id).desc.elements() == 1 || is_of_columns(g, id, result)) continue;
    const bool says_where = g.at(id).is == ir::kind::constant && g.at(id).desc.type != result.type;
    others += says_where ? 0 : 1;
  }
  return others == 1;
}

/// Whether a tensor can be a feature map in which the order of axes matters: more than one pixel and more than one
/// channel.
constexpr bool is_map(const tensor_desc& desc) {
  return desc.rank() == 4 && desc.layout == format::nhwc && desc.shape.is_known() &&
         desc.shape[1] * desc.shape[2] > 1 && desc.shape[3] > 1;
}

/// Whether a node reads its first operand as a map [N, H, W, C].
constexpr bool reads_a_map(const ir::node& n) {
  if (n.op->traits.in_files == file_order::layer) return n.op->traits.weights != weights_role::full_connection;
  return n.op->traits.in_files == file_order::image;
}

/// Whether a tensor of rank 4 is a map: made by an operator on maps, and elementwise operators after that.
constexpr bool is_made_as_a_map(const ir::graph& g, const passes::use_table& table, std::int32_t id) {
  while (id != ir::none && g.at(id).desc.rank() == 4 && table.producer_of(id) != ir::none) {
    const ir::node& n = g.nodes[static_cast<std::size_t>(table.producer_of(id))];
    if (!has_operands(g, n, 1)) return false;
    if (reads_a_map(n)) return true;
    id = operand_in_order(g, n);
  }
  return false;
}

/// Whether these columns are width times channels of a map: [N, T, W, C] read as rows of W * C, which may be C * W in
/// files.
constexpr bool columns_are_of_part_of_a_map(const ir::graph& g, const passes::use_table& table, std::int32_t id,
                                            std::int64_t columns) {
  const shape_t& shape = g.at(id).desc.shape;
  if (!shape.is_known() || shape[2] < 2 || shape[3] < 2 || shape.elements(2) != columns) return false;
  if (is_made_as_a_map(g, table, id)) return true;
  if (table.producer_of(id) == ir::none) return false;
  const ir::node& maker = g.nodes[static_cast<std::size_t>(table.producer_of(id))];
  const auto ids = g.inputs_of(maker);
  if (maker.op->inputs.size() < 2 || maker.op->inputs[1].role != "perm" || !has_operands(g, maker, 2) ||
      !is_made_as_a_map(g, table, ids[0]))
    return false;
  pool<std::int64_t> axes;
  ir::append_integers(g, g.at(ids[1]), axes);
  return axes.size() == 4 && axes[3] == 3;  // transposed as a map, channels last
}

/// The origins of the columns of all tensors, found in one pass over the nodes. The number of paths back from a layer
/// can be exponential in untrusted networks that join and cut one tensor repeatedly.
class column_sources {
 public:
  constexpr column_sources(const ir::graph& graph, const passes::use_table& table) : g_(graph), table_(table) {
    origin_.reserve(g_.values.size());
    for (std::size_t id = 0; id < g_.values.size(); ++id) origin_.push_back(static_cast<std::int32_t>(id));
    is_mixed_.assign(g_.values.size(), 0);
    for (const ir::node& n : g_.nodes) follow(n);
  }

  /// The origin of `columns` columns of a tensor. A map of one pixel needs no reordering, but may come from a map that
  /// does. Reshaped rows (attention heads, for example) are not a map.
  constexpr column_source of(std::int32_t id, std::int64_t columns) const {
    const std::int32_t from = id == ir::none ? ir::none : origin_[static_cast<std::size_t>(id)];
    if (from == ir::none) return {};
    const tensor_desc& desc = g_.at(from).desc;
    if (desc.rank() != 4) return {{}, is_mixed_[static_cast<std::size_t>(from)] != 0};
    if (is_map(desc) && desc.shape.elements(1) == columns) return {desc.shape};
    return {{}, columns_are_of_part_of_a_map(g_, table_, from, columns)};
  }

 private:
  constexpr void follow(const ir::node& n) {
    const bool is_whole = has_operands(g_, n, 1);
    const std::int32_t from = is_whole ? operand_in_order(g_, n) : ir::none;
    const bool may_mix = is_whole && from == ir::none && keeps_some_order(g_, n);
    for (const std::int32_t id : g_.outputs_of(n)) {
      const auto y = static_cast<std::size_t>(id);
      if (!is_whole) origin_[y] = ir::none;
      else if (from != ir::none) origin_[y] = origin_[static_cast<std::size_t>(from)];
      else if (may_mix && g_.at(id).desc.rank() != 4) is_mixed_[y] = comes_from_map(n, g_.at(id).desc.rank()) ? 1 : 0;
    }
  }
  /// Whether an operand of this rank comes from a map, in its order or not.
  constexpr bool comes_from_map(const ir::node& n, int rank) const {
    for (const std::int32_t id : g_.inputs_of(n)) {
      if (id == ir::none || g_.at(id).desc.rank() != rank || rank == 0) continue;
      const column_source before = of(id, g_.at(id).desc.shape[rank - 1]);
      if (before.map.rank == 4 || before.is_mixed) return true;
    }
    return false;
  }

  const ir::graph& g_;
  const passes::use_table& table_;
  // by value: the end of the path through operands in order; none: at a node whose operands are missing
  pool<std::int32_t> origin_;
  pool<char> is_mixed_;  // by origin: joined, cut or gathered from columns that come from a map
};

/// Groups of a convolution: input channels divided by the weight's.
constexpr std::int64_t group_of(const ir::graph& g, const ir::node& n) {
  const tensor_desc &x = g.at(g.inputs_of(n)[0]).desc, &w = g.at(g.inputs_of(n)[1]).desc;
  return x.rank() == 4 && w.rank() == 4 && w.shape[3] > 0 ? x.shape[3] / w.shape[3] : 1;
}

/// For each node the map [N, H, W, C] that a reshape makes of its result's columns, for an operator that reads maps;
/// rank 0: none.
constexpr pool<shape_t> maps_made_of_columns(const ir::graph& g, const passes::use_table& table) {
  pool<shape_t> maps;
  maps.assign(g.nodes.size(), shape_t{});
  pool<unsigned char> is_walked;  // and no map was made there
  is_walked.assign(g.nodes.size(), 0);
  for (const ir::node& reader : g.nodes) {
    if (!reads_a_map(reader) || !has_operands(g, reader, 1)) continue;
    shape_t map = {};
    for (std::int32_t id = g.inputs_of(reader)[0]; id != ir::none && table.producer_of(id) != ir::none;) {
      const std::size_t at = static_cast<std::size_t>(table.producer_of(id));
      const ir::node& n = g.nodes[at];
      if (!has_operands(g, n, 1) || (map.rank == 0 && is_walked[at] != 0)) break;
      is_walked[at] = map.rank == 0 ? 1 : 0;
      const tensor_desc &made = g.at(id).desc, &from = g.at(g.inputs_of(n)[0]).desc;
      if (map.rank == 4) maps[at] = map;
      else if (n.op->traits.result == storage::alias_of_input && is_map(made) && from.rank() < 4 && from.rank() > 0 &&
               from.shape[-1] == made.shape.elements(1))
        map = made.shape;
      id = operand_in_order(g, n);
    }
  }
  return maps;
}

/// For each value whether it changes between runs.
constexpr pool<unsigned char> computed_from_inputs(const ir::graph& g) {
  pool<unsigned char> is_computed;
  is_computed.assign(g.values.size(), 0);
  for (const std::int32_t id : g.inputs) is_computed[static_cast<std::size_t>(id)] = 1;
  for (const ir::state& s : g.states) is_computed[static_cast<std::size_t>(s.value)] = 1;
  for (const ir::node& n : g.nodes)
    for (const std::int32_t from : g.inputs_of(n))
      if (from != ir::none && is_computed[static_cast<std::size_t>(from)] != 0)
        for (const std::int32_t to : g.outputs_of(n)) is_computed[static_cast<std::size_t>(to)] = 1;
  return is_computed;
}

/// Finds in the graph how each weight is used.
class weight_reader {
 public:
  constexpr explicit weight_reader(const ir::graph& g)
      : g_(g),
        table_(g),
        sources_(g_, table_),
        walk_(g_, table_),
        maps_(maps_made_of_columns(g, table_)),
        is_computed_(computed_from_inputs(g)) {
    spec_of_.assign(g.values.size(), ir::none);
    for (std::size_t id = 0; id < g.values.size(); ++id) {
      const ir::value& v = g.values[id];
      if (v.is != ir::kind::weight) continue;
      spec_of_[id] = static_cast<std::int32_t>(specs.size());
      specs.push_back({g.name_of(v.name), v.desc, weight_use::plain, 1, {}});
    }
    is_put_.assign(specs.size(), 0);
    for (const ir::value& v : g.values)
      if (v.scales != ir::none && is_weight(v.scales)) spec(v.scales).is_scales = true;
  }

  constexpr void read_all() {
    for (std::size_t i = 0; i < g_.nodes.size() && !specs.empty(); ++i) {
      const ir::node& n = g_.nodes[i];
      note_what_is_left_open(n);
      switch (n.op->traits.in_files) {
        case file_order::layer: read_layer(n, maps_[i]); break;
        case file_order::product: read_product(n, maps_[i]); break;
        case file_order::gates: read_gates(n); break;
        case file_order::broadcast:
        case file_order::joined:
        case file_order::image: read_maps(n); break;
        case file_order::unchanged:
        case file_order::unstated: break;
      }
      if (n.op->traits.weights == weights_role::none) read_columns(n, maps_[i]);
    }
  }

  pool<weight_spec> specs;

 private:
  constexpr bool is_weight(std::int32_t id) const { return id != ir::none && g_.at(id).is == ir::kind::weight; }
  constexpr weight_spec& spec(std::int32_t id) {
    return specs[static_cast<std::size_t>(spec_of_[static_cast<std::size_t>(id)])];
  }
  constexpr column_source columns_of(std::int32_t x, std::int64_t columns) const { return sources_.of(x, columns); }

  /// Records a use of a weight. A second use with another order in files is a contradiction.
  constexpr void put(std::int32_t id, const weight_spec& use, bool is_mixed = false) {
    weight_spec& made = spec(id);
    unsigned char& is_put = is_put_[static_cast<std::size_t>(spec_of_[static_cast<std::size_t>(id)])];
    const bool differs =
        is_put != 0 && !(made.use == use.use && made.group == use.group && made.flattened == use.flattened &&
                         made.made_into == use.made_into && made.gate_elements == use.gate_elements);
    made.contradicts = made.contradicts || is_mixed || differs;
    made.use = use.use, made.group = use.group, made.flattened = use.flattened, made.made_into = use.made_into,
    made.gate_elements = use.gate_elements;
    is_put = 1;
  }
  constexpr void refuse(std::int32_t id, const char* why) { spec(id).refused = why; }

  /// Records an attribute that was not given and whose default differs from PyTorch's.
  constexpr void note_what_is_left_open(const ir::node& n) {
    if (n.left_open < 0) return;
    const unlike_default& unsaid = n.op->traits.to_be_said[static_cast<std::size_t>(n.left_open)];
    const open_attribute open{n.op->name, unsaid.attribute, unsaid.theirs};
    std::int32_t read = ir::none;
    for (const std::int32_t id : g_.inputs_of(n))
      if (read == ir::none && is_weight(id)) read = id;
    if (read != ir::none) spec(read).open = open;
    else specs[0].open_elsewhere = open;
  }

  constexpr void read_layer(const ir::node& n, const shape_t& made_into) {
    if (reads_a_map(n)) read_maps(n);
    if (n.op->traits.weights == weights_role::none || !has_operands(g_, n, 2)) return;
    const std::int32_t id = g_.inputs_of(n)[1];
    weight_spec use{.use = use_of(n.op->traits.weights)};
    bool is_mixed = false;
    if (use.use == weight_use::full_connection) {
      const tensor_desc& w = g_.at(id).desc;
      const column_source columns = w.rank() == 2 ? columns_of(g_.inputs_of(n)[0], w.shape[1]) : column_source{};
      use.flattened = columns.map, use.made_into = made_into, is_mixed = columns.is_mixed;
      put_row(n, 2, made_into);
    } else if (use.use != weight_use::depthwise_conv2d) use.group = group_of(g_, n);
    const bool is_in_order =
        use.use == weight_use::full_connection && use.flattened.rank == 0 && use.made_into.rank == 0 && !is_mixed;
    walk_.follow(id, [&](std::int32_t weight, const weight_path& at) {
      const bool can_be_joined = use.made_into.rank == 0 && !(use.use == weight_use::conv2d_transpose && use.group > 1);
      if (at.is_followed && at.keeps_axes && (g_.at(weight).desc.shape == g_.at(id).desc.shape || can_be_joined))
        put(weight, use, is_mixed);
      else if (!is_in_order && !at.is_transposed)
        refuse(weight, "is joined, cut or computed on its way to a layer, where the file's order cannot be followed");
    });
  }

  /// Records the bias of a layer whose result becomes a map.
  constexpr void put_row(const ir::node& n, std::size_t operand, const shape_t& map) {
    const auto ids = g_.inputs_of(n);
    if (map.rank != 4 || operand >= ids.size() || !is_weight(ids[operand])) return;
    put(ids[operand], {.use = weight_use::columns, .flattened = map});
  }

  constexpr void read_product(const ir::node& n, const shape_t& made_into) {
    if (!has_operands(g_, n, 2)) return;
    const std::int32_t a = g_.inputs_of(n)[0], b = g_.inputs_of(n)[1];
    const tensor_desc& w = g_.at(b).desc;
    const bool is_transposed = attribute_word(g_, n, "transpose_b", 0) != 0;
    if (w.rank() < 2 || !w.shape.is_known() || is_computed_[static_cast<std::size_t>(b)] != 0) return;
    const column_source columns = attribute_word(g_, n, "transpose_a", 0) == 0
                                      ? columns_of(a, is_transposed ? w.shape[-1] : w.shape[-2])
                                      : column_source{};
    const bool is_reordered = columns.map.rank == 4 || columns.is_mixed || made_into.rank == 4;
    const weight_spec use{.use = is_transposed ? weight_use::full_connection : weight_use::product,
                          .flattened = columns.map,
                          .made_into = made_into};
    walk_.follow(b, [&](std::int32_t weight, const weight_path& at) {
      const shape_t& shape = g_.at(weight).desc.shape;
      if (at.is_followed && at.keeps_axes && shape == w.shape && w.rank() == 2) {
        if (is_reordered) put(weight, use, columns.is_mixed);
        const std::string_view name = g_.name_of(g_.at(weight).name);
        if (!is_transposed && shape[0] == shape[1] && shape[0] > 1 && name.ends_with("weight"))
          refuse(weight,
                 "is a square factor [in, out], and nothing tells it from a layer's [out, in]: multiply with "
                 "transpose_b or by full_connection if it is a layer's");
      } else if (is_reordered)
        refuse(weight,
               "is joined, cut, transposed or computed on its way to a product with a flattened map, where the file's "
               "order cannot be followed");
    });
  }

  /// Reads the weights of lstm: rows of four gates, and the two rows of biases.
  constexpr void read_gates(const ir::node& n) {
    if (!has_operands(g_, n, 3)) return;
    const auto ids = g_.inputs_of(n);
    const shape_t &ih = g_.at(ids[1]).desc.shape, &hh = g_.at(ids[2]).desc.shape;
    if (ih.rank != 3 || hh.rank != 3) return;
    const std::int64_t inputs = ih[2], hidden = hh[2];
    const column_source columns = columns_of(ids[0], inputs);
    for (std::size_t i = 1; i < ids.size() && i < 4; ++i) {
      if (ids[i] == ir::none) continue;
      const std::int64_t gate = i == 1 ? hidden * inputs : i == 2 ? hidden * hidden : hidden;
      walk_.follow(ids[i], [&](std::int32_t weight, const weight_path& at) {
        const std::int64_t elements = g_.at(weight).desc.elements();
        const bool is_single = at.run >= elements;
        if (i == 1 && (columns.map.rank == 4 || columns.is_mixed))
          refuse(weight, "reads columns of a flattened map in an lstm, whose order in the file does not follow");
        else if (gate < 1 || !at.is_followed)
          refuse(weight, "is cut, moved or computed on its way to an lstm, where its gates cannot be followed");
        else if (at.run % (4 * gate) == 0 && at.base % (4 * gate) == 0 && (is_single || at.stride % (4 * gate) == 0))
          put(weight, {.use = weight_use::gates, .gate_elements = gate});
        else if (!is_single || at.base / gate != (at.base + elements - 1) / gate)
          refuse(weight,
                 "has some of an lstm's four gates, or not all of each, so that their order cannot be followed");
      });
    }
  }

  /// Reads weights that are broadcast with a map, or are one.
  constexpr void read_maps(const ir::node& n) {
    if (g_.outputs_of(n).size() == 0) return;
    const bool is_image = reads_a_map(n);
    const tensor_desc& result = g_.at(g_.outputs_of(n)[0]).desc;
    if (!is_image && (result.rank() != 4 || result.layout != format::nhwc ||
                      is_computed_[static_cast<std::size_t>(g_.outputs_of(n)[0])] == 0))
      return;
    const auto ids = g_.inputs_of(n);
    for (std::size_t i = 0; i < ids.size() && (i == 0 || !is_image); ++i) {
      if (!is_weight(ids[i])) continue;
      const shape_t& shape = g_.at(ids[i]).desc.shape;
      if (shape.rank == 4 || (shape.rank == 3 && n.op->traits.in_files == file_order::broadcast))
        put(ids[i], {.use = weight_use::map});
    }
  }

  /// Reads weights with an element for each column of a flattened map, or of a row that becomes a map. A normalisation
  /// between map and dense layer has them.
  constexpr void read_columns(const ir::node& n, const shape_t& made_into) {
    const std::int32_t x = has_operands(g_, n, 1) ? operand_in_order(g_, n) : ir::none;
    if (x == ir::none || g_.at(x).desc.rank() > 2 || n.op->traits.result != storage::in_place) return;
    const tensor_desc& result = g_.at(g_.outputs_of(n)[0]).desc;
    for (const std::int32_t id : g_.inputs_of(n)) {
      if (!is_weight(id) || !is_of_columns(g_, id, result)) continue;
      column_source columns = columns_of(x, result.shape[result.rank() - 1]);
      if (columns.map.rank == 0 && !columns.is_mixed) columns.map = made_into;
      if (columns.map.rank == 4 || columns.is_mixed)
        put(id, {.use = weight_use::columns, .flattened = columns.map}, columns.is_mixed);
    }
  }

  const ir::graph& g_;
  passes::use_table table_;
  column_sources sources_;
  weight_walk walk_;
  pool<shape_t> maps_;
  pool<unsigned char> is_computed_, is_put_;
  pool<std::int32_t> spec_of_;
};

}  // namespace detail

/// One spec for each weight, in order of declaration. The names point into the graph. The graph must be valid for
/// check_graph(); its nodes may break rules.
constexpr pool<weight_spec> weight_specs_of(const ir::graph& g) {
  detail::weight_reader reader(g);
  reader.read_all();
  return static_cast<pool<weight_spec>&&>(reader.specs);
}

}}  // namespace nnrt::NNRT_ISA
