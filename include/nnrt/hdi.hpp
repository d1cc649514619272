// hdi: models of OpenHarmony's HDI 1.0, 2.0 and 2.1 - their types, serialisation, and conversion from and to graphs.
// Flow: include it to exchange models with an HDI driver or client; hdi_ohos.hpp has the names that drivers use.
#pragma once

#include <nnrt/dynamic.hpp>
#include <nnrt/hdi/read_model.hpp>
#include <nnrt/hdi/write_model.hpp>
