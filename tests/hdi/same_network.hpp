// same_network: whether two graphs are one network - nodes, attributes, descs, names and constants, whatever their
// values are numbered.
// Flow: round trips of tests/hdi; weights of one graph may be constants of the other.
#pragma once

#include <nnrt/exec/weight_specs.hpp>
#include <nnrt/io/model.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace nnrt_test {

using namespace nnrt;

/// Says where two models differ; empty: nowhere. Formats other than NCHW are one: rules do not tell them apart.
class network_comparison {
 public:
  network_comparison(const model& a, const model& b)
      : a_(a.graph), b_(b.graph), weights_(*bind_weights(a.weights, weight_specs_of(a.graph))) {
    other_.assign(a_.values.size(), ir::none);
    for (const ir::value& v : a_.values) {
      const bool is_weight = v.is == ir::kind::weight;
      data_.push_back(is_weight                    ? weights_.pointers()[next_++]
                      : v.is == ir::kind::constant ? a_.bytes.data() + v.first_byte
                                                   : nullptr);
    }
  }

  std::string run() {
    if (a_.inputs.size() != b_.inputs.size() || a_.outputs.size() != b_.outputs.size() ||
        a_.nodes.size() != b_.nodes.size())
      return "other numbers of inputs, outputs or nodes";
    for (std::size_t i = 0; i < a_.inputs.size(); ++i) {
      if (name(a_, a_.inputs[i]) != name(b_, b_.inputs[i])) return "input " + std::to_string(i) + ": other name";
      if (std::string why = compare(a_.inputs[i], b_.inputs[i]); !why.empty())
        return "input " + std::to_string(i) + why;
    }
    for (std::size_t i = 0; i < a_.nodes.size(); ++i)
      if (std::string why = compare(a_.nodes[i], b_.nodes[i]); !why.empty()) return "node " + std::to_string(i) + why;
    for (std::size_t i = 0; i < a_.outputs.size(); ++i) {
      if (a_.name_of(a_.outputs[i].name) != b_.name_of(b_.outputs[i].name))
        return "output " + std::to_string(i) + ": other name";
      if (std::string why = compare(a_.outputs[i].value, b_.outputs[i].value); !why.empty())
        return "output " + std::to_string(i) + why;
    }
    return {};
  }

 private:
  static std::string_view name(const ir::graph& g, std::int32_t id) { return g.name_of(g.at(id).name); }
  template <class T> static bool equal(array_ref<const T> a, array_ref<const T> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  static tensor_desc known_order(tensor_desc desc) {
    if (desc.layout != nchw) desc.layout = nd;
    return desc;
  }
  bool same_bytes(std::int32_t a, std::int32_t b) const {
    const auto bytes = static_cast<std::size_t>(a_.at(a).desc.bytes());
    const std::byte* const first = data_[static_cast<std::size_t>(a)];
    return bytes == 0 || std::memcmp(first, b_.bytes.data() + b_.at(b).first_byte, bytes) == 0;
  }
  std::string compare(std::int32_t a, std::int32_t b) {
    if (a == ir::none || b == ir::none) return a == b ? "" : ": an operand is missing";
    std::int32_t& other = other_[static_cast<std::size_t>(a)];
    if (other == b) return {};
    if (other != ir::none) return ": value " + std::to_string(a) + " became two";
    other = b;
    const ir::value &x = a_.at(a), &y = b_.at(b);
    if (!(known_order(x.desc) == known_order(y.desc))) return ": value " + std::to_string(a) + " has another desc";
    const bool has_data = x.is == ir::kind::constant || x.is == ir::kind::weight;
    if (has_data ? y.is != ir::kind::constant : x.is != y.is)
      return ": value " + std::to_string(a) + " is of another kind";
    if (has_data && !same_bytes(a, b)) return ": value " + std::to_string(a) + " has other bytes";
    return x.scales == ir::none && y.scales == ir::none ? "" : compare(x.scales, y.scales);
  }
  std::string compare(const ir::node& a, const ir::node& b) {
    if (a.op->code != b.op->code) return " is of another operator";
    if (!equal(a_.attrs_of(a), b_.attrs_of(b))) return " has other attributes";
    if (a_.name_of(a.name) != b_.name_of(b.name)) return " has another name";
    std::size_t in = a_.inputs_of(a).size();
    while (in > 0 && a_.inputs_of(a)[in - 1] == ir::none) --in;
    if (in != b_.inputs_of(b).size() || a.outputs.count != b.outputs.count) return " has other numbers of operands";
    for (std::size_t i = 0; i < in; ++i)
      if (std::string why = compare(a_.inputs_of(a)[i], b_.inputs_of(b)[i]); !why.empty()) return why;
    for (std::size_t i = 0; i < a_.outputs_of(a).size(); ++i)
      if (std::string why = compare(a_.outputs_of(a)[i], b_.outputs_of(b)[i]); !why.empty()) return why;
    return {};
  }

  const ir::graph &a_, &b_;
  bound_weights weights_;
  std::size_t next_ = 0;
  std::vector<const std::byte*> data_;  // of a's values
  std::vector<std::int32_t> other_;     // of a's values, b's
};

}  // namespace nnrt_test
