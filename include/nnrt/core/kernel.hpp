// kernel: what a plan's step calls, and what choosing one answers.
// Flow: kernels/select.hpp fills kernel_choice for a node; the planner makes steps of it; executors call run().
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/attributes.hpp>
#include <nnrt/core/verdict.hpp>
#include <nnrt/core/view.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA {

/// What a run found wrong with the values that it was given: an index outside of its tensor, say.
struct run_fault {
  int rule = -1;              // the number of the enumerator of Op::rule that is broken; -1: none is
  std::int64_t position = 0;  // of the value in its operand, in row-major order
  std::int64_t actual = 0;
  std::int64_t expected = 0;

  constexpr explicit operator bool() const { return rule >= 0; }
};

/// The fault of a value that breaks this rule, and where it stands in its operand.
template <class Rule>
constexpr run_fault fault_at(std::int64_t position, Rule rule, std::int64_t actual, std::int64_t expected) {
  return {static_cast<int>(rule), position, actual, expected};
}

/// Rows begin <= i < end of one image of a batch; by default all rows of all images.
struct row_range {
  std::int64_t begin = 0;
  std::int64_t end = -1;

  constexpr bool is_all() const { return end < 0; }
  constexpr std::int64_t count() const { return end - begin; }
};

/// Which rows of its images a kernel reads: for row y of the result those from y * stride - pad on, `taps` of them, as
/// far as there are.
struct row_window {
  std::uint32_t images = 0;  // bit i: operand i is such an image
  std::int64_t stride = 1;
  std::int64_t taps = 1;
  std::int64_t pad = 0;

  constexpr explicit operator bool() const { return images != 0; }
  constexpr std::int64_t first_row_of(std::int64_t y) const { return y * stride - pad; }
  /// The rows of an image of this height that are read for these rows of the result, which are at least one.
  constexpr row_range under(row_range rows, std::int64_t height) const {
    const auto in_image = [&](std::int64_t i) { return i < 0 ? 0 : i < height ? i : height; };
    return {in_image(first_row_of(rows.begin)), in_image(first_row_of(rows.end - 1) + taps)};
  }
};

/// What a kernel works out of attributes and descs once, when it is chosen, and reads at every call: the words of a
/// plain struct of 64-bit and 32-bit numbers without gaps.
struct kernel_plan {
  static constexpr std::size_t max_words = 24;
  std::array<word, max_words> words{};
  std::size_t count = 0;

  template <class T> static constexpr kernel_plan of(const T& what) {
    constexpr std::size_t length = sizeof(T) / sizeof(word);
    static_assert(sizeof(T) % sizeof(word) == 0 && length <= max_words,
                  "nnrt: a kernel's plan is whole words, and few");
    const auto raw = std::bit_cast<std::array<word, length>>(what);
    kernel_plan made;
    for (; made.count < length; ++made.count) made.words[made.count] = raw[made.count];
    return made;
  }
};

/// One call of a kernel: piece `piece` of `pieces` of part `part` of `parts` of one step's work. There is one part for
/// each thread; a thread that has finished takes over pieces of a slower one.
struct kernel_call {
  array_ref<const word> attrs;
  // the node's operands; packed ones have a desc but no data; the packed weights come last
  arguments in;
  results out;
  std::byte* scratch = nullptr;  // scratch_bytes of the choice, aligned to 64, for this part alone
  int part = 0;
  int parts = 1;
  int piece = 0;
  int pieces = 1;
  run_fault* fault = nullptr;              // of operators that may fail: where one of the parts says so
  const void* inner = nullptr;             // of the choice
  const word* plan = nullptr;              // the words of the choice's kernel_plan
  const std::byte* weights_end = nullptr;  // end of the plan's prepared weights; other threads write after it
  /// The rows of the result to compute, for kernels with a row_window. If these are not all rows, the data of an image
  /// and of the result begins with the first row that the call reads or writes; descs describe the whole tensors.
  row_range rows{};
  bool reads_stripe = false;  // the image is a stripe that the previous step has just written

  /// The kernel_plan of the choice as a T, or the member of it that begins at word `first_word`.
  template <class T> T planned(std::size_t first_word = 0) const {
    T made;
    __builtin_memcpy(static_cast<void*>(&made), plan + first_word, sizeof made);
    return made;
  }
  /// Reports a fault, if there is one.
  constexpr void report(const run_fault& found) const {
    if (fault != nullptr && found) *fault = found;
  }
};
using kernel_function = void (*)(const kernel_call& call);

/// Whether 3x3 convolutions of floats may be computed by Winograd's method: a third of the time (with stride 2, three
/// quarters), errors ten times those of products one by one (1e-5 of the largest result), infinities and NaN that
/// spread to neighbouring pixels, weights that take two to four times the memory (with stride 2 up to nine times, but
/// no more than 8 MiB, or three times).
enum class winograd { automatic, off };

