// expect: a constant has as many numbers as its shape has elements
// The others would silently be 0.
#include <nnrt/ops/add.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2>>("x");
#ifdef NNRT_FIXED
  auto c = b.constant<nnrt::f32, nnrt::shape<2>>({7, 8});
#else
  auto c = b.constant<nnrt::f32, nnrt::shape<2>>({7});  // here
#endif
  b.output("y", x + c);
};

int main() {
  nnrt::builder b;
  network(b);
}
