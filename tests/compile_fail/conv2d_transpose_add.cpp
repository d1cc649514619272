// expect: graph_rejected<.*conv2d_transpose_add::rule::addend_must_have_the_extents_of_the_result.*actual<9L?>.*expected<10L?>
// An addend of other extents than the transposed convolution's result. The operator has no function for users: passes
// make its nodes.
#include <nnrt/ops/conv2d_transpose_add.hpp>

#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr std::int64_t width = 10;
#else
inline constexpr std::int64_t width = 9;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::i8, nnrt::shape<1, 8, 8, 3>, nnrt::nhwc, nnrt::quant{.scale = 0.5F}>("x");
  auto addend = g.input<nnrt::i8, nnrt::shape<1, 10, width, 4>, nnrt::nhwc, nnrt::quant{.scale = 0.5F}>("addend");
  auto w = g.weight<nnrt::i8, nnrt::shape<4, 3, 3, 3>, nnrt::nhwc, nnrt::quant{.scale = 0.02F}>("w");
  auto b = g.weight<nnrt::i32, nnrt::shape<4>>("b");
  g.output("y",
           // here
           nnrt::dsl::apply<nnrt::ops::conv2d_transpose_add>(x, w, b, addend, nnrt::into<nnrt::quant{.scale = 1.0F}>));
};

int main() {
  nnrt::builder g;
  network(g);
}
