// one_node: see the header.
#include "battery/one_node.hpp"

#include <nnrt/core/convert.hpp>
#include <nnrt/io/model_builder.hpp>
#include <nnrt/ops/detail/type_numbers.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace nnrt_test {
namespace {

/// What kernels may do to numbers of a dtype by computing in another order than references.
struct precision {
  double unit;   // in the last place of 1
  double large;  // from here on one order overflows where another does not
  double least;  // the step between the smallest numbers
};
precision precision_of(dtype type) {
  if (type == f64) return {0x1p-52, 1e300, 0x1p-1074};
  return type == f32 ? precision{0x1p-23, 1e30, 0x1p-149} : precision{0x1p-10, 3e4, 0x1p-24};
}

/// Elements of a floating dtype as doubles; none of any other.
std::vector<double> reals_of(dtype type, const std::vector<std::byte>& bytes) {
  std::vector<double> numbers;
  with_element<types::floating>(type, [&]<class T>(T element) {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
      std::memcpy(&element, bytes.data() + at, sizeof(T));
      numbers.push_back(static_cast<double>(element));
    }
  });
  return numbers;
}

double largest_of(double largest, const std::vector<double>& numbers) {
  for (const double number : numbers)
    if (std::isfinite(number)) largest = std::max(largest, std::fabs(number));
  return largest;
}

/// What differs; empty: nothing more than it may. Integers and booleans must be the same; real numbers close, measured
/// in units in the last place of the largest number of all, and NaN or infinite where the others are.
std::string difference_of(const tensor_desc& desc, const std::vector<std::byte>& got,
                          const std::vector<std::byte>& expected, double largest_operand, double units) {
  if (!types::floating.contains(desc.type)) return got == expected ? "" : "other bytes";
  const std::vector<double> x = reals_of(desc.type, got), y = reals_of(desc.type, expected);
  const auto [unit, large, least] = precision_of(desc.type);
  const double allowed = std::max(units * unit * largest_of(largest_operand, y), least);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (std::isnan(x[i]) && std::isnan(y[i])) continue;
    if (std::fabs(x[i]) > large && std::fabs(y[i]) > large) continue;
    if (x[i] != y[i] && !(std::fabs(x[i] - y[i]) <= allowed))
      return joined({"element ", i, " is ", std::to_string(x[i]), ", expected ", std::to_string(y[i]), " within ",
                     std::to_string(allowed)});
  }
  return {};
}

/// Whether integers differ by at most `steps`.
bool are_within(int steps, const tensor_desc& desc, const std::vector<std::byte>& got,
                const std::vector<std::byte>& expected) {
  bool all = got.size() == expected.size() && types::integer.contains(desc.type);
  if (!all) return false;
  with_element<types::integer>(desc.type, [&]<class T>(T x) {
    for (std::size_t at = 0; at < got.size(); at += sizeof(T)) {
      T y{};
      std::memcpy(&x, got.data() + at, sizeof(T));
      std::memcpy(&y, expected.data() + at, sizeof(T));
      all = all && std::fabs(static_cast<double>(x) - static_cast<double>(y)) <= steps;
    }
  });
  return all;
}

}  // namespace

std::int32_t add_operand(model_builder& builder, const random_operand& x, std::size_t number, bool hides_extents) {
  std::int32_t id = ir::none;
  if (x.is_constant) {
    with_element<types::any>(x.desc.type, [&]<class T>(T) {
      id =
          builder.constant<T>(x.desc, {reinterpret_cast<const T*>(x.bytes.data()), x.bytes.size() / sizeof(T)}).value();
    });
  } else {
    tensor_desc declared = x.desc;
    if (hides_extents && x.desc.quantised.mode != quantisation::kind::per_channel)  // as many scales as it has channels
      for (int axis = 0; axis < declared.rank(); axis += 2) declared.shape[axis] = -1;
    id = builder.input("x" + std::to_string(number), declared).value();
  }
  if (x.desc.quantised.mode == quantisation::kind::per_channel) {
    const tensor_desc scales{f32, {static_cast<std::int64_t>(x.scales.size())}};
    builder.set_scales(id, builder.constant<float>(scales, x.scales).value());
  }
  return id;
}

node_result reference_of(random_node& node, std::byte filling) {
  const std::vector<view> in = node.views();
  return with_outputs(node, filling, [&](results out) { return node.op->reference(node.words, in, out); });
}

