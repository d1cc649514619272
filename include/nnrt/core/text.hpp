// text: builds messages from pieces.
// Flow: readers and binders build their errors with it. Chains of + on strings cost compilers several times as much.
#pragma once

#include <nnrt/core/dtype.hpp>
#include <nnrt/core/pool.hpp>
#include <nnrt/core/shape.hpp>

#include <bit>
#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// Bytes of the UTF-8 sequence at text[at], 1 to 4; 0 if it is not well-formed (Unicode 15, table 3-7).
constexpr int utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U; };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = at < text.size() ? byte(0) : 0xFFU, second = byte(1);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool overlong = lead == 0xE0 && second < 0xA0, surrogate = lead == 0xED && second > 0x9F;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool overlong = lead == 0xF0 && second < 0x90, beyond = lead == 0xF4 && second > 0x8F;
    return tail(1) && tail(2) && tail(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

/// Whether a text is well-formed UTF-8.
constexpr bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const int length = utf8_length(text, at);
    if (length == 0) return false;
    at += static_cast<std::size_t>(length);
  }
  return true;
}

/// Appends `text` as a JSON string with quotes. Control characters are escaped and invalid UTF-8 becomes U+FFFD, so
/// that the output is valid JSON.
[[gnu::cold]] constexpr void append_json_string(std::string& out, std::string_view text);

/// `text` in quotes for a message: escaped as in JSON, so that untrusted names cannot control a terminal, and cut after
/// about 120 bytes.
[[gnu::cold]] constexpr std::string quoted(std::string_view text);

/// "[16, 3, 3, 1]", for messages.
[[gnu::cold]] constexpr std::string text_of(const shape_t& shape);
/// "f32 [16, 3, 3, 1]"
[[gnu::cold]] constexpr std::string text_of(dtype type, const shape_t& shape);

/// The shortest decimal that identifies a float.
[[gnu::cold]] constexpr std::string text_of(float value);

/// A piece of a message: text, a number, a quoted name, a shape. It refers to its argument; only joined() makes a
/// string. So the places that report errors own nothing and need no clean-up code.
class piece {
 public:
  constexpr piece(std::string_view text)
      : is_(kind::letters), letters_(text.data()), number_(static_cast<std::int64_t>(text.size())) {}
  // Lengths of C strings are counted when they are read: a string_view here would inline four functions.
  constexpr piece(const char* text) : is_(kind::terminated), letters_(text) {}
  constexpr piece(const pool<char>& text) : piece(std::string_view(text.data(), text.size())) {}
  constexpr piece(const std::string& text) : piece(std::string_view(text)) {}
  template <std::integral Number>
  constexpr piece(Number number)
      : is_(std::is_signed_v<Number> ? kind::number : kind::natural), number_(static_cast<std::int64_t>(number)) {}
  /// With the shortest decimal that identifies it.
  constexpr piece(float number) : is_(kind::real), number_(std::bit_cast<std::int32_t>(number)) {}
  constexpr piece(const shape_t& shape) : is_(kind::shape), shape_(&shape) {}
  constexpr piece(dtype type, const shape_t& shape)
      : is_(kind::tensor), shape_(&shape), number_(static_cast<int>(type)) {}
  /// The text as quoted() returns it.
  static constexpr piece in_quotes(std::string_view text) {
    piece p(text);
    p.is_ = kind::quoted;
    return p;
  }

  constexpr void append_to(pool<char>& text) const;

 private:
  enum class kind { letters, terminated, quoted, number, natural, real, shape, tensor };
  // Each kind sets only the members that it uses: others would be stores in hundreds of places.
  kind is_;
  union {
    const char* letters_;
    const shape_t* shape_;
  };
  std::int64_t number_;  // a number, the bits of a float, a length, or the dtype of a tensor
};
using pieces = std::initializer_list<piece>;

