// graph_builder: builds a graph node by node, in constant evaluation or at run time, under the rules of the DSL.
// Flow: file readers and model_builder.hpp use it; each call checks the node's rules, shapes and constants.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/boolean_bytes.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/io/name_set.hpp>
#include <nnrt/ir/diagnose.hpp>
#include <nnrt/ir/dump.hpp>
#include <nnrt/passes/shapes.hpp>

#include <limits>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// What readers know of a network before they read it: the numbers of names or tensors, of inputs and of outputs.
struct reading_extent {
  std::size_t names = 0, inputs = 0, outputs = 0;
};

/// Builds an ir::graph. Values are identified by ids, in order of creation. A call that fails adds nothing.
class graph_builder {
 public:
  /// Adds an input of the network. Extents of -1 are set at run time (session::resize). Error: invalid_argument (a
  /// repeated name, extents that are too large). All functions with a name also fail when the names exceed 2 GiB in
  /// total.
  constexpr result<std::int32_t> input(std::string_view name, const tensor_desc& desc) {
    if (auto ok = check_room(name); !ok) return fail(std::move(ok.error()));
    const auto name_of_input = [&](std::size_t i) { return graph_.name_of(graph_.at(graph_.inputs[i]).name); };
    if (input_names_.has(name, name_of_input))
      return fail(error_code::invalid_argument, {"two inputs are called \"", name, "\""});
    if (desc.type == dtype::none || !detail::check_extents(desc))
      return fail(refusal(name, desc, " has no dtype, or extents that no tensor can have"));
    const std::int32_t id = add({desc, ir::kind::input, graph_.add_text(name), 0, ir::none});
    graph_.inputs.push_back(id);
    input_names_.add(name, name_of_input);
    return id;
  }
  /// Adds a tensor of the model's weights, by name. compile() binds it. Error: invalid_argument.
  constexpr result<std::int32_t> weight(std::string_view name, const tensor_desc& desc) {
    if (auto ok = check_room(name); !ok) return fail(std::move(ok.error()));
    if (desc.type == dtype::none || desc.elements() < 0)
      return fail(refusal(name, desc, " has unknown extents, or more elements than memory can hold"));
    return add({desc, ir::kind::weight, graph_.add_text(name), 0, ir::none});
  }
  /// Adds a constant with these elements. Error: invalid_argument (element type or count differ from `desc`).
  template <class T> constexpr result<std::int32_t> constant(const tensor_desc& desc, array_ref<const T> elements) {
    if (dtype_for<T>() != desc.type || static_cast<std::int64_t>(elements.size()) != desc.elements())
      return fail(error_code::invalid_argument, {"constant: got ", elements.size(), " elements of ",
                                                 name_of(dtype_for<T>()), ", expected ", ir::letters_of(desc)});
    ready_.push_back(passes::readiness::evaluated);
    return graph_.add_constant<T>(desc, elements);
  }
  /// Adds a constant of any dtype from the bytes of its elements. Error: invalid_argument (the number of bytes differs
  /// from `desc`, booleans that are neither 0 nor 1).
  constexpr result<std::int32_t> constant_bytes(const tensor_desc& desc, array_ref<const std::byte> bytes) {
    if (static_cast<std::int64_t>(bytes.size()) != desc.bytes())
      return fail(error_code::invalid_argument,
                  {"constant: got ", bytes.size(), " bytes, expected ", desc.bytes(), " for ", ir::letters_of(desc)});
    if (desc.type == boolean && first_no_boolean(bytes) != bytes.size())
      return fail(error_code::invalid_argument,
                  {"constant: got a boolean that is neither 0 nor 1 at element ", first_no_boolean(bytes)});
    ready_.push_back(passes::readiness::evaluated);
    return graph_.add_constant_bytes(desc, bytes);
  }
  /// Adds a tensor whose value is kept between runs. In the first run it is zeros or `initial`, a constant or weight of
  /// this desc; next() sets its value for later runs.
  /// Error: invalid_argument (a repeated name, unknown extents, per-channel scales, an unsuitable initial value).
  constexpr result<std::int32_t> state(std::string_view name, const tensor_desc& desc,
                                       std::int32_t initial = ir::none) {
    if (auto ok = check_room(name); !ok) return fail(std::move(ok.error()));
    const auto name_of_state = [&](std::size_t i) { return graph_.name_of(graph_.at(graph_.states[i].value).name); };
    if (state_names_.has(name, name_of_state))
      return fail(error_code::invalid_argument, {"two states are called \"", name, "\""});
    if (desc.type == dtype::none || desc.elements() < 0)
      return fail(refusal(name, desc, " has unknown extents, or more elements than memory can hold"));
    if (desc.quantised.mode == quantisation::kind::per_channel)
      return fail(refusal(name, desc, ": a state has one scale"));
    if (initial != ir::none) {
      if (!has(initial)) return fail(missing(letters({"state ", piece::in_quotes(name)}), initial));
      const ir::value& begun = graph_.at(initial);
      if (begun.is != ir::kind::constant && begun.is != ir::kind::weight)
        return fail(refusal(name, desc, ": a state begins as a constant or a weight"));
      if (!ir::can_be_next(desc, begun.desc)) return fail(misfit(name, desc, " cannot begin as ", begun.desc));
    }
    const std::int32_t id = add({desc, ir::kind::state, graph_.add_text(name), 0, ir::none});
    graph_.states.push_back({id, ir::none, initial});
    state_names_.add(name, name_of_state);
    return id;
  }
  /// Sets the value of a state in the next run. Error: invalid_argument (an unknown value, a value that is no state or
  /// already has its next value, a different dtype or shape).
  constexpr result<void> next(std::int32_t state, std::int32_t id) {
    for (const std::int32_t one : {state, id})
      if (!has(one)) return fail(missing("next", one));
    ir::state* const declared = ir::find_state(graph_.states, state);
    if (declared == nullptr) return fail(error_code::invalid_argument, {"next: value ", state, " is no state"});
    const ir::value& v = graph_.at(state);
    const std::string_view name = graph_.name_of(v.name);
    if (declared->next != ir::none)
      return fail(error_code::invalid_argument, {"state ", piece::in_quotes(name), " has two next values"});
    if (!ir::can_be_next(v.desc, desc(id))) return fail(misfit(name, v.desc, " cannot become ", desc(id)));
    declared->next = id;
    return {};
  }
  /// Sets the scales of a per-channel quantised tensor, an f32 value [channels]. Error: invalid_argument (an unknown
  /// id).
  constexpr result<void> set_scales(std::int32_t id, std::int32_t scales) {
    for (const std::int32_t one : {id, scales})
      if (!has(one)) return fail(missing("set_scales", one));
    graph_.at(id).scales = scales;
    return {};
  }

