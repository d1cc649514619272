// read_test: what the compiler reads of a .tflite file is what a program reads, and so is what is wrong with one.
#include <nnrt/io/tflite/read.hpp>

#include <doctest/doctest.h>
#include <nnrt/io/weights_at.hpp>
#include <nnrt/ops/dynamic_range.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/registry.hpp>
#include <nnrt/ops/relu.hpp>

#include <string>

#include "../../support/tflite_file.hpp"
#include "../../support/written_models.hpp"

namespace {

using namespace nnrt;
using namespace tflite_test;

// y = relu(w x + b): rows of i8 with a scale each, and floats. The bytes are those of written().
// clang-format off
constexpr char literal[] =
    "\040\000\000\000\124\106\114\063\000\000\000\000\024\000\030\000\024\000\020\000\014\000\000\000\010\000\000\000\000\000\004\000"
    "\024\000\000\000\024\000\000\000\040\000\000\000\070\000\000\000\014\000\000\000\003\000\000\000\000\000\000\000\002\000\000\000"
    "\324\000\000\000\174\000\000\000\006\000\000\000\034\003\000\000\254\002\000\000\020\002\000\000\254\001\000\000\134\001\000\000"
    "\014\001\000\000\001\000\000\000\020\000\000\000\014\000\024\000\020\000\014\000\010\000\004\000\014\000\000\000\040\000\000\000"
    "\014\000\000\000\020\000\000\000\040\000\000\000\001\000\000\000\004\000\000\000\001\000\000\000\000\000\000\000\002\000\000\000"
    "\230\000\000\000\074\000\000\000\005\000\000\000\150\002\000\000\334\001\000\000\150\001\000\000\010\001\000\000\270\000\000\000"
    "\270\377\377\377\023\000\000\000\010\000\000\000\000\000\000\023\000\000\000\000\000\000\012\000\020\000\014\000\010\000\004\000"
    "\012\000\000\000\024\000\000\000\030\000\000\000\001\000\000\000\000\000\000\000\220\375\377\377\001\000\000\000\004\000\000\000"
    "\001\000\000\000\003\000\000\000\014\000\020\000\017\000\010\000\000\000\004\000\014\000\000\000\011\000\000\000\010\000\000\000"
    "\000\000\000\011\000\000\000\000\000\000\016\000\024\000\000\000\020\000\014\000\013\000\004\000\016\000\000\000\024\000\000\000"
    "\000\000\000\010\020\000\000\000\024\000\000\000\000\000\000\000\354\375\377\377\001\000\000\000\003\000\000\000\003\000\000\000"
    "\000\000\000\000\001\000\000\000\002\000\000\000\010\376\377\377\000\000\000\000\156\376\377\377\024\000\000\000\044\000\000\000"
    "\005\000\000\000\050\000\000\000\044\376\377\377\140\376\377\377\010\000\000\000\010\000\000\000\000\000\000\000\000\000\000\000"
    "\001\000\000\000\171\000\000\000\000\000\000\000\002\000\000\000\001\000\000\000\003\000\000\000\124\376\377\377\000\000\000\000"
    "\272\376\377\377\024\000\000\000\044\000\000\000\004\000\000\000\050\000\000\000\160\376\377\377\254\376\377\377\010\000\000\000"
    "\010\000\000\000\000\000\000\000\000\000\000\000\003\000\000\000\163\165\155\000\000\000\000\000\002\000\000\000\001\000\000\000"
    "\003\000\000\000\246\377\377\377\004\000\000\000\014\000\000\000\000\000\200\077\000\000\000\000\000\000\200\277\026\377\377\377"
    "\024\000\000\000\044\000\000\000\003\000\000\000\050\000\000\000\314\376\377\377\010\377\377\377\010\000\000\000\010\000\000\000"
    "\000\000\000\000\000\000\000\000\001\000\000\000\142\000\000\000\000\000\000\000\001\000\000\000\003\000\000\000\000\000\006\000"
    "\010\000\004\000\006\000\000\000\004\000\000\000\014\000\000\000\373\374\375\376\377\000\001\002\003\004\005\006\000\000\016\000"
    "\030\000\024\000\023\000\014\000\010\000\004\000\016\000\000\000\030\000\000\000\120\000\000\000\002\000\000\000\000\000\000\011"
    "\120\000\000\000\100\377\377\377\174\377\377\377\010\000\000\000\044\000\000\000\003\000\000\000\000\000\000\000\000\000\000\000"
    "\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\003\000\000\000\000\000\000\077\000\000\200\076"
    "\000\000\000\076\001\000\000\000\167\000\000\000\000\000\000\000\002\000\000\000\003\000\000\000\004\000\000\000\230\377\377\377"
    "\000\000\000\000\000\000\016\000\024\000\020\000\000\000\014\000\010\000\004\000\016\000\000\000\040\000\000\000\060\000\000\000"
    "\001\000\000\000\064\000\000\000\304\377\377\377\014\000\014\000\000\000\000\000\010\000\004\000\014\000\000\000\010\000\000\000"
    "\010\000\000\000\000\000\000\000\000\000\000\000\001\000\000\000\170\000\000\000\000\000\000\000\002\000\000\000\001\000\000\000"
    "\004\000\000\000\004\000\004\000\004\000\000\000\000\000\000\000";
// clang-format on
constexpr std::string_view bytes{literal, sizeof literal - 1};

file written() {
  std::vector<double> rows;
  for (int i = 0; i < 12; ++i) rows.push_back(i - 5);
  tflite_test::tensor w{int8, {3, 4}, "w", bytes_of<std::int8_t>(rows)};
  w.quantization = {{0.5F, 0.25F, 0.125F}, {0, 0, 0}, 0};
  file f;
  f.add({float32, {1, 4}, "x"});
  f.add(w);
  f.add({float32, {3}, "b", bytes_of<float>({1, 0, -1})});
  f.add({float32, {1, 3}, "sum"});
  f.add({float32, {1, 3}, "y"});
  f.calls = {{9, {0, 1, 2}, {3}, {8, {}}}, {19, {3}, {4}}};
  f.inputs = {0};
  f.outputs = {4};
  return f;
}

/// The operators that this file becomes, for constant evaluation.
constexpr const operator_info* find_few(op_code code) {
  constexpr const operator_info* few[] = {&static_operator<ops::full_connection, f32>, &static_operator<ops::relu, f32>,
                                          &static_operator<ops::dynamic_range, f32>};
  for (const operator_info* const op : few)
    if (op->code == code) return op;
  return nullptr;
}

/// The code of node i, and where weight i lies.
constexpr op_code node_of(std::size_t i) { return (*tflite::read(bytes, find_few)).graph.nodes[i].op->code; }
constexpr weight_place weight_of(std::size_t i) { return (*tflite::read(bytes, find_few)).weights[i]; }

static_assert((*tflite::read(bytes, find_few)).graph.nodes.size() == 3);
static_assert(node_of(0) == ops::dynamic_range::code && node_of(1) == ops::full_connection::code &&
              node_of(2) == ops::relu::code);
static_assert(weight_of(0).as_f32 && weight_of(0).size == 12 && weight_of(0).stored.type == i8);
static_assert(weight_of(1).needs_no_conversion() && weight_of(1).size == 12);

/// Element 1 of the second row, -1 + 1 = 0 … and of the third, 4 * 0.125, as the network has them.
constexpr float converted(std::size_t i) {
  std::byte made[12 * sizeof(float)] = {};
  convert_elements(file_view(bytes), weight_of(0), made);
  std::array<std::byte, 4> one{};
  for (std::size_t k = 0; k < 4; ++k) one[k] = made[4 * i + k];
  return std::bit_cast<float>(one);
}
static_assert(converted(0) == -2.5F && converted(4) == -0.25F && converted(11) == 0.75F);

/// How long the message about the first `size` bytes is; 0 where they are a network.
constexpr std::size_t words_about(std::size_t size) {
  const auto made = tflite::read(bytes.substr(0, size), find_few);
  return made ? 0 : made.error().letters().size();
}
template <std::size_t... I> constexpr bool all_are_refused(std::index_sequence<I...>) {
  return ((words_about(61 * I) > 0) && ...);
}
static_assert(words_about(bytes.size()) == 0);
static_assert(all_are_refused(std::make_index_sequence<14>()));

const operator_info* find_any(op_code code) { return ops::find(code); }

TEST_CASE("read: the literal that the compiler reads has the bytes of the written file") {
  const std::vector<std::byte> made = written().bytes();
  REQUIRE(made.size() == bytes.size());
  CHECK(letters_of(std::span(made)) == bytes);
}

TEST_CASE("read: a file that is cut at any byte is refused with the same words in the compiler and at run time") {
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    const std::string cut(bytes.substr(0, size));  // of exactly this size, so that sanitizers see what is read after it
    const auto made = tflite::read(cut, find_any);
    if (size + 4 >= bytes.size() && made) continue;  // nothing lies in the last word but the end of a string
    REQUIRE_FALSE(made);
    if (made) return;  // builds without exceptions go on
    CHECK(made.error().code() == error_code::invalid_file);
    CHECK(made.error().letters() == made.error().message());
  }
  constexpr std::size_t in_compiler = words_about(500);
  CHECK(tflite::read(bytes.substr(0, 500), find_any).error().message().size() == in_compiler);
}

