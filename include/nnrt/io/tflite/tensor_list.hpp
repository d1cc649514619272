// tensor_list: lists of tensors in .tflite files, which exist only during reading; each element is a network value.
// Flow: tensors.hpp stores them; the readers in operators/lists.hpp make them, read their elements and stack them.
#pragma once

#include <nnrt/core/pool.hpp>
#include <nnrt/core/shape.hpp>
#include <nnrt/ir/graph.hpp>

#include <optional>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

/// A shape whose rank or extents may be unknown.
struct partial_shape {
  bool has_rank = false;
  shape_t shape = {};

  constexpr bool is_known() const { return has_rank && shape.is_known(); }
};

/// Combines two partial shapes. Returns none when they contradict each other.
[[gnu::cold]] constexpr std::optional<partial_shape> merged(const partial_shape& a, const partial_shape& b) {
  if (!a.has_rank || !b.has_rank) return a.has_rank ? a : b;
  if (a.shape.rank != b.shape.rank) return std::nullopt;
  partial_shape made = a;
  for (int i = 0; i < a.shape.rank; ++i) {
    if (a.shape[i] < 0) made.shape[i] = b.shape[i];
    else if (b.shape[i] >= 0 && b.shape[i] != a.shape[i]) return std::nullopt;
  }
  return made;
}

/// A list of tensors at one point of the network: a new list, or an earlier list with one element replaced. Loops make
/// a list in each iteration; copies would take quadratic memory.
struct tensor_list {
  std::int32_t before = ir::none;  // the earlier list that differs in element `at` only; none: a new list
  std::int32_t at = 0;
  // the replaced element, or none if unset; for a new list: the tensor whose rows are the elements, or none if all are
  // unset
  std::int32_t value = ir::none;
  std::int32_t count = 0;
  dtype type{};              // of all elements
  partial_shape shape = {};  // of all elements, as far as the file states it
};

/// Limits of list length and of the number of lists. Unrolled loops do not exceed them; elements are found by linear
/// search.
inline constexpr std::int64_t max_list_elements = 8192;
inline constexpr std::size_t max_lists = 8192;

/// An element of a list: a value, a row of a value, or unset.
struct list_element {
  std::int32_t value = ir::none;
  std::int32_t row = ir::none;  // none: the value itself

  constexpr bool is_set() const { return value != ir::none; }
};

/// All elements of a list, in order.
[[gnu::cold]] constexpr pool<list_element> elements_of(const pool<tensor_list>& lists, std::size_t list) {
  pool<list_element> all;
  pool<char> is_found;
  all.assign(static_cast<std::size_t>(lists[list].count), {});
  is_found.assign(all.size(), 0);
  for (const tensor_list* one = &lists[list]; one != nullptr;
       one = one->before == ir::none ? nullptr : &lists[static_cast<std::size_t>(one->before)]) {
    const bool is_new = one->before == ir::none;
    const std::size_t first = is_new ? 0 : static_cast<std::size_t>(one->at),
                      end = is_new ? static_cast<std::size_t>(one->count) : first + 1;
    for (std::size_t i = first; i < end && i < all.size(); ++i) {
      if (is_found[i] != 0) continue;
      is_found[i] = 1;
      all[i] = {one->value, is_new && one->value != ir::none ? static_cast<std::int32_t>(i) : ir::none};
    }
  }
  return all;
}
/// Element i of a list.
[[gnu::cold]] constexpr list_element element_of(const pool<tensor_list>& lists, std::size_t list, std::int64_t i) {
  const tensor_list* one = &lists[list];
  while (one->before != ir::none && one->at != i) one = &lists[static_cast<std::size_t>(one->before)];
  if (one->before != ir::none) return {one->value, ir::none};
  return one->value == ir::none || i >= one->count ? list_element()
                                                   : list_element{one->value, static_cast<std::int32_t>(i)};
}

}}}  // namespace nnrt::NNRT_ISA::tflite
