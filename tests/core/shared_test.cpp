// shared: what handles own, share and drop.
#include <nnrt/core/shared.hpp>

#include <doctest/doctest.h>

#include <pthread.h>

namespace {

/// Counts the objects that are alive.
struct counted {
  explicit counted(int* alive, int value = 0) : alive_(alive), value(value) { ++*alive_; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { --*alive_; }

 private:
  int* alive_;

 public:
  int value;
};

void* copy_and_drop(void* handle) {
  for (int i = 0; i < 20'000; ++i) {
    nnrt::shared<counted> copy = *static_cast<nnrt::shared<counted>*>(handle);
    nnrt::shared<counted> moved = static_cast<nnrt::shared<counted>&&>(copy);
    if (moved->value != 7) return handle;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("shared: the object lives exactly as long as one handle on it") {
  int alive = 0;
  {
    auto first = nnrt::shared<counted>::make(&alive, 5);
    CHECK(alive == 1);
    CHECK(first.handles() == 1);
    nnrt::shared<counted> second = first;
    CHECK(first.handles() == 2);
    CHECK(second == first);
    first = {};
    CHECK(alive == 1);
    CHECK(second->value == 5);
    CHECK((*second).value == 5);
  }
  CHECK(alive == 0);
}

TEST_CASE("shared: a moved-from or default handle is empty") {
  int alive = 0;
  nnrt::shared<counted> empty;
  CHECK_FALSE(empty);
  CHECK(empty.get() == nullptr);
  CHECK(empty.handles() == 0);
  auto full = nnrt::shared<counted>::make(&alive);
  nnrt::shared<counted> taken = static_cast<nnrt::shared<counted>&&>(full);
  CHECK(full == empty);
  CHECK(taken);
  CHECK(taken.handles() == 1);
}

TEST_CASE("shared: assigning drops the old object, and a handle survives assignment to itself") {
  int alive = 0;
  auto a = nnrt::shared<counted>::make(&alive, 1);
  const auto b = nnrt::shared<counted>::make(&alive, 2);
  a = b;
  CHECK(alive == 1);
  CHECK(a->value == 2);
  const auto& same = a;
  a = same;
  CHECK(alive == 1);
  CHECK(a->value == 2);
}

TEST_CASE("shared: a handle converts to one that only reads, on the same object") {
  int alive = 0;
  auto writable = nnrt::shared<counted>::make(&alive, 1);
  const nnrt::shared<const counted> readable = writable;
  writable->value = 9;
  CHECK(readable->value == 9);
  CHECK(readable.handles() == 2);
  static_assert(!std::is_convertible_v<nnrt::shared<const counted>, nnrt::shared<counted>>);
}

TEST_CASE("shared: an over-aligned object is aligned") {
  struct alignas(64) line {
    char bytes[64];
  };
  const auto handle = nnrt::shared<line>::make();
  CHECK(reinterpret_cast<std::size_t>(handle.get()) % 64 == 0);
}

TEST_CASE("shared: copies that several threads make and drop leave one handle") {
  int alive = 0;
  auto handle = nnrt::shared<counted>::make(&alive, 7);
  pthread_t threads[4];
  for (pthread_t& thread : threads) REQUIRE(pthread_create(&thread, nullptr, copy_and_drop, &handle) == 0);
  for (const pthread_t thread : threads) {
    void* failed = &handle;
    pthread_join(thread, &failed);
    CHECK(failed == nullptr);
  }
  CHECK(handle.handles() == 1);
  CHECK(alive == 1);
}
