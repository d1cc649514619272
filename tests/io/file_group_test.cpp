// file_group: groups of files at each moment of their replacement, made by hand; and locks on their directory.
#include <nnrt/io/file_group.hpp>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/child_process.hpp"
#include "support/temporary_folder.hpp"

using namespace nnrt;

namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::string content_of(const std::string& path) {
  const auto file = mapped_file::open(path);
  return file ? text_of(file->bytes()) : "-";
}
/// The head of these groups is the text of their one member.
auto meant_by(std::string head) {
  return [head](array_ref<const std::byte> member) { return text_of(member) == head; };
}

struct group {
  temporary_folder folder;
  std::string member = folder.file("0"), before = folder.file("0.next"), head = folder.file("head");

  result<void> replace(const std::string& text) const {
    const std::string names[] = {member};
    const std::span<const std::byte> members[] = {bytes_of(text)};
    return replace_group(names, members, head, bytes_of(text));
  }
  std::string read() const {
    const auto file = open_member(member, content_of(head).size(), meant_by(content_of(head)));
    return file ? text_of(file->bytes()) : "-";
  }
};

}  // namespace

TEST_CASE("a group is replaced whole, and leaves no other files") {
  const group g;
  for (const char* text : {"old", "new"}) {
    REQUIRE(g.replace(text));
    CHECK(g.read() == text);
    CHECK(g.folder.count() == 2);
  }
}

TEST_CASE("readers find the old group before the head is written, and the new one afterwards") {
  const group g;
  REQUIRE(g.replace("old"));
  REQUIRE(write_file(g.before, bytes_of("new")));  // a writer that ends here
  CHECK(g.read() == "old");
  REQUIRE(write_file(g.head, bytes_of("new")));  // or here
  CHECK(g.read() == "new");
  CHECK(content_of(g.member) == "old");
  CHECK(finish_rename(g.member, 3, meant_by("new")));
  CHECK(content_of(g.member) == "new");
  CHECK(g.folder.count() == 2);
}

TEST_CASE("what a writer left that never wrote its head is not taken for a member") {
  const group g;
  REQUIRE(g.replace("old"));
  REQUIRE(write_file(g.before, bytes_of("half")));
  CHECK(finish_rename(g.member, 3, meant_by("old")));
  CHECK(g.read() == "old");
  REQUIRE(g.replace("new"));
  CHECK(g.read() == "new");
}

TEST_CASE("a member that cannot take its name is read where it is, and no one may write over it") {
  const group g;
  std::filesystem::create_directories(g.member + "/something");  // no file can be renamed to this
  REQUIRE(g.replace("new"));
  CHECK(g.read() == "new");
  CHECK(content_of(g.before) == "new");
  const auto renamed = finish_rename(g.member, 3, meant_by("new"));
  REQUIRE_FALSE(renamed);
  CHECK(renamed.error().code() == error_code::io_failed);
  CHECK(renamed.error().message() == g.before + ": cannot take its name: Is a directory");
  CHECK(g.read() == "new");
  std::filesystem::remove_all(g.member);
  CHECK(finish_rename(g.member, 3, meant_by("new")));
  CHECK(content_of(g.member) == "new");
  CHECK(g.folder.count() == 2);
}

TEST_CASE("a group that cannot be replaced is as it was") {
  const group g;
  REQUIRE(g.replace("old"));
  const std::string names[] = {g.member}, nowhere = g.folder.file("no/such/head"), text = "new";
  const std::span<const std::byte> members[] = {bytes_of(text)};
  CHECK_FALSE(replace_group(names, members, nowhere, bytes_of(text)));
  CHECK(g.read() == "old");
  CHECK(g.folder.count() == 2);
}

TEST_CASE("what killed writers left of new files goes when the lock is held, what others are writing stays") {
  const group g;
  REQUIRE(g.replace("old"));
  const ::pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  const std::string dead = ".new-" + std::to_string(child) + "-", living = ".new-" + std::to_string(::getpid()) + "-";
  const std::string left[] = {g.member + dead + "0", g.before + dead + "3", g.head + dead + "0"};
  const std::string kept[] = {g.member + living + "0", g.folder.file("another") + dead + "0", g.member + ".new-",
                              g.member + ".new-0-0"};
  for (const auto& path : left) REQUIRE(write_file(path, bytes_of("half")));
  for (const auto& path : kept) REQUIRE(write_file(path, bytes_of("half")));
  const std::string names[] = {g.member, g.head};
  {
    const directory_lock reads(g.folder.path() + "/no/such", directory_lock::use::writing);
    CHECK_FALSE(reads.is_held());
    remove_left_overs(reads, g.folder.path(), names);
    CHECK(g.folder.count() == 9);
  }
  const directory_lock writes(g.folder.path(), directory_lock::use::writing);
  REQUIRE(writes.is_held());
  remove_left_overs(writes, g.folder.path(), names);
  for (const auto& path : left) CHECK(content_of(path) == "-");
  for (const auto& path : kept) CHECK(content_of(path) == "half");
  CHECK(g.folder.count() == 6);
  CHECK(g.read() == "old");
}

TEST_CASE("one writes, or several read") {
  const temporary_folder folder;
  // What another process can have at once, while this one has `mine`.
  const auto others_may = [&](directory_lock::use mine, int theirs) {
    const directory_lock lock(folder.path(), mine);
    return nnrt_test::in_child([&] {
             return ::flock(::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY), theirs | LOCK_NB) == 0 ? 1 : 0;
           }) == 1;
  };
  CHECK(others_may(directory_lock::use::reading, LOCK_SH));
  CHECK_FALSE(others_may(directory_lock::use::reading, LOCK_EX));
  CHECK_FALSE(others_may(directory_lock::use::writing, LOCK_SH));
  const directory_lock free_again(folder.path(), directory_lock::use::writing);
  const directory_lock nowhere("/no/such/directory", directory_lock::use::writing);
}

TEST_CASE("who comes while another writes waits for it") {
  const temporary_folder folder;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const ::pid_t writer = nnrt_test::begin_child([&] {
    const directory_lock lock(folder.path(), directory_lock::use::writing);
    const bool has_said_so = ::write(ends[1], "x", 1) == 1;
    ::usleep(50'000);
    return lock.is_held() && has_said_so ? 0 : 1;
  });
  char said = 0;
  REQUIRE(::read(ends[0], &said, 1) == 1);
  {
    const directory_lock lock(folder.path(), directory_lock::use::reading);
    CHECK(lock.is_held());
  }
  CHECK(nnrt_test::end_of(writer) == 0);
  ::close(ends[0]), ::close(ends[1]);
}
