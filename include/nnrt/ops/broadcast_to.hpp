// broadcast_to: repeats a tensor to a given shape.
// Flow: front ends call infer(); kernels/select.hpp binds it to copies of rows.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// x, repeated along the axes of extent 1.
///
///   x: [d0 … dn]      y: the extents that `shape` lists, at most 8
///
/// The last extents of `shape` correspond to the axes of x, as in NumPy; -1 keeps x's extent.
///
/// Broken rules: see `rule`; values: axes, extents. Source: NNRt OH_NN_OPS_BROADCAST_TO; -1 as in MindSpore.
struct broadcast_to {
  static constexpr op_code code{69};
  static constexpr std::string_view name = "broadcast_to";
  static constexpr operand_spec inputs[] = {{"x", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.quantised = quantised_values::kept};
  static constexpr foreign_numbers foreign{.nnrt = 69, .hdi = 27};
  static constexpr nnrt_parameter parameters[] = {{"shape", 87, i64, -1}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (axis_list, shape));
    constexpr attrs() = default;
  };
  enum class rule {
    shape_must_have_an_extent_for_each_axis,
    extent_must_not_be_less_than_minus_1,
    extent_of_a_new_axis_must_not_be_negative,
    extents_must_be_equal_or_1,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    const int more = a.shape.count - x.rank();
    if (more < 0) return refuse(Rule::shape_must_have_an_extent_for_each_axis, a.shape.count, x.rank());
    shape_t y;
    for (int i = 0; i < a.shape.count; ++i) {
      const std::int64_t wanted = a.shape[i], given = i < more ? 1 : x.shape[i - more];
      if (auto v = require_at_least(Rule::extent_must_not_be_less_than_minus_1, wanted, -1); !v) return v;
      if (i < more)
        if (auto v = require_at_least(Rule::extent_of_a_new_axis_must_not_be_negative, wanted, 0); !v) return v;
      if (wanted >= 0 && given >= 0 && given != 1 && given != wanted)
        return refuse(Rule::extents_must_be_equal_or_1, given, wanted);
      y.push_back(wanted < 0 ? given : wanted);
    }
    return ok(x.with_shape(y));
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return;
    const int more = y.rank() - x.rank();
    shape_t to, from;
    to.rank = y.rank();
    from.rank = x.rank();
    do {
      for (int i = 0; i < from.rank; ++i) from[i] = x.extent(i) == 1 ? 0 : to[more + i];
      y.at(to) = x.at(from);
    } while (next_index(to, y.shape));
  }
};

}  // namespace ops

/// `broadcast_to(x, nnrt::shape<2, 3, 4>)`.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto broadcast_to(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::broadcast_to>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
