// cache: prepared models in a directory and in a buffer - when they are used, replaced, refused, and what damage does.
// Flow: a fake device counts how often it prepares and restores.
#include "c_api/fake_device.hpp"
#include "c_api/small_model.hpp"
#include "support/child_process.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace nnrt_test;
namespace fs = std::filesystem;

namespace {

/// A directory that is empty at the beginning and gone at the end, and a device that keeps caches and counts.
struct cached {
  fs::path directory;
  int prepared = 0, restored = 0;
  std::size_t device = 0;

  cached() {
    std::string name = (fs::temp_directory_path() / "nnrt-cache-XXXXXX").string();
    directory = ::mkdtemp(name.data());
    fake_behaviour behaviour;
    behaviour.caching = behaviour.performance = true;
    behaviour.prepared = &prepared;
    behaviour.restored = &restored;
    device = add_fake_device(behaviour);
  }
  cached(const cached&) = delete;
  ~cached() {
    remove_device(device);
    fs::remove_all(directory);
  }

  /// Compiles the small model with the cache of this version; `more` sets further options.
  OH_NN_ReturnCode build(
      std::uint32_t version, void (*more)(OH_NNCompilation*) = [](OH_NNCompilation*) {}, bool dynamic = false) {
    prepared = restored = 0;
    small_compilation c(false, dynamic, device);
    const std::string path = directory.string();
    OH_NNCompilation_SetCache(c.handle, path.c_str(), version);
    more(c.handle);
    return OH_NNCompilation_Build(c.handle);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
};

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void overwrite(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

}  // namespace

TEST_CASE("the first build writes a cache, the second one reads it") {
  cached c;
  REQUIRE(c.build(1) == OH_NN_SUCCESS);
  CHECK(c.prepared == 1);
  // The device's two, inputs and outputs.
  CHECK(c.files() ==
        std::vector<std::string>{"0.nncache", "1.nncache", "2.nncache", "3.nncache", "cache_info.nncache"});
  REQUIRE(c.build(1) == OH_NN_SUCCESS);
  CHECK(c.prepared == 0);
  CHECK(c.restored == 1);
}

TEST_CASE("a lower version is replaced, a higher one is kept and refuses the build") {
  cached c;
  REQUIRE(c.build(5) == OH_NN_SUCCESS);
  CHECK(c.build(4) == OH_NN_OPERATION_FORBIDDEN);
  CHECK(c.build(5) == OH_NN_SUCCESS);
  CHECK(c.restored == 1);
  CHECK(c.build(6) == OH_NN_SUCCESS);
  CHECK(c.prepared == 1);
  CHECK(c.build(5) == OH_NN_OPERATION_FORBIDDEN);
}

TEST_CASE("another model, and another speed, have no use for it") {
  cached c;
  REQUIRE(c.build(1) == OH_NN_SUCCESS);
  REQUIRE(c.build(1, [](OH_NNCompilation* o) { OH_NNCompilation_SetPerformanceMode(o, OH_NN_PERFORMANCE_HIGH); }) ==
          OH_NN_SUCCESS);
  CHECK(c.prepared == 1);
  REQUIRE(c.build(
              1, [](OH_NNCompilation* o) { OH_NNCompilation_SetPerformanceMode(o, OH_NN_PERFORMANCE_HIGH); }, true) ==
          OH_NN_SUCCESS);
  CHECK(c.prepared == 1);
}

TEST_CASE("a cache whose file cannot take its name stays usable, and is not replaced") {
  cached c;
  REQUIRE(c.build(1) == OH_NN_SUCCESS);
  // as a writer leaves it whose last step failed
  fs::rename(c.directory / "0.nncache", c.directory / "0.nncache.next");
  fs::create_directories(c.directory / "0.nncache" / "something");
  REQUIRE(c.build(1) == OH_NN_SUCCESS);
  CHECK(c.restored == 1);
  REQUIRE(c.build(2) == OH_NN_SUCCESS);  // and nothing is kept
  CHECK(c.prepared == 1);
  REQUIRE(c.build(1) == OH_NN_SUCCESS);
  CHECK(c.restored == 1);
  fs::remove_all(c.directory / "0.nncache");
  REQUIRE(c.build(2) == OH_NN_SUCCESS);
  CHECK(c.prepared == 1);
  CHECK(c.files() ==
        std::vector<std::string>{"0.nncache", "1.nncache", "2.nncache", "3.nncache", "cache_info.nncache"});
}

TEST_CASE("ModelName keeps caches of one directory apart") {
  cached c;
  const auto named = [](OH_NNCompilation* o) { OH_NNCompilation_AddExtensionConfig(o, "ModelName", "left", 4); };
  REQUIRE(c.build(1) == OH_NN_SUCCESS);
  REQUIRE(c.build(1, named) == OH_NN_SUCCESS);
  CHECK(c.prepared == 1);
  CHECK(c.files().size() == 10);
  CHECK(fs::exists(c.directory / "leftcache_info.nncache"));
  REQUIRE(c.build(1, named) == OH_NN_SUCCESS);
  CHECK(c.restored == 1);
}

TEST_CASE("a ModelName that no file can have is a directory that is not there") {
  cached c;
  static const std::string name(300, 'n');
  CHECK(c.build(1, [](OH_NNCompilation* o) {
    OH_NNCompilation_AddExtensionConfig(o, "ModelName", name.data(), 300);
  }) == OH_NN_INVALID_PARAMETER);
  CHECK(c.build(1, [](OH_NNCompilation* o) {
    OH_NNCompilation_AddExtensionConfig(o, "ModelName", name.data(), 216);
  }) == OH_NN_INVALID_PARAMETER);
  CHECK(c.files().empty());
  CHECK(c.build(1, [](OH_NNCompilation* o) {
    OH_NNCompilation_AddExtensionConfig(o, "ModelName", name.data(), 215);
  }) == OH_NN_SUCCESS);
}

TEST_CASE("an option of the device's own is a reason to prepare again, and the same option is none") {
  cached c;
  const auto fast = [](OH_NNCompilation* o) { OH_NNCompilation_AddExtensionConfig(o, "tuning", "fast", 4); };
  const auto slow = [](OH_NNCompilation* o) { OH_NNCompilation_AddExtensionConfig(o, "tuning", "slow", 4); };
  REQUIRE(c.build(1, fast) == OH_NN_SUCCESS);
  REQUIRE(c.build(1, fast) == OH_NN_SUCCESS);
  CHECK(c.restored == 1);
  REQUIRE(c.build(1, slow) == OH_NN_SUCCESS);
  CHECK(c.restored == 0);
  CHECK(c.prepared == 1);
}

TEST_CASE("damage to any byte of any file is seen, and mended by compiling again") {
  cached c;
  REQUIRE(c.build(1) == OH_NN_SUCCESS);
  for (const std::string& name : c.files()) {
    const std::string whole = content_of(c.directory / name);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      std::string broken = whole;
      broken[i] = static_cast<char>(broken[i] ^ 0x10);
      overwrite(c.directory / name, broken);
      REQUIRE(c.build(1) == OH_NN_SUCCESS);
      REQUIRE(c.prepared == 1);
      REQUIRE(content_of(c.directory / name) == whole);
    }
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size() - 1}) {
      overwrite(c.directory / name, whole.substr(0, length));
      REQUIRE(c.build(1) == OH_NN_SUCCESS);
      REQUIRE(c.prepared == 1);
    }
    fs::remove(c.directory / name);
    REQUIRE(c.build(1) == OH_NN_SUCCESS);
    REQUIRE(c.prepared == 1);
  }
}

