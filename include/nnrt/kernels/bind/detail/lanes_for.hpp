// lanes_for: the function of vectors of an elementwise node.
// Flow: detail/unary.hpp and detail/binary.hpp give it to map() and zip().
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/attributes.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels { namespace detail {

/// The function of vectors of a node: Lanes itself, or what Lanes::of() makes of the words of the attributes.
template <class Lanes> auto lanes_for(array_ref<const word> attrs) {
  if constexpr (requires { Lanes::of(attrs); }) return Lanes::of(attrs);
  else return Lanes{};
}

}}}}  // namespace nnrt::NNRT_ISA::kernels::detail
