// calibrated_fuzz: files of calibrated networks, with digests that fit. What load_calibrated() accepts gives an
// executor that computes the same on one thread and two, what its graph says by references, and the same when it is
// written and read again; or it is refused in words.
//
// Input: the last byte says whether the bytes before it are a file, changes (changed_bytes.hpp) of one that this
// library wrote, or other numbers in it; and whether its network is given floats, or images.
// nightly: its seeds take a compiler longer than those of the readers
#include "changed_bytes.hpp"

#include "support/networks.hpp"
#include "support/same_graph.hpp"
#include "support/signed_model.hpp"
#include "support/temporary_folder.hpp"

#include <nnrt/bpu_file.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace nnrt_fuzz;
using namespace nnrt;

namespace {

/// Layers whose numbers are stored, and one that stays on the processor.
constexpr auto sees_images = [](builder& g) {
  auto x = g.input<f32, shape<1, 6, 4, 3>>("x");
  g.output("y", erf(layers::conv2d<4, 1, 1>(layers::conv2d<6, 3, 3>(x, "stem", same, relu), "head")));
};
using net = graph<sees_images>;
using policy = bpu<bayes>;
using network = calibrated<net, policy>;

const temporary_folder& folder() {
  static const temporary_folder made;
  return made;
}

void write(const std::string& path, const byte_list& bytes) { require(write_file(path, bytes).has_value()); }

byte_list written(const network& made) {
  const std::string path = folder().file("written");
  require(save_calibrated(path, made, "net").has_value());
  const auto file = mapped_file::open(path);
  require(file.has_value());
  const auto bytes = file->bytes();
  return {bytes.begin(), bytes.end()};
}

const byte_list& original_of(bool are_images) {
  static const std::array<byte_list, 2> all = [] {
    const std::vector<float> samples[] = {nnrt_test::input_for<net>(0, 1), nnrt_test::input_for<net>(0, 2)};
    const saved_input image{.is_image = true,
                            .given = image_type::rgb,
                            .seen = colours::rgb,
                            .by = {{128, 128, 128}, {0.0078125F, 0.0078125F, 0.0078125F}}};
    const auto floats = calibrate<net, policy>(nnrt_test::weights_for<net>(), samples);
    const auto images = calibrate<net, policy>(nnrt_test::weights_for<net>(), samples, {}, std::array{image});
    require(floats && images);
    return std::array{written(*floats), written(*images)};
  }();
  return all[are_images ? 1 : 0];
}

/// The file with other digits in its header, which stays JSON by that, and with other bytes in its tensors: three bytes
/// for each, the place (two bytes) and the number.
byte_list with_numbers(byte_list file, std::span<const std::uint8_t> changes) {
  std::uint64_t header = 0;
  std::memcpy(&header, file.data(), sizeof header);
  const std::size_t end = static_cast<std::size_t>(header) + sizeof header;
  const auto is_digit = [](std::byte b) { return b >= std::byte{'0'} && b <= std::byte{'9'}; };
  for (; changes.size() >= 3; changes = changes.subspan(3)) {
    std::size_t place = (static_cast<std::size_t>(changes[0]) << 8U | changes[1]) % file.size();
    while (place < end && !is_digit(file[place])) ++place;
    if (place < file.size()) file[place] = static_cast<std::byte>(place < end ? '0' + changes[2] % 10 : changes[2]);
  }
  return file;
}

/// The digests of tensors whose bytes were changed, where the header has those of before.
void sign_tensors(byte_list& changed, const byte_list& before) {
  const auto tensors_of_file = safetensors::parse(before);
  require(tensors_of_file.has_value());
  for (const tensor_entry& tensor : tensors_of_file->tensors) {
    const auto at = static_cast<std::size_t>(tensor.bytes.data() - before.data());
    if (at > changed.size() || tensor.bytes.size() > changed.size() - at) continue;
    const auto bytes = array_ref<const std::byte>(changed).subspan(at).first(tensor.bytes.size());
    const std::string digest = nnrt::detail::hexadecimal(digest_of(tensor.bytes)),
                      made = nnrt::detail::hexadecimal(digest_of(bytes));
    const auto* const letters = reinterpret_cast<const char*>(changed.data());
    const std::size_t found = std::string_view(letters, changed.size()).find(digest);
    if (found != std::string_view::npos) std::memcpy(changed.data() + found, made.data(), made.size());
  }
}

/// One run, on floats or on what the file says that callers give; nothing when it is refused.
std::optional<tensors> results_of(const network& made, int threads) {
  auto run = executor<net, policy>::create(made, {.threads = threads});
  if (!run) return require(!run.error().message().empty()), std::nullopt;
  const std::vector<float> x = nnrt_test::input_for<net>();
  std::array<std::int8_t, 72> stored{};
  std::array<std::uint8_t, 144> pixels{};
  for (std::size_t i = 0; i < x.size(); ++i)
    stored[i] = static_cast<std::int8_t>(x[i] * 127), pixels[i] = static_cast<std::uint8_t>(stored[i] + 128);
  const bool is_image = !made.inputs.empty() && made.inputs.front().is_image;
  image_view image{.type = is_image ? made.inputs.front().given : image_type::rgb, .height = 6, .width = 4};
  image.first = pixels.data(), image.second = pixels.data() + 72;
  const auto done = is_image                                    ? run->try_run(image)
                    : run->compiled().input_desc(0).type == f32 ? run->try_run(x)
                                                                : run->try_run(stored);
  if (!done) return require(!done.error().message().empty()), std::nullopt;
  const auto bytes = std::as_bytes(*done);
  return tensors{{bytes.begin(), bytes.end()}};
}

void check_file(byte_list file) {
  nnrt_test::sign(file);
  const std::string path = folder().file("read"), other = folder().file("again");
  write(path, file);
  const auto loaded = load_calibrated<net, policy>(path);
  if (!loaded) return require(loaded.error().message().starts_with(path));
  require(loaded->places.size() == loaded->network.graph.nodes.size());
  require(save_calibrated(other, *loaded).has_value());
  const auto again = load_calibrated<net, policy>(other);
  require(again && nnrt_test::difference_of(loaded->network.graph, again->network.graph).empty());
  require(again->partition_text() == loaded->partition_text() && written(*again) == written(*loaded));
  if (!is_small(loaded->network.graph)) return;
  const auto results = results_of(*loaded, 1);
  require(results_of(*loaded, 2) == results && results_of(*again, 1) == results);
  check_results(loaded->network, true);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::span input(bytes, size - 1);
  const std::uint8_t kind = bytes[size - 1];
  if (kind % 5 == 4) {
    const auto as_it_is = std::as_bytes(input);
    check_file({as_it_is.begin(), as_it_is.end()});
    return 0;
  }
  const byte_list& before = original_of(kind % 2 == 1);
  byte_list changed = kind % 5 < 2 ? with_changes(before, input) : with_numbers(before, input);
  if (changed.size() == before.size()) sign_tensors(changed, before);
  check_file(std::move(changed));
  return 0;
}
