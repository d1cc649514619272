// hb_dnn_plugin.h: registering operators of a client's own. There are none here: see hb_dnn_layer.h.
// Flow: clients include it beside hb_dnn.h.
#pragma once

#include "hb_dnn_layer.h"
