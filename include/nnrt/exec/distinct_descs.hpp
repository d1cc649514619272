// distinct_descs: a list of descs without duplicates.
// Flow: the planner gives every operand the index of its desc; with many descs it finds the index here.
#pragma once

#include <nnrt/core/desc.hpp>
#include <nnrt/core/hash.hpp>
#include <nnrt/core/pool.hpp>

#include <bit>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Hash of a desc. Equal descs have equal hashes, but for scales of 0 and -0.
constexpr std::uint64_t hash_of(const tensor_desc& desc) {
  std::uint64_t hash =
      mix(no_hash, static_cast<std::uint64_t>(desc.type) << 8 | static_cast<std::uint64_t>(desc.layout));
  for (const std::int64_t extent : desc.shape) hash = mix(hash, static_cast<std::uint64_t>(extent));
  const quantisation& q = desc.quantised;
  return q ? mix(mix(hash, std::bit_cast<std::uint32_t>(q.scale)), static_cast<std::uint32_t>(q.zero_point)) : hash;
}

/// Finds descs in a list without duplicates, by a hash table. Only this class may add to the list.
class distinct_descs {
 public:
  /// The index of a desc, which is added if it is new.
  constexpr std::int32_t index_in(pool<tensor_desc>& list, const tensor_desc& desc) {
    if (2 * (list.size() + 1) > slots_.size()) {
      for (bits_ = 4; std::size_t{1} << bits_ < 4 * list.size();) ++bits_;
      slots_.assign(std::size_t{1} << bits_, -1);
      for (std::size_t i = 0; i < list.size(); ++i) slots_[slot_for(list, list[i])] = static_cast<std::int32_t>(i);
    }
    std::int32_t& slot = slots_[slot_for(list, desc)];
    if (slot < 0) {
      slot = static_cast<std::int32_t>(list.size());
      list.push_back(desc);
    }
    return slot;
  }

 private:
  /// The slot of a desc in the table: its entry, or the free slot for it.
  constexpr std::size_t slot_for(const pool<tensor_desc>& list, const tensor_desc& desc) const {
    std::size_t slot = slot_of(hash_of(desc), bits_);
    while (slots_[slot] >= 0 && !(list[static_cast<std::size_t>(slots_[slot])] == desc))
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  pool<std::int32_t> slots_;  // open addressing: indices, -1 for a free slot
  int bits_ = 0;
};

}}}  // namespace nnrt::NNRT_ISA::detail
