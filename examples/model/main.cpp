// main: a TensorFlow Lite file that the compiler reads is a static network; it reads the held-out digits.
// Flow: nnrt_model() of CMakeLists.txt gives the compiler the bytes of digits_int8.tflite; DATA.md says where they come
// from.
#include "../digits/held_out.hpp"

#include <nnrt/model.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

NNRT_MODEL(digits, "digits_int8.tflite");
NNRT_EMBED(held_out_file, "held_out.safetensors");

namespace example { namespace {

using net = nnrt::graph<digits>;
using executor = nnrt::executor<net>;

// The compiler has read the file by now: a model of other tensors does not compile here.
static_assert(net::inputs[0].name == "image" && net::inputs[0].desc.type == nnrt::i8);
static_assert(net::inputs[0].desc.shape == nnrt::shape_t{1, 8, 8, 1} &&
              net::outputs[0].desc.shape == nnrt::shape_t{1, 10});
static_assert(net::nodes == 8 && net::macs == 452'864);
static_assert(net::arena_bytes <= nnrt::largest_member_arena, "the executor holds the arena: nothing is allocated");

constexpr double min_accuracy = 0.97;
constexpr const char* usage =
    "usage: model [--help | --text]\n"
    "\n"
    "Reads real handwritten digits with the network of digits_int8.tflite, a file that the compiler read.\n"
    "\n"
    "  --text   print the network as the compiler planned it, and nothing else\n"
    "\n"
    "Exit status: 0; 1 when fewer than 97 % are right or something fails; 2 for wrong usage.\n";

int complain(const std::string& what, int status) {
  std::fprintf(stderr, "model: %s\n", what.c_str());
  return status;
}

using image = std::array<std::int8_t, pixels>;

/// The digit as the network wants it: pixel / 16 with the scale 1/255 and the zero point -128, rounded.
image quantised(const held_out& digits, std::size_t digit) {
  image x{};
  for (std::size_t i = 0; i < pixels; ++i)
    x[i] = static_cast<std::int8_t>((255 * digits.pixel(digit, i / side, i % side) + ink / 2) / ink - 128);
  return x;
}

/// All weights as the file stores them.
constexpr std::int64_t weight_bytes() {
  std::int64_t bytes = 0;
  for (const nnrt::tensor_info& weight : net::weights) bytes += weight.desc.bytes();
  return bytes;
}

/// The most probable digit.
int read(executor& run, const image& x) {
  const std::span<const std::int8_t, 10> probability = run(x);
  return static_cast<int>(std::max_element(probability.begin(), probability.end()) - probability.begin());
}

/// Microseconds of an inference: the median of 5,000, one after the other.
double median_time(executor& run, const image& x) {
  using clock = std::chrono::steady_clock;
  std::vector<double> times(5000);
  for (double& time : times) {
    const auto start = clock::now();
    run(x);
    time = std::chrono::duration<double, std::micro>(clock::now() - start).count();
  }
  std::nth_element(times.begin(), times.begin() + 2500, times.end());
  return times[2500];
}

int run_on_digits() {
  const auto file = nnrt::weights::parse(held_out_file);
  if (!file) return complain("held_out.safetensors: " + file.error().message(), 1);
  const auto held = held_out::of(*file);
  if (!held) return complain(held.error().message(), 1);
  auto run = executor::create();  // with the weights of the model's file
  if (!run) return complain(run.error().message(), 1);

  std::size_t right = 0;
  for (std::size_t i = 0; i < held->size(); ++i) right += read(*run, quantised(*held, i)) == held->label(i) ? 1 : 0;
  const double accuracy = static_cast<double>(right) / static_cast<double>(held->size());
  std::printf("accuracy   %zu of %zu: %.2f %%\n", right, held->size(), 100 * accuracy);
  std::printf("inference  %.1f microseconds: the median of 5,000 runs, 1 thread, %s\n",
              median_time(*run, quantised(*held, 0)), nnrt::isa);
  std::printf("memory     weights %lld bytes in the program, packed %lld; arena %lld\n",
              static_cast<long long>(weight_bytes()), static_cast<long long>(executor::plan_of_steps().prepared_bytes),
              static_cast<long long>(net::arena_bytes));
  if (accuracy < min_accuracy) return complain("fewer than 97 % are right", 1);
  return 0;
}

}}  // namespace example

int main(int count, char** words) {
  const std::string_view word = count > 1 ? words[1] : "";
  if (count > 2 || (count == 2 && word != "--help" && word != "-h" && word != "--text"))
    return example::complain("unknown arguments; see --help", 2);
  if (count == 1) return example::run_on_digits();
  if (word == "--text") std::fputs(example::net::text().c_str(), stdout);
  else std::fputs(example::usage, stdout);
  return 0;
}
