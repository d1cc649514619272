// operator: what each operator declares, the evaluation of its rules, and its type-erased description for graphs.
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

/// An attribute as NNRt passes it: a parameter tensor (`OH_NN_<OP>_*`) with this type number, dtype and element count
/// (-1: any). Several rows of one attribute are alternatives with different counts. Source: the checks of
/// OH_NNModel_AddOperation.
struct nnrt_parameter {
  // the default value: "no default other than in attrs"
  static constexpr std::int64_t as_made = std::numeric_limits<std::int64_t>::min() + 1;

  std::string_view attribute;  // empty: NNRt has the parameter, but it has no meaning here
  int tensor_type = 0;
  dtype type = dtype::none;
  int count = 1;
  int rank = -1;                  // required rank of the tensor; -1: any
  std::int64_t most = -1;         // values must be in 0 … most; -1: no limit
  bool is_required = false;       // the model cannot be finished without it
  bool appends = false;           // values of a second tensor are appended to the first one's
  std::int64_t absent = as_made;  // value of an absent parameter, if it differs from the default in `attrs`

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

/// A parameter that was given: its type number and its first integer, for operators that check parameters against each
/// other.
struct nnrt_given {
  int tensor_type = 0;
  std::int64_t first = 0;
};

/// (An operator whose attributes depend on several parameters, or on NNRt's release, has
/// `static void nnrt_derive(attrs&, array_ref<const nnrt_given>, int api_level)`. It is called after all other
/// attributes are set.)

/// Why NNRt refuses an operation whose parameters are valid individually: what has the wrong value. Empty: it is
/// accepted.
struct nnrt_fault {
  std::string_view of = {};
  std::int64_t actual = 0, expected = 0;
};

/// Numbers of an operator in other interfaces; -1: it is not there.
struct foreign_numbers {
  int nnrt = -1;                    // OH_NN_OperationType
  int hdi = -1;                     // OHOS::HDI::Nnrt NodeType
  int hdi_also = -1;                // another NodeType with the same meaning
  int hdi_since = 10;               // first version of HDI with the operator, if later than its NodeType's
  int tells_quantisation = -1;      // whether upstream's nodes have QUANT_TYPE_ALL; -1: those up to number 56 have it
  std::string_view nnrt_name = {};  // name in NNRt's documents, if it is not this library's name in CamelCase
};

/// Where the result of a node is stored.
enum class storage {
  own,             // in separate memory
  in_place,        // may overwrite an input of the same size: element i depends only on element i
  alias_of_input,  // the bytes of input 0 with another desc
};

/// What a node computes, for passes. Affine ones can be folded into the weights of the preceding layer; of add to div,
/// one operand must then be known.
enum class meaning {
  other,
  relu,
  relu6,
  batch_norm,  // x, scale, offset, mean, variance; epsilon is the first attribute
  bias_add,    // x, bias
  scale,       // x, scale, bias; axis is the first attribute; has a fused activation
  add,         // a, b, which broadcast; likewise the next three
  sub,
  mul,
  div,
};

/// Kind of layer with weights: it determines which operand they are and which of their axes is output channels.
enum class weights_role { none, conv2d, depthwise_conv2d, conv2d_transpose, full_connection };

/// Order of weights' axes in PyTorch's files, by operand. Operators with several operands of numbers must state it; a
/// test checks that.
enum class file_order {
  unstated,
  unchanged,  // as the operator takes them
  broadcast,  // aligned with x from the right: for x [N, H, W, C], files have [C, H, W]
  layer,      // by `weights`; rows and columns follow the maps that the layer reads or makes
  product,    // a matrix [in, out]; rows and columns likewise
  gates,      // input 0; then rows of four gates: i, o, f, g here, i, f, g, o in files
  joined,     // parts of the operand of the operator that reads the result
  image,      // input 0 is a map [N, H, W, C] here, [N, C, H, W] in files
};

/// An attribute with another default than in PyTorch, which files do not contain. Networks with PyTorch weights must
/// state it in all nodes, or in those for which the operator's plays_a_part(attrs, x) is true.
struct unlike_default {
  std::string_view attribute = {};
  std::string_view theirs = {};  // PyTorch's default, in words
};

/// How another order of the axes of x passes through an operator. passes/layout.hpp moves transposes by it.
enum class axis_role {
  fixed,            // the operator needs its own order
  elementwise,      // any order; operands that need not be constant broadcast
  first_attribute,  // the first attribute is an axis, and all operands have the same axes: concat
  reduced,          // the second operand lists axes, missing: all; the first attribute says whether they remain
  listed,           // the second attribute lists axes, empty: the last one; softmax
  padded,           // the second operand has two numbers for each axis: pad
  strided,          // begin, end and step of each axis, and masks of axes as attributes: strided_slice
  gathered,         // the third operand is an axis; indices are a list: gather
};

/// Properties of an operator for passes. The defaults mean no special property.
struct operator_traits {
  storage result = storage::own;
  meaning computes = meaning::other;
  weights_role weights = weights_role::none;
  int typed_by = 0;                // the input whose dtype selects the instance of `reference`
  dtype_set typed_in_common = {};  // if not empty: the dtype is common_type of inputs 0 and 1, which is one of these
  bool outputs_are_parts = false;  // split, slice: outputs are parts of input 0, at Op::part_offset
  // concat: inputs may be written directly to the output, if their parts are contiguous
  bool joins_inputs = false;
  quantised_values quantised = quantised_values::refused;
  // gather: values known only at run time may break a rule; `reference` returns a run_fault
  bool may_fail = false;
  bool rounds_to_even = false;  // also computes quantised values that are rounded half to even
  // shape_of: results depend only on the shapes of its inputs
  bool reads_descs_alone = false;
  file_order in_files = file_order::unstated;
  array_ref<const unlike_default> to_be_said = {};
  axis_role axes = axis_role::fixed;
};

/// Names for dumps and tests. They are separate from operator_info, so that a program that prints its network does not
/// link every function of every operator.
struct operator_label {
  std::string_view name;
  array_ref<const attribute_field> attributes;
  array_ref<const error_bound> errors = {};
};

/// An operator without its type: tables and function pointers, which IR nodes refer to. Static graphs have one object
/// for each operator and dtype, so that only what a program uses is instantiated. Dynamic graphs have one for each
/// operator.
struct operator_info {
  op_code code{};
  std::string_view name;
  array_ref<const operand_spec> inputs;
  array_ref<const operand_spec> outputs;
  operator_traits traits;
  int fused_word = -1;
  verdict (*infer)(array_ref<const word> attrs, array_ref<const operand> in,
                   array_ref<const tensor_desc> wanted) = nullptr;
  /// For operators whose outputs are parts of input 0: offset of output i in it, in elements.
  std::int64_t (*part_offset)(array_ref<const word> attrs, array_ref<const operand> in,
                              array_ref<const tensor_desc> out, int i) = nullptr;
  std::int64_t (*macs)(array_ref<const word> attrs, array_ref<const operand> in,
                       array_ref<const tensor_desc> out) = nullptr;
  run_fault (*reference)(array_ref<const word> attrs, arguments in, results out) = nullptr;
  kernel_choice (*select)(const kernel_request& node) = nullptr;
  /// Runs the reference as a step of a plan.
  kernel_function run_reference = nullptr;
  const operator_label* label = nullptr;
  /// The operator that results from folding this one into the weights of the preceding layer; null if none. It is named
  /// here so that programs link it only if their networks need it.
  const operator_info* folded_as = nullptr;
  bool is_folded = false;  // folded_as is not null; g++ does not compare it in constant evaluation with its sanitizer
  /// Enumerators of Op::rule, for messages. Static graphs have been checked by the compiler; at_run_time adds the names
  /// for layers, which have many.
  rule_list rules;
  /// The dtypes for which `reference` is instantiated.
  dtype_set computes_on;
};

/// An operator and the dtype of its reference: what a static graph instantiates.
struct typed_operator {
  op_code code{};
  dtype type = dtype::none;
  friend constexpr bool operator==(const typed_operator&, const typed_operator&) = default;
};

/// Index in traits.to_be_said of the first attribute that a node over x does not state; -1: none.
template <class Op, class Says>
constexpr int left_open(const typename Op::attrs& attrs, const tensor_desc& x, Says says) {
  if constexpr (requires { Op::plays_a_part(attrs, x); })
    if (!Op::plays_a_part(attrs, x)) return -1;
  for (std::size_t i = 0; i < Op::traits.to_be_said.size(); ++i)
    if (!says(Op::traits.to_be_said[i].attribute)) return static_cast<int>(i);
  return -1;
}

/// For operators without multiply-accumulates.
inline constexpr auto no_macs = [](const auto&, array_ref<const operand>,
                                   array_ref<const tensor_desc>) -> std::int64_t { return 0; };

/// Output descs of a node, or the rule that it breaks. The signature's rules are checked first, then the operator's.
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
  if (v) v = detail::match_declared(static_cast<verdict&&>(v), wanted);
  v.op = Op::code;
  return v;
}