TEST_CASE("a directory that is not there, and the version that nobody may have, end the build") {
  cached c;
  small_compilation lost(false, false, c.device);
  OH_NNCompilation_SetCache(lost.handle, "/no/such/directory", 1);
  CHECK(OH_NNCompilation_Build(lost.handle) == OH_NN_INVALID_PARAMETER);
  CHECK(c.build(0xFFFFFFFF) == OH_NN_INVALID_PARAMETER);
  CHECK(c.files().empty());
}

TEST_CASE("a directory that is a file, or cannot be searched, ends the build as one that is not there") {
  cached c;
  overwrite(c.directory / "file", "content");
  for (const std::string& path : {(c.directory / "file").string(), (c.directory / "file" / "under").string()}) {
    CAPTURE(path);
    small_compilation lost(false, false, c.device);
    OH_NNCompilation_SetCache(lost.handle, path.c_str(), 1);
    CHECK(OH_NNCompilation_Build(lost.handle) == OH_NN_INVALID_PARAMETER);
  }
  CHECK(content_of(c.directory / "file") == "content");
}

TEST_CASE("a compilation for a cache takes it, and fails without one") {
  cached c;
  const std::string path = c.directory.string();
  const auto build = [&] {
    OH_NNCompilation* o = OH_NNCompilation_ConstructForCache();
    OH_NNCompilation_SetDevice(o, c.device);
    OH_NNCompilation_SetCache(o, path.c_str(), 1);
    const OH_NN_ReturnCode code = OH_NNCompilation_Build(o);
    OH_NNExecutor* executor = OH_NNExecutor_Construct(o);
    std::size_t inputs = 0;
    OH_NNExecutor_GetInputCount(executor, &inputs);
    CHECK(inputs == (code == OH_NN_SUCCESS ? 2 : 0));
    OH_NNExecutor_Destroy(&executor);
    OH_NNCompilation_Destroy(&o);
    return code;
  };
  CHECK(build() == OH_NN_INVALID_PARAMETER);
  REQUIRE(c.build(1) == OH_NN_SUCCESS);
  CHECK(build() == OH_NN_SUCCESS);
  CHECK(c.restored == 1);
}

TEST_CASE("a buffer carries a compilation to another one, and not to another device") {
  cached c;
  std::vector<char> bytes(1 << 16);
  std::size_t written = 0;
  {
    small_compilation from(true, false, c.device);
    REQUIRE(OH_NNCompilation_ExportCacheToBuffer(from.handle, bytes.data(), bytes.size(), &written) == OH_NN_SUCCESS);
  }
  bytes.resize(written);
  const auto import = [&](std::size_t device) {
    OH_NNCompilation* to = OH_NNCompilation_ConstructForCache();
    OH_NNCompilation_SetDevice(to, device);
    REQUIRE(OH_NNCompilation_ImportCacheFromBuffer(to, bytes.data(), bytes.size()) == OH_NN_SUCCESS);
    const OH_NN_ReturnCode code = OH_NNCompilation_Build(to);
    OH_NNCompilation_Destroy(&to);
    return code;
  };
  CHECK(import(c.device) == OH_NN_SUCCESS);
  CHECK(c.restored == 1);
  CHECK(import(0) == OH_NN_FAILED);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(bytes[i] ^ 1);
    REQUIRE(import(c.device) == OH_NN_FAILED);
    bytes[i] = static_cast<char>(bytes[i] ^ 1);
  }
}
