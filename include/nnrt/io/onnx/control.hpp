// control: nodes of .onnx files that contain graphs - functions of the model, If, Loop and Scan.
// Flow: read.hpp calls it for such nodes; bodies are converted in place, loops are unrolled.
#pragma once

#include <nnrt/io/onnx/operators/parts.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/split.hpp>
#include <nnrt/ops/stack.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx { namespace detail {

/// A graph inside a node, with its own names and values.
class inner_graph {
 public:
  constexpr inner_graph(node_reader& node, const graph_document& g, bool sees_outer)
      : node_(node),
        g_(g),
        reader_(node.graph().model(), g, node.network(), node.graph().all(), state_, &node.graph()) {
    if (sees_outer) reader_.see_outer_names();
    node.check(reader_.begin());
    if (reader_.depth() > max_depth) node.not_supported({"graphs within graphs: got more than ", max_depth});
  }

  /// Binds input i; ir::none: a missing operand.
  constexpr void bind(std::size_t i, std::int32_t id) {
    if (i < g_.inputs.size()) reader_.bind(g_.inputs[i].name, id == ir::none ? missing_value : id);
  }
  /// Converts all nodes. The first error is stored in the outer node.
  [[gnu::cold]] constexpr bool read(array_ref<const attribute> of_function = {}) {
    if (!node_.is_fine()) return false;
    network_state& all = node_.graph().all();
    all.called_nodes += static_cast<std::int64_t>(g_.nodes.size());
    if (all.called_nodes > max_called_nodes)
      node_.not_supported(
          {"called and repeated graphs: got more than ", max_called_nodes, " nodes; nnrt unrolls no longer loops"});
    if (node_.is_fine()) node_.check(node_.steps().read_nodes(reader_, node_.finder(), of_function));
    return node_.is_fine();
  }
  /// The value of output i.
  [[gnu::cold]] constexpr std::int32_t output(std::size_t i) {
    if (!node_.is_fine()) return ir::none;
    if (i < g_.outputs.size() && g_.outputs[i].name != no_name) return node_.taken(reader_.value(g_.outputs[i].name));
    node_.refuse(error_code::invalid_file, {"graph: got ", g_.outputs.size(), " outputs, expected more"});
    return ir::none;
  }
  constexpr void begin_again() { reader_.begin_again(); }
  constexpr std::size_t input_count() const { return g_.inputs.size(); }
  constexpr std::size_t output_count() const { return g_.outputs.size(); }

 private:
  node_reader& node_;
  graph_document g_;
  value_state state_;
  graph_reader reader_;
};

/// Parses the graph of an attribute.
[[gnu::cold]] constexpr parsed_graph graph_attribute(node_reader& node, std::string_view name) {
  const attribute* const found = node.find(name);
  if (found == nullptr || found->kind != attribute_kind::graph) {
    node.refuse(error_code::invalid_file, {"attribute ", name, ": got none, expected a graph"});
    return {};
  }
  auto g = parse_graph(node.file(), found->bytes);
  if (g) return std::move(*g);
  node.refuse(g.error().code(), {g.error().letters()});
  return {};
}

/// Inlines a function of the model. Attributes of the node, or defaults, replace references in the body.
[[gnu::cold]] constexpr void read_function(node_reader& node, const function_entry& function) {
  auto g = parse_graph(node.file(), function.message, true);
  if (!g) return node.refuse(g.error().code(), {g.error().letters()});
  node.check(check_opsets(node.graph().model(), g->opsets));
  if (node.input_count() > g->inputs.size())
    node.refuse(error_code::invalid_file,
                {"inputs: got ", node.input_count(), ", expected at most ", g->inputs.size()});
  pool<attribute> given;
  bool is_valid = true;
  for (message_fields field(node.file(), function.message); field.next();)
    if (field.number() == schema::function::attribute_proto)
      given.push_back(read_attribute(node.file(), field.place(), is_valid));
  for (const attribute& one : node.attributes()) given.push_back(one);  // last, so that they win
  inner_graph inner(node, g->view(), false);
  for (std::size_t i = 0; i < g->inputs.size(); ++i) inner.bind(i, node.has(i) ? node.input(i) : ir::none);
  if (!inner.read(given)) return;
  for (std::size_t i = 0; i < node.output_count(); ++i)
    if (node.has_output(i)) node.define(i, inner.output(i));
}

