// expect: graph_rejected<.*dynamic_range::rule::axis_must_be_an_axis_of_the_input.*actual<1L?>.*expected<0L?>
// Rows of a vector begin at its only axis. The operator has no function for users: readers of files make its nodes.
#include <nnrt/ops/dynamic_range.hpp>

#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr nnrt::shape_t shape{1, 4};
#else
inline constexpr nnrt::shape_t shape{4};
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, shape>("x");
  g.output("y", nnrt::dsl::apply<nnrt::ops::dynamic_range>(x));  // here
};

int main() {
  nnrt::builder g;
  network(g);
}
