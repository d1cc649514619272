// embed: the bytes in the program are the file's. The file is this source, which the assembler finds wherever the
// compiler found it.
#include "../support/embedded_self.hpp"

#include <nnrt/io/embed.hpp>
#include <nnrt/io/file.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <type_traits>

const std::byte* embedded_self::header_text_of_another_unit() { return embedded_self::header_text.data(); }

NNRT_EMBED(own_source, __FILE__);
namespace elsewhere {
NNRT_EMBED(own_source, __FILE__);
}

// A definition as CMake's nnrt_embed() passes it: it replaces the path in the source.
#define NNRT_EMBED_PATH_replaced 0, __FILE__
NNRT_EMBED(replaced, "there is no such file");

static_assert(std::is_convertible_v<nnrt::embedded_file, std::span<const std::byte>>);

TEST_CASE("embed: an embedded file has the bytes of the file") {
  const auto file = nnrt::mapped_file::open(__FILE__);
  REQUIRE_MESSAGE(file, "run from the folder that it was compiled in");
  const std::span<const std::byte> embedded = own_source;
  CHECK(embedded.size() > 1000);
  CHECK(std::equal(embedded.begin(), embedded.end(), file->bytes().begin(), file->bytes().end()));
}

TEST_CASE("embed: embedded bytes start at a cache line") {
  CHECK(reinterpret_cast<std::uintptr_t>(own_source.data()) % 64 == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(elsewhere::own_source.data()) % 64 == 0);
}

TEST_CASE("embed: a name may serve again in another namespace") {
  CHECK(elsewhere::own_source.data() != own_source.data());
  CHECK(std::equal(own_source.begin(), own_source.end(), elsewhere::own_source.begin(), elsewhere::own_source.end()));
}

TEST_CASE("embed: a definition NNRT_EMBED_PATH_name replaces the path in the source") {
  CHECK(std::equal(own_source.begin(), own_source.end(), replaced.begin(), replaced.end()));
}
