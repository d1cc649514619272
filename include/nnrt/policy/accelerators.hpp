// accelerators: every architecture's table, found by its name.
// Flow: the nnrt command and the hbDNN functions find a table by name, and check graphs with dynamic_bpu.
#pragma once

#include <nnrt/policy/bayes.hpp>
#include <nnrt/policy/bayes_e.hpp>
#include <nnrt/policy/bernoulli2.hpp>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {
inline constexpr const accelerator* accelerators[] = {&bernoulli2::table, &bayes::table, &bayes_e::table};
}  // namespace detail

/// The architectures that nnrt has tables of.
constexpr array_ref<const accelerator* const> all_accelerators() { return detail::accelerators; }

/// The table of this name, "bayes"; null if there is none.
constexpr const accelerator* find_accelerator(std::string_view name) {
  for (const accelerator* table : all_accelerators())
    if (table->name == name) return table;
  return nullptr;
}

}}  // namespace nnrt::NNRT_ISA
