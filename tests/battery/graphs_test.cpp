// graphs_test: networks of up to 4,000 random nodes, chained and branched. Each node computes what its reference does,
// and what passes and planners do - fusing, results in place, memory that is used again, threads - changes no number.
// Inputs become states: what runs remember is what they would have been given. Flow: random_node makes nodes from the
// tables of each operator in the catalogue; no operator is named here.
#include "battery/one_node.hpp"

#include "support/sanitized.hpp"

#include <nnrt/dynamic.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace nnrt_test;

namespace {

/// How many graphs of each size are tried: as many as the environment variable NNRT_GRAPHS says, else one.
int graphs_of_run() {
  const char* const given = std::getenv("NNRT_GRAPHS");
  return given == nullptr ? 1 : std::max(1, std::atoi(given));
}

/// Whether others may compute with these numbers: they are finite, and no larger than networks make them that were
/// trained. Infinities are for single nodes: what is rounded to 0 on the way to one would be NaN.
bool is_tame(const tensor_desc& desc, const std::vector<std::byte>& bytes) {
  bool all = true;
  with_element<types::floating>(desc.type, [&]<class T>(T element) {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
      std::memcpy(&element, bytes.data() + at, sizeof(T));
      all = all && std::fabs(static_cast<double>(element)) <= 100;
    }
  });
  return all;
}

/// Whether results have the same bits, but for the sign of a zero: an activation that is fused sees numbers before they
/// are rounded to -0.
bool are_same(dtype type, const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  bool all = a.size() == b.size();
  if (!all || a == b) return all;
  all = types::floating.contains(type);
  with_element<types::floating>(type, [&]<class T>(T x) {
    for (std::size_t at = 0; at < a.size(); at += sizeof(T)) {
      T y{};
      std::memcpy(&x, a.data() + at, sizeof(T));
      std::memcpy(&y, b.data() + at, sizeof(T));
      const bool are_zeros = static_cast<double>(x) == 0 && static_cast<double>(y) == 0;
      all = all && (are_zeros || std::memcmp(&x, &y, sizeof(T)) == 0);
    }
  });
  return all;
}

/// A graph that grows node by node. What its values are is computed by references meanwhile, so that nodes are left out
/// that would find fault with them.
class random_graph {
 public:
  random_graph(int nodes, std::uint64_t seed) : random_(seed) {
    for (int operators = 0; static_cast<int>(nodes_.size()) < nodes && operators < 10 * (nodes + 10); ++operators) {
      const operator_info& op = *random_.one_of(catalogue());
      bool is_added = false;
      for (int attempts = 0; attempts < 100 && !is_added; ++attempts) is_added = attempt(op);
    }
  }
  std::size_t size() const { return nodes_.size(); }
  dtype type_of(std::size_t value) const { return values_[value].operand.desc.type; }

