// limits: no more file descriptors, files that may not grow, no more addresses - what calls answer that need shared
// memory.
// Flow: each limit holds for a child process, which says which of its claims was wrong.
#include "c_api/small_model.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdio>
#include <string>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/child_process.hpp"
#include "support/sanitized.hpp"

using namespace nnrt_test;

namespace {

/// 0, or the number of the first claim that does not hold.
int first_false(std::initializer_list<bool> claims) {
  int number = 1;
  for (const bool claim : claims) {
    if (!claim) return number;
    ++number;
  }
  return 0;
}

void limit(decltype(RLIMIT_NOFILE) what, ::rlim_t most) {
  const ::rlimit both{most, most};
  ::setrlimit(what, &both);
}
/// The descriptor that the next file would get: as a limit, it lets nobody open another one.
::rlim_t next_descriptor() {
  const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::close(next);
  return static_cast<::rlim_t>(next);
}
/// Bytes of addresses that the process has taken.
[[maybe_unused]] ::rlim_t address_space() {
  long pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  const bool is_read = std::fscanf(file, "%ld", &pages) == 1;
  std::fclose(file);
  return is_read ? static_cast<::rlim_t>(pages) * static_cast<::rlim_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

bool makes_tensor(std::size_t bytes) {
  NN_Tensor* tensor = small_executor::make_tensor({static_cast<std::int32_t>(bytes)}, 0, OH_NN_INT8);
  const bool is_made = tensor != nullptr;
  OH_NNTensor_Destroy(&tensor);
  return is_made;
}
bool makes_memory(small_executor& e, std::size_t bytes) {
  OH_NN_Memory *in = OH_NNExecutor_AllocateInputMemory(e.handle, 0, bytes),
               *out = OH_NNExecutor_AllocateOutputMemory(e.handle, 0, bytes);
  const bool are_made = in != nullptr && out != nullptr;
  CHECK((in != nullptr) == (out != nullptr));
  OH_NNExecutor_DestroyInputMemory(e.handle, 0, &in), OH_NNExecutor_DestroyOutputMemory(e.handle, 0, &out);
  return are_made;
}
/// A run on what is set needs no shared memory.
[[maybe_unused]] bool runs_on_what_is_set(small_executor& e) {
  const OH_NN_Tensor tensor{OH_NN_FLOAT32, 4, small_shape.data(), nullptr, OH_NN_TENSOR};
  float data[12] = {};
  for (std::uint32_t i = 0; i < 2; ++i)
    if (OH_NNExecutor_SetInput(e.handle, i, &tensor, data, sizeof data) != OH_NN_SUCCESS) return false;
  return OH_NNExecutor_SetOutput(e.handle, 0, data, sizeof data) == OH_NN_SUCCESS &&
         OH_NNExecutor_Run(e.handle) == OH_NN_SUCCESS;
}

}  // namespace

#if !defined(NNRT_TEST_SANITIZED)  // which needs descriptors itself, to look whether memory can be read
TEST_CASE("without file descriptors there are no tensors and no memory, and everything else works" *
          doctest::skip(nnrt_test::runs_in_valgrind())) {  // which keeps descriptors beyond the limit
  CHECK(in_child([] {
          small_executor e;
          limit(RLIMIT_NOFILE, next_descriptor());
          return first_false({!makes_tensor(64), !makes_memory(e, 64), e.run() == OH_NN_SUCCESS, runs_on_what_is_set(e),
                              small_compilation().code == OH_NN_SUCCESS});
        }) == 0);
}
#endif

TEST_CASE("a descriptor of a tensor's is given back with it") {
  const ::rlim_t before = next_descriptor();
  for (int i = 0; i < 3; ++i) CHECK(makes_tensor(64));
  {
    small_executor e;
    CHECK(makes_memory(e, 64));
    OH_NNExecutor_AllocateInputMemory(e.handle, 0, 64);  // goes with the executor
  }
  CHECK(next_descriptor() == before);
}

TEST_CASE("where files may not grow, shared memory is null") {
  CHECK(in_child([] {
          small_executor e;
          std::signal(SIGXFSZ, SIG_IGN);
          limit(RLIMIT_FSIZE, 100);
          return first_false({!makes_tensor(101), makes_tensor(100), !makes_memory(e, 101), makes_memory(e, 100),
                              e.run() == OH_NN_SUCCESS});
        }) == 0);
}

#if !defined(NNRT_TEST_SANITIZED)  // these take all addresses there are
TEST_CASE("without addresses large shared memory is null, and small one is there") {
  CHECK(in_child([] {
          constexpr std::size_t large = std::size_t{256} << 20;
          small_executor e;
          if (!makes_tensor(large)) return 99;
          limit(RLIMIT_AS, address_space() + (large >> 2));
          return first_false({!makes_tensor(large), makes_tensor(4096), !makes_memory(e, large), makes_memory(e, 4096),
                              e.run() == OH_NN_SUCCESS});
        }) == 0);
}
#endif
