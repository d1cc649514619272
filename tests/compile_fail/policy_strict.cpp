// expect: graph_rejected<.*accelerator_rule::operator_must_be_in_the_table.*actual<0>.*expected<1>.*of_operator<'n', 'e', 'g'>.*at_node<1>
#include <nnrt/exec/partition.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/abs.hpp>
#include <nnrt/ops/neg.hpp>
#include <nnrt/ops/sigmoid.hpp>
#include <nnrt/policy/bayes.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 8, 8, 8>>("x");
#ifdef NNRT_FIXED
  g.output("y", nnrt::abs(nnrt::sigmoid(x)));
#else
  g.output("y", nnrt::neg(nnrt::sigmoid(x)));
#endif
};

int main() { return nnrt::partition<nnrt::bpu<nnrt::bayes, nnrt::strict>, nnrt::graph<network>>.on_processor; }
