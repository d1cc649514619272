// model_builder: makes a model at run time, node by node, under the same rules as the DSL.
// Flow: readers of files and programs that put networks together; the finished model goes to compile().
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/io/model.hpp>
#include <nnrt/io/name_set.hpp>
#include <nnrt/ir/diagnose.hpp>
#include <nnrt/ir/dump.hpp>
#include <nnrt/ops/registry.hpp>
#include <nnrt/passes/shapes.hpp>

#include <initializer_list>
#include <limits>
#include <type_traits>

namespace nnrt::inline NNRT_ISA {

/// Builds a model. Values are ids, in order of creation; a call that fails adds nothing.
class model_builder {
 public:
  /// An input of the network; extents that are -1 are known when it runs (session::resize). Error: invalid_argument (a name that is there
  /// already, extents that are too large; as anywhere below, more than 2 GiB of names).
  result<std::int32_t> input(std::string_view name, const tensor_desc& desc) {
    if (auto ok = check_room(name); !ok) return fail(std::move(ok.error()));
    const auto name_of_input = [&](std::size_t i) { return made_.graph.name_of(made_.graph.at(made_.graph.inputs[i]).name); };
    if (input_names_.has(name, name_of_input)) return fail(error_code::invalid_argument, "two inputs are called \"" + std::string(name) + "\"");
    if (desc.type == dtype::none || !detail::check_extents(desc)) return fail(refusal(name, desc, " has no dtype, or extents that no tensor can have"));
    const std::int32_t id = add({desc, ir::kind::input, made_.graph.add_text(name), 0, ir::none});
    made_.graph.inputs.push_back(id);
    input_names_.add(name, name_of_input);
    return id;
  }
  /// A tensor of the model's weights, by name; compile() binds it.
  result<std::int32_t> weight(std::string_view name, const tensor_desc& desc) {
    if (auto ok = check_room(name); !ok) return fail(std::move(ok.error()));
    if (desc.type == dtype::none || desc.elements() < 0) return fail(refusal(name, desc, " has unknown extents, or more elements than memory can hold"));
    return add({desc, ir::kind::weight, made_.graph.add_text(name), 0, ir::none});
  }
  /// A constant with these elements. Error: invalid_argument (another element type or number of elements than the desc has).
  template <class T> result<std::int32_t> constant(const tensor_desc& desc, array_ref<const T> elements) {
    if (dtype_for<T>() != desc.type || static_cast<std::int64_t>(elements.size()) != desc.elements())
      return fail(error_code::invalid_argument, "constant: got " + std::to_string(elements.size()) + " elements of " + std::string(name_of(dtype_for<T>())) + ", expected " +
                                                    ir::to_string(desc));
    ready_.push_back(passes::readiness::evaluated);
    return made_.graph.add_constant<T>(desc, elements);
  }
  /// The scales of a tensor that is quantised per channel, a value of f32 [channels]. Error: invalid_argument (an id that does not exist).
  result<void> set_scales(std::int32_t id, std::int32_t scales) {
    for (const std::int32_t one : {id, scales})
      if (!has(one)) return fail(missing("set_scales", one));
    made_.graph.at(id).scales = scales;
    return {};
  }

  /// A node: its operator's rules say what comes out. `wanted` are descs that the outputs shall have, as far as the caller knows them;
  /// ir::none stands for an optional operand that is missing. Errors: rule_broken, as `conv2d "stem": input channels … (got 3, expected 4)`;
  /// invalid_argument (an id that does not exist, more descs than outputs).
  result<pool<std::int32_t>> apply(const operator_info& op, array_ref<const word> attrs, array_ref<const std::int32_t> inputs, array_ref<const tensor_desc> wanted = {},
                                   std::string_view name = {}) {
    if (auto ok = check_room(name); !ok) return fail(std::move(ok.error()));
    for (const std::int32_t id : inputs)
      if (id != ir::none && !has(id)) return fail(missing(op.name, id));
    const verdict v = op.infer(attrs, passes::operands_of(made_.graph, inputs, ready_).operands, wanted);
    if (!v) return fail(error_code::rule_broken, to_string(v, op, name));
    if (wanted.size() > v.outputs.size()) return fail(error_code::invalid_argument, {op.name, ": got ", wanted.size(), " descs of outputs, expected at most ", v.outputs.size()});
    pool<std::int32_t> outputs;
    for (const tensor_desc& desc : v.outputs) outputs.push_back(add({desc, ir::kind::result, {}, 0, ir::none}));
    ir::node made;
    made.op = &op;
    made.label = op.label;
    made.attrs = made_.graph.add_words(attrs);
    made.inputs = made_.graph.add_operands(inputs);
    made.outputs = made_.graph.add_operands(outputs);
    made.name = made_.graph.add_text(name);
    for (const std::int32_t id : outputs) ready_[static_cast<std::size_t>(id)] = passes::readiness_of(made_.graph, made, ready_);
    made_.graph.nodes.push_back(made);
    return outputs;
  }
  /// The same for an operator and attributes that the program names: b.apply<ops::conv2d>(attrs, {x, w, bias}). Operands come in braces, or as any range:
  /// std::vector, std::array, std::span, the answer of another call.
  template <class Op>
  result<pool<std::int32_t>> apply(const typename Op::attrs& attrs, array_ref<const std::int32_t> inputs, array_ref<const tensor_desc> wanted = {}, std::string_view name = {}) {
    pool<word> words;
    pack(attrs, words);
    auto made = apply(ops::of<Op>(), words, inputs, wanted, name);
    if constexpr (!Op::traits.to_be_said.empty())
      if (made)
        made_.graph.nodes.back().left_open = left_open<Op>(
            attrs, desc(inputs[0]), [&](std::string_view attribute) { return !is_default(attrs, attribute); });
    return made;
  }
  template <class Op>
  result<pool<std::int32_t>> apply(const typename Op::attrs& attrs, std::initializer_list<std::int32_t> inputs, array_ref<const tensor_desc> wanted = {}, std::string_view name = {}) {
    return apply<Op>(attrs, array_ref<const std::int32_t>(inputs.begin(), inputs.size()), wanted, name);
  }
  template <class Op>
  result<pool<std::int32_t>> apply(const typename Op::attrs& attrs, std::initializer_list<std::int32_t> inputs, std::initializer_list<tensor_desc> wanted, std::string_view name = {}) {
    return apply<Op>(attrs, array_ref<const std::int32_t>(inputs.begin(), inputs.size()), array_ref<const tensor_desc>(wanted.begin(), wanted.size()), name);
  }
  template <class Op>
  result<pool<std::int32_t>> apply(const typename Op::attrs& attrs, array_ref<const std::int32_t> inputs, std::initializer_list<tensor_desc> wanted, std::string_view name = {}) {
    return apply<Op>(attrs, inputs, array_ref<const tensor_desc>(wanted.begin(), wanted.size()), name);
  }
  /// Operands that do not lie side by side: any range of ids.
  template <class Op, class Range>
    requires(!std::is_convertible_v<Range&, array_ref<const std::int32_t>> && requires(Range& r) { pool<std::int32_t>{}.push_back(*r.begin()), r.begin() != r.end(); })
  result<pool<std::int32_t>> apply(const typename Op::attrs& attrs, Range&& inputs, array_ref<const tensor_desc> wanted = {}, std::string_view name = {}) {
    pool<std::int32_t> ids;
    for (const std::int32_t id : inputs) ids.push_back(id);
    return apply<Op>(attrs, ids, wanted, name);
  }

