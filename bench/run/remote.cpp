// remote: what an inference costs whose driver lives in another process, and with the driver in this one - a small
// network and MobileNetV1.
// Flow: forks a host of the cpu driver; the two take turns, call by call, and then by ten calls in a row: call by call
// each finds the caches full of the other's weights, so that throughput is what ten in a row say. Where there are two
// cores, each process has one, and they change them twenty times: one core of a machine often has more to do than
// another, which would be taken for a cost of the way there. Prints medians, the median of each turn's ratio, and the
// least, of the time that passes, and of the time that both processes had a core.
#include "networks/mobilenet_v1.hpp"
#include "support/numbers.hpp"

#include <nnrt/dynamic.hpp>
#include <nnrt/exec/weight_specs.hpp>
#include <nnrt/hal/cpu_driver.hpp>
#include <nnrt/io/make_weights.hpp>
#include <nnrt/remote.hpp>

#include <sched.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace nnrt;

constexpr auto perceptron = [](builder& g) {
  auto x = g.input<f32, shape<1, 64>>("x");
  auto h = layers::full_connection<32>(x, "hidden", relu);
  g.output("y", softmax(layers::full_connection<10>(h, "classes")));
};

[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "bench_remote: %s\n", what.c_str());
  std::exit(1);
}

/// One driver's way to run a network, in memory that the driver allocated.
class runner {
 public:
  runner(hal::driver& device, const model& network) {
    auto prepared = device.prepare(network, {});
    if (!prepared) give_up(prepared.error().message());
    model_ = std::move(*prepared);
    runs_ = *model_->make_execution();
    for (std::size_t i = 0; i < model_->input_count(); ++i) add(device, model_->input_desc(i), inputs_);
    for (std::size_t i = 0; i < model_->output_count(); ++i) add(device, model_->output_desc(i), outputs_);
    const auto numbers = bench::numbers_for("input", model_->input_desc(0));
    std::memcpy(inputs_[0].data, numbers.data(), inputs_[0].bytes);
  }
  void run() {
    if (auto done = runs_->run(inputs_, outputs_, no_deadline); !done) give_up(done.error().message());
  }
  bool gave_the_same_as(const runner& other) const {
    return std::memcmp(outputs_[0].data, other.outputs_[0].data, outputs_[0].bytes) == 0;
  }

 private:
  void add(hal::driver& device, const tensor_desc& desc, std::vector<hal::argument>& to) {
    memory_.push_back(*device.allocate(static_cast<std::size_t>(desc.bytes())));
    to.push_back({memory_.back().data(), memory_.back().size(), desc.shape});
  }
  std::shared_ptr<hal::prepared_model> model_;
  std::unique_ptr<hal::execution> runs_;
  std::vector<hal::shared_memory> memory_;
  std::vector<hal::argument> inputs_, outputs_;
};

double seconds_on(::clockid_t clock) {
  ::timespec t{};
  ::clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}
double median(std::vector<double> of) {
  std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2), of.end());
  return of[of.size() / 2];
}

/// Seconds of each of one runner's calls.
struct times {
  std::vector<double> passed, worked;  // seconds of a call, for each turn

  void take(runner& of, ::clockid_t host, int calls) {
    const double begin = seconds_on(CLOCK_MONOTONIC), work = seconds_on(CLOCK_THREAD_CPUTIME_ID) + seconds_on(host);
    for (int i = 0; i < calls; ++i) of.run();
    const double each = 1.0 / calls;
    worked.push_back(each * (seconds_on(CLOCK_THREAD_CPUTIME_ID) + seconds_on(host) - work)),
        passed.push_back(each * (seconds_on(CLOCK_MONOTONIC) - begin));
  }
};

/// The two processes, each on another core.
class cores {
 public:
  explicit cores(::pid_t host) : host_(host) {
    ::cpu_set_t all;
    if (::sched_getaffinity(0, sizeof(all), &all) != 0) return;
    for (int i = 0; i < CPU_SETSIZE && usable_.size() < 2; ++i)
      if (CPU_ISSET(i, &all)) usable_.push_back(i);
  }
  void change() {
    if (usable_.size() < 2) return;
    pin(::getpid(), usable_[0]), pin(host_, usable_[1]);
    std::swap(usable_[0], usable_[1]);
  }

