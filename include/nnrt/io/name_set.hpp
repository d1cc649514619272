// name_set: a hash set that detects repeated names.
// Flow: graph_builder.hpp, saved_model.hpp and onnx/document.hpp look names up in it, for files with thousands of
// names.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/hash.hpp>
#include <nnrt/core/pool.hpp>

#include <bit>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// A hash table by open addressing: indices of names that the caller stores, -1 in empty slots. Borrows the slots,
/// whose number is 0 or a power of 2.
class name_slots {
 public:
  constexpr name_slots() = default;
  constexpr explicit name_slots(array_ref<const std::int32_t> slots)
      : slots_(slots), bits_(slots.empty() ? 0 : std::countr_zero(slots.size())) {}

  /// The index of `name`; -1 when it is not in the table. name_of(i) returns the name with index i.
  template <class NameOf> constexpr std::int32_t find(std::string_view name, NameOf name_of) const {
    return slots_.empty() ? -1 : slots_[slot_for(name, name_of)];
  }
  /// The slot that has `name`, or the empty slot for it. There is at least one empty slot.
  template <class NameOf> constexpr std::size_t slot_for(std::string_view name, NameOf name_of) const {
    const std::int32_t* const slots = slots_.data();
    std::size_t slot = slot_of(hash_of(name), bits_);
    while (slots[slot] >= 0 && name_of(static_cast<std::size_t>(slots[slot])) != name)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

 private:
  array_ref<const std::int32_t> slots_;
  int bits_ = 0;
};

/// Adds index `size` for `name`, which must not be among the `size` names of the table. At most half of the slots are
/// in use. name_of(size) must return the name from now on.
template <class NameOf>
constexpr void add_to_slots(pool<std::int32_t>& slots, std::size_t size, std::string_view name, NameOf name_of) {
  if (2 * (size + 1) > slots.size()) {
    slots.assign(slots.empty() ? 16 : 2 * slots.size(), -1);
    const name_slots larger(slots);
    for (std::size_t i = 0; i < size; ++i) slots[larger.slot_for(name_of(i), name_of)] = static_cast<std::int32_t>(i);
  }
  slots[name_slots(slots).slot_for(name, name_of)] = static_cast<std::int32_t>(size);
}

/// Indices 0, 1, 2, … of names that the caller stores. Lookup and insertion take O(1) on average.
class name_set {
 public:
  /// True when name_of(i) equals `name` for one of the indices added so far.
  template <class NameOf> constexpr bool has(std::string_view name, NameOf name_of) const {
    return name_slots(slots_).find(name, name_of) >= 0;
  }
  /// Adds the next index for `name`, which must not be in the set. name_of(index) must return it from now on.
  template <class NameOf> constexpr void add(std::string_view name, NameOf name_of) {
    add_to_slots(slots_, size_++, name, name_of);
  }

 private:
  pool<std::int32_t> slots_;
  std::size_t size_ = 0;
};

}}}  // namespace nnrt::NNRT_ISA::detail