  /// Says that the attributes of the last node are intended where they have nnrt's defaults. Without it, weights in the
  /// order of layout::pytorch are refused for a node with an attribute whose default differs from PyTorch's.
  void say_defaults() {
    if (!made_.graph.nodes.empty()) made_.graph.nodes.back().left_open = -1;
  }

  /// Makes a value a result of the network. Error: invalid_argument (no such value, a name that is there already).
  result<void> output(std::string_view name, std::int32_t id) {
    if (auto ok = check_room(name); !ok) return ok;
    if (!has(id)) return fail(missing("output " + quoted(name), id));
    const auto name_of_output = [&](std::size_t i) { return made_.graph.name_of(made_.graph.outputs[i].name); };
    if (output_names_.has(name, name_of_output)) return fail(error_code::invalid_argument, "two outputs are called \"" + std::string(name) + "\"");
    made_.graph.outputs.push_back({id, made_.graph.add_text(name)});
    output_names_.add(name, name_of_output);
    return {};
  }

  /// Computes the last node now, if its operands are small constants or shapes that are known: its results become constants, whose values
  /// the rules of later nodes can read.
  void evaluate_last() {
    if (made_.graph.nodes.empty()) return;
    const ir::node last = made_.graph.nodes.back();
    if (passes::detail::can_evaluate(made_.graph, last) && passes::detail::evaluate(made_.graph, last)) made_.graph.nodes.pop_back();
  }

  /// When the elements of a value will be known; of one that does not exist, not before the network has run.
  passes::readiness readiness_of(std::int32_t id) const { return has(id) ? ready_[static_cast<std::size_t>(id)] : passes::readiness::computed; }
  /// Of a value that does not exist the dtype is none.
  const tensor_desc& desc(std::int32_t id) const { return has(id) ? made_.graph.at(id).desc : no_desc; }
  /// The graph as far as it is built.
  const ir::graph& graph() const { return made_.graph; }

  /// The model; the builder is empty afterwards.
  model finish(const weights& file = {}) {
    made_.weights = file;
    ready_.clear();
    input_names_ = {}, output_names_ = {};
    return std::exchange(made_, model{});
  }

 private:
  static constexpr tensor_desc no_desc{};

  bool has(std::int32_t id) const { return id >= 0 && static_cast<std::size_t>(id) < made_.graph.values.size(); }
  [[gnu::cold]] static error missing(std::string_view what, std::int32_t id) { return {error_code::invalid_argument, joined({what, ": value ", id, " does not exist"})}; }
  /// Ranges of text count in 32 bits, and files can have as many names as that.
  [[gnu::cold]] result<void> check_room(std::string_view name) const {
    constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
    const std::size_t taken = made_.graph.text.size();
    if (name.size() <= most - taken) return {};
    return fail(error_code::invalid_argument, {"names: got ", taken, " and ", name.size(), " bytes, expected at most ", most});
  }
  static error refusal(std::string_view name, const tensor_desc& desc, std::string_view why) {
    return {error_code::invalid_argument, joined({"\"", name, "\": ", ir::to_string(desc), why})};
  }
  std::int32_t add(const ir::value& v) {
    ready_.push_back(passes::readiness_of(v));
    return made_.graph.add_value(v);
  }

  model made_;
  pool<passes::readiness> ready_;  // of each value
  detail::name_set input_names_, output_names_;
};

}  // namespace nnrt::inline NNRT_ISA
