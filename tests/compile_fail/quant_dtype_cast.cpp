// expect: graph_rejected<.*quant_dtype_cast::rule::quantised_output_must_have_one_scale.*actual<0L?>.*expected<1L?>
// Real numbers cannot be stored before somebody says with which scale.
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/quant_dtype_cast.hpp>

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3>>("x");
#ifdef NNRT_FIXED
  b.output("y", quantise(x, nnrt::into<nnrt::quant{.scale = 0.5F}>));
#else
  b.output("y", quantise(x));  // here
#endif
};

int main() {
  nnrt::builder b;
  network(b);
}
