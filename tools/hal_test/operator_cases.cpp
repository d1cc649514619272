// operator_cases: random nodes of every operator and dtype; what the device takes of them computes what the reference
// computes.
// Flow: added to the suite by all_cases(); nodes come from tests/battery.
#include "hal_test/samples.hpp"

#include "battery/one_node.hpp"

#include <algorithm>

namespace nnrt_hal_test {
namespace {

constexpr std::size_t nodes_for_each_dtype = 4;

/// Runs a node as the device has it; why that is not what the reference says, or nothing.
std::string fault_of(probe& p, nnrt_test::random_node& node, const model& network) {
  const prepared made = prepare(p, network);
  if (!made.model) return joined({"is supported, and not prepared: ", made.reason});
  request asked;
  std::vector<std::vector<std::byte>> inputs;
  for (const nnrt_test::random_operand* x : nnrt_test::fed_operands(node)) inputs.push_back(x->bytes);
  const auto fed = nnrt_test::fed_operands(node);
  for (std::size_t i = 0; i < fed.size(); ++i) {
    inputs[i].resize(std::max<std::size_t>(inputs[i].size(), 1));  // tensors without elements have memory, too
    asked.inputs.push_back({inputs[i].data(), fed[i]->bytes.size(), fed[i]->desc.shape});
  }
  nnrt_test::node_result got;
  for (const tensor_desc& y : node.out) got.bytes.emplace_back(static_cast<std::size_t>(y.bytes()), std::byte{0x5a});
  std::byte nothing{};
  for (auto& y : got.bytes) asked.outputs.push_back({y.empty() ? &nothing : y.data(), y.size(), {}});
  const nnrt_test::node_result expected = nnrt_test::reference_of(node);
  const outcome how = made.model->execute(asked);
  if (expected.fault) return how.ended == status::none ? "runs on numbers that its reference refuses" : "";
  if (how.ended != status::none) return joined({"ends with ", static_cast<int>(how.ended), ": ", how.reason});
  for (std::size_t i = 0; i < node.out.size(); ++i)
    if (!(how.outputs[i].shape == node.out[i].shape))
      return joined({"output ", i, " has shape ", how.outputs[i].shape, ", expected ", node.out[i].shape});
  return nnrt_test::difference_of_network(node, got, expected, 1);
}

void check(probe& p, const operator_info& op) {
  const auto can = p.on.supported_features();
  std::size_t taken = 0;
  for (int number = 1; number < dtype_count; ++number) {
    const auto type = static_cast<dtype>(number);
    if (!op.computes_on.contains(type)) continue;
    nnrt_test::dice random(nnrt_test::seed_of_run() + static_cast<std::uint64_t>(op.code) * 100 +
                           static_cast<std::uint64_t>(number));
    for (nnrt_test::random_node& node : nnrt_test::random_nodes(op, type, nodes_for_each_dtype, random))
      for (const bool hides_extents : {false, true}) {
        if (hides_extents && (!can || !can->dynamic_inputs)) continue;
        const auto network = nnrt_test::network_of(node, hides_extents);
        if (!network) continue;
        const auto says = p.on.supported(*network);
        p.expect(says.has_value(), {node.text(), ": ", says ? "" : says.error().message()});
        if (!says || !std::all_of(says->begin(), says->end(), [](bool is) { return is; })) continue;
        ++taken;
        const std::string fault = fault_of(p, node, *network);
        p.expect(fault.empty(), {node.text(), hides_extents ? ", of open extents: " : ": ", fault});
      }
  }
  if (taken == 0) p.skip({"the device takes none of its nodes"});
}

}  // namespace

void add_operator_cases(case_list& to) {
  for (const operator_info* const op : nnrt_test::catalogue())
    to.push_back({"operator." + std::string(op->name), "random nodes compute what the reference computes",
                  [op](probe& p) { check(p, *op); }});
}

}  // namespace nnrt_hal_test
