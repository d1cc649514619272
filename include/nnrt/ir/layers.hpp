// layers: operators together with their weights, which have the names of PyTorch's state dicts.
// Flow: a network's function calls layers::conv2d<16, 3, 3>(x, "conv1", …); weights are bound by name when an executor
// is made.
#pragma once

#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/batch_norm.hpp>
#include <nnrt/ops/bias_add.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/conv2d_transpose.hpp>
#include <nnrt/ops/depthwise_conv2d.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/layer_norm.hpp>
#include <nnrt/ops/lstm.hpp>
#include <nnrt/ops/prelu.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/stack.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Leaves out the bias of a layer: `layers::conv2d<16, 3, 3>(x, "conv1", nnrt::no_bias)`.
struct no_bias_t : keyword::base {};
inline constexpr no_bias_t no_bias{};

/// Functions that declare the weights of an operator by the layer's name, and apply the operator. The input gives the
/// extents and the dtype of the weights. Keywords are the operator's. A broken rule is reported as the operator's.
namespace layers {

namespace detail {

/// The weight `<layer>.<part>`.
template <dtype Type, shape_t Shape>
constexpr auto part_of(builder& owner, std::string_view layer, std::string_view part) {
  return owner.weight<Type, Shape>(layer, part);
}

/// An extent that is valid for a weight, even if the input is wrong: then the operator's rule reports the mistake, not
/// the builder.
constexpr std::int64_t at_least_1(std::int64_t extent) { return extent > 1 ? extent : 1; }
constexpr std::int64_t channels_of(const tensor_desc& x) { return x.rank() > 0 ? at_least_1(x.shape[-1]) : 1; }

/// The attributes that the keywords among these arguments set.
template <class Op, class... Args> inline constexpr typename Op::attrs attributes = dsl::attributes_of<Op, Args...>();

template <class Keyword> inline constexpr bool leaves_out_bias = std::is_same_v<Keyword, no_bias_t>;
template <class Keyword> constexpr auto for_operator(Keyword given) {
  if constexpr (leaves_out_bias<Keyword>) return std::tuple<>{};
  else return std::tuple{given};
}

/// Applies Op to x, a weight of this shape and a bias of `Outputs` elements, unless the keywords leave out the bias.
template <class Op, shape_t Weight, std::int64_t Outputs, tensor_desc X, class... Keywords>
constexpr auto with_weight_and_bias(tensor<X> x, std::string_view name, Keywords... keywords) {
  const auto weight = part_of<X.type, Weight>(*x.owner, name, "weight");
  if constexpr ((leaves_out_bias<Keywords> || ...)) {
    return std::apply([&](auto... kept) { return dsl::apply<Op>(x, weight, kept...); },
                      std::tuple_cat(for_operator(keywords)...));
  } else {
    return dsl::apply<Op>(x, weight, part_of<X.type, shape_t{Outputs}>(*x.owner, name, "bias"), keywords...);
  }
}

/// A convolution whose weight has the input's channels divided by the number of groups in the keywords.
template <class Op, std::int64_t Out, std::int64_t KernelH, std::int64_t KernelW, tensor_desc X, class... Keywords>
constexpr auto grouped(tensor<X> x, std::string_view name, Keywords... keywords) {
  if constexpr (X.type == dtype::none) {
    return x;
  } else {
    constexpr std::int64_t groups = at_least_1(attributes<Op, Keywords...>.group);
    constexpr shape_t weight{Out, KernelH, KernelW, at_least_1(channels_of(X) / groups)};
    return with_weight_and_bias<Op, weight, Out>(x, name, keywords...);
  }
}

}  // namespace detail

/// conv2d with "name.weight" [Out, KernelH, KernelW, C / group] and "name.bias" [Out].
template <std::int64_t Out, std::int64_t KernelH, std::int64_t KernelW, tensor_desc X,
          dsl::keyword_argument... Keywords>
constexpr auto conv2d(tensor<X> x, std::string_view name, Keywords... keywords) {
  return detail::grouped<ops::conv2d, Out, KernelH, KernelW>(x, name, keywords...);
}

/// conv2d_transpose with "name.weight" [Out, KernelH, KernelW, C / group] and "name.bias" [Out].
template <std::int64_t Out, std::int64_t KernelH, std::int64_t KernelW, tensor_desc X,
          dsl::keyword_argument... Keywords>
constexpr auto conv2d_transpose(tensor<X> x, std::string_view name, Keywords... keywords) {
  return detail::grouped<ops::conv2d_transpose, Out, KernelH, KernelW>(x, name, keywords...);
}

/// depthwise_conv2d with "name.weight" [C * Multiplier, KernelH, KernelW, 1] and "name.bias" [C * Multiplier].
template <std::int64_t KernelH, std::int64_t KernelW, std::int64_t Multiplier = 1, tensor_desc X,
          dsl::keyword_argument... Keywords>
constexpr auto depthwise_conv2d(tensor<X> x, std::string_view name, Keywords... keywords) {
  if constexpr (X.type == dtype::none) {
    return x;
  } else {
    constexpr std::int64_t out = detail::channels_of(X) * Multiplier;
    return detail::with_weight_and_bias<ops::depthwise_conv2d, shape_t{out, KernelH, KernelW, 1}, out>(x, name,
                                                                                                       keywords...);
  }
}

/// full_connection with "name.weight" [Out, I] and "name.bias" [Out]. I is the product of the extents from `axis<…>`
/// on; without that keyword it is the last extent.
template <std::int64_t Out, tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto full_connection(tensor<X> x, std::string_view name, Keywords... keywords) {
  if constexpr (X.type == dtype::none) {
    return x;
  } else {
    constexpr int axis = normalise_axis(detail::attributes<ops::full_connection, Keywords...>.axis, X.rank());
    constexpr std::int64_t inner = axis < 0 ? 1 : detail::at_least_1(X.shape.elements(axis));
    return detail::with_weight_and_bias<ops::full_connection, shape_t{Out, inner}, Out>(x, name, keywords...);
  }
}

/// batch_norm with "name.weight" (the scale), "name.bias" (the offset), "name.running_mean" and "name.running_var",
/// each [C]. PyTorch trains with `epsilon<1e-5F>`, which is not the operator's default. Therefore a file of
/// layout::pytorch is refused if epsilon is not given.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto batch_norm(tensor<X> x, std::string_view name, Keywords... keywords) {
  if constexpr (X.type == dtype::none) {
    return x;
  } else {
    constexpr shape_t channels{detail::channels_of(X)};
    const auto part = [&](std::string_view of) { return detail::part_of<X.type, channels>(*x.owner, name, of); };
    const auto scale = part("weight"), offset = part("bias"), mean = part("running_mean"),
               variance = part("running_var");
    return dsl::apply<ops::batch_norm>(x, scale, offset, mean, variance, keywords...);
  }
}

