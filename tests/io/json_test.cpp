// json: what the reader takes, what it refuses and where, and that the writer's output reads back.
#include <nnrt/io/json.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <limits>
#include <string>
#include <string_view>

namespace {

using nnrt::json_event;

/// The text as the reader saw it: one word per event; "!" and the reason when it broke.
std::string events_of(std::string_view text) {
  nnrt::json_reader json(text);
  std::string out;
  for (;;) {
    switch (json.next()) {
      case json_event::begin_object: out += "{ "; break;
      case json_event::end_object: out += "} "; break;
      case json_event::begin_array: out += "[ "; break;
      case json_event::end_array: out += "] "; break;
      case json_event::key: out += "key(" + std::string(json.string()) + ") "; break;
      case json_event::string: out += "string(" + std::string(json.string()) + ") "; break;
      case json_event::integer: out += std::to_string(json.integer()) + " "; break;
      case json_event::real: out += "real(" + std::to_string(json.real()) + ") "; break;
      case json_event::true_or_false: out += json.boolean() ? "true " : "false "; break;
      case json_event::null: out += "null "; break;
      case json_event::end: return out;
      case json_event::broken: return "! " + json.reason().message();
    }
  }
}

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("json: well-formed texts give their events") {
  struct row {
    const char *text, *events;
  };
  static constexpr row table[] = {
      {"{}", "{ } "},
      {" \t\r\n[ ] \n", "[ ] "},
      {"null", "null "},
      {"[true, false,null]", "[ true false null ] "},
      {R"({"a": 1, "b": {"c": []}})", "{ key(a) 1 key(b) { key(c) [ ] } } "},
      {"[0, -0, 9223372036854775807, -9223372036854775808]", "[ 0 0 9223372036854775807 -9223372036854775808 ] "},
      {"[1.5, -2e3, 1E-2, 0.0]", "[ real(1.500000) real(-2000.000000) real(0.010000) real(0.000000) ] "},
      {R"("\"\\\/\b\f\n\r\t")", "string(\"\\/\b\f\n\r\t) "},
      {R"("A\u0042\u00e9\u20ac\ud83d\ude00")", "string(AB\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80) "},
      {R"("\u007f\u0080\u07ff\u0800\uffff\ud800\udc00\udbff\udfff")",
       "string(\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF) "},
      {"\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF\"",
       "string(\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF) "},
  };
  for (const row& r : table) {
    CAPTURE(r.text);
    CHECK(events_of(r.text) == r.events);
  }
}

TEST_CASE("json: an ill-formed text is refused with the byte and the reason") {
  struct row {
    const char *text, *reason;
  };
  static constexpr row table[] = {
      {"", "byte 0: expected a value, got the end of the text"},
      {"\xEF\xBB\xBF{}", "byte 0: expected a value"},
      {"{", "byte 1: expected a key or '}', got the end of the text"},
      {"[1", "byte 2: expected ',' or ']', got the end of the text"},
      {"[1}", "byte 2: expected ',' or ']', got \"}\""},
      {"{\"a\":1]", "byte 6: expected ',' or '}', got \"]\""},
      {"[1,]", "byte 3: expected a value, got \"]\""},
      {"{\"a\":1,}", "byte 7: expected a key, got \"}\""},
      {"{1:2}", "byte 1: expected a key or '}', got \"1\""},
      {"{\"a\" 1}", "byte 5: expected ':' after a key, got \"1\""},
      {"{\"a\":}", "byte 5: expected a value, got \"}\""},
      {"{} x", "byte 3: expected nothing after the value, got \"x\""},
      {"1 2", "byte 2: expected nothing after the value"},
      {"nul", "byte 0: expected a value, got \"n\""},
      {"[truE]", "byte 1: expected a value, got \"t\""},
      {"-", "byte 1: expected a digit, got the end of the text"},
      {"+1", "byte 0: expected a value, got \"+\""},
      {".5", "byte 0: expected a value, got \".\""},
      {"01", "byte 0: a number starts with a superfluous zero"},
      {"-012", "byte 0: a number starts with a superfluous zero"},
      {"1.", "byte 2: expected a digit after '.'"},
      {"1e", "byte 2: expected a digit of the exponent"},
      {"1e+", "byte 3: expected a digit of the exponent"},
      {"9223372036854775808", "byte 0: an integer does not fit into 64 bits"},
      {"[-9223372036854775809]", "byte 1: an integer does not fit into 64 bits"},
      {"1e999", "byte 0: a number does not fit into a double"},
      {"NaN", "byte 0: expected a value, got \"N\""},
      {"\"abc", "byte 0: a string has no end"},
      {"\"abc\\", "byte 4: an unknown escape in a string"},
      {"\"a\\x\"", "byte 2: an unknown escape in a string"},
      {"\"a\nb\"", "byte 2: a control character stands unescaped in a string"},
      {"\"\\u12\"", "byte 1: \\u wants four hexadecimal digits"},
      {"\"\\u12g4\"", "byte 1: \\u wants four hexadecimal digits"},
      {"\"\\u-123\"", "byte 1: \\u wants four hexadecimal digits"},
      {"\"\\ud800\"", "byte 1: half a surrogate pair in a string"},
      {"\"\\ud800\\u0041\"", "byte 1: half a surrogate pair in a string"},
      {"\"\\udc00\"", "byte 1: half a surrogate pair in a string"},
      {"\"\\ud800\\ud800\"", "byte 1: half a surrogate pair in a string"},
      {"\"\x80\"", "byte 1: a string is not UTF-8"},
      {"\"\xC0\xAF\"", "byte 1: a string is not UTF-8"},
      {"\"\xE0\x9F\xBF\"", "byte 1: a string is not UTF-8"},
      {"\"\xED\xA0\x80\"", "byte 1: a string is not UTF-8"},
      {"\"\xF0\x8F\xBF\xBF\"", "byte 1: a string is not UTF-8"},
      {"\"\xF4\x90\x80\x80\"", "byte 1: a string is not UTF-8"},
      {"\"\xF5\x80\x80\x80\"", "byte 1: a string is not UTF-8"},
      {"\"\xE2\x82\"", "byte 1: a string is not UTF-8"},
      {"'a'", "byte 0: expected a value, got \"'\""},
  };
  for (const row& r : table) {
    CAPTURE(r.text);
    const std::string got = events_of(r.text);
    CHECK(got.substr(0, 2 + std::string_view(r.reason).size()) == "! " + std::string(r.reason));
  }
}

TEST_CASE("json: containers nest as deep as max_depth and no deeper") {
  constexpr int deepest = nnrt::json_reader::max_depth;
  CHECK(events_of(repeated("[", deepest) + repeated("]", deepest)) ==
        repeated("[ ", deepest) + repeated("] ", deepest));
  CHECK(events_of(repeated("[", 1'000'000)) == "! byte 64: containers nest deeper than 64");
  CHECK(events_of(repeated("{\"a\":", 1'000'000)) == "! byte 320: containers nest deeper than 64");
}

TEST_CASE("json: objects and arrays inside each other close with their own bracket") {
  CHECK(events_of(R"([{"a":[{"b":1},2]},[3]])") == "[ { key(a) [ { key(b) 1 } 2 ] } [ 3 ] ] ");
  CHECK(events_of(R"([{"a":[{"b":1},2}]])").substr(0, 2) == "! ");
}

TEST_CASE("json: every beginning of a text is refused") {
  constexpr std::string_view text = R"({"a": [1, 2.5e3, "x\u00e9\ud83d\ude00"], "b": {"c": null, "d": true}})";
  CHECK(events_of(text).substr(0, 1) == "{");
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    CHECK(events_of(text.substr(0, size)).substr(0, 1) == "!");
  }
}

