// kernel_of: what a random node's kernel makes of it, in any number of parts and in place.
// Flow: results_test holds it against references and networks, bounds_test against exact results.
#pragma once

#include "battery/one_node.hpp"

#include "support/kernels.hpp"

#include <cstring>
#include <deque>

namespace nnrt_test {

/// The first place at a multiple of 64 bytes; there are 64 bytes more than are needed.
inline std::byte* aligned_byte_of(std::vector<std::byte>& block) {
  const auto at = reinterpret_cast<std::uintptr_t>(block.data());
  return block.data() + (64 - at % 64) % 64;
}

/// What the kernel makes of the node, cut into `parts` parts, the last one first; each operand ends where memory does.
/// An operand that is given in place shares its memory with output 0.
inline node_result kernel_of(random_node& node, const kernel_choice& choice, int parts, int in_place = -1) {
  std::deque<fenced_bytes> memory;
  std::vector<view> in = node.views();
  for (std::size_t i = 0; i < in.size(); ++i)
    if (in[i]) in[i].data = any_pointer::bytes(memory.emplace_back(node.in[i].bytes).data());
  const tensor_desc packed_desc{u8, {choice.packed_bytes}};
  std::vector<std::byte> packed_block(static_cast<std::size_t>(choice.packed_bytes) + 64);
  const view packed{&packed_desc, any_pointer::bytes(aligned_byte_of(packed_block))};
  if (choice.has_pack()) {
    std::vector<view> packs_into{packed};
    for (const tensor_desc& y : node.out)
      packs_into.push_back({&y, {}, nullptr, {}, {}});  // what the packed form is for
    choice.pack(nnrt_test::call_of(choice, node.words, in, packs_into));
    for (std::size_t i = 0; i < in.size(); ++i)
      if ((choice.packs >> i & 1U) != 0) in[i].data = any_pointer{};
    in.push_back(packed);
  }
  std::vector<std::byte> scratch(static_cast<std::size_t>(choice.scratch_bytes) + 64);
  return with_outputs(node, std::byte{0xa5}, [&](std::vector<view>& out) {
    run_fault fault;
    std::deque<fenced_bytes> fenced_outputs;
    std::vector<view> fenced = out;
    for (std::size_t i = 0; i < out.size(); ++i)
      fenced[i].data = any_pointer::bytes(
          fenced_outputs
              .emplace_back(std::vector<std::byte>(static_cast<std::size_t>(node.out[i].bytes()), std::byte{0xa5}))
              .data());
    if (in_place >= 0) {
      const std::vector<std::byte>& x = node.in[static_cast<std::size_t>(in_place)].bytes;
      if (!x.empty()) std::memcpy(fenced[0].data.raw(), x.data(), x.size());
      in[static_cast<std::size_t>(in_place)].data = fenced[0].data;
    }
    for (int part = parts; part-- > 0;) {
      kernel_call call = nnrt_test::call_of(choice, node.words, in, fenced, aligned_byte_of(scratch), part, parts);
      call.fault = &fault;
      choice.run(call);
    }
    for (std::size_t i = 0; i < out.size(); ++i)
      if (node.out[i].bytes() > 0)
        std::memcpy(out[i].data.raw(), fenced[i].data.raw(), static_cast<std::size_t>(node.out[i].bytes()));
    return fault;
  });
}

/// The kernel that a plan would take: the reference where there is no other. No transformed convolutions: those spread
/// NaN, and have separate tests.
inline kernel_choice choice_for(const random_node& node) {
  const std::vector<operand> operands = node.operands();
  if (const kernel_choice fast = node.op->select({node.words, operands, node.out, false, winograd::off})) return fast;
  return {.run = node.op->run_reference, .name = "reference"};
}

}  // namespace nnrt_test
