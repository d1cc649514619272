// saved_model: saves networks as safetensors files and loads them; graphs are JSON metadata, weights are tensors.
// Flow: model::save() and the nnrt command write them; model::load() and the hbDNN functions read them; compile() takes
// the networks.
#pragma once

#include <nnrt/io/byte_stream.hpp>
#include <nnrt/io/graph_json.hpp>
#include <nnrt/io/model.hpp>
#include <nnrt/io/name_set.hpp>
#include <nnrt/io/safetensors_writer.hpp>
#include <nnrt/io/shared_bytes.hpp>
#include <nnrt/io/weights_builder.hpp>
#include <nnrt/io/write_file.hpp>
#include <nnrt/passes/check_graph.hpp>
#include <nnrt/policy/saved_input.hpp>
#include <nnrt/policy/saved_place.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA {

/// How callers get an output.
struct saved_output {
  // 4-bit values, two to a byte; values outside the 4-bit range are clamped to it
  std::optional<half_byte> packed = {};
};

/// A network with the data that is saved with it. The graph of a compiled network is the one that the accelerator runs:
/// its weights are quantised, and its quantised tensors have scales.
struct saved_model {
  model network;
  std::string name;                        // identifies the network in the file
  std::string architecture;                // architecture of bpu<…>, such as "bayes"; empty: not compiled
  std::vector<saved_place> places;         // of each node; empty when not compiled
  std::vector<saved_input> inputs;         // of each input of the graph; empty: not specified
  std::string made_by;                     // set on loading: "nnrt 0.1.0"
  std::vector<saved_output> outputs = {};  // of each output of the graph; empty: not specified

  bool is_compiled() const { return !architecture.empty(); }
};

/// Version of the file format. Files with another version are refused.
inline constexpr std::string_view saved_format = "2";

/// Serialises these networks as the bytes of one file. Tensors of a single network keep their names; those of several
/// are prefixed with the network's name: "b/fc.weight". Errors: invalid_argument (no network; a missing or repeated
/// name; lists whose lengths differ from the graph's; image settings that an input cannot have; names that are not
/// UTF-8; an invalid graph); rule_broken. Each message names the network.
inline result<byte_list> models_to_bytes(std::span<const saved_model> networks);
/// Writes such a file with write_file(). Errors as models_to_bytes() and write_file(); each message begins with the
/// path.
inline result<void> save_models(std::string_view path, std::span<const saved_model> networks);

/// Loads the networks of a file, in file order. The weights are read in place: the file is mapped while one of them
/// exists. Everything is checked: the format version, the digests of the header and of each tensor, names, indices, and
/// the operators' rules as in compile(). Errors begin with the path and name the fault and its place: not_found,
/// io_failed; invalid_file (not a saved model, or damaged); not_supported (another format version, an unknown
/// operator); rule_broken.
inline result<std::vector<saved_model>> load_models(std::string_view path);
/// Loads the networks from a file's bytes and keeps a copy of them. Errors as above, without a path.
inline result<std::vector<saved_model>> load_models(std::span<const std::byte> file);