/// What the planner knows when it asks for a kernel.
struct kernel_request {
  array_ref<const word> attrs;
  array_ref<const operand> in;
  array_ref<const tensor_desc> out;
  bool unrolled = false;  // for a micro network, whose executor inlines kernels that can be unrolled
  nnrt::winograd winograd = nnrt::winograd::automatic;
  std::int64_t stripe_rows = 0;  // most rows of a stripe for which run() is called; 0: for whole results
  bool must_pack = false;        // float weights are packed if they can be: the packing is stored as float16
};

namespace kernels {

/// Families of kernels: an operator's kernels for the dtypes of one family are compiled together, and without those of
/// the others. The dtype of a node's first input says which family it is of.
enum class family : std::uint8_t { f32, int8, int16 };

/// The dtypes of a family.
struct family_types {
  kernels::family family;
  dtype_set types;
};
/// Every family, those first that take precedence. The last one has the floats and every dtype that no other has. A new
/// family is an enumerator above and a row here.
inline constexpr family_types families[] = {
    {family::int16, types_of(i16)},
    {family::int8, types_of(i8, u8)},
    {family::f32, dtype_set{~types_of(i8, u8, i16).bits}},
};

}  // namespace kernels

/// A kernel's functions as numbers: binding, method and table. A plan that the compiler makes holds these until it is
/// complete; then only the functions that it names are compiled.
struct kernel_code {
  op_code op{};
  kernels::family family = kernels::family::f32;
  bool packs = false;        // of a step that runs pack()
  std::int16_t method = -1;  // -1: none, the choice names its functions itself
  std::int16_t table = -1;   // which kernel_choice::inner; -1: none

  constexpr explicit operator bool() const { return method >= 0; }
  friend constexpr bool operator==(const kernel_code&, const kernel_code&) = default;
};
/// The functions of a method.
struct kernel_functions {
  kernel_function run = nullptr;
  kernel_function pack = nullptr;
};

/// Kernels that exist with compile-time extents as well: unrolled executors call those instead of run().
enum class unrolled_kernel { none, dense, int8_dense, table };

/// Whether bit `operand` is set; a node may have more operands than there are bits.
constexpr bool names_operand(std::uint32_t set, std::size_t operand) {
  return operand < 32 && (set >> operand & 1U) != 0;
}

/// The number of parts for `count` units of work: at most 1024, more than there are threads.
constexpr int parts_of(std::int64_t count) { return static_cast<int>(count < 2 ? 1 : count < 1024 ? count : 1024); }

/// The number of parts into which work on this many elements is divided: one below 4 Ki elements, half a microsecond to
/// a microsecond of work. Threads that spin begin and end a step together in 0.15 us (0.5 us if their cores share no
/// cache). A step that is not divided costs more than that: its operands come from the caches of other threads.
constexpr int parts_for(std::int64_t elements) { return parts_of(elements / (2 * 1024)); }

/// A kernel for one node. Without a name there is no kernel, and the reference runs. (The name tells, since g++ 12
/// cannot compare pointers to functions in constant evaluation with -fsanitize=undefined.)
struct kernel_choice {
  /// Instead of run, pack and inner, where a binding has methods.
  kernel_code code = {};
  kernel_function run = nullptr;
  /// Packs constant operands for run(): in = the node's operands; out[0] = packed_bytes bytes, aligned to 64; out[1],
  /// … = the node's results, descs without data. Runs once when an executor is created, or before every run() if an
  /// operand in `packs` is not constant. A pack() that packs no operand makes a table from attributes and descs.
  kernel_function pack = nullptr;
  std::uint32_t packs = 0;  // bit i: operand i is read by pack() only
  std::int64_t packed_bytes = 0;
  kernel_plan plan = {};           // for run() and pack()
  std::int64_t scratch_bytes = 0;  // for each part that runs at the same time
  unrolled_kernel unrolled = unrolled_kernel::none;
  // pack() is constexpr, takes f32 operands and makes an f32 result: constants are packed while planning
  bool packs_in_compiler = false;
  int parts = 1;       // most parts into which the work may be divided
  int pack_parts = 1;  // most parts for pack(), if it runs before every run()
  /// An argument of run() other than its operands, for example a table of inner loops: a program then contains only
  /// those.
  const void* inner = nullptr;
  /// Which rows of its images run() reads for a stripe of rows, which has the bits of the whole result. Images and
  /// result are [batch, rows, …]. Without images run() computes whole results only.
  row_window rows = {};
  std::string_view name;

  constexpr explicit operator bool() const { return !name.empty(); }
  constexpr bool has_pack() const { return packed_bytes > 0; }
};

namespace ops {
// In ops/of.hpp, which everyone has who has kernels.
template <class Op> constexpr bool is_compiled_elsewhere();
}  // namespace ops

namespace kernels {

template <class Op, family Family = family::f32, class Isa = void> struct binding;
template <class Op, class Isa> struct binding<Op, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request&) { return {}; }
};
// Doxygen takes a class whose base has its name for recursive.
template <class Op, class Isa> using f32_binding = binding<Op, family::f32, Isa>;

