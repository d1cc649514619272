// file: mapping, whole-file writing, and the words of their errors.
#include "../support/temporary_folder.hpp"

#include <nnrt/io/file.hpp>
#include <nnrt/io/write_file.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::string content_of(const std::string& path) {
  const auto file = nnrt::mapped_file::open(path);
  return file ? text_of(file->bytes()) : "! " + file.error().message();
}
bool begins(const std::string& text, const std::string& start) { return text.substr(0, start.size()) == start; }

}  // namespace

TEST_CASE("file: what write_file wrote is what mapped_file shows") {
  const temporary_folder folder;
  const std::string path = folder.file("a.bin");
  REQUIRE(nnrt::write_file(path, bytes_of("hello")));
  CHECK(content_of(path) == "hello");
  const std::span<const std::byte> pieces[] = {bytes_of("one "), {}, bytes_of("two")};
  REQUIRE(nnrt::write_file(path, pieces));
  CHECK(content_of(path) == "one two");
  CHECK(folder.count() == 1);
}

TEST_CASE("file: an empty file maps to no bytes") {
  const temporary_folder folder;
  REQUIRE(nnrt::write_file(folder.file("empty"), bytes_of("")));
  const auto file = nnrt::mapped_file::open(folder.file("empty"));
  REQUIRE(file);
  CHECK(file->bytes().empty());
}

TEST_CASE("file: a mapping keeps the old content when the file is replaced") {
  const temporary_folder folder;
  const std::string path = folder.file("a.bin");
  REQUIRE(nnrt::write_file(path, bytes_of("old")));
  auto old = nnrt::mapped_file::open(path);
  REQUIRE(old);
  REQUIRE(nnrt::write_file(path, bytes_of("new")));
  const nnrt::mapped_file moved = std::move(*old);
  CHECK(text_of(moved.bytes()) == "old");
  CHECK(old->bytes().empty());
  CHECK(content_of(path) == "new");
}

TEST_CASE("file: replacing a file keeps its permissions") {
  const temporary_folder folder;
  const std::string path = folder.file("a.bin");
  REQUIRE(nnrt::write_file(path, bytes_of("old")));
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  REQUIRE(nnrt::write_file(path, bytes_of("new")));
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
}

TEST_CASE("file: devices and pipes are written to and stay what they are, and so does what a process has open") {
  const temporary_folder folder;
  const std::string pipe = folder.file("pipe"), device = folder.file("device"), opened = folder.file("opened");
  const auto type_of = [](const std::string& path) {
    struct stat there {};
    return lstat(path.c_str(), &there) == 0 ? there.st_mode & S_IFMT : 0;
  };
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const nnrt::owned_file reader(open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  REQUIRE(reader.is_open());
  const std::span<const std::byte> pieces[] = {bytes_of("one "), {}, bytes_of("two")};
  REQUIRE(nnrt::write_file(pipe, pieces));
  char read_back[16];
  CHECK(std::string(read_back, static_cast<std::size_t>(std::max<ssize_t>(0, read(reader.number(), read_back, sizeof read_back)))) == "one two");
  CHECK(type_of(pipe) == S_IFIFO);

  REQUIRE(symlink("/dev/null", device.c_str()) == 0);
  CHECK(nnrt::write_file(device, bytes_of("nobody reads this")));
  CHECK(type_of(device) == S_IFLNK);

  REQUIRE(nnrt::write_file(folder.file("file"), bytes_of("old")));
  const nnrt::owned_file held(open(folder.file("file").c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(symlink(("/proc/self/fd/" + std::to_string(held.number())).c_str(), opened.c_str()) == 0);
  const auto refused = nnrt::write_file(opened, bytes_of("new"));
  REQUIRE(!refused);
  CHECK(refused.error().message() == opened + ": cannot replace it: it is a link to what a process has open");
  CHECK(type_of(opened) == S_IFLNK);
  CHECK(content_of(folder.file("file")) == "old");
  CHECK(folder.count() == 4);
}

TEST_CASE("file: an error of mapping names the file and what the system said") {
  const temporary_folder folder;
  const std::string missing = folder.file("missing.bin"), pipe = folder.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  struct row {
    std::string path, message;
    nnrt::error_code code;
  };
  const row table[] = {
      {missing, missing + ": cannot open: No such file or directory", nnrt::error_code::not_found},
      {"", "\"\": cannot open: No such file or directory", nnrt::error_code::not_found},
      {folder.path(), folder.path() + ": cannot map: not a regular file", nnrt::error_code::io_failed},
      {pipe, pipe + ": cannot map: not a regular file", nnrt::error_code::io_failed},
      {std::string("a\0b", 3), "a: a zero byte follows in the path", nnrt::error_code::invalid_argument},
  };
  for (const row& r : table) {
    CAPTURE(r.path);
    const auto file = nnrt::mapped_file::open(r.path);
    REQUIRE_FALSE(file);
    CHECK(file.error().message() == r.message);
    CHECK(file.error().code() == r.code);
  }
}

TEST_CASE("file: a write that fails names the file, leaves no other one behind and the old one as it was") {
  const temporary_folder folder;
  const std::string nowhere = folder.file("no/such/folder/a.bin");
  const auto lost = nnrt::write_file(nowhere, bytes_of("x"));
  REQUIRE_FALSE(lost);
  CHECK(begins(lost.error().message(), nowhere + ": "));
  CHECK(lost.error().code() == nnrt::error_code::not_found);
  const std::string taken = folder.file("taken");
  REQUIRE(::mkdir(taken.c_str(), 0700) == 0);
  const auto refused = nnrt::write_file(taken, bytes_of("x"));  // a folder cannot be replaced by a file
  REQUIRE_FALSE(refused);
  CHECK(begins(refused.error().message(), taken + ": cannot write: "));
  CHECK(folder.count() == 1);
  CHECK_FALSE(nnrt::write_file(std::string("a\0b", 3), bytes_of("x")));
}
