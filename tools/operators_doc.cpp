// operators_doc: generates docs/operators.md (the index) and docs/operators/NAME.md from the operators, or checks both.
// Flow: built with the tests; the target operators_md runs it, the test docs/operators compares. Tables, attributes and
// rules come from each operator's struct, prose from its docstrings, kernels from the bindings' answers for random
// nodes, small and large.
#include "battery/random_node.hpp"

#include <nnrt/ir/dump.hpp>
#include <nnrt/ops/list.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace nnrt;
using namespace nnrt_test;

namespace {

// --- what only an operator's type knows --------------------------------------

/// One attribute in words.
struct attribute_facts {
  std::string name, values, otherwise;
};
struct operator_facts {
  foreign_numbers numbers;
  std::span<const nnrt_parameter> parameters;
  std::vector<attribute_facts> attributes;
};

template <class T> constexpr int capacity_of = 0;
template <int N> constexpr int capacity_of<int_list<N>> = N;
template <class T> constexpr int reals_in = 0;
template <int N> constexpr int reals_in<real_list<N>> = N;

/// What an attribute of this type may be.
template <class T> std::string values_of() {
  if constexpr (std::is_enum_v<T>) {
    std::string all;
    constexpr rule_list names = rule_names<T>();
    for (std::size_t i = 0; i < names.size(); ++i) (all += all.empty() ? "`" : ", `").append(names[i]) += '`';
    return all;
  } else if constexpr (std::is_same_v<T, bool>) return "`true`, `false`";
  else if constexpr (std::is_same_v<T, float>) return "a real number";
  else if constexpr (std::is_same_v<T, extent2>) return "height, width";
  else if constexpr (std::is_same_v<T, pads>) return "top, bottom, left, right; `same`; `valid`";
  else if constexpr (capacity_of<T> > 0) return "at most " + std::to_string(capacity_of<T>) + " integers";
  else if constexpr (reals_in<T> > 0) return "at most " + std::to_string(reals_in<T>) + " real numbers";
  else return "an integer";
}

std::string text_of_real(float value) {
  pool<char> text;
  append(text, {value});
  return string_of(text);
}

/// A default in the form in which users give the attribute.
template <class T> std::string text_of(const T& value) {
  if constexpr (std::is_enum_v<T>) return '`' + std::string(rule_names<T>()[static_cast<std::size_t>(value)]) + '`';
  else if constexpr (std::is_same_v<T, bool>) return value ? "`true`" : "`false`";
  else if constexpr (std::is_same_v<T, float>) return '`' + text_of_real(value) + '`';
  else if constexpr (std::is_same_v<T, extent2>)
    return '`' + std::to_string(value.h) + ", " + std::to_string(value.w) + '`';
  else if constexpr (std::is_same_v<T, pads>) return "`0, 0, 0, 0`";
  else if constexpr (capacity_of<T> > 0) {
    std::string text;
    for (const std::int64_t item : value) (text += text.empty() ? "`" : ", ") += std::to_string(item);
    return text.empty() ? "empty" : text + '`';
  } else if constexpr (reals_in<T> > 0) {
    std::string text;
    for (const float item : value) (text += text.empty() ? "`" : ", ") += text_of_real(item);
    return text.empty() ? "empty" : text + '`';
  } else return '`' + std::to_string(value) + '`';
}

template <class Op> operator_facts facts_of() {
  operator_facts facts{Op::foreign, Op::parameters, {}};
  const typename Op::attrs defaults{};
  for_each_attribute(defaults, [&]<class T>(const char* name, const T& value) {
    facts.attributes.push_back({name, values_of<T>(), text_of<T>(value)});
  });
  return facts;
}
template <class... Ops> operator_facts facts_of(const operator_info& op, ops::type_list<Ops...>) {
  operator_facts facts;
  ((Ops::code == op.code ? (facts = facts_of<Ops>(), 0) : 0), ...);
  return facts;
}

// --- prose -------------------------------------------------------------------

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  if (lines.empty()) std::fprintf(stderr, "cannot read %s\n", file.c_str());
  return lines;
}

