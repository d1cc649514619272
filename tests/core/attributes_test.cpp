// attributes_test: records of attributes survive their encoding as words, and words that mean nothing are told apart.
#include <nnrt/core/attributes.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <boost/hana.hpp>
#include <limits>
#include <string>

namespace {

using namespace nnrt;

/// One attribute of each kind.
struct everything {
  NNRT_ATTRIBUTES(everything, (std::int64_t, number), (bool, flag), (float, real), (extent2, extent), (pads, pad),
                  (axis_list, axes), (border, mode), (activation, fused));
  constexpr everything() : number(0), flag(false), real(0), mode(border::constant), fused(activation::none) {}
};
constexpr everything example() {
  everything a;
  a.number = std::numeric_limits<std::int64_t>::min();
  a.flag = true;
  a.real = -0.1F;
  a.extent = {3, -4};
  a.pad = {pad_mode::valid, 1, 2, 3, 4};
  a.axes = {5, -6, 7};
  a.mode = border::symmetric;
  a.fused = activation::relu6;
  return a;
}
constexpr bool equal(const everything& a, const everything& b) {
  return a.number == b.number && a.flag == b.flag && a.real == b.real && a.extent == b.extent && a.pad == b.pad &&
         a.axes == b.axes && a.mode == b.mode && a.fused == b.fused;
}
constexpr pool<word> words_of(const everything& a) {
  pool<word> words;
  pack(a, words);
  return words;
}
static_assert(equal(unpack<everything>(words_of(example())), example()));
static_assert(words_of(example()).size() == 1 + 1 + 1 + 2 + 5 + 4 + 1 + 1);
static_assert(fused_word<everything>() == 1 + 1 + 1 + 2 + 5 + 1 + 1 && fused_word<no_attributes>() == -1);

TEST_CASE("attributes: what is packed is what is unpacked") {
  CHECK(equal(unpack<everything>(words_of(example())), example()));
  CHECK(equal(unpack<everything>(words_of(everything{})), everything{}));
  CHECK(well_formed<everything>(words_of(example())));
  CHECK(well_formed<no_attributes>({}));
}

TEST_CASE("attributes: records that are too short, too long or out of range are not well formed") {
  const pool<word> good = words_of(example());
  for (std::size_t size = 0; size < good.size(); ++size) {
    CAPTURE(size);
    CHECK(!well_formed<everything>(std::span<const word>(good.data(), size)));
  }
  pool<word> longer = good;
  longer.push_back(0);
  CHECK(!well_formed<everything>(longer));
  struct row {
    const char* what;
    std::size_t at;
    word value;
  };
  const row spoiled[] = {{"a mode of padding that is none", 5, 3},
                         {"a negative mode", 5, -1},
                         {"a list longer than it may be", 10, 9},
                         {"a list of negative length", 10, -1},
                         {"a list longer than the record", 10, 8},
                         {"an activation that is none", 15, 3},
                         {"a choice beyond the numbers of enumerators", 14, word{1} << 32U}};
  for (const row& r : spoiled) {
    CAPTURE(r.what);
    pool<word> words = good;
    words[r.at] = r.value;
    CHECK(!well_formed<everything>(words));
    unpack<everything>(words);  // reads nothing beyond the record all the same
  }
}

TEST_CASE("attributes: their names and kinds stand in order") {
  const auto fields = attribute_fields<everything>();
  struct row {
    std::string_view name;
    attribute_kind kind;
  };
  const row table[] = {{"number", attribute_kind::integer}, {"flag", attribute_kind::flag},
                       {"real", attribute_kind::real},      {"extent", attribute_kind::extent},
                       {"pad", attribute_kind::padding},    {"axes", attribute_kind::list},
                       {"mode", attribute_kind::choice},    {"fused", attribute_kind::fused}};
  REQUIRE(fields.size() == std::size(table));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    CHECK(fields[i].name == table[i].name);
    CHECK(fields[i].kind == table[i].kind);
  }
}

