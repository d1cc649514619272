// cache: stores prepared models for later processes - in a directory, or in a program's buffer.
// Flow: a compilation looks here before it compiles, and stores here what it has compiled.
//
// A directory has <prefix>cache_info.nncache and <prefix>0.nncache, <prefix>1.nncache, ... The info file names device,
// versions and model, and the size and digest of each other file.
// The files form a file_group with the info file as its head: a writer that fails or is killed leaves either the old
// cache or the new one. Files that do not match are detected, and the model is compiled again.
#pragma once

#include <nnrt/c_api/support.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/system_text.hpp>
#include <nnrt/hal/driver.hpp>
#include <nnrt/io/byte_stream.hpp>
#include <nnrt/io/file.hpp>
#include <nnrt/io/file_group.hpp>
#include <nnrt/io/model.hpp>
#include <nnrt/io/shared_bytes.hpp>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <string>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace c_api {

using byte_lists = std::vector<byte_list>;

/// Limits: files of a cache, bytes of one, bytes of the info file. Larger caches are not mapped, read or written.
inline constexpr std::size_t max_cache_files = 100;
inline constexpr std::uint64_t max_cache_file_bytes = std::uint64_t{1} << 36, max_info_bytes = 65536;

/// What a cache was made for; it is valid for nothing else.
struct cache_label {
  std::string device;         // full name
  std::uint64_t fingerprint;  // of the model and the options that affect preparation; 0: the model is unknown
};

/// Appends the preferences that may affect preparation, including all extensions of a device. ModelName only names
/// files and is left out.
inline void put(byte_writer& to, const hal::preferences& wanted) {
  to.put(wanted.speed), to.put(wanted.float16);
  for (const hal::extension& known : wanted.extensions)
    if (known.name != "ModelName")
      to.put(std::string_view(known.name)),
          to.put(std::string_view(reinterpret_cast<const char*>(known.value.data()), known.value.size()));
}

/// Hash of a graph, its weights and preferences, never 0. `constants`: a hash of the graph's constants.
inline std::uint64_t fingerprint_of(const model& network, std::uint64_t constants, const hal::preferences& wanted) {
  const ir::graph& g = network.graph;
  byte_writer all;
  for (const ir::value& v : g.values) {
    put(all, v.desc);
    all.put(v.is), all.put(v.first_byte), all.put(v.scales), all.put(g.name_of(v.name));
  }
  for (const ir::node& n : g.nodes) {
    all.put(n.op->code);
    all.put_list<word>(g.attrs_of(n));
    all.put_list<std::int32_t>(g.inputs_of(n));
    all.put_list<std::int32_t>(g.outputs_of(n));
  }
  all.put_list<std::int32_t>(g.inputs);
  for (const ir::output& out : g.outputs) all.put(out.value), all.put(g.name_of(out.name));
  for (const weights::entry& w : network.weights.entries()) all.put(w.name), all.put(digest_of(w.bytes));
  all.put(constants);
  put(all, wanted);
  return digest_of(all.bytes) | 1U;
}
/// Hash of an offline model or an imported cache, by its bytes.
inline std::uint64_t fingerprint_of(array_ref<const std::byte> bytes, const hal::preferences& wanted) {
  byte_writer all;
  all.put(digest_of(bytes));
  put(all, wanted);
  return digest_of(all.bytes) | 1U;
}

// ---- Cache in a buffer ----

/// First text of a buffer.
inline constexpr std::string_view bundle_kind = "nnrt cache 3";

/// Packs the buffers of a prepared model into one.
inline byte_list bundle(const cache_label& label, const byte_lists& buffers) {
  byte_writer to;
  to.put(bundle_kind);
  to.put(std::string_view(label.device));
  to.put(std::uint64_t{buffers.size()});
  for (const byte_list& one : buffers) to.put(std::string_view(reinterpret_cast<const char*>(one.data()), one.size()));
  to.put(digest_of(to.bytes));
  return std::move(to.bytes);
}

