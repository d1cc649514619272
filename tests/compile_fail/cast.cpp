// expect: graph_rejected<.*cast::rule::type_must_be_the_number_of_a_dtype.*actual<0.*expected<1
// "No dtype yet" is not what a tensor can be converted to.
#include <nnrt/ops/cast.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr nnrt::dtype type = nnrt::f16;
#else
inline constexpr nnrt::dtype type = nnrt::dtype::none;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3>>("x");
  b.output("y", cast<type>(x));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
