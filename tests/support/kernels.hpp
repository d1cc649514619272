// kernels: how tests hold a node's fast kernel against its operator's reference, for any number of parts and in place.
#pragma once

#include <nnrt/core/convert.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/of.hpp>
#if !defined(NNRT_SEPARATE_COMPILATION)
#include <nnrt/kernels/select.hpp>  // a test that is compiled by hand: no other unit has the kernels
#endif

#include <doctest/doctest.h>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <support/call.hpp>
#include <support/fenced.hpp>
#include <utility>
#include <vector>

namespace nnrt_test {

using namespace nnrt;

/// Numbers in [-range, range] that follow from the seed.
inline std::vector<float> random_floats(std::int64_t n, std::uint32_t seed, float range = 4.0F) {
  std::vector<float> values(static_cast<std::size_t>(n));
  std::uint32_t state = seed * 2654435761U + 12345U;
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;
    value = (static_cast<float>(state >> 8U) * 0x1p-23F - 1.0F) * range;
  }
  return values;
}

/// The values, some of them replaced by NaN, infinities and zeros.
inline std::vector<float> with_special_values(std::vector<float> values) {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float special[] = {nan, infinity, -infinity, 0.0F, -0.0F};
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] = special[i / 3 % 5];
  return values;
}

/// Bytes before a page that may not be touched.
class fenced_bytes {
 public:
  explicit fenced_bytes(const std::vector<std::byte>& bytes)
      : floats_(static_cast<std::int64_t>(bytes.size() + 3) / 4), size_(bytes.size()) {
    if (size_ > 0) std::memcpy(data(), bytes.data(), size_);
  }
  std::byte* data() { return reinterpret_cast<std::byte*>(floats_.data() + floats_.size()) - size_; }
  std::vector<std::byte> copy() { return {data(), data() + size_}; }

 private:
  fenced floats_;
  std::size_t size_;
};

/// One operand of a node under test.
struct given_operand {
  tensor_desc desc;
  std::vector<std::byte> bytes;
  std::vector<std::int64_t> values;  // of a constant integer operand
  bool is_constant = false;
  std::vector<float> scales = {};  // of each channel

  operand as_operand() const { return {desc, values, is_constant}; }
  /// One without a dtype is missing.
  view as_view() {
    return desc.type == dtype::none ? view{} : view{&desc, any_pointer::bytes(bytes.data()), nullptr, scales};
  }
};

inline given_operand bytes_of(const tensor_desc& desc, const void* first) {
  given_operand x{desc, std::vector<std::byte>(static_cast<std::size_t>(desc.bytes())), {}, false, {}};
  if (!x.bytes.empty()) std::memcpy(x.bytes.data(), first, x.bytes.size());
  return x;
}
inline given_operand floats(shape_t shape, const std::vector<float>& values) {
  return bytes_of({f32, shape}, values.data());
}
inline given_operand floats(shape_t shape, std::uint32_t seed = 1) {
  return floats(shape, random_floats(shape.elements(), seed));
}
/// The numbers as elements of another type, rounded or truncated.
template <class T> given_operand elements(shape_t shape, const std::vector<float>& values) {
  std::vector<T> converted;
  for (const float value : values) converted.push_back(math::convert<T>(value));
  return bytes_of({dtype_for<T>(), shape}, converted.data());
}
template <class T> given_operand elements(shape_t shape, std::uint32_t seed, float range = 4.0F) {
  return elements<T>(shape, random_floats(shape.elements(), seed, range));
}
inline given_operand constant(given_operand x) {
  x.is_constant = true;
  return x;
}
/// A constant list of integers, or (for a scalar) a single one.
inline given_operand integers_of(std::vector<std::int64_t> values) {
  given_operand x = constant(bytes_of({i64, {static_cast<std::int64_t>(values.size())}}, values.data()));
  x.values = values;
  return x;
}
/// Counted bytes for kernels that only move them.
inline given_operand pattern(dtype type, shape_t shape) {
  const tensor_desc desc{type, shape};
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(desc.bytes()));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(type == boolean ? i % 3 == 0 : i * 37 + i / 251);
  return bytes_of(desc, bytes.data());
}

