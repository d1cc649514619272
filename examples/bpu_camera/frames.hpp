// frames: what a camera over a desk might see - a note with a handwritten digit on it, as NV12.
// Flow: main.cpp writes each frame into memory of the accelerator. The digits are real ones, those of
// ../digits/DATA.md.
#pragma once

#include "../digits/held_out.hpp"

#include <cstdint>

namespace example {

inline constexpr int frame_width = 640, frame_height = 368;
inline constexpr int frame_bytes = frame_width * frame_height * 3 / 2;

/// A square of the frame.
struct square {
  int left, top, side;
};

/// Where the digit of a frame is: a camera program would have this from a detector.
constexpr square place_of_digit(std::uint32_t number) {
  const int side = 96 + static_cast<int>(number * 37 % 97) / 2 * 2;
  return {static_cast<int>(number * 53 % 300) / 2 * 2 + 40, static_cast<int>(number * 29 % 120) / 2 * 2 + 30, side};
}

namespace detail {

constexpr int noise(std::uint32_t place) {
  place = (place ^ 61U ^ (place >> 16U)) * 9U;
  place = (place ^ (place >> 4U)) * 0x27d4eb2dU;
  return static_cast<int>((place >> 13U) % 9U) - 4;
}

/// The digit's ink at a place between its 8 x 8 pixels, 0 … 1.
inline double ink_at(const held_out& digits, std::size_t digit, double row, double column) {
  const auto top = static_cast<std::size_t>(row), left = static_cast<std::size_t>(column);
  const std::size_t bottom = top + 1 < side ? top + 1 : top, right = left + 1 < side ? left + 1 : left;
  const double down = row - static_cast<double>(top), across = column - static_cast<double>(left);
  const double upper = digits.pixel(digit, top, left) * (1 - across) + digits.pixel(digit, top, right) * across;
  const double lower = digits.pixel(digit, bottom, left) * (1 - across) + digits.pixel(digit, bottom, right) * across;
  return (upper * (1 - down) + lower * down) / ink;
}

}  // namespace detail

/// Draws frame `number`, with this digit, into frame_bytes of memory: a brown desk, a white note, blue ink, a little
/// noise.
inline void draw_frame(const held_out& digits, std::size_t digit, std::uint32_t number, std::uint8_t* nv12) {
  const square at = place_of_digit(number);
  const auto ink_of = [&](int y, int x) {
    const int h = y - at.top, w = x - at.left;
    if (h < 0 || w < 0 || h >= at.side || w >= at.side) return 0.0;
    return detail::ink_at(digits, digit, h * 7.0 / (at.side - 1), w * 7.0 / (at.side - 1));
  };
  const auto is_note = [&](int y, int x) {
    return y >= at.top - 16 && x >= at.left - 16 && y < at.top + at.side + 16 && x < at.left + at.side + 16;
  };
  for (int y = 0; y < frame_height; ++y)
    for (int x = 0; x < frame_width; ++x) {
      const double light = is_note(y, x) ? 244 - 220 * ink_of(y, x) : 90 + 40.0 * x / frame_width;
      nv12[y * frame_width + x] = static_cast<std::uint8_t>(
          light + detail::noise(static_cast<std::uint32_t>(y * frame_width + x) + number * 7919U));
    }
  std::uint8_t* uv = nv12 + frame_width * frame_height;
  for (int y = 0; y < frame_height; y += 2)
    for (int x = 0; x < frame_width; x += 2) {
      const double blue = ink_of(y, x);
      *uv++ = static_cast<std::uint8_t>(is_note(y, x) ? 128 + 60 * blue : 100);
      *uv++ = static_cast<std::uint8_t>(is_note(y, x) ? 128 - 10 * blue : 150);
    }
}

}  // namespace example
