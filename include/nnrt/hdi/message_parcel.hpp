// message_parcel: a byte queue with the functions of OHOS::MessageParcel - writes append, reads consume from the front.
// Flow: hdi_ohos.hpp gives it that name; drivers put a node's attributes into one and read the structure from it.
#pragma once

#include <nnrt/hdi/wire.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace hdi {

/// The functions of OHOS::MessageParcel that HDI drivers use. Each write is padded to a multiple of 4 bytes. Functions
/// returning bool return false on failure; functions returning a value return 0. File descriptors are kept in a
/// separate list and are not owned.
class message_parcel {
 public:
  // NOLINTBEGIN(readability-identifier-naming): names are OpenHarmony's.
  // clang-format off
  bool WriteBool(bool value) { return put(std::int32_t{value}); }
  bool WriteInt8(std::int8_t value) { return put(std::int32_t{value}); }
  bool WriteInt16(std::int16_t value) { return put(std::int32_t{value}); }
  bool WriteInt32(std::int32_t value) { return put(value); }
  bool WriteInt64(std::int64_t value) { return put(value); }
  bool WriteUint8(std::uint8_t value) { return put(std::uint32_t{value}); }
  bool WriteUint16(std::uint16_t value) { return put(std::uint32_t{value}); }
  bool WriteUint32(std::uint32_t value) { return put(value); }
  bool WriteUint64(std::uint64_t value) { return put(value); }
  bool WriteFloat(float value) { return put(value); }
  bool WriteDouble(double value) { return put(value); }
  bool WriteCString(const char* text) {
    if (text != nullptr) written_.put_bytes(text, std::strlen(text) + 1);
    return text != nullptr;
  }
  bool WriteString(const std::string& text) {
    written_.put_raw(static_cast<std::int32_t>(text.size()));
    written_.put_bytes(text.c_str(), text.size() + 1);
    return true;
  }
  bool WriteInt64Vector(const std::vector<std::int64_t>& list) {
    written_.put_raw(static_cast<std::int32_t>(list.size()));
    for (const std::int64_t number : list) written_.put_raw(number);
    return true;
  }
  /// False for a null pointer or a size of 0.
  bool WriteBuffer(const void* first, std::size_t size) {
    if (first == nullptr || size == 0) return false;
    written_.put_bytes(first, size);
    return true;
  }
  bool WriteUnpadBuffer(const void* first, std::size_t size) { return WriteBuffer(first, size); }
  bool WriteRawData(const void* first, std::size_t size) { return WriteBuffer(first, size); }
  bool WriteFileDescriptor(int fd) {
    if (fd < 0) return false;
    written_.put_raw(static_cast<std::uint32_t>(written_.descriptors.size()));
    written_.descriptors.push_back(fd);
    return true;
  }

  bool ReadBool(bool& value) { return narrow(value); }
  bool ReadInt8(std::int8_t& value) { return narrow(value); }
  bool ReadInt16(std::int16_t& value) { return narrow(value); }
  bool ReadInt32(std::int32_t& value) { return take(value); }
  bool ReadInt64(std::int64_t& value) { return take(value); }
  bool ReadUint8(std::uint8_t& value) { return narrow(value); }
  bool ReadUint16(std::uint16_t& value) { return narrow(value); }
  bool ReadUint32(std::uint32_t& value) { return take(value); }
  bool ReadUint64(std::uint64_t& value) { return take(value); }
  bool ReadFloat(float& value) { return take(value); }
  bool ReadDouble(double& value) { return take(value); }
  bool ReadBool() { return taken<bool>(&message_parcel::ReadBool); }
  std::int8_t ReadInt8() { return taken<std::int8_t>(&message_parcel::ReadInt8); }
  std::int16_t ReadInt16() { return taken<std::int16_t>(&message_parcel::ReadInt16); }
  std::int32_t ReadInt32() { return taken<std::int32_t>(&message_parcel::ReadInt32); }
  std::int64_t ReadInt64() { return taken<std::int64_t>(&message_parcel::ReadInt64); }
  std::uint8_t ReadUint8() { return taken<std::uint8_t>(&message_parcel::ReadUint8); }
  std::uint16_t ReadUint16() { return taken<std::uint16_t>(&message_parcel::ReadUint16); }
  std::uint32_t ReadUint32() { return taken<std::uint32_t>(&message_parcel::ReadUint32); }
  std::uint64_t ReadUint64() { return taken<std::uint64_t>(&message_parcel::ReadUint64); }
  float ReadFloat() { return taken<float>(&message_parcel::ReadFloat); }
  double ReadDouble() { return taken<double>(&message_parcel::ReadDouble); }
  // clang-format on

