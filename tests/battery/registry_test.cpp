// registry_test: operators are found by number and by name, with what dynamic graphs need of them.
#include <nnrt/ops/registry.hpp>

#include <doctest/doctest.h>
#include <support/operators.hpp>

using namespace nnrt_test;

TEST_CASE("registry: each operator is found by its number and by its name") {
  CHECK(ops::registered().size() == static_cast<std::size_t>(ops::list::count));
  for (const operator_info* op : ops::registered()) {
    CAPTURE(op->name);
    CHECK(ops::find(op->code) == op);
    CHECK(ops::find(op->name) == op);
  }
  CHECK(ops::find(op_code{45}) == &ops::of<ops::reshape>());
  CHECK(ops::find("transpose") == &ops::of<ops::transpose>());
  CHECK(ops::find(op_code{0}) == nullptr);
  CHECK(ops::find(op_code{999}) == nullptr);
  CHECK(ops::find("") == nullptr);
  CHECK(ops::find("Reshape") == nullptr);
}

TEST_CASE("registry: an operator has its signature, its rules' names and its functions") {
  for (const operator_info* op : ops::registered()) {
    CAPTURE(op->name);
    CHECK_FALSE(op->inputs.empty());
    CHECK_FALSE(op->outputs.empty());
    CHECK(bool(op->infer != nullptr));
    CHECK(bool(op->macs != nullptr));
    CHECK(bool(op->reference != nullptr));
    CHECK(bool(op->run_reference != nullptr));
    CHECK(bool(op->select != nullptr));
    CHECK(static_cast<std::size_t>(op->traits.typed_by) < op->inputs.size());
  }
  const operator_info* const squeeze = ops::find("squeeze");
  REQUIRE(squeeze->rules.size() == 4);
  CHECK(squeeze->rules[2] == "squeezed_extent_must_be_1");
}

TEST_CASE("registry: what is folded into the weights before it says what by") {
  for (const operator_info* const op : ops::registered()) {
    const meaning computes = op->traits.computes;
    CHECK(bool(op->folded_as != nullptr) ==
          (computes != meaning::other && computes != meaning::relu && computes != meaning::relu6));
  }
  CHECK(ops::find("batch_norm")->folded_as->code == ops::find("fold_affine")->code);
}

TEST_CASE("registry: a verdict's rule is an index into the names of the operator's rules") {
  const operand in[] = {computed(f32_of({2, 3})), integers(numbers<4>)};
  const verdict v = ops::find("reshape")->infer(std::span<const word>{}, std::span<const operand>(in),
                                                std::span<const tensor_desc>{});
  REQUIRE_FALSE(v);
  CHECK(ops::find("reshape")->rules[static_cast<std::size_t>(v.rule)] == "number_of_elements_must_be_kept");
}

namespace {
/// What the erased reference of reshape makes of x.
template <class T> std::vector<T> copied(filled<T> x) {
  filled<T> y(x.desc.shape);
  filled<std::int64_t> shape({1}, {x.desc.elements()});
  const view in[] = {x.as_view(), shape.as_view()}, out[] = {y.as_view()};
  ops::find("reshape")->reference(std::span<const word>{}, arguments(in), results(out));
  return y.elements;
}
}  // namespace

TEST_CASE("registry: references run for every dtype that the signature takes") {
  CHECK(copied(filled<std::int8_t>({2}, {1, -2})) == std::vector<std::int8_t>{1, -2});
  CHECK(copied(filled<std::uint64_t>({2}, {1, UINT64_MAX})) == std::vector<std::uint64_t>{1, UINT64_MAX});
  CHECK(copied(filled<double>({2}, {0.1, 1e300})) == std::vector<double>{0.1, 1e300});
}
