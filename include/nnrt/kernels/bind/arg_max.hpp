// arg_max: kernel of the operator for the one largest element of each line.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/reduce/largest.hpp>
#include <nnrt/ops/arg_max.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// f32, i32, i8 and u8 with k = 1; the reference computes other nodes.
template <class Isa> struct binding<ops::arg_max, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node) || unpack<ops::arg_max::attrs>(node.attrs).k != 1) return {};
    const kernel_function chosen = function_for<types_of(f32, i32, i8, u8)>(
        node.in[0].desc.type, []<class T>(T) -> kernel_function { return &run<T>; });
    if (chosen == nullptr) return {};
    return {.run = chosen, .parts = parts_for(node.in[0].desc.elements()), .name = "arg max"};
  }

 private:
  template <class T> static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::arg_max::attrs>(call.attrs);
    const view& y = call.out[0];
    if (attrs.out_max_value)
      return find<T>(call, attrs.axis,
                     [to = y.data.get<T>()](std::int64_t line, std::int64_t, T value) { to[line] = value; });
    with_element<types::index>(y.type(), [&]<class Index>(Index) {
      find<T>(call, attrs.axis, [to = y.data.get<Index>()](std::int64_t line, std::int64_t index, T) {
        to[line] = static_cast<Index>(index);
      });
    });
  }
  template <class T, class Set> static void find(const kernel_call& call, std::int64_t axis, const Set& set) {
    const view& x = call.in[0];
    find_largest(block_of(x.shape(), normalise_axis(axis, x.rank())), x.data.get<T>(), part_of(call), set);
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
