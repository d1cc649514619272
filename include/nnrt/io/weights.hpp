// weights: a handle on named tensors - a mapped file, the caller's bytes, or a copy - that executors share and keep alive.
// Flow: safetensors::parse() finds the tensors; bind_weights.hpp fits them to the weights that a network names.
#pragma once

#include <nnrt/core/shared.hpp>
#include <nnrt/io/file.hpp>
#include <nnrt/io/safetensors.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nnrt::inline NNRT_ISA {

/// The order in which a file's writer keeps the axes of weights.
enum class layout {
  native,   // as the operators take them: convolutions [outC, kH, kW, inC/group], linear columns in H,W,C order
  pytorch,  // as a PyTorch state dict has them: OIHW, depthwise [outC, 1, kH, kW], transposed IOHW, linear columns in C,H,W order
};

namespace detail {
/// One cache line: a vector of them is zeroed memory, aligned for every vector instruction.
struct alignas(64) cache_line {
  std::byte bytes[64] = {};
};

/// Zeroed memory whose begin is aligned to 64 bytes; its address survives moves.
class aligned_bytes {
 public:
  aligned_bytes() = default;
  explicit aligned_bytes(std::size_t size) : lines_((size + sizeof(cache_line) - 1) / sizeof(cache_line)) {}
  std::byte* data() { return lines_.empty() ? nullptr : lines_.front().bytes; }

  /// `size` rounded up to whole lines.
  static constexpr std::size_t rounded(std::size_t size) { return (size + 63) / 64 * 64; }

 private:
  std::vector<cache_line> lines_;
};
}  // namespace detail

/// Named tensors and texts, immutable, behind a handle: a copy is a pointer, and the bytes stay mapped (or allocated) until the last copy is gone.
/// `weights{}` holds nothing, for networks that name no weights.
class weights {
 public:
  using entry = tensor_entry;

  weights() = default;

  /// Maps a safetensors file. The bytes are read when they are used.
  /// Errors: not_found, io_failed; invalid_file, not_supported as safetensors::parse says; each begins with the path.
  static result<weights> open(std::string_view path, layout order = layout::native);
  /// Borrows a safetensors file in memory, such as an embedded one: the bytes must outlive every copy of the handle. Errors as safetensors::parse.
  static result<weights> parse(std::span<const std::byte> file, layout order = layout::native);
  /// Like parse, but keeps a copy of the bytes.
  static result<weights> parse_copy(std::span<const std::byte> file, layout order = layout::native);
  /// Copies tensors that are in memory: weights that a program computed. Each starts at a multiple of 64 bytes.
  /// Errors: invalid_argument (a name that occurs twice, bytes that do not fit the shape, …); the message names the tensor.
  static result<weights> make(std::span<const entry> tensors, std::span<const metadata_entry> metadata = {}, layout order = layout::native);

  /// An entry of elements that live in the caller's memory, for make(): `weights::of<float>("fc.bias", {10}, bias)`.
  template <class T> static entry of(std::string_view name, const shape_t& shape, std::span<const T> elements) {
    static_assert(dtype_for<T>() != dtype::none, "nnrt: no dtype has this element type");
    return {name, dtype_for<T>(), shape, std::as_bytes(elements)};
  }

  /// The tensor of this name, or null; O(log n). Valid as long as a copy of the handle lives.
  const entry* find(std::string_view name) const;
  /// All tensors, in the order of their names.
  std::span<const entry> entries() const { return state_ ? std::span<const entry>(state_->found.tensors) : std::span<const entry>(); }
  /// All texts of the file's metadata, in the order of their keys.
  std::span<const metadata_entry> metadata() const { return state_ ? std::span<const metadata_entry>(state_->found.metadata) : std::span<const metadata_entry>(); }
  /// The text under this key of the metadata, or null.
  const std::string_view* metadata(std::string_view key) const;
  /// The order that these weights were opened with.
  layout order() const { return state_ ? state_->order : layout::native; }
  /// Writes the tensors and texts as a safetensors file. Errors name the file.
  result<void> save(std::string_view path) const { return safetensors::save(path, entries(), metadata()); }

 private:
  struct state {
    mapped_file file;
    detail::aligned_bytes copy;
    safetensors::contents found;
    layout order = layout::native;
  };

  explicit weights(state&& made) : state_(shared<const state>::make(std::move(made))) {}
  static result<weights> with(state made, std::span<const std::byte> file);

  shared<const state> state_;
};

// --- details ---------------------------------------------------------------
inline result<weights> weights::with(state made, std::span<const std::byte> file) {
  auto found = safetensors::parse(file);
  if (!found) return fail(std::move(found.error()));
  made.found = std::move(*found);
  return weights(std::move(made));
}

inline result<weights> weights::open(std::string_view path, layout order) {
  auto file = mapped_file::open(path);
  if (!file) return fail(std::move(file.error()));
  const std::span<const std::byte> bytes = file->bytes();
  auto opened = with({.file = std::move(*file), .copy = {}, .found = {}, .order = order}, bytes);
  if (!opened) return fail(std::move(opened.error()).in(path));
  return opened;
}

inline result<weights> weights::parse(std::span<const std::byte> file, layout order) { return with({.file = {}, .copy = {}, .found = {}, .order = order}, file); }

inline result<weights> weights::parse_copy(std::span<const std::byte> file, layout order) {
  detail::aligned_bytes copy(file.size());
  std::byte* const bytes = copy.data();
  std::copy(file.begin(), file.end(), bytes);
  return with({.file = {}, .copy = std::move(copy), .found = {}, .order = order}, {bytes, file.size()});
}

inline result<weights> weights::make(std::span<const entry> tensors, std::span<const metadata_entry> texts, layout order) {
  state made;
  made.order = order;
  safetensors::contents& found = made.found;
  found.tensors.assign(tensors.begin(), tensors.end());
  found.metadata.assign(texts.begin(), texts.end());
  if (auto checked = safetensors::detail::check_writable(found.tensors, found.metadata); !checked) return fail(std::move(checked.error()));
  std::size_t bytes = 0, letters = 0;
  for (const entry& tensor : tensors) bytes += detail::aligned_bytes::rounded(tensor.bytes.size()), letters += tensor.name.size();
  for (const metadata_entry& text : texts) letters += text.key.size() + text.value.size();
  made.copy = detail::aligned_bytes(bytes);
  found.text.reserve(letters);  // views into it must stay valid
  const auto kept = [&](std::string_view& text) {
    const std::size_t at = found.text.size();
    found.text.insert(found.text.end(), text.begin(), text.end());
    text = {found.text.data() + at, text.size()};
  };
  for (metadata_entry& text : found.metadata) kept(text.key), kept(text.value);
  std::byte* to = made.copy.data();
  for (entry& tensor : found.tensors) {
    kept(tensor.name);
    std::copy(tensor.bytes.begin(), tensor.bytes.end(), to);
    tensor.bytes = {to, tensor.bytes.size()};
    to += detail::aligned_bytes::rounded(tensor.bytes.size());
  }
  return weights(std::move(made));
}

inline const weights::entry* weights::find(std::string_view name) const {
  const auto all = entries();
  const auto at = std::lower_bound(all.begin(), all.end(), name, [](const entry& tensor, std::string_view wanted) { return tensor.name < wanted; });
  return at != all.end() && at->name == name ? &*at : nullptr;
}

inline const std::string_view* weights::metadata(std::string_view key) const {
  for (const metadata_entry& text : metadata())
    if (text.key == key) return &text.value;
  return nullptr;
}

}  // namespace nnrt::inline NNRT_ISA
