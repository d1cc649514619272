// flags: -I{here}/../../examples/digits -DDIGITS_FOLDER="{here}/../../examples/digits/"
#include <nnrt/nnrt.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

constexpr auto digits = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 8, 8, 1>>("image");
  auto h = nnrt::layers::conv2d<16, 3, 3>(x, "conv1", nnrt::same, nnrt::relu);  // weights "conv1.weight", "conv1.bias"
  auto k = nnrt::layers::conv2d<32, 3, 3>(h, "conv2", nnrt::same, nnrt::relu);
  auto q = max_pool(k, nnrt::kernel<2, 2>, nnrt::stride<2, 2>);
  auto m = nnrt::layers::conv2d<32, 3, 3>(q, "conv3", nnrt::same, nnrt::relu);
  // a tensor's type carries its shape: a new shape needs a new name
  auto p = max_pool(m, nnrt::kernel<2, 2>, nnrt::stride<2, 2>);
  g.output("probability", nnrt::softmax(nnrt::layers::full_connection<10>(nnrt::flatten(p), "fc")));
};

// std::span<const std::byte> of the file, in the binary; found along -I, or by CMake's nnrt_embed()
NNRT_EMBED(digits_file, "digits.safetensors");

namespace {

int fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  return 1;
}

/// The first of the images that the network has not been trained on, and what it shows.
bool held_out(std::array<float, 64>& image, std::int64_t& label) {
  auto file = nnrt::weights::open(DIGITS_FOLDER "held_out.safetensors");
  if (!file) return false;
  const auto *images = file->find("images"), *labels = file->find("labels");
  if (images == nullptr || labels == nullptr) return false;
  for (std::size_t i = 0; i < 64; ++i) image[i] = static_cast<float>(std::to_integer<int>(images->bytes[i])) / 16;
  label = std::to_integer<std::int64_t>(labels->bytes[0]);
  return true;
}

}  // namespace

int main() {
  std::array<float, 64> image{};
  std::int64_t label = 0;
  if (!held_out(image, label)) return fail("the held-out digits are not there");

  // nnrt::result<nnrt::weights>; or nnrt::weights::parse(digits_file)
  auto weights = nnrt::weights::open(DIGITS_FOLDER "digits.safetensors");
  if (!weights) return fail(weights.error().message());
  // nnrt::result<…>: every missing or misshapen name, at once
  auto run = nnrt::executor<nnrt::graph<digits>>::create(*weights, {.threads = 2});
  if (!run) return fail(run.error().message());
  auto p = (*run)(image);
  auto second = run->share();  // another executor: same prepared weights, its own arena
  auto again = second(image);
  if (!std::equal(p.begin(), p.end(), again.begin()) || p.data() == again.data())
    return fail("the second executor differs");

  auto embedded = nnrt::weights::parse(digits_file);
  if (!embedded) return fail(embedded.error().message());
  auto third = nnrt::executor<nnrt::graph<digits>>::create(*embedded);
  if (!third) return fail(third.error().message());
  auto same = (*third)(image);
  if (!std::equal(p.begin(), p.end(), same.begin())) return fail("embedded weights differ");

  if (std::max_element(p.begin(), p.end()) - p.begin() != label) return fail("the digit is misread");
  if (run->output<"probability">()[static_cast<std::size_t>(label)] < 0.9f) return fail("the digit is doubtful");

  auto pytorch = nnrt::weights::open(DIGITS_FOLDER "digits.safetensors", nnrt::layout::pytorch);
  if (!pytorch) return fail(pytorch.error().message());
  auto misshapen = nnrt::executor<nnrt::graph<digits>>::create(*pytorch);  // the file is in nnrt's order
  if (misshapen || misshapen.error().message().find("\"conv2.weight\"") == std::string::npos)
    return fail("the order of axes was not noticed");

  auto missing = nnrt::weights::open("no such file.safetensors");
  if (missing || missing.error().message().find("no such file.safetensors") == std::string::npos)
    return fail("a file was read that is not there");
  return 0;
}
