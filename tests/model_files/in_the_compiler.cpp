// in_the_compiler: runs a .tflite or .onnx file that the compiler has read, and prints its outputs.
// Flow: tests/support/model_files.py compiles it for each file, with the literal in MODEL_BYTES.
// MODEL_OPTIONS, if any, begins with a comma: the third argument of NNRT_MODEL.
#include MODEL_BYTES

#include <nnrt/model.hpp>

#include <tuple>

#include "inputs.hpp"

#ifndef MODEL_OPTIONS
#define MODEL_OPTIONS
#endif
NNRT_MODEL(network, "network" MODEL_OPTIONS);

namespace {

using net = nnrt::graph<network>;

template <std::size_t... In, std::size_t... Out> int run_all(std::index_sequence<In...>, std::index_sequence<Out...>) {
  auto made = nnrt::executor<net>::create();
  if (!made) {
    std::printf("%s\n", made.error().message().c_str());
    return 3;
  }
  // As far as elements of booleans go, bool arrays; all in static memory: images are large.
  static std::tuple<std::array<nnrt::element_t<net::inputs[In].desc.type>,
                               static_cast<std::size_t>(net::inputs[In].desc.elements())>...>
      inputs;
  static std::tuple<std::array<nnrt::detail::output_element<net, Out>,
                               static_cast<std::size_t>(net::outputs[Out].desc.elements())>...>
      outputs;
  for (int run = 0; run < model_files::runs; ++run) {
    (model_files::fill(net::inputs[In].desc.type, std::get<In>(inputs).data(), sizeof(std::get<In>(inputs)), run, In),
     ...);
    (*made)(std::get<In>(inputs)..., std::get<Out>(outputs)...);
    (model_files::print(std::get<Out>(outputs).data(), sizeof(std::get<Out>(outputs))), ...);
  }
  return 0;
}

}  // namespace

int main() {
  return run_all(std::make_index_sequence<net::inputs.size()>(), std::make_index_sequence<net::outputs.size()>());
}
