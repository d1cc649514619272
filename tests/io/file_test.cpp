// file: mapping, whole-file writing, and the words of their errors.
#include "../support/child_process.hpp"
#include "../support/temporary_folder.hpp"

#include <nnrt/io/file.hpp>
#include <nnrt/io/write_file.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <poll.h>
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
/// What has the name, a link included.
mode_t type_of(const std::string& path) {
  struct stat there {};
  return lstat(path.c_str(), &there) == 0 ? there.st_mode & S_IFMT : 0;
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

TEST_CASE("file: a pipe that a user names is written to and stays one; without a reader it is refused at once") {
  const temporary_folder folder;
  const std::string pipe = folder.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const auto refused = nnrt::write_file(pipe, bytes_of("nobody reads this"));
  REQUIRE(!refused);
  CHECK(refused.error().message() == pipe + ": cannot write: nobody reads from it");
  const nnrt::owned_fd reader(open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  REQUIRE(reader.is_open());
  const std::span<const std::byte> pieces[] = {bytes_of("one "), {}, bytes_of("two")};
  REQUIRE(nnrt::write_file(pipe, pieces));
  char read_back[16];
  CHECK(std::string(read_back, static_cast<std::size_t>(std::max<ssize_t>(
                                   0, read(reader.number(), read_back, sizeof read_back)))) == "one two");
  CHECK(type_of(pipe) == S_IFIFO);
  CHECK(folder.count() == 1);
  CHECK(nnrt::write_file("/dev/null", bytes_of("nobody reads this")));
  CHECK(type_of("/dev/null") == S_IFCHR);
}

TEST_CASE("file: a pipe's slow reader is waited for") {
  const temporary_folder folder;
  const std::string pipe = folder.file("pipe"), content(300'000, 'x');  // more than a pipe holds
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const nnrt::owned_fd reader(open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  const ::pid_t writer = nnrt_test::begin_child([&] { return nnrt::write_file(pipe, bytes_of(content)) ? 0 : 1; });
  ::fcntl(reader.number(), F_SETFL, 0);
  std::size_t arrived = 0;
  static char read_back[65536];
  ::pollfd ready{reader.number(), POLLIN, 0};
  while (arrived < content.size() && ::poll(&ready, 1, 5000) > 0) {
    const ::ssize_t got = ::read(reader.number(), read_back, sizeof read_back);
    if (got <= 0) break;
    arrived += static_cast<std::size_t>(got);
  }
  CHECK(arrived == content.size());
  CHECK(nnrt_test::end_of(writer) == 0);
}

TEST_CASE("file: a symbolic link is replaced, and nothing is written to what it leads to") {
  const temporary_folder folder;
  const std::string target = folder.file("target"), pipe = folder.file("pipe"), under = folder.file("folder");
  REQUIRE(nnrt::write_file(target, bytes_of("old")));
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  REQUIRE(mkdir(under.c_str(), 0700) == 0);
  const nnrt::owned_fd held(open(target.c_str(), O_RDONLY | O_CLOEXEC));
  const std::string loop = folder.file("link");
  for (const std::string& leads_to : {target, pipe, under, folder.file("missing"), loop, std::string("/dev/null"),
                                      "/proc/self/fd/" + std::to_string(held.number())}) {
    CAPTURE(leads_to);
    REQUIRE(symlink(leads_to.c_str(), loop.c_str()) == 0);
    REQUIRE(nnrt::write_file(loop, bytes_of("new")));
    CHECK(type_of(loop) == S_IFREG);
    CHECK(content_of(loop) == "new");
    REQUIRE(unlink(loop.c_str()) == 0);
  }
  CHECK(content_of(target) == "old");
  CHECK(type_of(pipe) == S_IFIFO);
  CHECK(folder.count() == 3);
}

TEST_CASE("file: what a process has open is not replaced by the system's name for it") {
  const temporary_folder folder;
  REQUIRE(nnrt::write_file(folder.file("file"), bytes_of("old")));
  const nnrt::owned_fd held(open(folder.file("file").c_str(), O_RDWR | O_CLOEXEC));
  for (const char* const names : {"/proc/self/fd/", "/dev/fd/"}) {
    const std::string opened = names + std::to_string(held.number());
    const auto refused = nnrt::write_file(opened, bytes_of("new"));
    REQUIRE(!refused);
    CHECK(refused.error().message() == opened + ": cannot replace it: it is a link to what a process has open");
  }
  CHECK(content_of(folder.file("file")) == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("file: replace_file writes to nothing but a new file, whatever has the name") {
  const temporary_folder folder;
  const std::string path = folder.file("0.nncache");
  const std::span<const std::byte> content[] = {bytes_of("new")};
  struct row {
    const char* what;
    void (*make)(const std::string&);
  };
  const row table[] = {
      {"nothing", [](const std::string&) {}},
      {"a pipe", [](const std::string& name) { REQUIRE(mkfifo(name.c_str(), 0600) == 0); }},
      {"a link to a device", [](const std::string& name) { REQUIRE(symlink("/dev/zero", name.c_str()) == 0); }},
      {"a link that leads nowhere",
       [](const std::string& name) { REQUIRE(symlink("/no/such/file", name.c_str()) == 0); }},
      {"a socket", [](const std::string& name) { REQUIRE(mknod(name.c_str(), S_IFSOCK | 0600, 0) == 0); }},
      {"a file of a terabyte",
       [](const std::string& name) {
         REQUIRE((nnrt::write_file(name, bytes_of("")) && truncate(name.c_str(), off_t{1} << 40) == 0));
       }},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    r.make(path);
    REQUIRE(nnrt::replace_file(path, content));
    CHECK(type_of(path) == S_IFREG);
    CHECK(content_of(path) == "new");
    CHECK(folder.count() == 1);
    REQUIRE(unlink(path.c_str()) == 0);
  }
}

TEST_CASE("file: a new file never gets the right to run as its owner") {
  const temporary_folder folder;
  const std::string path = folder.file("a.bin");
  REQUIRE(nnrt::write_file(path, bytes_of("old")));
  REQUIRE(::chmod(path.c_str(), 06755) == 0);
  REQUIRE(nnrt::write_file(path, bytes_of("new")));
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0755);
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
      {folder.path(), folder.path() + ": is a folder, expected a regular file", nnrt::error_code::io_failed},
      {pipe, pipe + ": is a pipe, expected a regular file", nnrt::error_code::io_failed},
      {"/dev/zero", "/dev/zero: is a device, expected a regular file", nnrt::error_code::io_failed},
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

TEST_CASE("file: a write that fails names the file, leaves no other file and the old one unchanged") {
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
