// signals: readers of TensorFlow Lite Micro's signal operators: fixed-point audio front ends with state.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/composed_extents.hpp>
#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/dft.hpp>
#include <nnrt/ops/equal.hpp>
#include <nnrt/ops/fixed_signal.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/maximum.hpp>
#include <nnrt/ops/minimum.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/select.hpp>
#include <nnrt/ops/slice.hpp>
#include <nnrt/ops/squeeze.hpp>
#include <nnrt/ops/sub.hpp>
#include <nnrt/ops/tile.hpp>
#include <nnrt/ops/unsqueeze.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// The integer options of a custom operator, by name.
class signal_options {
 public:
  constexpr explicit signal_options(node_reader& node) : node_(node), options_(node.custom_options()) {}
  /// The option with this name. Refuses a missing number and a number outside `least` to `most`.
  [[gnu::cold]] constexpr std::int64_t number(std::string_view name, std::int64_t least = 0,
                                              std::int64_t most = max_number) {
    const auto got = math::convert<std::int64_t>(node_.required_option(options_, name));
    if (got < least || got > most)
      node_.refuse(error_code::invalid_file, {"options: ", name, ": got ", got, ", expected ", least, " to ", most});
    return node_.is_fine() ? got : least;
  }
  /// Refuses an option T that differs from the element type `type`.
  [[gnu::cold]] constexpr void check_type(dtype type) {
    const auto written = options_["T"];
    if (!written || !node_.is_fine() || dtype_of_type(math::convert<std::int32_t>(*written)) == type) return;
    node_.refuse(error_code::invalid_file, {"options: T: got ", name_of_type(math::convert<std::int32_t>(*written)),
                                            ", expected that of the input, ", name_of(type)});
  }

 private:
  static constexpr std::int64_t max_number = std::numeric_limits<std::int32_t>::max();
  node_reader& node_;
  named_numbers options_;
};

/// Adds a fixed_signal node with these attributes and operands. Returns its results.
[[gnu::cold]] constexpr pool<std::int32_t> signal_node(node_reader& node, ops::signal_function function,
                                                       std::initializer_list<std::int64_t> numbers,
                                                       std::initializer_list<std::int32_t> operands) {
  ops::fixed_signal::attrs attrs;
  attrs.function = function;
  for (const std::int64_t number : numbers) attrs.numbers.push_back(number);
  return node.add_all<ops::fixed_signal>(attrs, operands);
}
/// Adds such a node and sets the operator's outputs to its results.
[[gnu::cold]] constexpr void finish_signal(node_reader& node, ops::signal_function function,
                                           std::initializer_list<std::int64_t> numbers,
                                           std::initializer_list<std::int32_t> operands) {
  const pool<std::int32_t> made = signal_node(node, function, numbers, operands);
  for (std::size_t i = 0; node.is_fine() && i < made.size(); ++i) node.conclude(i, made[i]);
}

/// Input 0 of an operator with state. Refuses unknown extents, rank 0 and dtypes other than `accepted`.
[[gnu::cold]] constexpr std::int32_t streamed_input(node_reader& node, dtype_set accepted, std::string_view expected) {
  const std::int32_t x = node.input(0);
  const tensor_desc desc = node.desc(x);
  if (node.is_fine() && (!accepted.contains(desc.type) || desc.quantised)) node.not_supported_beside(0, x, expected);
  if (node.is_fine() && (!desc.shape.is_known() || desc.rank() < 1 || desc.elements() == 0))
    node.not_supported(
        {"input 0: got ", desc.shape, ", expected extents that are known, with memory that lasts from run to run"});
  return x;
}
/// Elements `first` to `first` + `count` - 1 along the last axis.
[[gnu::cold]] constexpr std::int32_t part_of_lines(node_reader& node, std::int32_t x, std::int64_t first,
                                                   std::int64_t count) {
  const shape_t shape = node.desc(x).shape;
  pool<std::int64_t> begin, size;
  for (int i = 0; i < shape.rank; ++i)
    begin.push_back(i + 1 < shape.rank ? 0 : first), size.push_back(i + 1 < shape.rank ? shape[i] : count);
  return node.add<ops::slice>({}, {x, node.integer_list(begin), node.integer_list(size)});
}
[[gnu::cold]] constexpr std::int32_t joined_lines(node_reader& node, array_ref<const std::int32_t> parts) {
  ops::concat::attrs attrs;
  attrs.axis = -1;
  const pool<std::int32_t> made = node.add_all<ops::concat>(attrs, parts, {});
  return made.empty() ? ir::none : made[0];
}
/// x with the extent of its last axis replaced.
constexpr tensor_desc with_lines(const tensor_desc& x, std::int64_t extent) {
  return {x.type, x.shape.with(x.rank() - 1, extent)};
}

}  // namespace detail

