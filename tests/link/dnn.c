/* A program in C against libdnn.so: versions, memory, refusals, a resized image. Its exit status is the line of the
   first thing that is wrong. */
#include <dnn/hb_dnn.h>
#include <dnn/hb_sys.h>

#include <stddef.h>
#include <string.h>

#define MUST(claim) \
  if (!(claim)) return __LINE__

int main(void) {
  hbPackedDNNHandle_t packed = NULL;
  const char garbage[] = "this is no model", *missing = "there is no such file";
  const void* data = garbage;
  int32_t length = (int32_t)sizeof garbage;
  hbDNNTaskHandle_t task;
  hbDNNResizeCtrlParam control = {HB_BPU_CORE_ANY, HB_DNN_PRIORITY_LOWEST, HB_DNN_RESIZE_TYPE_BILINEAR, 0, 0, 0, 0};
  hbDNNTensor images[2];
  int i;

  MUST(strcmp(hbDNNGetVersion(), "1.1.0") == 0);
  MUST(hbDNNInitializeFromDDR(&packed, &data, &length, 1) == HB_DNN_INVALID_MODEL);
  MUST(hbDNNInitializeFromFiles(&packed, &missing, 1) == HB_DNN_CAN_NOT_OPEN_FILE);
  MUST(packed == NULL && hbDNNRelease(packed) == HB_DNN_INVALID_PACKED_DNN_HANDLE);

  memset(images, 0, sizeof images);
  for (i = 0; i < 2; ++i) {
    hbDNNTensorProperties* p = &images[i].properties;
    p->tensorType = HB_DNN_IMG_TYPE_Y;
    p->tensorLayout = HB_DNN_LAYOUT_NCHW;
    p->validShape.numDimensions = 4;
    p->validShape.dimensionSize[0] = p->validShape.dimensionSize[1] = 1;
    p->validShape.dimensionSize[2] = p->validShape.dimensionSize[3] = 16 * (2 - i);
    p->alignedShape = p->validShape;
    MUST(hbSysAllocCachedMem(&images[i].sysMem[0], 32 * 32) == HB_SYS_SUCCESS);
  }
  memset(images[0].sysMem[0].virAddr, 77, 32 * 32);
  MUST(hbSysFlushMem(&images[0].sysMem[0], HB_SYS_MEM_CACHE_CLEAN) == HB_SYS_SUCCESS);
  MUST(hbDNNResize(&task, &images[1], &images[0], NULL, &control) == HB_DNN_SUCCESS);
  MUST(hbDNNWaitTaskDone(task, 0) == HB_DNN_SUCCESS);
  MUST(hbDNNReleaseTask(task) == HB_DNN_SUCCESS);
  MUST(((unsigned char*)images[1].sysMem[0].virAddr)[16 * 16 - 1] == 77 &&
       ((unsigned char*)images[1].sysMem[0].virAddr)[16 * 16] == 0);
  for (i = 0; i < 2; ++i) MUST(hbSysFreeMem(&images[i].sysMem[0]) == HB_SYS_SUCCESS);
  return 0;
}
