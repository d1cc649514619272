// new_operator_test: an operator that stands in no list is all that the C functions, HDI and dumps need to know of it.
// Flow: CONTRIBUTING.md says that one header is enough; here is one, in one file.
#include <nnrt/hdi/operators.hpp>

#include <nnrt/c_api/operations.hpp>
#include <nnrt/ops/detail/unary.hpp>

#include <doctest/doctest.h>

using namespace nnrt;

namespace {

/// y = most * min(x / most, 1) with a slope that HDI calls otherwise: HDI's CLIP {max, min}.
struct saturate {
  static constexpr op_code code{999};
  static constexpr std::string_view name = "saturate";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 999, .hdi = 30};
  static constexpr hdi_field hdi_fields[] = {hdi_field::named("max", "most"), hdi_field::always("min", -7)};
  static constexpr nnrt_parameter parameters[] = {{"most", 990, f32}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (float, most));
    constexpr attrs() : most(1) {}
  };
  enum class rule {};

  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    return ok(in[0].desc);
  }
  static constexpr auto macs = no_macs;
  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    ops::detail::for_each_real<T>(in, out, [&](double x) { return x < double{a.most} ? x : double{a.most}; });
  }
};

/// `saturate` with a forgotten member of the node, and with an attribute that has no place.
struct forgets_a_member : saturate {
  static constexpr hdi_field hdi_fields[] = {hdi_field::named("max", "most")};
};
struct forgets_an_attribute : saturate {
  static constexpr hdi_field hdi_fields[] = {hdi_field::always("max", 0), hdi_field::always("min", 0)};
};
static_assert(hdi::detail::forgotten<saturate, hdi::Clip>().empty());
static_assert(hdi::detail::forgotten<forgets_a_member, hdi::Clip>() == "min");
static_assert(hdi::detail::forgotten<forgets_an_attribute, hdi::Clip>() == "most");

}  // namespace

TEST_CASE("new operator: HDI's node follows from the header, both ways") {
  const hdi::operator_encoding& encoding = hdi::detail::encoding_of_operator<saturate>;
  CHECK(encoding.since == hdi::version::v2_1);
  saturate::attrs attributes;
  attributes.most = 6;
  pool<word> words;
  pack(attributes, words);
  const auto encoded = hdi::encode_node(hdi::version::v2_1, hdi::encoder::upstream, encoding, words, {});
  REQUIRE(encoded.has_value());
  hdi::Clip node{};
  hdi::reader in(encoded->node_attr);
  REQUIRE(hdi::unmarshal(in, node).has_value());
  CHECK(node == hdi::Clip{6, -7});
  hdi::reader again(encoded->node_attr);
  const hdi::read_attributes read = encoding.read(hdi::version::v2_1, false, again, {});
  CHECK(read.fault.empty());
  CHECK(unpack<saturate::attrs>(read.words).most == 6);
}

TEST_CASE("new operator: the C functions' parameter tensors follow from the header") {
  const c_api::operation_kind& kind = c_api::detail::kind_of<saturate>;
  const float most = 2.5F;
  c_api::parameter given;
  given.tensor_type = 990, given.type = f32, given.count = 1;
  given.bytes = array_ref<const std::byte>(reinterpret_cast<const std::byte*>(&most), sizeof most);
  given.row = c_api::parameter_row_of(kind, given);
  CHECK(c_api::fault_of(kind, given).empty());
  CHECK(
      unpack<saturate::attrs>(kind.decode(array_ref<const c_api::parameter>(&given, 1), c_api::api_level).words).most ==
      2.5F);
  given.type = i64;
  CHECK(c_api::fault_of(kind, given) == "most: got a tensor of i64, expected f32");
  CHECK(c_api::fault_of_counts(kind, 2, 1) == "got 2 inputs, expected 1");
}

TEST_CASE("new operator: dumps and graphs know it by its header") {
  const operator_info& op = dynamic_operator<saturate>;
  REQUIRE(op.label->attributes.size() == 1);
  CHECK(op.label->attributes[0].name == "most");
  CHECK(op.label->name == "saturate");
}
