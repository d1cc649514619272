// readers_test: what reads and writes networks takes no more than about n log n steps for n tensors, nodes or names.
// nightly: every day the passes are counted, which change more often
#include "growth/large_graphs.hpp"

#include <doctest/doctest.h>
#include <nnrt/exec/stored_program.hpp>
#include <nnrt/hdi/read_model.hpp>
#include <nnrt/hdi/write_model.hpp>
#include <nnrt/io/make_weights.hpp>
#include <nnrt/io/tflite/load.hpp>
#include <nnrt/passes/node_order.hpp>

#include "support/counted_steps.hpp"
#include "support/tflite_file.hpp"

namespace {

using namespace nnrt_test;

/// Weights of these names, with the shape and elements of layers in large_graphs.
weights named_weights(const std::vector<std::string>& names) {
  static const float numbers[4] = {1, 2, 3, 4};
  std::vector<tensor_entry> tensors;
  for (const std::string& name : names)
    tensors.push_back({name, f32, {4}, std::as_bytes(std::span<const float>(numbers))});
  return make_weights(std::span<const tensor_entry>(tensors)).value();
}
std::vector<std::string> numbered(const std::string& name, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(name + std::to_string(i));
  return names;
}
/// x + w0 + w1 + …
ir::graph sum_of_weights(int count) {
  large_builder g;
  std::int32_t sum = g.b.input("image", {f32, {4}}).value();
  for (const std::string& name : numbered("w", count)) sum = g.add(sum, g.b.weight(name, {f32, {4}}).value());
  return g.done(sum);
}

struct reader_row {
  const char* what;
  std::uint64_t (*steps)(int count);
};

const reader_row rows[] = {
    {"a builder with inputs and outputs",
     [](int count) {
       return steps_of([&] {
         model_builder b;
         for (int i = 0; i < count; ++i)
           (void)b.output("y" + std::to_string(i), b.input("x" + std::to_string(i), {f32, {1}}).value());
       });
     }},
    {"weights found by name",
     [](int count) {
       const weights file = named_weights(numbered("w", count));
       const ir::graph g = sum_of_weights(count);
       return steps_of([&] {
         bound_weights bound;
         REQUIRE(bind_weights<int>(file, weight_specs_of(g), bound));
       });
     }},
    {"weights that are missing, in a file with as many others",
     [](int count) {
       const weights file = named_weights(numbered(
           "another name, longer than any that is guessed, of which there are as many as of those that are missing ",
           count));
       const ir::graph g = sum_of_weights(count);
       return steps_of([&] {
         bound_weights bound;
         REQUIRE_FALSE(bind_weights<int>(file, weight_specs_of(g), bound));
       });
     }},
    {"nodes in the reverse order",
     [](int count) {
       return steps_of([&] {
         const auto nodes = static_cast<std::size_t>(count);
         const std::vector<std::size_t> order = passes::node_order(nodes, [&](std::size_t n, auto give) {
           if (n + 1 < nodes) give(n + 1);
         });
         REQUIRE(order.front() + 1 == nodes);
       });
     }},
    {"a model that is saved and loaded",
     [](int count) {
       const model network{sum_of_weights(count), named_weights(numbered("w", count))};
       return steps_of([&] {
         const saved_model made{
             .network = network, .name = "net", .architecture = {}, .places = {}, .inputs = {}, .made_by = {}};
         const auto bytes = models_to_bytes({&made, 1});
         REQUIRE(bytes);
         REQUIRE(load_models(std::span<const std::byte>(bytes->data(), bytes->size())));
       });
     }},
    {"saved models of one file",
     [](int count) {
       std::vector<saved_model> all;
       for (const std::string& name : numbered("net", count / 10))
         all.push_back({.network = {sum_of_weights(1), named_weights({"w0"})},
                        .name = name,
                        .architecture = {},
                        .places = {},
                        .inputs = {},
                        .made_by = {}});
       return steps_of([&] {
         const auto bytes = models_to_bytes(all);
         REQUIRE(bytes);
         REQUIRE(load_models(std::span<const std::byte>(bytes->data(), bytes->size())));
       });
     }},
    {"a program that is stored and restored",
     [](int count) {
       const auto compiled = compile(model{sum_of_weights(count), named_weights(numbered("w", count))});
       REQUIRE(compiled);
       return steps_of([&] {
         const auto bytes = store_program(*compiled);
         REQUIRE(bytes);
         REQUIRE(restore_program(shared_bytes::copy_of(*bytes)));
       });
     }},
    {"a program's text and table",
     [](int count) {
       const auto compiled = compile(model{sum_of_weights(count), named_weights(numbered("w", count))});
       REQUIRE(compiled);
       return steps_of([&] { REQUIRE(compiled->text().size() > compiled->table().size()); });
     }},
    {"a model of HDI that is written and read",
     [](int count) {
       const model network{sum_of_weights(count), named_weights(numbered("w", count))};
       return steps_of([&] {
         auto written = hdi::write_model(network);
         REQUIRE(written);
         REQUIRE(hdi::read_model(written->model));
       });
     }},
    {"a .tflite file of additions",
     [](int count) {
       tflite_test::file f;
       int last = f.add({.shape = {1, 4}, .name = "x"});
       f.inputs = {last};
       for (int i = 0; i < count; ++i) {
         const int c = f.add(
             {.shape = {1, 4}, .name = "c" + std::to_string(i), .data = tflite_test::bytes_of<float>({1, 2, 3, 4})});
         const int y = f.add({.shape = {1, 4}, .name = "y" + std::to_string(i)});
         f.calls.push_back({.builtin = 0, .inputs = {last, c}, .outputs = {y}, .opcode_index = i == 0 ? -1 : 0});
         last = y;
       }
       f.outputs = {last};
       const std::vector<std::byte> bytes = f.bytes();
       return steps_of([&] {
         const auto read = tflite::parse(bytes);
         if (!read) FAIL(read.error().message());
       });
     }},
};

TEST_CASE(
    "growth: sixteen times the tensors, nodes or names take no reader or writer more than forty times the steps") {
  for (const reader_row& row : rows) {
    CAPTURE(row.what);
    const std::uint64_t few = row.steps(1000), many = row.steps(16000);
    CHECK(few > 0);
    CHECK(many <= 40 * few);
  }
}

TEST_CASE("growth: dense layers after tensors that are joined and cut again and again are found in one walk") {
  large_builder g;
  std::int32_t last = g.x;
  for (int i = 0; i < 200; ++i) {  // 2^200 ways back
    ops::split::attrs halves;
    halves.axis = 1, halves.output_num = 2;
    pool<word> words;
    pack(halves, words);
    const auto parts = g.b.apply(ops::of<ops::split>(), words, array_ref<const std::int32_t>(&last, 1)).value();
    last = g.join({parts[0], parts[1]}, 1);
  }
  ops::full_connection::attrs attrs;
  const ir::graph network =
      g.done(g.node<ops::full_connection>(attrs, {last, g.b.weight("w", {f32, {16, 16}}).value()}));
  CHECK(steps_of([&] { CHECK(weight_specs_of(network).size() == 1); }) < 1'000'000);
}

}  // namespace
