// centred_products: dot products of i16 rows, with their zero points subtracted, and i8 matrix rows.
// Flow: bind/sequence_lstm.hpp and bind/svdf.hpp pass these to the steps of the references instead of plain_products.
#pragma once

#include <nnrt/core/view.hpp>
#include <nnrt/kernels/int16/products.hpp>
#include <nnrt/ops/detail/fixed_gates.hpp>
#include <nnrt/ops/detail/interpolated.hpp>

#include <array>
#include <cstring>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Computes the sums of ops::detail::plain_products with vectors. Each row is copied when it is made.
struct centred_products {
  std::int16_t* room;    // for two rows
  std::int64_t longest;  // elements of a row in `room`

  struct row {
    const std::int16_t* centred;
    std::int64_t count;
    std::int64_t times(const tensor_view<const std::int8_t>& matrix, std::int64_t n) const {
      std::int64_t sum = 0;
      int16_products<1>(centred, 0, matrix.data + n * count, count, &sum);
      return sum;
    }
  };
  template <class X>
  row row_of(const tensor_view<const X>& x, std::int64_t first, std::int64_t count, std::int32_t zero, int slot) const {
    std::int16_t* const to = room + slot * longest;
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<std::int16_t>(x.data[first + i] - zero);
    return {to, count};
  }
  void sigmoid(std::int16_t* numbers, std::int64_t count) const {
    in_lanes(numbers, count, [](int_vector x) { return ops::detail::fixed16::sigmoid(x); });
  }
  void tanh(std::int16_t* numbers, std::int64_t count, int bits) const {
    in_lanes(numbers, count, [bits](int_vector x) { return ops::detail::fixed16::tanh(x, bits); });
  }
  /// Entry of the sigmoid table, which is computed at compile time once per program with a 16-bit layer.
  template <class I> std::int32_t entry(I i) const { return sigmoid_entries<I>[static_cast<std::size_t>(i)]; }

 private:
  template <class I>
  static constexpr auto sigmoid_entries = [] {
    std::array<std::int32_t, 256> made{};
    for (I i = 0; i < 256; ++i) made[static_cast<std::size_t>(i)] = ops::detail::sigmoid_entry(i);
    return made;
  }();
  /// Applies f to a register at a time, in place.
  template <class F> static void in_lanes(std::int16_t* numbers, std::int64_t count, const F& f) {
    typedef std::int16_t narrow __attribute__((vector_size(register_bytes / 2)));
    for (std::int64_t i = 0; i < count; i += int_lanes) {
      const auto bytes = static_cast<std::size_t>(count - i < int_lanes ? count - i : int_lanes) * sizeof(std::int16_t);
      narrow some = {};
      std::memcpy(&some, numbers + i, bytes);
      some = __builtin_convertvector(f(__builtin_convertvector(some, int_vector)), narrow);
      std::memcpy(numbers + i, &some, bytes);
    }
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
