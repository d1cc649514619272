// hb_dnn_plugin.h: registration of custom operators. There are none here, see hb_dnn_layer.h.
// Flow: clients include it with hb_dnn.h.
#pragma once

#include "hb_dnn_layer.h"