TEST_CASE("attributes: a record falls into the words of its fields, none beyond its end") {
  const pool<word> words = words_of(example());
  const std::size_t counts[] = {1, 1, 1, 2, 5, 4, 1, 1};
  for (std::size_t there = 0; there <= words.size(); ++there) {
    CAPTURE(there);
    array_ref<const word> left = array_ref<const word>(words).first(there);
    for (std::size_t i = 0; i < std::size(counts); ++i) {
      const std::size_t count = nnrt::words_of(attribute_fields<everything>()[i].kind, left);
      CHECK(count == std::min(counts[i], left.size()));
      left = left.subspan(count);
    }
    CHECK(left.empty());
  }
  for (const word length : {word{-1}, std::numeric_limits<word>::min(), std::numeric_limits<word>::max()})
    for (const attribute_kind kind : {attribute_kind::list, attribute_kind::reals}) {
      const word spoiled[] = {length, 7, 8};
      CHECK(nnrt::words_of(kind, spoiled) <= 3);
    }
}

TEST_CASE("attributes: lists keep what fits and compare by their items") {
  const int_list<3> list{1, 2, 3, 4};
  CHECK(list.count == 3);
  CHECK(list == int_list<3>{1, 2, 3});
  CHECK(!(list == int_list<3>{1, 2}));
  CHECK(!(list == int_list<3>{1, 2, 4}));
  CHECK(int_list<3>{}.empty());
}

/// A record with a list of real numbers.
struct box_scales {
  NNRT_ATTRIBUTES(box_scales, (real_list<4>, scale), (bool, is_last));
  constexpr box_scales() : scale{1, 1}, is_last(false) {}
};
constexpr pool<word> words_of(const box_scales& a) {
  pool<word> words;
  pack(a, words);
  return words;
}
static_assert(unpack<box_scales>(words_of(box_scales{})).scale[1] == 1);

TEST_CASE("attributes: lists of real numbers come back bit for bit, and keep what fits") {
  box_scales given;
  given.scale = {0.1F, -0.0F, 1e-40F, std::numeric_limits<float>::infinity(), 5};
  given.is_last = true;
  const pool<word> words = words_of(given);
  CHECK(words.size() == 1 + 4 + 1);
  const box_scales got = unpack<box_scales>(words);
  REQUIRE(got.scale.size() == 4);
  for (int i = 0; i < 4; ++i)
    CHECK(std::bit_cast<std::int32_t>(got.scale[i]) == std::bit_cast<std::int32_t>(given.scale[i]));
  CHECK(got.is_last);
  CHECK(well_formed<box_scales>(words));
  CHECK(attribute_fields<box_scales>()[0].kind == attribute_kind::reals);
  for (const word count : {5, -1, 3}) {
    pool<word> spoiled = words;
    spoiled[0] = count;
    CHECK(!well_formed<box_scales>(spoiled));
  }
}

TEST_CASE("attributes: a record is a Hana Struct, whose accessors read and write its members") {
  namespace hana = boost::hana;
  static_assert(hana::Struct<everything>::value && hana::Struct<no_attributes>::value);
  static_assert(hana::size(hana::accessors<everything>()) == hana::size_c<8>);
  static_assert(hana::keys(no_attributes{}) == hana::make_tuple());
  everything a = example();
  std::string names;
  hana::for_each(hana::keys(a), [&](auto name) { names += hana::to<const char*>(name), names += ' '; });
  CHECK(names == "number flag real extent pad axes mode fused ");
  hana::second(hana::accessors<everything>()[hana::size_c<1>])(a) = false;
  CHECK(!a.flag);
  CHECK(hana::at_key(a, BOOST_HANA_STRING("fused")) == activation::relu6);
  CHECK(hana::members(a)[hana::size_c<2>] == -0.1F);
}

}  // namespace
