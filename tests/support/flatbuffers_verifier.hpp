// flatbuffers_verifier: what the FlatBuffers library's own verifier says of a file, for comparison with ours.
// Flow: tests of io/tflite ask both about changed files.
#pragma once

#include <nnrt/io/tflite/schema.hpp>

#include <flatbuffers/verifier.h>

namespace nnrt_test {

/// Follows the same fields as nnrt::tflite::verifier, with the same limits of depth and count.
class flatbuffers_verifier {
 public:
  explicit flatbuffers_verifier(std::string_view file)
      : start_(reinterpret_cast<const std::uint8_t*>(file.data())), checks_(start_, file.size(), 16, 1'000'000) {}

  /// Whether the root, of kind T, and all that it points to is in order.
  template <class T> bool accepts() {
    const flatbuffers::uoffset_t to = checks_.VerifyOffset(0);
    return to != 0 && fits<T>(reinterpret_cast<const flatbuffers::Table*>(start_ + to));
  }

 private:
  static flatbuffers::voffset_t entry_of(int slot) { return static_cast<flatbuffers::voffset_t>(4 + 2 * slot); }
  std::size_t place_of(const void* at) const {
    return static_cast<std::size_t>(static_cast<const std::uint8_t*>(at) - start_);
  }
  template <class S> static const S* pointer(const flatbuffers::Table* at, int slot) {
    return at->GetPointer<const S*>(entry_of(slot));
  }
  template <class T> bool fits(const flatbuffers::Table* at) {
    if (at == nullptr) return true;
    return at->VerifyTableStart(checks_) && T::each([&](const auto& field) { return holds(at, field); }) &&
           checks_.EndTable();
  }
  template <class S> bool holds(const flatbuffers::Table* at, const nnrt::tflite::scalar<S>& field) const {
    const flatbuffers::voffset_t found = at->GetOptionalFieldOffset(entry_of(field.slot));
    return found == 0 || checks_.template Verify<S>(place_of(at) + found);
  }
  template <class S> bool holds(const flatbuffers::Table* at, const nnrt::tflite::vector<S>& field) const {
    return at->VerifyOffset(checks_, entry_of(field.slot)) &&
           checks_.VerifyVector(pointer<flatbuffers::Vector<S>>(at, field.slot));
  }
  bool holds(const flatbuffers::Table* at, nnrt::tflite::text field) const {
    return holds(at, nnrt::tflite::vector<std::uint8_t>{field.slot});
  }
  bool holds(const flatbuffers::Table* at, nnrt::tflite::one_of field) const {
    return at->VerifyOffset(checks_, entry_of(field.slot));
  }
  template <class S> bool holds(const flatbuffers::Table* at, const nnrt::tflite::table<S>& field) {
    return holds(at, nnrt::tflite::one_of{field.slot}) && fits<S>(pointer<flatbuffers::Table>(at, field.slot));
  }
  template <class S> bool holds(const flatbuffers::Table* at, const nnrt::tflite::tables<S>& field) {
    if (!holds(at, nnrt::tflite::vector<flatbuffers::uoffset_t>{field.slot})) return false;
    const auto* list = pointer<flatbuffers::Vector<flatbuffers::uoffset_t>>(at, field.slot);
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const std::size_t place = place_of(list->Data()) + i * sizeof(flatbuffers::uoffset_t);
      const flatbuffers::uoffset_t to = checks_.VerifyOffset(place);
      if (to == 0 || !fits<S>(reinterpret_cast<const flatbuffers::Table*>(start_ + place + to))) return false;
    }
    return true;
  }

  const std::uint8_t* start_;
  flatbuffers::Verifier checks_;
};

}  // namespace nnrt_test
