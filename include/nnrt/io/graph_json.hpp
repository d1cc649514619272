// graph_json: writes a graph as JSON and reads it back; members have a fixed order, attributes their names.
// Flow: saved_model.hpp uses it; the tables of the operators describe the attributes, so no operator is named here.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/io/json.hpp>
#include <nnrt/ir/dump.hpp>
#include <nnrt/ops/registry.hpp>

#include <limits>
#include <string>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Reads JSON whose members have a fixed order. An unexpected event stops the reading: from then on every call returns
/// an empty value, and reason() has the place and cause.
class member_reader {
 public:
  explicit member_reader(std::string_view text) : json_(text) {}

  bool is_fine() const { return !json_.is_broken(); }
  bool comes(json_event event) { return peek() == event; }
  bool take(json_event wanted) {
    if (const json_event got = peek(); got != wanted)
      return refuse({"expected ", name_of(wanted), ", got ", name_of(got)});
    has_event_ = false;
    return true;
  }
  /// Reads the name of the next member, which must be `name`.
  member_reader& key(std::string_view name) {
    if (take(json_event::key) && json_.string() != name)
      refuse({"expected the member ", piece::in_quotes(name), ", got ", piece::in_quotes(json_.string())});
    return *this;
  }
  std::int64_t integer(std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
    if (!take(json_event::integer)) return least;
    const std::int64_t got = json_.integer();
    if (got >= least && got <= most) return got;
    refuse({"got ", got, ", expected ", least, " to ", most});
    return least;
  }
  std::int32_t index(std::int32_t least = 0) {
    return static_cast<std::int32_t>(integer(least, std::numeric_limits<std::int32_t>::max()));
  }
  /// Reads a string. The view is valid until the next call.
  std::string_view text() { return take(json_event::string) ? json_.string() : std::string_view(); }
  bool flag() { return take(json_event::true_or_false) && json_.boolean(); }
  /// Reads a float: a number, or "inf", "-inf", "nan".
  float real() {
    if (comes(json_event::string)) {
      constexpr std::string_view names[] = {"inf", "-inf", "nan"};
      constexpr float infinity = std::numeric_limits<float>::infinity();
      constexpr float values[] = {infinity, -infinity, std::numeric_limits<float>::quiet_NaN()};
      return values[one_of(names)];
    }
    if (!comes(json_event::integer) && !take(json_event::real)) return 0;
    has_event_ = false;
    const double got = json_.real();
    if (got > double{std::numeric_limits<float>::max()} || got < double{std::numeric_limits<float>::lowest()})
      refuse({"a number does not fit into a float"});
    return static_cast<float>(got);
  }
  /// Reads a string and returns its index in `names`.
  std::size_t one_of(array_ref<const std::string_view> names) {
    const std::string_view got = text();
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == got) return i;
    pool<char> known;
    for (const std::string_view name : names) append(known, {known.empty() ? "" : ", ", name});
    refuse({"got ", piece::in_quotes(got), ", expected one of ", letters_of(known)});
    return 0;
  }
  /// Calls each() for every element of an array.
  template <class Each> void list(Each each) {
    for (take(json_event::begin_array); is_fine() && !comes(json_event::end_array);) each();
    take(json_event::end_array);
  }

  /// Sets the place that reason() reports, such as "node 3". It has no effect after an error.
  void at(pieces where) {
    if (!is_fine()) return;
    where_.clear();
    append(where_, where);
  }
  bool refuse(pieces why) { return json_.refuse(why), false; }
  /// "node 3: byte 817: expected an array, got a string"
  error reason() const { return where_.empty() ? json_.reason() : json_.reason().in(letters_of(where_)); }

 private:
  json_event peek() {
    if (!has_event_ || !is_fine()) event_ = json_.next();
    has_event_ = true;
    return event_;
  }

  json_reader json_;
  json_event event_ = json_event::broken;
  bool has_event_ = false;
  pool<char> where_;
};

// ---- Names of enumerators, in their order ----

