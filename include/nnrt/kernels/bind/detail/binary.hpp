// binary: shared parts of the bindings of operators y = f(a, b) with broadcasting.
// Flow: bind/binary.hpp and bind/eltwise.hpp pass f.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/kernels/bind/detail/lanes_for.hpp>
#include <nnrt/kernels/bind/detail/quantised.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/elementwise/elementwise.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// Element type of the result: Y, or the type T of the operands if Y is void.
template <class T, class Y> using result_of = std::conditional_t<std::is_void_v<Y>, T, Y>;

/// True if operands are unquantised elements of type T and the result has the matching type.
template <class T, class Y> constexpr bool is_plain_pair(const kernel_request& node) {
  for (const operand& x : node.in)
    if (x.desc.type != dtype_for<T>() || x.desc.quantised) return false;
  return node.out[0].type == dtype_for<result_of<T, Y>>();
}

inline broadcast_loops loops_of(const kernel_call& call) {
  return kernels::loops_of(call.in[0].shape(), call.in[1].shape(), call.out[0].shape());
}
inline interval share_of(const kernel_call& call) { return share_of_floats(elements_of(call), part_of(call)); }

}  // namespace detail

/// Kernel choice of an operator on two tensors, one element at a time, with Op::element of the reference. Y: element
/// type of the result if it differs from the operands.
template <class Op, class Y = void> struct element_kernels {
  /// The kernel for the first of `Types` that matches the node's elements.
  template <class... Types> static constexpr kernel_choice select(const kernel_request& node, int parts) {
    kernel_choice chosen;
    (consider<Types>(node, parts, chosen), ...);
    return chosen;
  }

 private:
  template <class T> static constexpr void consider(const kernel_request& node, int parts, kernel_choice& chosen) {
    if constexpr (reference_types<Op>().contains(dtype_for<T>()))
      if (!chosen && detail::is_plain_pair<T, Y>(node))
        chosen = {.run = &run<T>, .parts = parts, .name = "binary elements"};
  }
  template <class T> static void run(const kernel_call& call) {
    const auto attrs = unpack<typename Op::attrs>(call.attrs);
    zip_elements(detail::loops_of(call), call.in[0].data.get<T>(), call.in[1].data.get<T>(),
                 call.out[0].data.get<detail::result_of<T, Y>>(), detail::share_of(call),
                 [&](T a, T b) { return Op::element(attrs, a, b); });
  }
};

/// Binding by element_kernels for nodes with elements of one of `Types`; `Cost` of an element in additions.
template <class Op, class Isa, int Cost, class... Types> struct element_binding {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return element_kernels<Op>::template select<Types...>(node, parts_for(node.out[0].elements() * Cost));
  }
};

/// Kernel choice of an operator on two tensors. f32 uses zip() with the vector function `Lanes` (or
/// Lanes::of(attributes)); the kernel's name says which kind of broadcast was selected. f16, f64 and i32 are computed
/// one element at a time.
template <class Op, class Isa, class Lanes, class Y = void> struct binary_binding {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    const int parts = parts_for(node.out[0].elements());
    if (!detail::is_plain_pair<float, Y>(node))
      return element_kernels<Op, Y>::template select<float16, double, std::int32_t>(node, parts);
    switch (broadcast_kind_of(node.in[0].desc.shape, node.in[1].desc.shape, node.out[0].shape)) {
      case broadcast_kind::same:
        return {.run = &run_same, .parts = parts, .rows = rows_of_pairs(node), .name = "binary"};
      case broadcast_kind::scalar: return {.run = &run_scalar, .parts = parts, .name = "binary scalar"};
      case broadcast_kind::channels: return {.run = &run_channels, .parts = parts, .name = "binary channels"};
      case broadcast_kind::general: break;
    }
    return {.run = &run_broadcast, .parts = parts, .name = "binary broadcast"};
  }

 private:
  static auto* result(const kernel_call& call) { return call.out[0].data.get<detail::result_of<float, Y>>(); }

  static void run_same(const kernel_call& call) {
    const auto [begin, end] = detail::share_of(call);
    zip(floats_in(call, 0) + begin, floats_in(call, 1) + begin, end - begin, result(call) + begin,
        detail::lanes_for<Lanes>(call.attrs));
  }
  static void run_scalar(const kernel_call& call) {
    const auto [begin, end] = detail::share_of(call);
    const float *a = floats_in(call, 0), *b = floats_in(call, 1);
    const auto f = detail::lanes_for<Lanes>(call.attrs);
    if (call.in[0].elements() == 1) zip(*a, b + begin, end - begin, result(call) + begin, f);
    else zip(a + begin, *b, end - begin, result(call) + begin, f);
  }
  static void run_channels(const kernel_call& call) {
    const auto [begin, end] = detail::share_of(call);
    const std::size_t row = call.in[0].elements() < call.in[1].elements() ? 0 : 1;
    const std::int64_t period = call.in[row].elements();
    zip_channels(floats_in(call, 1 - row) + begin, {floats_in(call, row), period, row == 0}, begin % period,
                 end - begin, result(call) + begin, detail::lanes_for<Lanes>(call.attrs));
  }
  static void run_broadcast(const kernel_call& call) {
    zip_broadcast(detail::loops_of(call), floats_in(call, 0), floats_in(call, 1), result(call), detail::share_of(call),
                  detail::lanes_for<Lanes>(call.attrs));
  }
};

/// binary_binding, plus kernels for 8-bit quantised values with the function from Op::stored.
template <class Op, class Isa, class Lanes> struct arithmetic_binding {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (const kernel_choice stored = quantised_pair_binding<Op, Isa>::select(node)) return stored;
    return binary_binding<Op, Isa, Lanes>::select(node);
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
