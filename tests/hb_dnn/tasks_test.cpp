// tasks: how many there may be, in what order they run, how they end, and that none is lost when many threads do
// everything at once. ThreadSanitizer says the rest.
#include <nnrt/c_api/support.hpp>

#include "hb_dnn/client.hpp"

#include <unistd.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

using namespace nnrt_test;

namespace {

/// One core while this lives.
struct one_core {
  one_core() { REQUIRE(use_cores(1)); }
  ~one_core() { CHECK(use_cores(2)); }
};

/// Runs of "counter" on one number in memory: each adds 1 to it, and keeps what it was, so that runs know their rank.
struct counted {
  const packed& models;
  hbDNNHandle_t model;
  hbSysMem memory{};
  explicit counted(const packed& from, std::int32_t i) : models(from), model(from.model(i)) {
    REQUIRE(hbSysAllocMem(&memory, 4096) == HB_SYS_SUCCESS);
  }
  counted(const counted&) = delete;
  ~counted() { CHECK(hbSysFreeMem(&memory) == HB_SYS_SUCCESS); }

  float& cell(int i) { return static_cast<float*>(memory.virAddr)[i]; }
  hbSysMem part(int i) { return {memory.phyAddr + 4 * static_cast<unsigned>(i), &cell(i), 4}; }
  /// The rank goes to `cell`.
  std::int32_t begin(hbDNNTaskHandle_t* task, int cell, const hbDNNInferCtrlParam& control) {
    hbDNNTensor in{}, out[2] = {};
    in.properties = input_of(model);
    in.sysMem[0] = out[0].sysMem[0] = part(0);
    out[1].sysMem[0] = part(cell);
    hbDNNTensor* first = out;
    hbDNNInferCtrlParam copy = control;
    return hbDNNInfer(task, &first, &in, model, &copy);
  }
};

/// A task of "slow", which takes a while. On a busy machine even that may be over before a test has done what it wanted
/// to do meanwhile: then the test tries again.
struct blocking {
  hbDNNHandle_t model;
  tensors in, out;
  hbDNNTaskHandle_t task = nullptr;
  explicit blocking(const packed& models, std::int32_t i)
      : model(models.model(i)), in(inputs_for(model)), out(outputs_for(model)) {}
  void begin(int priority = HB_DNN_PRIORITY_LOWEST) {
    hbDNNInferCtrlParam control = plainly();
    control.priority = priority;
    task = nullptr;
    REQUIRE(nnrt_test::begin(&task, model, in.data(), out, control) == HB_DNN_SUCCESS);
  }
  bool is_running() const { return hbDNNWaitTaskDone(task, 1) == HB_DNN_TIMEOUT; }
  void end() {
    CHECK(hbDNNWaitTaskDone(task, 0) == HB_DNN_SUCCESS);
    CHECK(hbDNNReleaseTask(task) == HB_DNN_SUCCESS);
    task = nullptr;
  }
};

}  // namespace

TEST_CASE("tasks: a wait that is too short leaves the task, a later one ends well") {
  const packed models({slow()});
  blocking b(models, 0);
  bool was_too_short = false;
  for (int attempt = 0; attempt < 50 && !was_too_short; ++attempt) {
    b.begin();
    was_too_short = b.is_running();
    CHECK(hbDNNRelease(models.handle) == HB_DNN_MODEL_IS_RUNNING);
    b.end();
  }
  CHECK(was_too_short);
}

TEST_CASE("tasks: who hears that a model is running may end its task and release the model") {
  ::alarm(60);  // a hang ends the test
  struct state {
    packed models{std::vector<network>{slow()}};
    blocking task{models, 0};
    std::int32_t released = -1;
  } all;
  const auto hears = [](std::string_view, void* user) {
    auto& mine = *static_cast<state*>(user);
    mine.task.end();
    mine.released = hbDNNRelease(mine.models.handle);
  };
  all.task.begin();
  nnrt::set_log(hears, &all);
  CHECK(hbDNNRelease(all.models.handle) == HB_DNN_MODEL_IS_RUNNING);
  nnrt::set_log(nullptr);
  CHECK(all.released == HB_DNN_SUCCESS);
  if (all.released == HB_DNN_SUCCESS) all.models.handle = nullptr;
  ::alarm(0);
}