/// Appends the pieces in order. Text is collected in a pool: std::string code, which C++20 compiles into every
/// translation unit, is then needed only to make the result.
[[gnu::cold]] constexpr void append(pool<char>& text, pieces parts) {
  for (const piece& part : parts) part.append_to(text);
}
[[gnu::cold]] constexpr void append(std::string& text, pieces parts) {
  pool<char> letters;
  append(letters, parts);
  text.append(letters.data(), letters.size());
}
/// The collected text.
constexpr std::string_view letters_of(const pool<char>& text) { return {text.data(), text.size()}; }
[[gnu::cold]] constexpr std::string string_of(const pool<char>& text) { return std::string(text.data(), text.size()); }
/// The pieces in order; also in constant evaluation.
[[gnu::cold]] constexpr pool<char> letters(pieces parts) {
  pool<char> text;
  append(text, parts);
  return text;
}
/// The pieces in order: joined({"got ", 3, ", expected ", 4}).
[[gnu::cold]] constexpr std::string joined(pieces parts) {
  pool<char> text;
  append(text, parts);
  return string_of(text);
}

// --- details ---------------------------------------------------------------
namespace detail {
[[gnu::cold]] constexpr void append_letters(pool<char>& out, std::string_view letters) {
  out.insert(letters.begin(), letters.end());
}

[[gnu::cold]] constexpr void append_escaped(pool<char>& out, char c) {
  constexpr std::string_view hex = "0123456789abcdef", special = "\"\\\n\r\t", names = "\"\\nrt";
  const auto code = static_cast<unsigned char>(c);
  if (const std::size_t at = special.find(c); at != special.npos) {
    const char escape[] = {'\\', names[at]};
    return append_letters(out, {escape, sizeof escape});
  }
  if (code >= 0x20 && code != 0x7F) return out.push_back(c);
  const char escape[] = {'\\', 'u', '0', '0', hex[code >> 4U], hex[code & 15U]};
  append_letters(out, {escape, sizeof escape});
}

[[gnu::cold]] constexpr void append_json_string(pool<char>& out, std::string_view text) {
  out.push_back('"');
  for (std::size_t at = 0; at < text.size();) {
    const int length = utf8_length(text, at);
    if (length == 0) append_letters(out, "\xEF\xBF\xBD");
    if (length == 1) append_escaped(out, text[at]);
    if (length > 1) append_letters(out, text.substr(at, static_cast<std::size_t>(length)));
    at += static_cast<std::size_t>(length == 0 ? 1 : length);
  }
  out.push_back('"');
}
}  // namespace detail

[[gnu::cold]] constexpr void append_json_string(std::string& out, std::string_view text) {
  pool<char> letters;
  detail::append_json_string(letters, text);
  out.append(letters.data(), letters.size());
}

namespace detail {
[[gnu::cold]] constexpr void append_quoted(pool<char>& out, std::string_view text) {
  constexpr std::size_t longest = 120;
  std::size_t cut = text.size() <= longest ? text.size() : longest;
  while (cut < text.size() && cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U)
    --cut;  // do not cut inside a sequence
  append_json_string(out, text.substr(0, cut));
  if (cut == text.size()) return;
  out.pop_back();
  append_letters(out, "…\"");
}
}  // namespace detail
[[gnu::cold]] constexpr std::string quoted(std::string_view text) { return joined({piece::in_quotes(text)}); }

namespace detail {
/// Writes digits from the last to the first. std::to_string is a template of several hundred bytes.
[[gnu::cold]] constexpr void append_number(pool<char>& text, std::uint64_t magnitude, bool is_negative) {
  char digits[24];
  char* first = digits + sizeof digits;
  do *--first = static_cast<char>('0' + magnitude % 10);
  while ((magnitude /= 10) != 0);
  if (is_negative) *--first = '-';
  text.insert(first, digits + sizeof digits);
}
/// A positive number figures[0].figures[1] … figures[count - 1] * 10^exponent.
struct decimal {
  char figures[9] = {};
  int count = 9, exponent = 8;

