// exchange: std::exchange and std::swap for handles, numbers and views.
// Flow: used by move operations of owning types. The standard functions check a dozen traits of each type, 1 to 2 ms
// for each translation unit.
#pragma once

#include <nnrt/core/config.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Returns x and sets it to T{}: null, zero, empty.
template <class T> constexpr T taken(T& x) {
  T was = static_cast<T&&>(x);
  x = T{};
  return was;
}
template <class T> constexpr void swap_values(T& a, T& b) {
  T was = static_cast<T&&>(a);
  a = static_cast<T&&>(b);
  b = static_cast<T&&>(was);
}

}}}  // namespace nnrt::NNRT_ISA::detail
