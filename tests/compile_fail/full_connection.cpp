// expect: graph_rejected<.*full_connection::rule::inner_extents_must_be_equal.*actual<4.*expected<12
// Without axis<1>, only the last axis meets the weight.
#include <nnrt/ops/full_connection.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3, 4>>("x");
  auto w = b.weight<nnrt::f32, nnrt::shape<5, 12>>("w");
#ifdef NNRT_FIXED
  b.output("y", full_connection(x, w, nnrt::axis<1>));
#else
  b.output("y", full_connection(x, w));  // here
#endif
};

int main() {
  nnrt::builder b;
  network(b);
}
