// devices_test: devices of hosts that the environment names, through the C functions - listed, run, and gone.
#include <nnrt/c_api.hpp>
#include <nnrt/remote/host.hpp>

#include <neural_network_runtime/neural_network_core.h>
#include <neural_network_runtime/neural_network_runtime.h>

#include "remote/toy_driver.hpp"
#include "support/child_process.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

using namespace nnrt;
using namespace nnrt_test;

namespace {

constexpr auto doubled = [](builder& g) { g.output("y", relu(g.input<f32, shape<1, 4>>("x"))); };

/// Serves at the path, in another process; a run on numbers that begin with 99 takes 30 seconds.
::pid_t begin_host(const std::string& path) {
  return begin_child([&] {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const auto driver = std::make_shared<toy_driver>();
    driver->before = [](auto inputs, auto) {
      float first = 0;
      std::memcpy(&first, inputs[0].data, sizeof first);
      return ::sleep(first == 99 ? 30 : 0), result<void>();
    };
    auto listens = remote::listening_socket::at(path);
    const owned_fd never(::eventfd(0, EFD_CLOEXEC));
    return listens && remote::serve(hal::device(driver), *listens, never.number()) ? 0 : 1;
  });
}

std::vector<std::size_t> listed() {
  const std::size_t* ids = nullptr;
  std::uint32_t count = 0;
  REQUIRE(OH_NNDevice_GetAllDevicesID(&ids, &count) == OH_NN_SUCCESS);
  return {ids, ids + count};
}
std::string name_of(std::size_t id) {
  const char* name = nullptr;
  REQUIRE(OH_NNDevice_GetName(id, &name) == OH_NN_SUCCESS);
  return name;
}

/// A client's own static object, which lists devices at the program's very end; hosts were looked for before.
struct lister {
  ~lister() {
    ::setenv("NNRT_DRIVER_SOCKETS", "/nonexistent/socket", 1);
    const std::size_t* ids = nullptr;
    std::uint32_t count = 0;
    if (OH_NNDevice_GetAllDevicesID(&ids, &count) != OH_NN_SUCCESS || count == 0) std::_Exit(EXIT_FAILURE);
  }
} lists_at_the_end;

std::atomic<int> died{0}, ended{0};
OH_NN_ReturnCode ended_with = OH_NN_SUCCESS;

}  // namespace

TEST_CASE("devices: who hears that a host is not there may list devices") {
  const int ended_so = in_child([] {
    ::alarm(20);  // a hang ends the child
    ::setenv("NNRT_DRIVER_SOCKETS", "/nonexistent/socket", 1);
    static std::size_t lines = 0, seen = 0;
    set_log([](std::string_view, void*) { ++lines, seen = listed().size(); });
    const std::size_t all = listed().size();
    if (lines != 1 || seen != all) return 1;
    c_api::detail::named_hosts others;  // the same when they are asked for the first time
    others.find(false);
    if (lines != 2) return 2;
    others.find(false);
    return lines == 2 ? 0 : 3;
  });
  CHECK(ended_so == 0);
}

