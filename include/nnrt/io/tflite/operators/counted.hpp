// counted: readers of .tflite operators whose number of results depends on their data.
// Flow: operators.hpp lists them; read.hpp checks the operators that read such results, and adds the number of valid
// rows as an output.
#pragma once

#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/nonzero.hpp>
#include <nnrt/ops/slice.hpp>
#include <nnrt/ops/unique.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// Sets output i to a value whose first `count` rows are valid. Its first extent is the largest possible number of
/// rows; the declared one is ignored.
[[gnu::cold]] constexpr void conclude_counted(node_reader& node, std::size_t i, std::int32_t id, std::int32_t count) {
  const tensor_desc expected = node.declared(i), got = node.desc(id);
  if (!node.is_fine()) return;
  if (got.type != expected.type || (expected.rank() != 0 && got.rank() != expected.rank()))
    return node.refuse(error_code::invalid_file, {"output ", i, ": got ", piece(expected.type, expected.shape),
                                                  ", expected ", piece(got.type, got.shape)});
  node.define(i, id);
  node.check(node.tensors().set_count(id, count));
}
/// The number of valid rows if it is known while the file is read, else -1.
[[gnu::cold]] constexpr std::int64_t known_count(node_reader& node, std::int32_t count) {
  const ir::graph& g = node.network().graph();
  return node.is_fine() && g.at(count).is == ir::kind::constant ? g.element<std::int32_t>(g.at(count), 0) : -1;
}

/// Indices [count, rank] of the non-zero elements of a constant.
[[gnu::cold]] constexpr std::int32_t known_indices(node_reader& node, std::int32_t x) {
  const tensor_desc desc = node.desc(x);
  const ir::graph& g = node.network().graph();
  pool<std::int64_t> indices;
  std::int64_t count = 0;
  with_element<types::any>(desc.type, [&]<class T>(T) {
    for (std::int64_t i = 0; i < desc.elements(); ++i) count += g.element<T>(g.at(x), i) == T{} ? 0 : 1;
    node.count_copy(8 * count * desc.rank());
    shape_t at;
    at.rank = desc.rank();
    for (std::int64_t i = 0; node.is_fine() && i < desc.elements(); ++i, next_index(at, desc.shape)) {
      if (g.element<T>(g.at(x), i) == T{}) continue;
      for (const std::int64_t index : at) indices.push_back(index);
    }
  });
  if (!node.is_fine()) return ir::none;
  return node.taken(node.network().constant<std::int64_t>({i64, {count, desc.rank()}}, indices));
}

}  // namespace detail

/// WHERE: indices of true or non-zero elements. For a constant they are computed while the file is read. Otherwise the
/// result has one row for each element of x, and the number of valid rows is computed at run time.
[[gnu::cold]] constexpr void read_where(node_reader& node) {
  const std::int32_t x = node.is_constant(0) ? node.constant(0, {.is_read = true}) : node.input(0);
  node.refuse_quantised(0, x);
  if (!node.is_fine()) return;
  if (node.network().graph().at(x).is == ir::kind::constant) return node.conclude(0, detail::known_indices(node, x));
  const pool<std::int32_t> made = node.add_all<ops::nonzero>({}, {x});
  if (node.is_fine()) detail::conclude_counted(node, 0, made[0], made[1]);
}

/// UNIQUE: the distinct numbers of a list in order of first occurrence, and the index of each element among them.
[[gnu::cold]] constexpr void read_unique(node_reader& node) {
  const std::int8_t type = node.options<schema::unique_options>()[schema::unique_options::type];
  const std::int32_t x = node.input(0);
  const tensor_desc desc = node.desc(x);
  if (node.is_fine() && (desc.rank() != 1 || !types_of(f32, i8, u8, i16, i32, i64).contains(desc.type)))
    return node.not_supported_beside(0, x, "a list of f32, i8, u8, i16, i32 or i64");
  if (node.is_fine() && type != type_number("INT32") && type != type_number("INT64"))
    return node.refuse(error_code::invalid_file,
                       {"options: got indices of ", name_of_type(type), ", expected INT32 or INT64"});
  ops::unique::attrs attrs;
  attrs.sorted = false;
  const pool<std::int32_t> made = node.add_all<ops::unique>(attrs, {x});
  if (!node.is_fine()) return;
  node.conclude(1, detail::cast_to(node, made[1], dtype_of_type(type)));
  const std::int64_t count = detail::known_count(node, made[2]);
  if (count < 0) return detail::conclude_counted(node, 0, made[0], made[2]);
  node.conclude(0, node.add<ops::slice>({}, {made[0], node.integer_list({0}), node.integer_list({count})}));
}

}}}  // namespace nnrt::NNRT_ISA::tflite
