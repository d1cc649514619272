// expect: graph_rejected<.*fold_affine::rule::parameters_must_have_one_element_for_each_channel.*actual<3L?>.*expected<4L?>
// A bias of three elements for four filters. The operator has no function for users: passes make its nodes.
#include <nnrt/ops/fold_affine.hpp>

#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr nnrt::shape_t bias_shape{4};
#else
inline constexpr nnrt::shape_t bias_shape{3};
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto weight = g.weight<nnrt::f32, nnrt::shape<4, 3, 3, 2>>("w");
  auto bias = g.weight<nnrt::f32, bias_shape>("b");
  auto [folded_weight, folded_bias] = nnrt::dsl::apply<nnrt::ops::fold_affine>(weight, bias);  // here
  g.output("weight", folded_weight);
  g.output("bias", folded_bias);
};

int main() {
  nnrt::builder g;
  network(g);
}
