// expect: with an integer tensor a scalar must be an integer, too
// With an integer tensor 0.5 would silently become 0.
#include <nnrt/ops/mul.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr nnrt::dtype type = nnrt::f32;
#else
inline constexpr nnrt::dtype type = nnrt::i32;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<type, nnrt::shape<2, 3>>("x");
  b.output("y", 0.5 * x);  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
