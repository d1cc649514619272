// samples: inputs of a network from files - .npy, safetensors, raw numbers, folders of these.
// Flow: nnrt quantize calibrates with them; more subcommands will run networks on them.
#pragma once

#include <nnrt/exec/calibrate.hpp>
#include <nnrt/io/weights.hpp>
#include <nnrt/policy/image_input.hpp>

#include <string>
#include <vector>

namespace nnrt_command {

/// The largest .npy or raw file whose samples are taken: 64 GiB. Larger ones are refused by their size, before they are
/// mapped.
inline constexpr std::uint64_t max_sample_bytes = std::uint64_t{1} << 36U;
/// The most samples of all files together.
inline constexpr std::size_t max_samples = std::size_t{1} << 20U;

/// Samples for a network: for each a piece of memory for each input.
///
///   x.npy            one sample, or several along the first axis; of networks with one input
///   x.safetensors    a tensor for each input, of its name; of networks with one input the only tensor that fits. As
///                    many samples as fit
///   any other name   raw numbers of the input's type; as many samples as fit; of networks with one input
///   a folder         its .npy, .safetensors and .raw files in the order of their names
///
/// Numbers have the type of their input, booleans are 0 or 1; u8 for an input of floats are pixels, of which the
/// network sees (pixel - mean) * scale.
class sample_files {
 public:
  explicit sample_files(const nnrt::ir::graph& network, const nnrt::normalisation& of_pixels)
      : network_(network), of_pixels_(of_pixels) {}

  /// Errors name the file, what was got and what was expected.
  nnrt::result<void> add(const std::string& path);
  std::size_t size() const { return samples_.size(); }
  nnrt::sample_source source() const { return {this, samples_.size(), &sample_files::put}; }

 private:
  struct piece {
    nnrt::dtype type = nnrt::dtype::none;
    std::span<const std::byte> bytes;
  };
  using sample = std::vector<piece>;  // by input

  static nnrt::result<void> put(const void* files, std::size_t i, nnrt::session& into);
  nnrt::result<void> add_folder(const std::string& path);
  nnrt::result<void> add_tensors(const std::string& path);
  nnrt::result<void> add_npy(const std::string& path);
  nnrt::result<void> add_raw(const std::string& path);
  nnrt::result<void> require_one_input(const std::string& path) const;
  const nnrt::tensor_entry* tensor_for(std::size_t input, const nnrt::weights& file) const;
  bool fits(const nnrt::tensor_entry& tensor, std::size_t input) const;
  nnrt::result<void> add_all(const std::string& path, const std::vector<nnrt::tensor_entry>& tensors);
  /// As many samples as `count`, one after the other in each tensor's bytes. Refused: booleans other than 0 and 1,
  /// which files may have.
  nnrt::result<void> add_samples(const std::string& path, const std::vector<nnrt::tensor_entry>& tensors,
                                 std::size_t count);
  const nnrt::tensor_desc& desc(std::size_t input) const { return network_.at(network_.inputs[input]).desc; }
  std::string name(std::size_t input) const {
    return std::string(network_.name_of(network_.at(network_.inputs[input]).name));
  }

  const nnrt::ir::graph& network_;
  nnrt::normalisation of_pixels_;
  std::vector<sample> samples_;
  std::vector<nnrt::mapped_file> files_;
  std::vector<nnrt::weights> tensors_;
};

/// The tensor of a .npy file in memory: its bytes are the file's. Errors: invalid_file, not_supported (a dtype that
/// nnrt lacks, Fortran's order). Source: the format's description in NumPy's documentation (numpy.lib.format), versions
/// 1.0 to 3.0.
nnrt::result<nnrt::tensor_entry> parse_npy(std::span<const std::byte> file);

}  // namespace nnrt_command
