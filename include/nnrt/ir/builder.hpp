// builder: the argument of a network's function - declares inputs, weights, constants and outputs, and records nodes.
// Flow: graph<f> calls f(builder) in constant evaluation; operators add nodes through ir/apply.hpp.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ir/graph.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Rules about a whole graph. `graph<f>` reports them, because no single line of the network's function breaks them.
enum class graph_rule {
  graph_must_have_an_output,
  every_input_must_be_used,
  input_names_must_differ,
  output_names_must_differ,
  weights_of_one_name_must_be_alike,
  tensors_must_belong_to_this_graph,
  state_names_must_differ,
  every_state_must_have_a_next,
  a_state_must_have_one_next,
  next_must_be_given_to_a_state,
  next_must_have_the_desc_of_its_state,
  initial_value_must_have_the_desc_of_its_state,
  initial_value_must_be_a_constant_or_a_weight,
};

namespace ir {

/// A broken rule of the whole graph, and the name that it concerns.
struct diagnostic {
  bool made = false;
  graph_rule rule{};
  range name;
};

}  // namespace ir

namespace detail {

/// How a state differs from its next or initial value.
enum class state_difference { none, type, layout, rank, extent, scale, zero_point, channels };

/// The first difference, for the compiler to print.
struct state_misfit {
  state_difference in = state_difference::none;
  std::int64_t got = 0, wanted = 0;
};
constexpr state_misfit misfit_of(const tensor_desc& state, const tensor_desc& value) {
  if (ir::can_be_next(state, value)) return {};
  if (state.type != value.type)
    return {state_difference::type, static_cast<int>(value.type), static_cast<int>(state.type)};
  if (state.rank() != value.rank()) return {state_difference::rank, value.rank(), state.rank()};
  for (int i = 0; i < state.rank(); ++i)
    if (state.shape[i] != value.shape[i]) return {state_difference::extent, value.shape[i], state.shape[i]};
  const quantisation &q = value.quantised, &of = state.quantised;
  if (q.mode != of.mode) return {state_difference::channels, static_cast<int>(q.mode), static_cast<int>(of.mode)};
  if (q.scale != of.scale)
    return {state_difference::scale, std::bit_cast<std::int32_t>(q.scale), std::bit_cast<std::int32_t>(of.scale)};
  if (q.zero_point != of.zero_point) return {state_difference::zero_point, q.zero_point, of.zero_point};
  return {state_difference::layout, static_cast<int>(value.layout), static_cast<int>(state.layout)};
}

/// The error for a value that a state cannot become.
template <graph_rule Rule, state_misfit Found> constexpr auto report_misfit() {
  constexpr auto got = static_cast<int>(Found.got), wanted = static_cast<int>(Found.wanted);
  if constexpr (Found.in == state_difference::type)
    return graph_rejected<Rule, actual<static_cast<dtype>(got)>, expected<static_cast<dtype>(wanted)>>::report();
  else if constexpr (Found.in == state_difference::layout)
    return graph_rejected<Rule, actual<static_cast<format>(got)>, expected<static_cast<format>(wanted)>>::report();
  else if constexpr (Found.in == state_difference::scale)
    return graph_rejected<Rule, actual<keyword::real(std::bit_cast<float>(got))>,
                          expected<keyword::real(std::bit_cast<float>(wanted))>>::report();
  else return graph_rejected<Rule, actual<got>, expected<wanted>>::report();
}

}  // namespace detail

/// Declares the tensors of a network. Inputs, outputs, weights and states each have a separate set of names.
class builder {
 public:
  builder() = default;
  builder(builder&&) = default;
  builder(const builder&) = delete;  // a function that takes a copy would declare its network in the copy

  /// Declares an input of the network. Inputs are the executor's arguments, in order of declaration.
  template <dtype Type, shape_t Shape, format Layout = default_format(Shape.rank),
            quantisation Quantised = quantisation{}>
  constexpr auto input(std::string_view name) {
    constexpr tensor_desc desc{Type, Layout, Shape, Quantised};
    static_assert(valid_extents(desc), "nnrt: extents of an input must be at least 1 and fit into memory");
    static_assert(!needs_scales(desc), "nnrt: an input has one scale: scales of channels come by name, with a weight");
    return tensor<desc>{{this, declare_input(desc, name)}};
  }

