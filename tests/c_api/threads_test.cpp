// threads: everything at once - models, compilations and executors in several threads, asynchronous runs that end
// late, or whose executor is destroyed. Flow: results are compared here; ThreadSanitizer says the rest.
#include "c_api/fake_device.hpp"
#include "c_api/small_model.hpp"
#include "support/child_process.hpp"
#include "support/float_environments.hpp"

#include <nnrt/c_api/support.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace nnrt_test;

namespace {

/// Runs `work(number)` in this many threads; the sum of what they return.
template <class Work> int sum_of_threads(int count, Work work) {
  std::vector<std::thread> threads;
  std::atomic<int> sum{0};
  for (int number = 0; number < count; ++number) threads.emplace_back([&, number] { sum += work(number); });
  for (std::thread& thread : threads) thread.join();
  return sum;
}

/// The ends of asynchronous runs.
struct endings {
  std::atomic<int> count{0}, succeeded{0}, timed_out{0};
  static void tell(void* user, OH_NN_ReturnCode code, void**, std::int32_t) {
    auto& all = *static_cast<endings*>(user);
    if (code == OH_NN_SUCCESS) ++all.succeeded;
    if (code == OH_NN_TIMEOUT) ++all.timed_out;
    ++all.count;
    all.count.notify_all();
  }
  void wait_for(int ends) const {
    for (int now = count; now < ends; now = count) count.wait(now);
  }
};

/// A device whose runs take time; only as long as this lives.
struct slow_device {
  std::size_t id;
  slow_device(const char* name, int milliseconds) {
    fake_behaviour behaviour;
    behaviour.name = name;
    behaviour.asynchronous = true;
    behaviour.run_milliseconds = milliseconds;
    id = add_fake_device(behaviour);
  }
  slow_device(const slow_device&) = delete;
  ~slow_device() { remove_device(id); }
};

void fill(small_executor& e, float value) {
  for (int i = 0; i < 2; ++i) std::fill_n(e.data(i), 12, value);
}
bool holds(small_executor& e, float value) {
  return std::all_of(e.data(2), e.data(2) + 12, [&](float y) { return y == value; });
}

}  // namespace

TEST_CASE("threads that build, run and destroy separate models do not disturb each other") {
  const int wrong = sum_of_threads(4, [](int number) {
    int wrong = 0;
    for (int round = 0; round < 15; ++round) {
      small_executor e(round % 2 == 1);
      const auto value = static_cast<float>(100 * number + round);
      fill(e, value);
      if (e.run() != OH_NN_SUCCESS || !holds(e, 2 * value)) ++wrong;
    }
    return wrong;
  });
  CHECK(wrong == 0);
}

TEST_CASE("memory for one executor's ends is allocated and given back by several threads at once") {
  small_executor e;
  const int wrong = sum_of_threads(4, [&](int number) {
    const bool is_input = number < 2;  // two threads for each list, and two inputs
    const auto index = static_cast<std::uint32_t>(is_input ? number : 0);
    int wrong = 0;
    for (int round = 0; round < 200; ++round) {
      OH_NN_Memory* const kept = is_input ? OH_NNExecutor_AllocateInputMemory(e.handle, index, 48)
                                          : OH_NNExecutor_AllocateOutputMemory(e.handle, index, 48);
      OH_NN_Memory* given = is_input ? OH_NNExecutor_AllocateInputMemory(e.handle, index, 96)
                                     : OH_NNExecutor_AllocateOutputMemory(e.handle, index, 96);
      if (kept == nullptr || given == nullptr || kept == given || kept->length != 48 || given->length != 96)
        return wrong + 1;
      std::fill_n(static_cast<char*>(kept->data), 48, static_cast<char>(number)),
          std::fill_n(static_cast<char*>(given->data), 96, static_cast<char>(~number));
      if (is_input) OH_NNExecutor_DestroyInputMemory(e.handle, index, &given);
      else OH_NNExecutor_DestroyOutputMemory(e.handle, index, &given);
      if (given != nullptr || !std::all_of(static_cast<char*>(kept->data), static_cast<char*>(kept->data) + 48,
                                           [&](char byte) { return byte == number; }))
        ++wrong;
    }
    return wrong;
  });
  CHECK(wrong == 0);
}

TEST_CASE("memory that is destroyed while another executor is told of it holds up nobody") {
  const int code = in_child([] {
    ::alarm(60);  // of threads that wait for each other
    small_executor owner, other;
    const OH_NN_Tensor tensor{OH_NN_FLOAT32, 4, small_shape.data(), nullptr, OH_NN_TENSOR};
    std::atomic<void*> data{nullptr};
    std::atomic<bool> has_ended{false};
    return sum_of_threads(2, [&](int number) {
      int wrong = 0;
      for (int round = 0; number == 0 && round < 20000; ++round) {
        OH_NN_Memory* memory = OH_NNExecutor_AllocateInputMemory(owner.handle, 0, 48);
        if (memory == nullptr) ++wrong;
        else data = memory->data;
        OH_NNExecutor_DestroyInputMemory(owner.handle, 0, &memory);
      }
      if (number == 0) has_ended = true;
      while (!has_ended) {
        const OH_NN_Memory told{data.load(), 48};
        if (told.data != nullptr && OH_NNExecutor_SetInputWithMemory(other.handle, 0, &tensor, &told) != OH_NN_SUCCESS)
          ++wrong;
      }
      return wrong;
    });
  });
  CHECK(code == 0);
}

