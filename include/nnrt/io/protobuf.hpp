// protobuf: reads messages in the wire format of Protocol Buffers, in constant evaluation or at run time.
// Flow: the reader of .onnx files and the one of TensorFlow's nodes in .tflite files iterate over fields with it.
#pragma once

#include <nnrt/io/file_view.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// How the value of a field is stored. Source: Protocol Buffers, "Encoding"; groups (3 and 4) are refused.
enum class wire : std::uint8_t { varint = 0, eight_bytes = 1, counted_bytes = 2, four_bytes = 5 };

/// Iterates over the fields of a message in an untrusted file. A field is a key, which is 8 * field number + wire type,
/// and a value. Borrows the file's bytes.
///
///   for (message_fields field(file, message); field.next();)
///     if (field.number() == 1) name = field.bytes();
class message_fields {
 public:
  constexpr message_fields() = default;
  /// The message is the bytes of `place`, which must be in the file.
  constexpr message_fields(const file_bytes& file, const byte_range& place)
      : file_(file), next_(place.at), end_(place.end()) {}
  constexpr explicit message_fields(std::string_view message)
      : message_fields(file_bytes(message.data()), {0, message.size()}) {}

  /// Reads the next field. Returns false at the end, and at bytes that are no valid field; then is_valid() is false.
  constexpr bool next() {
    if (next_ >= end_) return false;
    at_ = next_;
    std::uint64_t key = 0;
    if (!read(key)) return stop();
    number_ = key >> 3U, wire_ = static_cast<wire>(key & 7U), integer_ = 0, place_ = {};
    constexpr std::uint64_t most = (std::uint64_t{1} << 29U) - 1;  // the largest field number
    if (number_ == 0 || number_ > most) return stop();
    switch (wire_) {
      case wire::varint: return read(integer_) || stop();
      case wire::eight_bytes: return take(8) || stop();
      case wire::four_bytes: return take(4) || stop();
      case wire::counted_bytes: return (read(integer_) && take(integer_)) || stop();
    }
    return stop();
  }
  constexpr std::uint64_t number() const { return number_; }
  constexpr wire type() const { return wire_; }
  /// The value of a varint; a negative int32 or int64 has 64 bits of two's complement.
  constexpr std::uint64_t integer() const { return integer_; }
  /// The bytes of any other value.
  constexpr const byte_range& place() const { return place_; }
  constexpr std::string_view bytes() const { return file_.bytes(place_.at, place_.size); }
  /// The value of four or eight bytes.
  template <class T> constexpr T as() const { return file_.number<T>(place_.at); }

  /// False when next() stopped at bytes that are no valid field.
  constexpr bool is_valid() const { return is_valid_; }
  /// Offset in the file of the last field, or of the invalid bytes.
  constexpr std::size_t at() const { return at_; }
  /// The fields that next() has not read; nothing after invalid bytes.
  constexpr byte_range rest() const { return {next_, end_ - next_}; }

 private:
  constexpr bool stop() {
    is_valid_ = false;
    next_ = end_;
    place_ = {};
    return false;
  }
  /// Reads a varint: seven bits in each byte, lowest first; the last byte is below 128.
  constexpr bool read(std::uint64_t& number) {
    number = 0;
    for (unsigned shift = 0; shift < 70 && next_ < end_; shift += 7) {
      const auto byte = file_.number<std::uint8_t>(next_++);
      if (shift < 64) number |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return true;
    }
    return false;
  }
  constexpr bool take(std::uint64_t size) {
    if (size > end_ - next_) return false;
    place_ = {next_, static_cast<std::size_t>(size)};
    next_ += place_.size;
    return true;
  }

  file_bytes file_;
  std::size_t next_ = 0, end_ = 0, at_ = 0;
  std::uint64_t number_ = 0, integer_ = 0;
  byte_range place_;
  wire wire_ = wire::varint;
  bool is_valid_ = true;
};

/// Iterates over the numbers of a repeated numeric field: packed into one value, or one value each, or both mixed.
/// `T` is std::int64_t or std::uint64_t for varints, float or double for four or eight bytes.
template <class T> class repeated_numbers {
 public:
  constexpr repeated_numbers(const file_bytes& file, const byte_range& message, std::uint64_t number)
      : file_(file), fields_(file, message), number_(number) {}

  /// Reads the next number. Returns false at the end and at invalid bytes; then is_valid() is false.
  constexpr bool next() {
    while (true) {
      if (next_ < end_) return read_packed();
      do
        if (!fields_.next()) return false;
      while (fields_.number() != number_);
      if (fields_.type() == wire::counted_bytes) {
        next_ = fields_.place().at, end_ = fields_.place().end();
        continue;
      }
      if (fields_.type() != of_one) return is_valid_ = false;
      if constexpr (is_real) value_ = fields_.template as<T>();
      else value_ = static_cast<T>(fields_.integer());
      return true;
    }
  }
  constexpr T value() const { return value_; }
  constexpr bool is_valid() const { return is_valid_ && fields_.is_valid(); }

 private:
  static constexpr bool is_real = std::is_floating_point_v<T>;
  static constexpr wire of_one = !is_real ? wire::varint : sizeof(T) == 4 ? wire::four_bytes : wire::eight_bytes;

  constexpr bool read_packed() {
    if constexpr (is_real) {
      if (end_ - next_ < sizeof(T)) return is_valid_ = false;
      value_ = file_.number<T>(next_);
      next_ += sizeof(T);
      return true;
    } else {
      std::uint64_t number = 0;
      for (unsigned shift = 0; shift < 70 && next_ < end_; shift += 7) {
        const auto byte = file_.number<std::uint8_t>(next_++);
        if (shift < 64) number |= std::uint64_t{byte & 127U} << shift;
        if (byte >= 128) continue;
        value_ = static_cast<T>(number);
        return true;
      }
      return is_valid_ = false;
    }
  }

  file_bytes file_;
  message_fields fields_;
  std::uint64_t number_;
  std::size_t next_ = 0, end_ = 0;
  T value_{};
  bool is_valid_ = true;
};

}}  // namespace nnrt::NNRT_ISA
