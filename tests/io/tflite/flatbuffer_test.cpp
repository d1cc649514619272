// flatbuffer: fields by slots, those that are left out, and what lies where it must not.
#include <nnrt/io/tflite/flatbuffer.hpp>

#include <doctest/doctest.h>
#include <flatbuffers/flatbuffer_builder.h>
#include <nnrt/io/tflite/schema.hpp>
#include <support/flatbuffers_verifier.hpp>

#include <cstdlib>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "../../support/tflite_file.hpp"

namespace {

using namespace nnrt::tflite;

struct leaf {
  static constexpr scalar<std::int32_t> count{0, 7};
  static constexpr scalar<bool> is_set{1, true};
  static constexpr vector<std::int64_t> wide{2};
  static constexpr text name{3};
  static constexpr bool each(auto f) { return f(count) && f(is_set) && f(wide) && f(name); }
};
struct tree {
  static constexpr table<leaf> first{0};
  static constexpr tables<leaf> all{1};
  static constexpr one_of choice{2};
  static constexpr table<tree> inner{3};
  static constexpr bool each(auto f) { return f(first) && f(all) && f(choice) && f(inner); }
};

using builder = flatbuffers::FlatBufferBuilder;
using offset = flatbuffers::Offset<void>;
flatbuffers::voffset_t slot(int i) { return static_cast<flatbuffers::voffset_t>(4 + 2 * i); }

/// The bytes of a finished table, aligned as a mapped file is.
struct aligned_file {
  explicit aligned_file(builder& b, flatbuffers::uoffset_t root) {
    b.Finish(offset(root));
    words.resize(b.GetSize() / 8 + 1);
    std::memcpy(words.data(), b.GetBufferPointer(), b.GetSize());
    size = b.GetSize();
  }
  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(words)).first(size); }

  std::vector<std::uint64_t> words;
  std::size_t size = 0;
};

flatbuffers::uoffset_t full_leaf(builder& b, std::int32_t count) {
  const auto name = b.CreateString("oak");
  const auto wide = b.CreateVector(std::vector<std::int64_t>{-1, std::int64_t{1} << 40});
  const auto start = b.StartTable();
  b.AddElement<std::int32_t>(slot(0), count, 0);
  b.AddElement<std::uint8_t>(slot(1), 0, 1);
  b.AddOffset(slot(2), wide), b.AddOffset(slot(3), name);
  return b.EndTable(start);
}
flatbuffers::uoffset_t empty_table(builder& b) { return b.EndTable(b.StartTable()); }

TEST_CASE("flatbuffer: fields are found by their slots") {
  builder b;
  const flatbuffers::uoffset_t five = full_leaf(b, 5), six = full_leaf(b, 6);
  const auto all = b.CreateVector(std::vector<offset>{offset(five), offset(six)});
  const auto start = b.StartTable();
  b.AddOffset(slot(0), offset(five)), b.AddOffset(slot(1), all), b.AddOffset(slot(2), offset(six));
  aligned_file file(b, b.EndTable(start));
  verifier checks(nnrt::letters_of(file.bytes()));
  const table_of<tree> root(checks.root<tree>());
  REQUIRE(root);
  CHECK(root[tree::first][leaf::count] == 5);
  CHECK(root[tree::first][leaf::is_set] == false);
  CHECK(root[tree::first][leaf::name] == "oak");
  REQUIRE(root[tree::first][leaf::wide].size() == 2);
  CHECK(root[tree::first][leaf::wide][1] == std::int64_t{1} << 40);
  REQUIRE(root[tree::all].size() == 2);
  CHECK(root[tree::all][1][leaf::count] == 6);
  REQUIRE(checks.fits<leaf>(root[tree::choice]));
  CHECK(table_of<leaf>(root[tree::choice])[leaf::count] == 6);
}

TEST_CASE("flatbuffer: what a file leaves out has the value of a missing field") {
  builder b;
  aligned_file file(b, empty_table(b));
  verifier checks(nnrt::letters_of(file.bytes()));
  const table_of<tree> root(checks.root<tree>());
  REQUIRE(root);
  CHECK(!root[tree::first]);
  CHECK(root[tree::first][leaf::count] == 7);
  CHECK(root[tree::first][leaf::is_set] == true);
  CHECK(root[tree::first][leaf::wide].empty());
  CHECK(root[tree::first][leaf::name].empty());
  CHECK(root[tree::all].size() == 0);
  CHECK(!root[tree::choice]);
}

