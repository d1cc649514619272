// rows: files of one operator each.
#include "rows.hpp"

#include <cstdio>
#include <cstdlib>

namespace tflite_test {

namespace {

std::vector<std::byte> stored(const data& d) {
  switch (d.type) {
    case float32: return bytes_of<float>(d.numbers);
    case int32: return bytes_of<std::int32_t>(d.numbers);
    case int64: return bytes_of<std::int64_t>(d.numbers);
    case uint64: return bytes_of<std::uint64_t>(d.numbers);
    case int16: return bytes_of<std::int16_t>(d.numbers);
    case uint8:
    case boolean: return bytes_of<std::uint8_t>(d.numbers);
    case int8: return bytes_of<std::int8_t>(d.numbers);
  }
  std::fprintf(stderr, "rows of tests have no type %d\n", static_cast<int>(d.type));
  std::abort();
}

}  // namespace

file file_of(const row& r, std::vector<std::vector<double>>& inputs) {
  file made;
  call c{r.builtin, {}, {}, r.with};
  for (const data& d : r.inputs) {
    if (d.type < 0) {
      c.inputs.push_back(-1);
      continue;
    }
    const int index = made.add({d.type,
                                d.shape,
                                "in" + std::to_string(made.tensors.size()),
                                d.is_constant ? stored(d) : std::vector<std::byte>(),
                                d.quantization,
                                {},
                                d.is_variable});
    c.inputs.push_back(index);
    if (d.is_constant || d.is_variable) continue;
    made.inputs.push_back(index);
    inputs.push_back(d.numbers);
  }
  for (const data& d : r.outputs) {
    c.outputs.push_back(made.add({d.type, d.shape, "out" + std::to_string(made.tensors.size()), {}, d.quantization}));
    made.outputs.push_back(c.outputs.back());
  }
  for (const intermediate& d : r.intermediates)
    c.intermediates.push_back(made.add({d.type, {}, "on the way", {}, d.quantization}));
  made.calls.push_back(c);
  return made;
}

}  // namespace tflite_test