/// The dtype for which Op::reference runs; type_of(i) is input i's.
template <class TypeOf> constexpr dtype reference_type(const operator_traits& traits, TypeOf type_of) {
  if (!traits.typed_in_common.empty()) return common_type(type_of(0), type_of(1));
  return type_of(static_cast<std::size_t>(traits.typed_by));
}

/// Runs Op::reference for the dtype that its traits select, and returns its fault. Only dtypes in `Types` are
/// instantiated.
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

/// The dtypes that Op::reference supports.
template <class Op> constexpr dtype_set reference_types() {
  return Op::traits.typed_in_common.empty() ? Op::inputs[Op::traits.typed_by].accepts : Op::traits.typed_in_common;
}

/// Whether T is defined, not only declared, at the first use of the concept.
template <class T>
concept is_complete = requires { sizeof(T); };

/// The description of an operator for every dtype, for passes over any graph; defined below.
template <class Op, bool HasKernels = is_complete<kernels::bindings<Op>>>
constexpr const operator_info* dynamic_operator_of();

namespace detail {
/// Whether at_run_time finds the operator by its code, and adds what only plans made at run time need.
template <class Op, bool HasKernels> constexpr bool is_found_by_code() {
  if constexpr (HasKernels) return !std::is_void_v<typename kernels::operator_of<Op::code>::type>;
  else return false;  // a binding may be declared later
}
}  // namespace detail