  /// Declares a tensor whose elements are bound by name when an executor is made. A second call with the same name
  /// returns the same tensor. A weight that is quantised per channel has its scales in a second weight called
  /// `<name>.scale`: f32, one for each index of the axis.
  template <dtype Type, shape_t Shape, format Layout = default_format(Shape.rank),
            quantisation Quantised = quantisation{}>
  constexpr auto weight(std::string_view name) {
    constexpr tensor_desc desc{Type, Layout, Shape, Quantised};
    static_assert(
        valid_extents(desc),
        "nnrt: extents of a weight must be at least 1 and fit into memory, and its quantised axis must exist");
    return tensor<desc>{{this, declare_weight(desc, name, "")}};
  }
  /// As above, for the weight `<layer>.<part>`.
  template <dtype Type, shape_t Shape, format Layout = default_format(Shape.rank),
            quantisation Quantised = quantisation{}>
  constexpr auto weight(std::string_view layer, std::string_view part) {
    constexpr tensor_desc desc{Type, Layout, Shape, Quantised};
    static_assert(
        valid_extents(desc),
        "nnrt: extents of a weight must be at least 1 and fit into memory, and its quantised axis must exist");
    return tensor<desc>{{this, declare_weight(desc, layer, part)}};
  }

  /// A tensor whose elements are in the program, row-major.
  template <dtype Type, shape_t Shape, format Layout = default_format(Shape.rank),
            quantisation Quantised = quantisation{}, std::size_t Count>
  constexpr auto constant(const element_t<Type> (&elements)[Count]) {
    constexpr tensor_desc desc{Type, Layout, Shape, Quantised};
    static_assert(static_cast<std::int64_t>(Count) == Shape.elements(),
                  "nnrt: a constant has as many numbers as its shape has elements");
    static_assert(!needs_scales(desc),
                  "nnrt: a constant has one scale: scales of channels come by name, with a weight");
    return tensor<desc>{{this, ir_.add_constant(desc, array_ref<const element_t<Type>>(elements))}};
  }
  template <dtype Type, shape_t Shape, format Layout = default_format(Shape.rank),
            quantisation Quantised = quantisation{}>
  constexpr auto constant(const std::array<element_t<Type>, static_cast<std::size_t>(Shape.elements())>& elements) {
    constexpr tensor_desc desc{Type, Layout, Shape, Quantised};
    static_assert(!needs_scales(desc),
                  "nnrt: a constant has one scale: scales of channels come by name, with a weight");
    return tensor<desc>{{this, ir_.add_constant(desc, array_ref<const element_t<Type>>(elements))}};
  }

  /// Declares a tensor that keeps its value between runs. In the first run it is zeros or `initial`; in each later run
  /// it is the value given to next(). Each executor and session has separate states; reset(), save_state() and
  /// load_state() restore them.
  template <dtype Type, shape_t Shape, format Layout = default_format(Shape.rank),
            quantisation Quantised = quantisation{}>
  constexpr auto state(std::string_view name) {
    constexpr tensor_desc desc{Type, Layout, Shape, Quantised};
    static_assert(valid_extents(desc), "nnrt: extents of a state must be at least 1 and fit into memory");
    static_assert(!needs_scales(desc), "nnrt: a state has one scale: scales of channels come by name, with a weight");
    return tensor<desc>{{this, declare_state(desc, name, ir::none)}};
  }
  /// As above; the state begins as a constant or a weight of its dtype and shape.
  template <dtype Type, shape_t Shape, format Layout = default_format(Shape.rank),
            quantisation Quantised = quantisation{}, tensor_desc Initial>
  constexpr auto state(std::string_view name, tensor<Initial> initial) {
    const auto declared = state<Type, Shape, Layout, Quantised>(name);
    if constexpr (Initial.type == dtype::none) refuse();
    else if constexpr (constexpr detail::state_misfit found = detail::misfit_of(declared.desc, Initial);
                       found.in != detail::state_difference::none) {
      static_cast<void>(detail::report_misfit<graph_rule::initial_value_must_have_the_desc_of_its_state, found>());
      refuse();
    } else {
      begin_state(initial);
    }
    return declared;
  }
  /// As above; the state begins with these elements, row-major.
  template <dtype Type, shape_t Shape, format Layout = default_format(Shape.rank),
            quantisation Quantised = quantisation{}, std::size_t Count>
  constexpr auto state(std::string_view name, const element_t<Type> (&initial)[Count]) {
    return state<Type, Shape, Layout, Quantised>(name, constant<Type, Shape, Layout, Quantised>(initial));
  }
  template <dtype Type, shape_t Shape, format Layout = default_format(Shape.rank),
            quantisation Quantised = quantisation{}>
  constexpr auto state(std::string_view name,
                       const std::array<element_t<Type>, static_cast<std::size_t>(Shape.elements())>& initial) {
    return state<Type, Shape, Layout, Quantised>(name, constant<Type, Shape, Layout, Quantised>(initial));
  }
  /// Sets the value of a state in the next run: any tensor of its dtype and shape, including itself and other states.
  /// Every read of a state within a run gives its value at the begin of that run.
  template <tensor_desc State, tensor_desc Next>
  constexpr auto next(tensor<State> state, tensor<Next> value) {  // auto: the compiler checks the body at the call
    if constexpr (State.type == dtype::none || Next.type == dtype::none) refuse();
    else if constexpr (constexpr detail::state_misfit found = detail::misfit_of(State, Next);
                       found.in != detail::state_difference::none) {
      static_cast<void>(detail::report_misfit<graph_rule::next_must_have_the_desc_of_its_state, found>());
      refuse();
    } else {
      declare_next(state, value);
    }
  }

