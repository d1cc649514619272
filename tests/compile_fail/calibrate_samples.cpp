// calibrate_samples: one range of numbers where samples, a list of such ranges, are meant.
// expect: samples are a list of ranges
#include <nnrt/exec/calibrate.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/policy/bayes.hpp>

#include <array>
#include <vector>

constexpr auto network = [](nnrt::builder& g) { g.output("y", nnrt::relu(g.input<nnrt::f32, nnrt::shape<2>>("x"))); };

#ifdef NNRT_FIXED
using samples_type = std::vector<std::array<float, 2>>;
#else
using samples_type = std::vector<float>;
#endif

bool calibrated(const nnrt::weights& file, const samples_type& samples) {
  return bool(nnrt::calibrate<nnrt::graph<network>, nnrt::bpu<nnrt::bayes>>(file, samples));
}
