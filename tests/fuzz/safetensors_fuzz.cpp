// safetensors_fuzz: any bytes as a safetensors file. What parse() accepts and serialize() writes again must parse as
// the same tensors.
#include <nnrt/io/safetensors.hpp>
#include <nnrt/io/safetensors_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool equal(const nnrt::tensor_entry& a, const nnrt::tensor_entry& b) {
  return a.name == b.name && a.type == b.type && std::ranges::equal(a.shape, b.shape) &&
         std::ranges::equal(a.bytes, b.bytes);
}

bool equal(const nnrt::metadata_entry& a, const nnrt::metadata_entry& b) {
  return a.key == b.key && a.value == b.value;
}

template <class Entries> void require_equal(const Entries& a, const Entries& b) {
  require(std::ranges::equal(a, b, [](const auto& x, const auto& y) { return equal(x, y); }));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto once = nnrt::safetensors::parse(std::as_bytes(std::span(bytes, size)));
  if (!once) {
    require(!once.error().message().empty());
    return 0;
  }
  const auto written = nnrt::safetensors::serialize(once->tensors, once->metadata);
  require(written.has_value());
  const auto twice = nnrt::safetensors::parse(*written);
  require(twice.has_value());
  require_equal(twice->tensors, once->tensors);
  require_equal(twice->metadata, once->metadata);
  return 0;
}