  /// The text up to its terminating zero, or null if there is none. Valid until the next write.
  const char* ReadCString() {
    std::string text;
    const std::size_t first = next_;
    if (!read([&](reader& in) { return detail::read(in, text); })) return nullptr;
    return reinterpret_cast<const char*>(written_.bytes.data() + first);
  }
  bool ReadString(std::string& text) {
    std::int32_t length = 0;
    const std::size_t first = next_;
    const bool ok = read([&](reader& in) {
      if (!in.take_raw(length) || length < 0) return false;
      const std::int8_t* const from = in.take(static_cast<std::size_t>(length) + 1);
      if (from != nullptr) text.assign(reinterpret_cast<const char*>(from), static_cast<std::size_t>(length));
      return from != nullptr;
    });
    if (!ok) next_ = first;
    return ok;
  }
  bool ReadInt64Vector(std::vector<std::int64_t>* list) {
    if (list == nullptr) return false;
    return read([&](reader& in) {
      std::int32_t count = 0;
      if (!in.take_raw(count) || count < 0 || static_cast<std::size_t>(count) > in.left() / sizeof(std::int64_t))
        return false;
      list->resize(static_cast<std::size_t>(count));
      for (std::int64_t& number : *list) (void)in.take_raw(number);
      return true;
    });
  }
  /// Pointer to the next `size` bytes, or null if fewer remain. Valid until the next write.
  const std::uint8_t* ReadBuffer(std::size_t size) {
    const std::int8_t* first = nullptr;
    (void)read([&](reader& in) { return (first = size == 0 ? nullptr : in.take(size)) != nullptr; });
    return reinterpret_cast<const std::uint8_t*>(first);
  }
  const std::uint8_t* ReadUnpadBuffer(std::size_t size) { return ReadBuffer(size); }
  const void* ReadRawData(std::size_t size) { return ReadBuffer(size); }
  /// -1 if there is none.
  int ReadFileDescriptor() {
    std::uint32_t place = 0;
    if (!take(place) || place >= written_.descriptors.size()) return -1;
    return written_.descriptors[place];
  }
  bool ContainFileDescriptors() const { return !written_.descriptors.empty(); }

  std::uintptr_t GetData() const { return reinterpret_cast<std::uintptr_t>(written_.bytes.data()); }
  std::size_t GetDataSize() const { return written_.bytes.size(); }
  std::size_t GetReadableBytes() const { return written_.bytes.size() - next_; }
  std::size_t GetReadPosition() const { return next_; }
  bool RewindRead(std::size_t position) {
    if (position > written_.bytes.size()) return false;
    next_ = position;
    return true;
  }
  void SkipBytes(std::size_t count) { next_ = count > GetReadableBytes() ? written_.bytes.size() : next_ + count; }
  void FlushBuffer() { written_ = {}, next_ = 0; }

  /// Equivalent to `<Name>BlockMarshalling` and `<Name>BlockUnmarshalling`.
  template <record T> bool write_block(const T& value) {
    marshal(written_, value);
    return true;
  }
  template <record T> bool read_block(T& value) {
    return read([&](reader& in) { return detail::read(in, value); });
  }

 private:
  template <class T> bool put(T value) {
    written_.put_raw(value);
    return true;
  }
  /// A failed read leaves the read position unchanged.
  template <class F> bool read(F f) {
    reader in(written_.bytes, written_.descriptors);
    in.next = next_;
    if (!f(in)) return false;
    next_ = in.next;
    return true;
  }
  template <class T> bool take(T& value) {
    return read([&](reader& in) { return in.take_raw(value); });
  }
  template <class T> bool narrow(T& value) {
    std::int32_t wide = 0;
    if (!take(wide)) return false;
    value = static_cast<T>(wide);
    return true;
  }
  template <class T> T taken(bool (message_parcel::*reader)(T&)) {
    T value{};
    return (this->*reader)(value) ? value : T{};
  }

  writer written_;
  std::size_t next_ = 0;
};

// NOLINTEND(readability-identifier-naming)

}}}  // namespace nnrt::NNRT_ISA::hdi
