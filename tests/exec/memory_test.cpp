// memory_test: blocks and arenas are aligned, move, and say so when there is no memory.
#include <nnrt/exec/memory.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#if defined(__linux__)
#include <unistd.h>
#endif

namespace {

using namespace nnrt;

bool is_aligned(const std::byte* first) { return reinterpret_cast<std::uintptr_t>(first) % 64 == 0; }

TEST_CASE("memory: blocks of any size are there, aligned and zero") {
  for (const std::int64_t bytes : {0, 1, 63, 64, 65, 1'000'000, 2'097'151, 2'097'152, 5'000'001}) {
    CAPTURE(bytes);
    heap_block block;
    REQUIRE(block.allocate(bytes, "test"));
    REQUIRE(block.data() != nullptr);
    CHECK(is_aligned(block.data()));
    // Zero, and again where somebody has written before.
    const auto is_zero = [](std::byte x) { return x == std::byte{0}; };
    CHECK(std::all_of(block.data(), block.data() + bytes, is_zero));
    std::fill_n(block.data(), bytes, std::byte{0x5a});
    REQUIRE(block.allocate(bytes, "test"));
    CHECK(std::all_of(block.data(), block.data() + bytes, is_zero));
    std::fill_n(block.data(), bytes, std::byte{0x5a});
  }
}

TEST_CASE("memory: a block moves with its bytes") {
  heap_block block;
  REQUIRE(block.allocate(8, "test"));
  std::byte* const first = block.data();
  heap_block moved = std::move(block);
  CHECK(moved.data() == first);
  CHECK(block.data() == nullptr);
  heap_block other;
  REQUIRE(other.allocate(8, "test"));
  other = std::move(moved);
  CHECK(other.data() == first);
}

TEST_CASE("memory: what nobody has is out_of_memory, and names what it was for") {
  const std::int64_t bytes = std::int64_t{1} << 60;
  heap_block block;
  const result<void> allocated = block.allocate(bytes, "arena");
  REQUIRE(!allocated);
  CHECK(block.data() == nullptr);
  CHECK(allocated.error().code() == error_code::out_of_memory);
  CHECK(allocated.error().message() == "arena: no memory for " + std::to_string(bytes) + " bytes");
}

template <std::int64_t Bytes> void check_arena() {
  CAPTURE(Bytes);
  alignas(arena_memory<Bytes>) std::byte used[sizeof(arena_memory<Bytes>)];
  std::fill_n(used, sizeof used, std::byte{0x5a});
  arena_memory<Bytes>& arena = *new (used) arena_memory<Bytes>;  // no parentheses, which would make zeros themselves
  REQUIRE(arena.allocate());
  CHECK(std::all_of(arena.data(), arena.data() + Bytes, [](std::byte x) { return x == std::byte{0}; }));
  std::fill_n(arena.data(), Bytes, std::byte{1});
  if (Bytes > 0) arena.data()[Bytes - 1] = std::byte{7};
  arena_memory<Bytes> moved = std::move(arena);
  CHECK(is_aligned(moved.data()));
  if (Bytes > 0) CHECK(moved.data()[Bytes - 1] == std::byte{7});
  std::destroy_at(&arena);
}

TEST_CASE("memory: arenas, members or not, are aligned and move with their bytes") {
  check_arena<0>();
  check_arena<64>();
  check_arena<largest_member_arena>();
  check_arena<largest_member_arena + 64>();
  static_assert(sizeof(arena_memory<largest_member_arena>) >= largest_member_arena);
  static_assert(sizeof(arena_memory<largest_member_arena + 64>) == 4 * sizeof(void*));
}

TEST_CASE("memory: an arena lies in room that it is given, also when it moves") {
  constexpr std::int64_t bytes = largest_member_arena + 64;
  static_assert(arena_memory<bytes>::room == bytes && arena_memory<64>::room == 0);
  heap_block room;
  REQUIRE(room.allocate(bytes, "test"));
  arena_memory<bytes> arena;
  REQUIRE(arena.allocate(room.data()));
  CHECK(arena.data() == room.data());
  arena_memory<bytes> moved = std::move(arena);
  CHECK(moved.data() == room.data());
  arena_memory<bytes> other;
  REQUIRE(other.allocate());
  CHECK(other.data() != room.data());
  other = std::move(moved);
  CHECK(other.data() == room.data());
  CHECK(moved.data() == nullptr);  // who was moved away writes nowhere
  CHECK(arena.data() == nullptr);
}

#if defined(MADV_HUGEPAGE)
TEST_CASE("memory: whole large pages are large, and a last one that is used for two thirds") {
  constexpr std::size_t page = heap_block::large_page;
  static_assert(heap_block::in_large_pages(64) == 0 && heap_block::in_large_pages(page / 2 - 64) == 0 &&
                heap_block::in_large_pages(page / 2) == page);
  static_assert(heap_block::in_large_pages(page - 64) == page && heap_block::in_large_pages(page) == page);
  static_assert(heap_block::in_large_pages(3 * page + page / 2 - 64) == 3 * page &&
                heap_block::in_large_pages(3 * page + page / 4 * 3) == 4 * page);
}

/// Pages of a block that lie in memory.
std::ptrdiff_t pages_in_memory(const heap_block& block, std::size_t bytes) {
  std::vector<unsigned char> pages(bytes / static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  REQUIRE(::mincore(block.data(), bytes, pages.data()) == 0);
  return std::count_if(pages.begin(), pages.end(), [](unsigned char page) { return page % 2 != 0; });
}

TEST_CASE("memory: large pages are new ones, whatever small ones the process has had and freed") {
  constexpr std::size_t page = heap_block::large_page;
  for (int i = 0; i < 3; ++i) std::vector<char>(8 * page, 'x');  // from the second on malloc() keeps what is freed
  heap_block block;
  REQUIRE(block.allocate(2 * page, "test"));
  CHECK(reinterpret_cast<std::uintptr_t>(block.data()) % page == 0);
  CHECK(pages_in_memory(block, 2 * page) == 0);
  std::fill_n(block.data(), 2 * page, std::byte{0x5a});
  CHECK(pages_in_memory(block, 2 * page) > 0);
  std::byte* const first = block.data();
  heap_block moved = std::move(block);
  CHECK(block.data() == nullptr);
  CHECK(moved.data() == first);
  heap_block small;
  REQUIRE(small.allocate(64, "test"));
  small = std::move(moved);  // each is given back to where it came from
  CHECK(small.data() == first);
  CHECK(small.data()[2 * page - 1] == std::byte{0x5a});
}
#endif

}  // namespace

// The sanitizers' own malloc gives up, instead of returning null, on sizes like that above; for all tests of this
// folder.
extern "C" [[gnu::weak]] const char* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" [[gnu::weak]] const char* __tsan_default_options() { return "allocator_may_return_null=1"; }
