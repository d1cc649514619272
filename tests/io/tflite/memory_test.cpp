// memory_test: reading a .tflite file takes no more than four times its bytes and 16 MiB, whatever it says.
#include <nnrt/tflite.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "../../fuzz/tflite_mutator.hpp"
#include "support/failing_memory.hpp"
#include "support/tflite_file.hpp"

namespace {

using namespace tflite_test;

long max_for(std::size_t bytes) { return 4 * static_cast<long>(bytes) + (16L << 20); }

long peak_of(std::span<const std::byte> file) {
  return nnrt_test::peak_bytes_of([&] { static_cast<void>(nnrt::tflite::parse(file)); });
}

std::vector<std::uint8_t> contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// How many files the test makes of the fuzzer's.
std::uint32_t count_of_files() {
  const char* const wanted = std::getenv("NNRT_CHANGED_FILES");
  return wanted != nullptr ? static_cast<std::uint32_t>(std::atoi(wanted)) : 4'000;
}

TEST_CASE("memory: the peak is that of the blocks which are there at once") {
  const long peak = nnrt_test::peak_bytes_of([] {
    for (int i = 0; i < 3; ++i) {
      const std::vector<char> block(1 << 16);
      asm volatile("" : : "r"(block.data()) : "memory");
    }
  });
  CHECK(peak >= 1 << 16);
  CHECK(peak < 2 << 16);
}

TEST_CASE("memory: files of the fuzzer's, and what its changes make of them") {
  std::vector<std::filesystem::path> seeds;
  for (const auto& seed : std::filesystem::directory_iterator(NNRT_TEST_DATA "/../fuzz/seeds/tflite"))
    seeds.push_back(seed.path());
  REQUIRE(seeds.size() > 100);
  std::uint32_t tried = 0;
  long most = 0;
  for (const std::filesystem::path& seed : seeds) {
    const std::vector<std::uint8_t> bytes = contents(seed);
    for (std::uint32_t change = 0; change < 1 + count_of_files() / seeds.size(); ++change) {
      std::vector<std::uint8_t> changed = bytes;
      if (change > 0 && !nnrt_fuzz::tflite_mutator(changed, change * 2654435761U).mutate()) break;
      const long peak = peak_of(std::as_bytes(std::span(changed)));
      ++tried, most = std::max(most, peak);
      if (peak <= max_for(bytes.size())) continue;
      CAPTURE(seed.filename().string());
      CAPTURE(change);
      CHECK(peak <= max_for(bytes.size()));
    }
  }
  CHECK(tried > count_of_files() / 2);
  MESSAGE("the most memory for one of ", tried, " files: ", most, " bytes");
}

TEST_CASE("memory: weights are not copied") {
  file f;
  f.tensors = {{float32, {1, 1024}, "x"},
               {float32, {2048, 1024}, "w", std::vector<std::byte>(std::size_t{2048} * 1024 * 4)},
               {float32, {1, 2048}, "y"}};
  f.calls = {{9, {0, 1, -1}, {2}, {8, {}}}};
  f.inputs = {0}, f.outputs = {2};
  const std::vector<std::byte> bytes = f.bytes();
  REQUIRE(nnrt::tflite::parse(bytes));
  CHECK(peak_of(bytes) < 1 << 20);
}

TEST_CASE("memory: constants that a small file would make large") {
  const auto is_small = [](const file& f) {
    const std::vector<std::byte> bytes = f.bytes();
    CHECK(peak_of(bytes) <= max_for(bytes.size()));
  };
  file filled;  // the shape of what FILL makes; and its product, which is a shape of something again
  filled.tensors = {{int32, {1}, "dims", bytes_of<std::int32_t>({1 << 28})},
                    {int32, {}, "value", bytes_of<std::int32_t>({1})},
                    {int32, {1 << 28}, "many"},
                    {int32, {}, "axis", bytes_of<std::int32_t>({0})},
                    {int32, {}, "sum"},
                    {float32, {1}, "x"},
                    {float32, {}, "y"}};
  filled.calls = {{94, {0, 1}, {2}, {66, {}}}, {74, {2, 3}, {4}, {27, {}}}, {22, {5, 4}, {6}}};
  filled.inputs = {5}, filled.outputs = {6};
  is_small(filled);
  file counted;  // RANGE of a billion numbers, as an output and for a reshape
  counted.tensors = {{int32, {}, "from", bytes_of<std::int32_t>({0})},
                     {int32, {}, "to", bytes_of<std::int32_t>({1'000'000'000})},
                     {int32, {}, "step", bytes_of<std::int32_t>({1})},
                     {int32, {1'000'000'000}, "all"},
                     {float32, {1}, "x"},
                     {float32, {}, "y"}};
  counted.calls = {{96, {0, 1, 2}, {3}, {69, {}}}, {22, {4, 3}, {5}}};
  counted.inputs = {4}, counted.outputs = {5};
  is_small(counted);
  counted.calls.pop_back(), counted.outputs = {3};
  is_small(counted);
}

}  // namespace
