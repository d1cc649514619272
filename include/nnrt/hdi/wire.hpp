// wire: serialises HDI's structures and reads them back, by reflection over their members.
// Flow: used for nodes' attributes in models, for models sent to another process, and by hdi_ohos.hpp's MessageParcel.
//
// Format: little-endian, everything padded to 4 bytes. A plain structure is its memory, with zeros as padding. Other
// structures are their members in order.
// Sizes: bool 4 bytes; integers 4 or 8; enumerations 8, sign-extended; float 4; double 8. Texts are zero-terminated.
// Lists are a count, then their memory for plain elements other than bool, else each element.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/hdi/types.hpp>

#include <bit>
#include <cstring>

namespace nnrt { inline namespace NNRT_ISA { namespace hdi {

static_assert(std::endian::native == std::endian::little,
              "nnrt: HDI's encoding is the memory of little-endian machines");

/// Serialised bytes and the file descriptors that they refer to by index, each once, in order of first use.
class writer {
 public:
  std::vector<std::int8_t> bytes;
  std::vector<int> descriptors;

  /// Appends raw bytes and zeros up to a multiple of 4.
  void put_bytes(const void* first, std::size_t count) {
    const auto* from = static_cast<const std::int8_t*>(first);
    bytes.insert(bytes.end(), from, from + count);
    while (bytes.size() % 4 != 0) bytes.push_back(0);
  }
  template <class T> void put_raw(T number) { put_bytes(&number, sizeof number); }
  /// Writes whether there is a descriptor and, if so, its index in `descriptors`.
  void put_descriptor(int fd) {
    put_raw(std::int32_t{fd >= 0 ? 1 : 0});
    if (fd < 0) return;
    std::size_t place = 0;
    while (place < descriptors.size() && descriptors[place] != fd) ++place;
    if (place == descriptors.size()) descriptors.push_back(fd);
    put_raw(static_cast<std::uint32_t>(place));
  }
};

/// Reads serialised bytes. It never reads past their end and never allocates a list longer than they can hold.
class reader {
 public:
  explicit reader(array_ref<const std::int8_t> of, array_ref<const int> beside = {}) : bytes(of), descriptors(beside) {}

  array_ref<const std::int8_t> bytes;
  array_ref<const int> descriptors;
  std::size_t next = 0;

  std::size_t left() const { return bytes.size() - next; }
  /// Returns the next `count` bytes and skips their padding. Null, with a fault recorded, if fewer remain.
  const std::int8_t* take(std::size_t count) {
    const std::size_t padded = (count + 3) / 4 * 4;
    if (padded < count || padded > left()) return missing(count);
    const std::int8_t* const first = bytes.data() + next;
    next += padded;
    return first;
  }
  template <class T> bool take_raw(T& number) {
    const std::int8_t* const first = take(sizeof number);
    if (first != nullptr) std::memcpy(&number, first, sizeof number);
    return first != nullptr;
  }
  bool take_descriptor(int& fd) {
    std::int32_t is_there = 0;
    std::uint32_t place = 0;
    fd = -1;
    if (!take_raw(is_there)) return false;
    if (is_there == 0) return true;
    if (!take_raw(place)) return false;
    if (place >= descriptors.size()) return refuse({"got file descriptor ", place, " of ", descriptors.size()});
    fd = descriptors[place];
    return true;
  }

  /// Records why reading fails; returns false.
  [[gnu::cold]] bool refuse(pieces why) {
    if (fault_.empty()) fault_ = joined(why);
    return false;
  }
  /// Prepends a member's name to the path of the fault.
  [[gnu::cold]] bool inside(std::string_view member) {
    place_.insert(0, place_.empty() || place_[0] == '[' ? std::string(member) : joined({member, "."}));
    return false;
  }
  [[gnu::cold]] bool inside(std::size_t element) {
    place_.insert(0, place_.empty() || place_[0] == '[' ? joined({"[", element, "]"}) : joined({"[", element, "]."}));
    return false;
  }
  [[gnu::cold]] error reason() const {
    return {error_code::invalid_file, place_.empty() ? fault_ : joined({place_, ": ", fault_})};
  }

 private:
  [[gnu::cold]] const std::int8_t* missing(std::size_t count) {
    (void)refuse({"needs ", count, " bytes from ", next, " on, but there are ", left()});
    return nullptr;
  }

