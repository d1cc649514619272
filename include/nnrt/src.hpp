// src: compiles every operator for every dtype, all kernels and compile(), for programs with NNRT_SEPARATE_COMPILATION.
// Flow: one unit of the program includes this and no other nnrt header; it uses the instruction set of the other units.
// ops/registry.hpp and NNRT_COMPILED_ONCE declare what this unit defines.
#pragma once

#include <nnrt/exec/program.hpp>
#include <nnrt/kernels/select.hpp>
#include <nnrt/ops/registry.hpp>

#include <array>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

template <class Op> constinit const operator_info compiled_operator<Op>::info = dynamic_operator<Op>;

namespace detail {

/// Compiles the operators: the retained table below names all of them.
template <class List> struct compiled_operators;
template <class... Ops> struct compiled_operators<type_list<Ops...>> {
  static constexpr std::array<const operator_info*, sizeof...(Ops)> all{&compiled_operator<Ops>::info...};
};
[[gnu::used]] inline constexpr auto kept_operators = compiled_operators<list>::all;

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::ops

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <op_code Op, family Family, int Method>
void compiled_kernel<Op, Family, Method>::run(const kernel_call& call) {
  binding_of<Op, Family>::template functions<Method>().run(call);
}
template <op_code Op, family Family, int Method>
void compiled_kernel<Op, Family, Method>::run_with_table(const kernel_call& call) {
  using bound = binding_of<Op, Family>;
  kernel_call with_table = call;
  if constexpr (detail::has_tables<bound>) with_table.inner = bound::template table<bound::every_table>();
  bound::template functions<Method>().run(with_table);
}
template <op_code Op, family Family, int Method>
void compiled_kernel<Op, Family, Method>::pack(const kernel_call& call) {
  binding_of<Op, Family>::template functions<Method>().pack(call);
}

namespace detail {

/// The functions of a binding by their methods. Plans that the compiler made for other units call them.
template <op_code Op, family Family> constexpr auto kernels_of_binding() {
  using bound = binding_of<Op, Family>;
  if constexpr (has_methods<bound>) {
    return []<int... Method>(std::integer_sequence<int, Method...>) {
      return std::array<kernel_function, 3 * sizeof...(Method)>{&compiled_kernel<Op, Family, Method>::run...,
                                                                &compiled_kernel<Op, Family, Method>::run_with_table...,
                                                                &compiled_kernel<Op, Family, Method>::pack...};
    }(std::make_integer_sequence<int, bound::methods>());
  } else {
    return std::array<kernel_function, 0>{};
  }
}
template <op_code Op, family Family> inline constexpr auto kernels_by_method = kernels_of_binding<Op, Family>();

template <class Op, family Family> constexpr const void* kernels_kept_of() {
  if constexpr (std::is_void_v<typename operator_of<Op::code>::type>) return nullptr;
  else return &kernels_by_method<Op::code, Family>;
}
template <class Op> constexpr auto kernels_kept_of_all_families() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<const void*, sizeof...(I)>{kernels_kept_of<Op, families[I].family>()...};
  }(std::make_index_sequence<std::size(families)>());
}
template <class List> struct compiled_kernels;
template <class... Ops> struct compiled_kernels<ops::type_list<Ops...>> {
  static constexpr std::array<std::array<const void*, std::size(families)>, sizeof...(Ops)> all{
      kernels_kept_of_all_families<Ops>()...};
};
[[gnu::used]] inline constexpr auto kept_kernels = compiled_kernels<ops::list>::all;

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::kernels

namespace nnrt { inline namespace NNRT_ISA {

template result<void> bind_weights<>(const weights&, array_ref<const weight_spec>, bound_weights&);
template result<void> check_graph<>(const ir::graph&, const deadline_watch&);
template result<void> infer_graph<>(ir::graph&, const deadline_watch&);

namespace detail {

template plan plan_at_run_time<>(const ir::graph&, const plan_options&, const deadline_watch&);
template result<shared<const compiled_plan>> compile_for<>(const program_family&, array_ref<const shape_t>);
template result<compiled_parts> compile_parts<>(const model&, const options&);

}  // namespace detail

}}  // namespace nnrt::NNRT_ISA
