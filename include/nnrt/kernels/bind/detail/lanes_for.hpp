// lanes_for: the vector function of an elementwise node.
// Flow: bind/detail/unary.hpp and bind/detail/binary.hpp pass it to map() and zip().
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/attributes.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels { namespace detail {

/// The vector function of a node: Lanes{}, or Lanes::of(attributes) if it exists.
template <class Lanes> auto lanes_for(array_ref<const word> attrs) {
  if constexpr (requires { Lanes::of(attrs); }) return Lanes::of(attrs);
  else return Lanes{};
}

}}}}  // namespace nnrt::NNRT_ISA::kernels::detail
