// cpu: the policies that run a network on this machine's processor, and how they execute its plan.
// Flow: executor<graph<f>, Policy> asks Policy::form; cpu is the default.
#pragma once

#include <nnrt/core/kernel.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// How a static plan is executed.
enum class execution_form {
  automatic,  // unrolled for micro networks, else planned
  planned,    // a loop over the table of steps; layers of a kind share kernels
  unrolled,   // every step inlined with constant extents; for networks of a few thousand multiply-accumulates
};

/// A policy that runs everything on the CPU:
/// `executor<graph<f>, basic_cpu<execution_form::automatic, winograd::off>>`.
template <execution_form Form, nnrt::winograd Winograd = nnrt::winograd::automatic> struct basic_cpu {
  static constexpr execution_form form = Form;
  static constexpr nnrt::winograd winograd = Winograd;
};

using cpu = basic_cpu<execution_form::automatic>;
using cpu_planned = basic_cpu<execution_form::planned>;
using cpu_unrolled = basic_cpu<execution_form::unrolled>;

}}  // namespace nnrt::NNRT_ISA
