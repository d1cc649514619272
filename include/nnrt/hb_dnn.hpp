// hb_dnn: defines every function of hbDNN, the interface of Horizon's and D-Robotics' boards, over this library's
// graphs and kernels.
// Flow: include it in one or more units of a C++ program (all with the same compiler flags), whose C units then link
// against them.
//
// Contract: the headers in dnn/. Models are saved_models that were compiled for bernoulli2, bayes or bayes_e. The
// accelerator is simulated: two cores, each a thread (NNRT_BPU_CORES=1: one), on quantised values, bit for bit what a
// session of the same network gives.
#pragma once

#include <nnrt/dynamic.hpp>
#include <nnrt/hb_dnn/memory_functions.hpp>
#include <nnrt/hb_dnn/model_functions.hpp>
#include <nnrt/hb_dnn/task_functions.hpp>