TEST_CASE("json: skip steps over one whole value") {
  nnrt::json_reader json(R"({"a": [1, {"b": [2]}], "c": 3})");
  REQUIRE(json.expect(json_event::begin_object));
  REQUIRE(json.expect(json_event::key));
  CHECK(json.skip());
  REQUIRE(json.expect(json_event::key));
  CHECK(json.string() == "c");
  CHECK(json.skip());
  CHECK(json.expect(json_event::end_object));
  CHECK(json.expect(json_event::end));
}

TEST_CASE("json: the first reason stays, the reader's or the caller's") {
  nnrt::json_reader json("[1, 2]");
  REQUIRE(json.expect(json_event::begin_array));
  CHECK_FALSE(json.expect(json_event::string));
  CHECK(json.reason().message() == "byte 1: expected a string, got an integer");
  json.refuse("something else");
  CHECK(json.next() == json_event::broken);
  CHECK_FALSE(json.skip());
  CHECK(json.reason().message() == "byte 1: expected a string, got an integer");
  CHECK(json.reason().code() == nnrt::error_code::invalid_file);
}

TEST_CASE("json: what the writer writes reads back as it was") {
  nnrt::json_writer json;
  json.begin_object().key("text").string("q\" b\\ n\n \x01 \x7F \xC3\xA9 \xF0\x9F\x98\x80");
  json.key("numbers").begin_array().integer(std::numeric_limits<std::int64_t>::min()).real(0.1).real(1e300).end_array();
  json.key("nested")
      .begin_object()
      .end_object()
      .key("")
      .begin_array()
      .boolean(true)
      .boolean(false)
      .null()
      .end_array()
      .end_object();
  CHECK(json.text() ==
        "{\"text\":\"q\\\" b\\\\ n\\n \\u0001 \\u007f \xC3\xA9 \xF0\x9F\x98\x80\","
        "\"numbers\":[-9223372036854775808,0.1,1e+300],\"nested\":{},\"\":[true,false,null]}");
  nnrt::json_reader reader(json.text());
  REQUIRE(reader.expect(json_event::begin_object));
  REQUIRE(reader.expect(json_event::key));
  REQUIRE(reader.expect(json_event::string));
  CHECK(reader.string() == "q\" b\\ n\n \x01 \x7F \xC3\xA9 \xF0\x9F\x98\x80");
  REQUIRE(reader.expect(json_event::key));
  REQUIRE(reader.expect(json_event::begin_array));
  REQUIRE(reader.expect(json_event::integer));
  CHECK(reader.integer() == std::numeric_limits<std::int64_t>::min());
  REQUIRE(reader.expect(json_event::real));
  CHECK(reader.real() == 0.1);
}