// --- details ---------------------------------------------------------------
namespace detail {

inline constexpr std::string_view input_sources[] = {"ddr", "resizer"};
inline constexpr std::string_view layouts[] = {"native", "pytorch"};
inline constexpr std::string_view format_key = "nnrt.format", digest_key = "nnrt.digest", models_key = "nnrt.models";
inline constexpr std::string_view no_digest = "0000000000000000";

[[gnu::cold]] inline std::string hexadecimal(std::uint64_t number) {
  std::string digits(no_digest);
  for (std::size_t i = digits.size(); i-- > 0; number >>= 4U) digits[i] = "0123456789abcdef"[number & 15U];
  return digits;
}

/// Offset of the 16 digits of the digest in a header; the header's size if the key is missing. Strings in the header
/// cannot contain the searched text, because JSON escapes their quotes.
[[gnu::cold]] inline std::size_t place_of_digest(array_ref<const std::byte> header) {
  const std::string_view letters(reinterpret_cast<const char*>(header.data()), header.size());
  const std::string before = nnrt::joined({piece::in_quotes(digest_key), ":\""});
  const std::size_t at = letters.find(before);
  return at == letters.npos || letters.size() - at < before.size() + no_digest.size() ? letters.size()
                                                                                      : at + before.size();
}

// ---- What both sides check ----

/// Applies the checks of compile() to the graph, and checks that the lists have the graph's lengths.
[[gnu::cold]] inline result<void> check_saved(const saved_model& made) {
  const ir::graph& g = made.network.graph;
  if (made.name.empty()) return fail(error_code::invalid_argument, "a network has no name");
  if (auto ok = check_graph(g); !ok) return ok;
  ir::graph inferred = g;
  if (auto ok = infer_graph(inferred); !ok) return ok;
  for (const ir::node& n : g.nodes)  // the file format has no field for it
    if (n.left_open >= 0 && made.network.weights.order() == layout::pytorch) {
      const unlike_default& unsaid = n.op->traits.to_be_said[static_cast<std::size_t>(n.left_open)];
      return fail(error_code::invalid_argument,
                  {n.op->name, " is not told its ", unsaid.attribute, ", which weights of PyTorch ask for (",
                   unsaid.theirs, " there by default)"});
    }
  if (made.is_compiled() ? made.places.size() != g.nodes.size() : !made.places.empty())
    return fail(error_code::invalid_argument,
                {"got places of ", made.places.size(), " nodes, expected ", made.is_compiled() ? g.nodes.size() : 0});
  if (!made.inputs.empty() && made.inputs.size() != g.inputs.size())
    return fail(error_code::invalid_argument,
                {"got ", made.inputs.size(), " descriptions of inputs, expected ", g.inputs.size()});
  for (std::size_t i = 0; i < made.inputs.size(); ++i)
    if (auto ok = check_input(made.inputs[i], g, i); !ok) return ok;
  if (!made.outputs.empty() && made.outputs.size() != g.outputs.size())
    return fail(error_code::invalid_argument,
                {"got descriptions of ", made.outputs.size(), " outputs, expected ", g.outputs.size()});
  for (std::size_t i = 0; i < made.outputs.size(); ++i)
    if (const std::string fault = fault_of(made.outputs[i].packed, g.at(g.outputs[i].value).desc); !fault.empty())
      return fail(error_code::invalid_argument, {"output ", piece::in_quotes(g.name_of(g.outputs[i].name)), fault});
  return {};
}

// ---- Writing ----

/// Collects the tensors and the JSON of a file.
class model_writer {
 public:
  [[gnu::cold]] result<void> add(const saved_model& made, bool is_alone) {
    if (auto ok = check_saved(made); !ok)
      return fail(std::move(ok.error()).in(joined({"network ", piece::in_quotes(made.name)})));
    const std::string prefix = is_alone ? std::string() : made.name + "/";
    json_.begin_object().key("name").string(made.name).key("prefix").string(prefix).key("layout").string(
        layouts[static_cast<std::size_t>(made.network.weights.order())]);
    json_.key("weights").begin_array();
    for (const tensor_entry& tensor : made.network.weights.entries()) add_tensor(prefix, tensor);
    json_.end_array().key("constants").begin_array();
    const std::vector<std::string> constants = add_constants(prefix, made.network);
    json_.end_array().key("graph");
    write_graph(json_, made.network.graph,
                [&](std::int32_t id) -> std::string_view { return constants[static_cast<std::size_t>(id)]; });
    write_rest(made);
    json_.end_object();
    return {};
  }
  [[gnu::cold]] result<safetensors::outline> finish() && {
    json_.end_array().end_object();
    for (std::size_t i = 0; i < tensors_.size(); ++i) tensors_[i].name = names_[i];
    const metadata_entry texts[] = {{digest_key, no_digest}, {format_key, saved_format}, {models_key, json_.text()}};
    auto file = safetensors::outline_of(tensors_, texts);
    if (!file) return file;
    const std::string digest = hexadecimal(digest_of(array_ref<const std::byte>(file->header)));
    std::memcpy(file->header.data() + place_of_digest(file->header), digest.data(), digest.size());
    return file;
  }