TEST_CASE("tasks: 32 may be alive; a released one makes room") {
  const one_core only;  // all of them count in one memory
  const packed models({counter()});
  counted c(models, 0);
  std::array<hbDNNTaskHandle_t, 33> list{};
  for (int i = 0; i < 32; ++i) CHECK(c.begin(&list[static_cast<std::size_t>(i)], 1, plainly()) == HB_DNN_SUCCESS);
  CHECK(c.begin(&list[32], 1, plainly()) == HB_DNN_TASK_NUM_EXCEED_LIMIT);
  CHECK(list[32] == nullptr);
  CHECK(hbDNNWaitTaskDone(list[7], 0) == HB_DNN_SUCCESS);  // that it has ended is not enough
  CHECK(c.begin(&list[32], 1, plainly()) == HB_DNN_TASK_NUM_EXCEED_LIMIT);
  CHECK(hbDNNReleaseTask(list[7]) == HB_DNN_SUCCESS);
  list[7] = nullptr;
  CHECK(c.begin(&list[7], 1, plainly()) == HB_DNN_SUCCESS);
  for (int i = 0; i < 32; ++i) CHECK(hbDNNReleaseTask(list[static_cast<std::size_t>(i)]) == HB_DNN_SUCCESS);
}

TEST_CASE("tasks: `more` gathers calls until one says 0; one wait is for all of them") {
  const one_core only;
  const packed models({counter(), pair()});
  counted c(models, 0);
  hbDNNInferCtrlParam more = plainly(), last = plainly();
  more.more = 1;
  hbDNNTaskHandle_t task = nullptr;
  for (int i = 1; i <= 3; ++i) {
    const hbDNNTaskHandle_t before = task;
    REQUIRE(c.begin(&task, i, more) == HB_DNN_SUCCESS);
    CHECK((before == nullptr || task == before));
  }
  CHECK(c.cell(0) == 0);
  CHECK(hbDNNWaitTaskDone(task, 1) == HB_DNN_API_USE_ERROR);
  tensors in = inputs_for(models.model(1)), out = outputs_for(models.model(1));
  in.at<float>(0)[0] = 2, in.at<float>(1)[0] = 3;
  CHECK(begin(&task, models.model(1), in.data(), out, last) == HB_DNN_SUCCESS);  // another model in the same task
  CHECK(hbDNNWaitTaskDone(task, 0) == HB_DNN_SUCCESS);
  CHECK(c.cell(0) == 3);
  CHECK(out.at<float>(1)[0] == 6);
  CHECK(c.begin(&task, 4, last) == HB_DNN_API_USE_ERROR);
  CHECK(hbDNNReleaseTask(task) == HB_DNN_SUCCESS);

  task = nullptr;
  for (int i = 0; i < 255; ++i) REQUIRE(c.begin(&task, 1, more) == HB_DNN_SUCCESS);
  CHECK(c.begin(&task, 1, more) == HB_DNN_TASK_BATCH_SIZE_EXCEED_LIMIT);
  CHECK(c.begin(&task, 1, last) == HB_DNN_TASK_BATCH_SIZE_EXCEED_LIMIT);
  CHECK(hbDNNReleaseTask(task) == HB_DNN_SUCCESS);  // though nothing was submitted
}