inline constexpr std::string_view value_kinds[] = {"input", "weight", "constant", "result", "state"};
static_assert(nnrt::detail::covers<ir::kind, std::size(value_kinds)>);
inline constexpr std::string_view quantisation_kinds[] = {"none", "per_tensor", "per_channel"};
static_assert(nnrt::detail::covers<quantisation::kind, std::size(quantisation_kinds)>);
inline constexpr std::string_view roundings[] = {"twice", "half_to_even"};
static_assert(nnrt::detail::covers<quantised_rounding, std::size(roundings)>);
inline constexpr std::string_view pad_modes[] = {"explicit", "same", "valid"};
static_assert(nnrt::detail::covers<pad_mode, std::size(pad_modes)>);

/// name_of() of each enumerator.
template <class Enum, int Count>
inline constexpr auto names_of = [] {
  std::array<std::string_view, std::size_t{Count}> names{};
  for (int i = 0; i < Count; ++i) names[static_cast<std::size_t>(i)] = name_of(static_cast<Enum>(i));
  return names;
}();

// ---- Writing ----

[[gnu::cold]] inline void write_real(json_writer& json, float number) {
  if (number - number == 0) json.real(double{number});
  else json.string(number > 0 ? "inf" : number < 0 ? "-inf" : "nan");
}

[[gnu::cold]] inline void write_integers(json_writer& json, word_reader& words, word count) {
  json.begin_array();
  for (word i = 0; i < count; ++i) json.integer(words.take());
  json.end_array();
}

[[gnu::cold]] inline void write_attribute(json_writer& json, attribute_kind kind, word_reader& words) {
  const auto take_real = [&] {
    float number = 0;
    words.get(number);
    return number;
  };
  switch (kind) {
    case attribute_kind::integer:
    case attribute_kind::choice: json.integer(words.take()); break;
    case attribute_kind::flag: json.boolean(words.take() != 0); break;
    case attribute_kind::real: write_real(json, take_real()); break;
    case attribute_kind::extent: write_integers(json, words, 2); break;
    case attribute_kind::padding:
      json.begin_object().key("mode").string(pad_modes[words.take()]).key("sides");
      write_integers(json, words, 4);
      json.end_object();
      break;
    case attribute_kind::list: write_integers(json, words, words.take()); break;
    case attribute_kind::reals:
      json.begin_array();
      for (word left = words.take(); left > 0; --left) write_real(json, take_real());
      json.end_array();
      break;
    case attribute_kind::fused: json.string(name_of(static_cast<activation>(words.take()))); break;
  }
}

[[gnu::cold]] inline void write_ids(json_writer& json, array_ref<const std::int32_t> ids) {
  json.begin_array();
  for (const std::int32_t id : ids) json.integer(id);
  json.end_array();
}

/// Writes all fields of a desc. A new field stops this function from compiling.
[[gnu::cold]] inline void write_desc(json_writer& json, const tensor_desc& desc) {
  const auto& [type, layout, shape, quantised] = desc;
  const auto& [mode, scale, zero_point, axis, rounding] = quantised;
  json.key("type").string(name_of(type)).key("format").string(name_of(layout)).key("shape").begin_array();
  for (const std::int64_t extent : shape) json.integer(extent);
  json.end_array().key("quantised");
  if (quantised == quantisation{}) return void(json.null());
  json.begin_object().key("kind").string(quantisation_kinds[static_cast<std::size_t>(mode)]).key("scale");
  write_real(json, scale);
  json.key("zero_point")
      .integer(zero_point)
      .key("axis")
      .integer(axis)
      .key("rounding")
      .string(roundings[static_cast<std::size_t>(rounding)])
      .end_object();
}

[[gnu::cold]] inline void write_node(json_writer& json, const ir::graph& g, const ir::node& n) {
  json.begin_object()
      .key("operator")
      .string(n.op->name)
      .key("name")
      .string(g.name_of(n.name))
      .key("attributes")
      .begin_object();
  word_reader words{g.attrs_of(n)};
  for (const attribute_field& field : n.label->attributes) write_attribute(json.key(field.name), field.kind, words);
  json.end_object().key("inputs");
  write_ids(json, g.inputs_of(n));
  json.key("outputs");
  write_ids(json, g.outputs_of(n));
  json.end_object();
}
[[gnu::cold]] inline void write_state(json_writer& json, const ir::state& s) {
  json.begin_object().key("value").integer(s.value).key("next").integer(s.next).key("initial").integer(s.initial);
  json.end_object();
}

