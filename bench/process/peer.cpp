// peer: one MobileNetV2 result from a fresh process by the one peer that it is linked with.
// Flow: bench/process/measure.py starts it. usage: bench_process_<peer> FOLDER, where bench_export wrote.
#include "process/said.hpp"
#include "support/description_file.hpp"
#include "support/runner.hpp"

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  const std::string path = std::string(argv[1]) + "/mobilenet_v2";
  bench::description network;
  bench::description_reader from(path + ".description");
  bench::visit(from, network);
  network.onnx_file = path + ".onnx";
  const auto made = bench::peers().at(0).make(network, 1);
  std::vector<std::byte> input(network.of(network.inputs[0]).bytes());
  std::FILE* const file = std::fopen((path + ".input").c_str(), "rb");
  if (file == nullptr || std::fread(input.data(), 1, input.size(), file) != input.size()) return 1;
  std::fclose(file);
  made->set_input(0, input.data());
  made->run();
  std::vector<float> scores(static_cast<std::size_t>(network.of(network.outputs[0]).elements()));
  made->get_output(0, reinterpret_cast<std::byte*>(scores.data()));
  bench::say_result(scores.data(), scores.size());
  std::fflush(stdout);
  _exit(0);  // the result is there: what taking everything down costs is not asked
} catch (const std::exception& reason) {
  std::fprintf(stderr, "%s\n", reason.what());
  return 1;
}
