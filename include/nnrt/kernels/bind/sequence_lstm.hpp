// sequence_lstm: kernels of the operator for floats and for quantised values.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/int16/centred_products.hpp>
#include <nnrt/kernels/sequence/gated.hpp>
#include <nnrt/ops/sequence_lstm.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// f32; parts are shares of the sequences.
template <class Isa> struct binding<ops::sequence_lstm, family::f32, Isa> {
  using op = ops::sequence_lstm;
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    const shape_t &x = node.in[0].desc.shape, &h = node.out[1].shape, &c = node.out[2].shape;
    return {.run = &run,
            .scratch_bytes = (x[2] + h[1] + c[1]) * static_cast<std::int64_t>(sizeof(float)),
            .parts = parts_of(h[0]),
            .name = "sequence"};
  }

 private:
  static void run(const kernel_call& call) {
    const auto attrs = unpack<op::attrs>(call.attrs);
    const auto there = [&](std::size_t i) { return i < call.in.size() && call.in[i] ? floats_in(call, i) : nullptr; };
    gated_weights of{};
    for (std::size_t gate = 0; gate < 4; ++gate) {
      of.w[gate] = there(op::w + gate), of.u[gate] = there(op::u + gate), of.b[gate] = there(op::b + gate),
      of.n[gate] = there(op::n + gate);
      if (gate != 2) of.p[gate] = there(gate == 3 ? op::p + 2 : op::p + gate);
    }
    of.projection = there(op::projection), of.projection_bias = there(op::projection_bias);
    const shape_t &x = call.in[0].shape(), &h = call.out[1].shape(), &c = call.out[2].shape();
    const ops::detail::row_order order = ops::detail::rows_of(x, attrs.time_major, attrs.backwards);
    gated_sequence s{.input = x[2],
                     .cells = c[1],
                     .outputs = h[1],
                     .activation = attrs.activation,
                     .cell_clip = attrs.cell_clip,
                     .projection_clip = attrs.projection_clip,
                     .rounds_rows = attrs.rounds_rows,
                     .symmetric = attrs.symmetric,
                     .h = nullptr,
                     .c = nullptr,
                     .gates = {},
                     .seen = reinterpret_cast<float*>(call.scratch)};
    const auto begin = [&](std::int64_t b) {
      s.h = state_of_sequence(call, op::state_h, 1, b), s.c = state_of_sequence(call, op::state_c, 2, b);
      for (std::int64_t gate = 0; gate < 4; ++gate)
        s.gates[gate] = floats_out(call, 3) + (gate * order.batch + b) * s.cells;
    };
    for_sequences(call, order, begin, [&](std::int64_t row) {
      run_gated_step(of, s, floats_in(call, 0) + row * s.input);
      copy_floats(s.h, s.outputs, floats_out(call) + row * s.outputs);
    });
  }
};

/// 8-bit and 16-bit sequences, with the bits of the reference; parts are shares of the sequences.
template <class Isa> struct binding<ops::sequence_lstm, family::int8, Isa> {
  using op = ops::sequence_lstm;
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    const std::int64_t room = 2 * max_row(node.in[0].desc.shape, node.out[1].shape, node.out[2].shape);
    return {.run = node.in[0].desc.type == i8 ? &run<std::int8_t> : &run<std::int16_t>,
            .scratch_bytes = room * static_cast<std::int64_t>(sizeof(std::int16_t)),
            .parts = parts_of(node.out[1].shape[0]),
            .name = "sequence"};
  }

 private:
  static constexpr std::int64_t max_row(const shape_t& x, const shape_t& h, const shape_t& c) {
    return std::max(x[2], std::max(h[1], c[1]));
  }
  template <class T> static void run(const kernel_call& call) {
    const auto attrs = unpack<op::attrs>(call.attrs);
    const centred_products products{reinterpret_cast<std::int16_t*>(call.scratch),
                                    max_row(call.in[0].shape(), call.out[1].shape(), call.out[2].shape())};
    const interval mine = share(call.out[1].shape()[0], part_of(call));
    ops::detail::quantised_lstm<op::attrs, T, centred_products>(attrs, call.in, call.out, products)
        .run(mine.begin, mine.end);
  }
};

template <class Isa>
struct binding<ops::sequence_lstm, family::int16, Isa> : binding<ops::sequence_lstm, family::int8, Isa> {};

}}}  // namespace nnrt::NNRT_ISA::kernels