TEST_CASE("devices come and go, and the log changes hands, while others list, ask and fail") {
  std::atomic<int> lines{0};
  const auto hear = [](std::string_view, void* count) { ++*static_cast<std::atomic<int>*>(count); };
  std::atomic<bool> is_over{false};
  std::thread coming_and_going([&] {
    for (int round = 0; round < 50; ++round) {
      const slow_device device("passing", 0);
      nnrt::set_log(hear, &lines);
      CHECK(small_executor(false, device.id).run() == OH_NN_SUCCESS);
      nnrt::set_log(nullptr);
    }
    is_over = true;
  });
  const int wrong = sum_of_threads(3, [&](int) {
    int wrong = 0;
    while (!is_over) {
      const std::size_t* ids = nullptr;
      std::uint32_t count = 0;
      if (OH_NNDevice_GetAllDevicesID(&ids, &count) != OH_NN_SUCCESS || count < 1) ++wrong;
      for (std::uint32_t i = 0; i < count; ++i) {
        const char* name = nullptr;
        OH_NN_DeviceType type;
        (void)OH_NNDevice_GetName(ids[i], &name), (void)OH_NNDevice_GetType(ids[i], &type);
      }
      if (OH_NNModel_Finish(nullptr) != OH_NN_INVALID_PARAMETER) ++wrong;
      small_model m;
      const bool* can = nullptr;
      if (OH_NNModel_GetAvailableOperations(m.handle, 0, &can, &count) != OH_NN_SUCCESS || !can[0]) ++wrong;
    }
    return wrong;
  });
  coming_and_going.join();
  CHECK(wrong == 0);
}

