// npy_fuzz: any bytes as a .npy file, and as samples of the command. A tensor that is accepted is the same when it is
// written and read again; what samples put into a network are numbers of its inputs' types, booleans 0 or 1.
#include "small_network.hpp"

#include <nnrt/dynamic.hpp>
#include <nnrt/io/model_builder.hpp>
#include <nnrt/ops/reshape.hpp>

#include "nnrt/samples.hpp"

#include <unistd.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <vector>

using namespace nnrt_fuzz;

namespace {

const char* letters_of(nnrt::dtype type) {
  struct row {
    nnrt::dtype type;
    const char* letters;
  };
  constexpr row rows[] = {{nnrt::boolean, "|b1"}, {nnrt::i8, "|i1"},  {nnrt::i16, "<i2"}, {nnrt::i32, "<i4"},
                          {nnrt::i64, "<i8"},     {nnrt::u8, "|u1"},  {nnrt::u16, "<u2"}, {nnrt::u32, "<u4"},
                          {nnrt::u64, "<u8"},     {nnrt::f16, "<f2"}, {nnrt::f32, "<f4"}, {nnrt::f64, "<f8"}};
  for (const row& r : rows)
    if (r.type == type) return r.letters;
  std::abort();
}

/// The tensor as NumPy saves it, version 2.0.
std::vector<std::byte> written(const nnrt::tensor_entry& tensor) {
  std::string header = std::string("{'descr': '") + letters_of(tensor.type) + "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t extent : tensor.shape) header += std::to_string(extent) + ",";
  header += ")}\n";
  std::string start("\x93NUMPY\x02\0", 8);
  for (unsigned shift = 0; shift < 32; shift += 8) start.push_back(static_cast<char>(header.size() >> shift & 255U));
  start += header;
  std::vector<std::byte> file(start.size() + tensor.bytes.size());
  std::memcpy(file.data(), start.data(), start.size());
  if (!tensor.bytes.empty()) std::memcpy(file.data() + start.size(), tensor.bytes.data(), tensor.bytes.size());
  return file;
}

void check_npy(std::span<const std::byte> file) {
  const auto tensor = nnrt_command::parse_npy(file);
  if (!tensor) return require(!tensor.error().message().empty());
  require(static_cast<std::int64_t>(tensor->bytes.size()) == tensor->shape.elements() * nnrt::size_of(tensor->type));
  const auto bytes = written(*tensor);
  const auto again = nnrt_command::parse_npy(bytes);
  require(again && again->type == tensor->type && again->shape == tensor->shape &&
          std::ranges::equal(again->bytes, tensor->bytes));
}

/// y = x, with other extents.
nnrt::model network_of(nnrt::dtype type) {
  nnrt::model_builder builder;
  const std::int32_t x = builder.input("x", {type, {2, 2}}).value(),
                     shape = builder.constant<std::int64_t>({nnrt::i64, {1}}, std::vector<std::int64_t>{4}).value();
  require(builder.output("y", builder.apply<nnrt::ops::reshape>({}, {x, shape}).value()[0]).has_value());
  return builder.finish();
}

void check_samples(std::span<const std::byte> file, nnrt::dtype type, const char* extension) {
  static const std::string folder = [] {
    char name[] = "/tmp/npy_fuzz.XXXXXX";
    require(::mkdtemp(name) != nullptr);
    return std::string(name);
  }();
  const std::string path = folder + "/sample" + extension;
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  const nnrt::model network = network_of(type);
  nnrt_command::sample_files samples(network.graph, {});
  const auto added = samples.add(path);
  ::unlink(path.c_str());
  if (!added) return require(!added.error().message().empty());
  require(samples.size() > 0);
  const auto compiled = nnrt::compile(network);
  require(compiled.has_value());
  nnrt::session session(*compiled);
  const nnrt::sample_source source = samples.source();
  require(source.put(source.samples, samples.size() - 1, session).has_value());
  if (type == nnrt::boolean)
    for (const std::byte b : session.input_bytes(0)) require(b <= std::byte{1});
  require(session.run().has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  check_npy(std::as_bytes(std::span(bytes, size)));
  if (size == 0) return 0;
  // The last byte says what the samples are for, so that files begin where they do.
  constexpr nnrt::dtype types[] = {nnrt::f32, nnrt::boolean, nnrt::u8, nnrt::i64};
  constexpr const char* extensions[] = {".npy", ".raw", ".safetensors"};
  const std::uint8_t kind = bytes[size - 1];
  check_samples(std::as_bytes(std::span(bytes, size - 1)), types[kind % 4], extensions[kind / 4 % 3]);
  return 0;
}
