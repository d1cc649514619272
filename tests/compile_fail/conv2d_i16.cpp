// expect: graph_rejected<.*conv2d::rule::weight_type_of_an_i16_input_must_be_i8.*actual<.*u8.*>.*expected<.*i8.*>
// 16-bit activations have 8-bit weights with a sign.
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/conv2d.hpp>

#ifdef NNRT_FIXED
constexpr nnrt::dtype weights = nnrt::i8;
#else
constexpr nnrt::dtype weights = nnrt::u8;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::i16, nnrt::shape<1, 8, 8, 3>, nnrt::nhwc, nnrt::quant{.scale = 0.001F}>("x");
  auto w = g.weight<weights, nnrt::shape<16, 3, 3, 3>, nnrt::nhwc, nnrt::quant{.scale = 0.02F}>("w");
  auto b = g.weight<nnrt::i64, nnrt::shape<16>>("b");
  g.output("y", conv2d(x, w, b, nnrt::into<nnrt::quant{.scale = 0.002F}>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
