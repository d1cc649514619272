// bpu: networks under the limits of int8 accelerators - what they take, where the rest runs.
// Flow: include it beside nnrt.hpp; another architecture is one more file like policy/bayes.hpp.
#pragma once

#include <nnrt/nnrt.hpp>

#include <nnrt/exec/partition.hpp>
#include <nnrt/policy/bayes.hpp>
#include <nnrt/policy/bayes_e.hpp>
#include <nnrt/policy/bernoulli2.hpp>
