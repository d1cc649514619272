// client_tensors: checks clients' tensors when a function is called, and copies them when its job runs.
// Flow: infer.hpp makes a source of each item of an input, and writes outputs; resize.hpp finds images with these
// functions.
#pragma once

#include <nnrt/hb_dnn/memory.hpp>
#include <nnrt/hb_dnn/tensor_specs.hpp>

#include <nnrt/exec/session.hpp>

#include <limits>

namespace nnrt { inline namespace NNRT_ISA { namespace hb_dnn {

/// One batch item in a client's memory: elements, or an image and optionally a region of it.
struct source {
  const std::byte* first = nullptr;  // null: no item; the network reads zeros
  bool has_padding = false;          // for elements
  client_image image;
  bool has_region = false;
  hbDNNRoi region{};
};

/// Why memory does not hold `bytes`; empty: it does.
inline diagnostic fault_of_memory(used_memory& memory, const hbSysMem& mem, std::int64_t bytes) {
  if (mem.virAddr == nullptr) return "its memory has no address: virAddr is null";
  if (std::int64_t{mem.memSize} < bytes)
    return joined({"memSize: got ", mem.memSize, ", expected at least its aligned size, ", bytes});
  if (!memory.covers(mem.virAddr, static_cast<std::uint64_t>(bytes)))
    return joined(
        {"its memory: expected ", bytes, " bytes from virAddr on, got fewer in what was allocated or registered"});
  return {};
}

/// Reads type, sides and strides of an image from its tensor's properties: width and height from validShape, row
/// strides from alignedShape. Larger images than 2^32 - 1 bytes are rejected.
inline diagnostic read_sides(const hbDNNTensorProperties& p, client_image& made) {
  if (p.tensorType < HB_DNN_IMG_TYPE_Y || p.tensorType > HB_DNN_IMG_TYPE_BGR)
    return joined({"tensorType: got ", p.tensorType, ", expected that of an image, ",
                   static_cast<int>(HB_DNN_IMG_TYPE_Y), " to ", static_cast<int>(HB_DNN_IMG_TYPE_BGR)});
  for (const hbDNNTensorShape* const shape : {&p.validShape, &p.alignedShape})
    if (shape->numDimensions != 4)
      return joined({shape == &p.validShape ? "validShape" : "alignedShape", ": got ", shape->numDimensions,
                     " axes, expected 4"});
  made.type = static_cast<image_type>(p.tensorType);
  const bool is_single = made.type == image_type::y || made.is_nv12(), is_nhwc = p.tensorLayout == HB_DNN_LAYOUT_NHWC;
  made.is_planar = !is_single && !is_nhwc;
  const int h = is_nhwc ? 1 : 2;
  made.height = p.validShape.dimensionSize[h], made.width = p.validShape.dimensionSize[h + 1];
  made.rows = p.alignedShape.dimensionSize[h];
  made.stride = std::int64_t{p.alignedShape.dimensionSize[h + 1]} * (is_single || made.is_planar ? 1 : 3);
  const std::int64_t row = made.width * (is_single || made.is_planar ? 1 : 3);
  if (made.height < 1 || made.width < 1)
    return joined({"validShape: got ", made.height, " rows of ", made.width, " pixels, expected at least 1 of each"});
  if (made.rows < made.height)
    return joined({"alignedShape: got ", made.rows, " rows, expected at least the ", made.height, " of validShape"});
  if (made.stride < row)
    return joined({"alignedShape: got rows of ", made.stride, " bytes, expected at least the ", row, " of validShape"});
  if (made.is_nv12() && (made.height % 2 != 0 || made.width % 2 != 0 || made.rows % 2 != 0))
    return joined({"sides of NV12 must be even: got ", made.width, " columns, ", made.height, " rows, ", made.rows,
                   " with padding"});
  // keeps the products below from overflowing
  constexpr std::int64_t max_bytes = std::numeric_limits<std::uint32_t>::max();
  if (made.stride > max_bytes / made.rows)
    return joined({"alignedShape: got ", made.rows, " rows of ", made.stride, " bytes, expected at most ", max_bytes,
                   " bytes in all"});
  return {};
}

/// Finds the first of `count` consecutive images in a tensor whose properties describe it completely.
inline diagnostic find_image(used_memory& memory, const hbDNNTensor& tensor, std::int64_t count, client_image& made) {
  if (diagnostic wrong = read_sides(tensor.properties, made); !wrong.empty()) return wrong;
  const std::int64_t plane = made.rows * made.stride;
  made.first = static_cast<std::uint8_t*>(tensor.sysMem[0].virAddr);
  if (made.type == image_type::nv12_separate) {
    made.second = static_cast<std::uint8_t*>(tensor.sysMem[1].virAddr);
    if (diagnostic wrong = fault_of_memory(memory, tensor.sysMem[1], count * plane / 2); !wrong.empty()) return wrong;
    return fault_of_memory(memory, tensor.sysMem[0], count * plane);
  }
  const std::int64_t bytes = made.is_nv12() ? plane * 3 / 2 : made.is_planar ? 3 * plane : plane;
  if (diagnostic wrong = fault_of_memory(memory, tensor.sysMem[0], count * bytes); !wrong.empty()) return wrong;
  if (made.is_nv12()) made.second = made.first + plane;
  return {};
}

/// The image after `made` in a tensor of several.
inline client_image next_image(client_image made) {
  const std::int64_t plane = made.rows * made.stride, uv = made.is_nv12() ? plane / 2 : 0;
  const bool is_together = made.type != image_type::nv12_separate;
  made.first += made.is_planar ? 3 * plane : plane + (is_together ? uv : 0);
  if (made.is_nv12()) made.second += is_together ? plane + uv : uv;
  return made;
}

/// A shape for messages.
inline std::string words_of(const hbDNNTensorShape& shape) {
  if (shape.numDimensions < 0 || shape.numDimensions > HB_DNN_TENSOR_MAX_DIMENSIONS)
    return joined({shape.numDimensions, " axes"});
  std::string words = "[";
  for (std::int32_t i = 0; i < shape.numDimensions; ++i) words += joined({i > 0 ? ", " : "", shape.dimensionSize[i]});
  return words + "]";
}
/// Message about a shape that differs from the model's.
inline diagnostic of_model(const char* what, const hbDNNTensorShape& got,
                           std::initializer_list<const hbDNNTensorShape*> expected) {
  std::string words = joined({what, ": got ", words_of(got), ", expected "});
  const hbDNNTensorShape* last = nullptr;
  for (const hbDNNTensorShape* const one : expected) {
    if (last != nullptr && equal(*last, *one)) continue;
    words += joined({last != nullptr ? " or " : "", words_of(*one)});
    last = one;
  }
  return words;
}

/// Splits a tensor into `items` items: the model's batch, or 1. It may differ from the model's properties in two ways:
/// alignedShape may equal validShape, and NV12 may be in one or two parts.
inline diagnostic find_sources(used_memory& memory, const tensor_spec& spec, const hbDNNTensor& tensor,
                               std::int64_t items, std::vector<source>& made) {
  const hbDNNTensorProperties& p = tensor.properties;
  hbDNNTensorShape valid = spec.properties.validShape, padded = spec.properties.alignedShape;
  if (items == 1 && spec.batch() > 1) valid.dimensionSize[0] = padded.dimensionSize[0] = 1;
  if (!equal(p.validShape, valid)) return of_model("validShape", p.validShape, {&valid});
  if (!equal(p.alignedShape, padded) && !equal(p.alignedShape, valid))
    return of_model("alignedShape", p.alignedShape, {&padded, &valid});
  if (p.tensorType != spec.properties.tensorType && !(is_nv12(p.tensorType) && is_nv12(spec.properties.tensorType)))
    return joined({"tensorType: got ", p.tensorType, ", expected the model's, ", spec.properties.tensorType});
  if (spec.given.is_image) {
    hbDNNTensor whole = tensor;
    whole.properties.tensorLayout = spec.properties.tensorLayout;
    source one;
    if (diagnostic wrong = find_image(memory, whole, items, one.image); !wrong.empty()) return wrong;
    one.first = reinterpret_cast<const std::byte*>(one.image.first);
    for (std::int64_t n = 0; n < items; ++n, one.image = next_image(one.image)) made.push_back(one);
    return {};
  }
  const std::int64_t parts = items == 1 ? spec.batch() : 1;  // the model's batch, if this tensor is one item of it
  source one;
  one.has_padding = !equal(p.alignedShape, valid);
  const std::int64_t bytes = (one.has_padding ? spec.lies.bytes : spec.dense_bytes()) / parts;
  if (diagnostic wrong = fault_of_memory(memory, tensor.sysMem[0], bytes); !wrong.empty()) return wrong;
  one.first = static_cast<const std::byte*>(tensor.sysMem[0].virAddr);
  for (std::int64_t n = 0; n < items; ++n, one.first += bytes / items) made.push_back(one);
  return {};
}

/// Finds the image of a resizer's input and its region. If validShape is still the model's, alignedShape is the
/// image's.
inline diagnostic find_region(used_memory& memory, const tensor_spec& spec, const hbDNNTensor& tensor,
                              const hbDNNRoi& region, const resizer_limits& by, source& made) {
  hbDNNTensor whole = tensor;
  hbDNNTensorShape valid = spec.properties.validShape;
  valid.dimensionSize[0] = 1;
  if (!is_nv12(whole.properties.tensorType))
    return joined({"tensorType: got ", whole.properties.tensorType, ", expected NV12, ",
                   static_cast<int>(HB_DNN_IMG_TYPE_NV12), ", or NV12_SEPARATE, ",
                   static_cast<int>(HB_DNN_IMG_TYPE_NV12_SEPARATE)});
  whole.properties.tensorLayout = spec.properties.tensorLayout;
  if (equal(whole.properties.validShape, valid)) whole.properties.validShape = whole.properties.alignedShape;
  if (const std::int32_t images = whole.properties.validShape.dimensionSize[0]; images != 1)
    return joined({"validShape: got ", images, " images, expected 1, of which there are regions"});
  if (diagnostic wrong = find_image(memory, whole, 1, made.image); !wrong.empty()) return wrong;
  if (diagnostic wrong = fault_of_region(by, made.image, region, spec.width(), spec.height()); !wrong.empty())
    return wrong;
  made.first = reinterpret_cast<const std::byte*>(made.image.first);
  made.has_region = true;
  made.region = region;
  return {};
}

namespace detail {

/// Copies a row of elements between a client's memory and the graph's.
inline void read_row(const tensor_spec& spec, const std::byte* from, std::byte* to) {
  const auto elements = static_cast<std::size_t>(spec.row_elements()),
             bytes = static_cast<std::size_t>(spec.row_bytes());
  if (spec.given.packed) unpack_half_bytes(*spec.given.packed, {from, bytes}, {to, elements});
  else std::memcpy(to, from, bytes);
}
inline void write_row(const tensor_spec& spec, const std::byte* from, std::byte* to) {
  const auto elements = static_cast<std::size_t>(spec.row_elements()),
             bytes = static_cast<std::size_t>(spec.row_bytes());
  if (spec.given.packed) pack_half_bytes(*spec.given.packed, {from, elements}, {to, bytes});
  else std::memcpy(to, from, bytes);
}

/// Converts an image to the network's floats, or to pixels - 128.
template <class T> bool put_image(const tensor_spec& spec, const client_image& image, std::span<T> to) {
  // The image has addresses of both parts, wherever they are.
  const image_view view{.type = image.is_nv12() ? image_type::nv12_separate : image.type,
                        .height = image.height,
                        .width = image.width,
                        .first = image.first,
                        .second = image.second,
                        .stride = image.stride,
                        .is_planar = image.is_planar,
                        .range = spec.given.range};
  if constexpr (std::is_same_v<T, float>)
    return image_to_floats(view, spec.given.seen, spec.given.by, {to.data(), to.size()});
  else return store_image(view, spec.given.seen, {to.data(), to.size()});
}

/// Resizes a region to the network's size and converts it.
template <class T>
bool put_region(const tensor_spec& spec, const source& from, const resizer_limits& by, std::span<T> to) {
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(spec.height() * spec.width() * 3 / 2));
  client_image seen = from.image;
  seen.type = image_type::nv12;
  seen.width = seen.stride = spec.width(), seen.height = seen.rows = spec.height();
  seen.first = pixels.data(), seen.second = pixels.data() + seen.width * seen.height;
  resize_region(by, from.image, from.region, seen);
  return put_image(spec, seen, to);
}

template <class T>
result<void> put_images(const tensor_spec& spec, std::span<const source> items, const resizer_limits& resizer,
                        std::span<T> to) {
  const std::size_t item_elements = to.size() / items.size();
  for (std::size_t n = 0; n < items.size(); ++n) {
    const std::span<T> item = to.subspan(n * item_elements, item_elements);
    const source& from = items[n];
    bool is_put = true;
    if (from.first == nullptr) std::fill(item.begin(), item.end(), T{});
    else is_put = from.has_region ? put_region(spec, from, resizer, item) : put_image(spec, from.image, item);
    if (!is_put)
      return fail(error_code::invalid_argument,
                  {"input ", piece::in_quotes(spec.name), ": no image that the network can see"});
  }
  return {};
}

}  // namespace detail

/// Copies the items of input i into a session. `resizer`: limits, for regions only.
inline result<void> put_input(const tensor_spec& spec, std::span<const source> items, const resizer_limits& resizer,
                              session& into, std::size_t i) {
  if (!spec.given.is_image) {
    const std::span<std::byte> to = into.input_bytes(i);
    const std::size_t item_bytes = to.size() / items.size();
    shape_t shape = spec.lies.valid;
    if (items.size() > 1) shape[0] = 1;
    std::int64_t dense[max_rank];
    spec.dense_strides(dense);
    for (std::size_t n = 0; n < items.size(); ++n) {
      std::byte* const at = to.data() + n * item_bytes;
      const std::byte* const from = items[n].first;
      if (from == nullptr) std::memset(at, 0, item_bytes);
      else if (!items[n].has_padding && !spec.given.packed) std::memcpy(at, from, item_bytes);
      else
        for_each_row(
            shape, items[n].has_padding ? spec.lies.strides : dense, size_of(spec.desc.type),
            [&](std::int64_t place, std::int64_t offset) { detail::read_row(spec, from + offset, at + place); });
    }
    return {};
  }
  return spec.desc.type == i8 ? detail::put_images(spec, items, resizer, into.input<std::int8_t>(i))
                              : detail::put_images(spec, items, resizer, into.input<float>(i));
}

/// Writes output i of the last run to a client's memory, with zeros as padding.
inline void write_output(const tensor_spec& spec, std::span<const std::byte> from, std::byte* to) {
  if (spec.lies.bytes == static_cast<std::int64_t>(from.size()) && !spec.given.packed)
    return void(std::memcpy(to, from.data(), from.size()));
  std::memset(to, 0, static_cast<std::size_t>(spec.lies.bytes));
  for_each_row(
      spec.lies.valid, spec.lies.strides, size_of(spec.desc.type),
      [&](std::int64_t place, std::int64_t offset) { detail::write_row(spec, from.data() + place, to + offset); });
}

}}}  // namespace nnrt::NNRT_ISA::hb_dnn