/// Writes a graph that check_graph() and infer_graph() accepted. name_of_constant(id) returns the name of the tensor
/// with the constant's elements.
template <class NameOf> void write_graph(json_writer& json, const ir::graph& g, NameOf name_of_constant) {
  json.begin_object().key("values").begin_array();
  for (std::size_t id = 0; id < g.values.size(); ++id) {
    const ir::value& v = g.values[id];
    json.begin_object()
        .key("kind")
        .string(value_kinds[static_cast<std::size_t>(v.is)])
        .key("name")
        .string(g.name_of(v.name));
    write_desc(json, v.desc);
    json.key("scales").integer(v.scales);
    if (v.is == ir::kind::constant) json.key("tensor").string(name_of_constant(static_cast<std::int32_t>(id)));
    json.end_object();
  }
  json.end_array().key("nodes").begin_array();
  for (const ir::node& n : g.nodes) write_node(json, g, n);
  json.end_array().key("inputs");
  write_ids(json, g.inputs);
  json.key("outputs").begin_array();
  for (const ir::output& out : g.outputs)
    json.begin_object().key("value").integer(out.value).key("name").string(g.name_of(out.name)).end_object();
  json.end_array();
  if (!g.states.empty()) {
    json.key("states").begin_array();
    for (const ir::state& s : g.states) write_state(json, s);
    json.end_array();
  }
  json.end_object();
}

// ---- Reading ----

[[gnu::cold]] inline void read_integers(member_reader& json, pool<word>& words) {
  json.list([&] { words.push_back(json.integer()); });
}
[[gnu::cold]] inline void read_integers(member_reader& json, pool<word>& words, std::size_t count) {
  const std::size_t before = words.size();
  read_integers(json, words);
  if (words.size() - before != count) json.refuse({"got ", words.size() - before, " numbers, expected ", count});
}

/// Reads the words of one attribute. The operator's rules check the length of a list.
[[gnu::cold]] inline void read_attribute(member_reader& json, attribute_kind kind, pool<word>& words) {
  word_writer<pool<word>> to{words};
  switch (kind) {
    case attribute_kind::integer:
    case attribute_kind::choice: to.put(json.integer()); break;
    case attribute_kind::flag: to.put(json.flag()); break;
    case attribute_kind::real: to.put(json.real()); break;
    case attribute_kind::extent: read_integers(json, words, 2); break;
    case attribute_kind::padding:
      json.take(json_event::begin_object);
      to.put(static_cast<pad_mode>(json.key("mode").one_of(pad_modes)));
      read_integers(json.key("sides"), words, 4);
      json.take(json_event::end_object);
      break;
    case attribute_kind::list:
    case attribute_kind::reals: {
      pool<word> items;
      word_writer<pool<word>> reals{items};
      if (kind == attribute_kind::list) read_integers(json, items);
      else json.list([&] { reals.put(json.real()); });
      to.put(static_cast<std::int64_t>(items.size()));
      words.insert(items.begin(), items.end());
      break;
    }
    case attribute_kind::fused: to.put(static_cast<activation>(json.one_of(names_of<activation, 3>))); break;
  }
}

[[gnu::cold]] inline tensor_desc read_desc(member_reader& json) {
  tensor_desc desc;
  desc.type = static_cast<dtype>(json.key("type").one_of(names_of<dtype, dtype_count>));
  desc.layout = static_cast<format>(json.key("format").one_of(names_of<format, 4>));
  json.key("shape").list([&] {
    if (desc.shape.rank == max_rank) return void(json.refuse({"expected at most ", max_rank, " extents"}));
    desc.shape.push_back(json.integer(-1));
  });
  json.key("quantised");
  if (json.comes(json_event::null)) return json.take(json_event::null), desc;
  json.take(json_event::begin_object);
  quantisation& q = desc.quantised;
  q.mode = static_cast<quantisation::kind>(json.key("kind").one_of(quantisation_kinds));
  q.scale = json.key("scale").real();
  q.zero_point = json.key("zero_point").index(std::numeric_limits<std::int32_t>::min());
  q.axis = json.key("axis").index(std::numeric_limits<std::int32_t>::min());
  q.rounding = static_cast<quantised_rounding>(json.key("rounding").one_of(roundings));
  json.take(json_event::end_object);
  return desc;
}

