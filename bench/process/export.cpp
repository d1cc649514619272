// export: MobileNetV2 as the programs of bench/process read it - weights for nnrt, a description and an ONNX model for
// peers, the input, and the right answer.
// Flow: bench/CMakeLists.txt runs it before it links those programs. usage: bench_export FOLDER
#include "peers/onnx_model.hpp"
#include "support/description_file.hpp"
#include "support/prepared.hpp"

#include <nnrt/io/make_weights.hpp>

namespace {

void write(const std::string& path, const void* from, std::size_t bytes) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr || std::fwrite(from, 1, bytes, file) != bytes || std::fclose(file) != 0)
    throw std::runtime_error("cannot write " + path);
}

void export_to(const std::string& folder, const bench::workload& w) {
  const bench::prepared& with = bench::prepared::of(w, nnrt::f32);
  const std::string path = folder + "/" + w.key;
  if (auto saved = nnrt::save_weights(path + ".safetensors", with.weights()); !saved)
    throw std::runtime_error(saved.error().message());
  {
    bench::description_writer to(path + ".description");
    bench::visit(to, with.network());
  }
  const std::string model = bench::onnx::writer(with.network(), bench::onnx::activations::of_uint8).bytes();
  write(path + ".onnx", model.data(), model.size());
  write(path + ".input", with.inputs()[0].data(), with.inputs()[0].size());
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  for (const bench::workload& w : bench::workloads())
    if (w.key == "mobilenet_v2") return export_to(argv[1], w), 0;
  return 1;
} catch (const std::exception& reason) {
  std::fprintf(stderr, "%s\n", reason.what());
  return 1;
}