TEST_CASE(
    "tasks: those that wait for one core run by priority, customId and arrival; those that are released do not run") {
  const one_core only;
  const packed models({slow(), counter()});
  blocking b(models, 0);
  counted c(models, 1);
  std::mt19937 random(11);
  struct waiting {
    int priority;
    std::int64_t custom_id;
    int cell;
    hbDNNTaskHandle_t task;
  };
  int rounds = 0;
  for (int attempt = 0; attempt < 50 && rounds < 3; ++attempt) {
    c.cell(0) = 0;
    b.begin(254);  // before the others
    std::vector<waiting> list;
    for (int i = 0; i < 31; ++i) {
      waiting w{static_cast<int>(random() % 4) * 60, static_cast<std::int64_t>(random() % 3) - 1, i + 1, nullptr};
      hbDNNInferCtrlParam control = plainly();
      control.priority = w.priority, control.customId = w.custom_id;
      REQUIRE(c.begin(&w.task, w.cell, control) == HB_DNN_SUCCESS);
      list.push_back(w);
    }
    std::vector<int> released;
    for (int i = 0; i < 5; ++i) {
      released.push_back(list.back().cell);
      c.cell(list.back().cell) = -1;
      CHECK(hbDNNReleaseTask(list.back().task) == HB_DNN_SUCCESS);
      list.pop_back();
    }
    const bool all_waited = b.is_running();
    b.end();
    std::stable_sort(list.begin(), list.end(), [](const waiting& x, const waiting& y) {
      return x.priority != y.priority ? x.priority > y.priority : x.custom_id < y.custom_id;
    });
    for (const waiting& each : list) {
      CHECK(hbDNNWaitTaskDone(each.task, 0) == HB_DNN_SUCCESS);
      CHECK(hbDNNReleaseTask(each.task) == HB_DNN_SUCCESS);
    }
    if (!all_waited) continue;
    ++rounds;
    for (std::size_t rank = 0; rank < list.size(); ++rank) CHECK(c.cell(list[rank].cell) == static_cast<float>(rank));
    for (const int cell : released) CHECK(c.cell(cell) == -1);
    CHECK(c.cell(0) == static_cast<float>(list.size()));
  }
  CHECK(rounds == 3);
}

TEST_CASE("tasks: the highest priority runs between two nodes of what runs") {
  const one_core only;
  const packed models({slow(), counter()});
  blocking b(models, 0);
  counted c(models, 1);
  hbDNNInferCtrlParam high = plainly(), highest = plainly();
  high.priority = 254, highest.priority = HB_DNN_PRIORITY_PREEMP;
  bool has_pre_empted = false;
  for (int attempt = 0; attempt < 50 && !has_pre_empted; ++attempt) {
    c.cell(0) = 0;
    b.begin(254);
    hbDNNTaskHandle_t waits = nullptr, pre_empts = nullptr;
    (void)hbDNNWaitTaskDone(b.task, 2);  // let it begin
    REQUIRE(c.begin(&waits, 1, high) == HB_DNN_SUCCESS);
    REQUIRE(c.begin(&pre_empts, 2, highest) == HB_DNN_SUCCESS);
    CHECK(hbDNNWaitTaskDone(pre_empts, 0) == HB_DNN_SUCCESS);
    has_pre_empted = hbDNNWaitTaskDone(waits, 1) == HB_DNN_TIMEOUT && b.is_running();
    b.end();
    CHECK(hbDNNWaitTaskDone(waits, 0) == HB_DNN_SUCCESS);
    if (has_pre_empted) CHECK((c.cell(2) == 0 && c.cell(1) == 1));
    for (const hbDNNTaskHandle_t each : {waits, pre_empts}) CHECK(hbDNNReleaseTask(each) == HB_DNN_SUCCESS);
  }
  CHECK(has_pre_empted);
}

