// results_test: what every operator computes: its kernel against its reference, and both against a compiled network.
// Flow: random_node makes nodes from the tables of each operator in the catalogue; no operator is named here.
#include "battery/each_node.hpp"
#include "battery/kernel_of.hpp"
#include "battery/one_node.hpp"

#include "support/kernels.hpp"

#include <nnrt/dynamic.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace nnrt_test;

namespace {

const std::size_t nodes_for_each_dtype = nodes_of_run(24);

// --- comparison ------------------------------------------------------------

/// Output by output; says which one differs first.
void check_close(const random_node& node, const node_result& got, const node_result& expected) {
  CHECK(got.fault.rule == expected.fault.rule);
  if (got.fault || expected.fault) return;
  CHECK(difference(node, got, expected) == "");
}

/// Output by output of a session; says which one differs first.
void check_close_network(const random_node& node, const node_result& got, const node_result& expected) {
  CHECK(got.fault.rule == expected.fault.rule);
  if (got.fault || expected.fault) return;
  CHECK(difference_of_network(node, got, expected) == "");
}

// --- runs --------------------------------------------------------------------

/// Each part has some elements of an operand or a result to itself; parts_of() ends at 1,024.
std::int64_t most_parts(const random_node& node) {
  std::int64_t most = 1;
  for (const random_operand& x : node.in)
    if (x.desc.type != dtype::none) most = std::max(most, x.desc.elements());
  for (const tensor_desc& y : node.out) most = std::max(most, y.elements());
  return std::min<std::int64_t>(most, 1024);
}

/// Whether a box of x has contiguous elements: it is cut along one axis, and those outside of it have
/// one element.
bool lies_in_one_piece(const shape_t& box, const shape_t& x) {
  if (box.rank != x.rank) return false;
  int cut = 0;
  while (cut < x.rank && x[cut] == 1) ++cut;
  for (int axis = cut + 1; axis < x.rank; ++axis)
    if (box[axis] != x[axis]) return false;
  return true;
}

/// Whether output 0 may be written over operand i.
bool fits_in_place(const random_node& node, const kernel_choice& choice, std::size_t i) {
  const tensor_desc &x = node.in[i].desc, &y = node.out[0];
  const bool is_packed = (choice.packs >> i & 1U) != 0;
  return node.op->traits.result == storage::in_place && x.type == y.type && x.bytes() == y.bytes() && !is_packed;
}

// --- networks of one node ----------------------------------------------------

/// What a session makes of the node, a fault where it cannot be compiled; nothing when no network can be made of it.
std::optional<node_result> session_of(const random_node& node, bool hides_extents) {
  const auto network = network_of(node, hides_extents);
  if (!network) return std::nullopt;
  const auto compiled = compile(*network, {.winograd = winograd::off});
  if (!compiled) return node_result{{}, {.rule = 0}};  // what a run of constants would complain of is known before
  session run(*compiled);
  const std::vector<const random_operand*> fed = fed_operands(node);
  std::vector<shape_t> shapes;
  for (const random_operand* x : fed) shapes.push_back(x->desc.shape);
  if (hides_extents) REQUIRE(run.resize(shapes).has_value());
  for (std::size_t i = 0; i < fed.size(); ++i)
    with_element<types::any>(fed[i]->desc.type, [&]<class T>(T) {
      std::ranges::copy(fed[i]->bytes, std::as_writable_bytes(run.input<T>(i)).begin());
    });
  node_result made;
  if (const auto ran = run.run(); !ran) made.fault.rule = 0;  // some fault: sessions say it in words
  for (std::size_t i = 0; i < node.out.size(); ++i)
    with_element<types::any>(node.out[i].type, [&]<class T>(T) {
      const auto bytes = std::as_bytes(run.output<T>(i));
      made.bytes.emplace_back(bytes.begin(), bytes.end());
    });
  return made;
}

}  // namespace

TEST_CASE("battery: a reference writes every element of its outputs, and reads nothing else than its operands") {
  for_each_node(nodes_for_each_dtype, [](random_node& node, dice&) {
    const node_result once = reference_of(node, std::byte{0x5a}), again = reference_of(node, std::byte{0xa5});
    CHECK(once.fault.rule == again.fault.rule);
    if (!once.fault) CHECK(once.bytes == again.bytes);
    if (!node.op->traits.reads_descs_alone) return;
    std::vector<view> in = node.views();
    for (view& x : in) x.data = any_pointer{};
    CHECK(with_outputs(node, std::byte{0}, [&](results out) {
            return node.op->reference(node.words, in, out);
          }).bytes == once.bytes);
  });
}