  /// A value that becomes another one from run to run.
  struct remembered {
    std::size_t state = 0, next = 0;
  };
  /// Inputs that may be states: floats, since a node may find fault with other integers than it was made with. Each
  /// becomes any value of its desc, of those that nodes make a late one mostly.
  std::vector<remembered> states() {
    std::vector<remembered> made;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const known_value& v = values_[i];
      if (v.is_made || v.operand.is_constant || !types::floating.contains(v.operand.desc.type)) continue;
      std::vector<std::size_t> alike;
      for (std::size_t next = 0; next < values_.size(); ++next)
        if (values_[next].operand.desc == v.operand.desc) alike.push_back(next);
      const std::size_t late = random_.once_in(2) ? alike.size() - alike.size() / 2 : alike.size();
      made.push_back({i, alike[alike.size() - 1 - static_cast<std::size_t>(random_.below(static_cast<int>(late)))]});
    }
    return made;
  }

  /// The network, with all results as outputs, or those alone that no node reads. Of states each begins with what the
  /// input was; or they stay inputs, and what they become are the last outputs.
  model network(bool all_results, const std::vector<remembered>& states = {}, bool are_fed = false) const {
    model_builder b;
    std::vector<std::int32_t> ids;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const bool is_state = !are_fed && std::ranges::any_of(states, [&](const remembered& s) { return s.state == i; });
      if (values_[i].is_made) ids.push_back(ir::none);
      else if (!is_state) ids.push_back(add_operand(b, values_[i].operand, i));
      else ids.push_back(add_state(b, values_[i].operand, i));
    }
    for (const made_node& n : nodes_) {
      std::vector<std::int32_t> in;
      for (const std::int32_t at : n.in) in.push_back(at < 0 ? ir::none : ids[static_cast<std::size_t>(at)]);
      const auto made = b.apply(*n.node.op, n.node.words, in, n.node.wanted);
      if (!made) MESSAGE(made.error().message());
      REQUIRE(made.has_value());
      for (std::size_t i = 0; i < made->size(); ++i) ids[n.first_out + i] = (*made)[i];
    }
    for (const std::size_t at : outputs(all_results)) REQUIRE(b.output("y" + std::to_string(at), ids[at]).has_value());
    for (const remembered& s : states)
      if (are_fed) REQUIRE(b.output("next of " + std::to_string(s.state), ids[s.next]).has_value());
      else REQUIRE(b.next(ids[s.state], ids[s.next]).has_value());
    return b.finish();
  }
  /// The numbers of these outputs among the values.
  std::vector<std::size_t> outputs(bool all_results) const {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i].is_made && (all_results || !values_[i].is_read)) all.push_back(i);
    return all;
  }
  /// What a program makes of the graph's inputs, by number of the value.
  std::map<std::size_t, std::vector<std::byte>> computed(bool all_results, const options& wanted) const {
    const auto compiled = compile(network(all_results), wanted);
    if (!compiled) MESSAGE(compiled.error().message());
    REQUIRE(compiled.has_value());
    session run(*compiled);
    fill_inputs(run, {});
    const auto ran = run.run();
    if (!ran) MESSAGE(ran.error().message());
    REQUIRE(ran.has_value());
    std::map<std::size_t, std::vector<std::byte>> made;
    std::size_t output = 0;
    for (const std::size_t at : outputs(all_results)) {
      const auto bytes = run.output_bytes(output++);
      made[at].assign(bytes.begin(), bytes.end());
    }
    return made;
  }
  /// Runs that remember states, against runs that are given them; after a reset, and from a state that was saved.
  void check_states(const std::vector<remembered>& states, const options& wanted) const {
    const auto own = compile(network(false, states), wanted), opened = compile(network(false, states, true), wanted);
    REQUIRE(own.has_value());
    REQUIRE(opened.has_value());
    REQUIRE(own->state_count() == states.size());
    session remembers(*own), fed(*opened);
    fill_inputs(remembers, states), fill_inputs(fed, {});
    const std::size_t outputs = own->output_count();
    std::vector<std::size_t> place;  // of each state among the inputs of `fed`
    for (const remembered& s : states) place.push_back(input_number(s.state));
    std::vector<std::vector<std::vector<std::byte>>> results;  // by run, then by output
    std::vector<saved_state> kept{remembers.save_state()};     // before each run
    constexpr std::size_t runs = 4;
    for (std::size_t run = 0; run < runs; ++run) {
      CAPTURE(run);
      const auto ran = remembers.run(), expected = fed.run();
      REQUIRE(ran.has_value() == expected.has_value());
      if (!ran) return;
      results.push_back(results_of(remembers, outputs));
      CHECK(results.back() == results_of(fed, outputs));
      kept.push_back(remembers.save_state());
      const auto next = results_of(fed, outputs + states.size());
      for (std::size_t i = 0; i < states.size(); ++i) {
        CHECK(std::ranges::equal(kept.back().bytes(i), next[outputs + i]));
        std::ranges::copy(next[outputs + i], fed.input_bytes(place[i]).begin());
      }
    }
    for (const std::size_t run : {runs - 1, std::size_t{1}}) {
      REQUIRE(remembers.load_state(kept[run]).has_value());
      REQUIRE(remembers.run().has_value());
      CHECK(results_of(remembers, outputs) == results[run]);
    }
    remembers.reset();
    REQUIRE(remembers.run().has_value());
    CHECK(results_of(remembers, outputs) == results[0]);
  }
  /// Each node by itself: its reference, given what the program computed before it, gives what the program gives.
  void check_nodes(const std::map<std::size_t, std::vector<std::byte>>& results) const {
    for (const made_node& n : nodes_) {
      random_node node = n.node;
      for (std::size_t i = 0; i < n.in.size(); ++i)
        if (n.in[i] >= 0)
          if (const auto found = results.find(static_cast<std::size_t>(n.in[i])); found != results.end())
            node.in[i].bytes = found->second;
      node_result got;
      for (std::size_t i = 0; i < node.out.size(); ++i) got.bytes.push_back(results.at(n.first_out + i));
      const node_result expected = reference_of(node);
      const std::string how = expected.fault ? "the reference finds fault" : difference_of_network(node, got, expected);
      if (how.empty()) continue;
      const std::string text = node.text();
      CAPTURE(text);
      CHECK(how == "");
    }
  }

 private:
  struct known_value {
    random_operand operand;
    bool is_made = false;  // by a node
    bool is_read = false;
    bool has_weights = false;  // the node that made it
  };
  struct made_node {
    random_node node;
    std::vector<std::int32_t> in;  // values; below 0: missing
    std::size_t first_out = 0;
  };

  /// One attempt at a further node: mostly of a result that there is, as often a late one as any.
  bool attempt(const operator_info& op) {
    const known_value* first = nullptr;
    if (!random_.once_in(8) && !open_.empty()) {
      const std::size_t late = random_.once_in(2) ? std::min<std::size_t>(open_.size(), 20) : open_.size();
      first = &values_[open_[open_.size() - 1 - static_cast<std::size_t>(random_.below(static_cast<int>(late)))]];
    }
    const dtype type = first != nullptr ? first->operand.desc.type : random_.one_of(op.computes_on);
    if (!op.computes_on.contains(type)) return false;
    if (first != nullptr && op.traits.may_fail && !types::floating.contains(type)) return false;
    auto made = try_node(op, type, random_, shape_wish::any, first != nullptr ? &first->operand : nullptr);
    return made && add(std::move(*made), first);
  }
  bool add(random_node&& node, const known_value* first) {
    for (const random_operand& x : node.in)
      if (!is_tame(x.desc, x.bytes)) return false;
    made_node n{std::move(node), {}, 0};
    if (first != nullptr && first->has_weights) {  // passes would fold one layer into the other, and round otherwise
      for (random_operand& x : n.node.in) x.is_constant = x.is_constant && !is_weight(x);
      if (!n.node.infer()) return false;
    }
    for (std::size_t i = 0; i < n.node.in.size(); ++i) n.in.push_back(source_of(n.node, i, i == 0 ? first : nullptr));
    const node_result made = reference_of(n.node);
    if (made.fault) return false;
    for (std::size_t i = 0; i < n.in.size(); ++i) {
      if (n.in[i] == unused) {
        n.in[i] = static_cast<std::int32_t>(values_.size());
        values_.push_back({n.node.in[i]});
      } else if (n.in[i] >= 0) {
        values_[static_cast<std::size_t>(n.in[i])].is_read = true;
      }
    }
    n.first_out = values_.size();
    for (std::size_t i = 0; i < n.node.out.size(); ++i) {
      const tensor_desc& desc = n.node.out[i];
      const bool may_be_read =
          desc.elements() > 0 && is_tame(desc, made.bytes[i]) && desc.quantised.mode != quantisation::kind::per_channel;
      if (may_be_read) open_.push_back(values_.size()), like_[key_of(desc)].push_back(values_.size());
      values_.push_back({{desc, false, {}, {}, made.bytes[i]}, true, false, std::ranges::any_of(n.node.in, is_weight)});
    }
    nodes_.push_back(std::move(n));
    return true;
  }
  /// The value that is operand i: the one given, one that is just like it, or `unused` for a new one. Numbers that a
  /// node may find fault with are its own.
  std::int32_t source_of(random_node& node, std::size_t i, const known_value* given) {
    random_operand& x = node.in[i];
    if (x.desc.type == dtype::none) return ir::none;
    if (given != nullptr) return static_cast<std::int32_t>(given - values_.data());
    if (x.is_constant || (node.op->traits.may_fail && !types::floating.contains(x.desc.type)) || random_.once_in(3))
      return unused;
    const auto found = like_.find(key_of(x.desc));
    if (found == like_.end()) return unused;
    const std::size_t at = random_.one_of(found->second);
    if (!(values_[at].operand.desc == x.desc)) return unused;
    x.bytes = values_[at].operand.bytes;
    return static_cast<std::int32_t>(at);
  }
  static bool is_weight(const random_operand& x) { return x.is_constant && types::floating.contains(x.desc.type); }
  static std::pair<int, std::string> key_of(const tensor_desc& desc) {
    std::string extents;
    for (const std::int64_t extent : desc.shape) extents += std::to_string(extent) + ' ';
    return {static_cast<int>(desc.type), extents};
  }

  static std::int32_t add_state(model_builder& b, const random_operand& x, std::size_t i) {
    random_operand initial = x;
    initial.is_constant = true;
    return b.state("s" + std::to_string(i), x.desc, add_operand(b, initial, i)).value();
  }
  /// Gives all inputs but these what they are.
  void fill_inputs(session& run, const std::vector<remembered>& but) const {
    std::size_t input = 0;
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (is_input(i) && std::ranges::none_of(but, [&](const remembered& s) { return s.state == i; }))
        std::ranges::copy(values_[i].operand.bytes, run.input_bytes(input++).begin());
  }
  bool is_input(std::size_t i) const { return !values_[i].is_made && !values_[i].operand.is_constant; }
  std::size_t input_number(std::size_t value) const {
    std::size_t number = 0;
    for (std::size_t i = 0; i < value; ++i) number += is_input(i) ? 1 : 0;
    return number;
  }
  static std::vector<std::vector<std::byte>> results_of(const session& run, std::size_t count) {
    std::vector<std::vector<std::byte>> all;
    for (std::size_t i = 0; i < count; ++i) all.emplace_back(run.output_bytes(i).begin(), run.output_bytes(i).end());
    return all;
  }

  static constexpr std::int32_t unused = -2;

  dice random_;
  std::vector<known_value> values_;
  std::vector<made_node> nodes_;
  std::vector<std::size_t> open_;  // results that others may read
  std::map<std::pair<int, std::string>, std::vector<std::size_t>> like_;
};

}  // namespace

