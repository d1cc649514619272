// nnrt: the one header for static networks - operators, layers, graph<f>, executors and weights.
// Flow: users include this; networks that arrive at run time need <nnrt/dynamic.hpp> as well.
#pragma once

#include <nnrt/kernels/select.hpp>

#include <nnrt/exec/evaluate.hpp>
#include <nnrt/exec/executor.hpp>
#include <nnrt/io/embed.hpp>
#include <nnrt/io/weights.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ir/layers.hpp>
#include <nnrt/ops/list.hpp>
