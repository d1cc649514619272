// call: a call of a kernel by hand, as a plan's step makes it.
// Flow: kernels.hpp, battery/ and fuzz/ run choices of single nodes; what a choice has for its functions is
// filled in here alone.
#pragma once

#include <nnrt/core/kernel.hpp>

namespace nnrt_test {

/// A call of run() or pack() of a choice, which must outlive it; scratch, parts and fault are the caller's to set.
inline nnrt::kernel_call call_of(const nnrt::kernel_choice& choice, nnrt::array_ref<const nnrt::word> attrs,
                                 nnrt::arguments in, nnrt::results out) {
  nnrt::kernel_call call;
  call.attrs = attrs, call.in = in, call.out = out;
  call.inner = choice.inner, call.plan = choice.plan.words.data();
  return call;
}
/// A call for a part of a run, or a piece of one.
inline nnrt::kernel_call call_of(const nnrt::kernel_choice& choice, nnrt::array_ref<const nnrt::word> attrs,
                                 nnrt::arguments in, nnrt::results out, std::byte* scratch, int part, int parts,
                                 int piece = 0, int pieces = 1) {
  nnrt::kernel_call call = call_of(choice, attrs, in, out);
  call.scratch = scratch, call.part = part, call.parts = parts, call.piece = piece, call.pieces = pieces;
  return call;
}

}  // namespace nnrt_test
