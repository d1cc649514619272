// consumer: what the projects of tests/consumers build - a program of somebody else's that runs a network.
#include <nnrt/nnrt.hpp>

#include <array>
#include <span>

constexpr auto affine = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
  auto w = g.constant<nnrt::f32, nnrt::shape<2, 4>>({1, 2, 3, 4, 5, 6, 7, 8});
  auto b = g.constant<nnrt::f32, nnrt::shape<2>>({0.5f, -0.5f});
  g.output("y", nnrt::full_connection(x, w, b, nnrt::relu));
};

int main() {
  nnrt::executor<nnrt::graph<affine>> run;
  std::array<float, 4> x{1, 0, 0, 1};
  std::span<const float, 2> y = run(x);
  return y[0] == 5.5f && y[1] == 12.5f ? 0 : 1;
}
