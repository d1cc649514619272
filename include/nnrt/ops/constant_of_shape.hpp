// constant_of_shape: a tensor of one value, which is an attribute.
// Flow: front ends call infer(); it runs by its reference; its shape often comes from a shape_of.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/convert.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/type_numbers.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// A tensor whose elements are all `value`.
///
///   shape: [R] integers >= 0, R <= 8      y: the extents that `shape` lists
///
/// The dtype of y is `data_type`, a number of OH_NN_DataType or HDI's DataType; the default 0 is f32. `value` is 0 by
/// default and converted as by cast.
///
/// A shape that is known only at run time needs an output of declared shape and must equal it. The result has the
/// default format of its rank.
///
/// Broken rules: see `rule`; values: extents. Source: NNRt OH_NN_OPS_CONSTANT_OF_SHAPE.
struct constant_of_shape {
  static constexpr op_code code{68};
  static constexpr std::string_view name = "constant_of_shape";
  static constexpr operand_spec inputs[] = {{"shape", types::index}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.may_fail = true};
  static constexpr foreign_numbers foreign{.nnrt = 68, .hdi = 38};
  static constexpr nnrt_parameter parameters[] = {{"data_type", 85, i64}, {"value", 86, f32, -1}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, data_type), (float, value));
    constexpr attrs() : data_type(0), value(0) {}
  };
  enum class rule {
    data_type_must_be_the_number_of_a_dtype,
    shape_must_be_a_list,
    output_rank_must_be_known,
    output_rank_must_be_at_most_8,
    extent_must_not_be_negative,
    extent_must_be_that_of_the_output,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const dtype named = a.data_type == 0 ? f32 : detail::numbered_type(a.data_type);
    if (named == dtype::none)
      return refuse(Rule::data_type_must_be_the_number_of_a_dtype, a.data_type, static_cast<int>(f32));
    const operand& shape = in[0];
    if (auto v = require(Rule::shape_must_be_a_list, shape.desc.rank(), 1); !v) return v;
    const std::int64_t rank = shape.desc.shape[0];
    if (rank < 0) return refuse(Rule::output_rank_must_be_known, 0, 1);
    if (auto v = require_at_most(Rule::output_rank_must_be_at_most_8, rank, max_rank); !v) return v;
    shape_t y;
    for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) {
      y.push_back(shape.has_values() ? shape.values[i] : -1);
      if (!shape.has_values()) continue;
      if (auto v = require_at_least(Rule::extent_must_not_be_negative, shape.values[i], 0); !v) return v;
    }
    return ok(tensor_desc{named, default_format(y.rank), y});
  }
  static constexpr auto macs = no_macs;

  /// Checks that the shape, which may be known only in this run, is the planned one.
  static constexpr run_fault check(arguments in, results out) {
    for (int i = 0; i < out[0].rank(); ++i)
      if (in[0].integer(i) != out[0].shape()[i])
        return fault_at(i, rule::extent_must_be_that_of_the_output, in[0].integer(i), out[0].shape()[i]);
    return {};
  }

  template <class T> static constexpr run_fault reference(const attrs& a, arguments in, results out) {
    with_element<types::any>(out[0].type(), [&]<class Y>(Y) {
      const auto y = out[0].as<Y>();
      for (std::int64_t i = 0; i < y.elements(); ++i) y[i] = math::convert<Y>(a.value);
    });
    return check(in, out);
  }
};

}  // namespace ops

/// `constant_of_shape(shape, with_value<1.5>)`, with `of_type<f16>` for another dtype than f32.
template <tensor_desc Shape, dsl::keyword_argument... Keywords>
constexpr auto constant_of_shape(tensor<Shape> shape, Keywords... keywords) {
  return dsl::apply<ops::constant_of_shape>(shape, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
