// variables: state that .tflite files keep between runs, and the operators that read and assign it.
// Flow: tensors.hpp stores the variables of all subgraphs; each variable that is read becomes a state of the network.
#pragma once

#include <nnrt/io/graph_builder.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

/// State that is kept between runs: a resource, which has no elements in the file, or a tensor that the file marks as
/// variable.
struct variable {
  std::string_view container, name;                  // of a resource; of a tensor: its own name
  std::int32_t graph = ir::none, tensor = ir::none;  // subgraph and index of the tensor; none: a resource
  std::int32_t state = ir::none;                     // of the network; none: not yet read
  std::int32_t initial = ir::none;                   // value assigned by CALL_ONCE; none: not assigned
  std::int32_t now = ir::none;                       // value at this point of the run; none: the state's
};

/// Limit of variables in a network: they are found by linear search.
inline constexpr std::size_t max_variables = 4096;

namespace detail {

/// Error: not_supported (too many variables).
[[gnu::cold]] constexpr result<void> check_room(const pool<variable>& known) {
  if (known.size() < max_variables) return {};
  return fail(error_code::not_supported, {"variables: got more than ", max_variables});
}

/// The index of the resource with this name; it is added if it is missing. Error: as check_room().
[[gnu::cold]] constexpr result<std::size_t> named_variable(pool<variable>& known, std::string_view container,
                                                           std::string_view name) {
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i].tensor == ir::none && known[i].name == name && known[i].container == container) return i;
  if (auto ok = check_room(known); !ok) return fail(std::move(ok.error()));
  variable made;
  made.container = container, made.name = name;
  known.push_back(made);
  return known.size() - 1;
}

/// An unused name for a state: the given name, with a number if necessary.
[[gnu::cold]] constexpr pool<char> state_name(const ir::graph& g, std::string_view name) {
  pool<char> made = letters({name.empty() ? "variable" : name});
  const auto is_taken = [&] {
    for (const ir::state& s : g.states)
      if (g.name_of(g.at(s.value).name) == letters_of(made)) return true;
    return false;
  };
  for (std::size_t i = 1; is_taken(); ++i) made = letters({name.empty() ? "variable" : name, "_", i});
  return made;
}

/// The value that CALL_ONCE assigns, with the quantisation of its reader; the bytes are the same.
[[gnu::cold]] constexpr result<std::int32_t> with_scale_of(graph_builder& network, std::int32_t id,
                                                           const tensor_desc& like) {
  const ir::value begun = network.graph().at(id);
  if (begun.is != ir::kind::constant || begun.desc.quantised == like.quantised || begun.desc.type != like.type)
    return id;
  tensor_desc desc = begun.desc;
  desc.quantised = like.quantised;
  pool<std::byte> bytes;
  const std::byte* const first = network.graph().bytes.data() + begun.first_byte;
  bytes.insert(first, first + desc.bytes());
  return network.constant_bytes(desc, bytes);
}

/// The value of a variable at this point of the run, or of the subgraph that runs once. `like` is the reader's desc.
/// Errors: not_supported (nothing was assigned), and the errors of `graph_builder::state()`.
[[gnu::cold]] constexpr result<std::int32_t> read_variable(graph_builder& network, variable& v, const tensor_desc& like,
                                                           bool is_once) {
  const std::int32_t last = is_once ? v.initial : v.now;
  if (last != ir::none) return last;
  if (v.initial == ir::none)
    return fail(error_code::not_supported,
                {"variable ", piece::in_quotes(v.name), " is read, but no CALL_ONCE before has assigned it"});
  if (v.state == ir::none) {
    auto initial = with_scale_of(network, v.initial, like);
    if (!initial) return initial;
    auto made = network.state(letters_of(state_name(network.graph(), v.name)), network.desc(*initial), *initial);
    if (!made) return made;
    v.state = *made;
  }
  return v.state;
}

/// Assigns a value to a variable. Errors: not_supported (values that cannot initialise a state).
[[gnu::cold]] constexpr result<void> assign_variable(const graph_builder& network, variable& v, std::int32_t value,
                                                     bool is_once) {
  if (!is_once) {
    v.now = value;
    return {};
  }
  if (v.state != ir::none || v.now != ir::none)
    return fail(error_code::not_supported, {"variable ", piece::in_quotes(v.name),
                                            " is assigned by CALL_ONCE after others have read or assigned it"});
  const ir::kind is = network.graph().at(value).is;
  if (is != ir::kind::constant && is != ir::kind::weight)
    return fail(
        error_code::not_supported,
        {"variable ", piece::in_quotes(v.name), " begins as ", ir::letters_of(network.desc(value)),
         " that is computed, expected a constant of the file, or what follows from at most 1024 of its numbers"});
  v.initial = value;
  return {};
}

/// Sets the next values of all states, after the last operator.
[[gnu::cold]] constexpr result<void> finish_variables(graph_builder& network, const pool<variable>& all) {
  for (const variable& v : all) {
    if (v.state == ir::none) continue;
    if (auto ok = network.next(v.state, v.now == ir::none ? v.state : v.now); !ok) return ok;
  }
  return {};
}

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::tflite
