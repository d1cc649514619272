// kernel: what a plan's step calls, and what choosing one answers.
// Flow: kernels/select.hpp fills kernel_choice for a node; the planner makes steps of it; executors call run().
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/attributes.hpp>
#include <nnrt/core/verdict.hpp>
#include <nnrt/core/view.hpp>

#include <cstddef>
#include <string_view>

namespace nnrt::inline NNRT_ISA {

/// What a run found wrong with the values that it was given: an index outside of its tensor, say.
struct run_fault {
  int rule = -1;                 // the number of the enumerator of Op::rule that is broken; -1: none is
  std::int64_t position = 0;     // of the value in its operand, in row-major order
  std::int64_t actual = 0;
  std::int64_t expected = 0;

  constexpr explicit operator bool() const { return rule >= 0; }
};

/// The fault of a value that breaks this rule, and where it stands in its operand.
template <class Rule> constexpr run_fault fault_at(std::int64_t position, Rule rule, std::int64_t actual, std::int64_t expected) {
  return {static_cast<int>(rule), position, actual, expected};
}

/// One call of a kernel: part `tile` of `tiles` of the work of one step.
struct kernel_call {
  array_ref<const word> attrs;
  arguments in;                   // the node's operands; packed ones have a desc but no data; the packed form comes last
  results out;
  std::byte* scratch = nullptr;   // scratch_bytes of the choice, aligned to 64, for this part alone
  int tile = 0;
  int tiles = 1;
  run_fault* fault = nullptr;     // of operators that may fail: where one of the parts says so
  const void* inner = nullptr;    // of the choice

  /// Says what is wrong, if something is.
  constexpr void report(const run_fault& found) const {
    if (fault != nullptr && found) *fault = found;
  }
};
using kernel_function = void (*)(const kernel_call& call);

/// Whether 3x3 convolutions of floats may be computed by Winograd's method: a third of the time, errors ten times those of
/// products one by one (1e-5 of the largest result), infinities and NaN that spread to neighbouring pixels, weights that
/// take two to four times the memory.
enum class winograd { automatic, off };

/// What the planner knows when it asks for a kernel.
struct kernel_request {
  array_ref<const word> attrs;
  array_ref<const operand> in;
  array_ref<const tensor_desc> out;
  bool unrolled = false;          // for a micro network, whose executor inlines what has an unrolled form
  nnrt::winograd winograd = nnrt::winograd::automatic;
};

/// Kernels that exist with compile-time extents as well: unrolled executors call those instead of run().
enum class unrolled_form { none, dense };

/// A kernel for one node. One without a name is none: the reference runs. (With -fsanitize=undefined g++ 12 compares no pointers to
/// functions in constant evaluation.)
struct kernel_choice {
  kernel_function run = nullptr;
  /// Brings constant operands into the order that run() reads: in = the node's operands, out[0] = packed_bytes bytes, aligned to 64; behind
  /// it stand the node's results, descs without data.
  /// It runs once when an executor is made, or before every run() when an operand in `packs` is no constant.
  kernel_function pack = nullptr;
  std::uint32_t packs = 0;            // bit i: operand i is read by pack() only
  std::int64_t packed_bytes = 0;
  std::int64_t scratch_bytes = 0;     // for each part that runs at the same time
  unrolled_form form = unrolled_form::none;
  bool packs_in_compiler = false;     // pack() is constexpr, takes f32 operands and makes an f32 result: constants are packed while planning
  int parts = 1;                      // into how many parts the work may be cut at most
  /// What run() takes beside its operands: a table of the functions of its innermost loop, say, so that a program has those alone.
  const void* inner = nullptr;
  std::string_view name;

  constexpr explicit operator bool() const { return !name.empty(); }
  constexpr bool has_pack() const { return packs != 0; }
};

namespace kernels {

/// Fast kernels of an operator: kernels/bind/<operator>.hpp specialises it partially over Op, with a select() of this signature. Isa stays
/// a parameter so that the kernels of operators that a program does not name are never instantiated.
template <class Op, class Isa = void> struct fast {
  static constexpr kernel_choice select(const kernel_request&) { return {}; }
};

/// The same for stored numbers of 8 bits where they have kernels of their own, so that a network of floats never compiles those, nor the
/// other way round.
template <class Op, class Isa = void> struct fast_on_bytes : fast<Op, Isa> {};

/// The same for 16 bits.
template <class Op, class Isa = void> struct fast_on_shorts : fast_on_bytes<Op, Isa> {};

/// Asks the kernels for the dtypes in Types.
template <class Op, dtype_set Types> constexpr kernel_choice select_for(const kernel_request& node) {
  constexpr dtype_set bytes = types_of(i8, u8), shorts = types_of(i16), others{Types.bits & ~(bytes | shorts).bits};
  const dtype type = node.in.empty() ? dtype::none : node.in[0].desc.type;
  if constexpr ((Types.bits & shorts.bits) != 0)
    if (Types == shorts || type == i16) return fast_on_shorts<Op>::select(node);
  if constexpr ((Types.bits & bytes.bits) != 0)
    if (others.empty() || bytes.contains(type)) return fast_on_bytes<Op>::select(node);
  if constexpr (!others.empty()) return fast<Op>::select(node);
  return {};
}

/// Complete where kernels/select.hpp has been included, and with it every specialisation of fast.
template <class Op> struct bindings;

/// What stands for fast<Op>::select where it has not.
constexpr kernel_choice select_none(const kernel_request&) { return {}; }

}  // namespace kernels

}  // namespace nnrt::inline NNRT_ISA
