// quantised: shared bindings of elementwise operators on 8-bit quantised values: tables, and functions of pairs.
// Flow: bind/unary.hpp, bind/binary.hpp and others call select() here before their float kernels; the operators define
// the arithmetic.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/broadcast_loops.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/int8/elementwise/pair_sum.hpp>
#include <nnrt/kernels/int8/elementwise/table.hpp>
#include <nnrt/ops/detail/quantised.hpp>

#include <type_traits>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// True if a tensor holds 8-bit quantised values with one scale.
constexpr bool holds_stored_bytes(const tensor_desc& x) {
  return ops::detail::bytes.contains(x.type) && x.quantised.mode == quantisation::kind::per_tensor;
}

/// Kernel choice of an operator y = f(x) on 8-bit quantised values: a table of the reference's results for all 256
/// values, built once.
template <class Op, class Isa> struct table_binding {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!holds_stored_bytes(node.in[0].desc) || !holds_stored_bytes(node.out[0]) || !has_work(node)) return {};
    return {.run = &run,
            .pack = &pack,
            .packed_bytes = table_entries,
            .unrolled = node.unrolled ? unrolled_kernel::table : unrolled_kernel::none,
            .parts = parts_for(node.out[0].elements() / 4),
            .name = "lookup table"};
  }
  static void pack(const kernel_call& call) {
    std::uint8_t numbers[table_entries];
    for (std::int64_t i = 0; i < table_entries; ++i) numbers[i] = static_cast<std::uint8_t>(i);
    tensor_desc x = *call.in[0].desc, y = *call.out[1].desc;
    x.layout = y.layout = nd, x.shape = y.shape = {table_entries};
    const view in{&x, any_pointer::bytes(numbers)}, out{&y, any_pointer::bytes(call.out[0].data.raw())};
    run_reference<Op, ops::detail::bytes>(call.attrs, {&in, 1}, {&out, 1});
  }
  static void run(const kernel_call& call) {
    const interval mine = share(call.out[0].elements(), part_of(call));
    look_up<Isa>(bytes_in(call, call.in.size() - 1), bytes_in(call, 0) + mine.begin, mine.size(),
                 bytes_out(call) + mine.begin);
  }
};

/// Kernel choice of an operator y = f(a, b) with broadcasting on 8-bit quantised values, with the function from
/// Op::stored. Large sums use a linear function (int8_pair_sum) that pack() computes once.
template <class Op, class Isa> struct quantised_pair_binding {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node) || !holds_stored_bytes(node.in[0].desc)) return {};
    const std::int64_t elements = node.out[0].elements();
    kernel_choice choice{
        .run = &run, .parts = parts_for(elements), .rows = rows_of_pairs(node), .name = "binary quantised"};
    if constexpr (is_sum<std::int8_t>)
      if (elements >= min_on_line &&
          has_rows(loops_of(node.in[0].desc.shape, node.in[1].desc.shape, node.out[0].shape)))
        choice.pack = &pack, choice.packed_bytes = sizeof(int8_pair_sum);
    return choice;
  }
  static void pack(const kernel_call& call) {
    if (call.out[1].type() == i8) pack_as<std::int8_t>(call);
    else pack_as<std::uint8_t>(call);
  }
  static void run(const kernel_call& call) {
    if (call.out[0].type() == i8) run_as<std::int8_t>(call);
    else run_as<std::uint8_t>(call);
  }

 private:
  // Below that, the search for the linear function costs more than it saves.
  static constexpr std::int64_t min_on_line = 1024;
  // shorter rows are not worth vectors
  static constexpr bool has_rows(const broadcast_loops& loops) { return loops.extents[loops.count - 1] >= 8; }
  template <class T>
  using function = decltype(Op::template stored<T>(std::declval<const ops::detail::quantised_pair&>()));
  template <class T> static constexpr bool is_sum = std::is_same_v<function<T>, ops::detail::quantised_sum<T>>;

  template <class T> static function<T> function_of(const kernel_call& call, results out) {
    activation fused = activation::none;
    const auto attrs = unpack<typename Op::attrs>(call.attrs);
    if constexpr (requires { attrs.fused; }) fused = attrs.fused;
    return Op::template stored<T>({call.in, out, fused});
  }
  template <class T> static void pack_as(const kernel_call& call) {
    if constexpr (is_sum<T>) {
      const int8_pair_sum line = line_of(function_of<T>(call, {&call.out[1], 1}));
      __builtin_memcpy(bytes_out(call), &line, sizeof line);
    }
  }
  template <class T> static void run_as(const kernel_call& call) {
    const auto loops = loops_of(call.in[0].shape(), call.in[1].shape(), call.out[0].shape());
    const interval mine = share(elements_of(call), part_of(call));
    const auto zip = [&](const auto& f) {
      zip_int8(loops, bytes_in(call, 0), bytes_in(call, 1), bytes_out(call), mine, f);
    };
    if constexpr (is_sum<T>)
      if (call.in.size() == 3) {
        const auto& line = *reinterpret_cast<const int8_pair_sum*>(bytes_in(call, 2));
        if (line.is_found()) return zip(int8_pair_line_lanes<T>(line));
      }
    const auto f = function_of<T>(call, call.out);
    using lanes_of_pairs = int8_pair_lanes<function<T>>;
    if constexpr (lanes_of_pairs::exists)
      if (lanes_of_pairs::fits(f) && has_rows(loops)) return zip(lanes_of_pairs(f));
    zip_elements(loops, call.in[0].data.template get<T>(), call.in[1].data.template get<T>(),
                 call.out[0].data.template get<T>(), mine, f);
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
