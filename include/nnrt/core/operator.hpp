// operator: what every operator states of itself, the call of its rules, and its erased form for graphs.
// Flow: ops/<name>.hpp define operators; builder and front ends call infer_node; IR nodes point to an operator_info.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/error_bound.hpp>
#include <nnrt/core/hdi_field.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/core/rule_names.hpp>
#include <nnrt/core/signature.hpp>

#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA {

/// An attribute as NNRt passes it: a parameter tensor (OH_NN_<OP>_*) of this type number, dtype and element count (-1:
/// any). Rows of one attribute are forms of it, told apart by their counts. Source: what OH_NNModel_AddOperation
/// checks.
struct nnrt_parameter {
  // the least number says "no axis"
  static constexpr std::int64_t as_made = std::numeric_limits<std::int64_t>::min() + 1;

  std::string_view attribute;  // empty: NNRt has it, here it means nothing
  int tensor_type = 0;
  dtype type = dtype::none;
  int count = 1;
  int rank = -1;                  // that the tensor must have; -1: any
  std::int64_t most = -1;         // numbers from 0 to this one are taken; -1: all are
  bool is_required = false;       // a model cannot be finished without it
  bool appends = false;           // given twice, the second one's numbers follow those of the first
  std::int64_t absent = as_made;  // what it is when it is not given, where that is not what `attrs` are made with

  constexpr nnrt_parameter of_rank(int r) const {
    return nnrt_parameter{attribute, tensor_type, type, count, r, most, is_required, appends, absent};
  }
  constexpr nnrt_parameter up_to(std::int64_t number) const {
    return nnrt_parameter{attribute, tensor_type, type, count, rank, number, is_required, appends, absent};
  }
  constexpr nnrt_parameter required() const {
    return nnrt_parameter{attribute, tensor_type, type, count, rank, most, true, appends, absent};
  }
  constexpr nnrt_parameter appending() const {
    return nnrt_parameter{attribute, tensor_type, type, count, rank, most, is_required, true, absent};
  }
  constexpr nnrt_parameter otherwise(std::int64_t number) const {
    return nnrt_parameter{attribute, tensor_type, type, count, rank, most, is_required, appends, number};
  }
};

/// A parameter that an operation was given: its number and its first integer, for operators that check them against
/// each other.
struct nnrt_given {
  int tensor_type = 0;
  std::int64_t first = 0;
};

/// (An operator whose attributes follow from several parameters together, or from NNRt's release, has
/// `static void nnrt_settle(attrs&, array_ref<const nnrt_given>, int api_level)`, which is called when all others are
/// set.)

/// Why NNRt does not add an operation whose parameters are each as they should be: what of it has the wrong number, in
/// words; none: it does add it.
struct nnrt_fault {
  std::string_view of = {};
  std::int64_t actual = 0, expected = 0;
};

/// Numbers of an operator in other worlds; -1: it has none there.
struct foreign_numbers {
  int nnrt = -1;                    // OH_NN_OperationType
  int hdi = -1;                     // OHOS::HDI::Nnrt NodeType
  int hdi_also = -1;                // another NodeType that means the same
  int hdi_since = 10;               // the version of HDI that has it, where that is not the NodeType's
  int tells_quantisation = -1;      // whether upstream's nodes of it say QUANT_TYPE_ALL; -1: up to number 56 they do
  std::string_view nnrt_name = {};  // the name in NNRt's documents, where it is not this library's in CamelCase
};

/// Where the result of a node may live.
enum class storage {
  own,             // in memory of its own
  in_place,        // may overwrite an input of the same size: element i depends on no other element than i
  alias_of_input,  // the very bytes of input 0 under another desc
};

/// What a node computes, as far as passes ask. Affine ones can be folded into the weights of the layer before them.
enum class meaning {
  other,
  relu,
  relu6,
  batch_norm,  // x, scale, offset, mean, variance; attribute epsilon is the first
  bias_add,    // x, bias
  scale,       // x, scale, bias; attribute axis is the first, and an activation is fused
};

