// expect: graph_rejected<.*select::rule::extents_must_be_equal_or_1.*actual<3>.*expected<4>
// A condition for three columns, but tensors with four.
#include <nnrt/ops/select.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr auto columns = nnrt::shape<4>;
#else
inline constexpr auto columns = nnrt::shape<3>;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto condition = b.input<nnrt::boolean, columns>("condition");
  auto x = b.input<nnrt::f32, nnrt::shape<2, 4>>("x");
  b.output("y", select(condition, x, b.weight<nnrt::f32, nnrt::shape<1, 4>>("w")));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