/// Whether bytes start like such a buffer.
inline bool is_bundle(array_ref<const std::byte> bytes) { return byte_reader{bytes}.text() == bundle_kind; }

namespace detail {
/// Error text for bytes that start with another kind than expected.
inline std::string other_kind(std::string_view got, std::string_view expected) {
  return joined({"begins with ", piece::in_quotes(got.substr(0, 40)), ", expected ", piece::in_quotes(expected)});
}
}  // namespace detail

/// Views of the buffers packed by bundle(). Error: invalid_file.
inline result<std::vector<array_ref<const std::byte>>> unbundle(std::string_view device,
                                                                array_ref<const std::byte> bytes) {
  const auto refuse = [](pieces why) { return fail(error_code::invalid_file, "cache: " + joined(why)); };
  if (bytes.size() < sizeof(std::uint64_t))
    return refuse({"has ", bytes.size(), " bytes, expected at least ", sizeof(std::uint64_t)});
  byte_reader from{bytes.first(bytes.size() - sizeof(std::uint64_t))};
  byte_reader end{bytes.subspan(bytes.size() - sizeof(std::uint64_t))};
  if (digest_of(from.bytes) != end.number<std::uint64_t>()) return refuse({"its checksum is wrong"});
  if (const std::string_view kind = from.text(); kind != bundle_kind)
    return refuse({detail::other_kind(kind, bundle_kind)});
  if (const std::string_view made_for = from.text(); made_for != device)
    return refuse({"is for device ", piece::in_quotes(made_for), ", expected ", piece::in_quotes(device)});
  std::vector<array_ref<const std::byte>> buffers;
  const auto count = from.number<std::uint64_t>();
  for (std::uint64_t i = 0; from.ok && i < count; ++i) {
    const std::string_view one = from.text();
    buffers.push_back({reinterpret_cast<const std::byte*>(one.data()), one.size()});
  }
  if (!from.ok) return refuse({"ends within its ", count, " buffers"});
  if (!from.bytes.empty()) return refuse({"has ", from.bytes.size(), " bytes after its ", count, " buffers"});
  return buffers;
}

// ---- Cache in a directory ----

/// Location of a cache: an existing directory and a prefix of file names.
struct cache_place {
  std::string directory;
  std::string prefix;

  std::string info() const { return directory + "/" + prefix + "cache_info.nncache"; }
  std::string file(std::size_t i) const { return directory + "/" + prefix + std::to_string(i) + ".nncache"; }
};

/// Longest prefix; temporary names of unfinished files append up to 40 characters.
inline constexpr std::size_t max_prefix = NAME_MAX - 40;

