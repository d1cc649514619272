// CONTRIBUTING: what the pieces of a new operator in CONTRIBUTING.md stand in. The program that it rejects is
// compile_fail/CONTRIBUTING.
// Flow: tests/support/snippets.py puts them in and has the compiler understand the result; nothing runs.
// includes: struct hswish {
#include <doctest/doctest.h>
#include <nnrt/ir/apply.hpp>

#include <support/unary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {
// declarations: struct hswish {
}  // namespace ops
// declarations: struct hswish_t {
}}  // namespace nnrt::NNRT_ISA

using namespace nnrt;
using namespace nnrt_test;

// declarations: TEST_CASE("hswish
