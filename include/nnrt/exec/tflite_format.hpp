// tflite_format: how the compiler reads .tflite files.
// Flow: frozen_reading.hpp reads a file in parts through it; file_network.hpp includes it for NNRT_MODEL.
#pragma once

#include <nnrt/exec/frozen_reading.hpp>
#include <nnrt/io/tflite/read.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// The nnrt operators that operators of a file usually become. Only compile time depends on this list.
struct likely_builtin {
  std::int32_t builtin;
  op_code becomes;
};
inline constexpr likely_builtin likely_builtins[] = {
    {tflite::builtin_number("ADD"), ops::add::code},
    {tflite::builtin_number("AVERAGE_POOL_2D"), ops::avg_pool::code},
    {tflite::builtin_number("CONCATENATION"), ops::concat::code},
    {tflite::builtin_number("CONV_2D"), ops::conv2d::code},
    {tflite::builtin_number("DEPTHWISE_CONV_2D"), ops::depthwise_conv2d::code},
    {tflite::builtin_number("FULLY_CONNECTED"), ops::full_connection::code},
    {tflite::builtin_number("LOGISTIC"), ops::sigmoid::code},
    {tflite::builtin_number("MAX_POOL_2D"), ops::max_pool::code},
    {tflite::builtin_number("MEAN"), ops::reduce_mean::code},
    {tflite::builtin_number("MUL"), ops::mul::code},
    {tflite::builtin_number("PAD"), ops::pad::code},
    {tflite::builtin_number("QUANTIZE"), ops::quant_dtype_cast::code},
    {tflite::builtin_number("RESHAPE"), ops::reshape::code},
    {tflite::builtin_number("SOFTMAX"), ops::softmax::code},
};
constexpr pool<typed_operator> likely_operators(const tflite::document& file) {
  pool<typed_operator> found;
  for (const likely_builtin& likely : likely_builtins)
    for (std::uint32_t i = 0; i < file.code_count(); ++i) {
      if (tflite::detail::number_of(file.code(i)) != likely.builtin) continue;
      found.push_back({likely.becomes, dtype::none});
      break;
    }
  return found;
}

template <> struct format_with_bytes<model_format::tflite> {
  static constexpr bool is_included = true;

  template <class File> struct of {
    using options = tflite::load_options;
    using network = tflite::partial_network;
    using lists =
        members<&network::places, &network::ids, &network::first_formed, &network::formed, &network::uses,
                &network::shared, &network::variables, &network::lists, &network::counted, &network::called_once>;
    using numbers = members<&network::copied_bytes, &network::called_operators, &network::next>;

    static constexpr reading_fault fault() {
      const auto file = tflite::document::verify(File::bytes());
      return file ? reading_fault() : reading_fault(file.error(), 0);
    }
    static constexpr reading_extent extent() {
      tflite::document file = tflite::document::trusted(File::bytes());
      return tflite::network_reader(file, File::choices(), nullptr).extent();
    }
    static constexpr pool<typed_operator> likely() {
      return likely_operators(tflite::document::trusted(File::bytes()));
    }
    static constexpr auto room(list_sizes<lists::count> n, const reading_extent& whole) {
      auto& [places, ids, first_formed, formed, uses, shared, variables, tensor_lists, counted, called_once] = n.each;
      ids = first_formed = uses = shared = whole.names;
      places += 4 * most_nodes_in_part, formed += 4 * most_nodes_in_part;
      variables += 8, called_once += 2;
      return n;
    }
    template <class Act> static constexpr void read(find_operator find, Act act) {
      tflite::document file = tflite::document::trusted(File::bytes());
      tflite::network_reader reader(file, File::choices(), find);
      act(reader);
    }
  };
};

}}}  // namespace nnrt::NNRT_ISA::detail
