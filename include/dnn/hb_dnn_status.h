// hb_dnn_status.h: return codes of the hbDNN and hbSys functions, for C99 and C++.
// Flow: hb_sys.h and hb_dnn.h include it, and document the codes of each function.
#pragma once

/// Return codes of hbDNN functions, with the cases in which nnrt returns them.
typedef enum {
  HB_DNN_SUCCESS = 0,
  /// A null pointer; an index or number out of range; a tensor with an invalid shape, type or memory; a region outside
  /// the limits.
  HB_DNN_INVALID_ARGUMENT = -6000001,
  /// The bytes are not a compiled model, are damaged, name a model twice, or have a tensor that hbDNN cannot describe.
  HB_DNN_INVALID_MODEL = -6000002,
  /// More than 255 models in one packed handle.
  HB_DNN_MODEL_NUMBER_EXCEED_LIMIT = -6000003,
  /// The handle is unknown, or hbDNNRelease has released it.
  HB_DNN_INVALID_PACKED_DNN_HANDLE = -6000004,
  /// The model's handle is unknown, or its packed handle has been released.
  HB_DNN_INVALID_DNN_HANDLE = -6000005,
  /// The file does not exist or cannot be read.
  HB_DNN_CAN_NOT_OPEN_FILE = -6000006,
  HB_DNN_OUT_OF_MEMORY = -6000007,
  /// hbDNNWaitTaskDone reached its time-out; the task is still running.
  HB_DNN_TIMEOUT = -6000008,
  /// 32 tasks of models, or 32 of hbDNNResize, have not been released.
  HB_DNN_TASK_NUM_EXCEED_LIMIT = -6000009,
  /// More than 255 models or regions in one task.
  HB_DNN_TASK_BATCH_SIZE_EXCEED_LIMIT = -6000010,
  /// The handle is unknown, or the task has been released.
  HB_DNN_INVALID_TASK_HANDLE = -6000011,
  /// The network rejected values of its inputs, or memory ran out.
  HB_DNN_RUN_TASK_FAILED = -6000012,
  /// hbDNNRelease while tasks of its models have not been released.
  HB_DNN_MODEL_IS_RUNNING = -6000013,
  /// The model was compiled for another architecture than the simulated one.
  HB_DNN_INCOMPATIBLE_MODEL = -6000014,
  /// hbDNNInfer for a model with resizer inputs, hbDNNRoiInfer for a model without, or a task that has been submitted.
  HB_DNN_API_USE_ERROR = -6000015,
  /// Never returned by nnrt.
  HB_DNN_MULTI_PROGRESS_USE_ERROR = -6000016
} hbDNNStatus;

/// Return codes of hbSys functions.
typedef enum {
  HB_SYS_SUCCESS = 0,
  /// A null pointer, a size of 0, an unknown flag, or memory that was not allocated or is too small.
  HB_SYS_INVALID_ARGUMENT = -6000129,
  HB_SYS_OUT_OF_MEMORY = -6000130,
  /// The region overlaps registered or allocated memory, or has no known address.
  HB_SYS_REGISTER_MEM_FAILED = -6000131
} hbSysStatus;
