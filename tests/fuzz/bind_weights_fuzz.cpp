// bind_weights_fuzz: any bytes as a weights file, bound to a network that names its tensors in every use; what was
// bound must be readable to its last byte.
// nightly: its seeds take a compiler longer than those of the readers
#include <nnrt/io/bind_weights.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace {

using nnrt::shape_t;
using nnrt::weight_spec;
using nnrt::weight_use;

void require(bool holds) {
  if (!holds) std::abort();
}

/// A spec that a PyTorch tensor of this shape fits in this use, as far as there is one.
weight_spec spec_for(const nnrt::tensor_entry& tensor, weight_use use, std::int64_t group) {
  const shape_t& s = tensor.shape;
  weight_spec spec{tensor.name, {tensor.type, s}, use, group, {}};
  if (s.rank == 4) spec.desc.shape = {s[0], s[2], s[3], s[1]};
  if (s.rank == 4 && use == weight_use::conv2d_transpose) spec.desc.shape = {s[1] * group, s[2], s[3], s[0] / group};
  if ((s.rank == 2 && use == weight_use::full_connection) || (s.rank == 1 && use == weight_use::columns))
    spec.flattened = s[-1] % 6 == 0 ? shape_t{1, 2, 3, s[-1] / 6} : shape_t{1, 1, s[-1], 1};
  return spec;
}

/// Reads each element's bytes: an address sanitizer sees what is outside.
std::uint64_t sum_of(const nnrt::bound_weights& bound, std::span<const weight_spec> specs) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < specs.size(); ++i)
    for (std::int64_t b = 0; b < specs[i].desc.bytes(); ++b)
      sum += std::to_integer<std::uint64_t>(bound.pointers()[i][b]);
  return sum;
}

std::uint64_t sum_of(const nnrt::weights& file) {
  std::uint64_t sum = 0;
  for (const nnrt::tensor_entry& tensor : file.entries())
    for (const std::byte b : tensor.bytes) sum += std::to_integer<std::uint64_t>(b);
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  for (const nnrt::layout order : {nnrt::layout::native, nnrt::layout::pytorch}) {
    const auto file = nnrt::weights::parse(std::as_bytes(std::span(bytes, size)), order);
    if (!file) return 0;
    for (int use = 0; use < 6; ++use) {
      std::vector<weight_spec> specs;
      for (const nnrt::tensor_entry& tensor : file->entries())
        specs.push_back(spec_for(tensor, static_cast<weight_use>(use), 1 + use % 2));
      const auto bound = nnrt::bind_weights(*file, specs);
      // A permutation of elements keeps the sum of their bytes.
      if (bound) require(sum_of(*bound, specs) == sum_of(*file));
      if (!bound) require(!bound.error().message().empty());
      for (weight_spec& spec : specs) spec.name = spec.name.substr(spec.name.size() / 2);
      static_cast<void>(nnrt::bind_weights(*file, specs));
    }
  }
  return 0;
}
