// c_api: defines every function of OpenHarmony's Neural Network Runtime over this library's graphs, passes and kernels.
// Flow: include it in one or more units of a C++ program (all with the same compiler flags), whose C units then link
// against them.
//
// Contract: the headers in neural_network_runtime/. Functions here turn handles into objects, null pointers into codes,
// and exceptions into codes; what they do stands in nnrt/c_api/.
#pragma once

#include <nnrt/c_api/compilation_functions.hpp>
#include <nnrt/c_api/device_functions.hpp>
#include <nnrt/c_api/executor_functions.hpp>
#include <nnrt/c_api/model_functions.hpp>
#include <nnrt/c_api/tensor_functions.hpp>
#include <nnrt/dynamic.hpp>
#include <nnrt/passes/open_states.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace c_api {

/// The network of a static graph as a finished model, for OH_NNCompilation_Construct; OH_NNModel_Destroy destroys it. A
/// state is an input and an output of one name there (passes/open_states.hpp), after the others. Null: the weights do
/// not fit (what is wrong goes to the log), or there is no memory.
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
