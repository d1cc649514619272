// model_cases: valid models with one thing changed, as NN HAL's own suites change them; drivers and what stands before
// them refuse each of them twice.
// Flow: added to the suite by all_cases().
#include "hal_test/samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace nnrt_hal_test {
namespace {

/// Changes a graph; false: there is nothing in it to change.
using change = bool (*)(ir::graph& g);
struct mutation {
  const char* name;
  change make;
};

/// The first value of this kind, or of a quantised or a real one.
template <class Which> ir::value* value_where(ir::graph& g, Which which) {
  for (ir::value& v : g.values)
    if (which(v)) return &v;
  return nullptr;
}
ir::value* value_of(ir::graph& g, ir::kind kind) {
  return value_where(g, [&](const ir::value& v) { return v.is == kind; });
}
template <class F> bool on_value(ir::graph& g, ir::kind kind, F f) {
  ir::value* const v = value_of(g, kind);
  if (v != nullptr) f(*v);
  return v != nullptr;
}
template <class F> bool on_quantised(ir::graph& g, F f) {
  ir::value* const v =
      value_where(g, [](const ir::value& one) { return one.desc.quantised.mode == quantisation::kind::per_tensor; });
  if (v != nullptr) f(v->desc.quantised);
  return v != nullptr;
}
/// The value that node i makes, as its operands name it.
std::int32_t& made_by(ir::graph& g, std::size_t i) {
  return g.operands[static_cast<std::size_t>(g.nodes[i].outputs.first)];
}
std::int32_t count(const ir::graph& g) { return static_cast<std::int32_t>(g.values.size()); }

constexpr mutation mutations[] = {
    // Nodes: NN HAL's rules 11 to 14.
    {"no_operator", [](ir::graph& g) { return g.nodes[0].op = nullptr, true; }},
    {"node_taken_out", [](ir::graph& g) { return g.nodes[0].removed = true; }},
    {"attributes_outside",
     [](ir::graph& g) { return g.nodes[0].attrs.first = static_cast<std::int32_t>(g.words.size()) + 1, true; }},
    {"attribute_removed", [](ir::graph& g) { return g.nodes[0].attrs.count-- > 0; }},
    {"operands_outside",
     [](ir::graph& g) { return g.nodes[0].inputs.first = static_cast<std::int32_t>(g.operands.size()), true; }},
    {"operands_negative", [](ir::graph& g) { return g.nodes[0].inputs.first = -1, true; }},
    {"input_index_too_large", [](ir::graph& g) { return g.inputs_of(g.nodes[0])[0] = count(g), true; }},
    {"input_index_negative", [](ir::graph& g) { return g.inputs_of(g.nodes[0])[0] = -2, true; }},
    {"output_index_too_large", [](ir::graph& g) { return made_by(g, 0) = count(g), true; }},
    {"output_index_negative", [](ir::graph& g) { return made_by(g, 0) = -1, true; }},
    {"input_removed", [](ir::graph& g) { return --g.nodes[0].inputs.count, true; }},
    {"input_left_out", [](ir::graph& g) { return g.inputs_of(g.nodes[0])[0] = ir::none, true; }},
    {"inputs_added",
     [](ir::graph& g) {
       const std::int32_t first = g.inputs_of(g.nodes[0])[0];
       const std::int32_t many[] = {first, first, first, first, first, first, first};
       return g.nodes[0].inputs = g.add_operands(many), true;
     }},
    {"output_removed", [](ir::graph& g) { return g.nodes[0].outputs.count = 0, true; }},
    {"output_added",
     [](ir::graph& g) {
       const std::int32_t made = g.outputs_of(g.nodes[0])[0], more = g.add_value(g.at(made));
       const std::int32_t two[] = {made, more};
       return g.nodes[0].outputs = g.add_operands(two), true;
     }},
    {"node_name_outside",
     [](ir::graph& g) { return g.nodes[0].name = {0, static_cast<std::int32_t>(g.text.size()) + 1}, true; }},
    {"operands_shared",
     [](ir::graph& g) { return g.nodes.size() > 1 && (g.nodes[1].inputs = g.nodes[0].inputs, true); }},
    // Order: rules 8 and 9.
    {"cycle",
     [](ir::graph& g) { return g.inputs_of(g.nodes[0])[0] = g.outputs_of(g.nodes[g.nodes.size() - 1])[0], true; }},
    {"reads_before_made", [](ir::graph& g) { return g.nodes.size() > 1 && (std::swap(g.nodes[0], g.nodes[1]), true); }},
    {"second_writer",
     [](ir::graph& g) { return g.nodes.size() > 1 && (made_by(g, 1) = g.outputs_of(g.nodes[0])[0], true); }},
    {"writes_an_input", [](ir::graph& g) { return made_by(g, 0) = g.inputs[0], true; }},
    {"writes_a_constant",
     [](ir::graph& g) {
       for (std::int32_t id = 0; id < count(g); ++id)
         if (g.at(id).is == ir::kind::constant) return made_by(g, 0) = id, true;
       return false;
     }},
    // Kinds, and the lists of inputs and outputs: rules 5 and 6.
    {"input_becomes_result",
     [](ir::graph& g) { return on_value(g, ir::kind::input, [](ir::value& v) { v.is = ir::kind::result; }); }},
    {"input_becomes_weight",
     [](ir::graph& g) { return on_value(g, ir::kind::input, [](ir::value& v) { v.is = ir::kind::weight; }); }},
    {"result_becomes_input",
     [](ir::graph& g) { return on_value(g, ir::kind::result, [](ir::value& v) { v.is = ir::kind::input; }); }},
    {"result_becomes_constant",
     [](ir::graph& g) { return on_value(g, ir::kind::result, [](ir::value& v) { v.is = ir::kind::constant; }); }},
    {"constant_becomes_result",
     [](ir::graph& g) { return on_value(g, ir::kind::constant, [](ir::value& v) { v.is = ir::kind::result; }); }},
    {"constant_becomes_weight",
     [](ir::graph& g) { return on_value(g, ir::kind::constant, [](ir::value& v) { v.is = ir::kind::weight; }); }},
    {"no_such_kind", [](ir::graph& g) { return g.values[0].is = static_cast<ir::kind>(9), true; }},
    {"input_not_listed", [](ir::graph& g) { return g.inputs = {}, true; }},
    {"input_listed_twice", [](ir::graph& g) { return g.inputs.push_back(g.inputs[0]), true; }},
    {"input_list_too_large", [](ir::graph& g) { return g.inputs[0] = count(g), true; }},
    {"input_list_has_result", [](ir::graph& g) { return g.inputs.push_back(g.outputs_of(g.nodes[0])[0]), true; }},
    {"no_output", [](ir::graph& g) { return g.outputs = {}, true; }},
    {"output_list_too_large", [](ir::graph& g) { return g.outputs[0].value = count(g), true; }},
    {"output_list_negative", [](ir::graph& g) { return g.outputs[0].value = -1, true; }},
    {"output_name_outside", [](ir::graph& g) { return g.outputs[0].name = {-1, 1}, true; }},
    {"no_node", [](ir::graph& g) { return g.nodes = {}, true; }},
    // Descs: rules 1 to 4, 10 and 17.
    {"dtype_none", [](ir::graph& g) { return g.values[0].desc.type = dtype::none, true; }},
    {"dtype_too_large", [](ir::graph& g) { return g.values[0].desc.type = static_cast<dtype>(dtype_count), true; }},
    {"dtype_negative", [](ir::graph& g) { return g.values[0].desc.type = static_cast<dtype>(-1), true; }},
    {"rank_too_large", [](ir::graph& g) { return g.values[0].desc.shape.rank = max_rank + 1, true; }},
    {"rank_negative", [](ir::graph& g) { return g.values[0].desc.shape.rank = -1, true; }},
    {"extent_negative", [](ir::graph& g) { return g.values[0].desc.shape[0] = -2, true; }},
    {"extents_overflow",
     [](ir::graph& g) { return g.values[0].desc.shape[0] = g.values[0].desc.shape[1] = std::int64_t{1} << 40, true; }},
    {"constant_of_open_extent",
     [](ir::graph& g) { return on_value(g, ir::kind::constant, [](ir::value& v) { v.desc.shape[0] = -1; }); }},
    {"no_such_format", [](ir::graph& g) { return g.values[0].desc.layout = static_cast<format>(7), true; }},
    {"no_such_quantisation",
     [](ir::graph& g) { return g.values[0].desc.quantised.mode = static_cast<quantisation::kind>(5), true; }},
    {"no_such_rounding",
     [](ir::graph& g) { return g.values[0].desc.quantised.rounding = static_cast<quantised_rounding>(2), true; }},
    {"value_name_outside",
     [](ir::graph& g) { return g.values[0].name = {static_cast<std::int32_t>(g.text.size()), 1}, true; }},
    {"scale_zero", [](ir::graph& g) { return on_quantised(g, [](quantisation& q) { q.scale = 0; }); }},
    {"scale_negative", [](ir::graph& g) { return on_quantised(g, [](quantisation& q) { q.scale = -1; }); }},
    {"scale_nan",
     [](ir::graph& g) {
       return on_quantised(g, [](quantisation& q) { q.scale = std::numeric_limits<float>::quiet_NaN(); });
     }},
    {"scale_infinite",
     [](ir::graph& g) {
       return on_quantised(g, [](quantisation& q) { q.scale = std::numeric_limits<float>::infinity(); });
     }},
    {"zero_point_too_large", [](ir::graph& g) { return on_quantised(g, [](quantisation& q) { q.zero_point = 128; }); }},
    {"zero_point_too_small",
     [](ir::graph& g) { return on_quantised(g, [](quantisation& q) { q.zero_point = -129; }); }},
    {"channels_without_scales",
     [](ir::graph& g) { return on_quantised(g, [](quantisation& q) { q.mode = quantisation::kind::per_channel; }); }},
    {"quantised_along_no_axis",
     [](ir::graph& g) {
       return on_quantised(g, [](quantisation& q) { q.mode = quantisation::kind::per_channel, q.axis = 9; });
     }},
    {"scales_outside", [](ir::graph& g) { return g.values[0].scales = count(g), true; }},
    // The places of constants: rule 16.
    {"constant_before_bytes",
     [](ir::graph& g) { return on_value(g, ir::kind::constant, [](ir::value& v) { v.first_byte = -64; }); }},
    {"constant_behind_bytes",
     [](ir::graph& g) {
       const auto end = static_cast<std::int64_t>(g.bytes.size());
       return on_value(g, ir::kind::constant, [end](ir::value& v) { v.first_byte = end; });
     }},
    {"constant_overflows",
     [](ir::graph& g) {
       constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max() - 3;
       return on_value(g, ir::kind::constant, [](ir::value& v) { v.first_byte = far; });
     }},
    {"constant_too_long",
     [](ir::graph& g) { return on_value(g, ir::kind::constant, [](ir::value& v) { v.desc.shape[0] += 1000; }); }},
};

bool is_refused(const device& on, const model& network) {
  const auto says = on.supported(network);
  return !says || std::any_of(says->begin(), says->end(), [](bool is) { return !is; });
}

void check(probe& p, const mutation& one) {
  bool was_made = false;
  for (sample& s : taken_samples(p.on)) {
    if (!one.make(s.network.graph)) continue;
    was_made = true;
    p.expect(is_refused(p.on, s.network), {s.name, ": supported() takes it"});
    const prepared got = prepare(p, s.network);
    p.expect(got.ended == status::invalid_argument,
             {s.name, ": prepare() ends with ", static_cast<int>(got.ended), ", expected 4: ", got.reason});
  }
  if (!was_made) p.skip({"no network that the device takes has such a thing"});
}

/// A dtype that an operand has not, one by one: refused by both, or taken by both.
void check_dtypes(probe& p) {
  for (const sample& original : taken_samples(p.on))
    for (std::size_t id = 0; id < original.network.graph.values.size(); ++id)
      for (int type = 1; type < dtype_count; ++type) {
        sample s = original;
        s.network.graph.values[id].desc.type = static_cast<dtype>(type);
        const bool refused = is_refused(p.on, s.network);
        const prepared got = prepare(p, s.network);
        p.expect(
            refused == (got.ended != status::none),
            {s.name, ": value ", id, " as ", name_of(static_cast<dtype>(type)),
             refused ? " is refused, and prepared" : " is supported, and not prepared: ", refused ? "" : got.reason});
      }
}

/// One field of a graph gets some number.
void change_something(ir::graph& g, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1)); };
  constexpr std::int64_t edges[] = {0, 1, -1, 2, 3, 7, 8, 9, 127, 128, -128, 255, 1 << 20, 0x7fffffff, -0x7fffffff - 1};
  const std::int64_t number = edges[below(std::size(edges))];
  ir::value& v = g.values[below(g.values.size())];
  ir::node& n = g.nodes[below(g.nodes.size())];
  switch (below(14)) {
    case 0: v.desc.type = static_cast<dtype>(number % 64); break;
    case 1: v.desc.layout = static_cast<format>(number % 8); break;
    case 2: v.desc.shape.rank = static_cast<int>(number % 16); break;
    case 3: v.desc.shape.extents[below(max_rank)] = number; break;
    case 4: v.desc.quantised.mode = static_cast<quantisation::kind>(number % 8); break;
    case 5: v.desc.quantised.zero_point = static_cast<std::int32_t>(number); break;
    case 6: v.is = static_cast<ir::kind>(number % 8); break;
    case 7: v.first_byte = number; break;
    case 8: v.scales = static_cast<std::int32_t>(number); break;
    case 9: (below(2) == 0 ? n.inputs.first : n.outputs.first) = static_cast<std::int32_t>(number); break;
    case 10: (below(2) == 0 ? n.inputs.count : n.attrs.count) = static_cast<std::int32_t>(number % 16); break;
    case 11:
      if (!g.words.empty()) g.words[below(g.words.size())] = static_cast<word>(number);
      break;
    case 12: g.operands[below(g.operands.size())] = static_cast<std::int32_t>(number); break;
    default: g.outputs[below(g.outputs.size())].value = static_cast<std::int32_t>(number); break;
  }
}

