// expect: graph_rejected<.*max_pool_indices::rule::padded_input_must_cover_kernel.*actual<8L?>.*expected<9L?>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/max_pool_indices.hpp>

#ifdef NNRT_FIXED
constexpr std::int64_t rows = 3;
#else
constexpr std::int64_t rows = 9;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 8, 8, 1>>("x");
  auto found = max_pool_indices(x, nnrt::kernel<rows, 1>);  // here
  g.output("y", get<0>(found));
  g.output("indices", get<1>(found));
};

int main() {
  nnrt::builder b;
  network(b);
}