TEST_CASE("tasks: one that is released while it runs writes all of its results or none, and nothing afterwards") {
  const packed models({slow()});
  blocking b(models, 0);
  const auto memory = [&] { return std::string(b.out.at<char>(0), b.out[0].sysMem[0].memSize); };
  const auto clear = [&] { fill_with_noise(b.out.at<void>(0), b.out[0].sysMem[0].memSize); };
  b.begin();
  b.end();
  const std::string results = memory();
  clear();
  const std::string nothing = memory();
  int stopped = 0;
  for (int attempt = 0; attempt < 60 && stopped < 3; ++attempt) {
    clear();
    b.begin();
    (void)hbDNNWaitTaskDone(b.task, 1 + attempt % 3 * 4);
    CHECK(hbDNNReleaseTask(b.task) == HB_DNN_SUCCESS);
    const std::string now = memory();
    CHECK((now == nothing || now == results));
    stopped += now == nothing ? 1 : 0;
    clear();  // as a client that uses the memory for something else
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    CHECK(memory() == nothing);
  }
  CHECK(stopped == 3);
}

TEST_CASE("tasks: memory that is freed while a task uses it stays until that has ended, and nobody else gets it") {
  const packed models({slow()});
  for (const bool is_waited_for : {true, true, false}) {
    blocking b(models, 0);
    b.begin();
    const void* const freed[] = {b.in.at<void>(0), b.out.at<void>(0)};
    for (tensors* const each : {&b.in, &b.out}) CHECK(hbSysFreeMem(&(*each)[0].sysMem[0]) == HB_SYS_SUCCESS);
    std::vector<tensors> others;  // some of them where the freed ones were, if these had gone
    for (int i = 0; i < 8; ++i) others.push_back(outputs_for(b.model));
    const bool is_running = b.is_running();
    for (tensors& other : others)
      if (is_running) CHECK((other.at<void>(0) != freed[0] && other.at<void>(0) != freed[1]));
    if (is_waited_for) CHECK(hbDNNWaitTaskDone(b.task, 0) == HB_DNN_SUCCESS);
    CHECK(hbDNNReleaseTask(b.task) == HB_DNN_SUCCESS);
  }
}

TEST_CASE("tasks: images that are freed while hbDNNResize waits for its turn stay until that is over") {
  const one_core only;
  const packed models({slow()});
  blocking b(models, 0);
  const hbDNNTensorProperties image = image_of(HB_DNN_IMG_TYPE_Y, 64, 64, 64);
  bool has_waited = false;
  for (int attempt = 0; attempt < 50 && !has_waited; ++attempt) {
    b.begin();
    tensors images;
    std::weak_ptr<const void> memory[2];
    for (std::weak_ptr<const void>& each : memory) each = memory_at(images.add(image).sysMem[0].virAddr);
    hbDNNTaskHandle_t task = nullptr;
    hbDNNResizeCtrlParam control = plain_resize();
    REQUIRE(hbDNNResize(&task, &images[1], &images[0], nullptr, &control) == HB_DNN_SUCCESS);
    for (std::size_t i = 0; i < 2; ++i) CHECK(hbSysFreeMem(&images[i].sysMem[0]) == HB_SYS_SUCCESS);
    const bool stays = !memory[0].expired() && !memory[1].expired();
    has_waited = hbDNNWaitTaskDone(task, 1) == HB_DNN_TIMEOUT;
    if (has_waited) CHECK(stays);
    b.end();
    CHECK(hbDNNWaitTaskDone(task, 0) == HB_DNN_SUCCESS);
    CHECK((memory[0].expired() && memory[1].expired()));
    CHECK(hbDNNReleaseTask(task) == HB_DNN_SUCCESS);
  }
  CHECK(has_waited);
}

TEST_CASE("tasks: a core that is not there is refused") {
  const one_core only;
  const packed models({counter()});
  counted c(models, 0);
  hbDNNTaskHandle_t task = nullptr;
  hbDNNInferCtrlParam control = plainly();
  control.bpuCoreId = HB_BPU_CORE_1;
  CHECK(c.begin(&task, 1, control) == HB_DNN_INVALID_ARGUMENT);
  control.bpuCoreId = HB_BPU_CORE_0 | HB_BPU_CORE_1;
  REQUIRE(c.begin(&task, 1, control) == HB_DNN_SUCCESS);
  CHECK(hbDNNWaitTaskDone(task, 0) == HB_DNN_SUCCESS);
  CHECK(hbDNNReleaseTask(task) == HB_DNN_SUCCESS);
}