/// A layer with weights: which operand they are, and which of their axes counts output channels.
enum class weights_role { none, conv2d, depthwise_conv2d, conv2d_transpose, full_connection };

/// How the files of PyTorch order the operands of an operator that may be weights. Operators that take numbers in
/// several operands say it: a test asks them all.
enum class file_order {
  unstated,
  unchanged,  // as the operator takes them
  broadcast,  // aligned from the right with x: where that is a map [N, H, W, C], files have [C, H, W]
  layer,      // `weights` says it; rows and columns follow from the maps that they are made of or become
  product,    // a matrix [in, out], whose rows and columns do the same
  gates,      // input 0; then rows of four gates: i, o, f, g here, i, f, g, o there
  joined,     // they are parts of what reads the result
  image,      // input 0 is a map [N, H, W, C], there [N, C, H, W]
};

/// An attribute whose default is not that of PyTorch, which files do not hold: networks with weights of PyTorch say
/// what it is, in nodes where it plays a part: all, unless the operator has plays_a_part(attrs, x).
struct unlike_default {
  std::string_view attribute = {};
  std::string_view theirs = {};  // what PyTorch takes when nobody says, in words
};

/// What passes need to know of an operator; the defaults are those of an operator without any special property.
struct operator_traits {
  storage result = storage::own;
  meaning computes = meaning::other;
  weights_role weights = weights_role::none;
  int typed_by = 0;                // the input whose dtype `reference` is instantiated for
  dtype_set typed_in_common = {};  // when not empty: it is the common_type of inputs 0 and 1, one of these
  bool outputs_are_parts = false;  // split and slice: outputs are parts of input 0, found by Op::part_offset
  // concat: inputs may be written straight into the output when they lie there in one piece
  bool joins_inputs = false;
  quantised_values quantised = quantised_values::refused;
  // gather: values that only a run shows may break a rule; `reference` returns a run_fault
  bool may_fail = false;
  bool rounds_to_even = false;  // computes quantised values that are rounded half to even, too
  // shape_of: results follow from the shapes of its inputs, whose elements it does not read
  bool reads_descs_alone = false;
  file_order in_files = file_order::unstated;
  array_ref<const unlike_default> to_be_said = {};
};

/// What dumps and tests say of an operator. Apart from operator_info, so that a program that prints its network does
/// not keep every function of every operator in it.
struct operator_label {
  std::string_view name;
  array_ref<const attribute_field> attributes;
  array_ref<const error_bound> errors = {};
};

/// An operator without its type: tables and function pointers, what IR nodes refer to. One object per operator and
/// dtype in static graphs (so that only what a program names is instantiated), one per operator in dynamic ones.
struct operator_info {
  op_code code{};
  std::string_view name;
  array_ref<const operand_spec> inputs;
  array_ref<const operand_spec> outputs;
  operator_traits traits;
  int fused_word = -1;
  verdict (*infer)(array_ref<const word> attrs, array_ref<const operand> in,
                   array_ref<const tensor_desc> wanted) = nullptr;
  /// Of operators whose outputs are parts of input 0: where output i begins in it, in elements.
  std::int64_t (*part_offset)(array_ref<const word> attrs, array_ref<const operand> in,
                              array_ref<const tensor_desc> out, int i) = nullptr;
  std::int64_t (*macs)(array_ref<const word> attrs, array_ref<const operand> in,
                       array_ref<const tensor_desc> out) = nullptr;
  run_fault (*reference)(array_ref<const word> attrs, arguments in, results out) = nullptr;
  kernel_choice (*select)(const kernel_request& node) = nullptr;
  /// Runs the reference as a plan's step does.
  kernel_function run_reference = nullptr;
  const operator_label* label = nullptr;
  /// The operator that joins this one with the weights of the layer before it; null where nothing does. Named here, so
  /// that programs have it whose networks have something to join.
  const operator_info* folded_as = nullptr;
  /// The enumerators of Op::rule, for messages. The compiler has checked those of static graphs: layers, which have
  /// many, get the names at_run_time.
  rule_list rules;
  /// The dtypes that `reference` is instantiated for.
  dtype_set computes_on;
};

