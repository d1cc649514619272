// dynamic: networks that arrive at run time - models, compile(), programs and sessions, with every operator.
// Flow: include it together with nnrt.hpp where graphs come from files or other programs.
#pragma once

#include <nnrt/exec/program.hpp>
#include <nnrt/exec/session.hpp>
#include <nnrt/io/model.hpp>
#include <nnrt/io/model_builder.hpp>
#include <nnrt/io/saved_model.hpp>
#include <nnrt/kernels/select.hpp>
#include <nnrt/nnrt.hpp>
#include <nnrt/ops/registry.hpp>
