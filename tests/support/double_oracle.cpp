// double_oracle: walks a graph node by node with Op::reference for double; no pass, plan or kernel has a part in it.
#include "double_oracle.hpp"

#include <nnrt/core/typed_buffer.hpp>
#include <nnrt/ops/registry.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace nnrt_test {

namespace {

using namespace nnrt;

tensor_desc promoted(const plain_value& v) {
  tensor_desc desc;
  desc.type = v.is_real ? dtype::f64 : static_cast<dtype>(v.type);
  desc.layout = static_cast<format>(v.layout);
  for (int i = 0; i < v.rank; ++i) desc.shape.push_back(v.extents[i]);
  return desc;
}

/// The elements of all values; results are filled by run().
class tensors {
 public:
  explicit tensors(const plain_graph& network) {
    for (const plain_value& v : network.values) {
      descs_.push_back(promoted(v));
      buffers_.emplace_back(descs_.back().type, descs_.back().elements());
      fill(v, buffers_.back());
    }
  }

  view operator[](std::int32_t id) const {
    if (id < 0) return {};
    return {&descs_[static_cast<std::size_t>(id)], buffers_[static_cast<std::size_t>(id)].data()};
  }
  std::span<const double> reals_of(std::int32_t id) const {
    return buffers_[static_cast<std::size_t>(id)].as<double>();
  }

 private:
  static void fill(const plain_value& from, typed_buffer& to) {
    if (!from.reals.empty()) std::copy(from.reals.begin(), from.reals.end(), to.as<double>().begin());
    if (from.integers.empty()) return;
    with_element<types::integer | types::logical>(to.type(), [&]<class T>(T) {
      std::transform(from.integers.begin(), from.integers.end(), to.as<T>().begin(),
                     [](auto i) { return static_cast<T>(i); });
    });
  }

  std::vector<tensor_desc> descs_;
  std::vector<typed_buffer> buffers_;
};

}  // namespace

std::vector<std::vector<double>> computed_in_double(const plain_graph& network) {
  const tensors all(network);
  for (const plain_node& n : network.nodes) {
    const operator_info* const op = ops::find(op_code{n.code});
    if (op == nullptr) std::printf("the oracle knows no operator %d\n", n.code), std::exit(1);
    std::vector<view> in, out;
    for (const std::int32_t id : n.inputs) in.push_back(all[id]);
    for (const std::int32_t id : n.outputs) out.push_back(all[id]);
    op->reference(n.attrs, in, out);
  }
  std::vector<std::vector<double>> outputs;
  for (const std::int32_t id : network.outputs) outputs.emplace_back(all.reals_of(id).begin(), all.reals_of(id).end());
  return outputs;
}

}  // namespace nnrt_test
