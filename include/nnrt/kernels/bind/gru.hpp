// gru: f32 kernel of the operator.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/sequence/gru.hpp>
#include <nnrt/ops/gru.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// f32; parts are shares of sequences and directions. The reference computes other dtypes.
template <class Isa> struct binding<ops::gru, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const std::int64_t sequences = node.out[1].shape[0] * node.out[1].shape[1], hidden = node.out[1].shape[2];
    return {.run = &run,
            .scratch_bytes = 4 * hidden * static_cast<std::int64_t>(sizeof(float)),
            .parts = parts_of(sequences),
            .name = "sequence"};
  }

 private:
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::gru::attrs>(call.attrs);
    const shape_t &x = call.in[0].shape(), &state = call.out[1].shape();
    const lstm_sizes sizes{x[0], x[2], state[2]};
    const std::int64_t directions = state[0], batch = state[1], rows = 3 * sizes.hidden;
    const interval mine = share(directions * batch, part_of(call));
    for (std::int64_t i = mine.begin; i < mine.end; ++i) {
      const std::int64_t d = i / batch, b = i % batch, at = i * sizes.hidden;
      const auto from = [&](std::size_t operand, std::int64_t offset) {
        return operand < call.in.size() && call.in[operand] ? floats_in(call, operand) + offset : nullptr;
      };
      const gru_sequence one{
          .x = {floats_in(call, 0) + b * sizes.input, batch * sizes.input},
          .w_ih = floats_in(call, 1) + d * rows * sizes.input,
          .w_hh = floats_in(call, 2) + d * rows * sizes.hidden,
          .bias = from(3, d * 2 * rows),
          .h = from(4, at),
          .y = {floats_out(call, 0) + (b * directions + d) * sizes.hidden, batch * directions * sizes.hidden},
          .hy = floats_out(call, 1) + at,
          .backwards = d == 1,
          .linear_before_reset = attrs.linear_before_reset,
      };
      run_gru(sizes, one, reinterpret_cast<float*>(call.scratch));
    }
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
