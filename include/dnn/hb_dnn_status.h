// hb_dnn_status.h: what the hbDNN and hbSys functions answer, for C99 and C++.
// Flow: included by hb_sys.h and hb_dnn.h; which function answers what stands beside it there.
#pragma once

/// What an hbDNN function answers. Above each code but 0: when the functions of nnrt give it.
typedef enum {
  HB_DNN_SUCCESS = 0,
  /// A null pointer, an index or number out of range, a tensor whose shape, type or memory does not fit, a region that
  /// breaks a limit.
  HB_DNN_INVALID_ARGUMENT = -6000001,
  /// The bytes are no compiled model, are damaged, name a model twice, or have a tensor that hbDNN cannot describe.
  HB_DNN_INVALID_MODEL = -6000002,
  /// More than 255 models in one packed handle.
  HB_DNN_MODEL_NUMBER_EXCEED_LIMIT = -6000003,
  /// The handle was never given out, or hbDNNRelease took it back.
  HB_DNN_INVALID_PACKED_DNN_HANDLE = -6000004,
  /// The same of a model, which goes with its packed handle.
  HB_DNN_INVALID_DNN_HANDLE = -6000005,
  /// The file does not exist or cannot be read.
  HB_DNN_CAN_NOT_OPEN_FILE = -6000006,
  HB_DNN_OUT_OF_MEMORY = -6000007,
  /// hbDNNWaitTaskDone waited as long as it was told; the task goes on.
  HB_DNN_TIMEOUT = -6000008,
  /// 32 tasks of models, or 32 of hbDNNResize, have not been released.
  HB_DNN_TASK_NUM_EXCEED_LIMIT = -6000009,
  /// More than 255 models or regions in one task.
  HB_DNN_TASK_BATCH_SIZE_EXCEED_LIMIT = -6000010,
  /// The handle was never given out, or the task has been released.
  HB_DNN_INVALID_TASK_HANDLE = -6000011,
  /// The network found fault with the values of its inputs, or had no memory.
  HB_DNN_RUN_TASK_FAILED = -6000012,
  /// hbDNNRelease while tasks of its models have not been released.
  HB_DNN_MODEL_IS_RUNNING = -6000013,
  /// The model was compiled for another architecture than the one that is simulated.
  HB_DNN_INCOMPATIBLE_MODEL = -6000014,
  /// hbDNNInfer for a model that reads from the resizer, hbDNNRoiInfer for one that does not, or a task that has been
  /// submitted already.
  HB_DNN_API_USE_ERROR = -6000015,
  /// Given by no function of nnrt.
  HB_DNN_MULTI_PROGRESS_USE_ERROR = -6000016
} hbDNNStatus;

/// What an hbSys function answers.
typedef enum {
  HB_SYS_SUCCESS = 0,
  /// A null pointer, a size of 0, an unknown flag, memory that was not allocated or is not large enough.
  HB_SYS_INVALID_ARGUMENT = -6000129,
  HB_SYS_OUT_OF_MEMORY = -6000130,
  /// The region overlaps one that is registered or allocated, or nobody knows where it is.
  HB_SYS_REGISTER_MEM_FAILED = -6000131
} hbSysStatus;