/// An operator, and the dtype for which its reference runs: what a static graph instantiates of it.
struct typed_operator {
  op_code code{};
  dtype type = dtype::none;
  friend constexpr bool operator==(const typed_operator&, const typed_operator&) = default;
};

/// Index in traits.to_be_said of the first attribute that is not said in a node over x; -1: none.
template <class Op, class Says>
constexpr int left_open(const typename Op::attrs& attrs, const tensor_desc& x, Says says) {
  if constexpr (requires { Op::plays_a_part(attrs, x); })
    if (!Op::plays_a_part(attrs, x)) return -1;
  for (std::size_t i = 0; i < Op::traits.to_be_said.size(); ++i)
    if (!says(Op::traits.to_be_said[i].attribute)) return static_cast<int>(i);
  return -1;
}

/// Operators that do not multiply and accumulate.
inline constexpr auto no_macs = [](const auto&, array_ref<const operand>,
                                   array_ref<const tensor_desc>) -> std::int64_t { return 0; };

/// Output descs of one node, or the rule that it breaks: the signature's rules first, then the operator's own.
template <class Op>
constexpr verdict infer_node(const typename Op::attrs& attrs, array_ref<const operand> in,
                             array_ref<const tensor_desc> wanted) {
  verdict v = detail::check_inputs(Op::inputs, in);
  if (v) v = detail::check_quantised_operands(Op::inputs, Op::traits.quantised, in, Op::traits.typed_by);
  if (v) v = detail::check_wishes(wanted);
  if (v) v = Op::infer(attrs, in, wanted);
  if constexpr (Op::traits.quantised == quantised_values::kept) {
    if (v)
      detail::keep_quantisation(v, Op::outputs, Op::inputs[Op::traits.typed_by].accepts,
                                in[static_cast<std::size_t>(Op::traits.typed_by)].desc);
  }
  if constexpr (Op::traits.quantised == quantised_values::computed && !Op::traits.rounds_to_even) {
    if (v)
      if (verdict broken = detail::check_rounding(v.outputs); !broken) v = static_cast<verdict&&>(broken);
  }
  if (v) v = detail::settle(static_cast<verdict&&>(v), wanted);
  v.op = Op::code;
  return v;
}

/// The dtype for which Op::reference runs, where type_of(i) is that of input i.
template <class TypeOf> constexpr dtype reference_type(const operator_traits& traits, TypeOf type_of) {
  if (!traits.typed_in_common.empty()) return common_type(type_of(0), type_of(1));
  return type_of(static_cast<std::size_t>(traits.typed_by));
}

/// Runs Op::reference for the dtype that its traits name, and passes on the fault that it finds. Only dtypes in `Types`
/// are instantiated.
template <class Op, dtype_set Types>
constexpr run_fault run_reference(array_ref<const word> words, arguments in, results out) {
  const auto attrs = unpack<typename Op::attrs>(words);
  const dtype type = reference_type(Op::traits, [&](std::size_t i) { return in[i].type(); });
  run_fault fault;
  with_element<Types>(type, [&]<class T>(T) {
    if constexpr (Op::traits.may_fail) fault = Op::template reference<T>(attrs, in, out);
    else Op::template reference<T>(attrs, in, out);
  });
  return fault;
}

namespace detail {

template <class Op>
constexpr verdict infer_words(array_ref<const word> words, array_ref<const operand> in,
                              array_ref<const tensor_desc> wanted) {
  if (!well_formed<typename Op::attrs>(words)) {
    verdict v = refuse(signature_rule::attributes_must_be_well_formed, 0, 1);
    v.op = Op::code;
    return v;
  }
  return infer_node<Op>(unpack<typename Op::attrs>(words), in, wanted);
}
template <class Op>
constexpr std::int64_t part_offset_of_words(array_ref<const word> words, array_ref<const operand> in,
                                            array_ref<const tensor_desc> out, int i) {
  return Op::part_offset(unpack<typename Op::attrs>(words), in, out, i);
}
template <class Op>
constexpr std::int64_t macs_of_words(array_ref<const word> words, array_ref<const operand> in,
                                     array_ref<const tensor_desc> out) {
  return Op::macs(unpack<typename Op::attrs>(words), in, out);
}
template <class Op, dtype_set Types> void run_reference_step(const kernel_call& call) {
  call.report(run_reference<Op, Types>(call.attrs, call.in, call.out));
}

}  // namespace detail

