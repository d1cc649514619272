// choice: shared binding of select and where, which are one operator with two codes.
// Flow: bind/choices.hpp uses it. One method per element size: a program contains only the sizes that it needs.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/elementwise/choose.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Kernel choice for every dtype and every broadcast; elements are moved as integers of their size.
template <class Isa> struct choice_binding {
  enum : std::int16_t { of_1_byte, of_2_bytes, of_4_bytes, of_8_bytes, methods };
  template <int Method> static constexpr kernel_functions functions() {
    if constexpr (Method == of_1_byte) return {&run<std::int8_t>};
    else if constexpr (Method == of_2_bytes) return {&run<std::int16_t>};
    else if constexpr (Method == of_4_bytes) return {&run<std::int32_t>};
    else return {&run<std::int64_t>};
  }
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node) || is_rescaled(node, 1) || is_rescaled(node, 2)) return {};
    const std::int64_t bytes = size_of(node.out[0].type);
    const auto method = bytes == 1 ? of_1_byte : bytes == 2 ? of_2_bytes : bytes == 4 ? of_4_bytes : of_8_bytes;
    return {.code = {.method = method}, .parts = parts_for(node.out[0].elements()), .name = "select"};
  }

 private:
  /// True if an operand must be requantised to another scale; the reference does that.
  static constexpr bool is_rescaled(const kernel_request& node, std::size_t i) {
    const quantisation &from = node.in[i].desc.quantised, &to = node.out[0].quantised;
    return static_cast<bool>(to) && (from.scale != to.scale || from.zero_point != to.zero_point);
  }
  template <class T> static void run(const kernel_call& call) {
    const view &condition = call.in[0], &a = call.in[1], &b = call.in[2];
    const auto numbers = [](const view& x) { return static_cast<const T*>(x.data.raw()); };
    choose_elements<T>(loops_of<3>({&condition.shape(), &a.shape(), &b.shape()}, call.out[0].shape()),
                       condition.data.get<bool>(), numbers(a), numbers(b), static_cast<T*>(call.out[0].data.raw()),
                       share(call.out[0].elements(), part_of(call)));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
