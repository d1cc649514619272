// wish: what a caller asks of a result's quantisation.
#pragma once

#include <nnrt/core/desc.hpp>

namespace nnrt_test {

/// A wish for a scale, and for nothing else.
constexpr nnrt::tensor_desc wish(nnrt::quantisation q) {
  nnrt::tensor_desc d;
  d.quantised = q;
  return d;
}

}  // namespace nnrt_test
