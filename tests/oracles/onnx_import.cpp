// onnx_import: the network that mappings add to; each node that they add is computed by its reference at once.
#include "oracles/onnx_import.hpp"

#include <nnrt/core/broadcast.hpp>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace nnrt_test::onnx_import {

using onnx_file::node;
using onnx_file::stored_tensor;

std::int64_t integer(const node& n, std::string_view name, std::int64_t otherwise) {
  const auto found = n.attributes.find(name);
  return found == n.attributes.end() ? otherwise : found->second.integer;
}
float real(const node& n, std::string_view name, float otherwise) {
  const auto found = n.attributes.find(name);
  return found == n.attributes.end() ? otherwise : found->second.real;
}
std::string_view text(const node& n, std::string_view name, std::string_view otherwise) {
  const auto found = n.attributes.find(name);
  return found == n.attributes.end() ? otherwise : std::string_view(found->second.text);
}
std::vector<std::int64_t> integers(const node& n, std::string_view name) {
  const auto found = n.attributes.find(name);
  return found == n.attributes.end() ? std::vector<std::int64_t>{} : found->second.integers;
}
bool names(const node& n, std::string_view name) { return n.attributes.contains(name); }

network::network(const onnx_file::model& source, const onnx_file::data_set& given, bool first_input_only)
    : opset_(source.opset), first_input_only_(first_input_only) {
  for (const auto& [name, type] : source.declared)
    if (type == dtype::none) throw left_out{reasons::element_type};
  for (const stored_tensor& t : source.initializers) names_[t.name] = t;
  for (std::size_t i = 0; i < source.inputs.size() && i < given.inputs.size(); ++i) {
    names_[source.inputs[i]] = given.inputs[i];
    fed_.push_back(source.inputs[i]);
  }
}

const stored_tensor& network::find(const std::string& name) const {
  const auto found = names_.find(name);
  if (found == names_.end()) throw std::runtime_error("value " + name + " is not known");
  if (found->second.desc.type == dtype::none) throw left_out{reasons::element_type};
  return found->second;
}

namespace {

template <class T> std::vector<T> numbers_in(const stored_tensor& t) {
  std::vector<T> numbers;
  with_element<types::any>(t.desc.type, [&]<class Element>(Element) {
    const auto* first = reinterpret_cast<const Element*>(t.bytes.data());
    for (std::int64_t i = 0; i < t.desc.elements(); ++i) numbers.push_back(static_cast<T>(first[i]));
  });
  return numbers;
}

result<std::int32_t> add_constant(model_builder& builder, const tensor_desc& desc, std::span<const std::byte> bytes) {
  result<std::int32_t> id = fail(error_code::invalid_argument, "no such dtype");
  with_element<types::any>(desc.type, [&]<class T>(T) {
    id = builder.constant<T>(desc, {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)});
  });
  return id;
}

template <class T> T checked(result<T> made) {
  if (!made) throw std::runtime_error(made.error().message());
  return std::move(*made);
}

}  // namespace

std::vector<std::int64_t> network::integers(const node& n, std::size_t i) const {
  return numbers_in<std::int64_t>(find(n.inputs[i]));
}
std::vector<double> network::reals(const node& n, std::size_t i) const { return numbers_in<double>(find(n.inputs[i])); }

std::int32_t network::value(const node& n, std::size_t i) {
  const std::string& name = n.inputs[i];
  if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
  const stored_tensor& t = find(name);
  const auto place = std::ranges::find(fed_, name);
  if (place == fed_.end() || (first_input_only_ && place != fed_.begin()))
    return ids_[name] = constant(t.desc, t.bytes);
  const std::int32_t id = checked(builder_.input(name, t.desc));
  memory_.resize(static_cast<std::size_t>(id) + 1);
  memory_[static_cast<std::size_t>(id)] = t.bytes;
  inputs_.push_back(t);
  return ids_[name] = id;
}

std::int32_t network::stored(const node& n, std::size_t i, quant how) {
  names_.at(n.inputs[i]).desc.quantised = how;
  return value(n, i);
}

