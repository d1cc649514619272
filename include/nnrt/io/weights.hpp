// weights: an immutable, shared handle on named tensors in a mapped file, in the caller's memory or in a copy.
// Flow: safetensors::read() fills it from a file; bind_weights.hpp matches its tensors with the weights of a network.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/exchange.hpp>
#include <nnrt/core/pool.hpp>
#include <nnrt/core/shared.hpp>
#include <nnrt/io/file.hpp>
#include <nnrt/io/safetensors.hpp>

#include <cstring>
#include <new>
#include <span>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// The axis order of the weights in a file.
enum class layout {
  native,   // operators' order: convolutions [outC, kH, kW, inC/group], linear columns in H,W,C order
  pytorch,  // order of a PyTorch state dict: OIHW, transposed IOHW, linear columns in C,H,W order, gates i, f, g, o
};

namespace detail {
/// Owns zeroed blocks of memory, each aligned to 64 bytes. Moving the object does not move the blocks.
class aligned_memory {
 public:
  aligned_memory() = default;
  aligned_memory(aligned_memory&&) noexcept = default;
  aligned_memory& operator=(aligned_memory other) noexcept {
    swap_values(pieces_, other.pieces_);
    return *this;
  }
  ~aligned_memory() {
    for (std::byte* const piece : pieces_) ::operator delete(piece, alignment);
  }

  /// Allocates a block of `bytes` bytes, rounded up to 64. Returns null for 0 bytes.
  std::byte* allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    pieces_.push_back(nullptr);
    pieces_.back() = static_cast<std::byte*>(::operator new(rounded(bytes), alignment));
    return static_cast<std::byte*>(std::memset(pieces_.back(), 0, rounded(bytes)));
  }
  /// `bytes` rounded up to a multiple of 64, the size of a cache line.
  static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

 private:
  static constexpr std::align_val_t alignment{64};
  pool<std::byte*> pieces_;
};
}  // namespace detail

/// A handle on named tensors and metadata texts. The contents are immutable and shared by all copies; a copy costs one
/// pointer. The bytes are mapped or allocated until the last copy is destroyed. `weights{}` is empty: use it for
/// networks without weights. make_weights.hpp makes weights from computed tensors; weights_builder makes them from
/// other formats.
class weights {
 public:
  using entry = tensor_entry;

  weights() = default;

  /// Maps a safetensors file. The system reads its pages from the disk on first use.
  /// Errors: not_found, io_failed; invalid_file, not_supported as `safetensors::parse`. Each message begins with the
  /// path.
  static result<weights> open(std::string_view path, layout order = layout::native);
  /// Reads a safetensors file in memory, such as an embedded one, without a copy. The bytes must outlive every copy of
  /// the handle. Errors as `safetensors::parse`.
  static result<weights> parse(std::span<const std::byte> file, layout order = layout::native);
  /// Like parse(), but copies the bytes first.
  static result<weights> parse_copy(std::span<const std::byte> file, layout order = layout::native);

  /// The tensor with this name, or null. Takes O(log n). The pointer is valid while a copy of the handle exists.
  const entry* find(std::string_view name) const;
  /// All tensors, sorted by name.
  array_ref<const entry> entries() const {
    if (!state_) return {};
    return {state_->found.tensors.data(),
            state_->found.tensors.size()};  // passing the vector itself adds 0.01 s of compile time
  }
  /// All texts of the file's metadata, sorted by key.
  array_ref<const metadata_entry> metadata() const {
    if (!state_) return {};
    return {state_->found.metadata.data(), state_->found.metadata.size()};
  }
  /// The metadata text with this key, or null. Takes O(n).
  const std::string_view* metadata(std::string_view key) const;
  /// The axis order that the caller stated when these weights were made.
  layout order() const { return state_ ? state_->order : layout::native; }

 private:
  struct state {
    mapped_file file;
    detail::aligned_memory memory;  // owns tensors that are not in the file
    safetensors::contents found;
    layout order = layout::native;
    shared<const state> others;  // keeps these weights' memory alive: tensors may point into it
  };

  friend result<weights> make_weights(array_ref<const entry> tensors, array_ref<const metadata_entry> metadata,
                                      layout order);
  friend class weights_builder;
  friend class shared_bytes;
  explicit weights(state&& made) : state_(shared<state>::make(std::move(made))) {}
  explicit weights(shared<state>&& made) : state_(std::move(made)) {}
  static result<weights> with(shared<state> made, layout order, array_ref<const std::byte> file);

  shared<const state> state_;
};

// --- details ---------------------------------------------------------------
[[gnu::cold]] inline result<weights> weights::with(shared<state> made, layout order, array_ref<const std::byte> file) {
  made->order = order;
  if (auto ok = safetensors::read(file, made->found); !ok) return fail(std::move(ok.error()));
  return weights(std::move(made));
}

[[gnu::cold]] inline result<weights> weights::open(std::string_view path, layout order) {
  auto made = shared<state>::make();
  if (auto ok = made->file.map(path); !ok) return fail(std::move(ok.error()));
  auto opened = with(made, order, made->file.bytes());
  if (!opened) return fail(std::move(opened.error()).in(path));
  return opened;
}

[[gnu::cold]] inline result<weights> weights::parse(std::span<const std::byte> file, layout order) {
  return with(shared<state>::make(), order, file);
}

[[gnu::cold]] inline result<weights> weights::parse_copy(std::span<const std::byte> file, layout order) {
  auto made = shared<state>::make();
  std::byte* const bytes = made->memory.allocate(file.size());
  if (!file.empty()) std::memcpy(bytes, file.data(), file.size());
  return with(made, order, {bytes, file.size()});
}

[[gnu::cold]] inline const weights::entry* weights::find(std::string_view name) const {
  const array_ref<const entry> all = entries();
  std::size_t first = 0, last = all.size();  // the name, if present, is in [first, last)
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    const int order = all[middle].name.compare(name);
    if (order == 0) return &all[middle];
    if (order < 0) first = middle + 1;
    else last = middle;
  }
  return nullptr;
}

[[gnu::cold]] inline const std::string_view* weights::metadata(std::string_view key) const {
  for (const metadata_entry& text : metadata())
    if (text.key == key) return &text.value;
  return nullptr;
}

}}  // namespace nnrt::NNRT_ISA
