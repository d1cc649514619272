// open_file: what is opened for reading, what is refused and in which words, and that nothing is ever waited for.
#include <nnrt/io/file.hpp>
#include <nnrt/io/open_file.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>
#include <cstdio>
#include <string>

#include "support/child_process.hpp"
#include "support/temporary_folder.hpp"

namespace {

using nnrt::error_code;

void make_file(const std::string& path, off_t bytes) {
  const nnrt::owned_fd made(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  REQUIRE(made.is_open());
  REQUIRE(::ftruncate(made.number(), bytes) == 0);
}

constexpr off_t terabyte = off_t{1} << 40;

struct row {
  const char* what;
  void (*make)(const std::string& path);
  error_code code;
  const char* message;  // after the path
};
const row refused[] = {
    {"nothing", [](const std::string&) {}, error_code::not_found, ": cannot open: No such file or directory"},
    {"a pipe", [](const std::string& path) { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); }, error_code::io_failed,
     ": is a pipe, expected a regular file"},
    {"a socket", [](const std::string& path) { REQUIRE(::mknod(path.c_str(), S_IFSOCK | 0600, 0) == 0); },
     error_code::io_failed, ": is a socket, expected a regular file"},
    {"a folder", [](const std::string& path) { REQUIRE(::mkdir(path.c_str(), 0700) == 0); }, error_code::io_failed,
     ": is a folder, expected a regular file"},
    {"a link to a device", [](const std::string& path) { REQUIRE(::symlink("/dev/zero", path.c_str()) == 0); },
     error_code::io_failed, ": is a device, expected a regular file"},
    {"a link that leads nowhere",
     [](const std::string& path) { REQUIRE(::symlink("/no/such/file", path.c_str()) == 0); }, error_code::not_found,
     ": cannot open: No such file or directory"},
    {"a link to itself", [](const std::string& path) { REQUIRE(::symlink(path.c_str(), path.c_str()) == 0); },
     error_code::io_failed, ": cannot open: Too many levels of symbolic links"},
    {"a terabyte of nothing", [](const std::string& path) { make_file(path, terabyte); }, error_code::invalid_file,
     ": has 1099511627776 bytes, expected at most 1000"},
    {"a byte too many", [](const std::string& path) { make_file(path, 1001); }, error_code::invalid_file,
     ": has 1001 bytes, expected at most 1000"},
};

}  // namespace

TEST_CASE("open_file: what is no regular file of this size is refused with what it is") {
  for (const row& r : refused) {
    CAPTURE(r.what);
    const temporary_folder folder;
    const std::string path = folder.file("name");
    r.make(path);
    const auto opened = nnrt::open_to_read(path, 1000);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code() == r.code);
    CHECK(opened.error().message() == path + r.message);
    CHECK_FALSE(nnrt::mapped_file::open(path, 1000));
  }
}

TEST_CASE("open_file: a regular file of at most that size is opened, through a link as well, and its size is known") {
  const temporary_folder folder;
  const std::string path = folder.file("name"), link = folder.file("link");
  make_file(path, 1000);
  REQUIRE(::symlink(path.c_str(), link.c_str()) == 0);
  for (const std::string& name : {path, link}) {
    const auto opened = nnrt::open_to_read(name, 1000);
    REQUIRE(opened);
    CHECK(opened->size == 1000);
  }
}

TEST_CASE(
    "open_file: a name that is another thing at every moment is opened as a file, or refused, and never waited for") {
  const temporary_folder folder;
  const std::string path = folder.file("name"), file = folder.file("file"), pipe = folder.file("pipe");
  make_file(path, 10);
  const ::pid_t changes = nnrt_test::begin_child([&] {
    for (;;) {
      const nnrt::owned_fd made(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
      if (!made.is_open() || ::ftruncate(made.number(), 10) != 0 || ::rename(file.c_str(), path.c_str()) != 0) return 1;
      if (::mkfifo(pipe.c_str(), 0600) != 0 || ::rename(pipe.c_str(), path.c_str()) != 0) return 1;
    }
  });
  int files = 0, others = 0;
  bool is_right = true;
  ::alarm(60);  // a pipe that is waited for ends the test
  // The other process may not run for as long as 3,000 names are opened.
  for (int i = 0; i < 3'000 || files == 0; ++i) {
    const auto opened = nnrt::open_to_read(path);
    ++(opened ? files : others);
    is_right = is_right && (opened ? opened->size == 10 || opened->size == 0
                                   : opened.error().message() == path + ": is a pipe, expected a regular file");
  }
  ::alarm(0);
  ::kill(changes, SIGKILL);
  CHECK(nnrt_test::end_of(changes) == -1);
  CHECK(is_right);
  CHECK(files > 0);
}
