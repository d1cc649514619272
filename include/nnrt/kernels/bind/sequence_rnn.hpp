// sequence_rnn: f32 kernel of the operator.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/sequence/gated.hpp>
#include <nnrt/ops/sequence_rnn.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// f32; parts are shares of the sequences.
template <class Isa> struct binding<ops::sequence_rnn, family::f32, Isa> {
  using op = ops::sequence_rnn;
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    const shape_t &x = node.in[0].desc.shape, &h = node.out[1].shape;
    return {.run = &run,
            .scratch_bytes = (x[2] + h[1]) * static_cast<std::int64_t>(sizeof(float)),
            .parts = parts_of(h[0]),
            .name = "sequence"};
  }

 private:
  static void run(const kernel_call& call) {
    const auto attrs = unpack<op::attrs>(call.attrs);
    const shape_t& x = call.in[0].shape();
    const std::int64_t input = x[2], states = call.out[1].shape()[1];
    const ops::detail::row_order order = ops::detail::rows_of(x, attrs.time_major, attrs.backwards);
    float* const room = reinterpret_cast<float*>(call.scratch);
    float* h = nullptr;
    for_sequences(
        call, order, [&](std::int64_t b) { h = state_of_sequence(call, 4, 1, b); },
        [&](std::int64_t row) {
          const float* const seen =
              detail::row_seen(attrs.rounds_rows, attrs.symmetric, floats_in(call, 0) + row * input, input, room);
          const float* const before = detail::row_seen(attrs.rounds_rows, attrs.symmetric, h, states, room + input);
          float* const y = floats_out(call) + row * states;
          detail::run_plain_step({floats_in(call, 1), seen, input}, {floats_in(call, 2), before, states},
                                 floats_in(call, 3), attrs.activation, y);
          copy_floats(y, states, h);
        });
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
