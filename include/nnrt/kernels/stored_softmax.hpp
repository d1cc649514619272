// stored_softmax: softmax of stored numbers with the reference's bits, whose powers are kept in tables.
// Flow: bind/softmax.hpp calls softmax_of_bytes() and softmax_of_shorts() for a part of the groups.
#pragma once

#include <nnrt/kernels/axis_block.hpp>
#include <nnrt/kernels/part.hpp>
#include <nnrt/ops/detail/stored_softmax.hpp>

#include <cstdint>

namespace nnrt::inline NNRT_ISA::kernels {

/// y = the shares of x along the middle axis of the block. power_of(d) is the power of an element that is d below the
/// largest of its group; finisher(share) gives the function from d to a result.
template <class T, class By, class PowerOf, class Finisher>
void share_out(const axis_block& block, const T* x, const By& by, const PowerOf& power_of, const Finisher& finisher, T* y,
               part p) {
  const std::int64_t step = block.inner;
  const interval groups = share(block.outer * block.inner, p);
  for (std::int64_t group = groups.begin; group < groups.end; ++group) {
    const std::int64_t first = group / step * block.extent * step + group % step;
    const T* const from = x + first;
    std::int32_t largest = from[0];
    for (std::int64_t i = 1; i < block.extent; ++i) largest = from[i * step] > largest ? from[i * step] : largest;
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < block.extent; ++i) sum += by.addend(power_of(largest - from[i * step]));
    const auto finish = finisher(by.share_of(sum));
    for (std::int64_t i = 0; i < block.extent; ++i) y[first + i * step] = finish(largest - from[i * step]);
  }
}

/// Of bytes: a table of the 256 powers, and for long groups one of the 256 results.
template <class T>
void softmax_of_bytes(const axis_block& block, const T* x, const ops::detail::fixed_softmax<T>& by, T* y, part p) {
  constexpr int entries = 256;
  std::int32_t powers[entries];
  for (int d = 0; d < entries; ++d) powers[d] = by.power(-d);
  using shared = typename ops::detail::fixed_softmax<T>::share;
  const auto power_of = [&](std::int32_t d) { return powers[d]; };
  if (block.extent < 2 * entries)
    return share_out(
        block, x, by, power_of, [&](const shared& of) { return [&powers, of](std::int32_t d) { return of(powers[d]); }; },
        y, p);
  T results[entries];
  share_out(
      block, x, by, power_of,
      [&](const shared& of) {
        for (int d = 0; d < entries; ++d) results[d] = of(powers[d]);
        return [&results](std::int32_t d) { return results[d]; };
      },
      y, p);
}

/// Of numbers of 16 bits whose shares count 32768ths: the table of exponentials, which the reference computes as it goes.
inline void softmax_of_shorts(const axis_block& block, const std::int16_t* x, const ops::detail::interpolated_softmax& by,
                              std::int16_t* y, part p) {
  using softmax = ops::detail::interpolated_softmax;
  std::int32_t entries[softmax::exponentials.steps + 1];
  for (int i = 0; i <= softmax::exponentials.steps; ++i) entries[i] = softmax::exponentials.entry(i);
  const auto power_of = [&](std::int32_t d) {
    return softmax::exponentials.between(by.place_of(-d), [&](int i) { return entries[i]; });
  };
  share_out(
      block, x, by, power_of,
      [&](const softmax::share& of) {
        return [&power_of, of](std::int32_t d) { return of(power_of(d)); };
      },
      y, p);
}

}  // namespace nnrt::inline NNRT_ISA::kernels
