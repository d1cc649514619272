// lists: readers of operators on lists of tensors, of TensorFlow and TensorFlow Lite; loops collect results in them.
// Flow: operators.hpp lists them. Elements are resolved while a file is read, so the network contains no lists.
#pragma once

#include <nnrt/io/tflite/node_def.hpp>
#include <nnrt/io/tflite/operators/lookups.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// Options of a list operator.
struct list_options {
  dtype type = dtype::none;  // of the elements; none: not stated
  bool grows = true;         // an index past the end extends the list
  std::int64_t count = -1;   // required number of elements; -1: any
};

/// Operators of TensorFlow Lite. Some state an element type, in one byte; they have no other options.
struct own_lists {
  static constexpr bool are_squeezed = true;  // stacked elements of shape [1] give a vector
  [[gnu::cold]] static constexpr list_options options(node_reader& node, std::string_view) {
    const std::string_view bytes = node.custom_bytes();
    return {bytes.empty() ? dtype::none : dtype_of_type(static_cast<unsigned char>(bytes[0]))};
  }
};
/// Operators of TensorFlow, whose names begin with Flex. Their options have the operator's name and the node of
/// TensorFlow's graph.
struct flex_lists {
  static constexpr bool are_squeezed = false;
  [[gnu::cold]] static constexpr list_options options(node_reader& node, std::string_view name) {
    const listed_texts texts(node.custom_bytes());
    const node_def found(texts[1]);
    if (texts[0] != name || found.op() != name)
      node.refuse(error_code::invalid_file, {"options: got the node ", piece::in_quotes(found.op().substr(0, 80)),
                                             " of TensorFlow's graph, expected a ", name});
    const std::int64_t type = found["element_dtype"].value_or(0);
    if (type != 0 && dtype_of_tensorflow(type) == dtype::none)
      node.not_supported(
          {"element_dtype: a list of elements of TensorFlow's type ", type, ", which nnrt does not have"});
    return {dtype_of_tensorflow(type), found["resize_if_index_out_of_bounds"].value_or(0) != 0,
            found["num_elements"].value_or(-1)};
  }
};

/// The shape of elements that operand i states: a list of extents, or -1 for an unknown shape. Values computed at run
/// time are ignored.
[[gnu::cold]] constexpr partial_shape element_shape(node_reader& node, std::size_t i) {
  if (!node.is_known(i)) return {};
  const std::int32_t id = node.input(i);
  const int rank = node.desc(id).rank();
  const pool<std::int64_t> extents = node.integers(i);
  partial_shape made{rank == 1};
  for (const std::int64_t extent : extents) {
    if (extent < -1 || rank > 1 || extents.size() >= max_rank)
      node.refuse(error_code::invalid_file, {"input ", i, ": got ", extents.size(), " extents, the first one ",
                                             extents[0], ", expected those of elements, at most ", max_rank - 1});
    if (made.has_rank) made.shape.push_back(extent);
  }
  return made;
}
/// Combines two partial shapes. Refuses contradictions.
[[gnu::cold]] constexpr partial_shape agreed(node_reader& node, const partial_shape& a, const partial_shape& b) {
  const auto both = merged(a, b);
  if (!both) node.refuse(error_code::invalid_file, {"elements: got ", b.shape, " in a list of elements ", a.shape});
  return both.value_or(a);
}

/// The shape of a tensor's rows.
[[gnu::cold]] constexpr shape_t shape_of_rows(const shape_t& shape) {
  shape_t made;
  for (int i = 1; i < shape.rank; ++i) made.push_back(shape[i]);
  return made;
}

