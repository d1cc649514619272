// unique: kernel of the operator for f32, i32 and i64.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/ops/unique.hpp>

#include <algorithm>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Sorts the indices of x by element, then by index, so that equal elements are adjacent. The reference computes other
/// dtypes: with 8 bits there are few distinct elements, and it takes few steps.
template <class Isa> struct binding<ops::unique, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    const kernel_function chosen = function_for<types_of(f32, i32, i64)>(
        node.in[0].desc.type, []<class T>(T) -> kernel_function { return &run<T>; });
    if (!has_work(node) || chosen == nullptr) return {};
    return {.run = chosen,
            .scratch_bytes = node.in[0].desc.elements() * static_cast<std::int64_t>(sizeof(std::int32_t)),
            .name = "sort"};
  }

 private:
  template <class T> static void run(const kernel_call& call) {
    using ops::unique;
    const bool sorted = unpack<unique::attrs>(call.attrs).sorted;
    const auto x = call.in[0].as<const T>();
    const auto y = call.out[0].as<T>();
    const auto positions = call.out[1].as<std::int32_t>(), first = call.out[3].as<std::int32_t>(),
               repeats = call.out[4].as<std::int32_t>();
    auto* const order = reinterpret_cast<std::int32_t*>(call.scratch);
    const auto n = static_cast<std::int32_t>(x.elements());
    for (std::int32_t i = 0; i < n; ++i) order[i] = i;
    std::sort(order, order + n, [&](std::int32_t i, std::int32_t k) {
      return unique::is_smaller<T>(x[i], x[k]) || (!unique::is_smaller<T>(x[k], x[i]) && i < k);
    });
    // Until positions are known, `positions` holds the index of each element's first occurrence in x.
    for (std::int32_t i = 0, leader = 0; i < n; ++i) {
      if (i == 0 || unique::is_smaller<T>(x[order[i - 1]], x[order[i]])) leader = order[i];
      positions[order[i]] = leader;
    }
    std::int32_t count = 0;
    const auto take = [&](std::int32_t i) {  // if i is the first occurrence
      if (positions[i] != i) return;
      y[count] = x[i], first[count] = i, repeats[count] = 0;
      ++count;
    };
    for (std::int32_t i = 0; i < n; ++i) take(sorted ? order[i] : i);
    for (std::int32_t k = 0; k < count; ++k) order[first[k]] = k;
    for (std::int32_t i = 0; i < n; ++i) ++repeats[positions[i] = order[positions[i]]];
    unique::finish(y, first, repeats, count);
    call.out[2].as<std::int32_t>()[0] = count;
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
