// temporary_folder: a fresh folder for the files of one test, gone with it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

/// Made under the system's folder for temporary files, or under another one that may be there; removed with all that is in it.
class temporary_folder {
 public:
  explicit temporary_folder(const std::filesystem::path& preferred = {}) {
    const bool is_there = !preferred.empty() && std::filesystem::is_directory(preferred);
    std::string pattern = ((is_there ? preferred : std::filesystem::temp_directory_path()) / "nnrt-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
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
  std::string path_;
};
