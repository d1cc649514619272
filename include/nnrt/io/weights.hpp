// weights: a handle on named tensors - of a mapped file, of the caller's bytes, or a copy - that executors share.
// Flow: safetensors::parse() finds the tensors; bind_weights.hpp fits them to the weights that a network names.
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

/// The order in which a file's writer keeps the axes of weights.
enum class layout {
  native,   // as the operators take them: convolutions [outC, kH, kW, inC/group], linear columns in H,W,C order
  pytorch,  // as a PyTorch state dict has them: OIHW, transposed IOHW, linear columns in C,H,W order, gates i, f, g, o
};

namespace detail {
/// Pieces of zeroed memory, each aligned to 64 bytes; their addresses survive moves.
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

  /// One more piece. Null when it has no bytes.
  std::byte* allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    pieces_.push_back(nullptr);
    pieces_.back() = static_cast<std::byte*>(::operator new(rounded(bytes), alignment));
    return static_cast<std::byte*>(std::memset(pieces_.back(), 0, rounded(bytes)));
  }
  /// Bytes rounded up to whole cache lines.
  static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

 private:
  static constexpr std::align_val_t alignment{64};
  pool<std::byte*> pieces_;
};
}  // namespace detail

/// Named tensors and texts, immutable, behind a handle: a copy is a pointer, and the bytes stay mapped (or allocated)
/// until the last copy is gone. `weights{}` holds nothing, for networks that name no weights.
/// Weights that a program computed come from make_weights (make_weights.hpp), those of other files from
/// weights_builder.
class weights {
 public:
  using entry = tensor_entry;

  weights() = default;

  /// Maps a safetensors file; its bytes are read from the disk when they are used.
  /// Errors: not_found, io_failed; invalid_file, not_supported as safetensors::parse. Each begins with the path.
  static result<weights> open(std::string_view path, layout order = layout::native);
  /// Borrows a safetensors file in memory, such as an embedded one: its bytes must outlive every copy of the handle.
  /// Errors as safetensors::parse.
  static result<weights> parse(std::span<const std::byte> file, layout order = layout::native);
  /// Like parse, but keeps a copy of the bytes.
  static result<weights> parse_copy(std::span<const std::byte> file, layout order = layout::native);

  /// The tensor of this name, or null; O(log n). Valid as long as a copy of the handle lives.
  const entry* find(std::string_view name) const;
  /// All tensors, in the order of their names.
  array_ref<const entry> entries() const {
    if (!state_) return {};
    return {state_->found.tensors.data(),
            state_->found.tensors.size()};  // from the vector itself it costs compilers 0.01 s
  }
  /// All texts of the file's metadata, in the order of their keys.
  array_ref<const metadata_entry> metadata() const {
    if (!state_) return {};
    return {state_->found.metadata.data(), state_->found.metadata.size()};
  }
  /// The text under this key of the metadata, or null.
  const std::string_view* metadata(std::string_view key) const;
  /// The order of axes that these weights were said to have.
  layout order() const { return state_ ? state_->order : layout::native; }

 private:
  struct state {
    mapped_file file;
    detail::aligned_memory memory;  // of tensors that do not lie in the file
    safetensors::contents found;
    layout order = layout::native;
    shared<const state> others;  // whose memory tensors may lie in
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
  std::size_t first = 0, last = all.size();  // the name is in [first, last), if anywhere
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
