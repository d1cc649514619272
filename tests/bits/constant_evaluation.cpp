// constant_evaluation: operators that compute real numbers give the same bits in the compiler and in the program that it makes.
// Flow: tests/CMakeLists.txt compiles and runs it with the flags under which compilers fuse products with sums, where the machine has the instructions.
// Each network is one node, in each floating dtype; tests/bits/references.cpp has nodes of every operator and dtype, at run time alone.
#include <nnrt/exec/evaluate.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/abs.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/avg_pool.hpp>
#include <nnrt/ops/batch_norm.hpp>
#include <nnrt/ops/bias_add.hpp>
#include <nnrt/ops/ceil.hpp>
#include <nnrt/ops/clip.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/conv2d_transpose.hpp>
#include <nnrt/ops/cos.hpp>
#include <nnrt/ops/depthwise_conv2d.hpp>
#include <nnrt/ops/detection_post_process.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/erf.hpp>
#include <nnrt/ops/exp.hpp>
#include <nnrt/ops/floor.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/gelu.hpp>
#include <nnrt/ops/hard_sigmoid.hpp>
#include <nnrt/ops/hswish.hpp>
#include <nnrt/ops/instance_norm.hpp>
#include <nnrt/ops/l2_normalize.hpp>
#include <nnrt/ops/layer_norm.hpp>
#include <nnrt/ops/leaky_relu.hpp>
#include <nnrt/ops/log.hpp>
#include <nnrt/ops/log_softmax.hpp>
#include <nnrt/ops/lrn.hpp>
#include <nnrt/ops/lstm.hpp>
#include <nnrt/ops/matmul.hpp>
#include <nnrt/ops/maximum.hpp>
#include <nnrt/ops/minimum.hpp>
#include <nnrt/ops/mod.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/neg.hpp>
#include <nnrt/ops/pow.hpp>
#include <nnrt/ops/prelu.hpp>
#include <nnrt/ops/reciprocal.hpp>
#include <nnrt/ops/reduce_l2.hpp>
#include <nnrt/ops/reduce_mean.hpp>
#include <nnrt/ops/reduce_prod.hpp>
#include <nnrt/ops/reduce_sum.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/resize_bilinear.hpp>
#include <nnrt/ops/round.hpp>
#include <nnrt/ops/rsqrt.hpp>
#include <nnrt/ops/scale.hpp>
#include <nnrt/ops/sigmoid.hpp>
#include <nnrt/ops/sin.hpp>
#include <nnrt/ops/softmax.hpp>
#include <nnrt/ops/sqrt.hpp>
#include <nnrt/ops/square.hpp>
#include <nnrt/ops/squared_difference.hpp>
#include <nnrt/ops/sub.hpp>
#include <nnrt/ops/swish.hpp>
#include <nnrt/ops/tanh.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