  std::string fault_, place_;
};

// --- writing -----------------------------------------------------------------
namespace detail {

/// Elements that lists store as memory.
template <class T> inline constexpr bool is_memory = is_plain<T> && !std::is_same_v<T, bool>;

template <record T> void write(writer& out, const T& value);
template <class T> void write(writer& out, const std::vector<T>& list);

inline void write(writer& out, const std::string& text) { out.put_bytes(text.c_str(), std::strlen(text.c_str()) + 1); }
template <class T>
  requires std::is_arithmetic_v<T>
void write(writer& out, T number) {
  if constexpr (sizeof number >= 4) out.put_raw(number);
  else out.put_raw(static_cast<std::int32_t>(number));
}
template <class T>
  requires std::is_enum_v<T>
void write(writer& out, T number) {
  out.put_raw(static_cast<std::int64_t>(number));
}
template <class K, class V> void write(writer& out, const std::map<K, V>& map) {
  out.put_raw(static_cast<std::uint32_t>(map.size()));
  for (const auto& [key, value] : map) write(out, key), write(out, value);
}

/// Writes the memory of a plain value, with zeros as padding.
template <class T> void write_memory(std::int8_t* to, const T& value) {
  if constexpr (record<T>) {
    for_each_attribute(value, [&](const char*, const auto& member) {
      write_memory(to + (reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(&value)), member);
    });
  } else {
    std::memcpy(to, &value, sizeof value);
  }
}
template <class T> void write_plain(writer& out, const T* values, std::size_t count) {
  std::vector<std::int8_t> memory(count * sizeof(T));
  for (std::size_t i = 0; i < count; ++i) write_memory(memory.data() + i * sizeof(T), values[i]);
  out.put_bytes(memory.data(), memory.size());
}

template <class T> void write(writer& out, const std::vector<T>& list) {
  out.put_raw(static_cast<std::uint32_t>(list.size()));
  if constexpr (is_memory<T>) {
    if (!list.empty()) write_plain(out, list.data(), list.size());
  } else {
    for (const T& element : list) write(out, element);
  }
}
template <record T> void write(writer& out, const T& value) {
  if constexpr (is_plain<T>) return write_plain(out, &value, 1);
  else
    for_each_attribute(value, [&]<class M>(const char*, const M& member) {
      if constexpr (std::is_same_v<T, SharedBuffer> && std::is_same_v<M, int>) out.put_descriptor(member);
      else write(out, member);
    });
}

// --- reading -----------------------------------------------------------------

template <record T> bool read(reader& in, T& value);
template <class T> bool read(reader& in, std::vector<T>& list);

inline bool read(reader& in, std::string& text) {
  const auto* const first = reinterpret_cast<const char*>(in.bytes.data()) + in.next;
  const void* const end = in.left() == 0 ? nullptr : std::memchr(first, 0, in.left());
  if (end == nullptr) return in.refuse({"a text from ", in.next, " on has no end"});
  const auto length = static_cast<std::size_t>(static_cast<const char*>(end) - first);
  text.assign(first, length);
  return in.take(length + 1) != nullptr;
}
template <class T>
  requires std::is_arithmetic_v<T>
bool read(reader& in, T& number) {
  if constexpr (sizeof number >= 4) return in.take_raw(number);
  std::int32_t wide = 0;
  if (!in.take_raw(wide)) return false;
  number = static_cast<T>(wide);
  return std::is_same_v<T, bool> || static_cast<std::int32_t>(number) == wide ||
         in.refuse({"got ", wide, ", which is too large"});
}
template <class T>
  requires std::is_enum_v<T>
bool read(reader& in, T& number) {
  std::int64_t wide = 0;
  if (!in.take_raw(wide)) return false;
  number = static_cast<T>(static_cast<std::underlying_type_t<T>>(wide));
  return static_cast<std::int64_t>(number) == wide || in.refuse({"got ", wide, ", which no enumerator can be"});
}
template <class K, class V> bool read(reader& in, std::map<K, V>& map) {
  std::uint32_t count = 0;
  if (!in.take_raw(count)) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    K key{};
    V value{};
    if (!read(in, key) || !read(in, value)) return in.inside(std::size_t{i});
    map.insert_or_assign(std::move(key), std::move(value));
  }
  return true;
}

template <class T> void read_memory(const std::int8_t* from, T& value) {
  if constexpr (record<T>) {
    for_each_attribute(value, [&](const char*, auto& member) {
      read_memory(from + (reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(&value)), member);
    });
  } else if constexpr (std::is_same_v<T, bool>) {
    value = *from != 0;  // bytes other than 0 and 1 would be invalid
  } else {
    std::memcpy(&value, from, sizeof value);
  }
}

/// Larger lists are refused by their count alone. Source: the generated code of drivers_interface.
inline constexpr std::size_t max_list_bytes = std::size_t{200} << 20U;

template <class T> bool read(reader& in, std::vector<T>& list) {
  std::uint32_t count = 0;
  if (!in.take_raw(count)) return false;
  if (count > max_list_bytes / sizeof(T))
    return in.refuse({"has ", count, " elements, expected at most ", max_list_bytes / sizeof(T)});
  list.clear();
  if constexpr (is_memory<T>) {
    const std::int8_t* const first = count == 0 ? nullptr : in.take(count * sizeof(T));
    if (count != 0 && first == nullptr) return false;
    list.resize(count);
    for (std::size_t i = 0; i < count; ++i) read_memory(first + i * sizeof(T), list[i]);
  } else {
    // an element takes at least 4 bytes, so the list is bounded by the input
    for (std::uint32_t i = 0; i < count; ++i) {
      T element{};
      if (!read(in, element)) return in.inside(std::size_t{i});
      list.push_back(std::move(element));
    }
  }
  return true;
}
template <record T> bool read(reader& in, T& value) {
  if constexpr (is_plain<T>) {
    const std::int8_t* const first = in.take(sizeof(T));
    if (first != nullptr) read_memory(first, value);
    return first != nullptr;
  } else {
    bool ok = true;
    for_each_attribute(value, [&]<class M>(const char* name, M& member) {
      if (!ok) return;
      if constexpr (std::is_same_v<T, SharedBuffer> && std::is_same_v<M, int>) ok = in.take_descriptor(member);
      else ok = read(in, member);
      if (!ok) (void)in.inside(std::string_view(name));
    });
    return ok;
  }
}

}  // namespace detail

/// Appends a serialised structure, as `<Name>BlockMarshalling` does. A text ends at its first zero.
template <record T> void marshal(writer& out, const T& value) { detail::write(out, value); }
/// Serialises a structure without file descriptors, such as a node's attributes.
template <record T> std::vector<std::int8_t> marshalled(const T& value) {
  writer out;
  marshal(out, value);
  return std::move(out.bytes);
}
/// Reads a structure at the reader's position; later bytes are not read. Error: invalid_file, with member and offset,
/// as `padList: needs 32 bytes from 60 on, but there are 8`.
template <record T> result<void> unmarshal(reader& in, T& value) {
  if (!detail::read(in, value)) return fail(in.reason());
  return {};
}

}}}  // namespace nnrt::NNRT_ISA::hdi
