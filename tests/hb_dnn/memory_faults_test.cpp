// memory_faults: a heap that fails at any allocation of a run - what the call then answers, that its task is not half
// there, and that the model runs afterwards.
#include "hb_dnn/client.hpp"
#include "support/failing_memory.hpp"

using namespace nnrt_test;

namespace {

/// Sets the number of cores, whose threads start with the next task.
void use_fresh_cores(int count) {
  REQUIRE(use_cores(3 - count));
  REQUIRE(use_cores(count));
}

/// "counter", loaded anew: nobody has run it, so that a run takes memory.
struct fresh_counter {
  packed models{{counter()}};
  tensors in = inputs_for(models.model()), out = outputs_for(models.model());
  hbDNNTaskHandle_t task = nullptr;

  std::int32_t begin(bool more = false) {
    hbDNNInferCtrlParam control = plainly();
    control.more = more ? 1 : 0;
    return nnrt_test::begin(&task, models.model(), in.data(), out, control);
  }
  std::int32_t wait() const { return hbDNNWaitTaskDone(task, 20'000); }  // one that never ends is an error, too
  void release() {
    CHECK(hbDNNReleaseTask(task) == HB_DNN_SUCCESS);
    task = nullptr;
  }
};

}  // namespace

TEST_CASE("memory_faults: an allocation that fails costs the run that made it, and the model runs afterwards") {
  int refused = 0, failed = 0;
  for (long number = 0;; ++number) {
    CAPTURE(number);
    use_fresh_cores(2);
    fresh_counter c;
    begin_shortage({number, false});
    std::int32_t ended = HB_DNN_SUCCESS;
    const std::int32_t begun = lacking([&] {
      const std::int32_t code = c.begin();
      if (code == HB_DNN_SUCCESS) ended = c.wait();
      return code;
    });
    if (begun != HB_DNN_SUCCESS) {
      ++refused;
      CHECK(begun == HB_DNN_OUT_OF_MEMORY);
      CHECK(c.task == nullptr);
    } else {
      if (ended != HB_DNN_SUCCESS) ++failed;
      CHECK((ended == HB_DNN_SUCCESS || ended == HB_DNN_RUN_TASK_FAILED));
      c.release();
    }
    c.in.at<float>(0)[0] = 3;
    REQUIRE(c.begin() == HB_DNN_SUCCESS);
    CHECK(c.wait() == HB_DNN_SUCCESS);
    CHECK(c.out.at<float>(0)[0] == 4);
    c.release();
    if (!has_failed()) break;
  }
  CHECK(refused > 5);
  CHECK(failed > 0);
  // No task of a call that was refused is alive: there is room for all that may be.
  fresh_counter c;
  std::vector<hbDNNTaskHandle_t> tasks(32);
  for (hbDNNTaskHandle_t& each : tasks) {
    c.task = nullptr;
    CHECK(c.begin(true) == HB_DNN_SUCCESS);
    each = c.task;
  }
  for (const hbDNNTaskHandle_t each : tasks) CHECK(hbDNNReleaseTask(each) == HB_DNN_SUCCESS);
}

TEST_CASE("memory_faults: after an allocation that failed a task that waits for more is as it was") {
  int refused = 0;
  for (long number = 0;; ++number) {
    CAPTURE(number);
    use_fresh_cores(1);
    fresh_counter c;
    c.out[0].sysMem[0] = c.in[0].sysMem[0];  // a run counts there
    REQUIRE(c.begin(true) == HB_DNN_SUCCESS);
    const hbDNNTaskHandle_t task = c.task;
    begin_shortage({number, false});
    const std::int32_t code = lacking([&] { return c.begin(); });
    CHECK(c.task == task);
    if (code != HB_DNN_SUCCESS) {
      ++refused;
      CHECK(code == HB_DNN_OUT_OF_MEMORY);
      CHECK(hbDNNWaitTaskDone(task, 1) == HB_DNN_API_USE_ERROR);
      CHECK(c.begin() == HB_DNN_SUCCESS);
    }
    const std::int32_t ended = c.wait();
    // Where the call went well, runs may have begun while the heap still failed.
    if (code != HB_DNN_SUCCESS || !has_failed()) CHECK((ended == HB_DNN_SUCCESS && c.in.at<float>(0)[0] == 2));
    c.release();
    c.out[0].sysMem[0] = {};
    if (!has_failed()) break;
  }
  CHECK(refused > 5);
  use_fresh_cores(2);
}
