// sort_ids: sorts ids by a comparison, also in constant evaluation.
// Flow: the arena's layout sorts blocks with it, readers the names of a file's tensors.
#pragma once

#include <nnrt/core/exchange.hpp>
#include <nnrt/core/pool.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Heap sort, n log n steps in the worst case. std::sort takes three times as many constexpr steps.
template <class Less> constexpr void sort_ids(pool<std::int32_t>& list, Less less) {
  if (list.size() < 2) return;
  const auto sift = [&](std::size_t at, std::size_t count) {
    for (std::size_t child = 2 * at + 1; child < count; at = child, child = 2 * at + 1) {
      if (child + 1 < count && less(list[child], list[child + 1])) ++child;
      if (!less(list[at], list[child])) return;
      swap_values(list[at], list[child]);
    }
  };
  for (std::size_t i = list.size() / 2; i-- > 0;) sift(i, list.size());
  for (std::size_t count = list.size(); count-- > 1;) {
    swap_values(list[0], list[count]);
    sift(0, count);
  }
}

}}}  // namespace nnrt::NNRT_ISA::detail
