// cache_faults: what is left of a cache when the disk is full, when the writer is killed, and when two processes share
// it.
// Flow: children build, write and end on request; the parent looks at what they left.
#include "c_api/failing_disk.hpp"
#include "c_api/fake_device.hpp"
#include "c_api/small_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "support/child_process.hpp"
#include "support/temporary_folder.hpp"

using namespace nnrt_test;

namespace {

/// A folder, and a device that keeps caches.
struct cached {
  temporary_folder folder{"/dev/shm"};
  std::size_t device = 0;

  cached() {
    fake_behaviour behaviour;
    behaviour.name = "caching";
    behaviour.caching = true;
    behaviour.exported_files = 2;
    device = add_fake_device(behaviour);
  }
  cached(const cached&) = delete;
  ~cached() { remove_device(device); }

  /// Builds the small model with the cache of this version; the second extent of that of even versions is unknown, so
  /// that they differ.
  int build(std::uint32_t version) const {
    small_compilation c(false, version % 2 == 0, device);
    OH_NNCompilation_SetCache(c.handle, folder.path().c_str(), version);
    return OH_NNCompilation_Build(c.handle);
  }
  /// Whether there is a cache of this version, and of its model.
  bool has(std::uint32_t version) const { return kept(version) == (version % 2 == 0 ? -1 : 2); }
  /// The second extent of the model that the cache of this version has; 0 where there is none.
  std::int32_t kept(std::uint32_t version) const {
    OH_NNCompilation* c = OH_NNCompilation_ConstructForCache();
    OH_NNCompilation_SetDevice(c, device);
    OH_NNCompilation_SetCache(c, folder.path().c_str(), version);
    const std::int32_t extent = OH_NNCompilation_Build(c) == OH_NN_SUCCESS ? extent_of(c) : 0;
    OH_NNCompilation_Destroy(&c);
    return extent;
  }
  static std::int32_t extent_of(OH_NNCompilation* c) {
    OH_NNExecutor* executor = OH_NNExecutor_Construct(c);
    NN_TensorDesc* desc = OH_NNExecutor_CreateInputTensorDesc(executor, 0);
    std::int32_t* shape = nullptr;
    std::size_t rank = 0;
    OH_NNTensorDesc_GetShape(desc, &shape, &rank);
    const std::int32_t extent = rank == 4 ? shape[1] : 0;
    OH_NNTensorDesc_Destroy(&desc);
    OH_NNExecutor_Destroy(&executor);
    return extent;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
};

/// The device's two files, and the lists of inputs and outputs.
const std::vector<std::string> whole_cache{"0.nncache", "1.nncache", "2.nncache", "3.nncache", "cache_info.nncache"};

}  // namespace

TEST_CASE("a disk that is full at any moment costs the new cache, and neither the model nor the old cache") {
  const cached c;
  REQUIRE(c.build(1) == OH_NN_SUCCESS);
  for (long number = 0;; ++number) {
    CAPTURE(number);
    const int code = in_child([&] {
      arm_disk({disk_fault::full, number});
      const int built = c.build(2);
      return built == OH_NN_SUCCESS && !disk_has_failed() ? 99 : built;
    });
    if (code == 99) {
      CHECK(number > 10);
      CHECK(c.has(2));
      break;
    }
    REQUIRE(code == OH_NN_SUCCESS);
    // Once the new cache is whole, a failure is no longer one.
    const bool is_new = c.has(2);
    REQUIRE(c.has(1) != is_new);
    if (!is_new) REQUIRE(c.files() == whole_cache);
    if (is_new) std::filesystem::remove(c.folder.file("cache_info.nncache"));
    if (is_new) REQUIRE(c.build(1) == OH_NN_SUCCESS);
  }
}

TEST_CASE("files that may not grow are a full disk") {
  const cached c;
  REQUIRE(c.build(1) == OH_NN_SUCCESS);
  for (const ::rlim_t bytes : {::rlim_t{0}, ::rlim_t{1}, ::rlim_t{100}, ::rlim_t{200}}) {
    const int code = in_child([&] {
      std::signal(SIGXFSZ, SIG_IGN);
      const ::rlimit limit{bytes, bytes};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      return c.build(2);
    });
    CHECK(code == OH_NN_SUCCESS);
    CHECK(c.has(1));
    CHECK(c.files() == whole_cache);
  }
}

TEST_CASE("a writer that is killed at any moment leaves the old cache or the new one") {
  for (const auto how : {disk_fault::killed, disk_fault::killed_half_way}) {
    const cached c;
    std::uint32_t version = 1;
    REQUIRE(c.build(version) == OH_NN_SUCCESS);
    int old_ones = 0, new_ones = 0;
    for (long number = 0;; ++number) {
      CAPTURE(number);
      const int code = in_child([&] {
        arm_disk({how, number});
        return c.build(version + 1);
      });
      const bool is_old = c.has(version), is_new = c.has(version + 1);
      REQUIRE(is_old != is_new);
      ++(is_new ? new_ones : old_ones);
      if (is_new) ++version;  // the next one begins where a killed one stopped
      if (code != -1) {
        CHECK(code == OH_NN_SUCCESS);
        break;
      }
    }
    CHECK(old_ones > 5);
    CHECK(new_ones > 1);
    REQUIRE(c.build(version + 1) == OH_NN_SUCCESS);
    CHECK(c.has(version + 1));
    CHECK(c.files() == whole_cache);  // what killed writers had begun is gone
  }
}

TEST_CASE("a first cache that is not finished is none, and is written again") {
  for (long number = 0;; ++number) {
    const cached c;
    CAPTURE(number);
    const int code = in_child([&] {
      arm_disk({disk_fault::killed_half_way, number});
      return c.build(1);
    });
    CHECK((c.has(1) || c.kept(1) == 0));
    REQUIRE(c.build(1) == OH_NN_SUCCESS);
    REQUIRE(c.has(1));
    // A writer that was killed after the info file leaves members whose last rename readers do without; nothing else.
    for (std::string name : c.files()) {
      CAPTURE(name);
      if (name.ends_with(".next")) name.resize(name.size() - 5);
      REQUIRE(std::ranges::find(whole_cache, name) != whole_cache.end());
    }
    if (code != -1) break;
  }
}

TEST_CASE("two processes that share a directory find their own model, or compile it") {
  const cached c;
  const auto build_again_and_again = [&](bool is_dynamic) {
    for (int round = 0; round < 60; ++round) {
      small_compilation mine(false, is_dynamic, c.device);
      OH_NNCompilation_SetCache(mine.handle, c.folder.path().c_str(), 1);
      if (const int code = OH_NNCompilation_Build(mine.handle); code != OH_NN_SUCCESS) return code;
      if (cached::extent_of(mine.handle) != (is_dynamic ? -1 : 2)) return 99;
    }
    return 0;
  };
  const ::pid_t children[] = {begin_child([&] { return build_again_and_again(false); }),
                              begin_child([&] { return build_again_and_again(true); })};
  for (const ::pid_t child : children) CHECK(end_of(child) == 0);
  CHECK(c.kept(1) != 0);
  CHECK(c.files() == whole_cache);
}

TEST_CASE("two processes write versions: the higher one stays") {
  const cached c;
  const auto build_each = [&](std::uint32_t first) {
    for (std::uint32_t version = first; version <= 80; version += 2)
      if (const int code = c.build(version); code != OH_NN_SUCCESS && code != OH_NN_OPERATION_FORBIDDEN) return code;
    return 0;
  };
  const ::pid_t children[] = {begin_child([&] { return build_each(1); }), begin_child([&] { return build_each(2); })};
  for (const ::pid_t child : children) CHECK(end_of(child) == 0);
  CHECK(c.has(80));
}
