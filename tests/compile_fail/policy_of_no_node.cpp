// expect: on_processor names a node that the network does not have
#include <nnrt/exec/partition.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ir/layers.hpp>
#include <nnrt/policy/bayes.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 8, 8, 8>>("x");
  g.output("y", nnrt::layers::conv2d<8, 3, 3>(x, "head"));
};

#ifdef NNRT_FIXED
using policy = nnrt::bpu<nnrt::bayes, nnrt::on_processor<"head">>;
#else
using policy = nnrt::bpu<nnrt::bayes, nnrt::on_processor<"haed">>;
#endif

int main() { return nnrt::partition<policy, nnrt::graph<network>>.on_accelerator; }
