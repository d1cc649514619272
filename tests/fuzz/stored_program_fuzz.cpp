// stored_program_fuzz: a stored program of this library with bytes changed in it, and digests that say that nothing
// was. What is restored must run, give the same on one thread and two, and the same as before where nothing was
// changed.
//
// Input: which network, then changes (changed_bytes.hpp).
// nightly: its seeds take a compiler longer than those of the readers
#include "changed_bytes.hpp"

#include <nnrt/dynamic.hpp>
#include <nnrt/exec/stored_program.hpp>
#include <nnrt/io/model_builder.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/softmax.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// A running sum, and states that exchange what they are or become an input.
nnrt::model states() {
  nnrt::model_builder b;
  const std::int32_t x = b.input("x", {nnrt::f32, {4}}).value(),
                     initial = b.constant<float>({nnrt::f32, {4}}, counted(4)).value(),
                     sum = b.state("sum", {nnrt::f32, {4}}, initial).value(),
                     first = b.state("first", {nnrt::f32, {4}}, initial).value(),
                     second = b.state("second", {nnrt::f32, {4}}).value(),
                     late = b.state("late", {nnrt::f32, {4}}).value(),
                     y = b.apply<nnrt::ops::add>({}, {sum, x}).value()[0];
  require(b.next(sum, y) && b.next(first, second) && b.next(second, first) && b.next(late, x));
  require(b.output("y", b.apply<nnrt::ops::softmax>({}, {y}).value()[0]) && b.output("late", late));
  require(b.output("first", first).has_value());
  return b.finish();
}

std::optional<tensors> results_of(const nnrt::program& compiled) {
  nnrt::session session(compiled);
  for (std::size_t i = 0; i < compiled.input_count(); ++i) {
    if (!compiled.input_desc(i).shape.is_known()) return std::nullopt;
    std::size_t at = 0;
    for (std::byte& b : session.input_bytes(i)) b = static_cast<std::byte>(at++ % 4 == 0 ? 1 : 0);
  }
  return results_of_runs(compiled, session);
}

const stored_original& original_of(int kind) {
  static const std::vector<stored_original> all = [] {
    std::vector<stored_original> made;
    for (const nnrt::model& network : {layers(), rows(), open_extents(), states()}) {
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  check_changed(
      original_of(bytes[0]), {bytes + 1, size - 1},
      [](const nnrt::shared_bytes& kept, const nnrt::options& wanted, bool is_checked) {
        return nnrt::restore_program(kept, wanted, is_checked);
      },
      // Those that wait for shapes have no plan and are stored again, others are not.
      [](const nnrt::program& restored) { return nnrt::store_program(restored); }, results_of);
  return 0;
}
