// json: a pull reader for untrusted JSON text with fixed limits, and a writer.
// Flow: safetensors headers and the graphs of saved models are read and written with it.
#pragma once

#include <nnrt/core/config.hpp>
#include <nnrt/core/pool.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// The events that `json_reader::next()` returns.
enum class json_event {
  begin_object,
  end_object,
  begin_array,
  end_array,
  key,
  string,
  integer,
  real,
  true_or_false,
  null,
  end,
  broken
};

/// The name of an event in error messages: "an object", "a string", ….
constexpr std::string_view name_of(json_event event) {
  constexpr std::string_view names[] = {"an object",
                                        "the end of the object",
                                        "an array",
                                        "the end of the array",
                                        "a key",
                                        "a string",
                                        "an integer",
                                        "a real number",
                                        "a boolean",
                                        "null",
                                        "the end of the text",
                                        "broken text"};
  return names[static_cast<int>(event)];
}

/// Pull reader for one JSON value (RFC 8259). Call next() until it returns `end` or `broken`. It checks the whole
/// grammar and uses constant stack space.
///
/// Limits: containers nest at most `max_depth` deep; strings must be UTF-8, with escaped surrogates in pairs; an
/// integer must fit into 64 bits, signed, and a real into a double; only white space may follow the value. After the
/// first error every call returns `broken`, and reason() has the byte offset and the cause. The text must outlive the
/// reader. The reader does not detect duplicate keys.
class json_reader {
 public:
  static constexpr int max_depth = 64;

  explicit json_reader(std::string_view text) : text_(text) {}

  /// Reads the next event. Then string() has the characters of a key or string, integer() or real() the number,
  /// boolean() the boolean.
  json_event next();

  /// Characters of the last key or string, unescaped. Valid until the next call of next().
  std::string_view string() const { return string_; }
  std::int64_t integer() const { return integer_; }
  /// The last number, also when it was an integer.
  double real() const { return real_; }
  bool boolean() const { return integer_ != 0; }
  /// Number of open containers.
  int depth() const { return depth_; }
  /// Byte offset at which the last event starts.
  std::size_t position() const { return start_; }

  /// Calls next() and returns true if the event is `wanted`. Else returns false, with the reason "expected …, got …".
  bool expect(json_event wanted);
  /// Skips the next value. Returns false when it is broken.
  bool skip();
  /// Skips the rest of the value whose first event was `event`.
  bool skip_from(json_event event);

  /// Makes the reader broken at the last event, for a reason of the caller. Only the first reason is kept.
  json_event refuse(pieces reason) { return broken_at(start_, reason); }
  json_event refuse(const char* reason) { return broken_at(start_, reason); }
  bool is_broken() const { return state_ == state::broken; }
  /// "byte 17: expected ':' after a key, got '}'". Call it only when the reader is broken.
  error reason() const {
    pool<char> letters;
    append_reason(letters);
    return {error_code::invalid_file, letters_of(letters)};
  }
  void append_reason(pool<char>& to) const { append(to, {"byte ", start_, ": ", letters_of(reason_)}); }

 private:
  // What the grammar allows next. `first_…` follows an opening bracket, where the closing bracket is allowed, too.
  enum class state { value, first_value, first_key, key, colon, comma, done, broken };

