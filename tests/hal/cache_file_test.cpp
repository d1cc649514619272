// cache_file: buffers come back byte for byte, and other files are refused before memory is allocated for them.
// allocated for them.
#include <nnrt/hal/cache_file.hpp>

#include <doctest/doctest.h>

#include <sys/socket.h>
#include <string>
#include <vector>

#include "support/child_process.hpp"
#include "support/temporary_folder.hpp"

using namespace nnrt;

namespace {

using buffers = std::vector<std::vector<std::byte>>;

hal::cache_token token_of(int seed) {
  hal::cache_token made{};
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<std::byte>(seed + static_cast<int>(i));
  return made;
}
buffers some_buffers() {
  return {std::vector<std::byte>(1000, std::byte{3}), {}, std::vector<std::byte>(77, std::byte{9})};
}

owned_fd file_in(const temporary_folder& folder, int flags = O_RDWR) {
  return owned_fd(::open(folder.file("cache").c_str(), flags | O_CREAT | O_CLOEXEC, 0600));
}

/// A header with these numbers of buffers and sizes, in a file of `file_bytes`.
void forge(int fd, std::uint64_t count, const std::vector<std::uint64_t>& sizes, off_t file_bytes) {
  hal::detail::cache_header header;
  header.token = token_of(1), header.buffers = count;
  REQUIRE(::ftruncate(fd, 0) == 0);
  REQUIRE(::pwrite(fd, &header, sizeof header, 0) == sizeof header);
  REQUIRE(::pwrite(fd, sizes.data(), sizes.size() * 8, sizeof header) == static_cast<::ssize_t>(sizes.size() * 8));
  REQUIRE(::ftruncate(fd, file_bytes) == 0);
}

constexpr off_t terabyte = off_t{1} << 40;
constexpr std::uint64_t head = sizeof(hal::detail::cache_header);

/// What read_cache() says; empty: it read them.
std::string diagnostic(int fd) {
  const auto read = hal::read_cache(fd, token_of(1));
  return read ? "" : read.error().message();
}

}  // namespace

TEST_CASE("cache_file: what was written under a token is read under it, wherever the caller stands in the file") {
  const temporary_folder folder;
  const owned_fd file = file_in(folder);
  REQUIRE(hal::write_cache(file.number(), token_of(1), some_buffers()));
  REQUIRE(::lseek(file.number(), 5, SEEK_SET) == 5);
  const auto read = hal::read_cache(file.number(), token_of(1));
  REQUIRE(read);
  CHECK(*read == some_buffers());
  CHECK(::lseek(file.number(), 0, SEEK_CUR) == 5);
  CHECK_FALSE(hal::read_cache(file.number(), token_of(2)));
}

TEST_CASE("cache_file: a file that is not what it says costs no memory") {
  struct row {
    const char* what;
    void (*make)(int fd);
    const char* message;
  };
  const row table[] = {
      {"a terabyte of zeros", [](int fd) { REQUIRE(::ftruncate(fd, terabyte) == 0); }, "cache: is none"},
      {"shorter than a header", [](int fd) { REQUIRE(::ftruncate(fd, 10) == 0); }, "cache: has no header"},
      {"a terabyte after a header without buffers", [](int fd) { forge(fd, 0, {}, terabyte); },
       "cache: is longer than its buffers"},
      {"a buffer of a terabyte that is there",
       [](int fd) { forge(fd, 1, {std::uint64_t{terabyte} - head - 8}, terabyte); },
       "cache: is larger than this machine can hold"},
      {"a buffer of a terabyte that is not", [](int fd) { forge(fd, 1, {std::uint64_t{terabyte}}, 4096); },
       "cache: is shorter than its buffers"},
      {"sizes whose sum is no number",
       [](int fd) {
         forge(fd, 2, {~std::uint64_t{}, 100}, 4096);
       },
       "cache: is shorter than its buffers"},
      {"more buffers than bytes", [](int fd) { forge(fd, 100, {}, 600); }, "cache: has fewer buffers than it says"},
      {"2^60 buffers", [](int fd) { forge(fd, std::uint64_t{1} << 60, {}, terabyte); },
       "cache: has more buffers than caches may have"},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const temporary_folder folder("/dev/shm");
    const owned_fd file = file_in(folder);
    r.make(file.number());
    CHECK(diagnostic(file.number()) == r.message);
  }
}

TEST_CASE("cache_file: pipes, sockets, devices and folders are refused, and nothing is waited for") {
  const temporary_folder folder;
  int pipe[2], sockets[2];
  REQUIRE(::pipe(pipe) == 0);
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  const owned_fd zeros(::open("/dev/zero", O_RDWR | O_CLOEXEC)),
      under(::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  CHECK(diagnostic(pipe[0]) == "cache: is a pipe, expected a regular file");
  CHECK(diagnostic(sockets[0]) == "cache: is a socket, expected a regular file");
  CHECK(diagnostic(zeros.number()) == "cache: is a device, expected a regular file");
  CHECK(diagnostic(under.number()) == "cache: is a folder, expected a regular file");
  CHECK(diagnostic(-1) == "cache: cannot be read");
  CHECK_FALSE(hal::write_cache(pipe[1], token_of(1), some_buffers()));
  CHECK_FALSE(hal::write_cache(zeros.number(), token_of(1), some_buffers()));
  for (const int fd : {pipe[0], pipe[1], sockets[0], sockets[1]}) ::close(fd);
}

TEST_CASE("cache_file: a file that others cut off while it is read is refused or read, and nothing else") {
  const temporary_folder folder;
  const owned_fd file = file_in(folder);
  const buffers wanted(50, std::vector<std::byte>(20'000, std::byte{1}));
  const ::pid_t cutter = nnrt_test::begin_child([&] {
    for (;;) {
      if (!hal::write_cache(file.number(), token_of(1), wanted) || ::ftruncate(file.number(), 300'000) != 0) return 1;
    }
  });
  bool is_right = true;
  for (int i = 0; i < 300; ++i) {
    const auto read = hal::read_cache(file.number(), token_of(1));
    is_right = is_right && (!read || *read == wanted);
  }
  ::kill(cutter, SIGKILL);
  CHECK(nnrt_test::end_of(cutter) == -1);
  CHECK(is_right);
}