/// The place after the ">" that ends what begins with the "<" at `first`; npos when there is none.
std::size_t end_of_arguments(std::string_view text, std::size_t first) {
  int depth = 0;
  for (std::size_t i = first; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

/// Keywords such as axis<1> as code, which they are: Markdown would take them for tags.
std::string with_keywords_as_code(std::string_view text) {
  std::string out;
  bool is_code = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') is_code = !is_code;
    const std::size_t end = text[i] == '<' && !is_code ? end_of_arguments(text, i) : std::string_view::npos;
    std::size_t name = out.size();
    while (name > 0 && (std::isalnum(static_cast<unsigned char>(out[name - 1])) != 0 || out[name - 1] == '_' ||
                        out[name - 1] == ':'))
      --name;
    if (end == std::string_view::npos ||
        (name == out.size() && std::isalpha(static_cast<unsigned char>(text[i + 1])) == 0)) {
      out += text[i];
      continue;
    }
    out.insert(name, "`").append(text.substr(i, end - i)) += '`';
    i = end - 1;
  }
  return out;
}

/// The text after "///" in line i; nothing when that is no such line.
std::string_view comment_of(const std::string& line) {
  const std::size_t at = line.find("///");
  return at == std::string::npos || line.find_first_not_of(' ') != at ? std::string_view()
                                                                      : std::string_view(line).substr(at + 3);
}
bool is_comment(const std::string& line) { return comment_of(line).data() != nullptr; }

/// Comment lines as Markdown: those that are indented become a block of code.
std::string markdown_of(std::span<const std::string> comment) {
  std::string out;
  bool is_block = false;
  for (const std::string& line : comment) {
    const std::string_view text = comment_of(line);
    const bool is_indented = text.starts_with("   ");
    if (is_block && !is_indented && !text.empty()) out += "```\n\n", is_block = false;
    if (!is_block && is_indented) out += "```text\n", is_block = true;
    if (text.empty() && is_block) continue;
    if (is_block) out.append(text.substr(3)) += '\n';
    else out += (text.empty() ? "" : with_keywords_as_code(text.substr(1))) + '\n';
  }
  return out + (is_block ? "```\n" : "");
}

/// The sentence after "// name: ", which may go over several lines, up to "// Flow: " or "#pragma once".
std::string summary_of(std::span<const std::string> lines, std::string_view name) {
  std::string text = lines[0].substr(std::min(lines[0].size(), name.size() + 5));
  for (const std::string& line : lines.subspan(1)) {
    if (!line.starts_with("// ") || line.starts_with("// Flow: ")) break;
    text.append(" ").append(line, 3);
  }
  return text;
}

/// What the header of an operator says: its first sentence, the docstring of the struct, those of the functions.
struct prose {
  std::string summary, meaning, calls;
};
prose prose_of(const std::string& folder, std::string_view name) {
  const std::vector<std::string> lines = lines_of(folder + '/' + std::string(name) + ".hpp");
  prose text;
  if (!lines.empty()) text.summary = summary_of(lines, name);
  // "{", or ": ", where operators share their members
  const std::string definition = "struct " + std::string(name) + ' ';
  bool is_behind = false;
  for (std::size_t i = 0, first = 0; i < lines.size(); ++i) {
    if (is_comment(lines[i]) && (i == 0 || !is_comment(lines[i - 1]))) first = i;
    if (lines[i].starts_with(definition)) text.meaning = markdown_of(std::span(lines).subspan(first, i - first));
    is_behind = is_behind || lines[i] == "}  // namespace ops";
    if (is_behind && is_comment(lines[i]) && (i + 1 == lines.size() || !is_comment(lines[i + 1])))
      text.calls += markdown_of(std::span(lines).subspan(first, i + 1 - first)) + '\n';
  }
  if (text.meaning.empty())
    std::fprintf(stderr, "%s/%s.hpp: no docstring before the operator's struct\n", folder.c_str(),
                 std::string(name).c_str()),
        std::exit(1);
  return text;
}

// --- tables ------------------------------------------------------------------

std::string names_in(dtype_set set) {
  if (set == types::any) return "any";
  if (set == types::number) return "any number";
  if (set == types::integer) return "any integer";
  std::string names;
  for (int i = 1; i < dtype_count; ++i)
    if (set.contains(static_cast<dtype>(i))) (names += names.empty() ? "" : ", ") += name_of(static_cast<dtype>(i));
  return names;
}

std::string words_of(std::string_view enumerator) {
  std::string words(enumerator);
  for (char& c : words)
    if (c == '_') c = ' ';
  return words;
}

void write_operands(std::ostream& out, const operator_info& op) {
  out << "## Operands\n\n| operand | dtypes | |\n|---|---|---|\n";
  for (const operand_spec& row : op.inputs) {
    out << "| `" << row.role << "` | " << names_in(row.accepts) << " | ";
    if (row.given == presence::optional) out << "may be missing";
    if (row.given == presence::variadic) out << "one or more";
    if (row.constant) out << (row.given == presence::required ? "" : "; ") << "constant";
    out << " |\n";
  }
  for (const operand_spec& row : op.outputs)
    out << "| → `" << row.role << "` | " << names_in(row.accepts) << " | "
        << (row.given == presence::variadic ? "one or more" : "") << " |\n";
  out << '\n';
}

/// "12 (i64 × 4)": the numbers of the parameter tensors that carry an attribute.
std::string parameters_of(const operator_facts& facts, std::string_view attribute) {
  std::string text;
  for (const nnrt_parameter& p : facts.parameters) {
    if (p.attribute != attribute) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(p.tensor_type) + " (" + std::string(name_of(p.type));
    text += p.count == 1 ? ")" : p.count < 0 ? ", any count)" : " × " + std::to_string(p.count) + ")";
  }
  return text.empty() ? "—" : text;
}

void write_attributes(std::ostream& out, const operator_facts& facts) {
  if (facts.attributes.empty()) return;
  out << "## Attributes\n\n| attribute | values | default | NNRt parameter |\n|---|---|---|---|\n";
  for (const attribute_facts& a : facts.attributes)
    out << "| `" << a.name << "` | " << a.values << " | " << a.otherwise << " | " << parameters_of(facts, a.name)
        << " |\n";
  out << '\n';
}

void write_rules(std::ostream& out, const operator_info& op) {
  if (op.rules.empty()) return;
  out << "## Rules\n\n";
  for (std::size_t i = 0; i < op.rules.size(); ++i) out << "- " << words_of(op.rules[i]) << '\n';
  out << '\n';
}

/// A copy of the node with large tensors in place of small ones, which some kernels are for; nothing where its rules
/// refuse that.
std::optional<random_node> enlarged(random_node node) {
  for (random_operand& x : node.in)
    if (x.values.empty())
      for (int axis = 0; axis < x.desc.shape.rank; ++axis)
        if (x.desc.shape[axis] > 1) x.desc.shape[axis] *= 512;
  const verdict v = node.infer();
  if (!v) return std::nullopt;
  node.out.assign(v.outputs.begin(), v.outputs.end());
  return node;
}

/// Names of the kernels that nodes of this dtype get.
std::set<std::string> kernels_of(const operator_info& op, dtype type) {
  dice random(static_cast<std::uint64_t>(op.code) * 100 + static_cast<std::uint64_t>(type));
  std::set<std::string> names;
  const auto add_kernel_of = [&](const random_node& node) {
    const std::vector<operand> operands = node.operands();
    if (const kernel_choice choice = op.select({node.words, operands, node.out}))
      names.insert(std::string(choice.name));
  };
  for (const random_node& node : random_nodes(op, type, 200, random)) {
    add_kernel_of(node);
    if (const auto large = enlarged(node)) add_kernel_of(*large);
  }
  return names;
}
void write_kernels(std::ostream& out, const operator_info& op) {
  if (op.traits.result == storage::alias_of_input) {
    out << "- kernels: none, the result is an alias of the operand\n";
    return;
  }
  std::vector<std::pair<std::string, dtype_set>> by_kernels;
  dtype_set without;
  for (int i = 1; i < dtype_count; ++i) {
    const dtype_set type = types_of(static_cast<dtype>(i));
    if (!op.computes_on.contains(static_cast<dtype>(i))) continue;
    std::string names;
    for (const std::string& name : kernels_of(op, static_cast<dtype>(i))) names += (names.empty() ? "" : ", ") + name;
    const auto same = std::ranges::find(by_kernels, names, [](const auto& row) { return row.first; });
    if (names.empty()) without = without | type;
    else if (same != by_kernels.end()) same->second = same->second | type;
    else by_kernels.emplace_back(names, type);
  }
  out << "- kernels: ";
  const char* separator = "";
  for (const auto& [names, dtypes] : by_kernels) {
    out << separator << names_in(dtypes) << ": " << names;
    separator = "; ";
  }
  if (!without.empty()) out << separator << (by_kernels.empty() ? "" : names_in(without) + ": ") << "the reference";
  out << '\n';
}

void write_traits(std::ostream& out, const operator_info& op) {
  const operator_traits& t = op.traits;
  if (t.quantised == quantised_values::computed) out << "- computes with quantised values\n";
  if (t.quantised == quantised_values::kept) out << "- moves quantised values; results keep scale and zero point\n";
  if (op.fused_word >= 0) out << "- fuses a following relu or relu6\n";
  if (t.result == storage::in_place) out << "- may write its result over an operand that no later node reads\n";
  if (t.outputs_are_parts) out << "- contiguous results are views of the operand\n";
  if (t.joins_inputs) out << "- operands may be computed directly in the result\n";
  if (t.weights != weights_role::none) out << "- folds a following batch_norm, scale or bias_add into its weights\n";
  if (t.may_fail) out << "- a run may fail, where values known only then break a rule\n";
  if (t.reads_descs_alone) out << "- computed before the run where shapes are known\n";
}

/// "1.5 + 0.25 n", shortest form.
std::string units_of(const error_bound& bound) {
  char text[64];
  if (bound.per_number == 0) std::snprintf(text, sizeof text, "%g ulp", bound.ulp);
  else std::snprintf(text, sizeof text, "%g + %g n ulp", bound.ulp, bound.per_number);
  return text;
}
/// What results of floating point may differ by from the exact ones, dtype by dtype; nothing for operators without such
/// results.
void write_errors(std::ostream& out, const operator_info& op) {
  const array_ref<const error_bound> bounds = op.label->errors;
  if ((op.computes_on.bits & types::floating.bits) == 0 || op.traits.result == storage::alias_of_input) return;
  if (bounds.data() == rounded_once) {
    out << "- errors: f16, f32, f64: exact results, rounded once\n";
    return;
  }
  out << "- errors: ";
  if (bounds.empty()) out << "no bound is stated";
  dtype_set stated;
  for (const error_bound& bound : bounds) {
    const dtype_set types{bound.types.bits & ~stated.bits};
    out << (stated.empty() ? "" : "; ") << names_in(types) << ": at most " << units_of(bound);
    if (bound.of == error_unit::largest) out << " of the largest result of the group";
    if (bound.of == error_unit::terms) out << " of the sum of the terms' magnitudes";
    if (bound.of == error_unit::operand) out << " of the largest magnitude of " << op.inputs[0].role;
    if (bound.of == error_unit::gate) out << " of (1 + |c| + |h|) * (the largest gate's terms' magnitudes, at least 1)";
    if (!bound.counts.empty()) out << ", n: " << bound.counts;
    if (!bound.unless.empty()) out << ", unless " << bound.unless;
    if (bound.vanishes) out << ", results below the smallest normal number may be 0";
    stated = stated | types;
  }
  out << '\n';
}

/// The page of one operator.
std::string page_of(const operator_info& op, const std::string& folder) {
  const operator_facts facts = facts_of(op, ops::list{});
  const prose text = prose_of(folder, op.name);
  std::ostringstream out;
  out << "# " << op.name << "\n\n";
  if (facts.numbers.nnrt >= 0) out << "NNRt " << facts.numbers.nnrt;
  else out << "Operator of nnrt, number " << static_cast<int>(op.code);
  if (facts.numbers.hdi >= 0) out << ", HDI node type " << facts.numbers.hdi;
  out << ". [All operators](../operators.md)\n\n" << text.meaning << '\n';
  if (!text.calls.empty()) out << "In C++: " << text.calls;
  write_operands(out, op);
  write_attributes(out, facts);
  write_rules(out, op);
  out << "## In a network\n\n";
  write_traits(out, op);
  write_kernels(out, op);
  write_errors(out, op);
  return out.str();
}

constexpr std::string_view introduction = R"(# Operators

One page for each operator, with its operands, attributes, rules, kernels and error bounds. `tools/operators_doc.cpp`
generates this page and those in `docs/operators/` from the headers in `include/nnrt/ops`; after a change there, run
`cmake --build build/dev --target operators_md`.

* **Rules.** A graph that breaks a rule is rejected, in the compiler or at run time. The message has the rule's words
  and the two values involved. For every operator, the number of operands, their dtypes and quantisation, which of them
  must be constants, and the limit of 2^40 elements for a tensor are checked in addition.
* **Attributes** are keywords of the same name, and operands that are lists of integers are keywords, too:
  `transpose(x, perm<0, 2, 1>)`. Where a keyword has another name, the paragraph "In C++" shows it.
* **Kernels** are those that the planner selects for tensors with known extents. An operator without a kernel for a
  dtype runs its reference, which is slower.

## Errors

The line "errors" of a page bounds the distance of floating-point results from the formula evaluated in real numbers on
the stored operands. It holds for kernels and references, on every instruction set. `tests/kernels/bounds*_test.cpp`
measure it, with worst-case orders of the operands as well.

* One ulp is the unit in the last place of the exact result, or of the quantity that the line names:
  * *the largest result of the group*: of the values that share one sum, mean or maximum. For normalisations it is the
    largest normalised value times the largest scale plus the largest offset, by magnitude.
  * *the sum of the terms' magnitudes*: of the terms that are added up to the result. For conv2d, whose kernels may
    transform the operands, it is the largest such sum of all windows, including windows that cross the border and those
    between strides.
* n is the number of values added or multiplied for one result, unless the line defines it.
* For f32, terms such as 34 and 0.008 n cover the worst order of the operands, each next to a larger one: sums are
  accumulated in blocks of 64.
* "Rounded once" means at most 0.51 ulp.
* Bounds hold where the exact result and the unit are finite; for f64, intermediate squares and products must be normal
  numbers, too.

## List

| NNRt | operator | |
|---|---|---|
)";

