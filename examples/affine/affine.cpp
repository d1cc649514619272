// affine: the smallest network - checked, evaluated and planned by the compiler, then run.
// Flow: one g++ line compiles it; docs/guide/networks.md shows both.
#include <nnrt/nnrt.hpp>

#include <array>
#include <cstdio>
#include <span>

constexpr auto affine = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
  auto w = g.constant<nnrt::f32, nnrt::shape<2, 4>>({1, 2, 3, 4, 5, 6, 7, 8});
  auto b = g.constant<nnrt::f32, nnrt::shape<2>>({0.5f, -0.5f});
  g.output("y", nnrt::full_connection(x, w, b, nnrt::relu));
};
using net = nnrt::graph<affine>;

static_assert(nnrt::evaluate<net>(std::array{1.f, 0.f, 0.f, 1.f})[0] == 5.5f);  // inference in the compiler
static_assert(net::macs == 8 && net::nodes == 1 && net::arena_bytes <= 64);

int main() {
  nnrt::executor<net> run;  // names no weights, so needs none
  std::array<float, 4> x{1, 0, 0, 1};
  std::span<const float, 2> y = run(x);  // views into the executor; valid until the next call
  std::printf("y = %g %g\n", static_cast<double>(y[0]), static_cast<double>(y[1]));
  return y[0] == 5.5f ? 0 : 1;
}