/// bias_add with "name.bias" [C].
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto bias_add(tensor<X> x, std::string_view name, Keywords... keywords) {
  if constexpr (X.type == dtype::none) return x;
  else
    return dsl::apply<ops::bias_add>(
        x, detail::part_of<X.type, shape_t{detail::channels_of(X)}>(*x.owner, name, "bias"), keywords...);
}

/// prelu with "name.weight" [C], or [Slopes]: `prelu<1>(x, "act")` has one slope for all channels.
template <std::int64_t Slopes = 0, tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto prelu(tensor<X> x, std::string_view name, Keywords... keywords) {
  if constexpr (X.type == dtype::none) {
    return x;
  } else {
    constexpr shape_t slopes{Slopes > 0 ? Slopes : detail::channels_of(X)};
    return dsl::apply<ops::prelu>(x, detail::part_of<X.type, slopes>(*x.owner, name, "weight"), keywords...);
  }
}

/// layer_norm with "name.weight" (gamma) and "name.bias" (beta). Both have the extents from `begin_norm_axis<…>` on;
/// without it, all but the first extent. PyTorch trains with `epsilon<1e-5F>` (the operator has another default), and
/// mostly with `begin_norm_axis<-1>`.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto layer_norm(tensor<X> x, std::string_view name, Keywords... keywords) {
  if constexpr (X.type == dtype::none) {
    return x;
  } else {
    constexpr shape_t normalised = [] {
      shape_t extents;
      const int first = normalise_axis(detail::attributes<ops::layer_norm, Keywords...>.begin_norm_axis, X.rank());
      for (int i = first < 0 ? 0 : first; i < X.rank(); ++i) extents.push_back(X.shape[i]);
      return extents;
    }();
    const auto gamma = detail::part_of<X.type, normalised>(*x.owner, name, "weight"),
               beta = detail::part_of<X.type, normalised>(*x.owner, name, "bias");
    return dsl::apply<ops::layer_norm>(x, gamma, beta, keywords...);
  }
}

