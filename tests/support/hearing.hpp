// hearing: what set_log() hears.
// Flow: tests of the C functions and of hbDNN compare the words of refusals.
#pragma once

#include <nnrt/c_api/support.hpp>

#include <string>
#include <string_view>

namespace nnrt_test {

/// Everything that is said while this is there, without line ends.
struct hearing {
  std::string words;
  hearing() {
    nnrt::set_log([](std::string_view line, void* user) { static_cast<std::string*>(user)->append(line); }, &words);
  }
  hearing(const hearing&) = delete;
  ~hearing() { nnrt::set_log(nullptr); }
};

}  // namespace nnrt_test
