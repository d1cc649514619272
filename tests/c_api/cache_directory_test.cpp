// cache_directory: a cache in a directory that others write to, too, or that takes no new files.
// whether or not it takes new ones. Flow: the model is built, nothing is waited for, and nothing but files of the cache
// is written; the log says where nothing was kept.
#include "c_api/fake_device.hpp"
#include "c_api/small_model.hpp"

#include <nnrt/c_api/cache.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "support/child_process.hpp"
#include "support/temporary_folder.hpp"

using namespace nnrt_test;
namespace fs = std::filesystem;

namespace {

/// A directory, a device that keeps caches and counts, and what the log says.
struct shared_directory {
  temporary_folder folder{"/dev/shm"}, elsewhere;
  int prepared = 0, restored = 0;
  std::size_t device = 0;
  std::string logged;

  shared_directory() {
    fake_behaviour behaviour;
    behaviour.name = "sharing";
    behaviour.caching = true;
    behaviour.prepared = &prepared, behaviour.restored = &restored;
    device = add_fake_device(behaviour);
    nnrt::set_log([](std::string_view line, void* to) { (static_cast<std::string*>(to)->append(line)) += '\n'; },
                  &logged);
    std::ofstream(victim()) << "untouched";
  }
  shared_directory(const shared_directory&) = delete;
  ~shared_directory() {
    nnrt::set_log(nullptr);
    remove_device(device);
  }

  std::string victim() const { return elsewhere.file("victim"); }
  bool victim_is_untouched() const {
    std::ifstream in(victim());
    return std::string{std::istreambuf_iterator<char>(in), {}} == "untouched";
  }
  /// Builds the small model with a cache in `path`, and whether an executor can be made of it.
  OH_NN_ReturnCode build_in(const std::string& path, std::uint32_t version = 1) {
    prepared = restored = 0;
    logged.clear();
    ::alarm(30);  // what waits for others ends the tests
    small_compilation c(false, false, device);
    OH_NNCompilation_SetCache(c.handle, path.c_str(), version);
    const OH_NN_ReturnCode code = OH_NNCompilation_Build(c.handle);
    ::alarm(0);
    OH_NNExecutor* executor = OH_NNExecutor_Construct(c.handle);
    CHECK((executor != nullptr) == (code == OH_NN_SUCCESS));
    OH_NNExecutor_Destroy(&executor);
    return code;
  }
  OH_NN_ReturnCode build(std::uint32_t version = 1) { return build_in(folder.path(), version); }
  bool says_that_nothing_was_kept() const {
    return logged.find("OH_NNCompilation_Build: nothing was kept in the cache: ") != std::string::npos;
  }
};

void make_file_of(const std::string& path, off_t bytes) {
  const int made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  REQUIRE(made >= 0);
  REQUIRE(::ftruncate(made, bytes) == 0);
  ::close(made);
}
void make_second_name_of(const std::string& other, const std::string& path) {
  make_file_of(other, 8);
  REQUIRE(::link(other.c_str(), path.c_str()) == 0);
}
void make_socket(const std::string& path) {
  ::sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.data(), path.size());
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(::bind(made, reinterpret_cast<const ::sockaddr*>(&address), sizeof address) == 0);
  ::close(made);
}

struct kind {
  const char* what;
  void (*make)(const std::string& path, const std::string& victim);
  bool can_be_replaced = true;
};
const kind kinds[] = {
    {"a pipe", [](const std::string& path, const std::string&) { REQUIRE(::mkfifo(path.c_str(), 0666) == 0); }},
    {"a socket", [](const std::string& path, const std::string&) { make_socket(path); }},
    {"a link to another file",
     [](const std::string& path, const std::string& victim) { REQUIRE(::symlink(victim.c_str(), path.c_str()) == 0); }},
    {"a link to nothing",
     [](const std::string& path, const std::string& victim) {
       REQUIRE(::symlink((victim + ".new").c_str(), path.c_str()) == 0);
     }},
    {"a link to itself",
     [](const std::string& path, const std::string&) { REQUIRE(::symlink(path.c_str(), path.c_str()) == 0); }},
    {"a link to /dev/zero",
     [](const std::string& path, const std::string&) { REQUIRE(::symlink("/dev/zero", path.c_str()) == 0); }},
    {"another file's second name",
     [](const std::string& path, const std::string&) { make_second_name_of(path + ".other", path); }},
    {"a file of a terabyte", [](const std::string& path, const std::string&) { make_file_of(path, off_t{1} << 40); }},
    {"a folder with something in it",
     [](const std::string& path, const std::string&) { fs::create_directories(path + "/something"); }, false},
};
const char* const names[] = {"cache_info.nncache", "0.nncache", "0.nncache.next", "3.nncache", "3.nncache.next"};

}  // namespace

TEST_CASE("whatever has the name of a cache's file, the model is built, and nothing of others is written to") {
  for (const kind& k : kinds)
    for (const char* const name : names)
      for (const bool was_there : {false, true}) {
        CAPTURE(k.what);
        CAPTURE(name);
        CAPTURE(was_there);
        shared_directory d;
        if (was_there) {
          REQUIRE(d.build() == OH_NN_SUCCESS);
          fs::remove(d.folder.file(name));
        }
        k.make(d.folder.file(name), d.victim());
        REQUIRE(d.build() == OH_NN_SUCCESS);
        CHECK(d.prepared + d.restored == 1);
        CHECK(d.victim_is_untouched());
        CHECK_FALSE(fs::exists(d.victim() + ".new"));
        if (k.can_be_replaced) {
          CHECK_FALSE(d.says_that_nothing_was_kept());
          REQUIRE(d.build() == OH_NN_SUCCESS);
          CHECK(d.restored == 1);
          CHECK(fs::is_regular_file(fs::symlink_status(d.folder.file("cache_info.nncache"))));
          CHECK(fs::is_regular_file(fs::symlink_status(d.folder.file("3.nncache"))));
        }
      }
}