/// The dtypes for which Op::reference is meant.
template <class Op> constexpr dtype_set reference_types() {
  return Op::traits.typed_in_common.empty() ? Op::inputs[Op::traits.typed_by].accepts : Op::traits.typed_in_common;
}

/// Whether T is defined, not only declared, where this is asked first.
template <class T>
concept is_complete = requires { sizeof(T); };

/// The operator that another becomes in a pass over any graph; it stands below.
template <class Op, bool HasKernels = is_complete<kernels::bindings<Op>>> constexpr const operator_info* dynamic_form();

namespace detail {
/// Whether at_run_time finds the operator by its code, and so adds what only plans that are made at run time ask for.
template <class Op, bool HasKernels> constexpr bool is_found_by_code() {
  if constexpr (HasKernels) return !std::is_void_v<typename kernels::operator_of<Op::code>::type>;
  else return false;  // a binding that comes later may still say how
}
}  // namespace detail

template <class Op>
inline constexpr operator_label label_of{Op::name, attribute_fields<typename Op::attrs>(), errors_of<Op>()};

namespace ops {
// In ops/of.hpp, which everyone has who has kernels.
template <class Op, bool HasKernels> constexpr const operator_info& of();
}  // namespace ops

namespace detail {

// What a static graph asks of an operator at run time may be in the unit with <nnrt/src.hpp>: other units know it for
// constant evaluation alone.
template <class Op>
constexpr verdict infer_elsewhere(array_ref<const word> words, array_ref<const operand> in,
                                  array_ref<const tensor_desc> wanted) {
  if (__builtin_is_constant_evaluated()) return infer_words<Op>(words, in, wanted);
  return ops::of<Op, true>().infer(words, in, wanted);
}
template <class Op>
constexpr std::int64_t macs_elsewhere(array_ref<const word> words, array_ref<const operand> in,
                                      array_ref<const tensor_desc> out) {
  if (__builtin_is_constant_evaluated()) return macs_of_words<Op>(words, in, out);
  return ops::of<Op, true>().macs(words, in, out);
}
template <class Op, dtype_set Types>
constexpr run_fault reference_elsewhere(array_ref<const word> words, arguments in, results out) {
  if (__builtin_is_constant_evaluated()) return run_reference<Op, Types>(words, in, out);
  return ops::of<Op, true>().reference(words, in, out);
}
template <class Op, dtype_set Types, bool InNumbers>
constexpr kernel_choice select_elsewhere(const kernel_request& node) {
  if (__builtin_is_constant_evaluated()) return kernels::select_for<Op, Types, InNumbers>(node);
  return ops::of<Op, true>().select(node);
}
template <class Op> void run_reference_elsewhere(const kernel_call& call) { ops::of<Op, true>().run_reference(call); }

template <class Op, dtype_set Types, bool InNumbers> constexpr void put_functions_of_elsewhere(operator_info& info) {
  info.infer = &infer_elsewhere<Op>;
  info.macs = &macs_elsewhere<Op>;
  info.reference = &reference_elsewhere<Op, Types>;
  info.select = &select_elsewhere<Op, Types, InNumbers>;
  info.run_reference = &run_reference_elsewhere<Op>;
}

}  // namespace detail

