// bounds_test: operators that state no bound of their errors give exact results, rounded once.
// Flow: random nodes of every operator, by kernels and references; the exact result is the reference's for f64. Bounds
// that are stated: tests/kernels/bounds*_test.cpp.
#include "battery/each_node.hpp"
#include "battery/kernel_of.hpp"
#include "battery/one_node.hpp"

#include "support/kernels.hpp"
#include "support/measured.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace nnrt_test;

namespace {

/// The elements as f64, as a node's operand; those that are no floating point stay.
random_operand in_double(const random_operand& x) {
  random_operand wide = x;
  if (!types::floating.contains(x.desc.type)) return wide;
  wide.desc.type = f64;
  wide.bytes.clear();
  with_element<types::floating>(x.desc.type, [&]<class T>(T) {
    for (std::size_t at = 0; at < x.bytes.size(); at += sizeof(T)) {
      T element;
      std::memcpy(&element, x.bytes.data() + at, sizeof(T));
      const auto number = math::convert<double>(element);
      const auto* const first = reinterpret_cast<const std::byte*>(&number);
      wide.bytes.insert(wide.bytes.end(), first, first + sizeof number);
    }
  });
  return wide;
}

double real_at(dtype type, const std::vector<std::byte>& bytes, std::size_t i) {
  double number = 0;
  with_element<types::floating>(type, [&]<class T>(T) {
    T element;
    std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
    number = math::convert<double>(element);
  });
  return number;
}

/// Converts integers that are combined with floats to the result's dtype, if it has their values. False where it
/// has none for one of them.
bool take_integers_of(dtype result, random_operand& x) {
  bool all = true;
  with_element<types::integer>(x.desc.type, [&]<class T>(T) {
    for (std::size_t at = 0; at < x.bytes.size(); at += sizeof(T)) {
      T element;
      std::memcpy(&element, x.bytes.data() + at, sizeof(T));
      const double stored = as_quantised(result, static_cast<double>(element));
      all = all && std::isfinite(stored);
      element = math::convert<T>(stored);
      std::memcpy(x.bytes.data() + at, &element, sizeof(T));
    }
  });
  return all;
}

}  // namespace

TEST_CASE("battery: an operator that states no bound of its errors has exact results, rounded once") {
  int compared = 0;
  for_each_node(12, [&](random_node& node, dice&) {
    const dtype type = node.out[0].type;
    if (node.op->label->errors.data() != rounded_once || (type != f32 && type != f16) ||
        node.op->traits.result == storage::alias_of_input)
      return;
    random_node wide = node;
    const bool has_real_operands =
        std::ranges::any_of(node.in, [](const random_operand& x) { return types::floating.contains(x.desc.type); });
    for (random_operand& x : wide.in) {
      if (has_real_operands && types::integer.contains(x.desc.type) && !take_integers_of(type, x)) return;
      x = in_double(x);
    }
    for (tensor_desc& wish : wide.wanted)
      if (types::floating.contains(wish.type)) wish.type = f64;
    const verdict v = wide.infer();
    if (!v || v.outputs[0].type != f64) return;
    wide.out.assign(v.outputs.begin(), v.outputs.end());
    const kernel_choice choice = choice_for(node);
    const node_result exact = reference_of(wide), got[] = {reference_of(node), kernel_of(node, choice, 1)};
    if (exact.fault || got[0].fault) return;
    ++compared;
    CAPTURE(choice.name);
    for (const node_result& by : got)
      for (std::int64_t i = 0; i < node.out[0].elements(); ++i) {
        const double expected = real_at(f64, exact.bytes[0], static_cast<std::size_t>(i)),
                     y = real_at(type, by.bytes[0], static_cast<std::size_t>(i));
        if (!(std::fabs(expected) < largest_in(type))) continue;
        CAPTURE(expected);
        CAPTURE(y);
        CHECK(std::fabs(y - expected) <= 0.51 * static_cast<double>(unit_of(type, expected)));
      }
  });
  CHECK(compared > 300);
}