/// Whatever has become of the graph: what supported() says of it holds, and what is prepared runs.
void check_anything(probe& p) {
  std::mt19937 random(20240607);
  for (const sample& original : taken_samples(p.on))
    for (int round = 0; round < 400; ++round) {
      sample s = original;
      change_something(s.network.graph, random);
      const bool refused = is_refused(p.on, s.network);
      const prepared got = prepare(p, s.network);
      p.expect(refused || got.ended == status::none,
               {s.name, ", change ", round, ": is supported, and not prepared: ", got.reason});
      p.expect(!refused || got.ended != status::none, {s.name, ", change ", round, ": is refused, and prepared"});
      if (!got.model) continue;
      const prepared_model& made = got.model->model();
      bool is_small = true;
      for (std::size_t i = 0; i < made.input_count(); ++i)
        is_small = is_small && made.input_desc(i).bytes() >= 0 && made.input_desc(i).bytes() < 1 << 20;
      for (std::size_t i = 0; i < made.output_count(); ++i)
        is_small = is_small && made.output_desc(i).bytes() < 1 << 20;
      if (!is_small) continue;
      arrays a(made);
      (void)got.model->execute(a.asking());
    }
}

}  // namespace

void add_model_cases(case_list& to) {
  for (const mutation& one : mutations)
    to.push_back({std::string("model.") + one.name,
                  "a model that is valid but for this is refused by supported() and by prepare()",
                  [&one](probe& p) { check(p, one); }});
  to.push_back({"model.dtypes", "operands of other dtypes are refused by both, or taken by both", check_dtypes});
  to.push_back({"model.anything", "one field with any number: what is said of the model holds, and nothing crashes",
                check_anything});
  to.push_back({"model.empty", "an empty model is refused", [](probe& p) {
                  p.expect(is_refused(p.on, {}), {"supported() takes it"});
                  p.expect(prepare(p, {}).ended == status::invalid_argument, {"prepare() takes it"});
                }});
  to.push_back({"model.samples", "the device takes one of the suite's own small networks", [](probe& p) {
                  if (!taken_samples(p.on).empty()) return;
                  std::string why;
                  for (const sample& one : samples())
                    if (const auto reasons = p.on.refusals(one.network))
                      why += joined({"; ", one.name, ": ", (*reasons)[0]});
                  p.expect(false, {"it takes none, so that most cases have nothing to test", why});
                }});
}

}  // namespace nnrt_hal_test