/// What front ends ask of an operator: tables and rules, without its reference and without kernels.
template <class Op> constexpr operator_info describe() {
  operator_info info;
  info.code = Op::code;
  info.name = Op::name;
  info.inputs = Op::inputs;
  info.outputs = Op::outputs;
  info.traits = Op::traits;
  info.fused_word = fused_word<typename Op::attrs>();
  info.infer = &detail::infer_words<Op>;
  info.macs = &detail::macs_of_words<Op>;
  info.label = &label_of<Op>;
  return info;
}

/// The form that readers of files take in the compiler: without its reference, or with that for the dtypes of constants
/// that are evaluated.
template <class Op, dtype_set Evaluated>
inline constexpr operator_info reading_form = [] {
  operator_info info = describe<Op>();
  info.rules = rule_names<typename Op::rule>();
  if constexpr (!Evaluated.empty()) info.reference = &run_reference<Op, Evaluated>;
  return info;
}();
/// No more than the code of an operator: of those that nobody has asked for.
template <class Op>
inline constexpr operator_info bare_form = [] {
  operator_info info;
  info.code = Op::code;
  return info;
}();

/// The erased form of an operator whose reference is instantiated for the dtypes in Types.
/// HasKernels keeps what translation units with and without the kernels' bindings make of an operator apart: the linker
/// would merge them. InNumbers: the choice of a kernel may be a code, for a plan that the compiler makes.
template <class Op, dtype_set Types, bool HasKernels, bool InNumbers> constexpr operator_info make_operator_info() {
  operator_info info = describe<Op>();
  info.reference = &run_reference<Op, Types>;
  if constexpr (requires { typename Op::folded_as; }) info.folded_as = dynamic_form<typename Op::folded_as>();
  if constexpr (!InNumbers || Op::traits.may_fail || !detail::is_found_by_code<Op, HasKernels>())
    info.rules = rule_names<typename Op::rule>();
  info.computes_on = Types;
  if constexpr (Op::traits.outputs_are_parts) info.part_offset = &detail::part_offset_of_words<Op>;
  if constexpr (HasKernels) info.select = &kernels::select_for<Op, Types, InNumbers>;
  else info.select = &kernels::select_none;
  info.run_reference = &detail::run_reference_step<Op, Types>;
  if constexpr (HasKernels && InNumbers)
    if constexpr (ops::is_compiled_elsewhere<Op>()) detail::put_functions_of_elsewhere<Op, Types, InNumbers>(info);
  return info;
}

/// The operator as a static graph names it: its reference for one dtype.
template <class Op, dtype Type, bool HasKernels = is_complete<kernels::bindings<Op>>>
inline constexpr operator_info static_operator = make_operator_info<Op, types_of(Type), HasKernels, true>();

/// The same for a plan that is made at run time: with the functions of all kernels.
template <const operator_info* Static>
inline constexpr operator_info at_run_time = [] {
  operator_info info = *Static;
  using op = typename kernels::operator_of<Static->code>::type;
  if constexpr (!std::is_void_v<op>) {
    if constexpr (ops::is_compiled_elsewhere<op>())
      info.select = &detail::select_elsewhere<op, Static->computes_on, false>;
    else info.select = &kernels::select_for<op, Static->computes_on>;
    info.rules = rule_names<typename op::rule>();
  }
  return info;
}();

/// The operator as dynamic graphs find it: its reference for every dtype it takes.
template <class Op, bool HasKernels = is_complete<kernels::bindings<Op>>>
inline constexpr operator_info dynamic_operator = make_operator_info<Op, reference_types<Op>(), HasKernels, false>();

namespace detail {
template <class Op>
inline constexpr operator_info operator_of_elsewhere = [] {
  operator_info info = dynamic_operator<Op, true>;
  put_functions_of_elsewhere<Op, reference_types<Op>(), false>(info);
  return info;
}();
}  // namespace detail

template <class Op, bool HasKernels> constexpr const operator_info* dynamic_form() {
  if constexpr (HasKernels)
    if constexpr (ops::is_compiled_elsewhere<Op>()) return &detail::operator_of_elsewhere<Op>;
  return &dynamic_operator<Op, HasKernels>;
}

}}  // namespace nnrt::NNRT_ISA