/// The index: what holds for all operators, and one line for each.
std::string index_of(const std::string& folder) {
  std::ostringstream out;
  out << introduction;
  for (const operator_info* op : catalogue()) {
    const operator_facts facts = facts_of(*op, ops::list{});
    out << "| " << (facts.numbers.nnrt >= 0 ? std::to_string(facts.numbers.nnrt) : "") << " | [" << op->name
        << "](operators/" << op->name << ".md) | " << prose_of(folder, op->name).summary << " |\n";
  }
  return out.str();
}

/// Every page by its path below docs/.
std::map<std::string, std::string> pages_of(const std::string& folder) {
  std::map<std::string, std::string> pages{{"operators.md", index_of(folder)}};
  for (const operator_info* op : catalogue())
    pages.emplace("operators/" + std::string(op->name) + ".md", page_of(*op, folder));
  for (auto& [path, text] : pages) {
    while (text.ends_with("\n\n")) text.pop_back();
    for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
  }
  return pages;
}

/// Pages in docs/operators/ that belong to no operator.
std::vector<std::string> surplus_pages(const std::string& docs, const std::map<std::string, std::string>& pages) {
  std::vector<std::string> found;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(docs + "/operators", missing)) {
    const std::string path = "operators/" + entry.path().filename().string();
    if (!pages.contains(path)) found.push_back(path);
  }
  return found;
}