template <class Op>
inline constexpr operator_label label_of{Op::name, attribute_fields<typename Op::attrs>(), errors_of<Op>()};

namespace ops {
// Defined in ops/of.hpp, which all users with kernels include.
template <class Op, bool HasKernels> constexpr const operator_info& of();
}  // namespace ops

namespace detail {

// Functions that a static graph needs at run time may be defined in the unit with <nnrt/src.hpp>. Other units have them
// only in constant evaluation.
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

/// The part for front ends: tables and rules, without reference and kernels.
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

/// The description for readers of files in constant evaluation: without a reference, or with one for the dtypes of
/// constants that are evaluated.
template <class Op, dtype_set Evaluated>
inline constexpr operator_info operator_for_reading = [] {
  operator_info info = describe<Op>();
  info.rules = rule_names<typename Op::rule>();
  if constexpr (!Evaluated.empty()) info.reference = &run_reference<Op, Evaluated>;
  info.computes_on = Evaluated;
  return info;
}();
/// Only an operator's code, for operators that are not needed.
template <class Op>
inline constexpr operator_info operator_without_functions = [] {
  operator_info info;
  info.code = Op::code;
  return info;
}();

/// The type-erased description of an operator whose reference is instantiated for `Types`. HasKernels gives units with
/// and without kernel bindings different instances, which the linker must not merge. InNumbers: the kernel may be
/// chosen as a code, for plans made by the compiler.
template <class Op, dtype_set Types, bool HasKernels, bool InNumbers> constexpr operator_info make_operator_info() {
  operator_info info = describe<Op>();
  info.reference = &run_reference<Op, Types>;
  if constexpr (requires { typename Op::folded_as; }) {
    info.folded_as = dynamic_operator_of<typename Op::folded_as>();
    info.is_folded = true;
  }
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

/// The description for static graphs, with the reference for one dtype.
template <class Op, dtype Type, bool HasKernels = is_complete<kernels::bindings<Op>>>
inline constexpr operator_info static_operator = make_operator_info<Op, types_of(Type), HasKernels, true>();

/// The description for static graphs with all kernels' functions, for plans made at run time.
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

/// The description for dynamic graphs, with the reference for every dtype that the operator accepts.
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

template <class Op, bool HasKernels> constexpr const operator_info* dynamic_operator_of() {
  if constexpr (HasKernels)
    if constexpr (ops::is_compiled_elsewhere<Op>()) return &detail::operator_of_elsewhere<Op>;
  return &dynamic_operator<Op, HasKernels>;
}

}}  // namespace nnrt::NNRT_ISA