TEST_CASE("devices: a host that the environment names is listed, runs models, and its death is told") {
  const temporary_folder folder;
  const std::string path = folder.file("socket"), absent = folder.file("absent");
  ::setenv("NNRT_DRIVER_SOCKETS", (absent + "::" + path).c_str(), 1);
  const std::size_t own = listed().size();  // nobody listens yet
  const ::pid_t host = begin_host(path);
  std::vector<std::size_t> ids = listed();
  for (int i = 0; i < 500 && ids.size() == own; ++i) ::usleep(10'000), ids = listed();
  REQUIRE(ids.size() == own + 1);
  CHECK(name_of(ids[0]) == "cpu_nnrt_v2_1");
  CHECK(name_of(ids[own]) == "remote_toy_test_v3_1");
  OH_NN_DeviceType type = OH_NN_OTHERS;
  CHECK(OH_NNDevice_GetType(ids[own], &type) == OH_NN_SUCCESS);
  CHECK(type == OH_NN_ACCELERATOR);

  OH_NNModel* model = c_api::make_model<graph<doubled>>();
  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model);
  REQUIRE(OH_NNCompilation_SetDevice(compilation, ids[own]) == OH_NN_SUCCESS);
  REQUIRE(OH_NNCompilation_Build(compilation) == OH_NN_SUCCESS);
  OH_NNExecutor* executor = OH_NNExecutor_Construct(compilation);
  NN_TensorDesc* described[] = {OH_NNExecutor_CreateInputTensorDesc(executor, 0),
                                OH_NNExecutor_CreateOutputTensorDesc(executor, 0)};
  NN_Tensor *in = OH_NNTensor_Create(ids[own], described[0]), *out = OH_NNTensor_Create(ids[own], described[1]);
  auto* const x = static_cast<float*>(OH_NNTensor_GetDataBuffer(in));
  const auto* const y = static_cast<const float*>(OH_NNTensor_GetDataBuffer(out));
  std::copy_n(std::begin({-1.0F, 0.0F, 2.5F, 7.0F}), 4, x);
  CHECK(OH_NNExecutor_RunSync(executor, &in, 1, &out, 1) == OH_NN_SUCCESS);
  CHECK(y[0] == -1);  // the device's arithmetic, not relu's
  CHECK(y[2] == 6);

  OH_NNExecutor_SetOnServiceDied(executor, [](void* user) { died = user == &died ? 1 : 2; });
  OH_NNExecutor_SetOnRunDone(executor, [](void*, OH_NN_ReturnCode code, void**, std::int32_t) {
    ended_with = code, ended = 1;
    ended.notify_one();
  });
  x[0] = 99;
  REQUIRE(OH_NNExecutor_RunAsync(executor, &in, 1, &out, 1, 0, &died) == OH_NN_SUCCESS);
  ::usleep(50'000);
  CHECK(ended == 0);
  ::kill(host, SIGKILL);
  (void)end_of(host);
  ended.wait(0);
  CHECK(ended_with == OH_NN_UNAVAILABLE_DEVICE);
  CHECK(died == 1);
  CHECK(OH_NNExecutor_RunSync(executor, &in, 1, &out, 1) == OH_NN_UNAVAILABLE_DEVICE);

  const ::pid_t next = begin_host(path);
  OH_NNCompilation* again = nullptr;
  OH_NN_ReturnCode built = OH_NN_FAILED;
  for (int i = 0; i < 500 && built != OH_NN_SUCCESS; ++i) {
    if (again != nullptr) OH_NNCompilation_Destroy(&again), ::usleep(10'000);
    again = OH_NNCompilation_Construct(model);
    OH_NNCompilation_SetDevice(again, ids[own]);
    built = OH_NNCompilation_Build(again);
  }
  CHECK(built == OH_NN_SUCCESS);
  OH_NNExecutor* second = OH_NNExecutor_Construct(again);
  x[0] = 1;
  CHECK(OH_NNExecutor_RunSync(second, &in, 1, &out, 1) == OH_NN_SUCCESS);  // the tensors are of the first host's time
  CHECK(y[0] == 3);
  CHECK(listed() == ids);

  OH_NNExecutor_Destroy(&second), OH_NNExecutor_Destroy(&executor);
  OH_NNCompilation_Destroy(&again), OH_NNCompilation_Destroy(&compilation), OH_NNModel_Destroy(&model);
  OH_NNTensor_Destroy(&in), OH_NNTensor_Destroy(&out);
  OH_NNTensorDesc_Destroy(&described[0]), OH_NNTensorDesc_Destroy(&described[1]);
  ::kill(next, SIGKILL);
  (void)end_of(next);
  ::unsetenv("NNRT_DRIVER_SOCKETS");
}
