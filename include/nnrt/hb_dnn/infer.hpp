// infer: turns calls of hbDNNInfer and hbDNNRoiInfer into jobs of a task.
// Flow: task_functions.hpp checks handles and pointers; this header checks tensors, and makes and submits tasks.
#pragma once

#include <nnrt/hb_dnn/client_tensors.hpp>
#include <nnrt/hb_dnn/models.hpp>
#include <nnrt/hb_dnn/runtime.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace hb_dnn {

/// One run of a model: its inputs and the memory of its outputs.
struct model_run {
  std::shared_ptr<loaded_model> model;
  std::vector<std::vector<source>> inputs;  // by input, by item of the batch
  std::vector<std::byte*> outputs;
  used_memory memory;  // of inputs and outputs

  result<void> operator()(const checkpoint& goes_on) const {
    loaded_model::lease with(*model);
    if (!with.ready()) return with.ready();
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (auto ok = put_input(model->inputs[i], inputs[i], resizer_of(*model->table), *with, i); !ok) return ok;
    if (auto ok = (*with).run_while(goes_on, "the task was released"); !ok) return ok;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      write_output(model->outputs[i], (*with).output_bytes(i), outputs[i]);
    return {};
  }
};

/// Why control parameters are invalid; empty: they are valid.
inline diagnostic fault_of_order(std::int32_t cores, std::int32_t dsp_cores, std::int32_t priority) {
  const std::int32_t count = runtime::the().cores.cores(), there = (1 << count) - 1;
  if (cores < 0 || cores > 3) return joined({"bpuCoreId: got ", cores, ", expected 0 to 3"});
  if (cores != HB_BPU_CORE_ANY && (cores & there) == 0)
    return joined({"bpuCoreId: got ", cores, ", but there is 1 core"});
  if (dsp_cores < 0 || dsp_cores > 3) return joined({"dspCoreId: got ", dsp_cores, ", expected 0 to 3"});
  if (priority < HB_DNN_PRIORITY_LOWEST || priority > HB_DNN_PRIORITY_HIGHEST)
    return joined({"priority: got ", priority, ", expected ", static_cast<int>(HB_DNN_PRIORITY_LOWEST), " to ",
                   static_cast<int>(HB_DNN_PRIORITY_HIGHEST)});
  return {};
}
/// The job's order from control parameters.
inline job_order order_of(std::int32_t cores, std::int32_t priority, std::int64_t custom_id) {
  return {.cores = cores, .priority = priority, .custom_id = custom_id, .arrival = 0};
}

/// Addresses for the outputs of `runs` consecutive runs.
[[gnu::cold]] inline std::int32_t find_outputs(const char* me, const loaded_model& model, const hbDNNTensor* output,
                                               std::int64_t runs, used_memory& memory, std::vector<std::byte*>& made) {
  for (std::size_t i = 0; i < model.outputs.size(); ++i) {
    if (const diagnostic wrong = fault_of_memory(memory, output[i].sysMem[0], runs * model.outputs[i].lies.bytes);
        !wrong.empty())
      return fails(HB_DNN_INVALID_ARGUMENT,
                   {me, ": output ", i, " ", piece::in_quotes(model.outputs[i].name), ": ", wrong});
    made.push_back(static_cast<std::byte*>(output[i].sysMem[0].virAddr));
  }
  return HB_DNN_SUCCESS;
}
inline std::int32_t refused(const char* me, const loaded_model& model, std::size_t i, std::int64_t tensor,
                            const diagnostic& wrong) {
  return fails(HB_DNN_INVALID_ARGUMENT,
               {me, ": input ", tensor, " ", piece::in_quotes(model.inputs[i].name), ": ", wrong});
}

/// Prepares the single run of hbDNNInfer.
[[gnu::cold]] inline std::int32_t prepare_infer(const char* me, const std::shared_ptr<loaded_model>& model,
                                                const hbDNNTensor* output, const hbDNNTensor* input,
                                                std::vector<work>& made) {
  model_run run{model, std::vector<std::vector<source>>(model->inputs.size()), {}, used_memory(runtime::the().memory)};
  const hbDNNTensorShape& first = input[0].properties.validShape;
  const bool is_cut = model->batch > 1 && first.numDimensions > 0 && first.dimensionSize[0] == 1;
  const std::int64_t tensors = is_cut ? model->batch : 1;
  for (std::size_t i = 0; i < model->inputs.size(); ++i)
    for (std::int64_t b = 0; b < tensors; ++b) {
      const std::int64_t at = static_cast<std::int64_t>(i) * tensors + b;
      if (const diagnostic wrong = find_sources(run.memory, model->inputs[i], input[at],
                                                is_cut ? 1 : model->inputs[i].batch(), run.inputs[i]);
          !wrong.empty())
        return refused(me, *model, i, at, wrong);
    }
  if (const std::int32_t code = find_outputs(me, *model, output, 1, run.memory, run.outputs); code != HB_DNN_SUCCESS)
    return code;
  made.push_back(std::move(run));
  return HB_DNN_SUCCESS;
}

