// references: what the references of all operators compute, as one number for each operator and dtype.
// Flow: tests/support/same_bits.py compiles it in many ways, links it with catalogue.cpp and random_node.cpp, and
// compares what the programs print.
#include "battery/random_node.hpp"

#include <nnrt/core/convert.hpp>
#include <nnrt/core/math.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

using namespace nnrt_test;

namespace {

constexpr std::size_t nodes_for_each_dtype = 6;

/// FNV-1a of bytes.
struct digest {
  std::uint64_t word = 0xcbf29ce484222325U;
  void add(const void* first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      word = (word ^ static_cast<const unsigned char*>(first)[i]) * 0x100000001b3U;
  }
  /// Elements; all that are no numbers count as one, whose sign and digits are the instructions' choice.
  template <class T> void add_elements(const std::vector<std::byte>& bytes) {
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
      T x{};
      std::memcpy(&x, bytes.data() + at, sizeof x);
      if constexpr (types::floating.contains(dtype_for<T>()))
        if (math::is_nan(math::convert<double>(x))) x = T{};
      add(&x, sizeof x);
    }
  }
};

/// Adds what the node's reference makes of it.
void add_results(random_node& node, digest& results) {
  std::vector<std::vector<std::byte>> bytes;
  for (const tensor_desc& y : node.out) bytes.emplace_back(static_cast<std::size_t>(y.bytes()), std::byte{0x5a});
  std::vector<view> out;
  for (std::size_t i = 0; i < node.out.size(); ++i)
    out.push_back({&node.out[i], any_pointer::bytes(bytes[i].data()), nullptr, {}, {}});
  const std::vector<view> in = node.views();
  const run_fault fault = node.op->reference(node.words, in, out);
  results.add(&fault.rule, sizeof fault.rule);
  for (std::size_t i = 0; i < bytes.size() && !fault; ++i)
    with_element<types::any>(node.out[i].type, [&]<class T>(T) { results.add_elements<T>(bytes[i]); });
}

}  // namespace

int main() {
  for (const operator_info* op : catalogue())
    for (int number = 1; number < dtype_count; ++number) {
      const auto computed = static_cast<dtype>(number);
      if (!op->computes_on.contains(computed)) continue;
      dice random(seed_of_run() + static_cast<std::uint64_t>(op->code) * 100 + static_cast<std::uint64_t>(number));
      digest operands, results;
      for (random_node& node : random_nodes(*op, computed, nodes_for_each_dtype, random)) {
        for (const random_operand& x : node.in) operands.add(x.bytes.data(), x.bytes.size());
        add_results(node, results);
      }
      std::printf("%.*s %.*s %016llx %016llx\n", int(op->name.size()), op->name.data(), int(name_of(computed).size()),
                  name_of(computed).data(), static_cast<unsigned long long>(operands.word),
                  static_cast<unsigned long long>(results.word));
    }
}