/// How far an f32 result may be from the reference: the larger of both.
struct tolerance {
  double absolute = 0, relative = 0;
};

using blocks = std::vector<std::vector<std::byte>>;

/// A node under test: its operands, and what its outputs are. Its operator may be another unit's (ops/of.hpp), so that
/// tests compile no kernels.
struct tested_node {
  const operator_info& op;
  std::vector<given_operand> in;
  std::vector<word> words;
  std::vector<operand> operands;
  std::vector<tensor_desc> outputs;

  tested_node(const operator_info& tested, std::vector<word> attributes, std::vector<given_operand> given,
              const std::vector<tensor_desc>& wanted)
      : op(tested), in(std::move(given)), words(std::move(attributes)) {
    for (const given_operand& x : in) operands.push_back(x.as_operand());
    const verdict v = op.infer(words, operands, wanted);
    CAPTURE(v.rule);
    REQUIRE(bool(v));
    outputs.assign(v.outputs.begin(), v.outputs.end());
  }
  tested_node(const tested_node&) = delete;
  tested_node& operator=(const tested_node&) = delete;

  kernel_choice choose() const { return op.select({words, operands, outputs}); }

  blocks reference() {
    blocks memory = empty_outputs();
    const std::vector<view> arguments = input_views(), results = output_views(memory);
    op.reference(words, arguments, results);
    return memory;
  }

  /// What the kernel gives, done in `parts` parts of `pieces` pieces, the last one first; input `in_place` shares its
  /// memory with output 0 when it is not negative.
  blocks kernel(const kernel_choice& choice, int parts, int in_place = -1, int pieces = 1) {
    std::deque<fenced_bytes> inputs, memory;
    std::vector<view> arguments = input_views(), results;
    for (std::size_t i = 0; i < in.size(); ++i)
      arguments[i].data = any_pointer::bytes(inputs.emplace_back(in[i].bytes).data());
    for (const std::vector<std::byte>& empty : empty_outputs())
      results.push_back({&outputs[results.size()], any_pointer::bytes(memory.emplace_back(empty).data())});
    const tensor_desc packed_desc{u8, {choice.packed_bytes}};
    std::vector<std::byte> packed_block(static_cast<std::size_t>(choice.packed_bytes) + 64);
    const view packed{&packed_desc, any_pointer::bytes(aligned(packed_block))};
    if (choice.pack != nullptr) {
      std::vector<view> packs_into{packed};
      for (const tensor_desc& y : outputs) packs_into.push_back({&y, {}});
      const int packers = choice.pack_parts > 1 ? parts : 1;
      for (int part = packers; part-- > 0;)
        choice.pack(call_of(choice, words, arguments, packs_into, nullptr, part, packers));
      for (std::size_t i = 0; i < arguments.size(); ++i)
        if ((choice.packs >> i & 1U) != 0) arguments[i].data = any_pointer{};
      arguments.push_back(packed);
    }
    if (in_place >= 0) {
      const auto i = static_cast<std::size_t>(in_place);
      std::memcpy(memory[0].data(), in[i].bytes.data(), in[i].bytes.size());
      arguments[i].data = results[0].data;
    }
    std::vector<std::byte> scratch(static_cast<std::size_t>(choice.scratch_bytes) + 64);
    for (int part = parts; part-- > 0;)
      for (int piece = pieces; piece-- > 0;)
        choice.run(call_of(choice, words, arguments, results, aligned(scratch), part, parts, piece, pieces));
    blocks bytes;
    for (fenced_bytes& block : memory) bytes.push_back(block.copy());
    return bytes;
  }