 private:
  [[gnu::cold]] void add_tensor(std::string_view prefix, const tensor_entry& tensor) {
    names_.push_back(joined({prefix, tensor.name}));
    tensors_.push_back(tensor);
    json_.begin_object()
        .key("name")
        .string(tensor.name)
        .key("digest")
        .string(hexadecimal(digest_of(tensor.bytes)))
        .end_object();
  }
  /// Adds a tensor for each constant, under a name that no weight has. Returns the names, indexed by value.
  [[gnu::cold]] std::vector<std::string> add_constants(std::string_view prefix, const model& network) {
    const ir::graph& g = network.graph;
    std::vector<std::string> names(g.values.size());
    for (std::size_t id = 0; id < g.values.size(); ++id) {
      const ir::value& v = g.values[id];
      if (v.is != ir::kind::constant) continue;
      names[id] = joined({"constant ", id});
      while (network.weights.find(names[id]) != nullptr) names[id] += '\'';
      add_tensor(prefix, {names[id],
                          v.desc.type,
                          v.desc.shape,
                          {g.bytes.data() + v.first_byte, static_cast<std::size_t>(v.desc.bytes())}});
    }
    return names;
  }
  [[gnu::cold]] void write_rest(const saved_model& made) {
    json_.key("architecture").string(made.architecture).key("places").begin_array();
    for (const saved_place& at : made.places)
      json_.begin_object().key("accelerator").boolean(at.on_accelerator).key("why").string(at.why).end_object();
    json_.end_array().key("inputs").begin_array();
    for (const saved_input& in : made.inputs) {
      json_.begin_object().key("source").string(input_sources[static_cast<std::size_t>(in.source)]).key("image");
      if (in.is_image) write_image(in);
      else json_.null();
      if (in.packed) json_.key("packed").string(name_of(*in.packed));
      json_.end_object();
    }
    json_.end_array();
    if (made.outputs.empty()) return;
    json_.key("outputs").begin_array();
    for (const saved_output& out : made.outputs) {
      json_.begin_object();
      if (out.packed) json_.key("packed").string(name_of(*out.packed));
      json_.end_object();
    }
    json_.end_array();
  }
  [[gnu::cold]] void write_image(const saved_input& in) {
    json_.begin_object()
        .key("type")
        .string(name_of(in.given))
        .key("colours")
        .string(name_of(in.seen))
        .key("range")
        .string(name_of(in.range));
    for (const bool is_mean : {true, false}) {
      json_.key(is_mean ? "mean" : "scale").begin_array();
      for (const float number : is_mean ? in.by.mean : in.by.scale) write_real(json_, number);
      json_.end_array();
    }
    json_.end_object();
  }

  static json_writer begun() {
    json_writer json;
    json.begin_object().key("made_by").string(nnrt::joined({"nnrt ", version})).key("models").begin_array();
    return json;
  }

  json_writer json_ = begun();
  std::vector<tensor_entry> tensors_;
  std::vector<std::string> names_;  // of the tensors in the file
};

[[gnu::cold]] inline result<safetensors::outline> outline_of_models(std::span<const saved_model> networks) {
  if (networks.empty()) return fail(error_code::invalid_argument, "saved model: got 0 networks, expected at least 1");
  model_writer file;
  nnrt::detail::name_set names;
  const auto name_of = [&](std::size_t i) { return std::string_view(networks[i].name); };
  for (std::size_t i = 0; i < networks.size(); ++i) {
    if (names.has(networks[i].name, name_of))
      return fail(error_code::invalid_argument, {"two networks are called ", piece::in_quotes(networks[i].name)});
    names.add(networks[i].name, name_of);
    if (auto ok = file.add(networks[i], networks.size() == 1); !ok) return fail(std::move(ok.error()));
  }
  return std::move(file).finish();
}

// ---- Reading ----

/// Checks the format version and the header's digest. The digest covers the header with its own 16 digits set to zeros.
[[gnu::cold]] inline result<void> check_header(array_ref<const std::byte> file, const weights& contents) {
  const std::string_view* const format = contents.metadata(format_key);
  if (format == nullptr)
    return fail(error_code::invalid_file,
                {"its metadata have no ", piece::in_quotes(format_key), ", as those of a saved model do"});
  if (*format != saved_format)
    return fail(error_code::not_supported,
                {"it has format ", piece::in_quotes(*format), ", expected ", piece::in_quotes(saved_format)});
  const std::string_view* const digest = contents.metadata(digest_key);
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  byte_list header(file.data(), file.data() + sizeof length + length);
  const std::size_t at = place_of_digest(header);
  if (at == header.size() || digest == nullptr)
    return fail(error_code::invalid_file,
                {"its header is damaged: it has no ", piece::in_quotes(digest_key), " as nnrt writes it"});
  const std::string named(reinterpret_cast<const char*>(header.data() + at), no_digest.size());
  std::memcpy(header.data() + at, no_digest.data(), no_digest.size());
  const std::string got = hexadecimal(digest_of(array_ref<const std::byte>(header)));
  if (got != named || named != *digest)
    return fail(error_code::invalid_file, {"its header is damaged: got digest ", got, ", expected ",
                                           piece::in_quotes(got != named ? std::string_view(named) : *digest)});
  return {};
}

/// Reads the networks that a file's metadata describe. Stops at the first error.
class model_loader {
 public:
  /// `keeper` owns the memory of `contents`.
  model_loader(std::string_view json, const weights& contents, const weights& keeper)
      : json_(json), contents_(contents), keeper_(keeper) {
    uses_.assign(contents.entries().size(), use::none);
  }

