// reshape: the same elements in another shape; flatten keeps the batch and joins the other axes.
// Flow: front ends call infer(); passes turn the node into an alias of its input, which needs no step.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The elements of x, in row-major order, with another shape.
///
///   x: any shape      shape: [R] integers, constant, R <= 8      y: the extents that `shape` lists
///
/// One extent may be -1: it is computed from the number of elements. 0 is refused. The result has the default format of
/// its rank (images are NHWC), as the meaning of its axes is unknown.
///
/// Broken rules: see `rule`; values: extents, numbers of elements. Source: NNRt OH_NN_OPS_RESHAPE.
struct reshape {
  static constexpr op_code code{45};
  static constexpr std::string_view name = "reshape";
  static constexpr operand_spec inputs[] = {{"x", types::any}, {"shape", types::index, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.result = storage::alias_of_input, .quantised = quantised_values::kept};
  static constexpr foreign_numbers foreign{.nnrt = 45, .hdi = 119};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  enum class rule {
    shape_must_be_a_list,
    output_rank_must_be_at_most_8,
    shape_must_be_known,
    extent_must_be_positive_or_minus_1,
    only_one_extent_may_be_inferred,
    number_of_elements_must_be_kept,
    elements_must_be_divisible_by_the_given_extents,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = require(Rule::shape_must_be_a_list, in[1].desc.rank(), 1); !v) return v;
    if (auto v = require_at_most(Rule::output_rank_must_be_at_most_8, in[1].desc.elements(), max_rank); !v) return v;
    if (in[1].awaited && in[1].desc.elements() >= 0) {
      const int rank = static_cast<int>(in[1].desc.elements());
      return ok(tensor_desc{x.type, default_format(rank), shape_t::unknown(rank), x.quantised});
    }
    if (!in[1].has_values()) return refuse(Rule::shape_must_be_known, 0, 1);
    shape_t y;
    std::int64_t given = 1;  // product of the given extents, saturated above max_elements
    int inferred = -1;
    for (const std::int64_t extent : in[1].values) {
      y.push_back(extent);
      if (extent == -1) {
        if (inferred >= 0) return refuse(Rule::only_one_extent_may_be_inferred, 2, 1);
        inferred = y.rank - 1;
      } else {
        if (auto v = require_at_least(Rule::extent_must_be_positive_or_minus_1, extent, 1); !v) return v;
        given = extent > max_elements / given ? max_elements + 1 : given * extent;
      }
    }
    const std::int64_t elements = x.elements();
    if (inferred < 0) {
      if (auto v = require_same_extent(Rule::number_of_elements_must_be_kept, given, elements); !v) return v;
    } else if (elements >= 0) {
      if (elements % given != 0) return refuse(Rule::elements_must_be_divisible_by_the_given_extents, elements, given);
      y[inferred] = elements / given;
    }
    return ok(tensor_desc{x.type, default_format(y.rank), y, x.quantised});
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < y.elements(); ++i) y[i] = x[i];
  }
};

}  // namespace ops

/// `reshape(x, nnrt::shape<1, 64, 2, 2>)`; one extent may be -1.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto reshape(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::reshape>(x, keywords...);
}

/// [N, …] becomes [N, product of the rest]; ranks 0 and 1 are extended with extents of 1.
template <tensor_desc X> constexpr auto flatten(tensor<X> x) {
  return dsl::apply<ops::reshape>(x, shape<(X.rank() > 0 ? X.shape[0] : 1), X.shape.elements(1)>);
}

}}  // namespace nnrt::NNRT_ISA