TEST_CASE("asynchronous runs in several threads each end once, and with the right numbers") {
  const int wrong = sum_of_threads(3, [](int number) {
    int wrong = 0;
    endings all;  // outlives the executor, whose thread may still be busy with it
    small_executor e;
    OH_NNExecutor_SetOnRunDone(e.handle, endings::tell);
    for (int round = 0; round < 40; ++round) {
      const auto value = static_cast<float>(100 * number + round);
      fill(e, value);
      if (OH_NNExecutor_RunAsync(e.handle, e.tensors, 2, e.tensors + 2, 1, 60'000, &all) != OH_NN_SUCCESS) return 1000;
      all.wait_for(round + 1);
      if (!holds(e, 2 * value)) ++wrong;
    }
    return wrong + (all.succeeded == 40 ? 0 : 1);
  });
  CHECK(wrong == 0);
}

TEST_CASE("a second asynchronous run begins when the first has ended") {
  const slow_device device("slow", 2);
  endings all;
  small_executor e(false, device.id);
  OH_NNExecutor_SetOnRunDone(e.handle, endings::tell);
  for (int round = 0; round < 10; ++round) {
    REQUIRE(OH_NNExecutor_RunAsync(e.handle, e.tensors, 2, e.tensors + 2, 1, 0, &all) == OH_NN_SUCCESS);
    CHECK(all.count >= round);
  }
  CHECK(e.run() == OH_NN_SUCCESS);  // waits, too
  CHECK(all.succeeded == 10);
}

TEST_CASE("a run that takes longer than it may says so, and the next one does not") {
  const slow_device device("slow", 20);
  endings all;
  small_executor e(false, device.id);
  OH_NNExecutor_SetOnRunDone(e.handle, endings::tell);
  REQUIRE(OH_NNExecutor_RunAsync(e.handle, e.tensors, 2, e.tensors + 2, 1, 1, &all) == OH_NN_SUCCESS);
  all.wait_for(1);
  CHECK(all.timed_out == 1);
  REQUIRE(OH_NNExecutor_RunAsync(e.handle, e.tensors, 2, e.tensors + 2, 1, 60'000, &all) == OH_NN_SUCCESS);
  all.wait_for(2);
  CHECK(all.succeeded == 1);
}

TEST_CASE("who destroys an executor that runs waits for the end, which is told before") {
  const slow_device device("slow", 3);
  const int wrong = sum_of_threads(3, [&](int number) {
    int wrong = 0;
    for (int round = 0; round < 8; ++round) {
      endings all;
      {
        small_executor e(false, device.id);
        OH_NNExecutor_SetOnRunDone(e.handle, endings::tell);
        if (OH_NNExecutor_RunAsync(e.handle, e.tensors, 2, e.tensors + 2, 1, number == 0 ? 1 : 0, &all) !=
            OH_NN_SUCCESS)
          ++wrong;
      }
      if (all.count != 1 || all.succeeded + all.timed_out != 1) ++wrong;
    }
    return wrong;
  });
  CHECK(wrong == 0);
}

namespace {

/// Starts the next run, or destroys the executor, where it hears that a run has ended.
struct chain {
  small_executor* runs = nullptr;
  OH_NNExecutor* to_destroy = nullptr;
  std::atomic<int> left{0};
  std::atomic<bool> is_over{false};
  static void go_on(void* user, OH_NN_ReturnCode, void**, std::int32_t) {
    auto& me = *static_cast<chain*>(user);
    if (--me.left > 0) {
      (void)OH_NNExecutor_RunAsync(me.runs->handle, me.runs->tensors, 2, me.runs->tensors + 2, 1, 0, user);
      return;
    }
    if (me.to_destroy != nullptr) OH_NNExecutor_Destroy(&me.to_destroy);
    me.is_over = true;
    me.is_over.notify_all();
  }
};

}  // namespace

TEST_CASE("who hears of an end may start the next run, or destroy the executor") {
  static chain chains[2];  // a thread whose executor is destroyed is waited for by nobody
  for (const bool destroys : {false, true}) {
    chain& c = chains[destroys ? 1 : 0];
    small_executor e;
    OH_NNExecutor_SetOnRunDone(e.handle, chain::go_on);
    c.runs = &e;
    c.left = 20;
    if (destroys) c.to_destroy = e.handle;
    REQUIRE(OH_NNExecutor_RunAsync(e.handle, e.tensors, 2, e.tensors + 2, 1, 0, &c) == OH_NN_SUCCESS);
    c.is_over.wait(false);
    CHECK(c.left == 0);
    if (destroys) e.handle = nullptr;
  }
}

namespace {

/// 2 x of a denormal x, and 1 + 2^-25: what both are says how the device computed.
bool ran_as_this_thread(small_executor& e, float a, float b) {
  const volatile float x = a, y = b;
  const volatile float sum = x + y;
  return std::bit_cast<std::uint32_t>(e.data(2)[0]) == std::bit_cast<std::uint32_t>(static_cast<float>(sum));
}

}  // namespace

TEST_CASE(
    "a run computes in the floating-point environment of the thread that asks for it, and that waits or does not") {
  endings all;
  small_executor e;
  OH_NNExecutor_SetOnRunDone(e.handle, endings::tell);
  int runs = 0;
  for (const named_environment& env : float_environments())
    for (const auto& [a, b] : {std::pair{1e-39F, 1e-39F}, std::pair{1.0F, 0x1p-25F}, std::pair{1.0F, 0x1.8p-24F}}) {
      CAPTURE(env.name);
      std::fill_n(e.data(0), 12, a), std::fill_n(e.data(1), 12, b);
      const nnrt::float_scope scope(env.floats);
      std::fill_n(e.data(2), 12, -1.0F);
      REQUIRE(e.run() == OH_NN_SUCCESS);
      CHECK(ran_as_this_thread(e, a, b));
      std::fill_n(e.data(2), 12, -1.0F);
      REQUIRE(OH_NNExecutor_RunAsync(e.handle, e.tensors, 2, e.tensors + 2, 1, 60'000, &all) == OH_NN_SUCCESS);
      all.wait_for(++runs);
      CHECK(ran_as_this_thread(e, a, b));
      CHECK(nnrt::float_environment::of_this_thread() == env.floats);
    }
}

TEST_CASE("a child process runs an executor of its parent's, waiting or not, and destroys it") {
  int failed = 0;
  for (int i = 0; i < 12; ++i) {
    endings all;
    auto e = std::make_unique<small_executor>();
    OH_NNExecutor_SetOnRunDone(e->handle, endings::tell);
    fill(*e, 3);
    if (i % 3 != 0 &&
        OH_NNExecutor_RunAsync(e->handle, e->tensors, 2, e->tensors + 2, 1, 60'000, &all) != OH_NN_SUCCESS)
      ++failed;
    if (i % 3 == 1) all.wait_for(1);
    failed +=
        in_child([&] {
          ::alarm(60);
          endings own;
          if (i % 2 == 1) {
            fill(*e, 4);
            if (e->run() != OH_NN_SUCCESS || !holds(*e, 8)) return 1;
            fill(*e, 5);
            if (OH_NNExecutor_RunAsync(e->handle, e->tensors, 2, e->tensors + 2, 1, 60'000, &own) != OH_NN_SUCCESS)
              return 2;
            own.wait_for(1);
            if (!holds(*e, 10)) return 3;
          }
          e.reset();
          return 0;
        }) != 0;
    if (i % 3 != 0) all.wait_for(1);
  }
  CHECK(failed == 0);
}
