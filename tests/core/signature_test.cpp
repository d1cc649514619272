// signature_test: what an operator's tables say of quantised operands and outputs, whatever its own rules are.
#include <nnrt/core/operator.hpp>

#include <doctest/doctest.h>

#include "support/operators.hpp"
#include "support/wish.hpp"

#include <bit>
#include <limits>

namespace {

using namespace nnrt_test;

/// y is like x; what happens to quantised values is in Form.
template <quantised_values Form> struct example {
  static constexpr op_code code{4711};
  static constexpr std::string_view name = "example";
  static constexpr operand_spec inputs[] = {
      {"x", types::any}, {"other", types::any, presence::optional}, {"index", types::index, presence::optional}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.quantised = Form};
  static constexpr auto macs = no_macs;
  using attrs = no_attributes;
  enum class rule {};

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc> wanted) {
    tensor_desc y = in[0].desc;
    if (Form == quantised_values::computed && !wanted.empty()) y.quantised = wanted[0].quantised;
    return ok(y);
  }
};
using plain = example<quantised_values::refused>;
using mover = example<quantised_values::kept>;
using computing = example<quantised_values::computed>;

/// An operand that must be given stands after one that may be missing.
struct last_needed : example<quantised_values::refused> {
  static constexpr operand_spec inputs[] = {
      {"x", types::any}, {"other", types::any, presence::optional}, {"last", types::any}};
};

constexpr quant half{.scale = 0.5F, .zero_point = 3}, third{.scale = 0.3F, .zero_point = 3};
constexpr tensor_desc of(dtype type, quantisation q) { return {type, nd, {2, 3}, q}; }
constexpr operand x(dtype type, quantisation q) { return computed(of(type, q)); }
constexpr std::int64_t bits(float real) { return std::bit_cast<std::int32_t>(real); }
constexpr quant scaled(float scale) { return {scale, 0}; }
constexpr quant shifted(std::int32_t zero_point) { return {1.0F, zero_point}; }

constexpr float smallest = std::numeric_limits<float>::min(), largest = std::numeric_limits<float>::max();
constexpr float infinite = std::numeric_limits<float>::infinity();

static_assert(breaks(infer<last_needed>({}, {computed(f32_of({2})), computed(f32_of({2}))}),
                     signature_rule::required_operand_must_be_given, 2, 3));
static_assert(infer<last_needed>({}, {computed(f32_of({2})), missing(), computed(f32_of({2}))}));

// A scale or zero point that no operator can compute with.
static_assert(breaks(infer<computing>({}, {x(f32, half)}), signature_rule::quantised_type_must_be_an_integer, 11, 2));
static_assert(breaks(infer<computing>({}, {x(i64, half)}), signature_rule::quantised_type_must_be_an_integer, 5, 2));
static_assert(breaks(infer<computing>({}, {x(i8, scaled(0))}), signature_rule::scale_must_be_positive_and_finite, 0,
                     bits(smallest)));
static_assert(breaks(infer<computing>({}, {x(i8, scaled(-1))}), signature_rule::scale_must_be_positive_and_finite,
                     bits(-1), bits(smallest)));
static_assert(breaks(infer<computing>({}, {x(i8, scaled(infinite))}), signature_rule::scale_must_be_positive_and_finite,
                     bits(infinite), bits(largest)));
static_assert(breaks(infer<computing>({}, {x(i8, shifted(128))}),
                     signature_rule::zero_point_must_be_a_number_of_the_type, 128, 127));
static_assert(breaks(infer<computing>({}, {x(u8, shifted(-1))}),
                     signature_rule::zero_point_must_be_a_number_of_the_type, -1, 0));
static_assert(breaks(infer<computing>({}, {x(i16, shifted(-32769))}),
                     signature_rule::zero_point_must_be_a_number_of_the_type, -32769, -32768));
static_assert(infer<computing>({}, {x(u8, shifted(255))}) && infer<computing>({}, {x(i32, shifted(-70000))}));
static_assert(breaks(infer<computing>({}, {x(i8, per_channel<2>)}), signature_rule::quantised_axis_must_be_an_axis, 2,
                     1));
static_assert(breaks(infer<computing>({}, {x(i8, half)}, {wish(per_channel<-1>)}),
                     signature_rule::quantised_axis_must_be_an_axis, -1, 0));

// Those who refuse them; and plain integers, which all take.
static_assert(breaks(infer<plain>({}, {x(i8, half), x(i8, half)}),
                     signature_rule::quantised_operands_must_be_accepted_by_the_operator, 2, 0));
static_assert(infer<plain>({}, {x(i8, {})}));
static_assert(breaks(infer<plain>({}, {x(i8, {})}, {wish(half)}),
                     signature_rule::declared_output_quantisation_must_match, 0, bits(0.5F)));

// Those who move them.
static_assert(infer<mover>({}, {x(i8, half)}).output(0).quantised == quantisation(half));
static_assert(infer<mover>({}, {x(i8, half)}, {wish(half)}));
static_assert(breaks(infer<mover>({}, {x(i8, half)}, {wish(third)}),
                     signature_rule::declared_output_quantisation_must_match, bits(0.5F), bits(0.3F)));
static_assert(breaks(infer<mover>({}, {x(i8, half)}, {wish(quant{0.5F, 4})}),
                     signature_rule::declared_output_quantisation_must_match, 3, 4));
static_assert(breaks(infer<mover>({}, {x(i8, half), x(i8, third)}),
                     signature_rule::quantisation_of_operands_must_be_the_same, bits(0.3F), bits(0.5F)));
static_assert(breaks(infer<mover>({}, {x(i8, half), x(i8, {})}),
                     signature_rule::quantisation_of_operands_must_be_the_same, bits(0), bits(0.5F)));
static_assert(infer<mover>({}, {x(i8, half), x(i32, {})}));
static_assert(infer<mover>({}, {x(i32, half), missing(), x(i32, {})}));  // an index is not moved
static_assert(breaks(infer<mover>({}, {x(i8, per_channel<1>)}), signature_rule::quantised_operand_must_have_one_scale,
                     3, 1));

// Those who compute with them.
static_assert(infer<computing>({}, {x(i8, half)}, {wish(third)}).output(0).quantised == quantisation(third));
static_assert(breaks(infer<computing>({}, {x(i8, half)}, {of(i8, scaled(0))}),
                     signature_rule::scale_must_be_positive_and_finite, 0, bits(smallest)));
static_assert(breaks(infer<computing>({}, {x(i8, half)}, {wish(shifted(200))}),
                     signature_rule::zero_point_must_be_a_number_of_the_type, 200, 127));
static_assert(breaks(infer<computing>({}, {x(f32, {})}, {wish(half)}),
                     signature_rule::quantised_type_must_be_an_integer, 11, 2));

// The scale of booleans means nothing: NNRt asks for one where operands are quantised.
static_assert(infer<plain>({}, {x(boolean, {})}, {wish(half)}).output(0) == of(boolean, {}));
static_assert(infer<plain>({}, {x(boolean, {})}, {of(boolean, scaled(0))}).output(0) == of(boolean, {}));

TEST_CASE("signature: a scale that is no number is refused at run time as well") {
  const quant none{std::numeric_limits<float>::quiet_NaN(), 0};
  const verdict v = infer<computing>({}, {x(i8, none)});
  CHECK(!v);
  CHECK(v.by_signature);
  CHECK(v.rule == static_cast<int>(signature_rule::scale_must_be_positive_and_finite));
  CHECK(v.counted == unit::real);
}

}  // namespace
