// constant_evaluation: operators give the same bits in the compiler and in the program that it makes.
// Flow: tests/CMakeLists.txt compiles and runs it with the flags under which compilers fuse products with sums, where
// the machine has the instructions. Networks are nodes next to each other, in each floating dtype, of every operator;
// tests/bits/references.cpp has random nodes of each, at run time alone.
#include <nnrt/exec/evaluate.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/list.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

namespace {

using namespace nnrt;

// i16 has no zero point.
template <dtype T>
inline constexpr quant quantised_x{.scale = T == i16 ? 0.00013F : 0.037F, .zero_point = T == i16 ? 0 : 3};
template <dtype T>
inline constexpr quant quantised_y{.scale = T == i16 ? 0.00027F : 0.0213F, .zero_point = T == i16 ? 0 : 11};

// --- one node each ---------------------------------------------------------

template <dtype T>
inline constexpr auto function_of_one = [](builder& g) {
  auto x = g.input<T, shape<24>>("x");
  auto y = concat(exp(x), log(abs(x)), sigmoid(x), tanh(x), erf(x), gelu(x), gelu(x, approximate), sin(x), cos(x),
                  sqrt(abs(x)), rsqrt(abs(x)), hswish(x), swish(x), hard_sigmoid(x), axis<0>);
  auto z = concat(leaky_relu(x, negative_slope<0.1F>), reciprocal(x), square(x), neg(x), round(x), floor(x), ceil(x),
                  axis<0>);
  g.output("y", concat(y, z, axis<0>));
};
template <dtype T>
inline constexpr auto functions_of_two = [](builder& g) {
  auto a = g.input<T, shape<24>>("a"), b = g.input<T, shape<24>>("b");
  g.output("y", concat(add(a, b), sub(a, b), mul(a, b), div(a, b), mod(a, b), pow(abs(a), b), squared_difference(a, b),
                       maximum(a, b), minimum(a, b), atan2(a, b), axis<0>));
};
template <dtype T>
inline constexpr auto normalised_layer = [](builder& g) {
  g.output("y", layer_norm(g.input<T, shape<4, 6>>("x"), g.input<T, shape<6>>("gamma"), g.input<T, shape<6>>("beta"),
                           epsilon<1e-7F>));
};
template <dtype T>
inline constexpr auto normalised_instance = [](builder& g) {
  g.output("y", instance_norm(g.input<T, shape<2, 3, 7>>("x"), g.input<T, shape<3>>("scale"),
                              g.input<T, shape<3>>("bias"), epsilon<1e-5F>));
};
template <dtype T>
inline constexpr auto normalised_batch = [](builder& g) {
  g.output("y", batch_norm(g.input<T, shape<7, 3>>("x"), g.input<T, shape<3>>("scale"), g.input<T, shape<3>>("offset"),
                           g.input<T, shape<3>>("mean"), abs(g.input<T, shape<3>>("variance"))));
};
template <dtype T>
inline constexpr auto normalised_row = [](builder& g) {
  auto x = g.input<T, shape<5, 7>>("x");
  g.output("y", concat(l2_normalize(x, axis<-1>), lrn(x, depth_radius<2>, with_bias<1>, with_alpha<0.3F>, beta<0.75F>),
                       softmax(x, beta<0.7F>), log_softmax(x), axis<0>));
};
template <dtype T>
inline constexpr auto folded = [](builder& g) {
  auto x = g.input<T, shape<5, 7>>("x");
  auto image = g.input<T, shape<1, 5, 7, 1>>("image");
  g.output("y",
           concat(reduce_mean(x, axis<-1>), reduce_sum(x, axis<-1>), reduce_prod(x, axis<-1>), reduce_l2(x, axis<-1>),
                  reshape(avg_pool(image, kernel<2, 3>, stride<2, 3>), shape<4>), axis<0>));
};
template <dtype T>
inline constexpr auto dense = [](builder& g) {
  auto x = g.input<T, shape<3, 11>>("x");
  auto w = g.input<T, shape<5, 11>>("w");
  g.output("y", concat(full_connection(x, w, g.input<T, shape<5>>("b")), matmul(x, w, transpose_b), axis<0>));
};
template <dtype T>
inline constexpr auto convolved = [](builder& g) {
  auto x = g.input<T, shape<1, 4, 5, 3>>("x");
  auto w = g.input<T, shape<3, 2, 2, 3>>("w");
  auto b = g.input<T, shape<3>>("b");
  g.output("y", concat(conv2d(x, w, b, same), depthwise_conv2d(x, g.input<T, shape<3, 2, 2, 1>>("d"), b, same),
                       conv2d_transpose(x, w, b, same), axis<0>));
};
template <dtype T>
inline constexpr auto scaled = [](builder& g) {
  auto x = g.input<T, shape<5, 3>>("x");
  auto by = g.input<T, shape<3>>("by");
  g.output("y", concat(scale(x, by, g.input<T, shape<3>>("offset"), axis<1>), prelu(x, by), bias_add(x, by),
                       clip(x, at_least<-1.5>, at_most<1.5>), axis<0>));
};
template <dtype T>
inline constexpr auto resized =
    [](builder& g) { g.output("y", resize_bilinear(g.input<T, shape<1, 3, 4, 2>>("x"), size<7, 5>, half_pixel)); };
template <dtype T>
inline constexpr auto recurrent = [](builder& g) {
  auto [y, h, c] = lstm(g.input<T, shape<2, 1, 3>>("x"), g.input<T, shape<1, 8, 3>>("w_ih"),
                        g.input<T, shape<1, 8, 2>>("w_hh"), zoneout_cell<0.3F>);
  g.output("y", y);
};
template <dtype T>
inline constexpr auto detected = [](builder& g) {
  auto [boxes, classes, scores, count] =
      detection_post_process(g.input<T, shape<1, 6, 4>>("boxes"), g.input<T, shape<1, 6, 2>>("scores"),
                             abs(g.input<T, shape<6, 4>>("anchors")), num_classes<2>, max_detections<3>,
                             box_scale<10, 10, 5, 5>, iou_threshold<0.6F>, score_threshold<0.1F>);
  g.output("y", boxes);
};
template <dtype T>
inline constexpr auto suppressed = [](builder& g) {
  auto [indices, scores, count] = non_max_suppression(g.input<T, shape<6, 4>>("boxes"), g.input<T, shape<6>>("scores"),
                                                      0.9F, -0.5F, 0.3F, max_detections<5>);
  g.output("y", scores);
};
/// All elements as one row.
template <class X> constexpr auto row(X x) { return reshape(x, shape<-1>); }

template <dtype T>
inline constexpr auto moved = [](builder& g) {
  auto x = g.input<T, shape<3, 4>>("x");
  auto first = g.constant<i32, shape<3>>({2, 0, 1});
  auto places = g.constant<i32, shape<3, 1>>({2, 0, 1});
  auto [left, right] = split(x, sizes<1, 3>, axis<1>);
  auto [a, b, c] = unstack(x, axis<0>);
  auto copied = concat(row(transpose(x, perm<1, 0>)), row(left), row(right), row(stack(c, b, a, axis<0>)),
                       row(flatten(expand_dims(squeeze(unsqueeze(x, axis<0>)), axis<1>))), axis<0>);
  auto cut = concat(row(slice(x, begin<1, 1>, size<2, 2>)), row(crop(x, shape<2, 2>, offsets<1, 2>, axis<0>)),
                    row(strided_slice(x, begin<2, 3>, end<0, 0>, strides<-1, -2>)),
                    row(pad(x, paddings<1, 0, 0, 2>, pad_value<0.3F>)), row(tile(x, multiples<2, 1>)),
                    row(broadcast_to(a, shape<2, 4>)), axis<0>);
  auto gathered =
      concat(row(gather(x, first, axis<0>)), row(gather_nd(x, places)), row(scatter_nd(places, x, shape<4, 4>)),
             row(sparse_to_dense(first, reshape(slice(a, begin<0>, size<3>), shape<3>), shape<5>)), axis<0>);
  g.output("y", concat(copied, cut, gathered, axis<0>));
};
template <dtype T>
inline constexpr auto moved_pixels = [](builder& g) {
  auto x = g.input<T, shape<1, 4, 4, 4>>("x");
  auto blocks = space_to_batch_nd(x, block<2, 2>);
  g.output("y",
           concat(row(depth_to_space(x, block_size<2>)), row(space_to_depth(x, block_size<2>)), row(blocks),
                  row(batch_to_space_nd(blocks, block<2, 2>)), row(max_pool(x, kernel<2, 3>, stride<1, 2>)), axis<0>));
};
template <dtype T>
inline constexpr auto made = [](builder& g) {
  auto x = g.input<T, shape<6>>("x");
  auto one = slice(x, begin<2>, size<1>), other = slice(x, begin<3>, size<1>);
  auto indices = g.constant<i32, shape<2>>({1, 3});
  g.output("y",
           concat(fill(one, shape<3>), constant_of_shape(shape_of(x), with_value<1.1F>, of_type<T>, into<shape<6>>),
                  range(x, start<-2>, limit<7>, delta<3>), row(one_hot(indices, one, other, depth<4>)), axis<0>));
};
template <dtype T>
inline constexpr auto chosen = [](builder& g) {
  auto a = g.input<T, shape<3, 4>>("a"), b = g.input<T, shape<3, 4>>("b");
  auto [values, places] = top_k(a, k<2>);
  auto greatest = arg_max(a, axis<1>);
  g.output("y", concat(row(select(less(a, b), a, b)), row(where(not_equal(a, b), b, a)), row(values),
                       row(reduce_max(a, axis<1>)), row(reduce_min(a, axis<0>)), row(relu(a)), row(relu6(a)),
                       row(eltwise(a, b)), row(cast<T>(places)), row(cast<T>(greatest)), axis<0>));
};
template <dtype T>
inline constexpr auto compared = [](builder& g) {
  auto a = g.input<T, shape<3, 4>>("a"), b = g.input<T, shape<3, 4>>("b");
  auto one = logical_and(greater(a, b), less_equal(a, b)), other = logical_or(equal(a, b), greater_equal(b, a));
  auto true_ones = asserted(equal(rank(a), rank(b)), shape_of(a));
  g.output("y", concat(row(one), row(other), row(logical_not(less(a, b))), row(all(other, axis<0>)),
                       row(reduce_all(one, axis<1>)), row(true_ones), axis<0>));
};
/// Numbers rounded to 8 bits and back, and weights with the scale of what comes after their layer.
template <dtype T>
inline constexpr auto rounded = [](builder& g) {
  auto x = g.input<T, shape<3, 8>>("x");
  auto by = g.input<T, shape<3>>("by"), offset = g.input<T, shape<3>>("offset");
  auto [weight, bias] = dsl::apply<ops::fold_affine>(x, offset, by, offset, by, abs(by), axis<0>);
  auto near = dsl::apply<ops::dynamic_range>(x, axis<1>);
  auto stored = quant_dtype_cast<i8>(x, into<quant{0.03F, 5}>);
  g.output("y", concat(row(weight), row(bias), row(near), row(quant_dtype_cast<T>(stored)), axis<0>));
};
template <dtype T>
inline constexpr auto converted = [](builder& g) {
  auto x = g.input<T, shape<24>>("x");
  auto narrow = cast<f16>(x);
  g.output("y", concat(cast<f64>(narrow), cast<f64>(cast<f32>(x)), cast<f64>(cast<i16>(x)),
                       cast<f64>(dsl::apply<ops::half_cast>(narrow)), axis<0>));
};
/// Sums of quantised values, and what is added to them before they are rounded.
inline constexpr auto summed = [](builder& g) {
  constexpr quant by{0.05F, 0};
  auto x = g.input<i8, shape<1, 4, 5, 2>, nhwc, quantised_x<i8>>("x");
  auto weight = g.input<i8, shape<2, 2, 2, 2>, nhwc, by>("weight");
  auto addend = g.input<i8, shape<1, 3, 4, 2>, nhwc, quantised_y<i8>>("addend");
  auto wide = g.input<i8, shape<1, 5, 6, 2>, nhwc, quantised_y<i8>>("wide");
  auto bias = g.input<i32, shape<2>>("bias");
  constexpr auto to = into<quantised_y<i8>>;
  auto sums = concat(row(dsl::apply<ops::layer_sums>(x, weight)),
                     row(dsl::apply<ops::conv2d_transpose_sums>(x, weight)), axis<0>);
  auto added = concat(row(dsl::apply<ops::conv2d_add>(x, weight, bias, addend, to)),
                      row(dsl::apply<ops::conv2d_transpose_add>(x, weight, bias, wide, to)), axis<0>);
  g.output("y", concat(cast<f32>(sums), quant_dtype_cast<f32>(added), axis<0>));
};
/// Steps with all that they may have.
inline constexpr auto stepwise = [](builder& g) {
  auto x = g.input<f32, shape<1, 2, 3>>("x");
  auto w = g.input<f32, shape<4, 3>>("w");
  auto u = g.input<f32, shape<4, 2>>("u");
  auto b = g.input<f32, shape<4>>("b");
  auto h = g.input<f32, shape<1, 2>>("h");
  auto c = reshape(b, shape<1, 4>);
  auto projection = reshape(u, shape<2, 4>);
  auto [y, hy, cy, gates] = dsl::apply<ops::sequence_lstm>(x, w, w, w, w, u, u, u, u, b, b, b, b, b, b, b, projection,
                                                           reshape(h, shape<2>), h, c, b, b, b, b);
  auto [states, last] = dsl::apply<ops::sequence_rnn>(x, w, matmul(u, projection), b, c);
  g.output("y", concat(row(y), row(cy), row(gates), row(states), axis<0>));
};
inline constexpr auto filtered = [](builder& g) {
  auto x = g.input<f32, shape<2, 5>>("x");
  auto [y, next] = dsl::apply<ops::svdf>(x, g.input<f32, shape<3, 5>>("features"), g.input<f32, shape<3, 4>>("times"),
                                         g.input<f32, shape<3>>("bias"), g.input<f32, shape<2, 12>>("state"));
  g.output("y", concat(row(y), row(next), axis<0>));
};
/// `filtered` with quantised values.
inline constexpr auto filtered_quantised = [](builder& g) {
  constexpr quant by{0.01F, 0};
  auto x = g.input<i8, shape<2, 5>, nd, quantised_x<i8>>("x");
  auto [y, next] = dsl::apply<ops::svdf>(x, g.input<i8, shape<3, 5>, nd, by>("features"),
                                         g.input<i16, shape<3, 4>, nd, by>("times"), g.input<i32, shape<3>>("bias"),
                                         g.input<i16, shape<2, 12>, nd, by>("state"), into<quantised_y<i8>>);
  g.output("y", concat(row(quant_dtype_cast<f32>(y)), row(quant_dtype_cast<f32>(next)), axis<0>));
};
inline constexpr auto cell_of_bytes = [](builder& g) {
  auto x = g.input<u8, shape<2, 5>, nd, quant{0x1p-7F, 128}>("x");
  auto w = g.input<u8, shape<8, 5>, nd, quant{0.01F, 121}>("w");
  auto [h, cy, sums] = dsl::apply<ops::lstm_cell>(x, w, g.input<i32, shape<8>>("b"),
                                                  g.input<i16, shape<2, 2>, nd, quant{0x1p-11F, 0}>("c"));
  g.output("y", concat(quant_dtype_cast<f32>(row(h)), quant_dtype_cast<f32>(row(cy)), axis<0>));
};
inline constexpr auto stepwise_quantised = [](builder& g) {
  constexpr quant by{0.01F, 0}, cells{0x1p-11F, 0};
  auto x = g.input<i8, shape<1, 2, 3>, nd, quantised_x<i8>>("x");
  auto w = g.input<i8, shape<4, 3>, nd, by>("w");
  auto u = g.input<i8, shape<4, 2>, nd, by>("u");
  auto m = g.input<i8, shape<2, 4>, nd, by>("m");
  auto p = g.input<i16, shape<4>, nd, by>("p");
  auto b = g.input<i32, shape<4>>("b");
  auto e = g.input<i32, shape<2>>("e");
  auto h = g.input<i8, shape<1, 2>, nd, quantised_y<i8>>("h");
  auto c = g.input<i16, shape<1, 4>, nd, cells>("c");
  constexpr auto to = into<quantised_y<i8>>;
  auto [y, hy, cy, gates] =
      dsl::apply<ops::sequence_lstm>(x, w, w, w, w, u, u, u, u, p, p, p, b, b, b, b, m, e, h, c, p, p, p, p, to);
  g.output("y", concat(cast<f32>(row(gates)), quant_dtype_cast<f32>(row(y)), axis<0>));
};
/// Quantised values whose arithmetic is that of reals.
template <dtype T>
inline constexpr auto stored = [](builder& g) {
  auto x = g.input<T, shape<4, 6>, nd, quantised_x<T>>("x");
  auto by = g.input<f32, shape<6>>("by"), offset = g.input<f32, shape<6>>("offset");
  constexpr auto to = into<quantised_y<T>>;
  auto y = concat(layer_norm(x, by, offset, to), batch_norm(x, by, offset, by, abs(by), to),
                  scale(x, by, offset, axis<1>, to), exp(x, to), tanh(x, to), sigmoid(x, to), gelu(x, to),
                  softmax(x, to), log(abs(x, into<quantised_x<T>>), to), axis<0>);
  g.output("y", y);
};

// --- the same computation twice --------------------------------------------

/// A number with all the digits of its type, from -4 to 4; a stored one of any value.
template <class T> constexpr T noise(std::uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  if constexpr (std::is_integral_v<T>) return static_cast<T>(state >> 56U);
  else
    return math::convert<T>(static_cast<double>(static_cast<std::int64_t>(state >> 11U) - (std::int64_t{1} << 52)) *
                            0x1p-50);
}

template <class G> constexpr auto inputs_of() {
  std::uint64_t state = 12345;
  const auto input = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    std::array<detail::input_element<G, I>, static_cast<std::size_t>(G::inputs[I].desc.shape.elements())> x{};
    for (auto& element : x) element = noise<detail::input_element<G, I>>(state);
    return x;
  };
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple{input(std::integral_constant<std::size_t, I>{})...};
  }(std::make_index_sequence<G::inputs.size()>{});
}

