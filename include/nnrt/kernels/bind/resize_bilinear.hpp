// resize_bilinear: f32 kernel of the operator.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/f32/resize.hpp>
#include <nnrt/ops/resize_bilinear.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::resize_bilinear, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (node.in[0].desc.type != f32 || !has_work(node)) return {};
    const resize_shape shape = shape_for(node.attrs, node.in[0].desc.shape, node.out[0].shape);
    return {.run = &run,
            .scratch_bytes = resize_scratch_bytes(shape),
            .parts = parts_for(4 * node.out[0].elements()),
            .name = "bilinear channels"};
  }
  static void run(const kernel_call& call) {
    resize<native>(shape_for(call.attrs, call.in[0].shape(), call.out[0].shape()), floats_in(call, 0),
                   reinterpret_cast<pixel_pair<float>*>(call.scratch), floats_out(call), part_of(call));
  }

 private:
  static constexpr resize_shape shape_for(array_ref<const word> words, const shape_t& x, const shape_t& y) {
    const coordinates mode = unpack<ops::resize_bilinear::attrs>(words).coordinate_mode;
    return {x[0], x[3], {x[1], y[1], mode}, {x[2], y[2], mode}};
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
