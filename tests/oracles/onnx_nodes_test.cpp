// onnx_nodes_test: ONNX's backend tests, made by another implementation, for what an operator of ours computes, too.
// Flow: each model is imported once for each of its rows, run by the references and, compiled, by a session, and
// compared with what the test data says; a table of all of it goes to standard output.
#include "oracles/onnx_import.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <optional>
#include <set>

using namespace nnrt_test;
namespace onnx = nnrt_test::onnx_import;
using onnx_file::node;
using onnx_file::stored_tensor;

namespace {

// --- comparison ------------------------------------------------------------

/// ONNX's own runner allows 1e-3 of the expected number and 1e-7; float32 does better than that.
struct tolerance {
  double relative, absolute;
};
constexpr tolerance tolerance_of(dtype type) {
  if (type == f64) return {1e-6, 1e-7};  // attributes such as epsilon are float32
  if (type == f16) return {1e-3, 1e-7};
  return {1e-5, 1e-6};
}

/// How far x is from what was expected, in parts of what is allowed.
double error_of(double got, double expected, tolerance allowed) {
  if (std::isnan(got) && std::isnan(expected)) return 0;
  if (got == expected) return 0;
  const double error = std::fabs(got - expected) / (allowed.absolute + allowed.relative * std::fabs(expected));
  return std::isnan(error) ? HUGE_VAL : error;
}

/// The largest of these; HUGE_VAL when dtype or shape differ. Indices and shapes may have another width than ONNX's.
double error_of(const tensor_desc& desc, std::span<const std::byte> bytes, const stored_tensor& expected) {
  const bool both_count = types::integer.contains(desc.type) && types::integer.contains(expected.desc.type);
  if (!(desc.shape == expected.desc.shape) || (desc.type != expected.desc.type && !both_count)) return HUGE_VAL;
  double worst = 0;
  const auto number_at = []<class T>(std::span<const std::byte> from, std::int64_t i, T) {
    T element;
    std::memcpy(&element, from.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
    return element;
  };
  with_element<types::any>(desc.type, [&]<class T>(T got_type) {
    with_element<types::any>(expected.desc.type, [&]<class Expected>(Expected expected_type) {
      for (std::int64_t i = 0; i < desc.elements(); ++i) {
        const T got = number_at(bytes, i, got_type);
        const Expected wanted = number_at(expected.bytes, i, expected_type);
        double error = 0;
        if constexpr (std::is_integral_v<T> && std::is_integral_v<Expected>)
          error = static_cast<std::int64_t>(got) == static_cast<std::int64_t>(wanted) ? 0 : HUGE_VAL;
        else error = error_of(static_cast<double>(got), static_cast<double>(wanted), tolerance_of(desc.type));
        worst = std::max(worst, error);
      }
    });
  });
  return worst;
}

// --- one case --------------------------------------------------------------

/// One model of the test data.
struct backend_test {
  std::string name;
  std::filesystem::path folder;
  onnx_file::model model;
};

std::vector<onnx::row> all_rows() {
  std::vector<onnx::row> rows;
  for (const auto part :
       {onnx::elementwise_rows(), onnx::layout_rows(), onnx::image_rows(), onnx::quantised_rows(), onnx::newer_rows()})
    rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

/// The row that imports a node: the one under test where it fits, else the first.
const onnx::row* row_for(const node& n, const std::vector<onnx::row>& rows, const onnx::row* tested = nullptr) {
  if (tested != nullptr && tested->type == n.type) return tested;
  const auto found = std::ranges::find(rows, n.type, &onnx::row::type);
  return found == rows.end() ? nullptr : &*found;
}

/// The elements of every output of the compiled network.
std::vector<std::vector<std::byte>> run_session(const model& network, const std::vector<stored_tensor>& inputs) {
  const auto compiled = compile(network);
  if (!compiled) throw std::runtime_error(compiled.error().message());
  session run(*compiled);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    with_element<types::any>(inputs[i].desc.type, [&]<class T>(T) {
      const auto to = std::as_writable_bytes(run.input<T>(i));
      std::ranges::copy(inputs[i].bytes, to.begin());
    });
  if (auto ok = run.run(); !ok) throw std::runtime_error(ok.error().message());
  std::vector<std::vector<std::byte>> outputs;
  for (std::size_t i = 0; i < compiled->output_count(); ++i)
    with_element<types::any>(compiled->output_desc(i).type, [&]<class T>(T) {
      const auto bytes = std::as_bytes(run.output<T>(i));
      outputs.emplace_back(bytes.begin(), bytes.end());
    });
  return outputs;
}

/// Imports, runs and compares; what is wrong, if anything.
std::optional<std::string> run_case(const backend_test& test, const onnx_file::data_set& data, const onnx::row& tested,
                                    const std::vector<onnx::row>& rows, bool first_input_only, double& worst) {
  onnx::network net(test.model, data, first_input_only);
  for (const node& n : test.model.nodes) {
    const onnx::row* row = row_for(n, rows, &tested);
    row->add(net, n, row->op);
  }
  const auto session_outputs = run_session(net.finish(test.model.outputs), net.inputs());
  std::size_t next = 0;
  for (std::size_t i = 0; i < test.model.outputs.size(); ++i) {
    const std::string& name = test.model.outputs[i];
    if (!net.is_defined(name)) {
      if (i == 0) return "the first output is not computed";
      continue;
    }
    const double of_reference = error_of(net.desc_of(name), net.reference(name), data.outputs[i]);
    const double of_session = error_of(net.desc_of(name), session_outputs[next++], data.outputs[i]);
    worst = std::max({worst, of_reference, of_session});
    const std::string errors = " (in parts of the tolerance: reference " + std::to_string(of_reference) + ", session " +
                               std::to_string(of_session) + ")";
    if (!(of_reference <= 1 && of_session <= 1)) return "output " + name + " is not what was expected" + errors;
  }
  return std::nullopt;
}

// --- all cases -------------------------------------------------------------

/// What became of the cases of one row.
struct tally {
  int cases = 0, passed = 0;
  std::map<std::string_view, int> left_out;
  std::vector<std::string> failed;
  double worst = 0;
};
using tallies = std::map<std::pair<std::string_view, std::string_view>, tally>;  // our operator, ONNX's

void try_case(const backend_test& test, const onnx::row& tested, const std::vector<onnx::row>& rows, tally& all) {
  ++all.cases;
  try {
    std::optional<std::string> fault;
    for (const onnx_file::data_set& data : onnx_file::read_data_sets(test.folder))
      for (const bool first_input_only : {false, true})
        if (!fault) fault = run_case(test, data, tested, rows, first_input_only, all.worst);
    if (fault) all.failed.push_back(test.name + ": " + *fault);
    else ++all.passed;
  } catch (const onnx::left_out& why) {
    ++all.left_out[why.reason];
  } catch (const std::exception& why) {
    all.failed.push_back(test.name + ": " + why.what());
  }
}

std::vector<backend_test> all_tests() {
  std::vector<backend_test> tests;
  for (const std::string part : {"node", "pytorch-converted", "pytorch-operator", "simple"}) {
    std::set<std::filesystem::path> folders;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(NNRT_ONNX_TEST_DATA) / part))
      if (std::filesystem::exists(entry.path() / "model.onnx")) folders.insert(entry.path());
    for (const auto& folder : folders)
      tests.push_back({part + "/" + folder.filename().string(), folder, onnx_file::read_model(folder / "model.onnx")});
  }
  return tests;
}

/// Models with nodes of other operators than those that rows have are none of ours.
tallies run_all() {
  const std::vector<onnx::row> rows = all_rows();
  tallies all;
  for (const backend_test& test : all_tests()) {
    const auto& nodes = test.model.nodes;
    if (std::ranges::any_of(nodes, [&](const node& n) { return row_for(n, rows) == nullptr; })) continue;
    for (const onnx::row& tested : rows)
      if (!tested.op.empty() && std::ranges::find(nodes, tested.type, &node::type) != nodes.end())
        try_case(test, tested, rows, all[{tested.op, tested.type}]);
  }
  return all;
}

const tallies& outcome() {
  static const tallies all = run_all();
  return all;
}

void print(const tallies& all) {
  std::printf("%-18s %-20s %5s %6s %8s  %s\n", "operator", "ONNX", "cases", "passed", "error", "left out");
  for (const auto& [names, t] : all) {
    std::string reasons;
    for (const auto& [reason, count] : t.left_out)
      (reasons += reasons.empty() ? "" : "; ") += std::to_string(count) + ": " + std::string(reason);
    std::printf("%-18s %-20s %5d %6d %8.3f  %s\n", std::string(names.first).c_str(), std::string(names.second).c_str(),
                t.cases, t.passed, t.worst, reasons.c_str());
  }
  std::printf("error: the largest, in parts of what is allowed\n");
}

}  // namespace

TEST_CASE("ONNX nodes: each case gives what ONNX expects, or asks for what no contract has") {
  print(outcome());
  for (const auto& [names, t] : outcome())
    for (const std::string& fault : t.failed) FAIL_CHECK(names.first << " as " << names.second << ": " << fault);
}

TEST_CASE("ONNX nodes: each operator of NNRt's API 9 has a case that passes") {
  for (int number = 1; number <= 56; ++number) {
    const auto op = std::ranges::find(catalogue(), op_code{number}, &operator_info::code);
    CAPTURE(number);
    REQUIRE(op != catalogue().end());
    int passed = 0;
    for (const auto& [names, t] : outcome())
      if (names.first == (*op)->name) passed += t.passed;
    CHECK(passed > 0);
  }
}

TEST_CASE("ONNX nodes: each row of an operator since API 12 has a case that passes") {
  for (const onnx::row& row : onnx::newer_rows()) {
    CAPTURE(row.op);
    const auto found = outcome().find({row.op, row.type});
    REQUIRE(found != outcome().end());
    CHECK(found->second.passed > 0);
  }
}
