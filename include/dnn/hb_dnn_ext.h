// hb_dnn_ext.h: what else a model tells, for C99 and C++.
// Flow: beside hb_dnn.h; nnrt/hb_dnn.hpp defines the function.
#pragma once

#include "hb_dnn.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where an input comes from.
typedef enum {
  HB_DNN_INPUT_FROM_DDR = 0,      ///< a tensor of the client's
  HB_DNN_INPUT_FROM_RESIZER = 1,  ///< a region of an image: hbDNNRoiInfer
  HB_DNN_INPUT_FROM_PYRAMID = 2   ///< an image of the camera, NV12
} hbDNNInputSource;

/// Tells where an input comes from. source: set. Errors: INVALID_ARGUMENT; INVALID_DNN_HANDLE.
int32_t hbDNNGetInputSource(int32_t* source, hbDNNHandle_t dnnHandle, int32_t inputIndex);

#ifdef __cplusplus
}
#endif
