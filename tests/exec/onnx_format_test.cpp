// onnx_format_test: networks that the compiler reads from .onnx files - results, shapes, weights and parts of a file.
#include "../support/literals/image.onnx.inc"
#include "../support/literals/onnx_casts.inc"
#include "../support/literals/onnx_control.inc"
#include "../support/literals/onnx_large.inc"

#include <nnrt/model.hpp>
#include <nnrt/onnx.hpp>

#include <doctest/doctest.h>
#include <nnrt/io/model_literal.hpp>

#include <vector>

#include "../support/same_graph.hpp"
#include "../support/written_onnx.hpp"

namespace {

using namespace nnrt;

NNRT_MODEL(one_image, "image.onnx", {.shapes = {{"x", {1, 1, 4, 4}}}});
NNRT_MODEL(five_images, "image.onnx", {.shapes = {{"x", {5, 1, 4, 4}}}});
NNRT_MODEL(control, "onnx_control");
NNRT_MODEL(casts, "onnx_casts");
constexpr auto twos = std::bit_cast<std::array<std::byte, 8>>(std::array<float, 2>{2, 2});
NNRT_MODEL(of_constant, "onnx_control", {.constants = {{"x", {f32, {2}}, twos}}});

/// Images of batch N, a model for each.
template <std::size_t N> std::array<float, N * 16> images() {
  std::array<float, N * 16> made{};
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<float>(i * 29 % 64) / 32 - 1;
  return made;
}

/// The outputs of the same file read at run time.
template <std::size_t N> std::vector<float> at_run_time() {
  const std::string file = onnx_test::layers_file();
  const auto model = onnx::parse(std::as_bytes(std::span(file)), {.shapes = {{"x", {N, 1, 4, 4}}}});
  REQUIRE(model);
  const auto program = compile(*model);
  REQUIRE(program);
  session run{*program};
  const auto x = images<N>();
  std::memcpy(run.input_bytes(0).data(), x.data(), sizeof x);
  REQUIRE(run.run());
  std::vector<float> made(3 * N);
  std::memcpy(made.data(), run.output_bytes(0).data(), made.size() * sizeof(float));
  return made;
}

TEST_CASE_TEMPLATE("onnx_format: a batch that the file does not know is given, and shapes follow from it", Batch,
                   std::integral_constant<std::size_t, 1>, std::integral_constant<std::size_t, 5>) {
  constexpr std::size_t n = Batch::value;
  constexpr auto& network = []() -> auto& {
    if constexpr (n == 1) return one_image;
    else return five_images;
  }();
  using net = graph<network>;
  static_assert(net::inputs.size() == 1 && net::inputs[0].name == "x" && net::outputs[0].name == "y");
  static_assert(net::inputs[0].desc.shape == shape_t{n, 1, 4, 4} && net::outputs[0].desc.shape == shape_t{n, 3});
  static_assert(net::has_own_weights && net::weights.size() == 4);
  executor<net> run;
  const auto y = run(images<n>());
  const std::vector<float> expected = at_run_time<n>();
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(y[i] == expected[i]);
}

TEST_CASE("onnx_format: the compiler inlines functions, unrolls loops and widens bfloat16") {
  static_assert(evaluate<graph<control>>(std::array<float, 2>{1, -2}) == std::array<float, 2>{4, 1});
  executor<graph<control>> run;
  const auto y = run(std::array<float, 2>{1, -2});
  CHECK(y[0] == 4);
  CHECK(y[1] == 1);
}

TEST_CASE("onnx_format: constants of two dtypes are cast, each by the reference for its own") {
  static_assert(graph<casts>::nodes == 1 &&
                evaluate<graph<casts>>(std::array<float, 2>{1, -2}) == std::array<float, 2>{12, 9});
}

TEST_CASE("onnx_format: an input that is given as a constant is none") {
  static_assert(graph<of_constant>::inputs.empty() && evaluate<graph<of_constant>>() == std::array<float, 2>{5, 5});
}

/// A file above 1 MiB: the compiler has its literal, and the program the file that is written here.
struct large_onnx {
  static constexpr bool is_given = true;
  static constexpr file_view bytes() {
    using large = large_model<"onnx_large">;
    return {large::literal(), large::size, large::left_out};
  }
  static result<std::string_view> stored() {
    static const std::string made = onnx_test::large_file();
    return std::string_view(made);
  }
  static constexpr detail::no_choices choices() { return {}; }
};
inline constexpr file_network<large_onnx> large_network{};

TEST_CASE("onnx_format: the literal of a large file omits elements of weights, the program has them all") {
  using net = graph<large_network>;
  static_assert(large_onnx::bytes().size() > largest_literal && net::weights.size() == 2);
  static_assert(large_model<"onnx_large">::left_out[std::size(large_model<"onnx_large">::left_out) - 1] >
                2070 * static_cast<std::int32_t>(file_view::page_bytes));
  auto run = executor<net>::create();
  REQUIRE(run);
  std::array<float, 512> x{};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 5) - 2;
  const auto y = (*run)(x);
  for (std::size_t row = 0; row < y.size(); ++row) {
    float sum = static_cast<float>(row);
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * (static_cast<float>((row * 512 + i) % 13) - 6);
    CHECK(y[row] == sum);
  }
}

/// 300 nodes in a row, more than one part of each compiler: v001 = relu(v000), v002 = relu(v001), and so on, of 3
/// numbers.
struct chain {
  static constexpr std::size_t links = 300;
  std::array<char, 8192> file{};
  std::size_t size = 0;

  constexpr void put(auto... bytes) { ((file[size++] = static_cast<char>(bytes)), ...); }
  constexpr void name(std::size_t i) { put(4, 'v', '0' + i / 100, '0' + i / 10 % 10, '0' + i % 10); }
  /// Field 11, an input, or 12, an output: a declaration of f32 [3].
  constexpr void declare(int field, std::size_t i) {
    put(field * 8 + 2, 18, 0x0a), name(i);
    put(0x12, 10, 0x0a, 8, 8, 1, 0x12, 4, 0x0a, 2, 8, 3);
  }
  constexpr chain() {
    constexpr std::size_t node = 6 + 6 + 6, graph = links * (2 + node) + 2 * 20;
    put(8, 8, 0x42, 4, 0x0a, 0, 0x10, 13);          // IR version 8, opset 13
    put(0x3a, (graph & 127U) | 128U, graph >> 7U);  // the graph
    for (std::size_t i = 0; i < links; ++i) {
      put(0x0a, node, 0x0a), name(i);
      put(0x12), name(i + 1);
      put(0x22, 4, 'R', 'e', 'l', 'u');
    }
    declare(11, 0), declare(12, links);
  }
};
struct chain_file {
  static constexpr chain made{};
  static constexpr bool is_given = true;
  static constexpr file_view bytes() { return std::string_view(made.file.data(), made.size); }
  static result<std::string_view> stored() { return std::string_view(made.file.data(), made.size); }
  static constexpr detail::no_choices choices() { return {}; }
};

TEST_CASE("onnx_format: a graph of many parts is the one that a program reads") {
  static_assert(detail::is_network<chain_file>());
  constexpr const auto& compiled = detail::graph_in_file<chain_file>;
  static_assert(compiled.nodes.size() == chain::links && compiled.outputs.size() == 1);
  const auto model = onnx::parse(std::as_bytes(std::span(chain_file::made.file.data(), chain_file::made.size)));
  REQUIRE(model);
  CHECK(nnrt_test::difference_of(model->graph, compiled.thaw()) == "");
}

}  // namespace
