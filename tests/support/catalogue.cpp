// catalogue: see the header.
#include "support/catalogue.hpp"

#if !defined(NNRT_TEST_REFERENCES_ALONE)  // tests/bits looks at what references become, without kernels
#include <nnrt/kernels/select.hpp>
#endif
#include <nnrt/ops/registry.hpp>

namespace nnrt_test {

namespace {

/// Calls f with a null pointer to the operator's type.
template <class F, class... Ops> void with_type(const operator_info& op, ops::type_list<Ops...>, F f) {
  const auto try_one = [&]<class Op>(const Op* type) {
    if (Op::code == op.code) f(type);
  };
  (try_one(static_cast<const Ops*>(nullptr)), ...);
}

}  // namespace

std::span<const operator_info* const> catalogue() { return ops::registered(); }

const operator_info* find_operator(std::string_view name) { return ops::find(name); }

std::vector<word> default_words(const operator_info& op) {
  std::vector<word> words;
  with_type(op, ops::list{}, [&]<class Op>(const Op*) { pack(typename Op::attrs{}, words); });
  return words;
}

bool is_well_formed(const operator_info& op, std::span<const word> words) {
  bool is = false;
  with_type(op, ops::list{}, [&]<class Op>(const Op*) { is = well_formed<typename Op::attrs>(words); });
  return is;
}

std::vector<word> repacked(const operator_info& op, std::span<const word> words) {
  std::vector<word> again;
  with_type(op, ops::list{}, [&]<class Op>(const Op*) { pack(unpack<typename Op::attrs>(words), again); });
  return again;
}

}  // namespace nnrt_test