/// Whether shapes do not differ in a known extent.
constexpr bool can_be_equal(const shape_t& a, const shape_t& b) {
  bool fits = a.rank == b.rank;
  for (int i = 0; fits && i < a.rank; ++i) fits = a[i] < 0 || b[i] < 0 || a[i] == b[i];
  return fits;
}
/// x with the shape of another value. Where that is not known yet, a resize refuses extents that differ: select would
/// repeat an extent of 1.
[[gnu::cold]] constexpr std::int32_t in_shape_of_other(node_maker& node, std::int32_t x, std::int32_t other) {
  const tensor_desc is = node.desc(x);
  if (is.shape.is_known() && node.desc(other).shape.is_known()) return x;
  return node.add<ops::reshape>({}, {x, equal_to(node, shape_list(node, x), shape_list(node, other))}, is);
}

/// If: one branch when the condition is known; else both, of which select chooses.
[[gnu::cold]] constexpr void read_if(node_reader& node) {
  for (const std::string_view branch : {"then_branch", "else_branch"})
    node.ignore_attribute(branch);  // one may be read
  if (node.is_known(0)) {
    const pool<double> condition = node.reals(0);
    if (condition.size() != 1)
      return node.refuse(error_code::invalid_file, {"condition: got ", condition.size(), " elements, expected 1"});
    const parsed_graph g = graph_attribute(node, condition[0] != 0 ? "then_branch" : "else_branch");
    inner_graph branch(node, g.view(), true);
    if (!branch.read()) return;
    for (std::size_t i = 0; i < node.output_count(); ++i)
      if (node.has_output(i)) node.define(i, branch.output(i));
    return;
  }
  const std::int32_t given = node.input(0);
  if (node.is_fine() && node.desc(given).elements() != 1)
    return node.refuse(error_code::invalid_file, {"condition: got ", node.desc(given).shape, ", expected one element"});
  const std::int32_t condition = reshaped(node, given, pool<std::int64_t>{});
  const parsed_graph of_then = graph_attribute(node, "then_branch"), of_else = graph_attribute(node, "else_branch");
  inner_graph yes(node, of_then.view(), true), no(node, of_else.view(), true);
  if (!yes.read() || !no.read()) return;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (!node.has_output(i)) continue;
    const std::int32_t a = yes.output(i), b = no.output(i);
    if (!node.is_fine()) return;
    if (node.type(a) != node.type(b) || !can_be_equal(node.desc(a).shape, node.desc(b).shape))
      return node.not_supported({"output ", i, ": got ", ir::letters_of(node.desc(a)), " and ",
                                 ir::letters_of(node.desc(b)),
                                 " by a condition that only a run knows; expected one type and shape"});
    node.define(i, node.add<ops::select>({}, {condition, a, in_shape_of_other(node, b, a)}));
  }
}

/// Stacks the results of all rounds along a new first axis.
[[gnu::cold]] constexpr std::int32_t stacked(node_reader& node, array_ref<const std::int32_t> rounds, int axis = 0) {
  ops::stack::attrs attrs;
  attrs.axis = axis;
  return node.add<ops::stack>(attrs, rounds);
}

/// A known boolean; refuses others.
[[gnu::cold]] constexpr bool known_truth(node_reader& node, std::int32_t id, std::string_view what) {
  if (!node.is_fine()) return false;
  const ir::graph& g = node.network().graph();
  if (node.is_constant_value(id) && node.desc(id).type == boolean && node.desc(id).elements() == 1)
    return g.element<bool>(g.at(id), 0);
  node.not_supported({what, " depends on numbers that only a run knows"});
  return false;
}