namespace detail {

/// The name of a recurrent layer's weight in PyTorch's state dicts: "weight_ih_l0", "bias_hh_l12_reverse".
struct recurrent_name {
  char letters[40] = {};
  std::size_t size = 0;

  constexpr recurrent_name(std::string_view kind, int layer, bool is_reverse) {
    add(kind), add("_l");
    char digits[10] = {};
    int count = 0;
    do digits[count++] = static_cast<char>('0' + layer % 10), layer /= 10;
    while (layer > 0);
    while (count > 0) add({&digits[--count], 1});
    if (is_reverse) add("_reverse");
  }
  constexpr void add(std::string_view text) {
    for (const char letter : text) letters[size++] = letter;
  }
  constexpr std::string_view view() const { return {letters, size}; }
};

}  // namespace detail

/// `auto [y, hy, cy] = layers::lstm<Hidden>(x, "name")`.
///
///   name.weight_ih_l0 [4 * Hidden, I]     name.weight_hh_l0 [4 * Hidden, Hidden]
///   name.bias_ih_l0 [4 * Hidden]          name.bias_hh_l0 [4 * Hidden]
///
/// A bidirectional layer has each weight a second time, with the suffix "_reverse". hx and cx may follow, then
/// keywords. For layer k of several, call `layers::lstm<Hidden, k>` with y of the preceding layer; its weights end with
/// "_lk".
/// The order of gates is i, o, f, g. A file of layout::pytorch has i, f, g, o; binding reorders them.
template <std::int64_t Hidden, int Layer = 0, tensor_desc X, class... Rest>
  requires((dsl::tensor_handle<Rest> || dsl::keyword_argument<Rest>) && ...)
constexpr auto lstm(tensor<X> x, std::string_view name, Rest... rest) {
  static_assert(Layer >= 0, "nnrt: layers are counted from 0");
  if constexpr (X.type == dtype::none) {
    return dsl::refused<3>(x);
  } else {
    constexpr std::int64_t gates = 4 * Hidden,
                           directions = detail::attributes<ops::lstm, Rest...>.bidirectional ? 2 : 1;
    constexpr shape_t ih{gates, detail::channels_of(X)}, hh{gates, Hidden}, row{gates};
    const auto part = [&]<shape_t Shape>(std::string_view kind, bool is_backward = false) {
      return detail::part_of<X.type, Shape>(*x.owner, name, detail::recurrent_name(kind, Layer, is_backward).view());
    };
    const auto both = [&]<shape_t Shape>(std::string_view kind) {
      const auto first = part.template operator()<Shape>(kind);
      if constexpr (directions == 1) return nnrt::reshape(first, nnrt::shape<1, Shape[0], Shape[1]>);
      else return nnrt::stack(first, part.template operator()<Shape>(kind, true));
    };
    const auto w_ih = both.template operator()<ih>("weight_ih");
    const auto w_hh = both.template operator()<hh>("weight_hh");
    // of one tuple: clang 16 does not expand a pack of the outer lambda in the inner one
    const auto apply = [&](auto... operands) {
      return std::apply([&](auto... kept) { return dsl::apply<ops::lstm>(x, w_ih, w_hh, kept...); },
                        std::tuple_cat(std::tuple(operands...), detail::for_operator(rest)...));
    };
    if constexpr ((detail::leaves_out_bias<Rest> || ...)) {
      static_assert((!dsl::tensor_handle<Rest> && ...),
                    "nnrt: an lstm without a bias takes no states by place: call nnrt::lstm with zeros for the bias");
      return apply();
    } else {
      const auto input = part.template operator()<row>("bias_ih"), hidden = part.template operator()<row>("bias_hh");
      if constexpr (directions == 1)
        return apply(nnrt::reshape(nnrt::concat(input, hidden, axis<0>), nnrt::shape<1, 2 * gates>));
      else
        return apply(nnrt::reshape(nnrt::concat(input, hidden, part.template operator()<row>("bias_ih", true),
                                                part.template operator()<row>("bias_hh", true), axis<0>),
                                   nnrt::shape<2, 2 * gates>));
    }
  }
}

}  // namespace layers
}}  // namespace nnrt::NNRT_ISA