TEST_CASE(
    "tasks: eight threads, four tasks each, with random priorities, waits that are too short and releases at any "
    "time") {
  const packed models({pair(), slow(), camera()});
  std::atomic<int> done{0}, released{0}, too_many{0}, wrong{0};
  const auto client = [&](unsigned seed) {
    std::mt19937 random(seed);
    const hbDNNHandle_t quick = models.model(0), long_one = models.model(1), of_images = models.model(2);
    struct running {
      hbDNNHandle_t model;
      tensors in, out;
      hbDNNTaskHandle_t task = nullptr;
      float expected = 0;
    };
    for (int round = 0; round < 12; ++round) {
      std::vector<running> list;
      for (int i = 0; i < 4; ++i) {
        const auto kind = random() % 8;
        const hbDNNHandle_t model = kind == 0 ? long_one : kind < 3 ? of_images : quick;
        running r{model, inputs_for(model), outputs_for(model)};
        if (model == quick) {
          const float a = static_cast<float>(random() % 100), b = static_cast<float>(random() % 100);
          r.in.at<float>(0)[7] = a, r.in.at<float>(1)[7] = b;
          r.expected = a * b;
        }
        hbDNNInferCtrlParam control = plainly();
        control.priority = random() % 3 == 0 ? HB_DNN_PRIORITY_PREEMP : static_cast<int>(random() % 255);
        control.customId = static_cast<int>(random() % 5);
        control.bpuCoreId = static_cast<int>(random() % 4);
        const std::int32_t code = begin(&r.task, model, r.in.data(), r.out, control);
        if (code == HB_DNN_TASK_NUM_EXCEED_LIMIT) ++too_many;
        else if (code != HB_DNN_SUCCESS) ++wrong;
        list.push_back(std::move(r));
      }
      for (running& r : list) {
        if (r.task == nullptr) continue;
        const auto what = random() % 4;
        std::int32_t code = HB_DNN_TIMEOUT;
        if (what > 0) code = hbDNNWaitTaskDone(r.task, what == 1 ? 1 : 0);
        if (code == HB_DNN_SUCCESS) {
          ++done;
          if (r.model == quick && r.out.at<float>(1)[7] != r.expected) ++wrong;
        } else if (code != HB_DNN_TIMEOUT || what > 1) ++wrong;
        else ++released;
        if (hbDNNReleaseTask(r.task) != HB_DNN_SUCCESS) ++wrong;
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) threads.emplace_back(client, 17 + t);
  for (std::thread& each : threads) each.join();
  CHECK(wrong == 0);
  CHECK(done + released + too_many == 8 * 12 * 4);
  CHECK((done > 0 && too_many == 0));
}

TEST_CASE("tasks: a task may be waited for by one thread and released by another") {
  const packed models({slow()});
  blocking b(models, 0);
  for (int round = 0; round < 5; ++round) {
    b.begin();
    std::atomic<std::int32_t> told{1};
    std::thread waits([&, task = b.task] { told = hbDNNWaitTaskDone(task, 0); });
    if (round % 2 == 1) (void)hbDNNWaitTaskDone(b.task, 2);
    std::array<std::thread, 2> release;
    std::atomic<int> successes{0};
    for (std::thread& each : release)
      each = std::thread([&, task = b.task] { successes += hbDNNReleaseTask(task) == HB_DNN_SUCCESS ? 1 : 0; });
    for (std::thread& each : release) each.join();
    waits.join();
    CHECK(successes == 1);
    CHECK((told == HB_DNN_INVALID_TASK_HANDLE || told == HB_DNN_SUCCESS));
  }
}