  /// Adds a node; the rules of its operator determine the outputs. `wanted` has descs of the outputs as far as the
  /// caller knows them. ir::none in `inputs` is a missing optional operand. Returns the ids of the outputs. Errors:
  /// rule_broken, as `conv2d "stem": input channels … (got 3, expected 4)`; invalid_argument (an unknown id, more descs
  /// than outputs); not_supported (see lacking()).
  constexpr result<pool<std::int32_t>> apply(const operator_info& op, array_ref<const word> attrs,
                                             array_ref<const std::int32_t> inputs,
                                             array_ref<const tensor_desc> wanted = {}, std::string_view name = {}) {
    if (auto ok = check_room(name); !ok) return fail(std::move(ok.error()));
    for (const std::int32_t id : inputs)
      if (id != ir::none && !has(id)) return fail(missing(op.name, id));
    if (op.infer == nullptr) {
      lacking_ = {true, {op.code, dtype::none}};
      return fail(error_code::not_supported, "an operator came without its rules");
    }
    const verdict v = op.infer(attrs, passes::operands_of(graph_, inputs, ready_).operands, wanted);
    if (!v) return fail(error_code::rule_broken, letters_of(v, op, name));
    if (wanted.size() > v.outputs.size())
      return fail(error_code::invalid_argument,
                  {op.name, ": got ", wanted.size(), " descs of outputs, expected at most ", v.outputs.size()});
    pool<std::int32_t> outputs;
    for (const tensor_desc& desc : v.outputs) outputs.push_back(add({desc, ir::kind::result, {}, 0, ir::none}));
    ir::node made;
    made.op = &op;
    made.label = op.label;
    made.attrs = graph_.add_words(attrs);
    made.inputs = graph_.add_operands(inputs);
    made.outputs = graph_.add_operands(outputs);
    made.name = graph_.add_text(name);
    for (const std::int32_t id : outputs)
      ready_[static_cast<std::size_t>(id)] = passes::readiness_of(graph_, made, ready_);
    graph_.nodes.push_back(made);
    return outputs;
  }
  /// Gives a result the default format of its rank, NHWC for rank 4. For files that have no formats: a transpose that
  /// moves channels to axis 1 makes NCHW, which rules of images refuse.
  constexpr void forget_format(std::int32_t id) {
    if (has(id)) graph_.at(id).desc.layout = default_format(graph_.at(id).desc.rank());
  }
  /// Makes a value an output of the network. Error: invalid_argument (an unknown value, a repeated name).
  constexpr result<void> output(std::string_view name, std::int32_t id) {
    if (auto ok = check_room(name); !ok) return ok;
    if (!has(id)) return fail(missing(letters({"output ", piece::in_quotes(name)}), id));
    const auto name_of_output = [&](std::size_t i) { return graph_.name_of(graph_.outputs[i].name); };
    if (output_names_.has(name, name_of_output))
      return fail(error_code::invalid_argument, {"two outputs are called \"", name, "\""});
    graph_.outputs.push_back({id, graph_.add_text(name)});
    output_names_.add(name, name_of_output);
    return {};
  }

