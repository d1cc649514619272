// expect: graph_rejected<.*conv2d_transpose::rule::output_paddings_must_be_smaller_than_stride.*actual<2L?>.*expected<1L?>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/conv2d_transpose.hpp>

#ifdef NNRT_FIXED
constexpr std::int64_t added = 1;
#else
constexpr std::int64_t added = 2;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 8, 8, 3>>("x");
  auto w = g.weight<nnrt::f32, nnrt::shape<16, 3, 3, 3>>("w");
  g.output("y", conv2d_transpose(x, w, nnrt::stride<2, 2>, nnrt::output_paddings<added, added>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
