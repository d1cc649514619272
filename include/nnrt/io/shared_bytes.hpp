// shared_bytes: a shared handle on bytes at a fixed address: of a mapped file, of the program, or a copy.
// Flow: caches pass files to devices in it; restored programs read their weights from it while they exist.
#pragma once

#include <nnrt/io/weights.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Bytes aligned to 64, valid while a copy of the handle or of keeper() exists.
class shared_bytes {
 public:
  shared_bytes() = default;
  /// Holds all bytes of a file. Processes that map the same file share the memory.
  explicit shared_bytes(mapped_file&& file) : bytes_(file.bytes()) {
    keeper_ = weights(
        weights::state{.file = std::move(file), .memory = {}, .found = {}, .order = layout::native, .others = {}});
  }
  static shared_bytes copy_of(array_ref<const std::byte> bytes) {
    weights::state made{.file = {}, .memory = {}, .found = {}, .order = layout::native, .others = {}};
    std::byte* const first = made.memory.allocate(bytes.size());
    if (!bytes.empty()) std::memcpy(first, bytes.data(), bytes.size());
    shared_bytes kept;
    kept.bytes_ = {first, bytes.size()};
    kept.keeper_ = weights(std::move(made));
    return kept;
  }

  /// Refers to bytes that are valid until the program ends and aligned to 64, such as those of an nnrt::embedded_file.
  static shared_bytes lasting(array_ref<const std::byte> bytes) {
    shared_bytes kept;
    kept.bytes_ = bytes;
    return kept;
  }

  array_ref<const std::byte> bytes() const { return bytes_; }
  /// Weights without tensors that own the memory.
  const weights& keeper() const { return keeper_; }

 private:
  weights keeper_;
  array_ref<const std::byte> bytes_;
};

}}  // namespace nnrt::NNRT_ISA