 private:
  /// All threads of a process. One that ends meanwhile needs no core.
  static void pin(::pid_t process, int core) {
    ::cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task"))
      static_cast<void>(::sched_setaffinity(std::atoi(thread.path().filename().c_str()), sizeof(one), &one));
  }
  ::pid_t host_;
  std::vector<int> usable_;
};

template <class G> void compare(const char* name, hal::driver& here, hal::driver& there, ::pid_t host, int calls) {
  ::clockid_t work{};
  if (::clock_getcpuclockid(host, &work) != 0) give_up("no clock of the host");

  const auto graph = to_model<G>();
  std::vector<std::vector<float>> numbers;
  std::vector<tensor_entry> tensors;
  for (const weight_spec& spec : weight_specs_of(graph->graph)) {
    numbers.push_back(bench::numbers_for(spec.name, spec.desc));
    tensors.push_back(tensor_of<float>(spec.name, spec.desc.shape, numbers.back()));
  }
  const model network{graph->graph, *make_weights(tensors)};
  runner in(here, network), out(there, network);
  const auto print = [&](int turn, const char* what, const std::vector<double>& a, const std::vector<double>& b) {
    const double mine = median(a) * 1e6, theirs = median(b) * 1e6, least = *std::min_element(a.begin(), a.end()) * 1e6,
                 their_least = *std::min_element(b.begin(), b.end()) * 1e6;
    std::vector<double> ratios(a.size());
    std::transform(b.begin(), b.end(), a.begin(), ratios.begin(), std::divides<>());
    std::printf(
        "%-12s turns of %2d, %-14s in process %10.2f us, out of process %10.2f us: %+8.2f us, ratio %7.4f, of each "
        "turn %7.4f; least %10.2f and %10.2f us, ratio %7.4f\n",
        name, turn, what, mine, theirs, theirs - mine, theirs / mine, median(std::move(ratios)), least, their_least,
        their_least / least);
    std::fflush(stdout);
  };
  for (int i = 0; i < calls / 10; ++i) in.run(), out.run();
  cores places(host);
  for (const int turn : {1, 10}) {
    times inside, outside;
    const int turns = calls / turn, stretch = std::max(1, turns / 20);
    for (int i = 0; i < turns; ++i) {
      if (i % stretch == 0) places.change();
      inside.take(in, work, turn), outside.take(out, work, turn);
    }
    print(turn, "time passed", inside.passed, outside.passed);
    print(turn, "time of cores", inside.worked, outside.worked);
  }
  if (!in.gave_the_same_as(out)) give_up("the results differ");
}

}  // namespace

int main(int count, char** words) {
  const int scale = count > 1 ? std::max(1, std::atoi(words[1])) : 10;
  const std::string path = "/tmp/bench_remote." + std::to_string(::getpid());
  const ::pid_t host = ::fork();
  if (host == 0) {
    auto listens = remote::listening_socket::at(path);
    const owned_fd never(::eventfd(0, EFD_CLOEXEC));
    if (!listens || !remote::serve(hal::device(std::make_shared<hal::cpu_driver>()), *listens, never.number()))
      return 1;
    return 0;
  }
  auto there = remote::connect(path);
  for (int i = 0; !there && i < 500; ++i) ::usleep(10'000), there = remote::connect(path);
  if (!there) give_up(there.error().message());
  hal::cpu_driver here;
  compare<graph<perceptron>>("perceptron", here, **there, host, scale * 2000);
  compare<graph<networks::mobilenet_v1>>("MobileNetV1", here, **there, host, scale * 100);
  ::kill(host, SIGKILL);
  ::waitpid(host, nullptr, 0);
  ::unlink(path.c_str()), ::unlink((path + ".lock").c_str());
  return 0;
}
