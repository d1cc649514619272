// blocks: nodes that several readers add: conversions, negation, clamping.
// Flow: the readers in this folder call them; each adds nodes to the network and returns the value of the last one.
#pragma once

#include <nnrt/io/composed.hpp>
#include <nnrt/io/tflite/node_reader.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/assert.hpp>
#include <nnrt/ops/cast.hpp>
#include <nnrt/ops/clip.hpp>
#include <nnrt/ops/greater_equal.hpp>
#include <nnrt/ops/maximum.hpp>
#include <nnrt/ops/minimum.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/neg.hpp>
#include <nnrt/ops/not_equal.hpp>
#include <nnrt/ops/quant_dtype_cast.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/select.hpp>
#include <nnrt/ops/tanh.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite::detail {

using namespace composed;

/// Input i, in which some integers are forbidden. Constants with such integers are refused; other inputs get an assert,
/// which stops the run. `name` says in errors what the integers are.
[[gnu::cold]] constexpr std::int32_t input_without(node_reader& node, forbidden what, std::size_t i,
                                                   std::string_view name) {
  const std::int32_t x = node.input(i);
  if (!types_of(i8, i16, i32, i64).contains(node.desc(x).type) || node.desc(x).quantised) return x;
  node.require_no(what, i, name);
  if (node.is_constant(i) || node.is_known(i)) return x;
  const std::int32_t zero = node.scalar(node.desc(x).type, 0),
                     is_right = what == forbidden::zero ? node.add<ops::not_equal>({}, {x, zero})
                                                        : node.add<ops::greater_equal>({}, {x, zero});
  return node.add<ops::select>({}, {node.add<ops::assert>({}, {is_right, x}), x, x});
}
/// Input i of an operator that moves or compares stored integers. TFLite ignores the input's scale and zero point
/// there, so its integers first get the output's. Zero points of 16-bit values are kept, and rules refuse those that
/// differ.
[[gnu::cold]] constexpr std::int32_t moved_input(node_reader& node, std::size_t i = 0) {
  const std::int32_t x = node.input(i);
  const tensor_desc to = node.declared(0);
  return node.desc(x).type == to.type ? moved_to(node, x, to.quantised) : x;
}

/// The axes that the integers of input i name, sorted and each once. Refuses axes that x does not have.
[[gnu::cold]] constexpr pool<std::int64_t> axes_of(node_reader& node, std::size_t i, std::int32_t x) {
  const pool<std::int64_t> named = node.integers(i);
  const int rank = node.desc(x).rank();
  bool is_named[max_rank] = {};
  for (const std::int64_t axis : named) {
    const int found = normalise_axis(axis, rank);
    if (found >= 0) is_named[found] = true;
    else node.refuse(error_code::invalid_file, {"axis: got ", axis, ", expected one of ", rank});
  }
  pool<std::int64_t> axes;
  for (int axis = 0; axis < rank; ++axis)
    if (is_named[axis]) axes.push_back(axis);
  return axes;
}

}}}  // namespace nnrt::NNRT_ISA::tflite::detail

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

/// Adds the nodes of a fused activation, which no operator of nnrt fuses, to value `id`. Returns the result.
[[gnu::cold]] constexpr std::int32_t activated(node_reader& node, std::int32_t id, std::int8_t number) {
  if (number == 2) return detail::clamped(node, id, -1, 1);
  if (!types::floating.contains(node.desc(id).type))
    node.not_supported(
        {"fused activation ", name_in(activation_names, "number", number), " of ", name_of(node.desc(id).type)});
  return node.add<ops::tanh>({}, {id});
}

}}}  // namespace nnrt::NNRT_ISA::tflite
