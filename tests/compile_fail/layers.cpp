// expect: graph_rejected<.*conv2d::rule::.*channels.*actual<4L?>.*expected<3L?>
// Four channels in three groups; the following layers do not complain, too.
#include <nnrt/ir/layers.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 8, 8, 4>>("x");
#ifdef NNRT_FIXED
  auto y = nnrt::layers::conv2d<6, 3, 3>(x, "conv", nnrt::group<2>);
#else
  auto y = nnrt::layers::conv2d<6, 3, 3>(x, "conv", nnrt::group<3>);  // here
#endif
  g.output("y", nnrt::layers::full_connection<10>(nnrt::layers::batch_norm(y, "bn"), "fc"));
};

int main() {
  nnrt::builder g;
  network(g);
}