[[gnu::cold]] constexpr void read_signal_window(node_reader& node) {
  const std::int64_t shift = detail::signal_options(node).number("shift", 0, 31);
  detail::finish_signal(node, ops::signal_function::window, {shift}, {node.input(0), node.input(1)});
}

namespace detail {
/// Spectra of floats. Real and imaginary parts alternate along the last axis.
[[gnu::cold]] constexpr void read_rfft_of_floats(node_reader& node, std::int32_t x, std::int64_t length) {
  const shape_t shape = node.desc(x).shape;
  if (shape.rank < 1 || shape.rank >= max_rank || shape[-1] > length)
    return node.refuse(error_code::invalid_file,
                       {"input 0: got ", shape, ", expected lines of at most ", length, " numbers, fft_length"});
  ops::unsqueeze::attrs parts;
  parts.axes.push_back(shape.rank);
  ops::dft::attrs lines;
  lines.length = length, lines.onesided = true;
  const std::int32_t spectra = node.add<ops::dft>(lines, {node.add<ops::unsqueeze>(parts, {x})});
  const std::int32_t extents =
      joined_lists(node, {extents_of(node, x, 0, shape.rank - 1), node.integer_list({length + 2})});
  node.conclude(0, node.add<ops::reshape>({}, {spectra, extents}));
}
[[gnu::cold]] constexpr void read_irfft_of_floats(node_reader& node, std::int32_t x, std::int64_t length) {
  const shape_t shape = node.desc(x).shape;
  if (shape.rank < 1 || shape.rank >= max_rank || shape[-1] != length + 2)
    return node.refuse(error_code::invalid_file, {"input 0: got ", shape, ", expected lines of ", length + 2,
                                                  " numbers, two for each of the spectrum"});
  const std::int32_t extents =
      joined_lists(node, {extents_of(node, x, 0, shape.rank - 1), node.integer_list({length / 2 + 1, 2})});
  ops::dft::attrs lines;
  lines.length = length, lines.inverse = true, lines.onesided = true;
  ops::squeeze::attrs parts;
  parts.axes.push_back(shape.rank);
  node.conclude(0,
                node.add<ops::squeeze>(parts, {node.add<ops::dft>(lines, {node.add<ops::reshape>({}, {x, extents})})}));
}
}  // namespace detail

/// SignalRfft and SignalIrfft.
template <bool IsInverse> [[gnu::cold]] constexpr void read_signal_fft(node_reader& node) {
  detail::signal_options options(node);
  const std::int32_t x = node.input(0);
  options.check_type(node.desc(x).type);
  const std::int64_t length = options.number("fft_length", 2, 1 << 16);
  if (length % 2 != 0)
    node.refuse(error_code::invalid_file, {"options: fft_length: got ", length, ", expected an even number"});
  if (!node.is_fine()) return;
  constexpr auto function = IsInverse ? ops::signal_function::irfft : ops::signal_function::rfft;
  if (node.desc(x).type != f32) return detail::finish_signal(node, function, {length}, {x});
  if constexpr (IsInverse) detail::read_irfft_of_floats(node, x, length);
  else detail::read_rfft_of_floats(node, x, length);
}

[[gnu::cold]] constexpr void read_signal_auto_scale(node_reader& node) {
  detail::finish_signal(node, ops::signal_function::auto_scale, {}, {node.input(0)});
}
[[gnu::cold]] constexpr void read_signal_energy(node_reader& node) {
  detail::signal_options options(node);
  const std::int64_t first = options.number("start_index"), end = options.number("end_index");
  detail::finish_signal(node, ops::signal_function::energy, {first, end}, {node.input(0)});
}