/// Elements of the network's result that differ between both.
template <auto F> int differing(const char* name) {
  using network = graph<F>;
  const auto evaluated = [](const auto&... x) { return evaluate<network>(x...); };
  static constexpr auto given = inputs_of<network>();
  static constexpr auto compiled = std::apply(evaluated, given);
  volatile int zero = 0;  // what depends on it is computed by the program
  auto same_inputs = given;
  auto& first = std::get<0>(same_inputs)[static_cast<std::size_t>(zero)];
  first = static_cast<std::remove_reference_t<decltype(first)>>(zero == 0 ? first : decltype(+first){});
  const auto computed = std::apply(evaluated, same_inputs);
  int count = 0;
  for (std::size_t i = 0; i < computed.size(); ++i)
    count += std::memcmp(&computed[i], &compiled[i], sizeof compiled[i]) != 0 ? 1 : 0;
  if (count != 0) std::printf("%s: %d of %zu elements differ\n", name, count, computed.size());
  return count;
}

}  // namespace

// Every day what computes is compared in f64, since most of what f16 and f32 hold is computed in that and rounded once
// more, and in f32 where sums are floats. What moves elements, and integers, have no products that could be fused.
#ifdef NNRT_EVERY_DTYPE
#define IN_EACH_FLOAT(network, everyday)                                                  \
  differing<network<f16>>(#network ", f16") + differing<network<f32>>(#network ", f32") + \
      differing<network<f64>>(#network ", f64")
#else
#define IN_EACH_FLOAT(network, everyday) differing<network<everyday>>(#network)
#endif

int main() {
  int all = IN_EACH_FLOAT(function_of_one, f64) + IN_EACH_FLOAT(functions_of_two, f64);
  all += IN_EACH_FLOAT(normalised_layer, f64) + IN_EACH_FLOAT(normalised_batch, f64);
  all += IN_EACH_FLOAT(normalised_instance, f64) + IN_EACH_FLOAT(normalised_row, f64);
  all += IN_EACH_FLOAT(folded, f64) + IN_EACH_FLOAT(dense, f32) + IN_EACH_FLOAT(convolved, f32);
  all += IN_EACH_FLOAT(scaled, f64) + IN_EACH_FLOAT(resized, f64) + IN_EACH_FLOAT(recurrent, f64);
  all += IN_EACH_FLOAT(detected, f64) + IN_EACH_FLOAT(suppressed, f64) + IN_EACH_FLOAT(rounded, f32);
  all += differing<stepwise>("stepwise") + differing<filtered>("filtered");
#ifdef NNRT_EVERY_DTYPE
  all += IN_EACH_FLOAT(moved, f32) + IN_EACH_FLOAT(moved_pixels, f32) + IN_EACH_FLOAT(made, f32);
  all += IN_EACH_FLOAT(chosen, f32) + IN_EACH_FLOAT(compared, f32) + IN_EACH_FLOAT(converted, f32);
  all += differing<stored<i8>>("stored, i8") + differing<stored<u8>>("stored, u8");
  all += differing<stored<i16>>("stored, i16") + differing<summed>("summed");
  all += differing<stepwise_quantised>("stepwise, stored") + differing<filtered_quantised>("filtered, stored");
  all += differing<cell_of_bytes>("cell of bytes");
#endif
  return all == 0 ? 0 : 1;
}
