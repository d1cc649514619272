// name_set: a hash set that detects repeated names.
// Flow: graph_builder.hpp and saved_model.hpp look names up in it, for files with thousands of names.
#pragma once

#include <nnrt/core/hash.hpp>
#include <nnrt/core/pool.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Indices 0, 1, 2, … of names that the caller stores. Lookup and insertion take O(1) on average.
class name_set {
 public:
  /// True when name_of(i) equals `name` for one of the indices added so far.
  template <class NameOf> constexpr bool has(std::string_view name, NameOf name_of) const {
    return find(name, name_of) >= 0;
  }
  /// The index of `name`; -1 when it is not in the set.
  template <class NameOf> constexpr std::int32_t find(std::string_view name, NameOf name_of) const {
    return size_ > 0 ? slots_[slot_for(name, name_of)] : -1;
  }
  /// Adds the next index for `name`, which must not be in the set. name_of(index) must return it from now on.
  template <class NameOf> constexpr void add(std::string_view name, NameOf name_of) {
    if (2 * (size_ + 1) > slots_.size()) grow(name_of);
    slots_[slot_for(name, name_of)] = static_cast<std::int32_t>(size_++);
  }

 private:
  template <class NameOf> constexpr void grow(NameOf name_of) {
    bits_ = slots_.empty() ? 4 : bits_ + 1;
    slots_.assign(std::size_t{1} << bits_, -1);
    for (std::size_t i = 0; i < size_; ++i) slots_[slot_for(name_of(i), name_of)] = static_cast<std::int32_t>(i);
  }
  template <class NameOf> constexpr std::size_t slot_for(std::string_view name, NameOf name_of) const {
    std::size_t slot = slot_of(hash_of(name), bits_);
    while (slots_[slot] >= 0 && name_of(static_cast<std::size_t>(slots_[slot])) != name)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  pool<std::int32_t> slots_;  // open addressing: indices, -1 for an empty slot
  std::size_t size_ = 0;
  int bits_ = 0;
};

}}}  // namespace nnrt::NNRT_ISA::detail
