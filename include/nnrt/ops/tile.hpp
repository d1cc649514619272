// tile: repeats a tensor along its axes.
// Flow: front ends call infer(); kernels/select.hpp binds the copy.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// x, repeated along each axis.
///
///   x: [d0 … dn]      multiples: [m] integers >= 0, n < m <= 8      y: rank m
///
/// The last extents of y are d0 * multiples[m - n - 1] … dn * multiples[m - 1]. With more multiples than axes, x gets
/// leading extents of 1. Multiples that are known only at run time need an output of declared shape and must give that
/// shape. If even their number is unknown, it is that of the axes of x. `dims`, which NNRt passes as well, is ignored.
///
/// Broken rules: see `rule`; values: numbers of elements, extents. Source: NNRt OH_NN_OPS_TILE.
struct tile {
  static constexpr op_code code{40};
  static constexpr std::string_view name = "tile";
  static constexpr operand_spec inputs[] = {{"x", types::any}, {"multiples", types::index}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.quantised = quantised_values::kept, .may_fail = true};
  static constexpr foreign_numbers foreign{.nnrt = 40, .hdi = 160, .tells_quantisation = 0};
  static constexpr nnrt_parameter parameters[] = {{"dims", 128, i64, -1}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (axis_list, dims));
    constexpr attrs() : dims{0} {}
  };

  enum class rule {
    multiples_must_have_a_number_for_each_axis,
    output_rank_must_be_at_most_8,
    multiple_must_not_be_negative,
    multiple_must_not_exceed_the_size_limit,
    multiple_must_give_the_extent_of_the_output,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    const std::int64_t declared = in[1].desc.elements(), count = declared < 0 ? x.rank() : declared;
    if (auto v = require_at_least(Rule::multiples_must_have_a_number_for_each_axis, count, x.rank()); !v) return v;
    if (auto v = require_at_most(Rule::output_rank_must_be_at_most_8, count, max_rank); !v) return v;
    shape_t y = of_rank(x.shape, static_cast<int>(count));
    for (int i = 0; i < y.rank; ++i) {
      if (!in[1].has_values()) {
        y[i] = y[i] == 0 ? 0 : -1;
        continue;
      }
      const std::int64_t multiple = in[1].values[static_cast<std::size_t>(i)];
      if (auto v = require_at_least(Rule::multiple_must_not_be_negative, multiple, 0); !v) return v;
      if (auto v = require_at_most(Rule::multiple_must_not_exceed_the_size_limit, multiple, max_elements); !v) return v;
      y[i] = multiple == 0 ? 0 : y[i] > max_elements / multiple ? max_elements + 1 : y[i] < 0 ? -1 : y[i] * multiple;
    }
    return ok(x.with_shape(y));
  }

  static constexpr auto macs = no_macs;

  /// x's shape with leading extents of 1 up to the rank of the output.
  static constexpr shape_t of_rank(const shape_t& x, int rank) {
    shape_t all;
    for (int i = x.rank; i < rank; ++i) all.push_back(1);
    for (int i = 0; i < x.rank; ++i) all.push_back(x[i]);
    return all;
  }

  /// Checks that the multiples, which may be known only in this run, give the planned shape.
  static constexpr run_fault check(arguments in, results out) {
    const shape_t from = of_rank(in[0].shape(), out[0].rank());
    for (int i = 0; i < from.rank; ++i) {
      const std::int64_t x = from[i], y = out[0].shape()[i], multiple = in[1].integer(i);
      const std::int64_t expected = x == 0 ? multiple : y / x;
      if (multiple != expected || y != x * expected)
        return fault_at(i, rule::multiple_must_give_the_extent_of_the_output, multiple, expected);
    }
    return {};
  }

  template <class T> static constexpr run_fault reference(const attrs&, arguments in, results out) {
    if (const run_fault fault = check(in, out)) return fault;
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return {};
    const int more = y.rank() - x.rank();
    shape_t to, from;
    to.rank = y.rank();
    from.rank = x.rank();
    do {
      for (int i = 0; i < from.rank; ++i) from[i] = to[more + i] % x.extent(i);
      y.at(to) = x.at(from);
    } while (next_index(to, y.shape));
    return {};
  }
};

}  // namespace ops

/// `tile(x, multiples<2, 1>)`: repeats a matrix x twice along its first axis.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto tile(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::tile>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
