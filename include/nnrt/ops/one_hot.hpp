// one_hot: indices as lines with one value at the index and another elsewhere.
// Flow: front ends call infer(); kernels/select.hpp binds it to a fill and single writes, for all dtypes.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Each index as `depth` elements along a new axis: on_value at the index, off_value elsewhere.
///
///   indices: [a…, b…]      depth: one integer >= 0      on_value, off_value: one element each, of one dtype
///   y: [a…, depth, b…], of that dtype and of rank <= 8
///
/// `axis` is the position of the new axis in y, in [-(n + 1), n] for indices of rank n; it counts from the end when
/// negative; -1 is the default. An index outside of [0, depth), also a negative one, gives a line of off_value. A depth
/// that is known only at run time needs an output of declared shape and must equal its extent.
///
/// Broken rules: see `rule`; values: numbers of elements, axes, ranks. Source: NNRt OH_NN_OPS_ONE_HOT; indices out of
/// range as in MindSpore and TensorFlow.
struct one_hot {
  static constexpr op_code code{23};
  static constexpr std::string_view name = "one_hot";
  static constexpr operand_spec inputs[] = {
      {"indices", types::index}, {"depth", types::index}, {"on_value", types::any}, {"off_value", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{
      .typed_by = 2, .quantised = quantised_values::kept, .may_fail = true, .in_files = file_order::unchanged};
  static constexpr foreign_numbers foreign{.nnrt = 23, .hdi = 105, .tells_quantisation = 0, .nnrt_name = "Onehot"};
  static constexpr nnrt_parameter parameters[] = {{"axis", 42, i64, -1}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, axis));
    constexpr attrs() : axis(-1) {}
  };

  enum class rule {
    depth_must_be_one_number,
    depth_must_not_be_negative,
    on_value_must_be_one_number,
    off_value_must_be_one_number,
    types_of_on_value_and_off_value_must_be_equal,
    output_rank_must_be_at_most_8,
    axis_must_be_an_axis_of_the_output,
    depth_must_be_the_extent_of_the_output,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc &indices = in[0].desc, &on = in[2].desc, &off = in[3].desc;
    if (auto v = require_same_extent(Rule::depth_must_be_one_number, in[1].desc.elements(), 1); !v) return v;
    if (auto v = require_same_extent(Rule::on_value_must_be_one_number, on.elements(), 1); !v) return v;
    if (auto v = require_same_extent(Rule::off_value_must_be_one_number, off.elements(), 1); !v) return v;
    if (auto v = require(Rule::types_of_on_value_and_off_value_must_be_equal, off.type, on.type); !v) return v;
    const int rank = indices.rank() + 1;
    if (auto v = require_at_most(Rule::output_rank_must_be_at_most_8, rank, max_rank); !v) return v;
    const int axis = normalise_axis(a.axis, rank);
    if (axis < 0) return refuse(Rule::axis_must_be_an_axis_of_the_output, a.axis, rank - 1);
    const std::int64_t depth = in[1].has_values() ? in[1].values[0] : -1;
    if (in[1].has_values())
      if (auto v = require_at_least(Rule::depth_must_not_be_negative, depth, 0); !v) return v;
    return ok(tensor_desc{on.type, default_format(rank), indices.shape.with_axis(axis, depth), on.quantised});
  }

  static constexpr auto macs = no_macs;

  /// Checks at run time that the depth equals the declared extent of the output.
  static constexpr run_fault check(arguments in, std::int64_t extent) {
    const std::int64_t depth = in[1].integer(0);
    if (depth == extent) return {};
    return fault_at(0, rule::depth_must_be_the_extent_of_the_output, depth, extent);
  }

  template <class T> static constexpr run_fault reference(const attrs& a, arguments in, results out) {
    const shape_t& indices = in[0].shape();
    const auto y = out[0].as<T>();
    const int axis = normalise_axis(a.axis, y.rank());
    const std::int64_t depth = y.extent(axis);
    if (const run_fault found = check(in, depth)) return found;
    if (y.elements() == 0) return {};
    const T on = in[2].as<const T>()[0], off = in[3].as<const T>()[0];
    const std::int64_t inner = indices.elements(axis);
    for (std::int64_t i = 0; i < indices.elements(); ++i) {
      const std::int64_t first = i / inner * depth * inner + i % inner, index = in[0].integer(i);
      for (std::int64_t k = 0; k < depth; ++k) y[first + k * inner] = k == index ? on : off;
    }
    return {};
  }
};

}  // namespace ops

/// `one_hot(indices, depth<10>)`: 1 and 0 in f32, or in another dtype:
/// `one_hot<nnrt::i8>(indices, depth<10>, axis<0>)`.
template <dtype Type = f32, tensor_desc Indices, dsl::keyword_argument... Keywords>
constexpr auto one_hot(tensor<Indices> indices, Keywords... keywords) {
  return dsl::apply<ops::one_hot>(indices, keyword::number<keyword::on_value_slot, Type, 1>{},
                                  keyword::number<keyword::off_value_slot, Type, 0>{}, keywords...);
}

/// `one_hot(indices, on, off, depth<10>)`: with tensors of one element for the two values.
template <tensor_desc Indices, tensor_desc On, tensor_desc Off, dsl::keyword_argument... Keywords>
constexpr auto one_hot(tensor<Indices> indices, tensor<On> on, tensor<Off> off, Keywords... keywords) {
  return dsl::apply<ops::one_hot>(indices, on, off, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
