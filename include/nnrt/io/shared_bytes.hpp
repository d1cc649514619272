// shared_bytes: a handle on bytes that stay where they are - a mapped file's, a program's, or a copy.
// Flow: caches hand files to devices in it; programs that were restored read their weights there as long as they live.
#pragma once

#include <nnrt/io/weights.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Bytes that begin at a multiple of 64 and live as long as a copy of the handle, or of keeper().
class shared_bytes {
 public:
  shared_bytes() = default;
  /// All bytes of a file; other processes that map it have the same memory.
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

  /// Bytes that are never unloaded, at a multiple of 64: those of an nnrt::embedded_file.
  static shared_bytes lasting(array_ref<const std::byte> bytes) {
    shared_bytes kept;
    kept.bytes_ = bytes;
    return kept;
  }

  array_ref<const std::byte> bytes() const { return bytes_; }
  /// A weights file without tensors, whose memory they are.
  const weights& keeper() const { return keeper_; }

 private:
  weights keeper_;
  array_ref<const std::byte> bytes_;
};

}}  // namespace nnrt::NNRT_ISA
