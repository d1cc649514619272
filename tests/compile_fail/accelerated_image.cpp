// accelerated_image: an image for an input that is none of floats.
// expect: tensor_of_an_image_must_be_of_floats
// expect: named<'x', '1'>
#include <nnrt/exec/accelerated.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/policy/bayes.hpp>

#ifdef NNRT_FIXED
inline constexpr nnrt::dtype type = nnrt::f32;
#else
inline constexpr nnrt::dtype type = nnrt::f16;
#endif

constexpr auto network = [](nnrt::builder& g) {
  g.output("y", nnrt::relu(g.input<type, nnrt::shape<1, 2, 3, 1>>("x1")));
};

void run(nnrt::executor<nnrt::graph<network>, nnrt::bpu<nnrt::bayes>>& with, const nnrt::image_view& image) {
  with(image);
}
