// c_api: defines every function of OpenHarmony's Neural Network Runtime on top of this library.
// Flow: include it in one or more units of a C++ program, all with the same compiler flags. C units link against them.
//
// Contract: the headers in neural_network_runtime/. The functions turn handles into objects, and null pointers and
// exceptions into error codes. Their code is in nnrt/c_api/.
#pragma once

#include <nnrt/c_api/compilation_functions.hpp>
#include <nnrt/c_api/device_functions.hpp>
#include <nnrt/c_api/executor_functions.hpp>
#include <nnrt/c_api/model_functions.hpp>
#include <nnrt/c_api/tensor_functions.hpp>
#include <nnrt/dynamic.hpp>
#include <nnrt/passes/open_states.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace c_api {

/// Makes a finished model of the network of a static graph, for OH_NNCompilation_Construct; OH_NNModel_Destroy destroys
/// it. In the model, a state is an input and an output of one name (passes/open_states.hpp), listed after the others.
/// Returns null if the weights do not fit (the reason goes to the log) or if memory is exhausted.
template <class G> OH_NNModel* make_model(const weights& file = {}) {
  return guarded("make_model", static_cast<OH_NNModel*>(nullptr), [&](const char* me) -> OH_NNModel* {
    auto made = to_model<G>(file);
    if (!made) return log({me, ": ", made.error().message()}), nullptr;
    if (auto bound = bind_weights(file, weight_specs_of(made->graph)); !bound)
      return log({me, ": ", bound.error().message()}), nullptr;
    passes::open_states(made->graph);
    return reinterpret_cast<OH_NNModel*>(make_object<model_under_construction>(std::move(*made)));
  });
}

}}}  // namespace nnrt::NNRT_ISA::c_api
