// consumer: a program that starts with packed weights, and checks their results against those of the weights' file.
#include "digits.hpp"

#include <nnrt/exec/stored_weights.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

NNRT_EMBED(packed_file, "digits.packed");

int main(int, char**) {
  using network = nnrt::executor<nnrt::graph<digits>, nnrt::cpu>;
  auto run = nnrt::restore_executor<network>(packed_file);
  if (!run) {
    std::fprintf(stderr, "%s\n", std::string(run.error().message()).c_str());
    return 1;
  }
  auto file = nnrt::weights::open(WEIGHTS);
  auto unpacked = network::create(*file);
  if (!unpacked) return 1;
  std::array<float, 64> image{};
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<float>(i % 9) * 0.1F;
  const auto once = (*run)(image), again = (*unpacked)(image);
  return std::equal(once.begin(), once.end(), again.begin()) && once[0] > 0.0F ? 0 : 1;
}
