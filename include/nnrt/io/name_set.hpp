// name_set: names that occur once.
// Flow: model_builder.hpp and saved_model.hpp ask whether a name is taken, in files with thousands of them.
#pragma once

#include <nnrt/core/hash.hpp>
#include <nnrt/core/pool.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Numbers 0, 1, 2, … of names that the caller keeps; adding one takes the same time, however many there are.
class name_set {
 public:
  /// Whether name_of(i), for one of the numbers so far, is this name.
  template <class NameOf> constexpr bool has(std::string_view name, NameOf name_of) const {
    return size_ > 0 && slots_[slot_for(name, name_of)] >= 0;
  }
  /// Adds the next number, whose name is no other's; name_of() gives it from now on.
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

  pool<std::int32_t> slots_;  // open addressing: numbers, -1 where there is none
  std::size_t size_ = 0;
  int bits_ = 0;
};

}}}  // namespace nnrt::NNRT_ISA::detail