  /// The fewest rounded digits that are nearer to a positive finite float than to its neighbours, at most nine.
  [[gnu::cold]] explicit constexpr decimal(float magnitude) {
    // magnitude = digits * 10^(exponent - 8). Scaling rounds in f64, so the ninth digit may be off by one. The text
    // still identifies the float, whose neighbours differ by more (test: core/text).
    double scaled = double{magnitude};
    for (; scaled >= 1e9; scaled /= 10) ++exponent;
    for (; scaled < 1e8; scaled *= 10) --exponent;
    // Half the distance to the next float, less the error of scaling. Below a power of 2 the distance is half as large.
    const auto bits = std::bit_cast<std::uint32_t>(magnitude);
    const std::uint32_t biased = bits >> 23U & 0xffU, fraction = bits & 0x7fffffU;
    const double half = std::bit_cast<double>(std::uint64_t{(biased > 0 ? biased : 1U) + (1023 - 151)} << 52U),
                 above = half / double{magnitude} * scaled * (1 - 1e-6),
                 below = fraction == 0 && biased > 1 ? above / 2 : above;
    std::uint64_t digits = 0, unit = 100'000'000;
    for (;; unit /= 10) {
      const std::uint64_t units = static_cast<std::uint64_t>(scaled) / unit;
      const double rest = scaled - static_cast<double>(units * unit), tie = static_cast<double>(unit) / 2;
      digits = (units + (rest > tie || (rest == tie && units % 2 != 0) ? 1 : 0)) * unit;
      const double off = static_cast<double>(digits) - scaled;
      if (unit == 1 || (off < above && -off < below)) break;
    }
    if (digits == 1'000'000'000) digits /= 10, ++exponent;
    for (; count > 1 && digits % 10 == 0; --count) digits /= 10;
    for (int i = count; i-- > 0; digits /= 10) figures[i] = static_cast<char>('0' + digits % 10);
  }
};
/// In the format of "%.9g".
[[gnu::cold]] constexpr void append_decimal(pool<char>& text, const decimal& number) {
  const std::string_view all(number.figures, static_cast<std::size_t>(number.count));
  const int exponent = number.exponent;
  if (exponent < -4 || exponent >= 9) {
    append_letters(text, all.substr(0, 1));
    if (number.count > 1) append(text, {".", all.substr(1)});
    const int size = exponent < 0 ? -exponent : exponent;
    return append(text, {exponent < 0 ? "e-" : "e+", size < 10 ? "0" : "", size});
  }
  if (exponent < 0) {
    append_letters(text, "0.");
    for (int i = -1; i > exponent; --i) text.push_back('0');
    return append_letters(text, all);
  }
  for (int i = 0; i < number.count || i <= exponent; ++i) {
    if (i == exponent + 1) text.push_back('.');
    text.push_back(i < number.count ? number.figures[i] : '0');
  }
}
/// The fewest rounded digits that are nearer to a float than to its neighbours, at most nine, in the format of "%.9g".
[[gnu::cold]] constexpr void append_real(pool<char>& text, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return append_letters(text, bits >> 31U != 0 ? "-nan" : "nan");
  if (bits >> 31U != 0) text.push_back('-');
  if ((bits & 0x7fffffffU) == 0x7f800000U) return append_letters(text, "inf");
  if ((bits & 0x7fffffffU) == 0) return text.push_back('0');
  append_decimal(text, decimal(std::bit_cast<float>(bits & 0x7fffffffU)));
}
[[gnu::cold]] constexpr void append_shape(pool<char>& text, const shape_t& shape) {
  text.push_back('[');
  for (int i = 0; i < shape.rank; ++i) append(text, {i == 0 ? "" : ", ", shape.extents[i]});
  text.push_back(']');
}
}  // namespace detail

[[gnu::cold]] constexpr void piece::append_to(pool<char>& text) const {
  const auto letters = [&] { return std::string_view(letters_, static_cast<std::size_t>(number_)); };
  const auto bits = [&] { return static_cast<std::uint64_t>(number_); };
  switch (is_) {
    case kind::letters: return detail::append_letters(text, letters());
    case kind::terminated: return detail::append_letters(text, letters_);
    case kind::quoted: detail::append_quoted(text, letters()); return;
    case kind::number: detail::append_number(text, number_ < 0 ? 0 - bits() : bits(), number_ < 0); return;
    case kind::natural: detail::append_number(text, bits(), false); return;
    case kind::real: return detail::append_real(text, std::bit_cast<float>(static_cast<std::int32_t>(number_)));
    case kind::tensor: append(text, {name_of(static_cast<dtype>(number_)), " "}); [[fallthrough]];
    case kind::shape: detail::append_shape(text, *shape_); return;
  }
}

[[gnu::cold]] constexpr std::string text_of(const shape_t& shape) { return joined({shape}); }
[[gnu::cold]] constexpr std::string text_of(dtype type, const shape_t& shape) { return joined({piece(type, shape)}); }
[[gnu::cold]] constexpr std::string text_of(float value) { return joined({value}); }

}}  // namespace nnrt::NNRT_ISA
