// expect: graph_rejected<.*keyword_rule::keyword_must_be_known_to_the_operator.*scale_slot.*in_operator<.*mul
// A power may scale its base first, a product may not.
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/pow.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3>>("x");
#ifdef NNRT_FIXED
  b.output("y", pow(x, 2, nnrt::scaled_by<0.5>));
#else
  b.output("y", mul(x, 2, nnrt::scaled_by<0.5>));  // here
#endif
};

int main() {
  nnrt::builder b;
  network(b);
}
