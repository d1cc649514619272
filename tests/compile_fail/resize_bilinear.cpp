// expect: graph_rejected<.*resize_bilinear::rule::new_size_must_be_positive.*actual<0L?>.*expected<1L?>
// An image without rows is asked for.
#include <nnrt/ops/resize_bilinear.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 8, 8, 3>>("image");
#ifdef NNRT_FIXED
  g.output("y", resize_bilinear(x, nnrt::size<16, 16>, nnrt::half_pixel));
#else
  g.output("y", resize_bilinear(x, nnrt::size<0, 16>, nnrt::half_pixel));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