TEST_CASE("flatbuffer: a flag is true whatever byte other than 0 it is") {
  builder b;
  const auto start = b.StartTable();
  b.AddElement<std::uint8_t>(slot(1), 200, 0);
  aligned_file file(b, b.EndTable(start));
  verifier checks(nnrt::letters_of(file.bytes()));
  CHECK(table_of<leaf>(checks.root<leaf>())[leaf::is_set] == true);
}

TEST_CASE("flatbuffer: no change of one byte makes a verified field lie outside of the file") {
  builder b;
  const flatbuffers::uoffset_t five = full_leaf(b, 5);
  const auto all = b.CreateVector(std::vector<offset>{offset(five)});
  const auto start = b.StartTable();
  b.AddOffset(slot(0), offset(five)), b.AddOffset(slot(1), all);
  aligned_file file(b, b.EndTable(start));
  int refused = 0;
  for (std::byte& changed : file.bytes())
    for (const int value : {0, 1, 4, 127, 128, 255}) {
      const std::byte before = std::exchange(changed, static_cast<std::byte>(value));
      // A copy of exactly this size: sanitizers see reads after it.
      std::vector<std::uint64_t> exact((file.size + 7) / 8);
      std::memcpy(exact.data(), file.bytes().data(), file.size);
      verifier checks(nnrt::letters_of(std::as_bytes(std::span(exact)).first(file.size)));
      const table_of<tree> root(checks.root<tree>());
      if (!root) ++refused;
      const auto leaves = root[tree::all];
      std::int64_t sum = root[tree::first][leaf::count];
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        const auto wide = leaves[i][leaf::wide];
        for (std::size_t k = 0; k < wide.size(); ++k) sum ^= wide[k];
        for (const char letter : leaves[i][leaf::name]) sum ^= letter;
      }
      CHECK(sum != 0x0123456789abcdef);
      changed = before;
    }
  CHECK(refused > 100);
}

TEST_CASE("flatbuffer: tables in tables end somewhere") {
  for (const int depth : {10, 100}) {
    builder b;
    flatbuffers::uoffset_t last = empty_table(b);
    for (int i = 0; i < depth; ++i) {
      const auto start = b.StartTable();
      b.AddOffset(slot(3), offset(last));
      last = b.EndTable(start);
    }
    aligned_file file(b, last);
    CHECK(static_cast<bool>(verifier(nnrt::letters_of(file.bytes())).root<tree>()) == (depth == 10));
  }
}

TEST_CASE("flatbuffer: a small file that says a table very often is refused") {
  builder b;
  flatbuffers::uoffset_t last = full_leaf(b, 1);
  const auto all = b.CreateVector(std::vector<offset>(2000, offset(last)));
  last = 0;
  for (int i = 0; i < 2; ++i) {
    const auto start = b.StartTable();
    b.AddOffset(slot(1), all);
    if (last != 0) b.AddOffset(slot(3), offset(last));
    last = b.EndTable(start);
  }
  aligned_file file(b, last);
  CHECK(verifier(nnrt::letters_of(file.bytes())).root<tree>());
  verifier tired(nnrt::letters_of(file.bytes()));
  bool fits = true;
  for (int i = 0; i < 300; ++i) fits = static_cast<bool>(tired.root<tree>());
  CHECK(!fits);
}

/// Bytes that may be changed, and changed back.
class changed_file {
 public:
  changed_file(std::span<std::byte> bytes, std::mt19937& dice) : bytes_(bytes) {
    for (std::size_t n = 1 + dice() % 4; n > 0; --n) {
      std::byte& one = bytes_[dice() % bytes_.size()];
      before_.emplace_back(&one, one);
      // Small numbers and those near 256 are what offsets and lengths consist of.
      constexpr int likely[] = {0, 1, 2, 4, 8, 127, 128, 252, 255};
      one =
          static_cast<std::byte>(dice() % 2 == 0 ? likely[dice() % std::size(likely)] : static_cast<int>(dice() % 256));
    }
  }
  ~changed_file() {
    for (auto change = before_.rbegin(); change != before_.rend(); ++change) *change->first = change->second;
  }

