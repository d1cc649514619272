// hb_dnn: defines every function of hbDNN, the interface of Horizon's and D-Robotics' boards, on top of this library.
// Flow: include it in one or more units of a C++ program, all with the same compiler flags. C units link against them.
//
// Contract: the headers in dnn/. Models are saved_models that were compiled for bernoulli2, bayes or bayes_e. The
// accelerator is simulated with two cores, each a thread (NNRT_BPU_CORES=1: one core). It computes on quantised values,
// with the bits of a session of the same network.
#pragma once

#include <nnrt/dynamic.hpp>
#include <nnrt/hb_dnn/memory_functions.hpp>
#include <nnrt/hb_dnn/model_functions.hpp>
#include <nnrt/hb_dnn/task_functions.hpp>