std::int32_t network::constant(const tensor_desc& desc, std::span<const std::byte> bytes) {
  const std::int32_t id = checked(add_constant(builder_, desc, bytes));
  memory_.resize(static_cast<std::size_t>(id) + 1);
  memory_[static_cast<std::size_t>(id)].assign(bytes.begin(), bytes.end());
  return id;
}
std::int32_t network::list(std::span<const std::int64_t> numbers) {
  return constant({i64, {static_cast<std::int64_t>(numbers.size())}}, std::as_bytes(numbers));
}
std::int32_t network::number(dtype type, double number) {
  std::int32_t id = ir::none;
  with_element<types::any>(type, [&]<class T>(T) {
    const T element = static_cast<T>(number);
    id = constant({type, {}}, std::as_bytes(std::span(&element, 1)));
  });
  return id;
}
std::int32_t network::numbers(dtype type, std::span<const double> list) {
  std::vector<std::byte> bytes;
  with_element<types::any>(type, [&]<class T>(T) {
    for (const double number : list) {
      const T element = static_cast<T>(number);
      const auto raw = std::as_bytes(std::span(&element, 1));
      bytes.insert(bytes.end(), raw.begin(), raw.end());
    }
  });
  return constant({type, {static_cast<std::int64_t>(list.size())}}, bytes);
}

std::vector<std::int32_t> network::apply(std::string_view name, const std::vector<std::int32_t>& in,
                                         std::span<const named_attribute> attributes,
                                         std::span<const tensor_desc> wanted) {
  const operator_info* op = find_operator(name);
  if (op == nullptr) throw std::runtime_error("there is no operator " + std::string(name));
  std::vector<word> words = default_words(*op);
  for (const named_attribute& a : attributes)
    if (!set_attribute(*op, words, a))
      throw std::runtime_error(std::string(name) + " has no attribute " + std::string(a.name));
  const auto made = checked(builder_.apply(*op, words, in, wanted));
  std::vector<view> arguments, results;
  for (const std::int32_t id : in) {
    if (id == ir::none) arguments.push_back({});
    else arguments.push_back({&builder_.desc(id), any_pointer::bytes(memory_[static_cast<std::size_t>(id)].data())});
  }
  for (const std::int32_t id : made) {
    memory_.resize(static_cast<std::size_t>(id) + 1);
    memory_[static_cast<std::size_t>(id)].resize(static_cast<std::size_t>(builder_.desc(id).bytes()));
  }
  for (const std::int32_t id : made)
    results.push_back({&builder_.desc(id), any_pointer::bytes(memory_[static_cast<std::size_t>(id)].data())});
  op->reference(words, arguments, results);
  return {made.begin(), made.end()};
}

void network::define(const node& n, std::size_t i, std::int32_t id) {
  const std::string& name = n.outputs[i];
  ids_[name] = id;
  names_[name] = {name, builder_.desc(id), memory_[static_cast<std::size_t>(id)]};
}
void network::define(const node& n, const stored_tensor& value) { names_[n.outputs[0]] = value; }

std::int32_t network::reshaped(std::int32_t x, const shape_t& to) {
  return one("reshape", {x, list(std::span(to.begin(), to.end()))});
}
std::int32_t network::transposed(std::int32_t x, std::initializer_list<std::int64_t> perm) {
  return one("transpose", {x, list(perm)});
}
std::int32_t network::cast(std::int32_t x, dtype type) {
  return desc(x).type == type ? x : one("cast", {x, number(i64, static_cast<int>(type))});
}
std::int32_t network::repeated_to(std::int32_t x, const shape_t& to) {
  shape_t from;
  for (int i = shape(x).rank; i < to.rank; ++i) from.push_back(1);
  for (const std::int64_t extent : shape(x)) from.push_back(extent);
  std::vector<std::int64_t> times;
  for (int i = 0; i < to.rank; ++i) times.push_back(from[i] == to[i] ? 1 : to[i]);
  return one("tile", {reshaped(x, from), list(times)});
}

model network::finish(std::span<const std::string> outputs) {
  for (const std::string& name : outputs) {
    if (!is_defined(name)) continue;
    if (!ids_.contains(name)) ids_[name] = constant(names_[name].desc, names_[name].bytes);
    if (auto ok = builder_.output(name, ids_[name]); !ok) throw std::runtime_error(ok.error().message());
  }
  return builder_.finish();
}

}  // namespace nnrt_test::onnx_import
