// bytes: writes the bytes that NNRT_MODEL would read. usage: PROGRAM FILE
#include <nnrt/io/model_bytes.hpp>

#include <cstdio>

int main(int count, char** arguments) {
  constexpr auto& bytes = nnrt::model_bytes<"network.tflite">;
  constexpr std::size_t size = sizeof bytes - (nnrt::model_is_literal<"network.tflite"> ? 1 : 0);
  std::FILE* const to = count == 2 ? std::fopen(arguments[1], "wb") : nullptr;
  if (to == nullptr) return 2;
  const bool is_written = std::fwrite(bytes, 1, size, to) == size;
  return std::fclose(to) == 0 && is_written ? 0 : 1;
}
