// over_zero: normalised numbers with a deviation of 0.
// Flow: used by references of batch_norm and layer_norm, with epsilon and variance 0.
#pragma once

#include <nnrt/core/math.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// off / 0 * scale + offset as in IEEE 754: infinite, or NaN if off or the scale is 0. Constant evaluation rejects
/// these operations.
template <class Real> constexpr Real scaled_over_zero(Real off, Real scale, Real offset) {
  const bool is_infinite = (off < 0 || off > 0) && (scale < 0 || scale > 0);
  const Real far = math::product(math::copysign(math::infinity<Real>, off), math::copysign(Real{1}, scale));
  return is_infinite ? far + offset : math::nan<Real>;
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
