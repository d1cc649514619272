// protobuf_test: fields of messages are read, and malformed bytes end a message with their place.
#include <nnrt/io/protobuf.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace nnrt;

/// The fields of a message as text: number:type:value.
std::string listed(std::string_view bytes, bool expect_valid = true) {
  std::string made;
  message_fields field(bytes);
  while (field.next()) {
    made += std::to_string(field.number()) + ":" + std::to_string(static_cast<int>(field.type())) + ":";
    made += field.type() == wire::varint ? std::to_string(field.integer()) : std::string(field.bytes());
    made += ' ';
  }
  CHECK(field.is_valid() == expect_valid);
  return made;
}

template <class T> std::vector<T> numbers(std::string_view bytes, std::uint64_t field, bool expect_valid = true) {
  std::vector<T> made;
  repeated_numbers<T> list(file_bytes(bytes.data()), {0, bytes.size()}, field);
  while (list.next()) made.push_back(list.value());
  CHECK(list.is_valid() == expect_valid);
  return made;
}

using namespace std::string_view_literals;

// In constant evaluation.
constexpr bool reads_in_constant_evaluation() {
  message_fields field("\x08\x96\x01\x12\x03one"sv);
  bool fits = field.next() && field.number() == 1 && field.integer() == 150;
  fits = fits && field.next() && field.number() == 2 && field.bytes() == "one" && field.at() == 3;
  return fits && !field.next() && field.is_valid();
}
static_assert(reads_in_constant_evaluation());

}  // namespace

TEST_CASE("protobuf: fields of each wire type, in any order") {
  CHECK(listed("") == "");
  CHECK(listed("\x08\x96\x01\x12\x03one\x1d\x01\x02\x03\x04\x21\x01\x02\x03\x04\x05\x06\x07\x08"sv) ==
        "1:0:150 2:2:one 3:5:\x01\x02\x03\x04 4:1:\x01\x02\x03\x04\x05\x06\x07\x08 ");
  CHECK(listed("\x12\x00"sv) == "2:2: ");
  // -1 has ten bytes; a field number of two bytes
  CHECK(listed("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv) == "1:0:18446744073709551615 ");
  CHECK(listed("\xa0\x06\x05"sv) == "100:0:5 ");
}

TEST_CASE("protobuf: malformed bytes end a message") {
  for (const std::string_view bytes : {
           "\x08"sv,                                              // no number
           "\x08\x80"sv,                                          // a number without its end
           "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,  // a number of eleven bytes
           "\x12\x05one"sv,                                       // a length beyond the end
           "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,      // the largest length
           "\x1d\x01\x02\x03"sv, "\x21\x01"sv,                    // too few bytes
           "\x00\x01"sv, "\x02\x00"sv,                            // field 0
           "\x0b\x0c"sv,                                          // a group
           "\x0e"sv, "\x0f"sv,                                    // no wire types
       }) {
    CAPTURE(bytes);
    CHECK(listed(bytes, false) == "");
  }
  message_fields field("\x08\x01\x08"sv);
  CHECK(field.next());
  CHECK_FALSE(field.next());
  CHECK(field.at() == 2);
  CHECK_FALSE(field.next());
}

TEST_CASE("protobuf: repeated numbers are packed, one by one, or both") {
  const std::string_view mixed = "\x3a\x03\x01\xac\x02\x38\x05\x10\x09\x3a\x00\x38\x06"sv;
  CHECK(numbers<std::int64_t>(mixed, 7) == std::vector<std::int64_t>{1, 300, 5, 6});
  CHECK(numbers<std::int64_t>(mixed, 2) == std::vector<std::int64_t>{9});
  CHECK(numbers<std::int64_t>(mixed, 3).empty());
  CHECK(numbers<float>("\x0d\x00\x00\x80\x3f\x0a\x04\x00\x00\x00\x40"sv, 1) == std::vector<float>{1, 2});
  CHECK(numbers<double>("\x0a\x08\x00\x00\x00\x00\x00\x00\xf0\x3f"sv, 1) == std::vector<double>{1});
  CHECK(numbers<std::int64_t>("\x3a\x02\x01\x80"sv, 7, false) == std::vector<std::int64_t>{1});
  CHECK(numbers<float>("\x0a\x03\x00\x00\x80"sv, 1, false).empty());
  CHECK(numbers<float>("\x08\x01"sv, 1, false).empty());
}