  /// Rejects arguments that are not a list of elements of this dtype.
  template <dtype Type, shape_t Shape, format Layout = default_format(Shape.rank),
            quantisation Quantised = quantisation{}, class Given>
    requires(!(std::is_array_v<Given> && std::is_same_v<std::remove_extent_t<Given>, element_t<Type>>) &&
             !std::is_same_v<Given, std::array<element_t<Type>, static_cast<std::size_t>(Shape.elements())>>)
  constexpr auto constant(const Given&) {
    static_assert(detail::accepted<Given>,
                  "nnrt: a constant takes as many numbers as its shape has elements, in braces, an array or a "
                  "std::array of the dtype's own type");
    refuse();
    return tensor<tensor_desc{}>{};
  }

  /// Makes a tensor a result of the network, under this name.
  template <tensor_desc Desc> constexpr void output(std::string_view name, tensor<Desc> result) {
    if constexpr (Desc.type != dtype::none) declare_output(name, result.owner, result.id);
  }

  /// The graph so far.
  constexpr const ir::graph& graph() const { return ir_; }
  constexpr ir::graph& graph() { return ir_; }
  /// The first broken rule of the whole graph.
  constexpr const ir::diagnostic& diagnostic() const { return complaint_; }

  /// The id of a handle's value. A handle of another graph is reported and gives `ir::none`.
  constexpr std::int32_t id_of(const handle& given) {
    if (given.owner == this) return given.id;
    complain(graph_rule::tensors_must_belong_to_this_graph, "");
    return ir::none;
  }
  /// Called by dsl::apply: adds a node over these values. Returns the id of its first output; the ids of the others
  /// follow.
  constexpr std::int32_t add_node(const operator_info& op, array_ref<const word> attrs,
                                  array_ref<const std::int32_t> inputs, array_ref<const tensor_desc> outputs);
  /// Adds a scalar constant, or the integers of a keyword.
  template <class T> constexpr std::int32_t add_constant(const tensor_desc& desc, array_ref<const T> elements) {
    return ir_.add_constant(desc, elements);
  }
  constexpr void complain(graph_rule rule, std::string_view name) {
    if (!complaint_.made) complaint_ = {true, rule, ir_.add_text(name)};
  }
  /// As above, with a name that is already in the graph's text.
  constexpr void complain(graph_rule rule, ir::range name) {
    if (!complaint_.made) complaint_ = {true, rule, name};
  }
  /// Called by dsl::apply when a node is refused: the graph lacks that node and those that use it.
  constexpr void refuse() { refused_ = true; }
  /// Takes a graph that a reader has made and checked.
  constexpr void adopt(ir::graph made) {
    ir_ = static_cast<ir::graph&&>(made);
    is_adopted_ = true;
  }
  /// Checks the rules that only the finished graph shows. Reports none if a node was refused.
  constexpr void finish();