TEST_CASE("json: a real number is written so that it reads back as a real number of the same bits") {
  struct row {
    double value;
    const char* text;
  };
  static constexpr row table[] = {
      {0.1, "0.1"},      {1, "1.0"},         {-0.0, "-0.0"}, {936822337203685477100.0, "936822337203685425152.0"},
      {1e300, "1e+300"}, {5e-324, "5e-324"}, {-2.5, "-2.5"}, {9007199254740993.0, "9007199254740992.0"},
  };
  for (const row& r : table) {
    CAPTURE(r.text);
    const std::string text = nnrt::json_writer().real(r.value).text();
    nnrt::json_reader json(text);
    REQUIRE(json.expect(json_event::real));
    CHECK(std::bit_cast<std::uint64_t>(json.real()) == std::bit_cast<std::uint64_t>(r.value));
    CHECK(text == r.text);
  }
}

TEST_CASE("json: what JSON cannot say is written as something that it can") {
  nnrt::json_writer json;
  json.begin_array()
      .real(std::numeric_limits<double>::infinity())
      .real(std::numeric_limits<double>::quiet_NaN())
      .string("a\xFF\xE2\x82z")
      .end_array();
  CHECK(json.text() == "[null,null,\"a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz\"]");
}

TEST_CASE("json: quoted names are escaped and cut between characters") {
  CHECK(nnrt::quoted("conv1.weight") == "\"conv1.weight\"");
  CHECK(nnrt::quoted("\x1B[2J") == "\"\\u001b[2J\"");
  CHECK(nnrt::quoted(std::string(200, 'a')) == "\"" + std::string(120, 'a') + "…\"");
  const std::string wide = std::string(119, 'a') + "\xC3\xA9" + std::string(100, 'a');
  CHECK(nnrt::quoted(wide) == "\"" + std::string(119, 'a') + "…\"");
}

static_assert(nnrt::is_utf8("a\xC3\xA9") && !nnrt::is_utf8("\xC3") && nnrt::utf8_length("\xF0\x9F\x98\x80", 0) == 4);