  // Not inlined: keeps code size and compile time small where speed does not matter.
  [[gnu::cold, gnu::noinline]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  /// Skips this character. Returns false if the next character differs.
  bool take(char wanted);
  void skip_space();
  json_event broken_at(std::size_t at, pieces reason);
  json_event broken_at(std::size_t at, const char* reason);
  json_event unexpected(const char* wanted);
  bool in_object() const { return depth_ > 0 && (objects_ >> (depth_ - 1) & 1U) != 0; }
  json_event open(bool object);
  json_event close(bool object);
  json_event after_value(json_event event);
  json_event read_value();
  json_event read_word(std::string_view letters, json_event event, std::int64_t value);
  json_event read_number();
  bool read_integer();
  std::size_t digits();
  bool read_string();
  bool read_escape();
  bool read_code_unit(std::uint32_t& unit);
  void append_code_point(std::uint32_t point);

  std::string_view text_, string_;
  pool<char> unescaped_, reason_;
  std::size_t at_ = 0, start_ = 0;
  state state_ = state::value;
  std::uint64_t objects_ = 0;  // one bit for each open container: 1 for an object
  int depth_ = 0;
  std::int64_t integer_ = 0;
  double real_ = 0;
};

/// Writes JSON without spaces and inserts the commas. Callers must pair begin and end calls and write a key before each
/// member's value.
class json_writer {
 public:
  json_writer& begin_object() { return open('{'); }
  json_writer& end_object() { return close('}'); }
  json_writer& begin_array() { return open('['); }
  json_writer& end_array() { return close(']'); }
  json_writer& key(std::string_view name) {
    string(name);
    text_ += ':';
    return fresh_ = true, *this;
  }
  json_writer& string(std::string_view value) {
    separate();
    append_json_string(text_, value);
    return *this;
  }
  json_writer& integer(std::int64_t value) { return word(joined({value})); }
  /// Writes the shortest digits that read back as the same double, always as a real number. NaN and infinities become
  /// null.
  json_writer& real(double value);
  json_writer& boolean(bool value) { return word(value ? "true" : "false"); }
  json_writer& null() { return word("null"); }

  const std::string& text() const { return text_; }
  std::string take() && { return std::move(text_); }

 private:
  void separate() {
    if (!fresh_) text_ += ',';
    fresh_ = false;
  }
  json_writer& word(std::string_view letters) {
    separate();
    text_ += letters;
    return *this;
  }
  json_writer& open(char bracket) {
    separate();
    text_ += bracket;
    return fresh_ = true, *this;
  }
  json_writer& close(char bracket) {
    text_ += bracket;
    return fresh_ = false, *this;
  }

