/* The dnn headers in C: every name that clients use, and the layout of every struct.
   Flow: layout_test.cpp compares with C++. */
#include <dnn/hb_dnn.h>
#include <dnn/hb_dnn_ext.h>
#include <dnn/hb_dnn_status.h>
#include <dnn/hb_sys.h>
#include <dnn/plugin/hb_dnn_layer.h>
#include <dnn/plugin/hb_dnn_plugin.h>

#include <stddef.h>

#define MUST(name, claim) typedef char name[(claim) ? 1 : -1]
MUST(mem, sizeof(void*) != 8 || sizeof(hbSysMem) == 24);
MUST(shape, sizeof(hbDNNTensorShape) == 36);
MUST(shift, sizeof(void*) != 8 || sizeof(hbDNNQuantiShift) == 16);
MUST(scale, sizeof(void*) != 8 || sizeof(hbDNNQuantiScale) == 32);
MUST(properties, sizeof(void*) != 8 || sizeof(hbDNNTensorProperties) == 176);
MUST(properties_scale, sizeof(void*) != 8 || offsetof(hbDNNTensorProperties, scale) == 96);
MUST(properties_stride, sizeof(void*) != 8 || offsetof(hbDNNTensorProperties, stride) == 140);
MUST(tensor, sizeof(void*) != 8 || sizeof(hbDNNTensor) == 272);
MUST(control, sizeof(hbDNNInferCtrlParam) == 32);
MUST(resize, sizeof(hbDNNResizeCtrlParam) == 28);
MUST(roi, sizeof(hbDNNRoi) == 16);

/* What a client writes; the sum of what it set. */
int hb_dnn_headers_in_c(void) {
  hbDNNInferCtrlParam control;
  hbDNNResizeCtrlParam resize = {HB_BPU_CORE_1, 7, HB_DNN_RESIZE_TYPE_BILINEAR, 0, 0, 0, 0}, initialised;
  hbDNNQuantiType type = SCALE;
  HB_DNN_INITIALIZE_INFER_CTRL_PARAM(&control);
  HB_DNN_INITIALIZE_RESIZE_CTRL_PARAM(&initialised);
  return control.priority + control.more + (int)control.customId + resize.bpuCoreId + resize.priority +
         initialised.reserved4 + (int)type;
}
