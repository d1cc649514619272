// hdi: models as OpenHarmony's HDI has them - types of versions 1.0, 2.0 and 2.1, their byte form, and graphs as such
// models and back.
// Flow: include it to hand a model to a driver of HDI, or to take one from whoever has made it; hdi_ohos.hpp has the
// names that drivers use.
#pragma once

#include <nnrt/dynamic.hpp>
#include <nnrt/hdi/read_model.hpp>
#include <nnrt/hdi/write_model.hpp>