 private:
  /// Whether the tensor's scales come by name.
  static consteval bool needs_scales(const tensor_desc& desc) {
    return desc.quantised.mode == quantisation::kind::per_channel;
  }
  static consteval bool valid_extents(const tensor_desc& desc) {
    for (const std::int64_t extent : desc.shape)
      if (extent < 1) return false;
    if (needs_scales(desc) && (desc.quantised.axis < 0 || desc.quantised.axis >= desc.rank())) return false;
    return desc.elements() >= 0;
  }
  constexpr std::int32_t declare_input(const tensor_desc& desc, std::string_view name);
  constexpr std::int32_t declare_weight(const tensor_desc& desc, std::string_view layer, std::string_view part);
  constexpr std::int32_t declare_scales(const tensor_desc& desc, ir::range name);
  constexpr void declare_output(std::string_view name, const builder* owner, std::int32_t id);
  constexpr std::int32_t declare_state(const tensor_desc& desc, std::string_view name, std::int32_t initial);
  /// Sets the initial value of the state that was declared last.
  constexpr void begin_state(const handle& initial);
  constexpr void declare_next(const handle& state, const handle& value);

  ir::graph ir_;
  ir::diagnostic complaint_;
  bool refused_ = false, is_adopted_ = false;
  struct named_weight {
    std::uint64_t hash = 0;
    std::int32_t id = ir::none;
  };
  pool<named_weight> weights_;  // a hash table, at most half full: networks have hundreds of weights
  std::size_t weight_count_ = 0;

  /// The index of a name in the hash table: the entry of that weight, or a free one.
  constexpr std::size_t place_of(std::string_view name, std::uint64_t hash) const;
  constexpr void make_room();
};

// --- details ---------------------------------------------------------------

constexpr std::int32_t builder::declare_input(const tensor_desc& desc, std::string_view name) {
  for (const std::int32_t other : ir_.inputs)
    if (ir_.name_of(ir_.at(other).name) == name) complain(graph_rule::input_names_must_differ, name);
  const std::int32_t id = ir_.add_value({desc, ir::kind::input, ir_.add_text(name), 0, ir::none});
  ir_.inputs.push_back(id);
  return id;
}

constexpr std::size_t builder::place_of(std::string_view name, std::uint64_t hash) const {
  std::size_t place = hash & (weights_.size() - 1);
  while (weights_[place].id != ir::none &&
         (weights_[place].hash != hash || ir_.name_of(ir_.at(weights_[place].id).name) != name))
    place = (place + 1) & (weights_.size() - 1);
  return place;
}

constexpr void builder::make_room() {
  if (2 * weight_count_ < weights_.size()) return;
  const pool<named_weight> old = weights_;
  weights_.assign(old.empty() ? 64 : 4 * old.size(), {});
  for (const named_weight& w : old)
    if (w.id != ir::none) weights_[place_of(ir_.name_of(ir_.at(w.id).name), w.hash)] = w;
}

constexpr std::int32_t builder::declare_weight(const tensor_desc& desc, std::string_view layer, std::string_view part) {
  // Written directly into the graph's text: a network has thousands of letters, and each copy costs constexpr steps.
  const auto first = static_cast<std::int32_t>(ir_.text.size());
  ir_.add_text(layer);
  if (!part.empty()) ir_.add_text("."), ir_.add_text(part);
  const ir::range text{first, static_cast<std::int32_t>(ir_.text.size()) - first};
  const std::string_view name = ir_.name_of(text);
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  make_room();
  named_weight& place = weights_[place_of(name, hash)];
  if (place.id != ir::none) {
    for (std::int32_t i = 0; i < text.count; ++i) ir_.text.pop_back();
    if (ir_.at(place.id).desc != desc)
      complain(graph_rule::weights_of_one_name_must_be_alike, ir_.name_of(ir_.at(place.id).name));
    return place.id;
  }
  const std::int32_t id = ir_.add_value({desc, ir::kind::weight, text, 0, ir::none});
  place = {hash, id};
  ++weight_count_;
  if (desc.quantised.mode == quantisation::kind::per_channel) ir_.at(id).scales = declare_scales(desc, text);
  return id;
}

constexpr std::int32_t builder::declare_scales(const tensor_desc& desc, ir::range name) {
  const std::string_view letters = ir_.name_of(name);
  pool<char> of;  // a copy: the graph's text may move while it grows
  of.insert(letters.begin(), letters.end());
  const char* const first = of.data();
  return declare_weight(tensor_desc{f32, {desc.shape[desc.quantised.axis]}}, {first, of.size()}, "scale");
}