namespace detail {
/// Refuses an option num_channels that differs from the extent of a tensor's last axis minus `more`.
[[gnu::cold]] constexpr void check_channels(node_reader& node, signal_options& options, std::size_t i,
                                            std::int64_t more) {
  const std::int64_t channels = options.number("num_channels");
  const shape_t shape = node.desc(node.input(i)).shape;
  if (node.is_fine() && (shape.rank < 1 || shape[-1] != channels + more))
    node.refuse(error_code::invalid_file, {"input ", i, ": got ", shape, ", expected ", channels + more,
                                           " numbers with num_channels ", channels});
}
}  // namespace detail

[[gnu::cold]] constexpr void read_signal_filter_bank(node_reader& node) {
  detail::signal_options options(node);
  detail::check_channels(node, options, 3, 1);
  detail::finish_signal(node, ops::signal_function::filter_bank, {},
                        {node.input(0), node.input(1), node.input(2), node.input(3), node.input(4), node.input(5)});
}
[[gnu::cold]] constexpr void read_signal_square_root(node_reader& node) {
  detail::finish_signal(node, ops::signal_function::square_root, {}, {node.input(0), node.input(1)});
}
[[gnu::cold]] constexpr void read_signal_log(node_reader& node) {
  detail::signal_options options(node);
  const std::int64_t bits = options.number("input_correction_bits", 0, 31), scale = options.number("output_scale");
  detail::finish_signal(node, ops::signal_function::log, {bits, scale}, {node.input(0)});
}
[[gnu::cold]] constexpr void read_signal_gain(node_reader& node) {
  const std::int64_t shift = detail::signal_options(node).number("snr_shift", 0, 63);
  detail::finish_signal(node, ops::signal_function::gain, {shift}, {node.input(0), node.input(1), node.input(2)});
}

/// The noise estimate is a state.
[[gnu::cold]] constexpr void read_signal_spectral_subtraction(node_reader& node) {
  detail::signal_options options(node);
  const std::int32_t x = detail::streamed_input(node, types_of(u32), "u32");
  detail::check_channels(node, options, 0, 0);
  const std::int64_t numbers[] = {options.number("smoothing"),
                                  options.number("one_minus_smoothing"),
                                  options.number("alternate_smoothing"),
                                  options.number("alternate_one_minus_smoothing"),
                                  options.number("min_signal_remaining"),
                                  options.number("smoothing_bits", 0, 31),
                                  options.number("spectral_subtraction_bits", 0, 63),
                                  options.number("clamping", 0, 1)};
  if (!node.is_fine()) return;
  const std::int32_t estimate = node.memory(0, {u32, node.desc(x).shape});
  const pool<std::int32_t> made = detail::signal_node(
      node, ops::signal_function::spectral_subtraction,
      {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[7]}, {x, estimate});
  if (!node.is_fine()) return;
  node.change_memory(0, made[1]);
  node.conclude(0, made[0]);
  node.conclude(1, made[1]);
}

/// Delays the input by `delay_length` elements along the last axis. The first elements are zeros.
[[gnu::cold]] constexpr void read_signal_delay(node_reader& node) {
  const std::int64_t delay = detail::signal_options(node).number("delay_length");
  const std::int32_t x = detail::streamed_input(node, types_of(i16), "i16");
  if (!node.is_fine()) return;
  if (delay == 0) return node.conclude(0, x);
  const std::int64_t frame = node.desc(x).shape[-1];
  const std::int32_t before = node.memory(0, detail::with_lines(node.desc(x), delay));
  const std::int32_t all = detail::joined_lines(node, std::array{before, x});
  node.change_memory(0, detail::part_of_lines(node, all, frame, delay));
  node.conclude(0, detail::part_of_lines(node, all, 0, frame));
}

