// expect: graph_rejected<.*arithmetic_rule::extents_must_be_equal_or_1.*actual<32L?>.*expected<16L?>.*in_operator<.*add
#include <nnrt/nnrt.hpp>

#ifdef NNRT_FIXED
constexpr std::int64_t channels = 16;
#else
constexpr std::int64_t channels = 32;
#endif

template <class X> constexpr auto branch(X x) { return nnrt::layers::conv2d<channels, 3, 3>(x, "branch", nnrt::same); }
template <class X> constexpr auto residual(X x) {
  return nnrt::relu(x + branch(x));  // here
}

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 8, 8, 16>>("x");
  auto y = residual(residual(x));
  g.output("y", nnrt::reduce_mean(y, nnrt::axes<1, 2>));
};

// What needs the planned network says nothing on top.
int main() {
  const auto run = nnrt::executor<nnrt::graph<network>>::create(nnrt::weights{});
  return run ? 0 : 1;
}
