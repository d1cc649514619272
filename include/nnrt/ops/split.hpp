// split: cuts a tensor along an axis, into equal parts or parts of given sizes.
// Flow: front ends call infer(); the planner makes the parts views of the input if possible; kernels/select.hpp binds
// the copy.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The parts of x along `axis`, in order.
///
///   x: any shape
///   y: parts with the extents of x, except along `axis`: the extents in `sizes`, or `output_num` equal ones
///
/// `axis` counts from the end when negative; 0 is the default. A size may be 0; one may be -1, which means the rest.
/// Without sizes and output_num there are as many equal parts as the front end declares outputs.
///
/// Broken rules: see `rule`; values: axes, parts, extents. Source: NNRt OH_NN_OPS_SPLIT.
struct split {
  static constexpr op_code code{32};
  static constexpr std::string_view name = "split";
  static constexpr operand_spec inputs[] = {{"x", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any, presence::variadic}};
  static constexpr operator_traits traits{
      .outputs_are_parts = true, .quantised = quantised_values::kept, .axes = axis_role::first_attribute};
  static constexpr foreign_numbers foreign{.nnrt = 32, .hdi = 145};
  static constexpr hdi_field hdi_fields[] = {hdi_field::named("sizeSplits", "sizes")};
  static constexpr nnrt_parameter parameters[] = {
      {"axis", 49, i64}, {"output_num", 50, i64}, nnrt_parameter{"sizes", 51, i64, -1}.appending()};

  static constexpr std::int64_t max_parts = 1024;

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, axis), (std::int64_t, output_num), (int_list<64>, sizes));
    constexpr attrs() : axis(0), output_num(0) {}
  };

  enum class rule {
    axis_must_be_an_axis_of_the_input,
    parts_must_be_at_least_1_and_at_most_1024,
    output_num_must_equal_the_number_of_sizes,
    extent_must_be_divisible_by_the_number_of_parts,
    size_must_not_be_less_than_minus_1,
    only_one_size_may_be_inferred,
    inferred_size_must_not_be_negative,
    sizes_must_add_up_to_the_extent,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const tensor_desc& x = in[0].desc;
    const int axis = normalise_axis(a.axis, x.rank());
    if (axis < 0) return refuse(Rule::axis_must_be_an_axis_of_the_input, a.axis, x.rank() - 1);
    const bool declared = !wanted.empty() && wanted[0].type != dtype::none;  // the DSL only declares quantisation
    std::int64_t parts = parts_of(a);
    if (parts == 0 && declared) parts = static_cast<std::int64_t>(wanted.size());
    if (auto v = require_between(Rule::parts_must_be_at_least_1_and_at_most_1024, parts, 1, max_parts); !v) return v;
    if (a.sizes.empty())
      return equal_parts(x, axis, parts);  // not by ?: - g++ 12 then frees the outputs too early in constant evaluation
    return given_parts(a, x, axis);
  }

  static constexpr auto macs = no_macs;
  /// Parts are consecutive.
  static constexpr std::int64_t part_offset(const attrs&, array_ref<const operand>, array_ref<const tensor_desc> out,
                                            int i) {
    std::int64_t offset = 0;
    for (const tensor_desc& before : out.first(static_cast<std::size_t>(i))) offset += before.elements();
    return offset;
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const int axis = normalise_axis(a.axis, x.rank());
    std::int64_t first = 0;  // along the axis
    for (const view& part : out) {
      copy_from(part.as<T>(), x, axis, first);
      first += part.shape()[axis];
    }
  }

  /// Number of handles that a refused call returns, so that structured bindings do not fail as well.
  static constexpr std::int64_t outputs_asked_for(const attrs& a) {
    const std::int64_t parts = parts_of(a);
    return parts >= 1 && parts <= max_parts ? parts : 1;
  }

 private:
  /// Number of outputs according to the attributes; 0 if they do not determine it.
  static constexpr std::int64_t parts_of(const attrs& a) { return a.sizes.empty() ? a.output_num : a.sizes.count; }
  static constexpr verdict equal_parts(const tensor_desc& x, int axis, std::int64_t parts) {
    const std::int64_t extent = x.shape[axis];
    if (extent >= 0 && extent % parts != 0)
      return refuse(rule::extent_must_be_divisible_by_the_number_of_parts, extent, parts);
    verdict v;
    v.outputs.assign(static_cast<std::size_t>(parts),
                     x.with_shape(x.shape.with(axis, extent < 0 ? -1 : extent / parts)));
    return v;
  }
  static constexpr verdict given_parts(const attrs& a, const tensor_desc& x, int axis) {
    if (a.output_num != 0)
      if (auto v = require(rule::output_num_must_equal_the_number_of_sizes, a.output_num, a.sizes.count); !v) return v;
    const std::int64_t extent = x.shape[axis];
    std::int64_t sum = 0;  // saturated above max_elements
    int inferred = 0;
    for (const std::int64_t size : a.sizes) {
      if (size == -1) {
        if (++inferred > 1) return refuse(rule::only_one_size_may_be_inferred, inferred, 1);
        continue;
      }
      if (auto v = require_at_least(rule::size_must_not_be_less_than_minus_1, size, -1); !v) return v;
      sum = size > max_elements - sum ? max_elements + 1 : sum + size;
    }
    if (inferred == 0) {
      if (auto v = require_same_extent(rule::sizes_must_add_up_to_the_extent, sum, extent); !v) return v;
    } else if (extent >= 0) {
      if (auto v = require_at_least(rule::inferred_size_must_not_be_negative, extent - sum, 0); !v) return v;
    }
    verdict v;
    for (const std::int64_t size : a.sizes)
      v.outputs.push_back(x.with_shape(x.shape.with(axis, size == -1 && extent >= 0 ? extent - sum : size)));
    return v;
  }
  template <class T>
  static constexpr void copy_from(const tensor_view<T>& y, const tensor_view<const T>& x, int axis,
                                  std::int64_t first) {
    if (y.elements() == 0) return;
    shape_t to;
    to.rank = y.rank();
    do y.at(to) = x.at(to.with(axis, to[axis] + first));
    while (next_index(to, y.shape));
  }
};

}  // namespace ops

/// `split(x, sizes<1, 2, 3>, axis<1>)`: parts of these extents, for structured bindings.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto split(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::split>(x, keywords...);
}

/// `split<3>(x, axis<-1>)`: 3 equal parts, for structured bindings.
template <int Parts, tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto split(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::split>(x, output_num<Parts>, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