TEST_CASE("what cannot be replaced costs the cache, and the log says so") {
  shared_directory d;
  fs::create_directories(d.folder.file("cache_info.nncache") + "/something");
  REQUIRE(d.build() == OH_NN_SUCCESS);
  CHECK(d.prepared == 1);
  CHECK(d.logged.find("OH_NNCompilation_Build: nothing was kept in the cache: " + d.folder.file("cache_info.nncache") +
                      ": cannot write: ") != std::string::npos);
  CHECK(d.folder.count() == 1);
}

TEST_CASE("an info file that names files of a terabyte is none, and so are they") {
  shared_directory d;
  REQUIRE(d.build() == OH_NN_SUCCESS);
  nnrt::byte_writer info;  // forged: its checksum is right
  info.put(nnrt::c_api::detail::info_kind), info.put(std::uint32_t{1}), info.put(std::string_view("sharing_fake_v1_0")),
      info.put(std::uint64_t{0}), info.put(std::uint64_t{1});
  info.put(std::uint64_t{1} << 40), info.put(std::uint64_t{0});
  info.put(nnrt::digest_of(info.bytes));
  std::ofstream(d.folder.file("cache_info.nncache"), std::ios::binary)
      .write(reinterpret_cast<const char*>(info.bytes.data()), static_cast<std::streamsize>(info.bytes.size()));
  fs::resize_file(d.folder.file("0.nncache"), std::uintmax_t{1} << 40);
  const auto read = nnrt::c_api::detail::read_info({d.folder.path(), ""});
  REQUIRE_FALSE(read);
  CHECK(read.error().message() == d.folder.file("cache_info.nncache") +
                                      ": file 0 of the cache: got 1099511627776 bytes, expected at most 68719476736");
  REQUIRE(d.build() == OH_NN_SUCCESS);
  CHECK(d.prepared == 1);
  REQUIRE(d.build() == OH_NN_SUCCESS);
  CHECK(d.restored == 1);
}

TEST_CASE("a name that others change all the time costs the cache at most") {
  shared_directory d;
  const std::string name = d.folder.file("cache_info.nncache");
  const ::pid_t others = begin_child([&] {
    for (;;) {
      ::unlink(name.c_str());
      if (::mkfifo(name.c_str(), 0600) != 0 && errno != EEXIST) return 1;
      ::unlink(name.c_str());
      if (::symlink(d.victim().c_str(), name.c_str()) != 0 && errno != EEXIST) return 1;
    }
  });
  for (int i = 0; i < 100; ++i) REQUIRE(d.build() == OH_NN_SUCCESS);
  ::kill(others, SIGKILL);
  CHECK(end_of(others) == -1);
  CHECK(d.victim_is_untouched());
}

TEST_CASE("a directory that takes no files of this user: the model is built, and the log says that nothing was kept") {
  shared_directory d;
  fs::permissions(d.folder.path(),
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  const int code = in_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 99;  // whom permissions do not hold for
    const int built = d.build();
    return d.says_that_nothing_was_kept() ? built : 98;
  });
  CHECK(code == OH_NN_SUCCESS);
  CHECK(d.folder.count() == 0);
  fs::permissions(d.folder.path(), fs::perms::owner_all);
}

TEST_CASE("a file system that is read-only or full: the model is built, and the log says that nothing was kept") {
  struct row {
    const char* what;
    bool (*mount)(const std::string& path);
  };
  const row table[] = {
      {"read-only",
       [](const std::string& path) { return ::mount("nnrt", path.c_str(), "tmpfs", MS_RDONLY, "size=64k") == 0; }},
      {"full",
       [](const std::string& path) {
         if (::mount("nnrt", path.c_str(), "tmpfs", 0, "size=4k") != 0) return false;
         std::ofstream(path + "/filling") << std::string(4096, 'x');
         return true;
       }},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    shared_directory d;
    const int code = in_child([&] {
      if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
          !r.mount(d.folder.path()))
        return 99;
      const int built = d.build();
      return d.says_that_nothing_was_kept() && d.prepared == 1 ? built : 98;
    });
    if (code == 99) MESSAGE("this process may not mount anything");
    else CHECK(code == OH_NN_SUCCESS);
  }
}

TEST_CASE("a device that cannot export what it prepared: the model is built, and the log says that nothing was kept") {
  for (const int files : {0, 101}) {
    CAPTURE(files);
    shared_directory d;
    fake_behaviour behaviour;
    behaviour.name = "exports_" + std::to_string(files);
    behaviour.caching = true;
    behaviour.exported_files = files;
    const std::size_t counting = std::exchange(d.device, add_fake_device(behaviour));
    CHECK(d.build() == OH_NN_SUCCESS);
    CHECK(d.logged.find("nothing was kept in the cache: the device exports " + std::to_string(files) +
                        " buffers, expected 1 to 98") != std::string::npos);
    CHECK(d.folder.count() == 0);
    remove_device(std::exchange(d.device, counting));
  }
}
