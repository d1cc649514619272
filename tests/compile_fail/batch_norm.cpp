// expect: graph_rejected<.*batch_norm::rule::parameters_must_have_one_element_for_each_channel.*actual<3L?>.*expected<4L?>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/batch_norm.hpp>

#ifdef NNRT_FIXED
constexpr std::int64_t statistics = 4;
#else
constexpr std::int64_t statistics = 3;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 8, 8, 4>>("x");
  const auto row = [&](const char* name) { return g.weight<nnrt::f32, nnrt::shape<statistics>>(name); };
  g.output("y", batch_norm(x, row("scale"), row("offset"), row("mean"), row("variance")));
};

int main() {
  nnrt::builder b;
  network(b);
}
