/* The dnn headers under their short names, with include/dnn alone on the include path.
   Flow: compiled as C99 and as C++20 by a separate test, and never linked. */
#include "hb_dnn.h"
#include "hb_dnn_ext.h"
#include "hb_dnn_status.h"
#include "hb_sys.h"
#include "plugin/hb_dnn_layer.h"
#include "plugin/hb_dnn_plugin.h"

#if defined(__has_include)
#if __has_include(<dnn/hb_dnn.h>)
#error "include/ is on the include path: this file is to be compiled without it"
#endif
#endif

/* A name of each header. */
hbDNNTensor tensor_of_hb_dnn;
hbDNNInputSource source_of_hb_dnn_ext;
hbDNNStatus status_of_hb_dnn_status;
hbSysMem memory_of_hb_sys;
