// node_maker: adds the nodes that one operator of a model file becomes, and keeps the first error.
// Flow: the node readers of the file formats derive from it; composed.hpp has what they build from several nodes.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/convert.hpp>
#include <nnrt/io/graph_builder.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Finds an operator by its code; never null for the operators of ops::list.
using find_operator = const operator_info* (*)(op_code);

/// Bytes that a reader copies from its file: constants and names. Many tensors of a file may share the same bytes, so
/// the total is limited in proportion to the file's size.
class copy_limit {
 public:
  /// `tensor` is named by errors; "": nobody names it, because the caller does.
  constexpr copy_limit(std::int64_t& copied, std::size_t file_size, std::string_view tensor = {})
      : copied_(copied), most_(16 * static_cast<std::int64_t>(file_size) + (std::int64_t{1} << 20)), tensor_(tensor) {}
  /// Error: invalid_file (limit exceeded).
  [[gnu::cold]] constexpr result<void> count(std::int64_t bytes) {
    copied_ += bytes;
    if (copied_ <= most_) return {};
    pool<char> what;
    if (!tensor_.empty()) append(what, {"tensor ", piece::in_quotes(tensor_), ": "});
    append(what, {"constants and names: got ", copied_, " bytes to copy, expected at most ", most_,
                  " in a file of this size"});
    return fail(error_code::invalid_file, what);
  }
  constexpr std::int64_t most() const { return most_; }

 private:
  std::int64_t& copied_;
  std::int64_t most_;
  std::string_view tensor_;
};

/// Adds nodes to a network for one operator of a file. The first error is stored; later calls then have no effect and
/// return empty values. So readers of operators need not check each step.
class node_maker {
  // Declared first: in constant evaluation clang 16 finds no member template that is declared after its use.
  template <class Op>
  constexpr pool<std::int32_t> apply(const typename Op::attrs& attrs, array_ref<const std::int32_t> inputs,
                                     array_ref<const tensor_desc> wanted) {
    pool<word> words;
    pack(attrs, words);
    return apply(*find_(Op::code), words, inputs, wanted);
  }

 public:
  /// `find` returns the form of an operator that the network shall have, by its code. `name` is the name of all nodes
  /// that the operator becomes.
  constexpr node_maker(graph_builder& network, find_operator find, copy_limit limit, std::string_view name)
      : find_(find), network_(network), limit_(limit), name_(name) {}

  constexpr bool is_fine() const { return message_.empty(); }
  constexpr find_operator finder() const { return find_; }
  constexpr graph_builder& network() { return network_; }
  /// The first error.
  constexpr error reason() const { return {code_, message_}; }
  /// Stores an error, unless there is one already.
  [[gnu::cold]] constexpr void refuse(error_code code, pieces what) {
    if (!is_fine()) return;
    code_ = code;
    message_ = letters(what);
  }
  constexpr void check(const result<void>& done) {
    if (!done) refuse(done.error().code(), {done.error().letters()});
  }
  /// The value, or ir::none after storing the error.
  constexpr std::int32_t taken(const result<std::int32_t>& made) {
    if (made) return *made;
    refuse(made.error().code(), {made.error().letters()});
    return ir::none;
  }
  [[gnu::cold]] constexpr void not_supported(pieces what) { refuse(error_code::not_supported, what); }
  /// Refuses operand `id`, which is input i of the operator. `expected` describes a supported operand.
  [[gnu::cold]] constexpr void not_supported_beside(std::size_t i, std::int32_t id, std::string_view expected);

  /// The desc of a value; empty for ir::none.
  constexpr tensor_desc desc(std::int32_t id) const { return id == ir::none ? tensor_desc() : network_.desc(id); }
  /// True when the elements of a value are known before the network runs.
  constexpr bool is_constant_value(std::int32_t id) const {
    return id != ir::none && network_.graph().at(id).is == ir::kind::constant;
  }
  /// True when the elements of a value depend on the data of a run, not only on input shapes.
  constexpr bool is_computed(std::int32_t id) const {
    return id != ir::none && network_.readiness_of(id) == passes::readiness::computed;
  }
  /// The integers of a value. Empty when they are not known before the network runs, or are more than rules read.
  [[gnu::cold]] constexpr pool<std::int64_t> integers_of(std::int32_t id) const {
    pool<std::int64_t> found;
    if (id != ir::none) ir::append_integers(network_.graph(), network_.graph().at(id), found);
    return found;
  }

  /// Makes a constant of integers: a shape, axes or a permutation.
  constexpr std::int32_t integer_list(array_ref<const std::int64_t> items) {
    return taken(network_.constant<std::int64_t>({i64, {static_cast<std::int64_t>(items.size())}}, items));
  }
  constexpr std::int32_t integer_list(std::initializer_list<std::int64_t> items) {
    return integer_list(std::span(items.begin(), items.size()));
  }
  /// Makes a constant [1] of one float.
  constexpr std::int32_t real_number(float value) { return real_list(std::span(&value, 1)); }
  constexpr std::int32_t real_list(array_ref<const float> items) {
    return taken(network_.constant<float>({f32, {static_cast<std::int64_t>(items.size())}}, items));
  }
  /// Makes a constant of rank 0, which broadcasts to any shape. For a quantised constant `value` is the stored integer.
  [[gnu::cold]] constexpr std::int32_t scalar(dtype type, double value, const quantisation& quantised = {});