  [[gnu::cold]] result<std::vector<saved_model>> read() {
    std::vector<saved_model> made;
    nnrt::detail::name_set names;
    json_.take(json_event::begin_object);
    const std::string made_by(json_.key("made_by").text());
    json_.key("models").list([&] {
      made.emplace_back();
      made.back().made_by = made_by;
      read_model(made.back());
      const auto name_of = [&](std::size_t i) { return std::string_view(made[i].name); };
      if (names.has(made.back().name, name_of) && json_.is_fine())
        refuse({error_code::invalid_file, "two networks have this name"}, made.back());
      else if (json_.is_fine()) names.add(made.back().name, name_of);
    });
    json_.take(json_event::end_object);
    json_.take(json_event::end);
    if (!wrong_) return fail(std::move(wrong_.error()));
    if (!json_.is_fine())
      return fail(error(are_known_ ? error_code::invalid_file : error_code::not_supported, json_.reason().message())
                      .in(models_key));
    if (made.empty()) return fail(error_code::invalid_file, {models_key, ": describes no network"});
    if (tensors_ != contents_.entries().size())
      return fail(error_code::invalid_file,
                  {models_key, ": describes ", tensors_, " tensors, but the file has ", contents_.entries().size()});
    return made;
  }

 private:
  /// How a tensor of the file has been used so far.
  enum class use : char { none, described, copied };
  use& use_of(const tensor_entry& tensor) {
    return uses_[static_cast<std::size_t>(&tensor - contents_.entries().data())];
  }
  [[gnu::cold]] void refuse_second(const saved_model& of, std::string_view name, std::string_view why) {
    refuse({error_code::invalid_file, {"tensor ", piece::in_quotes(name), " ", why}}, of);
  }

  /// Stops reading with an error that is not a JSON error.
  [[gnu::cold]] void refuse(error why, const saved_model& of) {
    if (!json_.is_fine()) return;
    wrong_ = fail(std::move(why).in(nnrt::joined({"network ", piece::in_quotes(of.name)})));
    json_.refuse({"refused"});
  }

  [[gnu::cold]] void read_model(saved_model& made) {
    json_.take(json_event::begin_object);
    made.name = json_.key("name").text();
    const std::string prefix(json_.key("prefix").text());
    weights_builder tensors;
    tensors.keep(keeper_);
    tensors.order(static_cast<layout>(json_.key("layout").one_of(layouts)));
    json_.key("weights").list([&] {
      std::string name;
      if (const tensor_entry* const found = read_tensor(made, prefix, name))
        tensors.add(name, found->type, found->shape, found->bytes);
    });
    json_.key("constants").list([&] {
      std::string name;
      read_tensor(made, prefix, name);
    });
    ir::graph& g = made.network.graph;
    are_known_ = read_graph(json_.key("graph"), g,
                            [&](const std::string& name, ir::value& v) { copy_constant(made, prefix, name, v); });
    read_rest(made);
    json_.take(json_event::end_object);
    if (!json_.is_fine()) return;
    auto kept = std::move(tensors).finish();
    if (!kept) return refuse(error(error_code::invalid_file, kept.error().message()), made);
    made.network.weights = std::move(*kept);
    if (auto ok = check_saved(made); !ok)
      refuse(ok.error().code() == error_code::rule_broken ? std::move(ok.error())
                                                          : error(error_code::invalid_file, ok.error().message()),
             made);
  }

