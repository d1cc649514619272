// safetensors_bytes: safetensors files written by hand, right or wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// A header's length (its own unless another is claimed), the header, and as many data bytes, which count 0, 1, 0, 1,
/// ….
inline std::vector<std::byte> file_of(std::string_view header, std::size_t data_bytes, std::int64_t claimed = -1) {
  const std::uint64_t length = claimed < 0 ? header.size() : static_cast<std::uint64_t>(claimed);
  std::vector<std::byte> file(8 + header.size() + data_bytes);
  std::memcpy(file.data(), &length, 8);
  if (!header.empty()) std::memcpy(file.data() + 8, header.data(), header.size());
  for (std::size_t i = 0; i < data_bytes; ++i) file[8 + header.size() + i] = static_cast<std::byte>(i % 2);
  return file;
}

/// Bytes that count 0, 1, 2, ….
inline std::vector<std::byte> counted(std::size_t size) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(i));
  return bytes;
}

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