std::string difference(const random_node& node, const node_result& got, const node_result& expected, int steps) {
  if (got.bytes.size() != expected.bytes.size())
    return joined({"got ", got.bytes.size(), " outputs, expected ", expected.bytes.size()});
  double largest = 0, elements = 0;
  for (const random_operand& x : node.in) {
    largest = largest_of(largest, reals_of(x.desc.type, x.bytes));
    elements = std::max(elements, static_cast<double>(x.desc.elements()));
  }
  if (node.op->macs(node.words, node.operands(), node.out) > 0) largest = std::max(largest, largest * largest);
  for (std::size_t i = 0; i < node.out.size(); ++i) {
    // 32 units, and one for each element that an element of the result is computed from.
    const double units = 32 + elements / std::max(static_cast<double>(node.out[i].elements()), 1.0);
    if (steps > 0 && node.out[i].quantised && are_within(steps, node.out[i], got.bytes[i], expected.bytes[i])) continue;
    if (got.bytes[i].size() != expected.bytes[i].size())
      return joined({"output ", i, " has another size than the reference computes"});
    if (const std::string how = difference_of(node.out[i], got.bytes[i], expected.bytes[i], largest, units);
        !how.empty())
      return joined({"output ", i, " is not what the reference computes: ", how});
  }
  return {};
}

namespace {

/// Elements of From as elements of To.
template <class To, class From> std::vector<std::byte> converted(const std::vector<std::byte>& bytes) {
  std::vector<std::byte> made(bytes.size() / sizeof(From) * sizeof(To));
  for (std::size_t i = 0; i < bytes.size() / sizeof(From); ++i) {
    From x{};
    std::memcpy(&x, bytes.data() + i * sizeof(From), sizeof(From));
    const To y = math::convert<To>(x);
    std::memcpy(made.data() + i * sizeof(To), &y, sizeof(To));
  }
  return made;
}

/// What the reference makes of the node with float32 in place of float16, rounded; nothing where the rules refuse that.
std::optional<node_result> reference_in_floats(const random_node& node) {
  random_node wide = node;
  for (random_operand& x : wide.in) {
    if (x.desc.type != f16) continue;
    x.desc.type = f32;
    x.bytes = converted<float, float16>(x.bytes);
  }
  for (tensor_desc& y : wide.wanted)
    if (y.type == f16) y.type = f32;
  const auto type_of = [](const tensor_desc& desc) { return desc.type == f16 ? f32 : desc.type; };
  const dtype input = wide.in.empty() ? dtype::none : wide.in[0].desc.type;
  ops::detail::repeat_types(node.op->label->attributes, array_ref<word>(wide.words.data(), wide.words.size()), input,
                            type_of(node.out[0]));
  const verdict v = wide.infer();
  if (!v) return std::nullopt;
  wide.out.assign(v.outputs.begin(), v.outputs.end());
  node_result made = reference_of(wide);
  for (std::size_t i = 0; i < wide.out.size(); ++i)
    if (wide.out[i].type == f32 && node.out[i].type == f16) made.bytes[i] = converted<float16, float>(made.bytes[i]);
  return made;
}

}  // namespace

std::string difference_of_network(const random_node& node, const node_result& got, const node_result& expected,
                                  int steps) {
  const std::string how = difference(node, got, expected, steps);
  if (how.empty() || node.out.empty() || node.out[0].type != f16) return how;
  const auto in_floats = reference_in_floats(node);
  return in_floats && difference(node, got, *in_floats, steps).empty() ? std::string() : how;
}

std::vector<const random_operand*> fed_operands(const random_node& node) {
  std::vector<const random_operand*> fed;
  for (const random_operand& x : node.in)
    if (!x.is_constant && x.desc.type != dtype::none) fed.push_back(&x);
  return fed;
}

std::optional<model> network_of(const random_node& node, bool hides_extents) {
  model_builder builder;
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < node.in.size(); ++i)
    ids.push_back(node.in[i].desc.type == dtype::none ? ir::none : add_operand(builder, node.in[i], i, hides_extents));
  const auto outputs = builder.apply(*node.op, node.words, ids, node.wanted);
  if (!outputs) return std::nullopt;
  for (std::size_t i = 0; i < outputs->size(); ++i)
    if (!builder.output("y" + std::to_string(i), (*outputs)[i])) return std::nullopt;
  return builder.finish();
}

}  // namespace nnrt_test