TEST_CASE("battery: each node of a large graph computes what its reference does, however the graph is planned") {
  const std::uint64_t seed = seed_of_run();
  CAPTURE(seed);
  for (const int nodes : {10, 300, 4000})
    for (int i = 0; i < graphs_of_run(); ++i) {
      if (nodes > cases(4000, 10)) continue;
      CAPTURE(nodes);
      CAPTURE(i);
      const random_graph graph(nodes, seed + static_cast<std::uint64_t>(i) * 5000 + static_cast<std::uint64_t>(nodes));
      REQUIRE(graph.size() == static_cast<std::size_t>(nodes));
      const auto results = graph.computed(true, {.winograd = winograd::off});
      graph.check_nodes(results);
      for (const int threads : {1, 2})
        for (const auto& [value, bytes] : graph.computed(false, {.threads = threads, .winograd = winograd::off})) {
          CAPTURE(value);
          CHECK(are_same(graph.type_of(value), bytes, results.at(value)));
        }
    }
}

TEST_CASE("battery: a graph that remembers states computes what it does when it is given them, in every run") {
  const std::uint64_t seed = seed_of_run() + 77;
  CAPTURE(seed);
  std::size_t states = 0;
  for (const int nodes : {5, 20, 300})
    for (int i = 0; i < graphs_of_run() * cases(4000 / nodes / 4, 1); ++i) {
      CAPTURE(nodes);
      CAPTURE(i);
      random_graph graph(nodes, seed + static_cast<std::uint64_t>(i) * 5000 + static_cast<std::uint64_t>(nodes));
      const std::vector<random_graph::remembered> remembered = graph.states();
      states += remembered.size();
      for (const int threads : {1, 2}) {
        CAPTURE(threads);
        graph.check_states(remembered, {.threads = threads});
      }
    }
  CHECK(states > 20);
}
