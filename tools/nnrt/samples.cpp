// samples: see the header.
// Flow: each way of reading gives tensors, and add_all() cuts them into samples.
#include "samples.hpp"

#include <nnrt/core/boolean_bytes.hpp>

#include <algorithm>
#include <filesystem>

namespace nnrt_command {
namespace {

using nnrt::error_code;
using nnrt::fail;
using nnrt::result;

/// Whether the innermost extents of a tensor are those of an input, so that it holds whole samples.
bool holds_whole(const nnrt::shape_t& got, const nnrt::shape_t& input) {
  if (got.rank + 1 < input.rank) return false;
  for (int i = 1; i < input.rank; ++i)
    if (got[got.rank - i] != input[input.rank - i]) return false;
  return input.elements() > 0 && got.elements() > 0 && got.elements() % input.elements() == 0;
}

}  // namespace

result<void> sample_files::add(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return add_folder(path);
  const std::string extension = std::filesystem::path(path).extension().string();
  auto ok = extension == ".safetensors" ? add_tensors(path) : extension == ".npy" ? add_npy(path) : add_raw(path);
  return ok;
}

result<void> sample_files::add_folder(const std::string& path) {
  std::vector<std::string> found;
  std::error_code failure;
  for (std::filesystem::directory_iterator at(path, failure), end; !failure && at != end; at.increment(failure)) {
    const std::string extension = at->path().extension().string();
    if (extension == ".npy" || extension == ".safetensors" || extension == ".raw") found.push_back(at->path().string());
  }
  if (failure) return fail(error_code::io_failed, {path, ": cannot list it: ", failure.message()});
  if (found.empty()) return fail(error_code::not_found, {path, ": has no .npy, .safetensors or .raw file"});
  std::sort(found.begin(), found.end());
  for (const std::string& file : found)
    if (auto ok = add(file); !ok) return ok;
  return {};
}

result<void> sample_files::require_one_input(const std::string& path) const {
  if (network_.inputs.size() == 1) return {};
  return fail(error_code::invalid_argument, {path, ": the network has ", network_.inputs.size(),
                                             " inputs: their samples are tensors of one safetensors file"});
}

result<void> sample_files::add_npy(const std::string& path) {
  if (auto ok = require_one_input(path); !ok) return ok;
  auto file = nnrt::mapped_file::open(path, max_sample_bytes);
  if (!file) return fail(std::move(file.error()));
  auto tensor = parse_npy(file->bytes());
  if (!tensor) return fail(std::move(tensor.error()).in(path));
  files_.push_back(std::move(*file));
  return add_all(path, {*tensor});
}

result<void> sample_files::add_raw(const std::string& path) {
  if (auto ok = require_one_input(path); !ok) return ok;
  auto file = nnrt::mapped_file::open(path, max_sample_bytes);
  if (!file) return fail(std::move(file.error()));
  const std::size_t bytes = file->bytes().size(), each = static_cast<std::size_t>(desc(0).bytes());
  if (bytes == 0 || each == 0 || bytes % each != 0)
    return fail(error_code::invalid_file, {path, ": has ", bytes, " bytes, expected a multiple of the ", each, " of ",
                                           nnrt::piece(desc(0).type, desc(0).shape)});
  files_.push_back(std::move(*file));
  return add_samples(path, {{"", desc(0).type, desc(0).shape, files_.back().bytes()}}, bytes / each);
}

bool sample_files::fits(const nnrt::tensor_entry& tensor, std::size_t input) const {
  const bool are_pixels = tensor.type == nnrt::u8 && desc(input).type == nnrt::f32;
  return (tensor.type == desc(input).type || are_pixels) && holds_whole(tensor.shape, desc(input).shape);
}

const nnrt::tensor_entry* sample_files::tensor_for(std::size_t input, const nnrt::weights& file) const {
  if (const nnrt::tensor_entry* const named = file.find(name(input))) return named;
  const nnrt::tensor_entry* only = nullptr;
  for (const nnrt::tensor_entry& tensor : file.entries()) {
    if (!fits(tensor, input)) continue;
    if (only != nullptr) return nullptr;
    only = &tensor;
  }
  return network_.inputs.size() == 1 ? only : nullptr;
}

result<void> sample_files::add_tensors(const std::string& path) {
  auto file = nnrt::weights::open(path);
  if (!file) return fail(std::move(file.error()));
  std::vector<nnrt::tensor_entry> tensors;
  for (std::size_t i = 0; i < network_.inputs.size(); ++i) {
    const nnrt::tensor_entry* const found = tensor_for(i, *file);
    if (found == nullptr)
      return fail(error_code::not_found, {path, ": has no tensor ", nnrt::piece::in_quotes(name(i)), ", ",
                                          nnrt::piece(desc(i).type, desc(i).shape), " or several of these"});
    tensors.push_back(*found);
  }
  tensors_.push_back(*file);
  return add_all(path, tensors);
}

result<void> sample_files::add_all(const std::string& path, const std::vector<nnrt::tensor_entry>& tensors) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!fits(tensors[i], i))
      return fail(error_code::invalid_argument, {path, ": input ", nnrt::piece::in_quotes(name(i)), ": got ",
                                                 nnrt::piece(tensors[i].type, tensors[i].shape), ", expected ",
                                                 nnrt::piece(desc(i).type, desc(i).shape), " or several of these"});
    const auto samples = static_cast<std::size_t>(tensors[i].shape.elements() / desc(i).elements());
    if (i > 0 && samples != count)
      return fail(error_code::invalid_argument, {path, ": has ", count, " samples of one input, and ", samples, " of ",
                                                 nnrt::piece::in_quotes(name(i))});
    count = samples;
  }
  return add_samples(path, tensors, count);
}

