// expect: graph_rejected<.*conv2d_transpose_sums::rule::sums_must_have_a_scale_for_each_output_channel_or_none.*actual<1L?>.*expected<4L?>
// One scale for all sums. The operator has no function for users: passes make its nodes.
#include <nnrt/ops/conv2d_transpose_sums.hpp>

#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::i8, nnrt::shape<1, 8, 8, 3>, nnrt::nhwc, nnrt::quant{.scale = 0.5F}>("x");
  auto w = g.weight<nnrt::i8, nnrt::shape<4, 3, 3, 3>, nnrt::nhwc, nnrt::quant{.scale = 0.02F}>("w");
  auto b = g.weight<nnrt::i32, nnrt::shape<4>>("b");
#ifdef NNRT_FIXED
  auto y = nnrt::dsl::apply<nnrt::ops::conv2d_transpose_sums>(x, w, b);
#else
  auto y = nnrt::dsl::apply<nnrt::ops::conv2d_transpose_sums>(x, w, b, nnrt::into<nnrt::quant{.scale = 0.5F}>);  // here
#endif
  g.output("y", y);
};

int main() {
  nnrt::builder g;
  network(g);
}