/// The list of operand 0.
[[gnu::cold]] constexpr tensor_list list_of(node_reader& node) {
  const std::size_t at = node.list_operand(0);
  return node.is_fine() ? node.tensors().of_all().lists[at] : tensor_list();
}
/// Sets output 0 to a list.
[[gnu::cold]] constexpr void define_list(node_reader& node, const tensor_list& made) {
  if (node.is_fine()) node.define(0, node.taken(node.tensors().add_list(made)));
}
/// Sets output 0 to a list that differs from operand 0 in one element.
[[gnu::cold]] constexpr void define_changed(node_reader& node, tensor_list changed, std::int64_t at,
                                            std::int32_t value) {
  changed.before = static_cast<std::int32_t>(node.list_operand(0));
  changed.at = static_cast<std::int32_t>(at), changed.value = value;
  define_list(node, changed);
}
[[gnu::cold]] constexpr void check_size(node_reader& node, std::int64_t count) {
  if (count < 0) node.refuse(error_code::invalid_file, {"a list of ", count, " elements"});
  if (count > max_list_elements)
    node.not_supported({"a list of ", count, " elements, expected at most ", max_list_elements});
}
/// Refuses an element type in the options that differs from the list's.
[[gnu::cold]] constexpr void check_type(node_reader& node, dtype got, dtype expected) {
  if (got != dtype::none && got != expected && node.is_fine())
    node.refuse(error_code::invalid_file,
                {"element type: got ", name_of(got), ", expected that of the list, ", name_of(expected)});
}

/// The value of an unset element: zeros. `shape` is all that is known of its shape.
[[gnu::cold]] constexpr std::int32_t unset_element(node_reader& node, std::int64_t i, dtype type,
                                                   const partial_shape& shape) {
  if (node.is_fine() && !shape.is_known())
    node.not_supported({"element ", i,
                        " of the list is read before it is set, and its shape is unknown: zeros of which nnrt does not "
                        "know how many"});
  if (!node.is_fine()) return ir::none;
  const tensor_desc desc{type, shape.shape};
  if (desc.elements() < 0)
    node.refuse(error_code::invalid_file, {"elements: got ", desc.shape, ", which is more than memory can hold"});
  if (node.is_fine()) node.count_copy(desc.bytes());
  if (!node.is_fine()) return ir::none;
  pool<std::byte> zeros;
  zeros.assign(static_cast<std::size_t>(desc.bytes()), std::byte{});
  return node.taken(node.network().constant_bytes(desc, zeros));
}
/// The value of an element that is set.
[[gnu::cold]] constexpr std::int32_t value_of(node_reader& node, const list_element& element) {
  if (element.row == ir::none) return element.value;
  return node.add<ops::gather>(from_start, {element.value, node.scalar(i32, element.row), node.integer_list({0})});
}
/// Combines the shapes of all elements that are set with `shape`.
[[gnu::cold]] constexpr partial_shape shape_of_set(node_reader& node, const pool<list_element>& elements,
                                                   partial_shape shape) {
  std::int32_t before = ir::none;
  for (const list_element& one : elements) {
    if (!one.is_set() || !node.is_fine() || (one.row != ir::none && one.value == before)) continue;
    before = one.value;  // all rows of a value have the same shape
    shape_t found = node.desc(one.value).shape;
    if (one.row != ir::none) found = shape_of_rows(found);
    shape = agreed(node, shape, {true, found});
  }
  return shape;
}

}  // namespace detail

/// A new list of unset elements; an operand has its length.
template <class Form> [[gnu::cold]] constexpr void read_list_reserve(node_reader& node) {
  const detail::list_options options = Form::options(node, "TensorListReserve");
  if (node.is_fine() && options.type == dtype::none)
    node.not_supported({"a list whose options say no element type that nnrt has"});
  tensor_list made;
  made.shape = detail::element_shape(node, 0), made.type = options.type;
  const std::int64_t count = node.integer(1);
  detail::check_size(node, count);
  made.count = static_cast<std::int32_t>(count);
  detail::define_list(node, made);
}

/// A list of the rows of a tensor.
template <class Form> [[gnu::cold]] constexpr void read_list_from_tensor(node_reader& node) {
  const detail::list_options options = Form::options(node, "TensorListFromTensor");
  tensor_list made;
  made.value = node.input(0), made.shape = detail::element_shape(node, 1);
  const tensor_desc rows = node.desc(made.value);
  detail::check_type(node, options.type, rows.type);
  if (node.is_fine() && (rows.rank() == 0 || rows.shape[0] < 0))
    node.not_supported_beside(0, made.value, "a tensor whose number of rows is known");
  if (!node.is_fine()) return;
  detail::check_size(node, rows.shape[0]);
  made.shape = detail::agreed(node, made.shape, {true, detail::shape_of_rows(rows.shape)});
  made.type = rows.type, made.count = static_cast<std::int32_t>(rows.shape[0]);
  detail::define_list(node, made);
}