/// copy_constant(name, value) copies the elements of the named tensor into the graph's bytes.
template <class CopyConstant> void read_value(member_reader& json, ir::graph& g, CopyConstant& copy_constant) {
  json.at({"value ", g.values.size()});
  ir::value v;
  json.take(json_event::begin_object);
  v.is = static_cast<ir::kind>(json.key("kind").one_of(value_kinds));
  v.name = g.add_text(json.key("name").text());
  v.desc = read_desc(json);
  v.scales = json.key("scales").index(ir::none);
  if (v.is == ir::kind::constant) {
    const std::string name(json.key("tensor").text());
    if (json.is_fine()) copy_constant(name, v);
  }
  json.take(json_event::end_object);
  g.values.push_back(v);
}

[[gnu::cold]] inline ir::range read_ids(member_reader& json, ir::graph& g, std::int32_t least) {
  pool<std::int32_t> ids;
  json.list([&] { ids.push_back(json.index(least)); });
  return g.add_operands(ids);
}

/// Reads a node. Returns false when its operator is unknown.
[[gnu::cold]] inline bool read_node(member_reader& json, ir::graph& g) {
  json.at({"node ", g.nodes.size()});
  ir::node n;
  json.take(json_event::begin_object);
  const std::string name(json.key("operator").text());
  if (!json.is_fine()) return true;
  n.op = ops::find(name);
  if (n.op == nullptr) return json.refuse({"nnrt has no operator ", piece::in_quotes(name)});
  n.label = n.op->label;
  json.at({"node ", g.nodes.size(), " (", n.op->name, ")"});
  n.name = g.add_text(json.key("name").text());
  json.key("attributes").take(json_event::begin_object);
  pool<word> words;
  for (const attribute_field& field : n.label->attributes) {
    // A flag added to an operator after the file was written takes its default.
    const bool is_newer = field.kind == attribute_kind::flag && json.comes(json_event::end_object);
    if (is_newer) words.push_back(field.is_set ? 1 : 0);
    else read_attribute(json.key(field.name), field.kind, words);
  }
  json.take(json_event::end_object);
  n.attrs = g.add_words(words);
  n.inputs = read_ids(json.key("inputs"), g, ir::none);
  n.outputs = read_ids(json.key("outputs"), g, 0);
  json.take(json_event::end_object);
  g.nodes.push_back(n);
  return true;
}

/// Reads a graph without checking it; call check_graph() on it. Returns false when an operator is unknown.
template <class CopyConstant> bool read_graph(member_reader& json, ir::graph& g, CopyConstant copy_constant) {
  bool are_known = true;
  json.take(json_event::begin_object);
  json.key("values").list([&] { read_value(json, g, copy_constant); });
  json.key("nodes").list([&] { are_known = read_node(json, g) && are_known; });
  json.at({"inputs"});
  json.key("inputs").list([&] { g.inputs.push_back(json.index()); });
  json.at({"outputs"});
  json.key("outputs").list([&] {
    json.take(json_event::begin_object);
    const std::int32_t value = json.key("value").index();
    g.outputs.push_back({value, g.add_text(json.key("name").text())});
    json.take(json_event::end_object);
  });
  json.at({"states"});
  if (!json.comes(json_event::end_object))  // the member is omitted when the graph has no states
    json.key("states").list([&] {
      json.take(json_event::begin_object);
      const std::int32_t value = json.key("value").index(), next = json.key("next").index();
      g.states.push_back({value, next, json.key("initial").index(ir::none)});
      json.take(json_event::end_object);
    });
  json.take(json_event::end_object);
  json.at({});
  return are_known;
}

}}}  // namespace nnrt::NNRT_ISA::detail