/// Finds the sources of one set of inputs of hbDNNRoiInfer, item `item` of a run. Its tensors begin at input[first],
/// its regions at *next.
[[gnu::cold]] inline std::int32_t find_set(const char* me, const loaded_model& model, const hbDNNTensor* input,
                                           std::size_t first, const hbDNNRoi* next, std::size_t item, model_run& run) {
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    const tensor_spec& spec = model.inputs[i];
    const hbDNNTensor& tensor = input[first + i];
    source& into = run.inputs[i][item];
    std::vector<source> found;
    const diagnostic wrong = spec.from_resizer()
                                 ? find_region(run.memory, spec, tensor, *next++, resizer_of(*model.table), into)
                                 : find_sources(run.memory, spec, tensor, 1, found);
    if (!wrong.empty()) return refused(me, model, i, static_cast<std::int64_t>(first + i), wrong);
    if (!spec.from_resizer()) into = found.front();
  }
  return HB_DNN_SUCCESS;
}

/// Prepares the runs of hbDNNRoiInfer. Each takes as many sets of inputs as the model's batch; missing sets of the last
/// run are zeros.
[[gnu::cold]] inline std::int32_t prepare_regions(const char* me, const std::shared_ptr<loaded_model>& model,
                                                  const hbDNNTensor* output, const hbDNNTensor* input,
                                                  std::span<const hbDNNRoi> rois, std::vector<work>& made) {
  const auto per_set = static_cast<std::size_t>(model->resizer_inputs);
  if (rois.size() % per_set != 0)
    return fails(HB_DNN_INVALID_ARGUMENT, {me, ": got ", rois.size(), " regions, expected a multiple of ", per_set});
  const std::size_t sets = rois.size() / per_set, batch = static_cast<std::size_t>(model->batch),
                    count = model->inputs.size();
  if (sets > max_jobs)
    return fails(HB_DNN_TASK_BATCH_SIZE_EXCEED_LIMIT,
                 {me, ": got ", sets, " sets of regions, expected at most ", max_jobs});
  used_memory memory(runtime::the().memory);
  std::vector<model_run> runs(
      (sets + batch - 1) / batch,
      model_run{model, std::vector<std::vector<source>>(count, std::vector<source>(batch)), {}, memory});
  for (std::size_t set = 0; set < sets; ++set)
    if (const std::int32_t code =
            find_set(me, *model, input, set * count, &rois[set * per_set], set % batch, runs[set / batch]);
        code != HB_DNN_SUCCESS)
      return code;
  std::vector<std::byte*> outputs;
  if (const std::int32_t code =
          find_outputs(me, *model, output, static_cast<std::int64_t>(runs.size()), memory, outputs);
      code != HB_DNN_SUCCESS)
    return code;
  for (model_run& run : runs) {
    run.outputs = outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] += model->outputs[i].lies.bytes;
    made.push_back(std::move(run));
  }
  return HB_DNN_SUCCESS;
}

/// Submits a task. False: out of memory, or the system refused a thread. It logs nothing, as the caller holds a lock.
inline bool submits(runtime& all, const std::shared_ptr<task>& one) noexcept {
#if defined(__cpp_exceptions)
  try {
    all.cores.submit(one);
  } catch (...) {
    return false;
  }
#else
  all.cores.submit(one);
#endif
  return true;
}

/// Makes a task of these jobs, or adds them to *handle, and submits it unless `more` calls follow. `model`: null for
/// resizing.
[[gnu::cold]] inline std::int32_t start(const char* me, hbDNNTaskHandle_t* handle, const void* model,
                                        const job_order& order, bool more, std::vector<work> jobs) {
  runtime& all = runtime::the();
  std::unique_lock lock(all.admission);
  // Unlock first: the log function may call functions that make tasks.
  const auto refuse = [&](std::int32_t code, pieces why) { return lock.unlock(), fails(code, why); };
  std::shared_ptr<task> one;
  if (*handle != nullptr) {
    one = all.tasks.find(*handle);
    if (one == nullptr)
      return refuse(HB_DNN_INVALID_TASK_HANDLE, {me, ": *taskHandle is neither null nor a task that is alive"});
  }
  std::shared_ptr<packed_models> owner;
  if (model != nullptr) {
    owner = all.owner_of(model);
    if (owner == nullptr) return refuse(HB_DNN_INVALID_DNN_HANDLE, {me, ": the model was released"});
  }
  const bool is_new = one == nullptr;
  if (is_new && !all.may_add_task(model == nullptr))
    return refuse(HB_DNN_TASK_NUM_EXCEED_LIMIT, {me, ": ", max_tasks, " tasks have not been released"});
  if (is_new) one = std::make_shared<task>(model == nullptr);
  one->owners.reserve(one->owners.size() + 1);  // first, so that an exception changes nothing
  const std::size_t added = jobs.size();
  if (const std::int32_t code = all.cores.add(*one, order, std::move(jobs)); code != HB_DNN_SUCCESS)
    return refuse(code, {me, code == HB_DNN_API_USE_ERROR ? ": *taskHandle is a task that waits for no more"
                                                          : ": more than 255 models in one task"});
  void* const name = is_new ? all.tasks.add(one) : *handle;
  if (!more && !submits(all, one)) {
    // Undo the call.
    if (is_new) (void)all.tasks.take(name);
    else all.cores.take_back(*one, added);
    return refuse(HB_DNN_OUT_OF_MEMORY, {me, ": out of memory"});
  }
  if (owner != nullptr) one->owners.push_back(std::move(owner));
  *handle = name;
  return HB_DNN_SUCCESS;
}

}}}  // namespace nnrt::NNRT_ISA::hb_dnn
