// stored_program_fuzz: a stored program of this library with bytes changed in it, and digests that say that nothing
// was. What is restored must run, give the same on one thread and two, and the same as before where nothing was
// changed.
//
// Input: which network, then changes of five bytes each: the place (two bytes), how, and the number. Stored programs
// depend on the instruction set and the library's version, so seeds hold changes and no programs.
#include "oracle.hpp"

#include "support/mended.hpp"

#include <nnrt/dynamic.hpp>
#include <nnrt/exec/stored_program.hpp>
#include <nnrt/io/model_builder.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/softmax.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using namespace nnrt_fuzz;

namespace {

std::vector<float> counted(std::size_t count) {
  std::vector<float> made;
  for (std::size_t i = 0; i < count; ++i) made.push_back(static_cast<float>(static_cast<int>(i % 17) - 8) / 16);
  return made;
}

/// A convolution and a dense layer, whose weights are packed.
nnrt::model layers() {
  nnrt::model_builder b;
  const std::int32_t x = b.input("x", {nnrt::f32, nnrt::nhwc, {1, 6, 6, 3}}).value();
  const std::int32_t filters = b.constant<float>({nnrt::f32, {4, 3, 3, 3}}, counted(108)).value();
  nnrt::ops::conv2d::attrs attrs;
  attrs.stride = {1, 1}, attrs.dilation = {1, 1}, attrs.pad = {.mode = nnrt::pad_mode::same};
  const std::int32_t h = b.apply<nnrt::ops::conv2d>(attrs, {x, filters}).value()[0];
  const std::int32_t weight = b.constant<float>({nnrt::f32, {5, 4}}, counted(20)).value();
  const std::int32_t y = b.apply<nnrt::ops::full_connection>({}, {h, weight}).value()[0];
  require(b.output("y", b.apply<nnrt::ops::softmax>({}, {y}).value()[0]).has_value());
  return b.finish();
}
/// Rows of a table, some of which may not be there.
nnrt::model rows() {
  nnrt::model_builder b;
  const std::int32_t indices = b.input("i", {nnrt::i32, {3}}).value(),
                     table = b.constant<float>({nnrt::f32, {4, 2}}, counted(8)).value(),
                     axis = b.constant<std::int64_t>({nnrt::i64, {1}}, std::vector<std::int64_t>{0}).value();
  require(b.output("y", b.apply<nnrt::ops::gather>({}, {table, indices, axis}).value()[0]).has_value());
  return b.finish();
}
/// Extents that only a session knows: no plan is stored.
nnrt::model open_extents() {
  nnrt::model_builder b;
  require(
      b.output("y", b.apply<nnrt::ops::relu>({}, {b.input("x", {nnrt::f32, {-1, 4}}).value()}).value()[0]).has_value());
  return b.finish();
}

struct original {
  nnrt::byte_list bytes;
  std::optional<tensors> results;
};

std::optional<tensors> results_of(const nnrt::program& compiled) {
  nnrt::session session(compiled);
  for (std::size_t i = 0; i < compiled.input_count(); ++i) {
    if (!compiled.input_desc(i).shape.is_known()) return std::nullopt;
    std::size_t at = 0;
    for (std::byte& b : session.input_bytes(i)) b = static_cast<std::byte>(at++ % 4 == 0 ? 1 : 0);
  }
  if (const auto ran = session.run(); !ran) return require(!ran.error().message().empty()), std::nullopt;
  tensors made;
  for (std::size_t i = 0; i < compiled.output_count(); ++i)
    made.emplace_back(session.output_bytes(i).begin(), session.output_bytes(i).end());
  return made;
}

const original& original_of(int kind) {
  static const std::vector<original> all = [] {
    std::vector<original> made;
    for (const nnrt::model& network : {layers(), rows(), open_extents()}) {
      const auto compiled = nnrt::compile(network);
      require(compiled.has_value());
      auto bytes = nnrt::store_program(*compiled);
      require(bytes.has_value());
      made.push_back({std::move(*bytes), results_of(*compiled)});
    }
    return made;
  }();
  return all[static_cast<std::size_t>(kind) % all.size()];
}

void change(nnrt::byte_list& bytes, std::span<const std::uint8_t> how) {
  const std::size_t place = (static_cast<std::size_t>(how[0]) << 8U | how[1]) % bytes.size();
  std::byte& at = bytes[place];
  switch (how[2] % 4) {
    case 0:
      at = static_cast<std::byte>(how[3]);
      break;
    case 1:
      at ^= static_cast<std::byte>(1U << (how[3] % 8U));
      break;
    case 2:
      for (std::size_t i = place; i < bytes.size() && i < place + 8; ++i)
        bytes[i] = static_cast<std::byte>(how[3] < 128 ? how[3] : 255);
      break;
    default:
      bytes.resize(bytes.size() - std::min<std::size_t>(how[3] % 128U, bytes.size() - 1));
      break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const original& from = original_of(bytes[0]);
  nnrt::byte_list changed = from.bytes;
  for (std::size_t at = 1; at + 4 <= size; at += 4) change(changed, {bytes + at, 4});
  nnrt_test::mend(changed);
  const nnrt::kept_bytes kept = nnrt::kept_bytes::copy_of(changed);
  const auto restored = nnrt::restore_program(kept);
  const auto trusted =
      nnrt::restore_program(kept, {.threads = 2}, true);  // the caller answers for the weights' numbers
  require(restored.has_value() == trusted.has_value());
  if (!restored) {
    require(!restored.error().message().empty() && changed != from.bytes);
    return 0;
  }
  const auto results = results_of(*restored);
  require(results_of(*trusted) == results);
  if (changed == from.bytes) require(results == from.results);
  const auto stored =
      nnrt::store_program(*restored);  // those that wait for shapes have no plan and are stored again, others are not
  if (!stored) {
    require(!stored.error().message().empty());
    return 0;
  }
  const auto again = nnrt::restore_program(nnrt::kept_bytes::copy_of(*stored));
  require(again && results_of(*again) == results);
  return 0;
}
