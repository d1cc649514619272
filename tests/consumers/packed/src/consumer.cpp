// consumer: a program that starts with packed weights, and checks their results against those of the weights' files.
#include "digits.hpp"

#include <nnrt/exec/stored_weights.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

NNRT_EMBED(packed_file, "digits.packed");
NNRT_EMBED(packed_from_pytorch, "digits.pytorch.packed");

namespace {

using network = nnrt::executor<nnrt::graph<digits>, nnrt::cpu>;

bool give_the_same(const nnrt::embedded_file& packed, const char* path, nnrt::layout order) {
  auto run = nnrt::restore_executor<network>(packed);
  const auto file = nnrt::weights::open(path, order);
  if (!file) return false;
  auto unpacked = network::create(*file);
  if (!run || !unpacked)
    return std::fprintf(stderr, "%s\n", std::string((run ? unpacked : run).error().message()).c_str()), false;
  std::array<float, 64> image{};
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<float>(i % 9) * 0.1F;
  const auto once = (*run)(image), again = (*unpacked)(image);
  return std::equal(once.begin(), once.end(), again.begin()) && once[0] > 0.0F;
}

}  // namespace

int main() {
  return give_the_same(packed_file, WEIGHTS, nnrt::layout::native) &&
                 give_the_same(packed_from_pytorch, PYTORCH_WEIGHTS, nnrt::layout::pytorch)
             ? 0
             : 1;
}
