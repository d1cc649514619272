// model_builder: builds a model at run time, node by node, under the rules of the DSL.
// Flow: file readers and programs that build networks use it; the finished model goes to compile().
#pragma once

#include <nnrt/io/graph_builder.hpp>
#include <nnrt/io/model.hpp>
#include <nnrt/ops/registry.hpp>

#include <initializer_list>
#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA {

/// Builds a model. Values are identified by ids, in order of creation. A call that fails adds nothing.
class model_builder : public graph_builder {
 public:
  using graph_builder::apply;
  /// Adds a node, as above, with the operator and its attributes as C++ types:
  /// `b.apply<ops::conv2d>(attrs, {x, w, bias})`. The operands are a braced list or any range of ids, such as a
  /// std::vector or the result of another call.
  template <class Op>
  result<pool<std::int32_t>> apply(const typename Op::attrs& attrs, array_ref<const std::int32_t> inputs,
                                   array_ref<const tensor_desc> wanted = {}, std::string_view name = {}) {
    pool<word> words;
    pack(attrs, words);
    auto made = apply(ops::of<Op>(), words, inputs, wanted, name);
    if constexpr (!Op::traits.to_be_said.empty())
      if (made)
        graph_in_progress().nodes.back().left_open = left_open<Op>(
            attrs, desc(inputs[0]), [&](std::string_view attribute) { return !is_default(attrs, attribute); });
    return made;
  }
  template <class Op>
  result<pool<std::int32_t>> apply(const typename Op::attrs& attrs, std::initializer_list<std::int32_t> inputs,
                                   array_ref<const tensor_desc> wanted = {}, std::string_view name = {}) {
    return apply<Op>(attrs, array_ref<const std::int32_t>(inputs.begin(), inputs.size()), wanted, name);
  }
  template <class Op>
  result<pool<std::int32_t>> apply(const typename Op::attrs& attrs, std::initializer_list<std::int32_t> inputs,
                                   std::initializer_list<tensor_desc> wanted, std::string_view name = {}) {
    return apply<Op>(attrs, array_ref<const std::int32_t>(inputs.begin(), inputs.size()),
                     array_ref<const tensor_desc>(wanted.begin(), wanted.size()), name);
  }
  template <class Op>
  result<pool<std::int32_t>> apply(const typename Op::attrs& attrs, array_ref<const std::int32_t> inputs,
                                   std::initializer_list<tensor_desc> wanted, std::string_view name = {}) {
    return apply<Op>(attrs, inputs, array_ref<const tensor_desc>(wanted.begin(), wanted.size()), name);
  }
  /// Overload for ranges of ids that are not contiguous.
  template <class Op, class Range>
    requires(!std::is_convertible_v<Range&, array_ref<const std::int32_t>> &&
             requires(Range& r) { pool<std::int32_t>{}.push_back(*r.begin()), r.begin() != r.end(); })
  result<pool<std::int32_t>> apply(const typename Op::attrs& attrs, Range&& inputs,
                                   array_ref<const tensor_desc> wanted = {}, std::string_view name = {}) {
    pool<std::int32_t> ids;
    for (const std::int32_t id : inputs) ids.push_back(id);
    return apply<Op>(attrs, ids, wanted, name);
  }

  /// Marks the attributes of the last node as intended, even where they have nnrt's defaults. Without it, weights with
  /// layout::pytorch are refused for a node with an attribute whose default differs from PyTorch's.
  void say_defaults() {
    if (!graph_in_progress().nodes.empty()) graph_in_progress().nodes.back().left_open = -1;
  }

  /// Returns the model and leaves the builder empty.
  model finish(const weights& file = {}) { return {take(), file}; }
};

}}  // namespace nnrt::NNRT_ISA
