// booleans: shared binding of reduce_all and all: whether all elements along axes are true.
// Flow: both derive from boolean_reduction in bind/reductions.hpp.
#pragma once

#include <nnrt/kernels/bind/detail/reduction.hpp>

#include <cstring>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Kernel choice of a conjunction along adjacent axes. Rows are searched for a false element; columns are combined by
/// "and", row by row.
template <class Op, class Isa> struct boolean_reduction {
  using blocks = reduction_blocks<Isa, typename Op::attrs>;

  static constexpr kernel_choice select(const kernel_request& node) {
    if (node.in[0].desc.type != boolean || !has_work(node)) return {};
    const axis_block block = blocks::block_for(node);
    if (!block.is_contiguous()) return {};
    return {.run = &run,
            .parts = parts_for(block.elements() / 4),
            .name = block.inner == 1 ? "reduce boolean rows" : "reduce boolean columns"};
  }
  static void run(const kernel_call& call) {
    const axis_block block = blocks::block_for(call);
    const auto* const x = reinterpret_cast<const unsigned char*>(bytes_in(call, 0));
    auto* const y = reinterpret_cast<unsigned char*>(bytes_out(call));
    const interval rows = share(block.outer, part_of(call));
    const auto length = static_cast<std::size_t>(block.extent), width = static_cast<std::size_t>(block.inner);
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      const unsigned char* const from = x + row * block.extent * block.inner;
      if (block.inner == 1) {
        y[row] = std::memchr(from, 0, length) == nullptr ? 1 : 0;
        continue;
      }
      unsigned char* const to = y + row * block.inner;
      std::memcpy(to, from, width);
      for (std::size_t i = 1; i < length; ++i) and_bytes(from + i * width, width, to);
    }
  }

 private:
  /// y = y & x for n bytes.
  static void and_bytes(const unsigned char* x, std::size_t n, unsigned char* y) {
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
      std::uint64_t a, b;
      std::memcpy(&a, x + i, 8), std::memcpy(&b, y + i, 8);
      a &= b;
      std::memcpy(y + i, &a, 8);
    }
    for (; i < n; ++i) y[i] = y[i] & x[i];
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