TEST_CASE("read: places become weights that lie in the file, or are converted from it") {
  const auto network = tflite::read(bytes, find_any);
  REQUIRE(network);
  weights_builder builder;
  add_weights_at(network->weights, network->graph, bytes, builder);
  const auto made = std::move(builder).finish();
  REQUIRE(made);
  const tensor_entry* const w = made->find("w");
  const tensor_entry* const b = made->find("b");
  REQUIRE(w != nullptr);
  REQUIRE(b != nullptr);
  CHECK(w->type == f32);
  CHECK(w->shape == shape_t{3, 4});
  CHECK(number_at<float>(letters_of(w->bytes).data(), 11 * 4) == 0.75F);
  CHECK(letters_of(b->bytes).data() == literal + network->weights[1].first);
}

TEST_CASE("read: a constant that is computed with, and that a literal leaves out, is refused") {
  const std::vector<std::byte> made = shapes_model().bytes();
  const std::int32_t left_out[16] = {};  // with such a table no bytes of constants are there at run time
  const file_view without(letters_of(std::span(made)).data(), made.size(), left_out);
  auto file = tflite::document::trusted(without);
  const tflite::load_options all;
  tflite::network_reader reader(file, all, find_any);
  auto ok = reader.begin();
  while (ok && reader.has_more()) ok = reader.read_next();
  REQUIRE_FALSE(ok);
  CHECK(ok.error().code() == error_code::not_supported);
  CHECK(ok.error().message() ==
        "subgraph 0: operator 1 STRIDED_SLICE: tensor 2 \"begin\" is computed with, and the literal of this file "
        "leaves out its elements");
}

TEST_CASE("read: numbers of four bits and filters that come last are put in order") {
  constexpr std::string_view packed = "\x1f\xe2";  // -1, 1, 2, -2
  weight_place place;
  place.stored = {i8, {1, 1, 2, 2}};
  place.is_packed = true;
  place.rows = place.columns = 2;
  std::byte made[4] = {};
  convert_elements(file_view(packed), place, made);
  CHECK(std::to_integer<int>(made[0]) == 255);
  CHECK(std::to_integer<int>(made[1]) == 2);
  CHECK(std::to_integer<int>(made[2]) == 1);
  CHECK(std::to_integer<int>(made[3]) == 254);
}

}  // namespace
