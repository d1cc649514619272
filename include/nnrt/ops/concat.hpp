// concat: tensors one after the other along an axis.
// Flow: front ends call infer(); the planner lets inputs be computed in place where it can; kernels/select.hpp binds
// the copy.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// The inputs one after the other along `axis`.
///
///   x: any number of tensors of one dtype, format, quantisation and rank, whose other extents are equal
///   y: their shape, with the sum of the extents along `axis`
///
/// `axis` counts from the end when negative; 0 is the default.
///
/// Broken rules: see `rule`; ranks, axes and extents are counted. Source: NNRt OH_NN_OPS_CONCAT.
struct concat {
  static constexpr op_code code{7};
  static constexpr std::string_view name = "concat";
  static constexpr operand_spec inputs[] = {{"x", types::any, presence::variadic}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.joins_inputs = true};
  static constexpr foreign_numbers foreign{.nnrt = 7, .hdi = 31};
  static constexpr nnrt_parameter parameters[] = {{"axis", 10, i64}};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (std::int64_t, axis));
    constexpr attrs() : axis(0) {}
  };

  enum class rule {
    axis_must_be_an_axis_of_the_inputs,
    types_must_be_equal,
    ranks_must_be_equal,
    formats_must_be_equal,
    quantisation_must_be_that_of_the_first_input,  // the number of the input, 0
    extents_beside_the_axis_must_be_equal,
  };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>) {
    tensor_desc y = in[0].desc;
    const int axis = normalise_axis(a.axis, y.rank());
    if (axis < 0) return refuse(rule::axis_must_be_an_axis_of_the_inputs, a.axis, y.rank() - 1);
    for (std::size_t i = 1; i < in.size(); ++i) {
      const tensor_desc& x = in[i].desc;
      if (auto v = require(rule::types_must_be_equal, x.type, y.type); !v) return v;
      if (auto v = require(rule::ranks_must_be_equal, x.rank(), y.rank()); !v) return v;
      if (auto v = require(rule::formats_must_be_equal, x.layout, y.layout); !v) return v;
      if (x.quantised != y.quantised)
        return refuse(rule::quantisation_must_be_that_of_the_first_input, static_cast<std::int64_t>(i), 0);
      if (auto v = join(y.shape, x.shape, axis); !v) return v;
    }
    return yields(y);
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto y = out[0].as<T>();
    const int axis = normalise_axis(a.axis, y.rank());
    std::int64_t first = 0;  // along the axis
    for (const view& input : in) {
      const auto x = input.as<const T>();
      copy_to(y, x, axis, first);
      first += x.extent(axis);
    }
  }

 private:
  /// Puts x behind y; an extent beside the axis that only one of them knows is known.
  static constexpr verdict join(shape_t& y, const shape_t& x, int axis) {
    for (int i = 0; i < y.rank; ++i) {
      if (i == axis) {
        y[i] = y[i] < 0 || x[i] < 0 ? -1 : y[i] > max_elements ? y[i] : y[i] + x[i];  // too large stays too large
      } else {
        if (auto v = require_same_extent(rule::extents_beside_the_axis_must_be_equal, x[i], y[i]); !v) return v;
        if (y[i] < 0) y[i] = x[i];
      }
    }
    return {};
  }
  template <class T>
  static constexpr void copy_to(const tensor_view<T>& y, const tensor_view<const T>& x, int axis, std::int64_t first) {
    if (x.elements() == 0) return;
    shape_t from;
    from.rank = x.rank();
    do y.at(from.with(axis, from[axis] + first)) = x.at(from);
    while (next_index(from, x.shape));
  }
};

}  // namespace ops

/// concat(a, b, …, axis<-1>): any number of tensors, then keywords.
template <tensor_desc X, class... Rest>
requires((dsl::tensor_handle<Rest> || dsl::keyword_argument<Rest>)&&...) constexpr auto concat(tensor<X> first,
                                                                                               Rest... rest) {
  return dsl::apply<ops::concat>(first, rest...);
}

}  // namespace nnrt::inline NNRT_ISA
