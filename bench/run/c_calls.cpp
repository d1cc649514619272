// c_calls: what an inference costs through the C functions and through nnrt::session - the same
// program, made from the same graph, on the same numbers.
// Flow: prints one line for each network and each way to call; the ways take turns, and the median of many rounds
// counts.
#include "support/clock.hpp"

#include <nnrt/c_api.hpp>
#include <nnrt/dynamic.hpp>

#include <neural_network_runtime/neural_network_core.h>
#include <neural_network_runtime/neural_network_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Networks whose calls, and not whose steps, take the time; and a layer that takes some.
constexpr auto tiny = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 12>>("x");
  g.output("y", nnrt::relu(x));
};
constexpr auto shares = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<16, 256>>("x");
  g.output("y", nnrt::softmax(x));
};

void require(bool holds, const char* what) {
  if (!holds) std::fprintf(stderr, "c_calls: %s\n", what), std::exit(1);
}

/// One way to run a network once.
struct way {
  const char* name;
  std::function<void()> call;
  std::vector<double> seconds = {};  // of a call, in each round
};

/// Rounds in which the ways take turns.
void measure(std::vector<way>& ways, int threads) {
  constexpr int rounds = 200, calls = 500;
  for (int round = -10; round < rounds; ++round)
    for (way& w : ways) {
      const bench::stopwatch watch(threads);
      for (int i = 0; i < calls; ++i) w.call();
      if (round >= 0) w.seconds.push_back(watch.seconds() / calls);
    }
}
double median(std::vector<double> of) {
  std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2), of.end());
  return of[of.size() / 2];
}
void print(const char* network, const std::vector<way>& ways, const char* clock) {
  for (const way& w : ways) {
    const double mine = median(w.seconds) * 1e6, first = median(ways[0].seconds) * 1e6;
    std::printf("%-8s %-28s %8.3f us  %+8.3f us  (%s)\n", network, w.name, mine, mine - first, clock);
  }
}

std::atomic<int> ended{0};
void end(void*, OH_NN_ReturnCode code, void**, std::int32_t) {
  require(code == OH_NN_SUCCESS, "RunAsync failed");
  ended = 1;
  ended.notify_one();
}

/// What is left of an asynchronous run when nothing runs: two threads that wake each other.
class answering_thread {
 public:
  answering_thread() : thread_([this] { answer(); }) {}
  answering_thread(const answering_thread&) = delete;
  ~answering_thread() {
    asked_ = -1;
    asked_.notify_one();
    thread_.join();
  }
  void ask() {
    ++asked_;
    asked_.notify_one();
  }

 private:
  void answer() {
    for (int seen = 0;; end(nullptr, OH_NN_SUCCESS, nullptr, 0)) {
      asked_.wait(seen);
      seen = asked_;
      if (seen < 0) return;
    }
  }

  std::atomic<int> asked_{0};
  std::thread thread_;
};

template <class G> void compare(const char* network, std::size_t elements) {
  const auto graph = nnrt::to_model<G>();
  const auto compiled = nnrt::compile(*graph);
  require(compiled.has_value(), "no program");
  nnrt::session session(*compiled);
  OH_NNModel* model = nnrt::c_api::make_model<G>();
  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model);
  require(OH_NNCompilation_Build(compilation) == OH_NN_SUCCESS, "no compilation");
  OH_NNExecutor* executor = OH_NNExecutor_Construct(compilation);
  NN_TensorDesc* described[] = {OH_NNExecutor_CreateInputTensorDesc(executor, 0),
                                OH_NNExecutor_CreateOutputTensorDesc(executor, 0)};
  NN_Tensor *in = OH_NNTensor_Create(0, described[0]), *out = OH_NNTensor_Create(0, described[1]);

  std::vector<float> x(elements), y(elements);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 3;
  std::copy(x.begin(), x.end(), session.input<float>(0).begin());
  std::memcpy(OH_NNTensor_GetDataBuffer(in), x.data(), x.size() * sizeof(float));
  std::int32_t* shape = nullptr;
  std::size_t rank = 0;
  OH_NNTensorDesc_GetShape(described[0], &shape, &rank);
  const OH_NN_Tensor tensor{OH_NN_FLOAT32, static_cast<std::uint32_t>(rank), shape, nullptr, OH_NN_TENSOR};
  require(OH_NNExecutor_SetInput(executor, 0, &tensor, x.data(), x.size() * sizeof(float)) == OH_NN_SUCCESS,
          "SetInput");
  require(OH_NNExecutor_SetOutput(executor, 0, y.data(), y.size() * sizeof(float)) == OH_NN_SUCCESS, "SetOutput");
  OH_NNExecutor_SetOnRunDone(executor, end);

  const auto run_sync = [&] { require(OH_NNExecutor_RunSync(executor, &in, 1, &out, 1) == OH_NN_SUCCESS, "RunSync"); };
  std::vector<way> ways{{"session::run", [&] { require(session.run().has_value(), "run"); }},
                        {"OH_NNExecutor_RunSync", run_sync},
                        {"OH_NNExecutor_Run", [&] { require(OH_NNExecutor_Run(executor) == OH_NN_SUCCESS, "Run"); }},
                        {"SetInput, SetOutput and Run", [&] {
                           OH_NNExecutor_SetInput(executor, 0, &tensor, x.data(), x.size() * sizeof(float));
                           OH_NNExecutor_SetOutput(executor, 0, y.data(), y.size() * sizeof(float));
                           require(OH_NNExecutor_Run(executor) == OH_NN_SUCCESS, "Run");
                         }}};
  measure(ways, 1);
  print(network, ways, "this thread's time");
  answering_thread other;
  std::vector<way> waited{{"session::run", ways[0].call},
                          {"a thread that only answers",
                           [&] {
                             ended = 0;
                             other.ask();
                             ended.wait(0);
                           }},
                          {"OH_NNExecutor_RunAsync", [&] {
                             ended = 0;
                             require(OH_NNExecutor_RunAsync(executor, &in, 1, &out, 1, 0, executor) == OH_NN_SUCCESS,
                                     "RunAsync");
                             ended.wait(0);
                           }}};
  measure(waited, 2);
  print(network, waited, "until it has ended");
  const auto expected = session.output<float>(0);
  require(std::memcmp(expected.data(), y.data(), y.size() * sizeof(float)) == 0 &&
              std::memcmp(expected.data(), OH_NNTensor_GetDataBuffer(out), y.size() * sizeof(float)) == 0,
          "the results differ");

  OH_NNExecutor_Destroy(&executor), OH_NNCompilation_Destroy(&compilation), OH_NNModel_Destroy(&model);
  OH_NNTensor_Destroy(&in), OH_NNTensor_Destroy(&out);
  for (NN_TensorDesc*& desc : described) OH_NNTensorDesc_Destroy(&desc);
}

}  // namespace

int main() {
  compare<nnrt::graph<tiny>>("relu", 12);
  compare<nnrt::graph<shares>>("softmax", std::size_t{16} * 256);
}