/// Loop with a known number of rounds, unrolled. Inputs: trip count, condition, carried values.
[[gnu::cold]] constexpr void read_loop(node_reader& node) {
  constexpr std::int64_t most_rounds = 4096;
  const bool has_count = node.has_elements(0);
  const std::int64_t count = has_count ? node.integer(0) : most_rounds;
  bool goes_on = !node.has(1) || known_truth(node, node.input(1), "its condition");
  const parsed_graph g = graph_attribute(node, "body");
  if (!node.is_fine()) return;
  const std::size_t carried = node.input_count() < 2 ? 0 : node.input_count() - 2;
  if (g.inputs.size() != carried + 2 || g.outputs.size() < carried + 1)
    return node.refuse(error_code::invalid_file, {"body: got ", g.inputs.size(), " inputs and ", g.outputs.size(),
                                                  " outputs for ", carried, " carried values"});
  const std::size_t scans = g.outputs.size() - carried - 1;
  pool<std::int32_t> values, all;  // carried values; scan results, round by round
  for (std::size_t i = 0; i < carried; ++i) values.push_back(node.input(i + 2));
  std::int64_t rounds = 0;
  inner_graph body(node, g.view(), true);
  for (; node.is_fine() && goes_on && rounds < count; ++rounds) {
    if (rounds == most_rounds) return node.not_supported({"more than ", most_rounds, " rounds"});
    body.begin_again();
    body.bind(0, node.scalar(i64, static_cast<double>(rounds)));
    body.bind(1, node.scalar(boolean, 1));
    for (std::size_t i = 0; i < carried; ++i) body.bind(i + 2, values[i]);
    if (!body.read()) return;
    goes_on = known_truth(node, body.output(0), "the condition of its body");
    for (std::size_t i = 0; i < carried; ++i) values[i] = body.output(i + 1);
    for (std::size_t i = 0; i < scans; ++i) all.push_back(body.output(carried + 1 + i));
  }
  if (!node.is_fine()) return;
  for (std::size_t i = 0; i < carried; ++i) node.define(i, values[i]);
  for (std::size_t i = 0; i < scans; ++i) {
    if (!node.has_output(carried + i)) continue;
    if (rounds == 0) return node.not_supported({"output ", carried + i, " of a loop without rounds"});
    pool<std::int32_t> parts;
    for (std::size_t k = 0; k < static_cast<std::size_t>(rounds); ++k) parts.push_back(all[k * scans + i]);
    node.define(carried + i, stacked(node, parts));
  }
}

/// What Scan reads: a list of numbers, of which missing ones are 0.
struct scan_list {
  pool<std::int64_t> numbers;
  constexpr std::int64_t operator[](std::size_t i) const { return i < numbers.size() ? numbers[i] : 0; }
};
/// Slice `at` of x along an axis, without this axis.
[[gnu::cold]] constexpr std::int32_t slice_at(node_reader& node, std::int32_t x, std::int64_t axis, std::int64_t at) {
  const std::int32_t place = node.scalar(i64, static_cast<double>(at));
  return node.add<ops::gather>({}, {x, place, node.integer_list({node.axis_in(axis, node.rank(x))})});
}

