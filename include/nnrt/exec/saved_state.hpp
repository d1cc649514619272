// saved_state: the values of a network's states at one time, and functions to restore them.
// Flow: save_state() and load_state() of executor and session use it; reset() needs only the plan.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/pool.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/exec/plan_view.hpp>
#include <nnrt/ir/dump.hpp>

#include <cstring>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// Copies of a network's states, with their names and descs, by which states of another network are refused. Executors
/// and sessions of one network accept each other's, with any policy or number of threads, if states have equal dtypes.
class saved_state {
 public:
  saved_state() = default;

  std::size_t count() const { return states_.size(); }
  /// Name of state i, in order of declaration.
  std::string_view name(std::size_t i) const {
    return {text_.data() + states_[i].name.first, static_cast<std::size_t>(states_[i].name.count)};
  }
  const tensor_desc& desc(std::size_t i) const { return states_[i].desc; }
  /// Its elements, row-major.
  array_ref<const std::byte> bytes(std::size_t i) const {
    return {bytes_.data() + states_[i].first_byte, static_cast<std::size_t>(states_[i].desc.bytes())};
  }

  void add(std::string_view name, const tensor_desc& desc, const std::byte* first) {
    states_.push_back(
        {{static_cast<std::int32_t>(text_.size()), static_cast<std::int32_t>(name.size())}, desc, bytes_.size()});
    text_.insert(name.begin(), name.end());
    bytes_.insert(first, first + desc.bytes());
  }

 private:
  struct one {
    ir::range name;  // in text_
    tensor_desc desc;
    std::size_t first_byte = 0;
  };
  pool<one> states_;
  pool<char> text_;
  pool<std::byte> bytes_;
};

namespace detail {

/// The address of a state in this arena.
inline std::byte* address_of(const plan_view& plan, const state_port& s, std::byte* arena) {
  return arena + plan.slot_of(s).offset;
}

/// Sets all states to their initial values. `bases` has the constants and weights of the plan.
inline void reset_states(const plan_view& plan, std::byte* arena, base_table bases) {
  for (const state_port& s : plan.states) {
    const auto bytes = static_cast<std::size_t>(plan.desc_of(plan.slot_of(s)).bytes());
    const std::byte* const initial =
        s.initial < 0 ? nullptr : address_of(plan.slots[static_cast<std::size_t>(s.initial)], bases);
    if (initial != nullptr) std::memcpy(address_of(plan, s, arena), initial, bytes);
    else std::memset(address_of(plan, s, arena), 0, bytes);
  }
}

inline saved_state save_states(const plan_view& plan, std::byte* arena) {
  saved_state made;
  for (const state_port& s : plan.states)
    made.add(plan.name_of(s), plan.desc_of(plan.slot_of(s)), address_of(plan, s, arena));
  return made;
}

/// Error: invalid_argument, with the difference; then no state changes.
[[gnu::cold]] inline result<void> load_states(const plan_view& plan, std::byte* arena, const saved_state& from) {
  if (from.count() != plan.states.size())
    return fail(error_code::invalid_argument,
                {"saved state: got ", from.count(), " states, expected ", plan.states.size()});
  for (std::size_t i = 0; i < plan.states.size(); ++i) {
    const state_port& s = plan.states[i];
    const tensor_desc& desc = plan.desc_of(plan.slot_of(s));
    if (from.name(i) == plan.name_of(s) && ir::can_be_next(desc, from.desc(i))) continue;
    return fail(error_code::invalid_argument,
                {"saved state: state ", i, ": got ", piece::in_quotes(from.name(i)), " ", ir::to_string(from.desc(i)),
                 ", expected ", piece::in_quotes(plan.name_of(s)), " ", ir::to_string(desc)});
  }
  for (std::size_t i = 0; i < plan.states.size(); ++i)
    if (const auto bytes = from.bytes(i); !bytes.empty())
      std::memcpy(address_of(plan, plan.states[i], arena), bytes.data(), bytes.size());
  return {};
}

}  // namespace detail

}}  // namespace nnrt::NNRT_ISA
