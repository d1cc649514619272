// terminal: what the terminal can show, and grey pixels and bars drawn with it.
// Flow: drawing.hpp composes lines of these.
#pragma once

#include <unistd.h>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

namespace example {

/// How pixels are drawn: background colours, shades of a block, or letters, each as the terminal allows.
enum class shading { colours, blocks, letters };

/// The value of an environment variable; empty when it is not set.
inline std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Letters when the output goes to a file or the locale is not UTF-8; no colours when NO_COLOR is set
/// (https://no-color.org).
inline shading shading_of_output() {
  if (isatty(STDOUT_FILENO) == 0 || environment("TERM") == "dumb") return shading::letters;
  if (environment("NO_COLOR").empty()) return shading::colours;
  std::string_view locale;
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (locale.empty()) locale = environment(name);
  return locale.find("UTF-8") != std::string_view::npos || locale.find("utf8") != std::string_view::npos
             ? shading::blocks
             : shading::letters;
}

/// One pixel, two columns wide, since letters are about twice as high as wide; 0 <= level <= most.
inline std::string pixel(int level, int most, shading how) {
  if (how == shading::colours) {
    constexpr int darkest = 232, greys = 24;  // the grey ramp of 256-colour terminals
    return "\x1b[48;5;" + std::to_string(darkest + level * (greys - 1) / most) + "m  ";
  }
  constexpr std::string_view blocks[] = {" ", "\u2591", "\u2592", "\u2593", "\u2588"};
  constexpr std::string_view letters[] = {" ", ".", "-", "+", "*", "#", "@"};
  const std::string_view one = how == shading::blocks ? blocks[level * 4 / most] : letters[level * 6 / most];
  return std::string(one) + std::string(one);
}
inline std::string end_of_pixels(shading how) { return how == shading::colours ? "\x1b[0m" : ""; }

/// A bar of up to `columns` columns; 0 <= part <= 1.
inline std::string bar(double part, int columns, shading how) {
  std::string drawn;
  for (int i = 0; i < std::lround(part * columns); ++i) drawn += how == shading::letters ? "#" : "\u2588";
  return drawn;
}

}  // namespace example