constexpr void builder::declare_output(std::string_view name, const builder* owner, std::int32_t id) {
  if (owner != this) return complain(graph_rule::tensors_must_belong_to_this_graph, name);
  for (const ir::output& other : ir_.outputs)
    if (ir_.name_of(other.name) == name) complain(graph_rule::output_names_must_differ, name);
  ir_.outputs.push_back({id, ir_.add_text(name)});
}

constexpr std::int32_t builder::declare_state(const tensor_desc& desc, std::string_view name, std::int32_t initial) {
  for (const ir::state& other : ir_.states)
    if (ir_.name_of(ir_.at(other.value).name) == name) complain(graph_rule::state_names_must_differ, name);
  const std::int32_t id = ir_.add_value({desc, ir::kind::state, ir_.add_text(name), 0, ir::none});
  ir_.states.push_back({id, ir::none, initial});
  return id;
}

constexpr void builder::begin_state(const handle& initial) {
  ir::state& begun = ir_.states.back();
  const std::int32_t id = id_of(initial);
  if (id == ir::none) return;
  if (ir_.at(id).is != ir::kind::constant && ir_.at(id).is != ir::kind::weight)
    return complain(graph_rule::initial_value_must_be_a_constant_or_a_weight, ir_.at(begun.value).name);
  begun.initial = id;
}

constexpr void builder::declare_next(const handle& state, const handle& value) {
  const std::int32_t of = id_of(state), id = id_of(value);
  if (of == ir::none || id == ir::none) return;
  ir::state* const declared = ir::find_state(ir_.states, of);
  if (declared == nullptr) return complain(graph_rule::next_must_be_given_to_a_state, ir_.at(of).name);
  if (declared->next != ir::none) return complain(graph_rule::a_state_must_have_one_next, ir_.at(of).name);
  declared->next = id;
}

constexpr std::int32_t builder::add_node(const operator_info& op, array_ref<const word> attrs,
                                         array_ref<const std::int32_t> inputs, array_ref<const tensor_desc> outputs) {
  ir::node made;
  made.op = &op;
  made.label = op.label;
  made.attrs = ir_.add_words(attrs);
  made.inputs = ir_.add_operands(inputs);
  const auto first = static_cast<std::int32_t>(ir_.values.size());
  made.outputs = {static_cast<std::int32_t>(ir_.operands.size()), static_cast<std::int32_t>(outputs.size())};
  for (const tensor_desc& desc : outputs)
    ir_.operands.push_back(ir_.add_value({desc, ir::kind::result, {}, 0, ir::none}));
  // A layer is named after its weights: "conv1.weight" names the node "conv1".
  for (const std::int32_t id : inputs)
    if (id != ir::none && ir_.at(id).is == ir::kind::weight && made.name.count == 0) {
      const std::string_view name = ir_.name_of(ir_.at(id).name);
      const std::size_t dot = name.rfind('.');
      made.name = {ir_.at(id).name.first, static_cast<std::int32_t>(dot == std::string_view::npos ? name.size() : dot)};
    }
  ir_.nodes.push_back(made);
  return first;
}

constexpr void builder::finish() {
  if (is_adopted_) return;
  for (ir::state& s : ir_.states)
    if (s.next == ir::none) {
      if (!refused_) complain(graph_rule::every_state_must_have_a_next, ir_.at(s.value).name);
      s.next = s.value;  // so that the graph can be planned
    }
  if (refused_) return;
  if (ir_.outputs.empty()) complain(graph_rule::graph_must_have_an_output, "");
  pool<char> used;
  used.assign(ir_.values.size(), 0);
  for (const std::int32_t id : ir_.operands)
    if (id != ir::none) used[static_cast<std::size_t>(id)] = 1;
  for (const ir::output& out : ir_.outputs) used[static_cast<std::size_t>(out.value)] = 1;
  for (const ir::state& s : ir_.states) used[static_cast<std::size_t>(s.next)] = 1;
  for (const std::int32_t id : ir_.inputs)
    if (!used[static_cast<std::size_t>(id)]) return complain(graph_rule::every_input_must_be_used, ir_.at(id).name);
}

}}  // namespace nnrt::NNRT_ISA
