// refusal_words: calls that must be refused, and what set_log() must hear of each.
// Flow: tests of the C functions and of hbDNN write such tables.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <string>

#include "support/hearing.hpp"

namespace nnrt_test {

struct refusal {
  std::function<void()> calls;
  std::string words;
};
template <std::size_t Count> void check_words(const refusal (&table)[Count]) {
  for (const refusal& r : table) {
    CAPTURE(r.words);
    const hearing now;
    r.calls();
    CHECK(now.words == r.words);
  }
}

}  // namespace nnrt_test