namespace detail {
/// Splits lines into frames of `size` elements, one every `step` elements: [..., count, size].
[[gnu::cold]] constexpr std::int32_t frames_of(node_reader& node, std::int32_t lines, std::int64_t count,
                                               std::int64_t size, std::int64_t step) {
  node.count_copy(extent_product(count, size) * static_cast<std::int64_t>(sizeof(std::int64_t)));
  if (!node.is_fine()) return ir::none;
  pool<std::int64_t> places;
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t k = 0; k < size; ++k) places.push_back(i * step + k);
  const std::int32_t at = node.taken(node.network().constant<std::int64_t>({i64, {count, size}}, places));
  return node.add<ops::gather>({}, {lines, at, node.scalar(i32, -1)});
}
/// True in runs for which at least `wanted` frames have come before; each run adds `more`. State number `slot` counts
/// them.
[[gnu::cold]] constexpr std::int32_t has_come(node_reader& node, std::size_t slot, std::int64_t wanted,
                                              std::int64_t more) {
  if (wanted == 0) return node.scalar(boolean, 1);
  const std::int32_t count = node.memory(slot, {i32, {}}), most = node.scalar(i32, static_cast<double>(wanted));
  const std::int32_t counted = node.add<ops::add>({}, {count, node.scalar(i32, static_cast<double>(more))});
  node.change_memory(slot, node.add<ops::minimum>({}, {counted, most}));
  return node.add<ops::greater_equal>({}, {count, most});
}
}  // namespace detail

/// Splits a stream into overlapping frames of frame_size elements, one every frame_step. Output 1 is true when the
/// frames are valid. Without prefill the first frames are invalid until enough whole steps have come. With prefill
/// zeros precede the stream.
[[gnu::cold]] constexpr void read_signal_framer(node_reader& node) {
  detail::signal_options options(node);
  const std::int64_t size = options.number("frame_size", 1), step = options.number("frame_step", 1);
  const bool has_zeros = options.number("prefill", 0, 1) != 0;
  const std::int32_t x = detail::streamed_input(node, types_of(i16), "i16");
  if (!node.is_fine()) return;
  const std::int64_t extent = node.desc(x).shape[-1], steps = extent / step, whole = (size + step - 1) / step;
  if (extent % step != 0)
    return node.refuse(error_code::invalid_file,
                       {"input 0: got lines of ", extent, " numbers, expected whole steps of ", step, ", frame_step"});
  if (has_zeros && size < step)
    return node.refuse(error_code::invalid_file,
                       {"options: frame_size: got ", size, ", expected at least ", step, ", frame_step, with prefill"});
  const std::int64_t kept = has_zeros ? size - step : (whole - 1) * step;
  std::int32_t lines = x;
  if (kept != 0) {
    lines = detail::joined_lines(node, std::array{node.memory(0, detail::with_lines(node.desc(x), kept)), x});
    node.change_memory(0, detail::part_of_lines(node, lines, extent, kept));
  }
  node.conclude(0, detail::frames_of(node, lines, steps, size, step));
  node.conclude(1, detail::has_come(node, 1, has_zeros ? 0 : whole - 1, steps));
}

/// Concatenates the channels of consecutive runs. In the first run, its channels also fill the places of earlier runs.
/// The output becomes valid after `stacker_right_context` further runs, and then again after every `stacker_step` runs.
[[gnu::cold]] constexpr void read_signal_stacker(node_reader& node) {
  detail::signal_options options(node);
  const std::int64_t left = options.number("stacker_left_context"), right = options.number("stacker_right_context"),
                     before = left + right, step = options.number("stacker_step", 1, before + 1);
  const std::int32_t x = detail::streamed_input(node, types_of(i16), "i16");
  detail::check_channels(node, options, 0, 0);
  if (!node.is_fine()) return;
  const std::int64_t channels = node.desc(x).shape[-1];
  std::int32_t window = x;
  if (before != 0) {
    const std::int32_t begun = node.memory(0, {boolean, {}}),
                       kept = node.memory(1, {i16, {extent_product(before, channels)}});
    const std::int32_t repeated = node.add<ops::tile>({}, {x, node.integer_list({before})});
    window = detail::joined_lines(node, std::array{node.add<ops::select>({}, {begun, kept, repeated}), x});
    node.change_memory(0, node.scalar(boolean, 1));
    node.change_memory(1, detail::part_of_lines(node, window, channels, extent_product(before, channels)));
  }
  node.conclude(0, window);
  if (right == 0 && step == 1) return node.conclude(1, node.scalar(boolean, 1));
  const std::int32_t wait = node.memory(2, {i32, {}}, node.scalar(i32, static_cast<double>(right)));
  const std::int32_t is_valid = node.add<ops::equal>({}, {wait, node.scalar(i32, 0)});
  node.change_memory(2, node.add<ops::select>({}, {is_valid, node.scalar(i32, static_cast<double>(step - 1)),
                                                   node.add<ops::sub>({}, {wait, node.scalar(i32, 1)})}));
  node.conclude(1, is_valid);
}