 private:
  std::span<std::byte> bytes_;
  std::vector<std::pair<std::byte*, std::byte>> before_;
};

/// A file with all kinds of fields: tables in tables, lists of tables, numbers of each size, strings.
std::vector<std::uint64_t> whole_tree(std::size_t& size) {
  builder b;
  const flatbuffers::uoffset_t five = full_leaf(b, 5), six = full_leaf(b, 6), none = empty_table(b);
  const auto all = b.CreateVector(std::vector<offset>{offset(five), offset(none), offset(six)});
  auto start = b.StartTable();
  b.AddOffset(slot(0), offset(six)), b.AddOffset(slot(1), all);
  const flatbuffers::uoffset_t inner = b.EndTable(start);
  start = b.StartTable();
  b.AddOffset(slot(0), offset(five)), b.AddOffset(slot(1), all), b.AddOffset(slot(2), offset(six)),
      b.AddOffset(slot(3), offset(inner));
  const aligned_file file(b, b.EndTable(start));
  size = file.size;
  return file.words;
}

/// Counts of changed files: judged differently by the two verifiers, and accepted by ours.
struct comparison {
  int differ = 0, accepted = 0;
};
template <class Root> comparison compared(std::span<std::byte> bytes, int files) {
  std::mt19937 dice(20260520);
  comparison found;
  for (int i = 0; i < files; ++i) {
    const changed_file change(bytes, dice);
    const std::string_view file = nnrt::letters_of(bytes.first(bytes.size() - dice() % 8));
    const bool ours = static_cast<bool>(verifier(file).root<Root>());
    found.accepted += ours ? 1 : 0;
    found.differ += ours != nnrt_test::flatbuffers_verifier(file).accepts<Root>() ? 1 : 0;
  }
  return found;
}
int count_of_files() {
  const char* const wanted = std::getenv("NNRT_CHANGED_FILES");
  return wanted != nullptr ? std::atoi(wanted) : 200'000;
}

TEST_CASE("flatbuffer: changed files are accepted when the FlatBuffers library accepts them, and no others") {
  std::size_t size = 0;
  std::vector<std::uint64_t> words = whole_tree(size);
  const int files = count_of_files();
  const comparison found = compared<tree>(std::as_writable_bytes(std::span(words)).first(size), files);
  CHECK(found.differ == 0);
  CHECK(found.accepted > files / 20);
  CHECK(found.accepted < files - files / 20);
}

TEST_CASE("flatbuffer: so are changed networks, by the tables of their schema") {
  tflite_test::file network;
  network.add({tflite_test::float32, {1, 4}, "x"});
  network.add({tflite_test::int8, {3, 4}, "w", std::vector<std::byte>(12), {{0.5F, 0.25F, 0.125F}, {0, 0, 0}, 0}});
  network.add({tflite_test::float32, {1, 3}, "y"});
  network.calls = {{9, {0, 1, -1}, {2}, {8, {}}}};
  network.inputs = {0};
  network.outputs = {2};
  const std::vector<std::byte> written = network.bytes();
  std::vector<std::uint64_t> words(written.size() / 8 + 1);
  std::memcpy(words.data(), written.data(), written.size());
  const int files = count_of_files();
  const comparison found =
      compared<schema::model>(std::as_writable_bytes(std::span(words)).first(written.size()), files);
  CHECK(found.differ == 0);
  CHECK(found.accepted > files / 20);
  CHECK(found.accepted < files - files / 20);
}

// What a reader sees of a file at run time, the compiler sees, too.
constexpr char smallest[] =
    "\x0c\0\0\0"
    "\0\0\0\0"
    "\4\0\4\0"
    "\4\0\0\0";
static_assert(verifier(std::string_view(smallest, sizeof smallest - 1)).root<leaf>());
static_assert(table_of<leaf>(table_place{nnrt::file_bytes(smallest), 12})[leaf::count] == 7);
static_assert(!verifier(std::string_view(smallest, sizeof smallest - 2)).root<leaf>());

}  // namespace
