// read_model: a file of any format that is read, as a model.
// Flow: every subcommand that takes a MODEL asks for it here.
#include "command.hpp"

#include <nnrt/io/saved_model.hpp>
#include <nnrt/tflite.hpp>

namespace nnrt_command {
namespace {

/// By the four letters that follow the first four bytes of every TensorFlow Lite or Circle file; what is called one is
/// complained of as one.
bool is_tflite(const std::string& path, std::span<const std::byte> file) {
  if (path.ends_with(".tflite") || path.ends_with(".circle")) return true;
  const auto has_letters = [&](const char* letters) {
    return file.size() >= 8 && std::memcmp(file.data() + 4, letters, 4) == 0;
  };
  return has_letters("TFL3") || has_letters("CIR0");
}

/// By the first letter of a saved model's header, which is JSON after its length.
bool may_be_saved(std::span<const std::byte> file) { return file.size() > 8 && file[8] == std::byte{'{'}; }

}  // namespace

nnrt::result<nnrt::model> read_model(const std::string& path, const std::string& signature) {
  const auto file = nnrt::mapped_file::open(path);
  if (!file) return nnrt::fail(file.error());
  if (!is_tflite(path, file->bytes())) {
    if (may_be_saved(file->bytes())) return nnrt::model::load(path);
    return nnrt::fail(nnrt::error_code::invalid_file, {path, ": neither a .tflite file nor a saved model: got ",
                                                       file->bytes().size(), " bytes that begin as neither"});
  }
  nnrt::tflite::load_options wanted;
  wanted.signature = signature;
  return nnrt::tflite::load(path, wanted);
}

}  // namespace nnrt_command