namespace {

using namespace nnrt;

// i16 has no zero point.
template <dtype T> inline constexpr quant stored_x{.scale = T == i16 ? 0.00013F : 0.037F, .zero_point = T == i16 ? 0 : 3};
template <dtype T> inline constexpr quant stored_y{.scale = T == i16 ? 0.00027F : 0.0213F, .zero_point = T == i16 ? 0 : 11};

// --- one node each ---------------------------------------------------------

template <dtype T> inline constexpr auto function_of_one = [](builder& g) {
  auto x = g.input<T, shape<24>>("x");
  auto y = concat(exp(x), log(abs(x)), sigmoid(x), tanh(x), erf(x), gelu(x), gelu(x, approximate), sin(x), cos(x), sqrt(abs(x)), rsqrt(abs(x)),
                  hswish(x), swish(x), hard_sigmoid(x), axis<0>);
  auto z = concat(leaky_relu(x, negative_slope<0.1F>), reciprocal(x), square(x), neg(x), round(x), floor(x), ceil(x), axis<0>);
  g.output("y", concat(y, z, axis<0>));
};
template <dtype T> inline constexpr auto functions_of_two = [](builder& g) {
  auto a = g.input<T, shape<24>>("a"), b = g.input<T, shape<24>>("b");
  g.output("y", concat(add(a, b), sub(a, b), mul(a, b), div(a, b), mod(a, b), pow(abs(a), b), squared_difference(a, b), maximum(a, b), minimum(a, b),
                       axis<0>));
};
template <dtype T> inline constexpr auto normalised_layer = [](builder& g) {
  g.output("y", layer_norm(g.input<T, shape<4, 6>>("x"), g.input<T, shape<6>>("gamma"), g.input<T, shape<6>>("beta"), epsilon<1e-7F>));
};
template <dtype T> inline constexpr auto normalised_instance = [](builder& g) {
  g.output("y", instance_norm(g.input<T, shape<2, 3, 7>>("x"), g.input<T, shape<3>>("scale"), g.input<T, shape<3>>("bias"), epsilon<1e-5F>));
};
template <dtype T> inline constexpr auto normalised_batch = [](builder& g) {
  g.output("y", batch_norm(g.input<T, shape<7, 3>>("x"), g.input<T, shape<3>>("scale"), g.input<T, shape<3>>("offset"), g.input<T, shape<3>>("mean"),
                           abs(g.input<T, shape<3>>("variance"))));
};
template <dtype T> inline constexpr auto normalised_row = [](builder& g) {
  auto x = g.input<T, shape<5, 7>>("x");
  g.output("y", concat(l2_normalize(x, axis<-1>), lrn(x, depth_radius<2>, with_bias<1>, with_alpha<0.3F>, beta<0.75F>), softmax(x, beta<0.7F>), log_softmax(x),
                       axis<0>));
};
template <dtype T> inline constexpr auto folded = [](builder& g) {
  auto x = g.input<T, shape<5, 7>>("x");
  auto image = g.input<T, shape<1, 5, 7, 1>>("image");
  g.output("y", concat(reduce_mean(x, axis<-1>), reduce_sum(x, axis<-1>), reduce_prod(x, axis<-1>), reduce_l2(x, axis<-1>),
                       reshape(avg_pool(image, kernel<2, 3>, stride<2, 3>), shape<4>), axis<0>));
};
template <dtype T> inline constexpr auto dense = [](builder& g) {
  auto x = g.input<T, shape<3, 11>>("x");
  auto w = g.input<T, shape<5, 11>>("w");
  g.output("y", concat(full_connection(x, w, g.input<T, shape<5>>("b")), matmul(x, w, transpose_b), axis<0>));
};
template <dtype T> inline constexpr auto convolved = [](builder& g) {
  auto x = g.input<T, shape<1, 4, 5, 3>>("x");
  auto w = g.input<T, shape<3, 2, 2, 3>>("w");
  auto b = g.input<T, shape<3>>("b");
  g.output("y", concat(conv2d(x, w, b, same), depthwise_conv2d(x, g.input<T, shape<3, 2, 2, 1>>("d"), b, same), conv2d_transpose(x, w, b, same), axis<0>));
};
template <dtype T> inline constexpr auto scaled = [](builder& g) {
  auto x = g.input<T, shape<5, 3>>("x");
  auto by = g.input<T, shape<3>>("by");
  g.output("y", concat(scale(x, by, g.input<T, shape<3>>("offset"), axis<1>), prelu(x, by), bias_add(x, by), clip(x, at_least<-1.5>, at_most<1.5>), axis<0>));
};
template <dtype T> inline constexpr auto resized = [](builder& g) {
  g.output("y", resize_bilinear(g.input<T, shape<1, 3, 4, 2>>("x"), size<7, 5>, half_pixel));
};
template <dtype T> inline constexpr auto recurrent = [](builder& g) {
  auto [y, h, c] = lstm(g.input<T, shape<2, 1, 3>>("x"), g.input<T, shape<1, 8, 3>>("w_ih"), g.input<T, shape<1, 8, 2>>("w_hh"), zoneout_cell<0.3F>);
  g.output("y", y);
};
template <dtype T> inline constexpr auto detected = [](builder& g) {
  auto [boxes, classes, scores, count] = detection_post_process(g.input<T, shape<1, 6, 4>>("boxes"), g.input<T, shape<1, 6, 2>>("scores"),
                                                                abs(g.input<T, shape<6, 4>>("anchors")), num_classes<2>, max_detections<3>, box_scale<10, 10, 5, 5>,
                                                                iou_threshold<0.6F>, score_threshold<0.1F>);
  g.output("y", boxes);
};
/// Stored numbers whose arithmetic is that of reals.
template <dtype T> inline constexpr auto stored = [](builder& g) {
  auto x = g.input<T, shape<4, 6>, nd, stored_x<T>>("x");
  auto by = g.input<f32, shape<6>>("by"), offset = g.input<f32, shape<6>>("offset");
  constexpr auto to = into<stored_y<T>>;
  auto y = concat(layer_norm(x, by, offset, to), batch_norm(x, by, offset, by, abs(by), to), scale(x, by, offset, axis<1>, to), exp(x, to), tanh(x, to),
                  sigmoid(x, to), gelu(x, to), softmax(x, to), log(abs(x, into<stored_x<T>>), to), axis<0>);
  g.output("y", y);
};

// --- the same computation twice --------------------------------------------

/// A number with all the digits of its type, from -4 to 4; a stored one of any value.
template <class T> constexpr T noise(std::uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  if constexpr (std::is_integral_v<T>) return static_cast<T>(state >> 56U);
  else return math::convert<T>(static_cast<double>(static_cast<std::int64_t>(state >> 11U) - (std::int64_t{1} << 52)) * 0x1p-50);
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
  for (std::size_t i = 0; i < computed.size(); ++i) count += std::memcmp(&computed[i], &compiled[i], sizeof compiled[i]) != 0 ? 1 : 0;
  if (count != 0) std::printf("%s: %d of %zu elements differ\n", name, count, computed.size());
  return count;
}

}  // namespace

// Most of what f16 and f32 hold is computed in f64, and rounded once more: every day that alone, and floats where sums are theirs.
#ifdef NNRT_EVERY_DTYPE
#define IN_EACH_FLOAT(network) \
  differing<network<f16>>(#network ", f16") + differing<network<f32>>(#network ", f32") + differing<network<f64>>(#network ", f64")
#else
#define IN_EACH_FLOAT(network) differing<network<f64>>(#network ", f64")
#endif

int main() {
  int all = IN_EACH_FLOAT(function_of_one) + IN_EACH_FLOAT(functions_of_two) + IN_EACH_FLOAT(normalised_layer) + IN_EACH_FLOAT(normalised_instance);
  all += IN_EACH_FLOAT(normalised_batch) + IN_EACH_FLOAT(normalised_row) + IN_EACH_FLOAT(folded) + IN_EACH_FLOAT(dense) + IN_EACH_FLOAT(convolved);
  all += IN_EACH_FLOAT(scaled) + IN_EACH_FLOAT(resized) + IN_EACH_FLOAT(recurrent) + IN_EACH_FLOAT(detected) + differing<stored<i8>>("stored, i8");
#ifdef NNRT_EVERY_DTYPE
  all += differing<stored<u8>>("stored, u8") + differing<stored<i16>>("stored, i16");
#else
  all += differing<dense<f32>>("dense, f32") + differing<convolved<f32>>("convolved, f32");
#endif
  return all == 0 ? 0 : 1;
}