/// One element; zeros if it is unset.
template <class Form> [[gnu::cold]] constexpr void read_list_get_item(node_reader& node) {
  const detail::list_options options = Form::options(node, "TensorListGetItem");
  const tensor_list from = detail::list_of(node);
  const std::int64_t i = node.integer(1);
  detail::check_type(node, options.type, from.type);
  if (node.is_fine() && (i < 0 || i >= from.count))
    node.refuse(error_code::invalid_file, {"input 1: got element ", i, ", expected one of ", from.count});
  if (!node.is_fine()) return;
  const pool<tensor_list>& lists = node.tensors().of_all().lists;
  const std::size_t list = node.list_operand(0);
  const list_element found = element_of(lists, list, i);
  if (found.is_set()) return node.conclude(0, detail::value_of(node, found));
  partial_shape shape = detail::agreed(node, from.shape, detail::element_shape(node, 2));
  if (!shape.is_known()) shape = detail::shape_of_set(node, elements_of(lists, list), shape);
  node.conclude(0, detail::unset_element(node, i, from.type, shape));
}

/// The list with one element replaced.
template <class Form> [[gnu::cold]] constexpr void read_list_set_item(node_reader& node) {
  const detail::list_options options = Form::options(node, "TensorListSetItem");
  tensor_list changed = detail::list_of(node);
  const std::int64_t i = node.integer(1);
  const std::int32_t value = node.input(2);
  const tensor_desc desc = node.desc(value);
  detail::check_type(node, desc.type, changed.type);
  detail::check_type(node, options.type, changed.type);
  if (node.is_fine() && (i < 0 || (i >= changed.count && !options.grows)))
    node.refuse(error_code::invalid_file, {"input 1: got element ", i, ", expected one of ", changed.count});
  if (!node.is_fine()) return;
  if (i >= changed.count) detail::check_size(node, i + 1);
  if (i >= changed.count) changed.count = static_cast<std::int32_t>(i + 1);
  detail::agreed(node, changed.shape, {true, desc.shape});
  detail::define_changed(node, changed, i, value);
}

template <class Form> [[gnu::cold]] constexpr void read_list_length(node_reader& node) {
  Form::options(node, "TensorListLength");
  const std::int32_t count = detail::list_of(node).count;
  if (node.is_fine()) node.conclude(0, node.scalar(i32, count));
}

/// All elements along a new first axis; zeros for unset ones.
template <class Form> [[gnu::cold]] constexpr void read_list_stack(node_reader& node) {
  const detail::list_options options = Form::options(node, "TensorListStack");
  const tensor_list from = detail::list_of(node);
  detail::check_type(node, options.type, from.type);
  if (node.is_fine() && options.count >= 0 && options.count != from.count)
    node.refuse(error_code::invalid_file,
                {"num_elements: got ", options.count, ", expected ", from.count, ", as many as the list has"});
  partial_shape shape = detail::agreed(node, from.shape, detail::element_shape(node, 1));
  node.count_copy(from.count * static_cast<std::int64_t>(sizeof(list_element)));
  if (!node.is_fine()) return;
  const pool<list_element> elements = elements_of(node.tensors().of_all().lists, node.list_operand(0));
  shape = detail::shape_of_set(node, elements, shape);
  std::int32_t unset = ir::none;
  pool<std::int32_t> values;
  for (std::size_t i = 0; node.is_fine() && i < elements.size(); ++i) {
    if (!elements[i].is_set() && unset == ir::none)
      unset = detail::unset_element(node, static_cast<std::int64_t>(i), from.type, shape);
    values.push_back(elements[i].is_set() ? detail::value_of(node, elements[i]) : unset);
  }
  if (!node.is_fine()) return;
  if (values.empty())
    return node.conclude(0, detail::unset_element(node, 0, from.type, {shape.has_rank, shape.shape.with_axis(0, 0)}));
  const pool<std::int32_t> stacked = node.add_all<ops::stack>({}, values, {});
  if (!node.is_fine()) return;
  const bool is_squeezed = Form::are_squeezed && shape.shape.rank == 1 && shape.shape[0] == 1;
  node.conclude(0, is_squeezed ? detail::reshaped(node, stacked[0], std::span<const std::int64_t>({std::int64_t{-1}}))
                               : stacked[0]);
}

}}}  // namespace nnrt::NNRT_ISA::tflite
