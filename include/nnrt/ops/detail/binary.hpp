// binary: what operators on two tensors have in common - broadcasting rules, attributes, scalars and the naive loop.
// Flow: ops/add.hpp and its like are made of these; each keeps its own enum of rules, so that errors name the operator.
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

/// Whether a scalar can stand beside this tensor: 0.5 beside integers would silently become 0.
template <class Scalar, class Tensor>
inline constexpr bool scalar_keeps_its_value =
    !std::is_floating_point_v<Scalar> || !(types::integer | types::logical).contains(type_of_argument<Tensor>);

template <class... T> inline constexpr bool any_is_tensor = (is_tensor<T> || ...);

/// Two operands, of which at least one is a tensor; the other may be a number, which takes the tensor's dtype.
template <class A, class B>
concept operand_pair = operand_argument<A> && operand_argument<B> && any_is_tensor<A, B>;

/// The complaint about a scalar that its tensor's dtype cannot hold.
template <class A, class B> consteval void check_scalar() {
  static_assert(scalar_keeps_its_value<A, B> && scalar_keeps_its_value<B, A>,
                "nnrt: beside an integer tensor a scalar must be an integer, too; cast the tensor for fractions");
}

}  // namespace dsl

namespace ops::detail {

/// Attributes of a binary operator that fuses an activation.
struct fused_attribute {
  NNRT_ATTRIBUTES(fused_attribute, (activation, fused));
  constexpr fused_attribute() : fused(activation::none) {}
};

/// The format of what two tensors broadcast to: that of the one of higher rank; of equal ranks, the first one's, unless
/// only the second is NCHW. (NHWC may be a mere default, NCHW is always meant.)
constexpr format broadcast_layout(const tensor_desc& a, const tensor_desc& b) {
  if (a.rank() != b.rank()) return a.rank() > b.rank() ? a.layout : b.layout;
  return b.layout == format::nchw ? b.layout : a.layout;
}

/// What the operands of a binary operator broadcast to, as a tensor of this dtype, or the broken rule of `Rule`.
template <class Rule> constexpr verdict infer_broadcast(array_ref<const operand> in, dtype type) {
  const tensor_desc &a = in[0].desc, &b = in[1].desc;
  const broadcast_result both = broadcast(a.shape, b.shape);
  if (!both.fits) return refuse(Rule::extents_must_be_equal_or_1, both.right, both.left);
  return ok(tensor_desc{type, broadcast_layout(a, b), both.shape});
}

/// What operators of arithmetic take; booleans count as 0 and 1 beside numbers.
inline constexpr dtype_set arithmetic = types::number | types::logical;

/// The output of an operator of arithmetic, of the dtype that its operands have in common.
template <class Rule> constexpr verdict infer_arithmetic(array_ref<const operand> in) {
  const dtype a = in[0].desc.type, b = in[1].desc.type, type = common_type(a, b);
  if (type == dtype::none) return require(Rule::types_must_have_a_common_type, b, a);
  if (type == boolean) return refuse(Rule::operands_must_not_both_be_boolean, 2, 1);
  return infer_broadcast<Rule>(in, type);
}

/// The type in which two elements meet: integers wrap around in their own width, floats are floats.
template <class T> using wrapping_t = std::conditional_t<std::is_integral_v<T>, std::uint64_t, math::compute_t<T>>;

/// A result after its fused activation, as an element.
template <class T, class Wide> constexpr T finished(Wide value, activation fused) {
  if constexpr (std::is_integral_v<T>) return activate(static_cast<T>(value), fused);
  else return static_cast<T>(activate(value, fused));
}

/// Element i of memory that holds elements of any dtype, as a T.
template <class T> constexpr T element_as(const any_pointer& data, dtype type, std::int64_t i) {
  T value{};
  with_element<types::any>(type, [&]<class From>(From) { value = math::convert<T>(data.get<From>()[i]); });
  return value;
}

/// An operand in the shape that it is repeated to; its elements are read as T, whatever dtype they have.
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

/// y = f(a, b), element by element under broadcasting; f takes two T and returns an R.
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

/// What operators on two tensors of truth values have in common.
struct connective {
  static constexpr operand_spec inputs[] = {{"a", types::logical}, {"b", types::logical}};
  static constexpr operand_spec outputs[] = {{"y", types::logical}};
  static constexpr operator_traits traits{.result = storage::in_place, .in_files = file_order::broadcast};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  static constexpr auto macs = no_macs;
};

}  // namespace ops::detail
}}  // namespace nnrt::NNRT_ISA