/// The kernels of an operator for the dtypes of a family: headers of kernels/bind/ specialise it partially over Op,
/// with a select() of this signature. An operator without a binding for a family has that for f32, which may serve
/// every dtype (elements are moved by their size, say) or refuse the node. Isa stays a parameter so that the kernels of
/// operators that a program does not name are never instantiated.
///
/// A binding with one kernel names its functions in the choice. One with several answers numbers, kernel_choice::code,
/// and has
///   `static constexpr int methods`, how many there are;
///   `template <int Method> static constexpr kernel_functions functions()`;
///   `template <int Table> static constexpr const void* table()`, if it has any: what the kernel gets as
///   kernel_call::inner;
///   `static constexpr int every_table`, the one that has what is in any of them;
/// and a specialisation `template <> struct operator_of<ops::x::code> { using type = ops::x; };`.
template <class Op, family Family, class Isa> struct binding : f32_binding<Op, Isa> {};

/// The operator of a number, where its binding has methods.
template <op_code Code> struct operator_of {
  using type = void;
};

namespace detail {

template <class Binding>
concept has_methods = requires { Binding::methods; };
template <class Binding>
concept has_tables = requires { Binding::every_table; };

template <class Binding, int... I>
constexpr kernel_functions functions_at(int method, std::integer_sequence<int, I...>) {
  constexpr kernel_functions all[] = {Binding::template functions<I>()...};
  return all[method];
}

/// Puts the functions in that the code stands for: all of the binding's are compiled.
template <class Binding> constexpr void put_functions(kernel_choice& choice) {
  const kernel_functions functions =
      functions_at<Binding>(choice.code.method, std::make_integer_sequence<int, Binding::methods>());
  choice.run = functions.run;
  choice.pack = functions.pack;
  if constexpr (has_tables<Binding>)
    if (choice.code.table >= 0) choice.inner = Binding::template table<Binding::every_table>();
}

template <class Op, family Family, bool InNumbers> constexpr kernel_choice ask(const kernel_request& node) {
  using asked = binding<Op, Family>;
  kernel_choice choice = asked::select(node);
  if constexpr (has_methods<asked>) {
    choice.code.op = Op::code;
    choice.code.family = Family;
    if constexpr (!InNumbers)
      if (choice.code) put_functions<asked>(choice);
  }
  return choice;
}

/// Asks the first family from number I on that the node is of; Types are the dtypes of those. The last family that has
/// any of them is asked in any case: a node without inputs is of no dtype.
template <class Op, dtype_set Types, bool InNumbers, std::size_t I = 0>
constexpr kernel_choice ask_families(const kernel_request& node, dtype type) {
  if constexpr (I < std::size(families)) {
    constexpr dtype_set mine{Types.bits & families[I].types.bits}, others{Types.bits & ~mine.bits};
    if constexpr (!mine.empty())
      if (others.empty() || families[I].types.contains(type)) return ask<Op, families[I].family, InNumbers>(node);
    return ask_families<Op, others, InNumbers, I + 1>(node, type);
  } else {
    return {};
  }
}

}  // namespace detail

/// Asks the kernels for the dtypes in Types; InNumbers: the choice may be a code alone.
template <class Op, dtype_set Types, bool InNumbers = false>
constexpr kernel_choice select_for(const kernel_request& node) {
  return detail::ask_families<Op, Types, InNumbers>(node, node.in.empty() ? dtype::none : node.in[0].desc.type);
}

/// What a step gets for its code.
struct step_functions {
  kernel_function run = nullptr;
  const void* inner = nullptr;
};

/// The binding that a code is of.
template <op_code Op, family Family> using binding_of = binding<typename operator_of<Op>::type, Family>;

/// A method of a binding as the one unit with `<nnrt/src.hpp>` compiles it; with the table of all that a program may
/// need. Elsewhere it is declared.
template <op_code Op, family Family, int Method> struct compiled_kernel {
  static void run(const kernel_call& call);
  static void run_with_table(const kernel_call& call);
  static void pack(const kernel_call& call);
};

/// The functions of one code; no others of its binding are instantiated.
template <kernel_code Code> constexpr step_functions functions_for() {
  if constexpr (ops::is_compiled_elsewhere<typename operator_of<Code.op>::type>()) {
    using compiled = compiled_kernel<Code.op, Code.family, Code.method>;
    if constexpr (Code.packs) return {&compiled::pack};
    else if constexpr (Code.table >= 0) return {&compiled::run_with_table};
    else return {&compiled::run};
  } else {
    using bound = binding_of<Code.op, Code.family>;
    constexpr kernel_functions functions = bound::template functions<Code.method>();
    if constexpr (Code.packs) return {functions.pack};
    else if constexpr (Code.table >= 0) return {functions.run, bound::template table<Code.table>()};
    else return {functions.run};
  }
}

/// Complete where kernels/select.hpp has been included, and with it every specialisation of binding.
template <class Op> struct bindings;
/// What stands for `binding<Op>::select` where it has not.
constexpr kernel_choice select_none(const kernel_request&) { return {}; }

}  // namespace kernels

}}  // namespace nnrt::NNRT_ISA