result<void> sample_files::add_samples(const std::string& path, const std::vector<nnrt::tensor_entry>& tensors,
                                       std::size_t count) {
  if (count > max_samples - samples_.size())
    return fail(error_code::invalid_argument,
                {path, ": has ", count, " samples, expected at most ", max_samples - samples_.size(), " more, ",
                 max_samples, " of all files together"});
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& bytes = tensors[i].bytes;
    const std::size_t at = tensors[i].type == nnrt::boolean ? nnrt::first_no_boolean(bytes) : bytes.size();
    if (at < bytes.size())
      return fail(error_code::invalid_file,
                  {path, ": input ", nnrt::piece::in_quotes(name(i)), ": element ", at, ": got ",
                   std::to_integer<int>(bytes[at]), ", expected 0 or 1 for a boolean"});
  }
  for (std::size_t s = 0; s < count; ++s) {
    sample made;
    for (const nnrt::tensor_entry& tensor : tensors)
      made.push_back({tensor.type, tensor.bytes.subspan(tensor.bytes.size() / count * s, tensor.bytes.size() / count)});
    samples_.push_back(std::move(made));
  }
  return {};
}

result<void> sample_files::put(const void* files, std::size_t i, nnrt::session& into) {
  const auto& all = *static_cast<const sample_files*>(files);
  for (std::size_t k = 0; k < all.samples_[i].size(); ++k) {
    const piece& from = all.samples_[i][k];
    const nnrt::tensor_desc& to = into.input_desc(k);
    if (from.type != to.type) {
      const std::span<float> floats = into.input<float>(k);
      const auto channels = static_cast<std::size_t>(to.rank() > 0 ? to.shape[to.rank() - 1] : 1);
      const auto& by = all.of_pixels_;
      for (std::size_t e = 0; e < floats.size(); ++e) {
        const std::size_t c = e % channels < 3 ? e % channels : 0;
        floats[e] = by.seen(std::to_integer<int>(from.bytes[e]), c);
      }
      continue;
    }
    nnrt::with_element<nnrt::types::any>(to.type, [&]<class T>(T) {
      if (const std::span<T> elements = into.input<T>(k); !elements.empty())
        std::memcpy(elements.data(), from.bytes.data(), elements.size_bytes());
    });
  }
  return {};
}

}  // namespace nnrt_command
