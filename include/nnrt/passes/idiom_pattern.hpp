// idiom_pattern: expressions of operators to search for in a graph, written as formulas.
// Flow: idiom_table.hpp writes them; idioms.hpp matches them against the nodes that make a value.
#pragma once

#include <nnrt/core/operator.hpp>
#include <nnrt/ops/erf.hpp>
#include <nnrt/ops/exp.hpp>
#include <nnrt/ops/hard_sigmoid.hpp>
#include <nnrt/ops/reduce_l2.hpp>
#include <nnrt/ops/reduce_max.hpp>
#include <nnrt/ops/reduce_mean.hpp>
#include <nnrt/ops/reduce_sum.hpp>
#include <nnrt/ops/sigmoid.hpp>
#include <nnrt/ops/softmax.hpp>
#include <nnrt/ops/sqrt.hpp>
#include <nnrt/ops/squared_difference.hpp>
#include <nnrt/ops/sub.hpp>
#include <nnrt/ops/tanh.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes { namespace detail {

/// How the value of a term is made.
enum class term_kind {
  capture,     // any value; at its second place the same one
  product,     // a number times factors, in any order and grouping of mul, div, neg, square, pow and reciprocal
  sum,         // a number plus addends, in any order and grouping of add and sub
  inverse,     // a factor 1 / operand
  function,    // an operator of one operand, with the attributes that it has by default
  difference,  // an operator of two operands in their order
  reduction,   // along the axes of all reductions of the pattern, which remain with extent 1
  clamp,       // to [number, most]: clip, relu6, or a fused relu6
  at_least,    // the maximum of the operand and a captured number
};

/// One term of a pattern. Operands are indices of earlier terms; captures are the last ones.
struct term {
  static constexpr int max_operands = 4;
  term_kind is = term_kind::capture;
  op_code code{};
  double number = 0, most = 0;
  bool is_number_captured = false;  // any number fits
  int capture = 0;
  int operands[max_operands] = {};
  int count = 0;
};

/// An expression; the last term is its root.
struct pattern {
  static constexpr int max_terms = 32;
  term terms[max_terms];
  int count = 0;

  constexpr const term& root() const { return terms[count - 1]; }
  /// Appends the terms of another pattern and returns the index of its root.
  constexpr int append(const pattern& other) {
    const int first = count;
    for (int i = 0; i < other.count; ++i) {
      term t = other.terms[i];
      for (int k = 0; k < t.count; ++k) t.operands[k] += first;
      terms[count++] = t;
    }
    return count - 1;
  }
};