namespace detail {
/// a + b; for i16 the sum saturates.
[[gnu::cold]] constexpr std::int32_t saturated_sum(node_reader& node, std::int32_t a, std::int32_t b) {
  if (node.desc(a).type != i16) return node.add<ops::add>({}, {a, b});
  const std::int32_t sum = node.add<ops::add>({}, {cast_to(node, a, i32), cast_to(node, b, i32)});
  const std::int32_t above = node.add<ops::maximum>({}, {sum, node.scalar(i32, -32768)});
  return cast_to(node, node.add<ops::minimum>({}, {above, node.scalar(i32, 32767)}), i16);
}
/// A constant of zeros with this desc.
[[gnu::cold]] constexpr std::int32_t zeros_of(node_reader& node, const tensor_desc& desc) {
  node.count_copy(desc.bytes());
  if (!node.is_fine()) return ir::none;
  pool<std::byte> bytes;
  bytes.assign(static_cast<std::size_t>(desc.bytes()), std::byte{});
  return node.taken(node.network().constant_bytes(desc, bytes));
}
/// Frame i of x [outer, frames, size], [outer, size].
[[gnu::cold]] constexpr std::int32_t frame_of(node_reader& node, std::int32_t x, std::int64_t i) {
  const tensor_desc desc = node.desc(x);
  const int axis_of_frames = desc.rank() - 2;
  pool<std::int64_t> begin, extents;
  for (int axis = 0; axis < desc.rank(); ++axis)
    begin.push_back(axis == axis_of_frames ? i : 0), extents.push_back(axis == axis_of_frames ? 1 : desc.shape[axis]);
  if (desc.shape[axis_of_frames] > 1)
    x = node.add<ops::slice>({}, {x, node.integer_list(begin), node.integer_list(extents)});
  ops::squeeze::attrs frame;
  frame.axes.push_back(axis_of_frames);
  return node.add<ops::squeeze>(frame, {x});
}
}  // namespace detail

/// Adds overlapping frames; each frame begins `frame_step` elements after the preceding one.
[[gnu::cold]] constexpr void read_signal_overlap_add(node_reader& node) {
  constexpr std::int64_t max_frames = 64;  // each frame becomes several nodes
  detail::signal_options options(node);
  const std::int32_t x = detail::streamed_input(node, types_of(i16, f32), "i16 or f32");
  const tensor_desc desc = node.desc(x);
  options.check_type(desc.type);
  const std::int64_t step = options.number("frame_step", 1);
  if (!node.is_fine()) return;
  if (desc.rank() < 2 || step > desc.shape[-1])
    return node.refuse(error_code::invalid_file,
                       {"input 0: got ", desc.shape, ", expected frames of at least ", step, " numbers, frame_step"});
  const std::int64_t size = desc.shape[-1], count = desc.shape[-2];
  if (count > max_frames)
    return node.not_supported({"input 0: got ", count, " frames in a run, expected at most ", max_frames});
  shape_t outer;
  for (int i = 0; i + 2 < desc.rank(); ++i) outer.push_back(desc.shape[i]);
  const auto lines = [&](std::int64_t extent) {
    tensor_desc made{desc.type, outer};
    made.shape.push_back(extent);
    return tensor_desc{desc.type, made.shape};
  };
  if (step == size) {
    const shape_t whole = lines(count * size).shape;
    return node.conclude(0, detail::reshaped(node, x, std::span(whole.begin(), whole.end())));
  }
  const std::int32_t kept = node.memory(0, lines(size)), zeros = detail::zeros_of(node, lines(step));
  pool<std::int32_t> parts;
  std::int32_t sum = kept;
  for (std::int64_t i = 0; i < count; ++i) {
    sum = detail::saturated_sum(node, detail::frame_of(node, x, i), sum);
    parts.push_back(detail::part_of_lines(node, sum, 0, step));
    sum = detail::joined_lines(node, std::array{detail::part_of_lines(node, sum, step, size - step), zeros});
  }
  node.change_memory(0, sum);
  node.conclude(0, parts.size() == 1 ? parts[0] : detail::joined_lines(node, parts));
}

}}}  // namespace nnrt::NNRT_ISA::tflite