TEST_CASE("battery: a kernel agrees with its reference, has the same bits in any number of parts, and works in place") {
  for_each_node(nodes_for_each_dtype, [](random_node& node, dice&) {
    const kernel_choice choice = choice_for(node);
    CAPTURE(choice.name);
    CHECK(choice.parts >= 1);
    CHECK(choice.parts <= most_parts(node));
    const node_result expected = reference_of(node), whole = kernel_of(node, choice, 1);
    check_close(node, whole, expected);
    if (whole.fault) return;
    if (choice.name != "reference")
      for (const int tiles : {2, 3, 7, 64}) {
        CAPTURE(tiles);
        CHECK(kernel_of(node, choice, tiles).bytes == whole.bytes);
      }
    for (std::size_t i = 0; i < node.in.size(); ++i) {
      if (!fits_in_place(node, choice, i)) continue;
      CAPTURE(i);
      CHECK(kernel_of(node, choice, 1, static_cast<int>(i)).bytes == whole.bytes);
    }
  });
}

TEST_CASE("battery: parts and aliases of an operand lie where the operator says") {
  for_each_node(nodes_for_each_dtype, [](random_node& node, dice&) {
    const node_result made = reference_of(node);
    if (node.op->traits.result == storage::alias_of_input) CHECK(made.bytes[0] == node.in[0].bytes);
    if (!node.op->traits.outputs_are_parts) return;
    const std::vector<operand> operands = node.operands();
    for (std::size_t i = 0; i < node.out.size(); ++i) {
      if (!lies_in_one_piece(node.out[i].shape, node.in[0].desc.shape)) continue;
      CAPTURE(i);
      const std::int64_t at =
          node.op->part_offset(node.words, operands, node.out, static_cast<int>(i)) * size_of(node.out[i].type);
      REQUIRE(at >= 0);
      REQUIRE(at + node.out[i].bytes() <= std::ssize(node.in[0].bytes));
      CHECK(std::equal(made.bytes[i].begin(), made.bytes[i].end(), node.in[0].bytes.begin() + at));
    }
  });
}

TEST_CASE("battery: a compiled network of one node gives what the reference gives") {
  for_each_node(nodes_for_each_dtype, [](random_node& node, dice&) {
    const node_result expected = reference_of(node);
    const auto got = session_of(node, false);
    REQUIRE(got.has_value());
    CHECK(bool(got->fault) == bool(expected.fault));
    if (!expected.fault) check_close_network(node, *got, expected);
  });
}

TEST_CASE("battery: a network whose extents only the run tells gives the same") {
  std::size_t ran = 0, all = 0;
  for_each_node(nodes_for_each_dtype, [&](random_node& node, dice&) {
    const node_result expected = reference_of(node);
    const auto got = session_of(node, true);
    ++all;
    if (!got) return;  // something has to be known beforehand
    ++ran;
    CHECK(bool(got->fault) == bool(expected.fault));
    if (!expected.fault) check_close_network(node, *got, expected);
  });
  CHECK(ran > all / 10 * 9);
}

namespace {

/// Whether operand i is a list of numbers that need not be known before the run.
bool may_be_late(const random_node& node, std::size_t i) {
  const operand_spec& row = node.op->inputs[nnrt::detail::row_of(node.op->inputs, i)];
  return node.op->traits.may_fail && !row.constant && (row.accepts.bits & ~types::integer.bits) == 0 &&
         node.in[i].desc.type != dtype::none;
}

/// The node with all such lists computed by the network, and with outputs declared as inferred.
random_node with_late_numbers(const random_node& node) {
  random_node late = node;
  late.wanted = node.out;
  for (std::size_t i = 0; i < late.in.size(); ++i) {
    if (!may_be_late(late, i)) continue;
    late.in[i].is_constant = false;
    late.in[i].values.clear();
  }
  return late;
}

}  // namespace

TEST_CASE("battery: numbers that only the run shows give the same as those that the rules know") {
  for_each_node(nodes_for_each_dtype, [](random_node& node, dice&) {
    if (!node.op->traits.may_fail) return;
    random_node late = with_late_numbers(node);
    const verdict v = late.infer();
    REQUIRE(bool(v));
    CHECK(std::ranges::equal(v.outputs, node.out));
    const node_result expected = reference_of(node);
    check_close(node, reference_of(late), expected);
    check_close(node, kernel_of(late, choice_for(late), 1), expected);
    const auto got = session_of(late, false);
    REQUIRE(got.has_value());
    CHECK(bool(got->fault) == bool(expected.fault));
    if (!expected.fault) check_close_network(node, *got, expected);
  });
}

TEST_CASE("battery: numbers that only the run shows are checked before anything is read or written") {
  for_each_node(nodes_for_each_dtype, [](random_node& node, dice& random) {
    if (!node.op->traits.may_fail) return;
    random_node late = with_late_numbers(node);
    for (std::size_t i = 0; i < late.in.size(); ++i) {
      if (!may_be_late(late, i)) continue;
      with_element<types::integer>(late.in[i].desc.type, [&]<class T>(T) {
        for (std::size_t at = 0; at < late.in[i].bytes.size(); at += sizeof(T)) {
          if (random.once_in(2)) continue;
          const T number = static_cast<T>(hostile_number(random));
          std::memcpy(late.in[i].bytes.data() + at, &number, sizeof(T));
        }
      });
    }
    // Operands and outputs end where memory does.
    const kernel_choice reference{.run = node.op->run_reference, .name = "reference"};
    check_close(late, kernel_of(late, choice_for(late), 1), kernel_of(late, reference, 1));
  });
}
