// node_tests: ONNX's own tests of single operators pass, or are refused with a reason; none gives other numbers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

#include <nnrt/io/file_view.hpp>
#include <nnrt/io/protobuf.hpp>

#include "run_onnx.hpp"
#include "support/onnx_writer.hpp"

namespace {

using namespace onnx_test;
namespace fs = std::filesystem;

/// Takes away an output that counts the valid rows of the first one, and the rows that are not valid.
void keep_valid_rows(std::vector<tensor>& got) {
  if (got.size() != 2 || got[1].name != got[0].name + "_count") return;
  const std::vector<double> count = got[1].numbers();
  got.pop_back();
  tensor& rows = got[0];
  if (count.size() != 1 || rows.shape.empty() || !(count[0] <= static_cast<double>(rows.shape[0]))) return;
  const auto valid = static_cast<std::int64_t>(count[0]);
  if (rows.shape[0] > 0)
    rows.bytes.resize(rows.bytes.size() / static_cast<std::size_t>(rows.shape[0]) * static_cast<std::size_t>(valid));
  rows.shape[0] = valid;
}

/// The first difference of the outputs; empty: there is none. The tolerances are those of ONNX's own runner.
std::string difference(const std::vector<tensor>& got, const std::vector<tensor>& expected) {
  if (got.size() != expected.size()) return "another number of outputs";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (got[i].type != expected[i].type)
      return "output " + std::to_string(i) + ": " + got[i].type + " instead of " + expected[i].type;
    if (got[i].shape != expected[i].shape) return "output " + std::to_string(i) + ": another shape";
    const std::vector<double> a = got[i].numbers(), b = expected[i].numbers();
    for (std::size_t k = 0; k < b.size(); ++k) {
      if (a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k]))) continue;
      if (!(std::fabs(a[k] - b[k]) <= 1e-7 + 1e-3 * std::fabs(b[k])))
        return "output " + std::to_string(i) + ", element " + std::to_string(k) + ": " + std::to_string(a[k]) +
               " instead of " + std::to_string(b[k]);
    }
  }
  return {};
}

struct verdict {
  enum { pass, refused, fail } is = refused;
  std::string reason;
};

std::vector<tensor> inputs_of(const fs::path& folder) {
  std::vector<tensor> inputs;
  const std::vector<std::string> names = input_names(folder / "model.onnx");
  for (std::size_t i = 0; fs::exists(folder / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb")); ++i) {
    inputs.push_back(read_proto(folder / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb")));
    if (i < names.size()) inputs.back().name = names[i];
  }
  return inputs;
}

/// Runs a test. Operands that are shapes, axes or other numbers that must be known are inputs in these tests; when the
/// network is refused with all inputs open, those after the first become constants, then all.
verdict run_test(const fs::path& folder) {
  const std::vector<tensor> inputs = inputs_of(folder);
  std::vector<tensor> expected;
  for (std::size_t i = 0; fs::exists(folder / "test_data_set_0" / ("output_" + std::to_string(i) + ".pb")); ++i)
    expected.push_back(read_proto(folder / "test_data_set_0" / ("output_" + std::to_string(i) + ".pb")));
  verdict made;
  for (const std::size_t first_constant : {inputs.size(), std::size_t{1}, std::size_t{0}}) {
    options given;
    std::vector<tensor> open;
    for (std::size_t i = 0; i < inputs.size(); ++i) (i < first_constant ? open : given.constants).push_back(inputs[i]);
    outcome run = run_path(folder / "model.onnx", open, given);
    if (!run.error.empty()) {
      if (made.reason.empty()) made.reason = run.error;
      continue;
    }
    keep_valid_rows(run.outputs);
    made.reason = difference(run.outputs, expected);
    made.is = made.reason.empty() ? verdict::pass : verdict::fail;
    return made;
  }
  return made;
}

/// The fields of a message, where the first one with this number is replaced.
template <class F> std::string with_replaced(std::string_view file, std::uint64_t number, const F& replacement) {
  std::string made;
  bool is_done = false;
  std::size_t begin = 0;  // of the fields that are not copied yet
  nnrt::message_fields field(nnrt::file_view(file), {0, file.size()});
  while (!is_done && field.next()) {
    if (field.number() != number) continue;
    made = file.substr(0, field.at());
    message whole;
    made += whole.text(number, replacement(field.bytes())).bytes;
    begin = field.place().end();
    is_done = true;
  }
  made += file.substr(begin);
  return made;
}
/// A model whose first node has one more attribute.
std::string with_further_attribute(std::string_view model) {
  return with_replaced(model, 7, [](std::string_view graph) {
    return with_replaced(graph, 1, [](std::string_view node) {
      return std::string(node) + message().part(5, attribute("unheard_of", std::int64_t{5})).bytes;
    });
  });
}

std::vector<fs::path> tests_in(const fs::path& folder) {
  std::vector<fs::path> made;
  for (const auto& entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / "model.onnx")) made.push_back(entry.path());
  std::sort(made.begin(), made.end());
  return made;
}

}  // namespace

TEST_CASE("ONNX's node tests pass or are refused with a reason") {
  const fs::path data = "/usr/share/libonnx-testdata/data";
  REQUIRE(fs::exists(data));
  for (const std::string kind : {"node", "pytorch-converted", "pytorch-operator", "simple"}) {
    std::size_t passed = 0, refused = 0, failed = 0;
    for (const fs::path& folder : tests_in(data / kind)) {
      const verdict made = run_test(folder);
      const std::string name = folder.filename();
      CAPTURE(name);
      CHECK_MESSAGE(made.is != verdict::fail, made.reason);
      if (made.is == verdict::refused) CHECK(made.reason.size() > 20);
      ++(made.is == verdict::pass ? passed : made.is == verdict::refused ? refused : failed);
      if (made.is == verdict::refused)
        std::printf("  refused  %s: %s\n", name.c_str(),
                    made.reason.substr(made.reason.find("onnx: ") + 6, 200).c_str());
    }
    std::printf("%s: %zu pass, %zu refused, %zu fail\n", kind.c_str(), passed, refused, failed);
    // A lower bound, so that no operator is lost.
    const std::map<std::string, std::size_t> least{
        {"node", 861}, {"pytorch-converted", 82}, {"pytorch-operator", 35}, {"simple", 7}};
    CHECK(passed >= least.at(kind));
  }
}

TEST_CASE("no operator of ONNX's node tests ignores an attribute that it does not have") {
  std::size_t refused = 0;
  for (const fs::path& folder : tests_in("/usr/share/libonnx-testdata/data/node")) {
    const std::vector<std::byte> file = read_file(folder / "model.onnx");
    const std::string changed = with_further_attribute({reinterpret_cast<const char*>(file.data()), file.size()});
    const std::vector<tensor> inputs = inputs_of(folder);
    for (const std::size_t first_constant : {inputs.size(), std::size_t{1}, std::size_t{0}}) {
      options given;
      given.constants.assign(inputs.begin() + static_cast<std::ptrdiff_t>(std::min(first_constant, inputs.size())),
                             inputs.end());
      if (load_path(folder / "model.onnx", given).error != "") continue;
      const std::string error = load_bytes(bytes_of(changed), given).error;
      const std::string name = folder.filename();
      CAPTURE(name);
      CAPTURE(error);
      const bool is_told = error.find("attribute unheard_of: this version of the operator has none") != error.npos;
      CHECK(is_told);
      ++refused;
      break;
    }
  }
  CHECK(refused >= 861);
}
