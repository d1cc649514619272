// stored_bytes: the file format of prepared weights - head, digests, version, prepared memory, unpacked weights.
// Flow: stored_program.hpp adds a graph to the head; stored_weights.hpp adds none, because the program has its plan.
//
//   head: kind, bytes of the head, bytes in all, digest of the data; format, version, instruction set; further fields
//         of the kind; digest of the head
//   data: results of the prepare steps, then each weight that steps read unpacked; each at a multiple of 64
#pragma once

#include <nnrt/exec/memory.hpp>
#include <nnrt/exec/plan_view.hpp>
#include <nnrt/io/byte_stream.hpp>
#include <nnrt/io/shared_bytes.hpp>

#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// A kind of stored bytes.
struct stored_kind {
  std::uint64_t number;  // its first eight letters
  std::uint32_t format;
  std::string_view name;  // in messages

  [[gnu::cold]] failure refused(pieces why, error_code code = error_code::invalid_file) const {
    return fail(code, std::string(name) + ": " + nnrt::joined(why));
  }
};
inline constexpr std::int64_t not_quantised = -1;

inline void put(byte_writer& to, ir::range at) { to.put(at.first), to.put(at.count); }

/// Digest of everything in a plan that affects the layout of prepared memory and its readers. Planners that differ
/// there give different digests.
inline std::uint64_t plan_digest_of(const plan_view& p) {
  byte_writer all;
  const auto put_slots = [&](ir::range at) {
    for (std::int32_t i = at.first; i < at.first + at.count; ++i) {
      const operand_slot& slot = p.slots[static_cast<std::size_t>(i)];
      all.put(slot.base), all.put(slot.offset), all.put(slot.scales);
      if (slot.desc >= 0) nnrt::put(all, p.desc_of(slot));
    }
  };
  for (const array_ref<const step> list : {p.prepare, p.steps})
    for (const step& s : list) all.put(s.kernel), all.put(s.scratch_bytes), put_slots(s.inputs), put_slots(s.outputs);
  for (const state_port& s : p.states) put_slots({s.slot, 1}), put_slots({s.initial, s.initial < 0 ? 0 : 1});
  all.put(p.prepared_bytes);
  return digest_of(array_ref<const std::byte>(all.bytes));
}

/// For each weight of a plan whether a step reads it directly, or a state begins with it. False: only prepare steps
/// read it.
inline std::vector<char> weights_read(const plan_view& p) {
  std::vector<char> read(p.weights.size(), 0);
  const auto mark = [&](const operand_slot& slot) {
    const auto first = first_input + static_cast<std::int64_t>(p.inputs.size());
    if (slot.base >= first) read[static_cast<std::size_t>(slot.base - first)] = 1;
  };
  for (const step& s : p.steps)
    for (std::int32_t i = 0; i < s.inputs.count; ++i) {
      const std::int32_t at = s.inputs.first + i;
      const operand_slot& slot = p.slots[static_cast<std::size_t>(at)];
      mark(slot);
      if (slot.scales >= 0) mark(p.slots[static_cast<std::size_t>(slot.scales)]);
    }
  for (const state_port& s : p.states)
    if (s.initial >= 0) mark(p.slots[static_cast<std::size_t>(s.initial)]);
  return read;
}

// ---- The data ----

/// Offsets of prepared memory and weights in the data.
struct stored_places {
  std::int64_t prepared_bytes = 0;
  std::vector<std::int64_t> places;  // by weight
  std::int64_t data_bytes = 0;

  /// Places the weights that steps read after the prepared memory. `sizes` are in bytes.
  stored_places(std::int64_t prepared, const std::vector<std::int64_t>& sizes, const std::vector<char>& is_read)
      : prepared_bytes(prepared), data_bytes(passes::aligned(prepared)) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      places.push_back(is_read[i] != 0 ? data_bytes : not_quantised);
      if (is_read[i] != 0) data_bytes += passes::aligned(sizes[i]);
    }
  }
  void copy(const std::byte* prepared, array_ref<const std::byte* const> weights,
            const std::vector<std::int64_t>& sizes, std::byte* data) const {
    if (prepared_bytes > 0) std::memcpy(data, prepared, static_cast<std::size_t>(prepared_bytes));
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (places[i] >= 0 && sizes[i] > 0) std::memcpy(data + places[i], weights[i], static_cast<std::size_t>(sizes[i]));
  }
};

/// Address of each weight in the data; null: it was not stored.
inline result<void> find_weights(const stored_kind& kind, const std::vector<std::int64_t>& places,
                                 const std::vector<std::int64_t>& sizes, array_ref<const std::byte> data,
                                 pool<const std::byte*>& pointers) {
  if (sizes.size() != places.size())
    return kind.refused({"has places of ", places.size(), " weights, expected ", sizes.size()});
  const auto bytes = static_cast<std::int64_t>(data.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t at = places[i];
    const bool is_there = at != not_quantised;
    if (is_there && (at < 0 || at % 64 != 0 || at > bytes || sizes[i] > bytes - at))
      return kind.refused({"weight ", i, " lies outside of it"});
    pointers.push_back(is_there ? data.data() + at : nullptr);
  }
  return {};
}

