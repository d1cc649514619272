// hb_dnn_layer.h: operators of a client's own. There are none here: a compiled model has all of its operators.
// Flow: clients include it beside hb_dnn.h.
#pragma once

#include "../hb_dnn.h"
