// make_weights: makes weights from computed tensors, and saves weights.
// Flow: calibration, conversion and tests make weights in memory; they are used or saved as those of a file.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dtype.hpp>
#include <nnrt/io/safetensors_writer.hpp>
#include <nnrt/io/weights.hpp>

#include <cstring>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// Copies tensors and texts from memory. Elements that are stored in fewer bits (`tensor_entry::stored`) are converted
/// to f32. Each copied tensor is aligned to 64 bytes. Errors: invalid_argument (a repeated name, bytes that do not fit
/// the shape, …); the message names the tensor.
inline result<weights> make_weights(array_ref<const tensor_entry> tensors,
                                    array_ref<const metadata_entry> metadata = {}, layout order = layout::native);

/// Writes weights as a safetensors file, in their present axis order. Errors: io_failed, not_found; each names the
/// file.
inline result<void> save_weights(std::string_view path, const weights& named) {
  return safetensors::save(path, named.entries(), named.metadata());
}

/// An f32 tensor whose elements are stored in fewer bits:
/// `narrow_tensor("fc.weight", {10, 4}, narrow_float::bf16, bytes)`.
inline tensor_entry narrow_tensor(std::string_view name, const shape_t& shape, narrow_float stored,
                                  std::span<const std::byte> bytes) {
  return {name, f32, shape, bytes, stored};
}

/// A tensor of elements in the caller's memory: `tensor_of<float>("fc.bias", {10}, bias)`.
template <class T> tensor_entry tensor_of(std::string_view name, const shape_t& shape, std::span<const T> elements) {
  static_assert(dtype_for<T>() != dtype::none, "nnrt: no dtype has this element type");
  return {name, dtype_for<T>(), shape, std::as_bytes(elements)};
}

// --- details ---------------------------------------------------------------
inline result<weights> make_weights(array_ref<const tensor_entry> tensors, array_ref<const metadata_entry> metadata,
                                    layout order) {
  weights::state made;
  made.order = order;
  safetensors::contents& found = made.found;
  found.tensors.insert(tensors.begin(), tensors.end());
  found.metadata.insert(metadata.begin(), metadata.end());
  pool<char> wrong;
  if (!safetensors::detail::check_writable(found.tensors, found.metadata, wrong))
    return fail(error_code::invalid_argument, {letters_of(wrong)});
  std::size_t bytes = 0, letters = 0;
  const auto bytes_here = [](const tensor_entry& tensor) {
    return static_cast<std::size_t>(tensor.shape.elements() * size_of(tensor.type));
  };
  for (const tensor_entry& tensor : tensors)
    bytes += detail::aligned_memory::rounded(bytes_here(tensor)), letters += tensor.name.size();
  for (const metadata_entry& text : metadata) letters += text.key.size() + text.value.size();
  found.text.reserve(letters);
  for (metadata_entry& text : found.metadata) text = {found.keep(text.key), found.keep(text.value)};
  std::byte* to = made.memory.allocate(bytes);
  for (tensor_entry& tensor : found.tensors) {
    tensor.name = found.keep(tensor.name);
    const std::size_t size = bytes_here(tensor);
    if (tensor.stored != narrow_float::none)
      widen(tensor.stored, tensor.bytes.data(), size / sizeof(float), reinterpret_cast<float*>(to));
    else if (size != 0) std::memcpy(to, tensor.bytes.data(), size);
    tensor.bytes = {to, size}, tensor.stored = narrow_float::none;
    to += detail::aligned_memory::rounded(tensor.bytes.size());
  }
  return weights(std::move(made));
}

}}  // namespace nnrt::NNRT_ISA