std::string file_of(const std::string& docs, const std::string& page) { return docs + '/' + page; }

std::string contents_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Prints every page that is not what the operators give; returns the exit status.
int check_pages(const std::string& docs, const std::map<std::string, std::string>& pages) {
  std::vector<std::string> wrong = surplus_pages(docs, pages);
  for (const auto& [path, text] : pages)
    if (contents_of(file_of(docs, path)) != text) wrong.push_back(path);
  for (const std::string& path : wrong)
    std::fprintf(stderr, "%s/%s is out of date: build the target operators_md\n", docs.c_str(), path.c_str());
  return wrong.empty() ? 0 : 1;
}

int write_pages(const std::string& docs, const std::map<std::string, std::string>& pages) {
  std::filesystem::create_directories(docs + "/operators");
  for (const std::string& path : surplus_pages(docs, pages)) std::filesystem::remove(file_of(docs, path));
  for (const auto& [path, text] : pages)
    if (contents_of(file_of(docs, path)) != text && !(std::ofstream(file_of(docs, path)) << text).flush()) {
      std::fprintf(stderr, "cannot write %s/%s\n", docs.c_str(), path.c_str());
      return 1;
    }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const bool checks = count == 4 && std::string_view(arguments[3]) == "--check";
  if (count != 3 && !checks) {
    std::fprintf(stderr, "usage: operators_doc FOLDER_OF_OPERATORS FOLDER_OF_DOCUMENTS [--check]\n");
    return 2;
  }
  const auto pages = pages_of(arguments[1]);
  return checks ? check_pages(arguments[2], pages) : write_pages(arguments[2], pages);
}
