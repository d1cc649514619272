// binary: common parts of operators on two tensors - broadcasting rules, attributes, scalars and the reference loop.
// Flow: ops/add.hpp and similar operators use it; each has an enum of rules, so that errors name the operator.
#pragma once

#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace dsl {

template <class T> inline constexpr dtype type_of_argument = dtype::none;
template <tensor_desc Desc> inline constexpr dtype type_of_argument<tensor<Desc>> = Desc.type;

/// Whether a scalar is valid with this tensor: 0.5 with integers would silently become 0.
template <class Scalar, class Tensor>
inline constexpr bool scalar_keeps_its_value =
    !std::is_floating_point_v<Scalar> || !(types::integer | types::logical).contains(type_of_argument<Tensor>);

template <class... T> inline constexpr bool any_is_tensor = (is_tensor<T> || ...);

/// Two operands, at least one of which is a tensor; the other may be a number, which gets the tensor's dtype.
template <class A, class B>
concept operand_pair = operand_argument<A> && operand_argument<B> && any_is_tensor<A, B>;

/// Compile error for a scalar that its tensor's dtype cannot hold.
template <class A, class B> consteval void check_scalar() {
  static_assert(scalar_keeps_its_value<A, B> && scalar_keeps_its_value<B, A>,
                "nnrt: with an integer tensor a scalar must be an integer, too; cast the tensor for fractions");
}

}  // namespace dsl

namespace ops::detail {

/// Attributes of a binary operator that fuses an activation.
struct fused_attribute {
  NNRT_ATTRIBUTES(fused_attribute, (activation, fused));
  constexpr fused_attribute() : fused(activation::none) {}
};

/// Format of a broadcast result: the one of the operand of higher rank; for equal ranks the first one's, unless only
/// the second is NCHW. (NHWC may be a default, NCHW is always explicit.)
constexpr format broadcast_layout(const tensor_desc& a, const tensor_desc& b) {
  if (a.rank() != b.rank()) return a.rank() > b.rank() ? a.layout : b.layout;
  return b.layout == format::nchw ? b.layout : a.layout;
}

/// The broadcast of the operands, as a tensor of this dtype, or the broken rule of `Rule`.
template <class Rule> constexpr verdict infer_broadcast(array_ref<const operand> in, dtype type) {
  const tensor_desc &a = in[0].desc, &b = in[1].desc;
  const broadcast_result both = broadcast(a.shape, b.shape);
  if (!both.fits) return refuse(Rule::extents_must_be_equal_or_1, both.right, both.left);
  return ok(tensor_desc{type, broadcast_layout(a, b), both.shape});
}

/// Dtypes of arithmetic operators; booleans count as 0 and 1 in combination with numbers.
inline constexpr dtype_set arithmetic = types::number | types::logical;

/// Output of an arithmetic operator, of its operands' common dtype.
template <class Rule> constexpr verdict infer_arithmetic(array_ref<const operand> in) {
  const dtype a = in[0].desc.type, b = in[1].desc.type, type = common_type(a, b);
  if (type == dtype::none) return require(Rule::types_must_have_a_common_type, b, a);
  if (type == boolean) return refuse(Rule::operands_must_not_both_be_boolean, 2, 1);
  return infer_broadcast<Rule>(in, type);
}

/// Type of computation of two elements: unsigned for integers, which wrap around in their width; a float type for
/// floats.
template <class T> using wrapping_t = std::conditional_t<std::is_integral_v<T>, std::uint64_t, math::compute_t<T>>;

/// A result after its fused activation, as an element.
template <class T, class Wide> constexpr T finished(Wide value, activation fused) {
  if constexpr (std::is_integral_v<T>) return activate(static_cast<T>(value), fused);
  else return static_cast<T>(activate(value, fused));
}

/// Element i of memory with any dtype, as a T.
template <class T> constexpr T element_as(const any_pointer& data, dtype type, std::int64_t i) {
  T value{};
  with_element<types::any>(type, [&]<class From>(From) { value = math::convert<T>(data.get<From>()[i]); });
  return value;
}

/// An operand broadcast to a shape; elements of any dtype are read as T.
template <class T> struct repeated {
  const view& x;
  shape_t strides;

  constexpr repeated(const view& operand, const shape_t& to)
      : x(operand),
        strides(broadcast_strides(x.shape(), x.strides != nullptr ? *x.strides : row_major_strides(x.shape()), to)) {}

  constexpr T at(const shape_t& index) const {
    std::int64_t offset = 0;
    for (int i = 0; i < strides.rank; ++i) offset += index.extents[i] * strides.extents[i];
    return x.type() == dtype_for<T>() ? x.data.get<T>()[offset] : element_as<T>(x.data, x.type(), offset);
  }
};

/// y = f(a, b), element by element with broadcasting; f takes two T and returns an R.
template <class T, class R = T, class F> constexpr void for_each_pair(arguments in, results out, F f) {
  const auto y = out[0].as<R>();
  const repeated<T> a(in[0], y.shape), b(in[1], y.shape);
  shape_t index;
  index.rank = y.rank();
  for (std::int64_t left = y.elements(); left > 0; --left) {
    y.at(index) = f(a.at(index), b.at(index));
    next_index(index, y.shape);
  }
}

/// Common part of operators on two boolean tensors.
struct connective {
  static constexpr operand_spec inputs[] = {{"a", types::logical}, {"b", types::logical}};
  static constexpr operand_spec outputs[] = {{"y", types::logical}};
  static constexpr operator_traits traits{
      .result = storage::in_place, .in_files = file_order::broadcast, .axes = axis_role::elementwise};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  static constexpr auto macs = no_macs;
};

}  // namespace ops::detail
}}  // namespace nnrt::NNRT_ISA