/// One kind of Scan's axes and directions, for inputs or outputs.
struct scan_ways {
  scan_list axes, directions;
  /// The place of round k of `rounds`.
  constexpr std::int64_t at(std::size_t i, std::int64_t k, std::int64_t rounds) const {
    return directions[i] == 0 ? k : rounds - 1 - k;
  }
};
[[gnu::cold]] constexpr scan_ways read_scan_ways(node_reader& node, std::string_view axes,
                                                 std::string_view directions) {
  scan_ways made{{node.integers_attribute(axes)}, {node.integers_attribute(directions)}};
  for (const std::int64_t way : made.directions.numbers)
    if (way != 0 && way != 1) node.refuse(error_code::invalid_file, {directions, ": got ", way, ", expected 0 or 1"});
  return made;
}
/// The number of rounds: the extents of all scan inputs, which begin at input `states`, along their axes.
[[gnu::cold]] constexpr std::int64_t rounds_of_scan(node_reader& node, std::size_t states, const scan_ways& ways) {
  std::int64_t rounds = -1;
  for (std::size_t i = states; i < node.input_count(); ++i) {
    const shape_t is = node.desc(node.input(i)).shape;
    const int axis = node.axis_in(ways.axes[i - states], is.rank);
    if (!node.is_fine()) return 0;
    if (i > states && is[axis] != rounds)
      node.refuse(error_code::invalid_file, {"input ", i, ": got ", is[axis], " steps in ", is, " along axis ", axis,
                                             ", expected ", rounds, " as in the first scan input"});
    rounds = is[axis];
  }
  if (rounds < 1 || rounds > 4096) node.not_supported({"scan over ", rounds, " steps, expected 1 to 4096"});
  return rounds;
}

/// Scan, unrolled: slices of scan inputs along their axes. Opset 8 has a batch axis and is refused.
[[gnu::cold]] constexpr void read_scan(node_reader& node) {
  if (node.version() < 9) return node.not_supported({"version 8, with a batch axis"});
  const auto scan_inputs =
      static_cast<std::size_t>(std::max<std::int64_t>(node.integer_attribute("num_scan_inputs", 0), 0));
  const scan_ways in = read_scan_ways(node, "scan_input_axes", "scan_input_directions"),
                  out = read_scan_ways(node, "scan_output_axes", "scan_output_directions");
  const parsed_graph g = graph_attribute(node, "body");
  if (!node.is_fine()) return;
  if (scan_inputs == 0 || scan_inputs > node.input_count() || g.inputs.size() != node.input_count())
    return node.refuse(error_code::invalid_file, {"num_scan_inputs: got ", scan_inputs, " of ", node.input_count()});
  const std::size_t states = node.input_count() - scan_inputs;
  if (g.outputs.size() < states)
    return node.refuse(error_code::invalid_file, {"body: got ", g.outputs.size(), " outputs"});
  const std::size_t scans = g.outputs.size() - states;
  const std::int64_t rounds = rounds_of_scan(node, states, in);
  pool<std::int32_t> values, all;  // states; scan results, round by round
  for (std::size_t i = 0; i < states; ++i) values.push_back(node.input(i));
  inner_graph body(node, g.view(), true);
  for (std::int64_t k = 0; node.is_fine() && k < rounds; ++k) {
    body.begin_again();
    for (std::size_t i = 0; i < states; ++i) body.bind(i, values[i]);
    for (std::size_t i = 0; i < scan_inputs; ++i)
      body.bind(states + i, slice_at(node, node.input(states + i), in.axes[i], in.at(i, k, rounds)));
    if (!body.read()) return;
    for (std::size_t i = 0; i < states; ++i) values[i] = body.output(i);
    for (std::size_t i = 0; i < scans; ++i) all.push_back(body.output(states + i));
  }
  for (std::size_t i = 0; i < states; ++i) node.define(i, values[i]);
  for (std::size_t i = 0; node.is_fine() && i < scans; ++i) {
    pool<std::int32_t> parts;
    for (std::int64_t k = 0; k < rounds; ++k)
      parts.push_back(all[static_cast<std::size_t>(out.at(i, k, rounds)) * scans + i]);
    node.define(states + i, stacked(node, parts, node.axis_in(out.axes[i], node.rank(parts[0]) + 1)));
  }
}

}}}}  // namespace nnrt::NNRT_ISA::onnx::detail
