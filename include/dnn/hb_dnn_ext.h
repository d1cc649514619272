// hb_dnn_ext.h: sources of a model's inputs, for C99 and C++.
// Flow: clients include it with hb_dnn.h; nnrt/hb_dnn.hpp defines the function.
#pragma once

#include "hb_dnn.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Source of an input.
typedef enum {
  HB_DNN_INPUT_FROM_DDR = 0,      ///< a tensor of the client
  HB_DNN_INPUT_FROM_RESIZER = 1,  ///< a region of an image, see hbDNNRoiInfer
  HB_DNN_INPUT_FROM_PYRAMID = 2   ///< an NV12 image of the camera
} hbDNNInputSource;

/// Returns the source of an input. source: set. Errors: INVALID_ARGUMENT; INVALID_DNN_HANDLE.
int32_t hbDNNGetInputSource(int32_t* source, hbDNNHandle_t dnnHandle, int32_t inputIndex);

#ifdef __cplusplus
}
#endif
