// hb_dnn_layer.h: clients' custom operators. There are none here: a compiled model contains all of its operators.
// Flow: clients include it with hb_dnn.h.
#pragma once

#include "../hb_dnn.h"
