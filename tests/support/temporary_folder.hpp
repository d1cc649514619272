// temporary_folder: a fresh folder for the files of one test, gone with it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

/// Made under a folder that is preferred, or, where that is missing or may not be written, under the system's one for
/// temporary files; removed with all that is in it. A test can do nothing without it: no folder ends the program.
class temporary_folder {
 public:
  explicit temporary_folder(const std::filesystem::path& preferred = {}) {
    if (!preferred.empty() && make_under(preferred)) return;
    if (make_under(std::filesystem::temp_directory_path())) return;
    std::perror("a folder for the files of a test");
    std::abort();
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  /// Files in the folder.
  int count() const {
    int files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++files;
    return files;
  }

 private:
  bool make_under(const std::filesystem::path& folder) {
    std::string pattern = (folder / "nnrt-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) return false;
    path_ = pattern;
    return true;
  }

  std::string path_;
};