  std::string text_;
  bool fresh_ = true;  // true when the next item needs no comma before it
};

// --- details ---------------------------------------------------------------
[[gnu::cold]] inline json_writer& json_writer::real(double value) {
  if (!(value - value == 0)) return null();
  char digits[32];
  const auto written = std::to_chars(digits, digits + sizeof digits, value);
  const char* const first = digits;
  const std::string_view shortest(first, static_cast<std::size_t>(written.ptr - first));
  // Without a point or an exponent it would be read as an integer; 1e20 would then overflow.
  return word(joined({shortest, shortest.find_first_of(".e") == shortest.npos ? ".0" : ""}));
}

[[gnu::cold]] inline json_event json_reader::broken_at(std::size_t at, pieces reason) {
  if (state_ == state::broken) return json_event::broken;
  state_ = state::broken;
  start_ = at;
  append(reason_, reason);
  return json_event::broken;
}

[[gnu::cold, gnu::noinline]] inline json_event json_reader::broken_at(std::size_t at, const char* reason) {
  return broken_at(at, pieces{reason});
}

[[gnu::cold]] inline json_event json_reader::unexpected(const char* wanted) {
  const int length = utf8_length(text_, at_);
  const piece got = at_ < text_.size()
                        ? piece::in_quotes(text_.substr(at_, static_cast<std::size_t>(length == 0 ? 1 : length)))
                        : piece("the end of the text");
  return broken_at(at_, {"expected ", wanted, ", got ", got});
}

[[gnu::cold]] inline bool json_reader::take(char wanted) {
  if (at_ == text_.size() || text_[at_] != wanted) return false;
  return ++at_, true;
}

[[gnu::cold]] inline void json_reader::skip_space() {
  for (; at_ < text_.size(); ++at_)
    if (const char c = text_[at_]; c != ' ' && c != '\n' && c != '\r' && c != '\t') return;
}

[[gnu::cold]] inline json_event json_reader::next() {
  if (state_ == state::broken) return json_event::broken;
  skip_space();
  start_ = at_;
  if (state_ == state::done) return at_ < text_.size() ? unexpected("nothing after the value") : json_event::end;
  if (state_ == state::comma) {
    if (peek() == (in_object() ? '}' : ']')) return close(in_object());
    if (!take(',')) return unexpected(in_object() ? "',' or '}'" : "',' or ']'");
    skip_space();
    start_ = at_;
    state_ = in_object() ? state::key : state::value;
  }
  if (state_ == state::first_value && peek() == ']') return close(false);
  if (state_ == state::first_key && peek() == '}') return close(true);
  if (state_ == state::value || state_ == state::first_value) return read_value();
  if (peek() != '"') return unexpected(state_ == state::key ? "a key" : "a key or '}'");
  if (!read_string()) return json_event::broken;
  skip_space();
  if (!take(':')) return unexpected("':' after a key");
  state_ = state::value;
  return json_event::key;
}

[[gnu::cold]] inline json_event json_reader::open(bool object) {
  if (depth_ == max_depth) return broken_at(at_, {"containers nest deeper than ", max_depth});
  const std::uint64_t bit = std::uint64_t{1} << depth_++;
  objects_ = object ? objects_ | bit : objects_ & ~bit;
  ++at_;
  state_ = object ? state::first_key : state::first_value;
  return object ? json_event::begin_object : json_event::begin_array;
}

[[gnu::cold]] inline json_event json_reader::close(bool object) {
  ++at_;
  --depth_;
  return after_value(object ? json_event::end_object : json_event::end_array);
}

[[gnu::cold]] inline json_event json_reader::after_value(json_event event) {
  state_ = depth_ == 0 ? state::done : state::comma;
  return event;
}

[[gnu::cold]] inline json_event json_reader::read_value() {
  switch (peek()) {
    case '{': return open(true);
    case '[': return open(false);
    case '"': return read_string() ? after_value(json_event::string) : json_event::broken;
    case 't': return read_word("true", json_event::true_or_false, 1);
    case 'f': return read_word("false", json_event::true_or_false, 0);
    case 'n': return read_word("null", json_event::null, 0);
    default: break;
  }
  const bool number = peek() == '-' || (peek() >= '0' && peek() <= '9');
  return number ? read_number() : unexpected("a value");
}

[[gnu::cold]] inline json_event json_reader::read_word(std::string_view letters, json_event event, std::int64_t value) {
  if (text_.substr(at_, letters.size()) != letters) return unexpected("a value");
  at_ += letters.size();
  integer_ = value;
  return after_value(event);
}

[[gnu::cold]] inline std::size_t json_reader::digits() {
  const std::size_t from = at_;
  while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
  return at_ - from;
}

// Converts the digits from start_ to at_, after an optional sign. std::from_chars would add a kilobyte of code.
[[gnu::cold]] inline bool json_reader::read_integer() {
  const bool is_negative = text_[start_] == '-';
  std::uint64_t magnitude = 0;
  const std::uint64_t most = std::uint64_t{1} << 63U;
  for (const char digit : text_.substr(start_ + (is_negative ? 1 : 0), at_ - start_ - (is_negative ? 1 : 0))) {
    const auto value = static_cast<std::uint64_t>(digit - '0');
    if (magnitude > (most - value) / 10) return false;
    magnitude = 10 * magnitude + value;
  }
  if (magnitude == most && !is_negative) return false;
  integer_ = static_cast<std::int64_t>(is_negative ? 0 - magnitude : magnitude);
  return true;
}

[[gnu::cold]] inline json_event json_reader::read_number() {
  take('-');
  const bool leading_zero = peek() == '0';
  const std::size_t whole = digits();
  if (whole == 0) return unexpected("a digit");
  if (leading_zero && whole > 1) return broken_at(start_, "a number starts with a superfluous zero");
  const std::size_t behind_whole = at_;
  if (take('.') && digits() == 0) return unexpected("a digit after '.'");
  if (take('e') || take('E')) {
    if (!take('-')) take('+');
    if (digits() == 0) return unexpected("a digit of the exponent");
  }
  const bool is_integer = at_ == behind_whole;
  const char *first = text_.data() + start_, *last = text_.data() + at_;
  if (is_integer) {
    if (!read_integer()) return broken_at(start_, "an integer does not fit into 64 bits");
    real_ = static_cast<double>(integer_);
    return after_value(json_event::integer);
  }
  if (std::from_chars(first, last, real_).ec != std::errc{})
    return broken_at(start_, "a number does not fit into a double");
  return after_value(json_event::real);
}

// Returns a view of the text unless the string has escapes; then the characters are copied.
[[gnu::cold]] inline bool json_reader::read_string() {
  const std::size_t from = ++at_;
  bool escaped = false;
  unescaped_.clear();
  for (;;) {
    if (at_ >= text_.size()) return broken_at(start_, "a string has no end"), false;
    const char c = text_[at_];
    if (c == '"') break;
    if (c == '\\') {
      if (!escaped) unescaped_.insert(text_.data() + from, text_.data() + at_);
      escaped = true;
      if (!read_escape()) return false;
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20)
      return broken_at(at_, "a control character stands unescaped in a string"), false;
    const auto length = static_cast<std::size_t>(utf8_length(text_, at_));
    if (length == 0) return broken_at(at_, "a string is not UTF-8"), false;
    if (escaped) unescaped_.insert(text_.data() + at_, text_.data() + at_ + length);
    at_ += length;
  }
  string_ = escaped ? letters_of(unescaped_) : text_.substr(from, at_ - from);
  ++at_;
  return true;
}

[[gnu::cold]] inline bool json_reader::read_escape() {
  constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
  const std::size_t from = at_++;
  if (const std::size_t simple = letters.find(peek()); at_ < text_.size() && simple != letters.npos) {
    unescaped_.push_back(meanings[simple]);
    ++at_;
    return true;
  }
  if (peek() != 'u') return broken_at(from, "an unknown escape in a string"), false;
  std::uint32_t point = 0, low = 0;
  if (!read_code_unit(point)) return false;
  if (point >= 0xD800 && point <= 0xDBFF) {
    if (text_.substr(at_, 2) != "\\u") return broken_at(from, "half a surrogate pair in a string"), false;
    ++at_;
    if (!read_code_unit(low)) return false;
    if (low < 0xDC00 || low > 0xDFFF) return broken_at(from, "half a surrogate pair in a string"), false;
    point = 0x10000 + ((point - 0xD800) << 10U) + (low - 0xDC00);
  } else if (point >= 0xDC00 && point <= 0xDFFF) {
    return broken_at(from, "half a surrogate pair in a string"), false;
  }
  append_code_point(point);
  return true;
}

// Reads XXXX of \uXXXX: starts at the 'u', ends after the last digit.
[[gnu::cold]] inline bool json_reader::read_code_unit(std::uint32_t& unit) {
  const std::string_view digits = text_.substr(at_ + 1, 4);
  unit = 0;
  std::size_t known = 0;
  for (const char c : digits) {
    const std::size_t nibble = std::string_view("0123456789abcdefABCDEF").find(c);
    if (nibble == std::string_view::npos) break;
    unit = unit << 4U | static_cast<std::uint32_t>(nibble < 16 ? nibble : nibble - 6);
    ++known;
  }
  if (known != 4) return broken_at(at_ - 1, "\\u wants four hexadecimal digits"), false;
  at_ += 5;
  return true;
}

[[gnu::cold]] inline void json_reader::append_code_point(std::uint32_t point) {
  const auto put = [&](std::uint32_t byte) {
    unescaped_.push_back(static_cast<char>(static_cast<unsigned char>(byte)));
  };
  const auto tail = [&](unsigned shift) { put(0x80U | (point >> shift & 0x3FU)); };
  if (point < 0x80) return put(point);
  if (point < 0x800) return put(0xC0U | point >> 6U), tail(0);
  if (point < 0x10000) return put(0xE0U | point >> 12U), tail(6), tail(0);
  put(0xF0U | point >> 18U), tail(12), tail(6), tail(0);
}

[[gnu::cold]] inline bool json_reader::expect(json_event wanted) {
  const json_event got = next();
  if (got != wanted) refuse({"expected ", name_of(wanted), ", got ", name_of(got)});
  return got == wanted;
}

[[gnu::cold]] inline bool json_reader::skip() { return skip_from(next()); }

[[gnu::cold]] inline bool json_reader::skip_from(json_event event) {
  const int outside = depth_ - (event == json_event::begin_object || event == json_event::begin_array ? 1 : 0);
  while (depth_ > outside && !is_broken()) next();
  return !is_broken();
}

}}  // namespace nnrt::NNRT_ISA
