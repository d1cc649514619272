// options: what the command line asks for.
// Flow: main.cpp parses first and does one of these things.
#pragma once

#include <nnrt/core/result.hpp>

#include <charconv>
#include <span>
#include <string>
#include <string_view>

namespace example {

inline constexpr const char* usage =
    "usage: digits [--help | --digit N | --table | --dot] [--threads N]\n"
    "\n"
    "Reads real handwritten digits with a network that the compiler checked, planned and embedded.\n"
    "\n"
    "  --digit N     draw held-out digit N and the probability of every class\n"
    "  --table       print the network's table and nothing else\n"
    "  --dot         print the network for Graphviz: digits --dot | dot -Tsvg\n"
    "  --threads N   run on N threads (default: 1)\n"
    "\n"
    "Without options: some digits, accuracy, table, memory and time. Exit status: 0; 1 when fewer than 97 % are\n"
    "right or something fails; 2 for wrong usage. NO_COLOR=1 draws without colours.\n";

enum class task { report, help, one_digit, table, dot };

struct options {
  task wanted = task::report;
  std::size_t digit = 0;
  int threads = 1;
};

/// The number after options[at]; advances `at` to it. Errors: none there, or no whole number.
template <class Number> nnrt::result<Number> number_after(std::span<char* const> words, std::size_t& at) {
  const std::string option = words[at];
  if (++at == words.size()) return nnrt::fail(nnrt::error_code::invalid_argument, option + " needs a number");
  const std::string_view text = words[at];
  Number number{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || end != text.data() + text.size())
    return nnrt::fail(nnrt::error_code::invalid_argument,
                      option + ": got \"" + std::string(text) + "\", expected a number");
  return number;
}

/// Errors: unknown words, numbers that are none, two tasks at once.
inline nnrt::result<options> parse_options(std::span<char* const> words) {
  constexpr auto wrong = nnrt::error_code::invalid_argument;
  options found;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view word = words[at];
    if (word == "--threads") {
      const auto threads = number_after<int>(words, at);
      if (!threads) return nnrt::fail(threads.error());
      found.threads = *threads;
      continue;
    }
    if (found.wanted != task::report)
      return nnrt::fail(wrong, "\"" + std::string(word) + "\" is one task too many; see --help");
    if (word == "--help" || word == "-h") found.wanted = task::help;
    else if (word == "--table") found.wanted = task::table;
    else if (word == "--dot") found.wanted = task::dot;
    else if (word == "--digit") {
      const auto digit = number_after<std::size_t>(words, at);
      if (!digit) return nnrt::fail(digit.error());
      found.wanted = task::one_digit;
      found.digit = *digit;
    } else {
      return nnrt::fail(wrong, "unknown option \"" + std::string(word) + "\"; see --help");
    }
  }
  return found;
}

}  // namespace example