/// Checks that everything that a plan's steps read is in the data.
inline result<void> check_prepared(const stored_kind& kind, const plan_view& plan, std::int64_t prepared_bytes,
                                   array_ref<const std::byte> data, array_ref<const std::byte* const> weights) {
  if (plan.prepared_bytes != prepared_bytes)
    return kind.refused({"has ", prepared_bytes, " bytes of prepared weights, expected ", plan.prepared_bytes});
  if (prepared_bytes > static_cast<std::int64_t>(data.size()))
    return kind.refused({"prepared weights lie outside of it"});
  const std::vector<char> is_read = weights_read(plan);
  for (std::size_t i = 0; i < is_read.size(); ++i)
    if (is_read[i] != 0 && weights[i] == nullptr) return kind.refused({"weight ", i, " is not in it"});
  return {};
}

// ---- The head ----

inline constexpr std::size_t seal_words = 4;

/// The begin of every head. sealed() fills in the first words.
inline byte_writer begun_head(const stored_kind& kind) {
  byte_writer head;
  for (std::size_t i = 0; i < seal_words; ++i) head.put(std::uint64_t{});
  head.put(kind.format);
  head.put(std::string_view(version)), head.put(std::string_view(isa));
  return head;
}

/// Joins head and data, and seals them; write(data) writes the data.
template <class Write>
byte_list sealed(const stored_kind& kind, byte_list&& head, std::int64_t data_bytes, Write write) {
  byte_list all = std::move(head);
  const auto head_bytes =
      static_cast<std::size_t>(passes::aligned(static_cast<std::int64_t>(all.size() + sizeof(std::uint64_t))));
  all.resize(head_bytes + static_cast<std::size_t>(data_bytes));
  write(all.data() + head_bytes);
  const std::uint64_t first[seal_words] = {kind.number, head_bytes, all.size(),
                                           digest_of(array_ref<const std::byte>(all).subspan(head_bytes))};
  std::memcpy(all.data(), first, sizeof first);
  const std::uint64_t digest = digest_of(array_ref<const std::byte>(all).first(head_bytes - sizeof digest));
  std::memcpy(all.data() + head_bytes - sizeof digest, &digest, sizeof digest);
  return all;
}

/// Maps a file's pages before the first run, whose page faults would take as long as packing. Linux maps 64 KiB around
/// a fault, so one byte of each 64 KiB is read: a third less time than MADV_POPULATE_READ. If the system maps less, the
/// first run faults on the rest.
inline void populate(array_ref<const std::byte> bytes) {
  constexpr std::size_t mapped_at_once = 64 * 1024;
  const volatile std::byte* const each = bytes.data();
  for (std::size_t i = 0; i < bytes.size(); i += mapped_at_once) static_cast<void>(each[i]);
}

/// Opens the result of sealed(); `head` continues after the instruction set. It checks only kind, sizes, digests and
/// versions.
inline result<void> open_sealed(const stored_kind& kind, array_ref<const std::byte> bytes, bool data_is_checked,
                                byte_reader& head, array_ref<const std::byte>& data) {
  byte_reader from{bytes};
  const auto number = from.number<std::uint64_t>(), head_bytes = from.number<std::uint64_t>(),
             all = from.number<std::uint64_t>(), data_digest = from.number<std::uint64_t>();
  if (!from.ok || number != kind.number) return kind.refused({"these bytes are of another kind"});
  if (all != bytes.size()) return kind.refused({"has ", bytes.size(), " bytes, expected ", all});
  if (head_bytes % 64 != 0 || head_bytes < 64 || head_bytes > all)
    return kind.refused({"its head has ", head_bytes, " bytes"});
  const array_ref<const std::byte> of_head = bytes.first(static_cast<std::size_t>(head_bytes - sizeof(std::uint64_t)));
  data = bytes.subspan(static_cast<std::size_t>(head_bytes));
  const auto head_digest = byte_reader{bytes.subspan(of_head.size())}.number<std::uint64_t>();
  if (digest_of(of_head) != head_digest) return kind.refused({"its bytes are damaged"});
  head = {of_head.subspan(seal_words * sizeof(std::uint64_t))};
  if (const auto format = head.number<std::uint32_t>(); format != kind.format)
    return kind.refused({"has format ", format, ", expected ", kind.format});
  if (const std::string_view by = head.text(); by != version)
    return kind.refused({"was stored by version ", by, ", not ", version});
  if (const std::string_view by = head.text(); by != isa)
    return kind.refused({"is for ", by, ", not ", isa}, error_code::not_supported);
  populate(data);
  if (!data_is_checked && digest_of(data) != data_digest) return kind.refused({"its bytes are damaged"});
  return {};
}

}}}  // namespace nnrt::NNRT_ISA::detail