  /// Replaces the last node by its results as constants, if its operands are small constants or known shapes. Rules of
  /// later nodes can then read these values.
  constexpr void evaluate_last() {
    if (graph_.nodes.empty()) return;
    const ir::node last = graph_.nodes.back();
    if (!passes::detail::can_evaluate(graph_, last)) return;
    const typed_operator needed = ir::typed_operator_of(graph_, last);
    if (!last.op->computes_on.contains(needed.type)) lacking_ = {true, needed};
    else if (passes::detail::evaluate(graph_, last)) graph_.nodes.pop_back();
  }
  /// An operator that was given without a part that the builder needed: its rules in apply(), or its reference for
  /// a dtype in evaluate_last(). Compile-time readers instantiate only such parts as they need.
  struct lacking_part {
    bool is_lacking = false;
    typed_operator of;  // dtype none when the rules are missing
  };
  constexpr const lacking_part& lacking() const { return lacking_; }

  /// When the elements of a value become known. For an unknown id: computed.
  constexpr passes::readiness readiness_of(std::int32_t id) const {
    return has(id) ? ready_[static_cast<std::size_t>(id)] : passes::readiness::computed;
  }
  /// The desc of a value; its dtype is none for an unknown id.
  constexpr const tensor_desc& desc(std::int32_t id) const { return has(id) ? graph_.at(id).desc : no_desc; }
  /// The graph built so far.
  constexpr const ir::graph& graph() const { return graph_; }

 protected:
  constexpr ir::graph& graph_in_progress() { return graph_; }
  /// The readiness of each value.
  constexpr const pool<passes::readiness>& readiness() const { return ready_; }
  /// Continues a graph that another builder began. `ready` has the readiness of each of its values.
  constexpr void resume(ir::graph graph, pool<passes::readiness> ready) {
    graph_ = static_cast<ir::graph&&>(graph);
    ready_ = static_cast<pool<passes::readiness>&&>(ready);
    input_names_ = {}, output_names_ = {}, state_names_ = {};
    const auto add_all = [&](detail::name_set& names, std::size_t count, auto name_of) {
      for (std::size_t i = 0; i < count; ++i) names.add(name_of(i), name_of);
    };
    add_all(input_names_, graph_.inputs.size(),
            [&](std::size_t i) { return graph_.name_of(graph_.at(graph_.inputs[i]).name); });
    add_all(state_names_, graph_.states.size(),
            [&](std::size_t i) { return graph_.name_of(graph_.at(graph_.states[i].value).name); });
    add_all(output_names_, graph_.outputs.size(),
            [&](std::size_t i) { return graph_.name_of(graph_.outputs[i].name); });
  }
  /// Returns the graph and leaves the builder empty.
  constexpr ir::graph take() {
    ready_.clear();
    input_names_ = {}, output_names_ = {}, state_names_ = {};
    ir::graph made = static_cast<ir::graph&&>(graph_);
    graph_ = {};
    return made;
  }

 private:
  static constexpr tensor_desc no_desc{};

  constexpr bool has(std::int32_t id) const { return id >= 0 && static_cast<std::size_t>(id) < graph_.values.size(); }
  [[gnu::cold]] static constexpr error missing(const piece& what, std::int32_t id) {
    return {error_code::invalid_argument, {what, ": value ", id, " does not exist"}};
  }
  /// Ranges of text use 32-bit offsets, so all names together must stay below 2 GiB.
  [[gnu::cold]] constexpr result<void> check_room(std::string_view name) const {
    constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
    const std::size_t taken = graph_.text.size();
    if (name.size() <= most - taken) return {};
    return fail(error_code::invalid_argument,
                {"names: got ", taken, " and ", name.size(), " bytes, expected at most ", most});
  }
  static constexpr error refusal(std::string_view name, const tensor_desc& desc, std::string_view why) {
    return {error_code::invalid_argument, {"\"", name, "\": ", ir::letters_of(desc), why}};
  }
  static constexpr error misfit(std::string_view name, const tensor_desc& state, std::string_view verb,
                                const tensor_desc& value) {
    return {error_code::invalid_argument, {"\"", name, "\": ", ir::letters_of(state), verb, ir::letters_of(value)}};
  }
  constexpr std::int32_t add(const ir::value& v) {
    ready_.push_back(passes::readiness_of(v));
    return graph_.add_value(v);
  }

  ir::graph graph_;
  pool<passes::readiness> ready_;  // of each value
  lacking_part lacking_;
  detail::name_set input_names_, output_names_, state_names_;
};

}}  // namespace nnrt::NNRT_ISA
