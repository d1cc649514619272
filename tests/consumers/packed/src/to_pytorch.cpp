// to_pytorch: a weights' file with its convolutions in PyTorch's order of axes. usage: to_pytorch FROM.safetensors
// TO.safetensors
#include <nnrt/io/make_weights.hpp>
#include <nnrt/nnrt.hpp>

#include <cstring>
#include <deque>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto file = nnrt::weights::open(argv[1]);
  if (!file) return 1;
  std::vector<nnrt::tensor_entry> tensors;
  std::deque<std::vector<float>> reordered;
  for (nnrt::tensor_entry tensor : file->entries()) {
    if (tensor.shape.rank == 4) {  // [out, h, w, in] to [out, in, h, w]
      const nnrt::shape_t from = tensor.shape;
      const std::int64_t pixels = from[1] * from[2];
      std::vector<float> numbers(static_cast<std::size_t>(from.elements()));
      std::memcpy(numbers.data(), tensor.bytes.data(), tensor.bytes.size());
      std::vector<float>& moved = reordered.emplace_back(numbers.size());
      for (std::int64_t o = 0; o < from[0]; ++o)
        for (std::int64_t p = 0; p < pixels; ++p)
          for (std::int64_t i = 0; i < from[3]; ++i)
            moved[static_cast<std::size_t>((o * from[3] + i) * pixels + p)] =
                numbers[static_cast<std::size_t>((o * pixels + p) * from[3] + i)];
      tensor = nnrt::tensor_of<float>(tensor.name, {from[0], from[3], from[1], from[2]}, moved);
    }
    tensors.push_back(tensor);
  }
  const auto made = nnrt::make_weights(tensors);
  return made && nnrt::save_weights(argv[2], *made) ? 0 : 1;
}
