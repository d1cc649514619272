// bounds_test: an index outside of a list stops the program, in builds with the standard library's checks.
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/pool.hpp>
#include <nnrt/core/shape.hpp>
#include <support/child_process.hpp>

#include <doctest/doctest.h>

#include <csignal>

namespace {

struct access {
  const char* what;
  bool (*reads)();
  const char* printed;
};

const access outside[] = {
    {"array_ref", [] { return nnrt::array_ref<const int>()[0] == 1; }, "got 0, expected less than 0"},
    {"array_ref, its first", [] { return nnrt::array_ref<const int>().front() == 1; }, "got 0, expected less than 0"},
    {"array_ref, its last", [] { return nnrt::array_ref<const int>().back() == 1; }, "got 0, expected less than 0"},
    {"array_ref, a part", [] { return nnrt::array_ref<const int>().subspan(1).empty(); },
     "got 1, expected less than 1"},
    {"array_ref, too many", [] { return nnrt::array_ref<const int>().first(2).empty(); },
     "got 2, expected less than 1"},
    {"pool",
     [] {
       return nnrt::pool<int>{1, 2}[2] == 1;
     },
     "got 2, expected less than 2"},
    {"pool, its last", [] { return nnrt::pool<int>().back() == 1; }, "got 0, expected less than 0"},
    {"shape",
     [] {
       return nnrt::shape_t{4, 5}[2] == 1;
     },
     "got 2, expected less than 2"},
    {"shape, from the end",
     [] {
       return nnrt::shape_t{4, 5}[-3] == 1;
     },
     "got 18446744073709551615, expected less than 2"},
};

TEST_CASE("bounds: an index outside of a list stops the program with index and size") {
#if defined(_GLIBCXX_ASSERTIONS) || defined(NNRT_CHECK_BOUNDS)
  for (const access& a : outside) {
    CAPTURE(a.what);
    const nnrt_test::last_words said = nnrt_test::last_words_of([&] {
      volatile bool is_one = a.reads();
      (void)is_one;
    });
    CHECK(said.signal == SIGABRT);
    CHECK(said.printed.find(a.printed) != std::string::npos);
  }
#else
  MESSAGE("this build checks no indices: ", std::size(outside), " accesses are not tried");
#endif
}

TEST_CASE("bounds: the last element and the empty rest are inside") {
  const int list[] = {1, 2};
  const nnrt::array_ref<const int> all = list;
  CHECK(all[1] == 2);
  CHECK(all.subspan(2).empty());
  CHECK(all.subspan(1, 1).size() == 1);
  CHECK(nnrt::shape_t{4, 5}[-2] == 4);
}

}  // namespace
