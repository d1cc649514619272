// matrix_rows: a matrix in memory, as address and distance of its rows.
// Flow: gemm kernels take their factors and results as matrix_rows; bindings make them from tensors.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// A row-major matrix whose extents are known elsewhere: address of element (0, 0), and elements from row to row.
template <class T> struct matrix_rows {
  T* first = nullptr;
  std::int64_t stride = 0;

  constexpr T* row(std::int64_t i) const { return first + i * stride; }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
