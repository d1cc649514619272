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

  /// False when the bytes are no file that flatbuffers' verifier lets pass.
  bool mutate() {
    nnrt::tflite::verifier checks(std::as_bytes(file_));
    const flatbuffers::Table* const root = checks.root<nnrt::tflite::schema::model>();
    if (root == nullptr) return false;
    collect<nnrt::tflite::schema::model>(root);
    if (places_.empty()) return false;
    for (std::uint32_t changes = 1 + below(4); changes > 0; --changes)
      change(places_[below(static_cast<std::uint32_t>(places_.size()))]);
    return true;
  }

 private:
  enum class what { number, length, presence, target };
  struct place {
    std::size_t at;
    std::size_t size;
    what is;
    std::size_t list = 0, count = 0;  // of a target: the entries that are tables of its kind
  };
  static constexpr std::size_t most_places = 20'000, most_listed = 64;

  std::uint32_t random() {
    state_ ^= state_ << 13U, state_ ^= state_ >> 17U, state_ ^= state_ << 5U;
    return state_;
  }
  std::uint32_t below(std::uint32_t n) { return random() % n; }
  std::size_t place_of(const void* at) const {
    return static_cast<std::size_t>(static_cast<const std::uint8_t*>(at) - file_.data());
  }
  template <class S> static const S* pointer(const flatbuffers::Table* at, int slot) {
    return at->GetPointer<const S*>(nnrt::tflite::detail::entry_of(slot));
  }
  void add(std::size_t at, std::size_t size, what is = what::number) {
    if (places_.size() < most_places && at <= file_.size() && size <= file_.size() - at)
      places_.push_back({at, size, is});
  }

  template <class T> void collect(const flatbuffers::Table* at) {
    if (at == nullptr || places_.size() >= most_places) return;
    add_presences(at);
    T::each([&](const auto& field) {
      add_field(at, field);
      return true;
    });
  }
  void add_presences(const flatbuffers::Table* at) {
    const std::uint8_t* const list = at->GetVTable();
    const std::size_t size = flatbuffers::ReadScalar<flatbuffers::voffset_t>(list);
    for (std::size_t entry = 4; entry + 2 <= size; entry += 2) add(place_of(list) + entry, 2, what::presence);
  }
  template <class S> void add_field(const flatbuffers::Table* at, const nnrt::tflite::scalar<S>& field) {
    if (const auto offset = at->GetOptionalFieldOffset(nnrt::tflite::detail::entry_of(field.slot)); offset != 0)
      add(place_of(at) + offset, sizeof(S));
  }
  template <class S> void add_field(const flatbuffers::Table* at, const nnrt::tflite::vector<S>& field) {
    const auto* const list = pointer<flatbuffers::Vector<S>>(at, field.slot);
    if (list == nullptr) return;
    add(place_of(list), 4, what::length);
    for (std::size_t i = 0; i < std::min<std::size_t>(list->size(), most_listed); ++i)
      add(place_of(list->Data()) + i * sizeof(S), sizeof(S));
  }
  void add_field(const flatbuffers::Table*, nnrt::tflite::text) {}
  template <class S> void add_field(const flatbuffers::Table* at, const nnrt::tflite::table<S>& field) {
    collect<S>(pointer<flatbuffers::Table>(at, field.slot));
  }
  template <class S> void add_field(const flatbuffers::Table* at, const nnrt::tflite::tables<S>& field) {
    const auto* const list = pointer<nnrt::tflite::detail::table_list>(at, field.slot);
    if (list == nullptr) return;
    add(place_of(list), 4, what::length);
    const std::size_t first = place_of(list->Data());
    for (std::size_t i = 0; i < list->size() && places_.size() < most_places; ++i) {
      places_.push_back({first + 4 * i, 4, what::target, first, list->size()});
      collect<S>(list->Get(static_cast<flatbuffers::uoffset_t>(i)));
    }
  }
  /// Options, whose kind is not looked at: the first bytes of each field. What is an offset there becomes one that the
  /// verifier refuses.
  void add_field(const flatbuffers::Table* at, nnrt::tflite::one_of field) {
    const auto* const options = pointer<flatbuffers::Table>(at, field.slot);
    if (options == nullptr || place_of(options) + 4 > file_.size()) return;
    const std::int64_t list = static_cast<std::int64_t>(place_of(options)) -
                              flatbuffers::ReadScalar<flatbuffers::soffset_t>(file_.data() + place_of(options));
    if (list < 0 || static_cast<std::size_t>(list) + 4 > file_.size()) return;
    const std::size_t size = flatbuffers::ReadScalar<flatbuffers::voffset_t>(file_.data() + list);
    for (std::size_t entry = 4; entry + 2 <= size && static_cast<std::size_t>(list) + entry + 2 <= file_.size();
         entry += 2) {
      const std::size_t offset =
          flatbuffers::ReadScalar<flatbuffers::voffset_t>(file_.data() + static_cast<std::size_t>(list) + entry);
      add(static_cast<std::size_t>(list) + entry, 2, what::presence);
      if (offset != 0) add(place_of(options) + offset, 1);
    }
  }

  template <class T> T read(std::size_t at) const {
    T number;
    std::memcpy(&number, file_.data() + at, sizeof number);
    return number;
  }
  void write(std::size_t at, std::uint64_t number, std::size_t size) { std::memcpy(file_.data() + at, &number, size); }

  void change(const place& p) {
    if (p.is == what::presence) {
      if (below(4) == 0) write(p.at, 0, 2);
    } else if (p.is == what::length) {
      if (const auto length = read<std::uint32_t>(p.at); length > 0 && below(4) == 0) write(p.at, below(length), 4);
    } else if (p.is == what::target) {
      const std::size_t other = p.list + 4 * below(static_cast<std::uint32_t>(p.count));
      const std::size_t to = other + read<std::uint32_t>(other);
      if (to > p.at && below(4) == 0) write(p.at, to - p.at, 4);  // offsets lead forwards
    } else {
      change_number(p);
    }
  }
  void change_number(const place& p) {
    std::uint64_t number = 0;
    std::memcpy(&number, file_.data() + p.at, p.size);
    switch (below(8)) {
      case 0:
        number = 0 - std::uint64_t{1};
        break;
      case 1:
        ++number;
        break;
      case 2:
        --number;
        break;
      case 3:
        number ^= std::uint64_t{1} << below(static_cast<std::uint32_t>(8 * p.size));
        break;
      case 4:
        number = (std::uint64_t{random()} << 32U) | random();
        break;
      case 5:
        number = 0;
        break;
      case 6:
        number = number << 1U;
        break;
      default:
        number = below(12);
        break;
    }
    write(p.at, number, p.size);
  }

  std::span<std::uint8_t> file_;
  std::uint32_t state_;
  std::vector<place> places_;
};

}  // namespace nnrt_fuzz
