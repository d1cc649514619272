// bpu: networks as int8 accelerators run them - what these take, where the rest runs, scales from samples, quantised
// values.
// Flow: include it beside nnrt.hpp; another architecture is one more file like policy/bayes.hpp.
#pragma once

#include <nnrt/nnrt.hpp>

#include <nnrt/exec/accelerated.hpp>
#include <nnrt/exec/calibration_report.hpp>
#include <nnrt/exec/partition.hpp>
#include <nnrt/policy/bayes.hpp>
#include <nnrt/policy/bayes_e.hpp>
#include <nnrt/policy/bernoulli2.hpp>
#include <nnrt/policy/image_input.hpp>
