// byte_stream_test: what is written is read back, what is not there is not read, and a digest sees every change.
#include <nnrt/io/byte_stream.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

namespace {

using namespace nnrt;

byte_list pattern(std::size_t count) {
  byte_list bytes;
  for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(i * 37 % 251));
  return bytes;
}

}  // namespace

TEST_CASE("byte_stream: numbers, texts and lists come back in their order") {
  byte_writer to;
  const std::int64_t list[] = {1, -2, 3};
  to.put(std::int32_t{-7}), to.put(2.5F), to.put(std::string_view("text")), to.put_list<std::int64_t>(list),
      to.put(std::uint8_t{9});
  byte_reader from{to.bytes};
  CHECK(from.number<std::int32_t>() == -7);
  CHECK(from.number<float>() == 2.5F);
  CHECK(from.text() == "text");
  std::vector<std::int64_t> read;
  from.list<std::int64_t>(read);
  CHECK(read == std::vector<std::int64_t>{1, -2, 3});
  CHECK(from.number<std::uint8_t>() == 9);
  CHECK(from.ok);
  CHECK(from.bytes.empty());
}

TEST_CASE("byte_stream: a desc comes back whole") {
  tensor_desc desc{i8, nchw, {2, 3, -1}, quant{0.25F, -3, quantised_rounding::half_to_even}};
  desc.quantised.axis = 1;
  byte_writer to;
  put(to, desc);
  byte_reader from{to.bytes};
  CHECK(read_desc(from) == desc);
  CHECK(from.ok);
  CHECK(from.bytes.empty());
}

TEST_CASE("byte_stream: after the end, and for lengths that are not there, everything is empty") {
  for (const std::uint64_t length :
       {std::uint64_t{2}, std::uint64_t{1} << 61, std::numeric_limits<std::uint64_t>::max()}) {
    byte_writer to;
    to.put(length), to.put(std::uint8_t{1});
    byte_reader text{to.bytes}, list{to.bytes}, count{to.bytes};
    CHECK(text.text().empty());
    CHECK(!text.ok);
    CHECK(text.number<std::uint8_t>() == 0);  // it stays so
    std::vector<std::int64_t> read;
    list.list<std::int64_t>(read);
    CHECK(read.empty());
    CHECK(!list.ok);
    CHECK(count.count_of(1) == 0);
    CHECK(!count.ok);
  }
}

TEST_CASE("digest: any bit of any byte changes it, at every length around a block") {
  for (const std::size_t length : {1U, 7U, 8U, 64U, 255U, 256U, 257U, 600U}) {
    byte_list bytes = pattern(length);
    const std::uint64_t whole = digest_of(bytes);
    for (std::size_t i = 0; i < length; ++i)
      for (int bit = 0; bit < 8; ++bit) {
        bytes[i] ^= static_cast<std::byte>(1 << bit);
        REQUIRE(digest_of(bytes) != whole);
        bytes[i] ^= static_cast<std::byte>(1 << bit);
      }
    REQUIRE(digest_of(bytes) == whole);
  }
}

TEST_CASE("digest: lengths, and the order of blocks, matter") {
  std::vector<std::uint64_t> seen;
  for (std::size_t length = 0; length < 800; length += 3) {
    const byte_list zeros(length);
    for (const std::uint64_t other : seen) REQUIRE(digest_of(zeros) != other);
    seen.push_back(digest_of(zeros));
  }
  const std::uint64_t whole = digest_of(pattern(2048));
  for (const std::size_t distance : {8U, 64U, 256U, 1024U}) {  // words of other chains, and of the same one
    byte_list bytes = pattern(2048);
    for (std::size_t i = 0; i < 8; ++i) std::swap(bytes[i], bytes[distance + i]);
    REQUIRE(bytes != pattern(2048));
    CHECK(digest_of(bytes) != whole);
  }
}