 private:
  static std::byte* aligned(std::vector<std::byte>& block) {
    const auto at = reinterpret_cast<std::uintptr_t>(block.data());
    return block.data() + (64 - at % 64) % 64;
  }
  blocks empty_outputs() const {
    blocks memory;
    for (const tensor_desc& y : outputs) memory.emplace_back(static_cast<std::size_t>(y.bytes()), std::byte{0x5a});
    return memory;
  }
  std::vector<view> input_views() {
    std::vector<view> views;
    for (given_operand& x : in) views.push_back(x.as_view());
    return views;
  }
  std::vector<view> output_views(blocks& memory) const {
    std::vector<view> views;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      views.push_back({&outputs[i], any_pointer::bytes(memory[i].data())});
    return views;
  }
};

/// tested_node of an operator that the test names.
template <class Op> struct node_under_test : tested_node {
  node_under_test(const typename Op::attrs& attrs, std::vector<given_operand> given,
                  const std::vector<tensor_desc>& wanted = {})
      : tested_node(ops::of<Op>(), words_of(attrs), std::move(given), wanted) {}

 private:
  static std::vector<word> words_of(const typename Op::attrs& attrs) {
    std::vector<word> words;
    pack(attrs, words);
    return words;
  }
};

inline bool is_close(float got, float expected, tolerance allowed) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (std::isinf(expected) || std::isinf(got)) return got == expected;
  const double difference = std::fabs(double{got} - double{expected});
  return difference <= allowed.absolute || difference <= allowed.relative * std::fabs(double{expected});
}

/// The first element that differs too much, or -1.
inline std::int64_t first_difference(const std::vector<std::byte>& got, const std::vector<std::byte>& expected,
                                     const tensor_desc& desc, tolerance allowed) {
  if (desc.type != f32) return got == expected ? -1 : 0;
  for (std::int64_t i = 0; i < desc.elements(); ++i) {
    float x, y;
    std::memcpy(&x, got.data() + i * 4, 4);
    std::memcpy(&y, expected.data() + i * 4, 4);
    if (is_close(x, y, allowed)) continue;
    MESSAGE("got ", x, ", expected ", y);
    return i;
  }
  return -1;
}

/// Checks that the kernel agrees with the reference, that its bits do not depend on the number of parts, and that it
/// works in place where the operator says so.
inline void check_kernel_of(tested_node& node, tolerance allowed) {
  const kernel_choice choice = node.choose();
  REQUIRE(bool(choice));
  CHECK(choice.parts >= 1);
  CHECK(choice.parts <= 1024);
  CHECK_FALSE(choice.name.empty());
  const blocks whole = node.kernel(choice, 1), expected = node.reference();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(first_difference(whole[i], expected[i], node.outputs[i], allowed) == -1);
  }
  for (const int parts : {2, 3, 5, 64}) {
    CAPTURE(parts);
    CHECK(node.kernel(choice, parts) == whole);
    CHECK(node.kernel(choice, parts, -1, 8 - parts % 4) == whole);
  }
  if (node.op.traits.result != storage::in_place) return;
  for (std::size_t i = 0; i < node.in.size(); ++i) {
    if (node.in[i].desc.bytes() != node.outputs[0].bytes() || (choice.packs >> i & 1U) != 0) continue;
    CAPTURE(i);
    CHECK(node.kernel(choice, 1, static_cast<int>(i)) == whole);
    CHECK(node.kernel(choice, 3, static_cast<int>(i)) == whole);
  }
}
template <class Op>
void check_kernel(const typename Op::attrs& attrs, std::vector<given_operand> in, tolerance allowed = {},
                  const std::vector<tensor_desc>& wanted = {}) {
  node_under_test<Op> node(attrs, std::move(in), wanted);
  check_kernel_of(node, allowed);
}

/// Whether the node is left to the reference.
template <class Op>
bool has_no_kernel(const typename Op::attrs& attrs, std::vector<given_operand> in,
                   const std::vector<tensor_desc>& wanted = {}) {
  return !node_under_test<Op>(attrs, std::move(in), wanted).choose();
}

}  // namespace nnrt_test
