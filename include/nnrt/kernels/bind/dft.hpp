// dft: f32 kernel of the operator: mixed-radix FFT.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/sequence/fourier.hpp>
#include <nnrt/ops/dft.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// f32 only; the reference computes other dtypes.
template <class Isa> struct binding<ops::dft, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const fourier_shape shape =
        shape_for(unpack<ops::dft::attrs>(node.attrs), node.in[0].desc.shape, node.out[0].shape);
    return {.run = &run,
            .plan = kernel_plan::of(shape),
            .scratch_bytes = shape.scratch_bytes(),
            .parts = parts_for(shape.outer * shape.inner * shape.length * 8),
            .name = "mixed radix"};
  }

 private:
  static constexpr fourier_shape shape_for(const ops::dft::attrs& a, const shape_t& x, const shape_t& y) {
    const int axis = normalise_axis(a.axis, x.rank);
    fourier_shape s;
    s.parts = x[-1], s.made = y[-1];
    s.outer = x.elements(0, axis), s.inner = x.elements(axis + 1) / s.parts;
    s.extent = x[axis], s.results = y[axis];
    s.length = ops::dft::length_of(a, s.extent), s.read = ops::dft::read_of(a, s.extent, s.length);
    s.inverse = a.inverse ? 1 : 0, s.onesided = a.onesided ? 1 : 0;
    return s;
  }
  static void run(const kernel_call& call) {
    transform_lines(call.planned<fourier_shape>(), floats_in(call, 0), floats_out(call),
                    reinterpret_cast<complex_number*>(call.scratch), part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