  /// Counts bytes of node names and of constants that the reader makes against the limit of copies.
  [[gnu::cold]] constexpr void count_copy(std::int64_t bytes) {
    if (is_fine()) check(limit_.count(bytes));
  }

  /// Adds an intermediate node and returns its first result.
  template <class Op>
  constexpr std::int32_t add(const typename Op::attrs& attrs, std::initializer_list<std::int32_t> inputs,
                             const tensor_desc& wanted = {}) {
    const pool<std::int32_t> made = apply<Op>(attrs, std::span(inputs.begin(), inputs.size()), std::span(&wanted, 1));
    return made.empty() ? ir::none : made[0];
  }
  template <class Op>
  constexpr std::int32_t add(const typename Op::attrs& attrs, array_ref<const std::int32_t> inputs) {
    const pool<std::int32_t> made = apply<Op>(attrs, inputs, {});
    return made.empty() ? ir::none : made[0];
  }
  /// Adds an intermediate node and returns all its results.
  template <class Op>
  constexpr pool<std::int32_t> add_all(const typename Op::attrs& attrs, std::initializer_list<std::int32_t> inputs) {
    return apply<Op>(attrs, std::span(inputs.begin(), inputs.size()), {});
  }
  template <class Op>
  constexpr pool<std::int32_t> add_all(const typename Op::attrs& attrs, array_ref<const std::int32_t> inputs,
                                       const tensor_desc& wanted) {
    return apply<Op>(attrs, inputs, std::span(&wanted, 1));
  }

 protected:
  /// Adds a node. If it breaks a rule and `otherwise` is not empty, it is retried with these descs of outputs.
  [[gnu::cold]] constexpr pool<std::int32_t> apply(const operator_info& op, array_ref<const word> attrs,
                                                   array_ref<const std::int32_t> inputs,
                                                   array_ref<const tensor_desc> wanted,
                                                   array_ref<const tensor_desc> otherwise = {});

  find_operator find_;

 private:
  /// Refuses an operand that is computed at run time where the operator needs a constant. The message names the
  /// operand, which the operator's rule could not.
  [[gnu::cold]] constexpr void require_constants(const operator_info& op, array_ref<const std::int32_t> inputs);

  graph_builder& network_;
  copy_limit limit_;
  std::string_view name_;
  error_code code_{};
  pool<char> message_;
};

// --- details ---------------------------------------------------------------
[[gnu::cold]] constexpr void node_maker::not_supported_beside(std::size_t i, std::int32_t id,
                                                              std::string_view expected) {
  if (id == ir::none) return not_supported({"input ", i, ": got none, expected ", expected});
  const tensor_desc got = desc(id);
  not_supported({"input ", i, ": got ", got.quantised ? "quantised " : "", piece(got.type, got.shape),
                 is_computed(id) ? " that a run computes or is given" : "", ", expected ", expected});
}

[[gnu::cold]] constexpr std::int32_t node_maker::scalar(dtype type, double value, const quantisation& quantised) {
  std::int32_t id = ir::none;
  if (!is_fine()) return id;
  with_element<types::any>(type, [&]<class T>(T) {
    const T element = math::convert<T>(value);
    id = taken(network_.constant<T>({type, format::nd, {}, quantised}, array_ref<const T>(&element, 1)));
  });
  return id;
}

[[gnu::cold]] constexpr void node_maker::require_constants(const operator_info& op,
                                                           array_ref<const std::int32_t> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::size_t row = detail::row_of(op.inputs, i);
    if (row == op.inputs.size() || !op.inputs[row].constant || !is_computed(inputs[i])) continue;
    refuse(error_code::rule_broken,
           {op.name, " ", piece::in_quotes(name_), ": operand ", piece::in_quotes(op.inputs[row].role),
            " must be a constant: got what a run computes or is given, expected numbers that are known before"});
  }
}

[[gnu::cold]] constexpr pool<std::int32_t> node_maker::apply(const operator_info& op, array_ref<const word> attrs,
                                                             array_ref<const std::int32_t> inputs,
                                                             array_ref<const tensor_desc> wanted,
                                                             array_ref<const tensor_desc> otherwise) {
  count_copy(static_cast<std::int64_t>(name_.size()));
  if (is_fine()) require_constants(op, inputs);
  if (!is_fine()) return {};
  const std::size_t bytes_before = network_.graph().bytes.size();
  auto made = network_.apply(op, attrs, inputs, wanted, name_);
  if (!made && !otherwise.empty()) made = network_.apply(op, attrs, inputs, otherwise, name_);
  if (!made) {
    refuse(made.error().code(), {made.error().letters()});
    return {};
  }
  network_.evaluate_last();  // makes shapes that the file computes known to later operators
  count_copy(static_cast<std::int64_t>(network_.graph().bytes.size() - bytes_before));
  return *std::move(made);
}

}}  // namespace nnrt::NNRT_ISA
