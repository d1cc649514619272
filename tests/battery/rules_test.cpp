// rules_test: what the rules of every operator promise alike, held against random and hostile nodes.
// Flow: random_node makes them from the tables of each operator in the catalogue; no operator is named here.
#include "battery/each_node.hpp"
#include "support/sanitized.hpp"
#include "support/sound.hpp"

#include <nnrt/ir/dump.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

using namespace nnrt_test;

namespace {

const std::size_t nodes_for_each_dtype = nodes_of_run(12);
const int hostile_nodes = cases(20'000, 200);

bool is_signature_rule(const verdict& v, signature_rule rule) {
  return !v && v.by_signature && v.rule == static_cast<int>(rule);
}

// --- less known --------------------------------------------------------------

/// Hides some extents of operands that the network computes.
bool hide_extents(random_node& node, dice& random) {
  bool has_hidden = false;
  for (random_operand& x : node.in)
    for (int axis = 0; axis < x.desc.rank(); ++axis)
      if (!x.is_constant && random.once_in(3)) x.desc.shape[axis] = -1, has_hidden = true;
  return has_hidden;
}

/// Whether what is known of y is true of `known`, too.
bool agrees(const tensor_desc& y, const tensor_desc& known) {
  if (y.type != known.type || y.rank() != known.rank() || !(y.quantised == known.quantised)) return false;
  for (int axis = 0; axis < y.rank(); ++axis)
    if (y.shape[axis] != -1 && y.shape[axis] != known.shape[axis]) return false;
  return true;
}

}  // namespace

TEST_CASE("battery: hostile words and descs give a verdict that can be printed, and never anything else") {
  const std::uint64_t seed = seed_of_run();
  CAPTURE(seed);
  for (const operator_info* op : catalogue()) {
    dice random(seed + static_cast<std::uint64_t>(op->code));
    CAPTURE(op->name);
    for (int i = 0; i < hostile_nodes; ++i) {
      // Half of them are nodes that might be accepted, with one operand or the words spoilt.
      auto node = random.once_in(2) ? try_node(*op, random.one_of(op->computes_on), random) : std::nullopt;
      if (!node) {
        node.emplace().op = op;
        for (int count = random.below(static_cast<int>(op->inputs.size()) + 2); count > 0; --count)
          node->in.push_back({hostile_desc(random), random.once_in(2), {}, {}, {}});
      } else if (random.once_in(2)) {
        node->in[static_cast<std::size_t>(random.below(static_cast<int>(node->in.size())))].desc = hostile_desc(random);
      }
      if (node->words.empty() || random.once_in(2)) node->words = hostile_words(*op, random);
      for (random_operand& x : node->in) {
        if (!x.is_constant || x.desc.elements() < 0 || x.desc.elements() > 16) continue;
        x.values = hostile_words(*op, random);
        x.values.resize(static_cast<std::size_t>(x.desc.elements()));
      }
      if (random.once_in(3)) node->wanted = {hostile_desc(random)};
      const verdict v = node->infer();
      if (!is_sound(*op, v)) {
        node->out.assign(v.outputs.begin(), v.outputs.end());
        const std::string text = node->text();
        CAPTURE(text);
        CHECK(is_sound(*op, v));
      }
      if (v) CHECK(op->macs(node->words, node->operands(), v.outputs) >= 0);
    }
  }
}

TEST_CASE("battery: who knows fewer extents knows the same or less of the outputs, and nothing else") {
  for_each_node(nodes_for_each_dtype, [](const random_node& known, dice& random) {
    random_node node = known;
    if (!hide_extents(node, random)) return;
    const verdict v = node.infer();
    CHECK(is_sound(*node.op, v));
    if (!v) {
      // Refused only where a rule says that something must be known.
      const std::string_view rule = v.by_signature ? "" : node.op->rules[static_cast<std::size_t>(v.rule)];
      CAPTURE(rule);
      CHECK(rule.find("known") != std::string_view::npos);
      return;
    }
    REQUIRE(v.outputs.size() == known.out.size());
    for (std::size_t i = 0; i < known.out.size(); ++i) {
      const std::string got = ir::to_string(v.outputs[i]);
      CAPTURE(got);
      CHECK(agrees(v.outputs[i], known.out[i]));
    }
  });
}

TEST_CASE("battery: operands are refused that the signature has not") {
  for_each_node(1, [](const random_node& node, dice&) {
    const operator_info& op = *node.op;
    const auto is_refused = [&](const random_node& changed, signature_rule rule) {
      return is_signature_rule(changed.infer(), rule);
    };
    for (std::size_t i = 0; i < node.in.size(); ++i) {
      const operand_spec& row = op.inputs[nnrt::detail::row_of(op.inputs, i)];
      CAPTURE(i);
      random_node changed = node;
      changed.in[i] = {};
      if (row.given != presence::optional) CHECK(is_refused(changed, signature_rule::required_operand_must_be_given));
      if (node.in[i].desc.type == dtype::none) continue;
      for (int type = 1; type < dtype_count; ++type) {
        if (row.accepts.contains(static_cast<dtype>(type))) continue;
        changed = node;
        changed.in[i].desc.type = static_cast<dtype>(type);
        CHECK(is_refused(changed, signature_rule::operand_type_must_be_accepted_by_the_operator));
      }
      changed = node;
      changed.in[i].is_constant = false;
      if (row.constant) CHECK(is_refused(changed, signature_rule::operand_must_be_a_constant));
      changed = node;
      changed.in[i].desc.shape = {-2};
      CHECK(is_refused(changed, signature_rule::extents_must_not_be_negative));
      changed.in[i].desc.shape = {max_elements, 2};
      CHECK(is_refused(changed, signature_rule::tensor_must_not_exceed_the_size_limit));
    }
    random_node changed = node;
    changed.in.resize(op.inputs.size());
    changed.in.push_back(node.in[0]);
    if (op.inputs.back().given != presence::variadic)
      CHECK(is_refused(changed, signature_rule::operands_must_not_exceed_the_signature));
    changed.in.clear();
    CHECK(is_refused(changed, signature_rule::required_operand_must_be_given));
  });
}

TEST_CASE("battery: outputs are refused that are declared otherwise than the rules say") {
  for_each_node(1, [](const random_node& node, dice&) {
    for (std::size_t i = 0; i < node.out.size(); ++i) {
      CAPTURE(i);
      random_node changed = node;
      changed.wanted = node.out;
      CHECK(bool(changed.infer()));
      changed.wanted[i].type = node.out[i].type == f32 ? i64 : f32;
      if (!changed.wanted[i].quantised)
        CHECK(is_signature_rule(changed.infer(), signature_rule::declared_output_type_must_match));
      if (node.out[i].rank() == 0) continue;
      changed.wanted = node.out;
      ++changed.wanted[i].shape[0];
      CHECK(is_signature_rule(changed.infer(), signature_rule::declared_output_extent_must_match));
      if (node.out[i].rank() == max_rank) continue;
      changed.wanted = node.out;
      changed.wanted[i].shape.push_back(1);
      CHECK(is_signature_rule(changed.infer(), signature_rule::declared_output_rank_must_match));
    }
  });
}

TEST_CASE("battery: attributes come back from their words, and words that are none are refused") {
  const std::uint64_t seed = seed_of_run();
  CAPTURE(seed);
  for (const operator_info* op : catalogue()) {
    dice random(seed + static_cast<std::uint64_t>(op->code));
    CAPTURE(op->name);
    for (int i = 0; i < cases(200, 10); ++i) {
      const std::vector<word> words = random_words(*op, random.below(9), random);
      CHECK(is_well_formed(*op, words));
      CHECK(repacked(*op, words) == words);
      std::vector<word> longer = words;
      longer.push_back(0);
      CHECK_FALSE(is_well_formed(*op, longer));
      CHECK(is_signature_rule(op->infer(longer, {}, {}), signature_rule::attributes_must_be_well_formed));
      if (words.empty()) continue;
      CHECK_FALSE(is_well_formed(*op, std::span(words).first(words.size() - 1)));
    }
    CHECK(repacked(*op, default_words(*op)) == default_words(*op));
  }
}

TEST_CASE("battery: a dump names every attribute of a node") {
  for (const operator_info* op : catalogue()) {
    ir::graph g;
    ir::node n;
    n.op = op;
    n.label = op->label;
    n.attrs = g.add_words(default_words(*op));
    dice random(seed_of_run());
    std::vector<word> words;
    while (words.empty() && !op->label->attributes.empty()) words = random_words(*op, 4, random);
    n.attrs = g.add_words(words);
    const std::string text = ir::attributes_text(g, n);
    CAPTURE(op->name);
    CAPTURE(text);
    for (const attribute_field& field : op->label->attributes)
      if (field.kind != attribute_kind::list && field.kind != attribute_kind::reals)
        CHECK(text.find(std::string(field.name) + "=") != std::string::npos);
  }
}
