// src: every operator, for every dtype, with all its kernels, and compile() - what NNRT_SEPARATE_COMPILATION leaves to one unit of a program.
// Flow: that unit includes this and nothing else of nnrt, and is compiled for the instruction set of the others; ops/registry.hpp and
// NNRT_COMPILED_ONCE say who asks.
#pragma once

#include <nnrt/exec/program.hpp>
#include <nnrt/kernels/select.hpp>
#include <nnrt/ops/registry.hpp>

#include <array>

namespace nnrt::inline NNRT_ISA::ops {

template <class Op> constinit const operator_info compiled_operator<Op>::info = dynamic_operator<Op>;

namespace detail {

/// What a table names that is kept is compiled.
template <class List> struct compiled_operators;
template <class... Ops> struct compiled_operators<type_list<Ops...>> {
  static constexpr std::array<const operator_info*, sizeof...(Ops)> all{&compiled_operator<Ops>::info...};
};
[[gnu::used]] inline constexpr auto kept_operators = compiled_operators<list>::all;

}  // namespace detail

}  // namespace nnrt::inline NNRT_ISA::ops

namespace nnrt::inline NNRT_ISA {

template result<void> bind_weights<>(const weights&, array_ref<const weight_spec>, bound_weights&);
template result<void> check_graph<>(const ir::graph&, const deadline_watch&);
template result<void> infer_graph<>(ir::graph&, const deadline_watch&);

namespace detail {

template plan plan_at_run_time<>(const ir::graph&, const plan_options&, const deadline_watch&);
template result<shared<const compiled_plan>> compile_for<>(const program_family&, array_ref<const shape_t>);
template result<compiled_parts> compile_parts<>(const model&, const options&);

}  // namespace detail

}  // namespace nnrt::inline NNRT_ISA
