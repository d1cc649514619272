// tflite_mutator: changes what a .tflite file says and leaves it a FlatBuffer - numbers, lists, fields that are there,
// which table an entry means. Flow: libFuzzer calls it through LLVMFuzzerCustomMutator of tflite_fuzz.cpp; bytes that
// are no such file are left to libFuzzer's own changes.
#pragma once

#include <nnrt/io/tflite/document.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace nnrt_fuzz {

/// Finds the places of a verified file where numbers stand, and changes some of them.
class tflite_mutator {
 public:
  explicit tflite_mutator(std::span<std::uint8_t> file, std::uint32_t seed) : file_(file), state_(seed | 1U) {}

  /// False when the bytes are no file that the verifier lets pass.
  bool mutate() {
    nnrt::tflite::verifier checks(nnrt::letters_of(std::as_bytes(file_)));
    const table_place root = checks.root<nnrt::tflite::schema::model>();
    if (!root) return false;
    collect<nnrt::tflite::schema::model>(root);
    if (places_.empty()) return false;
    for (std::uint32_t changes = 1 + below(4); changes > 0; --changes)
      change(places_[below(static_cast<std::uint32_t>(places_.size()))]);
    return true;
  }

 private:
  using table_place = nnrt::tflite::table_place;

  enum class what { number, length, presence, target };
  struct place {
    std::size_t at;
    std::size_t size;
    what is;
    std::size_t list = 0, count = 0;  // of a target: the entries that are tables of its kind
  };
  static constexpr std::size_t max_places = 20'000, max_listed = 64;

  std::uint32_t random() {
    state_ ^= state_ << 13U, state_ ^= state_ >> 17U, state_ ^= state_ << 5U;
    return state_;
  }
  std::uint32_t below(std::uint32_t n) { return random() % n; }
  template <class T> T number(std::size_t at) const {
    return nnrt::number_at<T>(reinterpret_cast<const char*>(file_.data()), at);
  }
  /// Where the list, table or string begins to which a field points; 0 where the field is left out.
  static std::size_t target_of(table_place from, int slot) {
    const std::size_t at = nnrt::tflite::detail::field_of(from, slot);
    return at == 0 ? 0 : nnrt::tflite::detail::followed(from.file, at);
  }
  void add(std::size_t at, std::size_t size, what is = what::number) {
    if (places_.size() < max_places && at <= file_.size() && size <= file_.size() - at)
      places_.push_back({at, size, is});
  }

  template <class T> void collect(table_place from) {
    if (!from || places_.size() >= max_places) return;
    add_presences(nnrt::tflite::detail::fields_of(from));
    T::each([&](const auto& field) {
      add_field(from, field);
      return true;
    });
  }
  void add_presences(std::size_t list) {
    const std::size_t size = number<std::uint16_t>(list);
    for (std::size_t entry = 4; entry + 2 <= size; entry += 2) add(list + entry, 2, what::presence);
  }
  template <class S> void add_field(table_place from, const nnrt::tflite::scalar<S>& field) {
    if (const std::size_t at = nnrt::tflite::detail::field_of(from, field.slot); at != 0) add(at, sizeof(S));
  }
  template <class S> void add_field(table_place from, const nnrt::tflite::vector<S>& field) {
    const std::size_t list = target_of(from, field.slot);
    if (list == 0) return;
    add(list, 4, what::length);
    for (std::size_t i = 0; i < std::min<std::size_t>(number<std::uint32_t>(list), max_listed); ++i)
      add(list + 4 + i * sizeof(S), sizeof(S));
  }
  void add_field(table_place, nnrt::tflite::text) {}
  template <class S> void add_field(table_place from, const nnrt::tflite::table<S>& field) {
    if (const std::size_t at = target_of(from, field.slot); at != 0) collect<S>({from.file, at});
  }
  template <class S> void add_field(table_place from, const nnrt::tflite::tables<S>& field) {
    const std::size_t list = target_of(from, field.slot);
    if (list == 0) return;
    add(list, 4, what::length);
    const std::size_t count = number<std::uint32_t>(list);
    for (std::size_t i = 0; i < count && places_.size() < max_places; ++i) {
      const std::size_t entry = list + 4 + 4 * i;
      places_.push_back({entry, 4, what::target, list + 4, count});
      collect<S>({from.file, entry + number<std::uint32_t>(entry)});
    }
  }
  /// Options, whose kind is not looked at: the first bytes of each field. What is an offset there becomes one that the
  /// verifier refuses.
  void add_field(table_place from, nnrt::tflite::one_of field) {
    const std::size_t options = target_of(from, field.slot);
    if (options == 0 || options + 4 > file_.size()) return;
    const std::int64_t list = static_cast<std::int64_t>(options) - number<std::int32_t>(options);
    if (list < 0 || static_cast<std::size_t>(list) + 4 > file_.size()) return;
    const auto first = static_cast<std::size_t>(list);
    const std::size_t size = number<std::uint16_t>(first);
    for (std::size_t entry = 4; entry + 2 <= size && first + entry + 2 <= file_.size(); entry += 2) {
      const std::size_t offset = number<std::uint16_t>(first + entry);
      add(first + entry, 2, what::presence);
      if (offset != 0) add(options + offset, 1);
    }
  }

  void write(std::size_t at, std::uint64_t number, std::size_t size) { std::memcpy(file_.data() + at, &number, size); }

  void change(const place& p) {
    if (p.is == what::presence) {
      if (below(4) == 0) write(p.at, 0, 2);
    } else if (p.is == what::length) {
      if (const auto length = number<std::uint32_t>(p.at); length > 0 && below(4) == 0) write(p.at, below(length), 4);
    } else if (p.is == what::target) {
      const std::size_t other = p.list + 4 * below(static_cast<std::uint32_t>(p.count));
      const std::size_t to = other + number<std::uint32_t>(other);
      if (to > p.at && below(4) == 0) write(p.at, to - p.at, 4);  // offsets lead forwards
    } else {
      change_number(p);
    }
  }
  void change_number(const place& p) {
    std::uint64_t number = 0;
    std::memcpy(&number, file_.data() + p.at, p.size);
    switch (below(8)) {
      case 0: number = 0 - std::uint64_t{1}; break;
      case 1: ++number; break;
      case 2: --number; break;
      case 3: number ^= std::uint64_t{1} << below(static_cast<std::uint32_t>(8 * p.size)); break;
      case 4: number = (std::uint64_t{random()} << 32U) | random(); break;
      case 5: number = 0; break;
      case 6: number = number << 1U; break;
      default: number = below(12); break;
    }
    write(p.at, number, p.size);
  }

  std::span<std::uint8_t> file_;
  std::uint32_t state_;
  std::vector<place> places_;
};

}  // namespace nnrt_fuzz