/// Resolves a directory. Error: not_found.
inline result<cache_place> place_in(const char* directory, std::string_view prefix) {
  char resolved[PATH_MAX];
  if (::realpath(directory, resolved) == nullptr)
    return fail(error_code::not_found,
                {"cache directory ", piece::in_quotes(directory), ": ", system_text(errno).view()});
  cache_place made{resolved, std::string(prefix)};
  struct ::stat status {};
  if (::stat(made.directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    return fail(error_code::not_found, {"cache directory ", piece::in_quotes(directory), ": not a directory"});
  if (prefix.find('/') != prefix.npos || prefix.find('\0') != prefix.npos)
    return fail(error_code::not_found,
                {"cache: model name ", piece::in_quotes(prefix), " is no part of a file's name"});
  if (prefix.size() > max_prefix)
    return fail(error_code::not_found,
                {"cache: model name: got ", prefix.size(), " bytes, expected at most ", max_prefix});
  return made;
}

/// Result of a look-up.
enum class cache_state {
  missing,  // absent or unusable: broken, or of another model or library
  of_another_device,
  older,  // lower version
  newer,  // higher version; must not be replaced
  usable,
};
/// Result of a look-up, with the mapped files if usable.
struct found_cache {
  cache_state state = cache_state::missing;
  std::string why;  // why it is unusable
  std::vector<shared_bytes> files;
};

/// Serialises the inputs or outputs of a prepared model: dtype, format, kind of tensor, rank, extents, and the
/// zero-terminated name. A directory stores both lists after a device's buffers.
inline byte_list described_ends(const hal::prepared_model& of, bool inputs) {
  byte_writer to;
  const std::size_t count = inputs ? of.input_count() : of.output_count();
  for (std::size_t i = 0; i < count; ++i) {
    const tensor_desc& desc = inputs ? of.input_desc(i) : of.output_desc(i);
    const std::string_view name = inputs ? of.input_name(i) : of.output_name(i);
    to.put(static_cast<std::int32_t>(desc.type)), to.put(static_cast<std::int32_t>(desc.layout)),
        to.put(std::int32_t{});
    to.put(static_cast<std::uint64_t>(desc.shape.rank));
    for (const std::int64_t extent : desc.shape) to.put(static_cast<std::int32_t>(extent));
    to.put(name.data(), name.size()), to.put('\0');
  }
  return std::move(to.bytes);
}

namespace detail {
inline constexpr std::string_view info_kind = "nnrt cache info 3";

/// Contents of an info file.
struct cache_info {
  struct member {
    std::uint64_t size = 0;
    std::uint64_t digest = 0;
    bool operator()(array_ref<const std::byte> bytes) const {
      return bytes.size() == size && digest_of(bytes) == digest;
    }
  };
  std::uint32_t version = 0;
  std::string device;
  std::uint64_t fingerprint = 0;
  std::vector<member> members;
};

/// Errors: invalid_file, and errors of opening the file.
inline result<cache_info> read_info(const cache_place& place) {
  const auto refuse = [&](pieces why) { return fail(error_code::invalid_file, {place.info(), ": ", joined(why)}); };
  // Read into memory, not mapped: another process may truncate the file.
  const auto opened = open_to_read(place.info(), max_info_bytes);
  if (!opened) return fail(opened.error());
  byte_list copied(static_cast<std::size_t>(opened->size));
  if (!nnrt::detail::read_at(opened->file.number(), 0, copied)) return refuse({"cannot be read"});
  const array_ref<const std::byte> bytes = copied;
  if (bytes.size() < sizeof(std::uint64_t))
    return refuse({"has ", bytes.size(), " bytes, expected at least ", sizeof(std::uint64_t)});
  byte_reader from{bytes.first(bytes.size() - sizeof(std::uint64_t))};
  if (digest_of(from.bytes) != byte_reader{bytes.subspan(bytes.size() - sizeof(std::uint64_t))}.number<std::uint64_t>())
    return refuse({"its checksum is wrong"});
  if (const std::string_view kind = from.text(); kind != info_kind) return refuse({other_kind(kind, info_kind)});
  cache_info info;
  info.version = from.number<std::uint32_t>();
  info.device = from.text();
  info.fingerprint = from.number<std::uint64_t>();
  const auto count = from.number<std::uint64_t>();
  for (std::uint64_t i = 0; from.ok && i < count && i < max_cache_files; ++i) {
    const auto size = from.number<std::uint64_t>();
    info.members.push_back({size, from.number<std::uint64_t>()});
    if (from.ok && size > max_cache_file_bytes)
      return refuse({"file ", i, " of the cache: got ", size, " bytes, expected at most ", max_cache_file_bytes});
  }
  if (count > max_cache_files) return refuse({"got ", count, " files of a cache, expected at most ", max_cache_files});
  if (!from.ok) return refuse({"ends before all that it should say of the cache's files"});
  return info;
}

inline found_cache unusable(std::string why) { return {cache_state::missing, std::move(why), {}}; }
}  // namespace detail

/// Looks for a cache with this label and version. `fingerprint` 0 accepts any model's cache.
inline found_cache look_up(const cache_place& place, const cache_label& label, std::uint32_t version) {
  const directory_lock lock(place.directory, directory_lock::use::reading);
  const auto info = detail::read_info(place);
  if (!info) return detail::unusable(info.error().message());
  if (info->device != label.device)
    return {cache_state::of_another_device,
            joined({place.info(), ": is for device ", piece::in_quotes(info->device), ", expected ",
                    piece::in_quotes(label.device)}),
            {}};
  if (info->version != version)
    return {info->version > version ? cache_state::newer : cache_state::older,
            joined({place.info(), ": has version ", info->version, ", expected ", version}),
            {}};
  if (label.fingerprint != 0 && info->fingerprint != label.fingerprint)
    return detail::unusable(place.info() + ": is of another model, or of other options");
  found_cache found{cache_state::usable, {}, {}};
  for (std::size_t i = 0; i < info->members.size(); ++i) {
    auto file = open_member(place.file(i), info->members[i].size, info->members[i]);
    if (!file) return detail::unusable(file.error().message());
    found.files.push_back(shared_bytes(std::move(*file)));
  }
  return found;
}

namespace detail {
/// The files of a cache, not yet written.
struct cache_files {
  std::vector<std::string> names;
  std::vector<std::span<const std::byte>> members;
  byte_list info;
};
inline cache_files files_of(const cache_place& place, const cache_label& label, std::uint32_t version,
                            const byte_lists& buffers) {
  cache_files made;
  byte_writer info;
  info.put(info_kind);
  info.put(version);
  info.put(std::string_view(label.device));
  info.put(label.fingerprint);
  info.put(std::uint64_t{buffers.size()});
  for (const byte_list& buffer : buffers) {
    made.names.push_back(place.file(made.names.size()));
    made.members.push_back(buffer);
    info.put(std::uint64_t{buffer.size()});
    info.put(digest_of(buffer));
  }
  info.put(digest_of(info.bytes));
  made.info = std::move(info.bytes);
  return made;
}
}  // namespace detail

/// Replaces the cache. Errors: io_failed and not_found, which leave the old cache intact; invalid_argument: another
/// process has stored a cache of a higher version.
inline result<void> store(const cache_place& place, const cache_label& label, std::uint32_t version,
                          const byte_lists& buffers) {
  const directory_lock lock(place.directory, directory_lock::use::writing);
  std::size_t old_members = 0;
  if (const auto old = detail::read_info(place)) {
    if (old->device == label.device && old->version > version)
      return fail(error_code::invalid_argument,
                  {place.info(), ": has version ", old->version, " by now, expected at most ", version});
    old_members = old->members.size();
    for (std::size_t i = 0; i < old_members; ++i)
      if (auto ok = finish_rename(place.file(i), old->members[i].size, old->members[i]); !ok) return ok;
  }
  const detail::cache_files files = detail::files_of(place, label, version, buffers);
  if (files.info.size() > max_info_bytes)
    return fail(error_code::io_failed,
                {place.info(), ": would have ", files.info.size(), " bytes, expected at most ", max_info_bytes});
  for (const byte_list& buffer : buffers)
    if (buffer.size() > max_cache_file_bytes)
      return fail(error_code::io_failed,
                  {place.info(), ": a buffer has ", buffer.size(), " bytes, expected at most ", max_cache_file_bytes});
  std::vector<std::string> all = files.names;
  for (std::size_t i = all.size(); i < old_members; ++i) all.push_back(place.file(i));
  all.push_back(place.info());
  remove_left_overs(lock, place.directory, all);
  auto stored = replace_group(files.names, files.members, place.info(), files.info);
  for (std::size_t i = buffers.size(); stored && i < old_members; ++i) (void)::unlink(place.file(i).c_str());
  return stored;
}

}}}  // namespace nnrt::NNRT_ISA::c_api