  [[gnu::cold]] const tensor_entry* find(const saved_model& made, std::string_view prefix, std::string_view name) {
    const tensor_entry* const found = contents_.find(nnrt::joined({prefix, name}));
    if (found == nullptr)
      refuse({error_code::invalid_file, {"tensor ", piece::in_quotes(name), " is not in the file"}}, made);
    return found;
  }
  /// Reads a tensor's name and digest, finds the tensor and checks the digest of its bytes. Null on an error.
  [[gnu::cold]] const tensor_entry* read_tensor(const saved_model& made, std::string_view prefix, std::string& name) {
    json_.take(json_event::begin_object);
    name = json_.key("name").text();
    const std::string digest(json_.key("digest").text());
    json_.take(json_event::end_object);
    const tensor_entry* const found = json_.is_fine() ? find(made, prefix, name) : nullptr;
    if (found == nullptr) return nullptr;
    if (use_of(*found) != use::none) return refuse_second(made, name, "is described twice"), nullptr;
    use_of(*found) = use::described;
    ++tensors_;
    const std::string got = hexadecimal(digest_of(found->bytes));
    if (got != digest)
      refuse({error_code::invalid_file,
              {"tensor ", piece::in_quotes(name), ": its bytes are damaged: got digest ", got, ", expected ",
               piece::in_quotes(digest)}},
             made);
    return found;
  }
  /// Copies the elements of a constant to an offset that is a multiple of 64. Each constant needs a separate tensor:
  /// many constants that copy one large tensor would exhaust memory.
  [[gnu::cold]] void copy_constant(saved_model& made, std::string_view prefix, const std::string& name, ir::value& v) {
    const tensor_entry* const found = find(made, prefix, name);
    if (found == nullptr) return;
    if (found->type != v.desc.type || found->shape != v.desc.shape)
      return refuse({error_code::invalid_file,
                     {"tensor ",
                      piece::in_quotes(name),
                      ": got ",
                      {found->type, found->shape},
                      ", expected ",
                      {v.desc.type, v.desc.shape}}},
                    made);
    if (use_of(*found) == use::copied) return refuse_second(made, name, "is read as two constants");
    use_of(*found) = use::copied;
    pool<std::byte>& bytes = made.network.graph.bytes;
    while (bytes.size() % 64 != 0) bytes.push_back(std::byte{});
    v.first_byte = static_cast<std::int64_t>(bytes.size());
    bytes.insert(found->bytes.data(), found->bytes.data() + found->bytes.size());
  }

  [[gnu::cold]] void read_rest(saved_model& made) {
    made.architecture = json_.key("architecture").text();
    json_.key("places").list([&] {
      json_.take(json_event::begin_object);
      const bool on_accelerator = json_.key("accelerator").flag();
      made.places.push_back({on_accelerator, std::string(json_.key("why").text())});
      json_.take(json_event::end_object);
    });
    json_.key("inputs").list([&] {
      saved_input in;
      json_.take(json_event::begin_object);
      in.source = static_cast<input_source>(json_.key("source").one_of(input_sources));
      in.is_image = !json_.key("image").comes(json_event::null);
      if (in.is_image) read_image(in);
      else json_.take(json_event::null);
      in.packed = read_packed();
      json_.take(json_event::end_object);
      made.inputs.push_back(in);
    });
    if (json_.comes(json_event::end_object)) return;
    json_.key("outputs").list([&] {
      json_.take(json_event::begin_object);
      made.outputs.push_back({read_packed()});
      json_.take(json_event::end_object);
    });
  }
  /// Reads the optional member "packed" of an object.
  [[gnu::cold]] std::optional<half_byte> read_packed() {
    if (json_.comes(json_event::end_object)) return {};
    return static_cast<half_byte>(json_.key("packed").one_of(names_of<half_byte, 2>));
  }
  [[gnu::cold]] void read_image(saved_input& in) {
    json_.take(json_event::begin_object);
    in.given = static_cast<image_type>(json_.key("type").one_of(names_of<image_type, 6>));
    in.seen = static_cast<colours>(json_.key("colours").one_of(names_of<colours, 4>));
    in.range = static_cast<colour_range>(json_.key("range").one_of(names_of<colour_range, 2>));
    for (const bool is_mean : {true, false}) {
      std::size_t count = 0;
      json_.key(is_mean ? "mean" : "scale").list([&] {
        const float number = json_.real();
        if (count == 3) return void(json_.refuse({"expected 3 numbers, got more"}));
        (is_mean ? in.by.mean : in.by.scale)[count++] = number;
      });
      if (count != 3) json_.refuse({"got ", count, " numbers, expected 3"});
    }
    json_.take(json_event::end_object);
  }