/// Patterns as formulas: `x * sigmoid(x)`.
namespace formula {

constexpr pattern capture(int index) {
  pattern p;
  p.terms[p.count].capture = index;
  ++p.count;
  return p;
}
inline constexpr pattern x = capture(0), gamma = capture(1), beta = capture(2);
inline constexpr int captures = 3;

/// A number that the pattern captures: epsilon, or a factor.
struct any_number_t {};
inline constexpr any_number_t any_number{};

constexpr pattern of_operands(const term& root, std::initializer_list<const pattern*> operands) {
  pattern p;
  term t = root;
  for (const pattern* operand : operands) t.operands[t.count++] = p.append(*operand);
  p.terms[p.count++] = t;
  return p;
}
constexpr pattern function(op_code code, const pattern& a) {
  return of_operands({.is = term_kind::function, .code = code}, {&a});
}
constexpr pattern erf(const pattern& a) { return function(ops::erf::code, a); }
constexpr pattern exp(const pattern& a) { return function(ops::exp::code, a); }
constexpr pattern tanh(const pattern& a) { return function(ops::tanh::code, a); }
constexpr pattern sqrt(const pattern& a) { return function(ops::sqrt::code, a); }
constexpr pattern sigmoid(const pattern& a) { return function(ops::sigmoid::code, a); }
constexpr pattern hard_sigmoid(const pattern& a) { return function(ops::hard_sigmoid::code, a); }
constexpr pattern softmax(const pattern& a) { return function(ops::softmax::code, a); }

constexpr pattern reduction(op_code code, const pattern& a) {
  return of_operands({.is = term_kind::reduction, .code = code}, {&a});
}
constexpr pattern mean(const pattern& a) { return reduction(ops::reduce_mean::code, a); }
constexpr pattern total(const pattern& a) { return reduction(ops::reduce_sum::code, a); }
constexpr pattern largest(const pattern& a) { return reduction(ops::reduce_max::code, a); }
constexpr pattern l2(const pattern& a) { return reduction(ops::reduce_l2::code, a); }

constexpr pattern clamp(const pattern& a, double least, double most) {
  return of_operands({.is = term_kind::clamp, .number = least, .most = most}, {&a});
}
constexpr pattern at_least(any_number_t, const pattern& a) {
  return of_operands({.is = term_kind::at_least, .is_number_captured = true}, {&a});
}
constexpr pattern operator-(const pattern& a, const pattern& b) {
  return of_operands({.is = term_kind::difference, .code = ops::sub::code}, {&a, &b});
}
constexpr pattern squared_difference(const pattern& a, const pattern& b) {
  return of_operands({.is = term_kind::difference, .code = ops::squared_difference::code}, {&a, &b});
}

/// A product or sum of two patterns. A pattern of that kind is dissolved: its operands are taken instead.
constexpr pattern joined(term_kind kind, const pattern& a, const pattern& b) {
  pattern p;
  term t{.is = kind, .number = kind == term_kind::product ? 1.0 : 0.0};
  for (const pattern* part : {&a, &b}) {
    const int root = p.append(*part);
    if (part->root().is != kind) {
      t.operands[t.count++] = root;
      continue;
    }
    --p.count;  // the root of the part is dissolved
    const term& dissolved = p.terms[p.count];
    if (kind == term_kind::product) t.number *= dissolved.number;
    else t.number += dissolved.number;
    t.is_number_captured = t.is_number_captured || dissolved.is_number_captured;
    for (int i = 0; i < dissolved.count; ++i) t.operands[t.count++] = dissolved.operands[i];
  }
  // captures last: they fit any value
  int sorted[term::max_operands] = {}, count = 0;
  for (const bool is_capture : {false, true})
    for (int i = 0; i < t.count; ++i)
      if ((p.terms[t.operands[i]].is == term_kind::capture) == is_capture) sorted[count++] = t.operands[i];
  for (int i = 0; i < t.count; ++i) t.operands[i] = sorted[i];
  p.terms[p.count++] = t;
  return p;
}
constexpr pattern operator*(const pattern& a, const pattern& b) { return joined(term_kind::product, a, b); }
constexpr pattern operator+(const pattern& a, const pattern& b) { return joined(term_kind::sum, a, b); }
constexpr pattern operator/(const pattern& a, const pattern& b) {
  return a * of_operands({.is = term_kind::inverse}, {&b});
}
constexpr pattern with_number(term_kind kind, const pattern& a, double number, bool is_captured = false) {
  pattern p;
  if (a.root().is == kind) p = a;
  else p = of_operands({.is = kind, .number = kind == term_kind::product ? 1.0 : 0.0}, {&a});
  term& t = p.terms[p.count - 1];
  if (kind == term_kind::product) t.number *= number;
  else t.number += number;
  t.is_number_captured = is_captured;
  return p;
}
constexpr pattern operator*(const pattern& a, double number) { return with_number(term_kind::product, a, number); }
constexpr pattern operator+(const pattern& a, double number) { return with_number(term_kind::sum, a, number); }
constexpr pattern operator*(const pattern& a, any_number_t) { return with_number(term_kind::product, a, 1, true); }
constexpr pattern operator+(const pattern& a, any_number_t) { return with_number(term_kind::sum, a, 0, true); }
constexpr pattern square(const pattern& a) { return a * a; }
constexpr pattern inverse(const pattern& a) {
  return with_number(term_kind::product, of_operands({.is = term_kind::inverse}, {&a}), 1);
}

}  // namespace formula

}}}}  // namespace nnrt::NNRT_ISA::passes::detail
