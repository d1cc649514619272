// drawing: prints digits next to the network's results.
// Flow: main.cpp draws two digits a row, or one with all ten probabilities.
#pragma once

#include "held_out.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <cstdio>
#include <span>

namespace example {

/// What the network says of one digit.
struct reading {
  std::size_t digit = 0;
  std::array<float, 10> probability{};

  int predicted() const {
    return static_cast<int>(std::max_element(probability.begin(), probability.end()) - probability.begin());
  }
  double certainty() const { return static_cast<double>(probability[static_cast<std::size_t>(predicted())]); }
};

inline std::string row_of(const held_out& digits, std::size_t digit, std::size_t row, shading how) {
  std::string line;
  for (std::size_t column = 0; column < side; ++column) line += pixel(digits.pixel(digit, row, column), ink, how);
  return line + end_of_pixels(how);
}

/// Text to the right of row `row` of the digit.
inline std::string caption(const held_out& digits, const reading& r, std::size_t row) {
  char text[32] = "";
  const int label = digits.label(r.digit);
  if (row == 1) std::snprintf(text, sizeof text, "digit %zu", r.digit);
  if (row == 3) std::snprintf(text, sizeof text, "read as    %d", r.predicted());
  if (row == 4) std::snprintf(text, sizeof text, "certainty  %.1f %%", 100 * r.certainty());
  if (row == 5) std::snprintf(text, sizeof text, "label      %d%s", label, label == r.predicted() ? "" : "  wrong");
  return text;
}

/// The digits, two side by side, eight lines each.
inline void draw_all(const held_out& digits, std::span<const reading> readings, shading how) {
  for (std::size_t first = 0; first < readings.size(); first += 2) {
    for (std::size_t row = 0; row < side; ++row) {
      std::string line;
      for (const reading& r : readings.subspan(first, std::min<std::size_t>(2, readings.size() - first))) {
        std::string beside = caption(digits, r, row);
        beside.resize(20, ' ');
        line += "  " + row_of(digits, r.digit, row, how) + "  " + beside;
      }
      std::puts(line.c_str());
    }
    std::puts("");
  }
}

/// One digit, and to its right the probability of every class.
inline void draw_one(const held_out& digits, const reading& r, shading how) {
  for (std::size_t i = 0; i < r.probability.size(); ++i) {
    const bool has_row = i >= 1 && i <= side;
    const std::string row = has_row ? row_of(digits, r.digit, i - 1, how) : std::string(2 * side, ' ');
    const auto probability = static_cast<double>(r.probability[i]);
    std::printf("  %s  %zu %6.2f %%  %s\n", row.c_str(), i, 100 * probability, bar(probability, 40, how).c_str());
  }
  std::printf("\ndigit %zu is read as %d; its label is %d\n", r.digit, r.predicted(), digits.label(r.digit));
}

}  // namespace example
