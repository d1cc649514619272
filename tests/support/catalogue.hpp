// catalogue: every operator, erased, with its kernels and what else tests ask of an operator's own type.
// Flow: catalogue.cpp is the one unit of the tests that instantiates them all; tests that treat operators alike link
// it.
#pragma once

#include <nnrt/core/operator.hpp>

#include <string_view>
#include <vector>

namespace nnrt_test {

using namespace nnrt;

/// Every operator, in the order of the list.
std::span<const operator_info* const> catalogue();

/// The operator of this name; nullptr when there is none.
const operator_info* find_operator(std::string_view name);

/// The attributes that an operator has when its user names none.
std::vector<word> default_words(const operator_info& op);

/// Whether the words have the form of the operator's attributes.
bool is_well_formed(const operator_info& op, std::span<const word> words);

/// The words, unpacked into the operator's attributes and packed again.
std::vector<word> repacked(const operator_info& op, std::span<const word> words);

}  // namespace nnrt_test
