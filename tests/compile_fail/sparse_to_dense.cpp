// expect: graph_rejected<.*sparse_to_dense::rule::places_must_have_an_index_for_each_axis.*actual<3L?>.*expected<2L?>
// A place in a matrix has two indices.
#include <nnrt/ops/sparse_to_dense.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int axes = 2;
#else
inline constexpr int axes = 3;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto places = b.input<nnrt::i32, nnrt::shape<7, axes>>("places");
  b.output("y", sparse_to_dense(places, b.input<nnrt::f32, nnrt::shape<7>>("values"), nnrt::shape<5, 6>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
