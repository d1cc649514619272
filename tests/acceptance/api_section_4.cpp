// flags: -I{here}/../../examples/digits -DDIGITS_FOLDER="{here}/../../examples/digits/"
// nightly: every day examples/bpu_camera compiles as much
#include <nnrt/bpu.hpp>

#include "digits.hpp"
#include "held_out.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

using example::digits;
using accelerator = nnrt::bpu<nnrt::bayes>;  // nnrt::bernoulli2, nnrt::bayes_e likewise

static_assert(nnrt::supports<accelerator, nnrt::graph<digits>>);  // else: the node and the rule that it breaks
static_assert(nnrt::partition<accelerator, nnrt::graph<digits>>.on_processor == 1);  // softmax, unless it is asked for
static_assert(nnrt::partition<nnrt::bpu<nnrt::bayes, nnrt::strict>, nnrt::graph<digits>>.on_processor == 0);

int main() {
  auto weights = nnrt::weights::open(DIGITS_FOLDER "digits.safetensors");
  auto file = nnrt::weights::open(DIGITS_FOLDER "held_out.safetensors");
  if (!weights || !file) return 1;
  auto images = example::held_out::of(*file);
  if (!images) return 1;
  std::vector<std::array<float, 64>> samples;
  for (std::size_t i = 0; i < 50; ++i) samples.push_back(images->image(i));

  // result<…>; samples: range of inputs
  auto calibrated = nnrt::calibrate<nnrt::graph<digits>, accelerator>(*weights, samples);
  if (!calibrated) return std::puts(calibrated.error().message().c_str()), 1;
  // int8, bit-exact with the facts' formulas
  auto run = nnrt::executor<nnrt::graph<digits>, accelerator>::create(*calibrated);
  if (!run) return std::puts(run.error().message().c_str()), 1;
  std::span<const float, 10> p = (*run)(images->image(0));
  return std::max_element(p.begin(), p.end()) - p.begin() == images->label(0) ? 0 : 1;
}
