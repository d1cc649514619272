// main: reads the held-out digits and shows what the network makes of them.
// Flow: digits.hpp is the network, its weights and the digits are in this program; options.hpp says what is shown.
#include "digits.hpp"
#include "drawing.hpp"
#include "held_out.hpp"
#include "options.hpp"
#include "report.hpp"

NNRT_EMBED(weights_file, "digits.safetensors");
NNRT_EMBED(held_out_file, "held_out.safetensors");

namespace example { namespace {

constexpr double min_accuracy = 0.97;

int complain(const std::string& what, int status) {
  std::fprintf(stderr, "digits: %s\n", what.c_str());
  return status;
}

/// What the network says of one digit.
reading read(nnrt::executor<net>& run, const held_out& digits, std::size_t digit) {
  reading r{digit, {}};
  run(digits.image(digit), r.probability);
  return r;
}

/// Everything: the first four digits, those that are read wrongly, accuracy, table, sizes and time. The exit status.
int report(nnrt::executor<net>& run, const held_out& digits, int threads) {
  std::vector<reading> first, wrong;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const reading r = read(run, digits, i);
    if (first.size() < 4) first.push_back(r);
    if (r.predicted() != digits.label(i)) wrong.push_back(r);
  }
  const std::size_t right = digits.size() - wrong.size();
  const double accuracy = static_cast<double>(right) / static_cast<double>(digits.size());

  const shading how = shading_of_output();
  std::printf("Real handwritten digits, none of them used in training. The first four of %zu:\n\n", digits.size());
  draw_all(digits, first, how);
  if (wrong.size() <= 8) std::printf("Read wrongly:\n\n"), draw_all(digits, wrong, how);
  std::printf("accuracy   %zu of %zu: %.2f %%\n", right, digits.size(), 100 * accuracy);
  print_sizes(weights_file.size() + held_out_file.size());
  print_time(run, digits, threads);
  std::printf("\nThe network, as the compiler planned it:\n\n");
  print_table();
  if (accuracy < min_accuracy) return complain("fewer than 97 % are right", 1);
  return 0;
}

int run_on_digits(const options& wanted) {
  const auto file = nnrt::weights::parse(held_out_file);
  if (!file) return complain("held_out.safetensors: " + file.error().message(), 1);
  const auto digits = held_out::of(*file);
  if (!digits) return complain(digits.error().message(), 1);
  if (wanted.wanted == task::one_digit && wanted.digit >= digits->size())
    return complain(
        "--digit: got " + std::to_string(wanted.digit) + ", expected 0 to " + std::to_string(digits->size() - 1), 2);

  const auto weights = nnrt::weights::parse(weights_file);
  if (!weights) return complain("digits.safetensors: " + weights.error().message(), 1);
  auto run = nnrt::executor<net>::create(*weights, {.threads = wanted.threads});
  if (!run) return complain(run.error().message(), 1);

  if (wanted.wanted != task::one_digit) return report(*run, *digits, wanted.threads);
  draw_one(*digits, read(*run, *digits, wanted.digit), shading_of_output());
  return 0;
}

}}  // namespace example

int main(int count, char** words) {
  using example::task;
  const auto wanted = example::parse_options({words + 1, static_cast<std::size_t>(count > 0 ? count - 1 : 0)});
  if (!wanted) return example::complain(wanted.error().message(), 2);
  switch (wanted->wanted) {
    case task::help: std::fputs(example::usage, stdout); return 0;
    case task::dot: std::fputs(example::net::dot().c_str(), stdout); return 0;
    case task::table: example::print_table(); return 0;
    case task::report:
    case task::one_digit: break;
  }
  return example::run_on_digits(*wanted);
}