  member_reader json_;
  const weights& contents_;
  const weights& keeper_;
  result<void> wrong_;
  bool are_known_ = true;    // false: an operator is unknown
  std::size_t tensors_ = 0;  // number of tensors read
  pool<use> uses_;           // of each tensor of the file
};

[[gnu::cold]] inline result<std::vector<saved_model>> load_models(const shared_bytes& file) {
  const auto contents = weights::parse({file.bytes().data(), file.bytes().size()});
  if (!contents) return fail(contents.error());
  if (auto ok = check_header(file.bytes(), *contents); !ok) return fail(std::move(ok.error()));
  const std::string_view* const json = contents->metadata(models_key);
  if (json == nullptr) return fail(error_code::invalid_file, {"its metadata have no ", piece::in_quotes(models_key)});
  return model_loader(*json, *contents, file.keeper()).read();
}

/// The network of a file that has exactly one. Error: invalid_argument.
[[gnu::cold]] inline result<model> only_one(std::vector<saved_model>&& all) {
  if (all.size() == 1) return std::move(all.front().network);
  return fail(error_code::invalid_argument,
              {"got a file with ", all.size(), " networks, expected 1: load_models() reads them"});
}

/// The name under which a single network is saved: the file's name without its folder and extension.
[[gnu::cold]] inline std::string stem_of(std::string_view path) {
  path.remove_prefix(path.find_last_of('/') + 1);
  const std::size_t point = path.find_last_of('.');
  return std::string(point == 0 || point == path.npos ? path : path.substr(0, point));
}

}  // namespace detail

inline result<byte_list> models_to_bytes(std::span<const saved_model> networks) {
  auto file = detail::outline_of_models(networks);
  if (!file) return fail(std::move(file.error()));
  byte_list bytes = std::move(file->header);
  for (const auto piece : file->data) bytes.insert(bytes.end(), piece.begin(), piece.end());
  return bytes;
}

inline result<void> save_models(std::string_view path, std::span<const saved_model> networks) {
  auto file = detail::outline_of_models(networks);
  if (!file) return fail(std::move(file.error()).in(path));
  file->data.insert(file->data.begin(), file->header);
  return write_file(path, file->data);
}

inline result<std::vector<saved_model>> load_models(std::string_view path) {
  auto file = mapped_file::open(path);
  if (!file) return fail(std::move(file.error()));
  auto made = detail::load_models(shared_bytes(std::move(*file)));
  if (!made) return fail(std::move(made.error()).in(path));
  return made;
}

inline result<std::vector<saved_model>> load_models(std::span<const std::byte> file) {
  if (const auto contents = weights::parse(file); !contents)
    return fail(contents.error());  // check before copying: a large invalid file is not copied
  return detail::load_models(shared_bytes::copy_of(array_ref<const std::byte>(file.data(), file.size())));
}

inline result<void> model::save(std::string_view path) const {
  const saved_model all[] = {
      {.network = *this, .name = detail::stem_of(path), .architecture = {}, .places = {}, .inputs = {}, .made_by = {}}};
  return save_models(path, all);
}

inline result<model> model::load(std::string_view path) {
  auto all = load_models(path);
  if (!all) return fail(std::move(all.error()));
  auto made = detail::only_one(std::move(*all));
  if (!made) return fail(std::move(made.error()).in(path));
  return made;
}

inline result<model> model::load(std::span<const std::byte> file) {
  auto all = load_models(file);
  return all ? detail::only_one(std::move(*all)) : fail(std::move(all.error()));
}

}}  // namespace nnrt::NNRT_ISA
