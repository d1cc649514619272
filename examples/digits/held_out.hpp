// held_out: the real handwritten digits that took no part in training, with their labels.
// Flow: main.cpp embeds held_out.safetensors; DATA.md says where the digits come from and how they were chosen.
#pragma once

#include <nnrt/io/weights.hpp>

#include <array>
#include <cstddef>
#include <span>

namespace example {

inline constexpr std::size_t side = 8;
inline constexpr std::size_t pixels = side * side;
inline constexpr int ink = 16;  // the darkest pixel; 0 is paper

/// Digits in a safetensors file: "images" u8 [n, 8, 8, 1], 0..16, and "labels" u8 [n], 0..9.
class held_out {
 public:
  /// Error: invalid_file when the two tensors are not as above.
  static nnrt::result<held_out> of(const nnrt::weights& file) {
    const auto* const images = file.find("images");
    const auto* const labels = file.find("labels");
    if (images == nullptr || labels == nullptr || images->type != nnrt::u8 || labels->type != nnrt::u8 ||
        labels->shape.rank != 1 ||
        images->shape != nnrt::shape_t{labels->shape[0], std::int64_t{side}, std::int64_t{side}, 1})
      return nnrt::fail(nnrt::error_code::invalid_file,
                        "held-out digits: expected u8 \"images\" [n, 8, 8, 1] and u8 \"labels\" [n]");
    held_out made;
    made.file_ = file;
    made.images_ = images->bytes;
    made.labels_ = labels->bytes;
    return made;
  }

  std::size_t size() const { return labels_.size(); }
  int label(std::size_t digit) const { return static_cast<int>(labels_[digit]); }
  int pixel(std::size_t digit, std::size_t row, std::size_t column) const {
    return static_cast<int>(images_[digit * pixels + row * side + column]);
  }
  /// The digit as the network wants it: 0 is paper, 1 is ink.
  std::array<float, pixels> image(std::size_t digit) const {
    std::array<float, pixels> grey{};
    for (std::size_t i = 0; i < pixels; ++i) grey[i] = static_cast<float>(images_[digit * pixels + i]) / ink;
    return grey;
  }

 private:
  nnrt::weights file_;  // keeps the bytes alive
  std::span<const std::byte> images_;
  std::span<const std::byte> labels_;
};

}  // namespace example
