// bind_weights: matches the tensors of a file with the weights that a network names; reports all mismatches at once.
// Flow: executors and compile() call it first; kernels read the weights through the pointers of bound_weights.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/channel_scales.hpp>
#include <nnrt/core/desc.hpp>
#include <nnrt/core/pool.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/io/weights.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// The use of a weight in a network. It decides how the axes of a PyTorch tensor are reordered.
enum class weight_use {
  plain,
  conv2d,
  depthwise_conv2d,
  conv2d_transpose,
  full_connection,
  columns,
  product,
  gates,
  map
};

/// An attribute that a network leaves at nnrt's default, where the default of the file's framework differs.
struct open_attribute {
  std::string_view op = {}, attribute = {}, theirs = {};  // theirs: the framework's default
};

/// A weight that a network names. `desc` is in the operator's axis order. The strings must be valid only during the
/// call of bind_weights().
struct weight_spec {
  std::string_view name = {};
  tensor_desc desc = {};
  weight_use use = weight_use::plain;
  std::int64_t group = 1;  // group count of conv2d and conv2d_transpose
  /// Shape [N, H, W, C] of the feature map that is flattened into this weight's columns. Rank 0: no map is flattened.
  shape_t flattened = {};
  /// True when the network reads the weight in two orders, or in one that does not follow from a feature map. Such a
  /// weight cannot be reordered.
  bool contradicts = false;
  /// True when the elements are the per-channel scales of another tensor.
  bool is_scales = false;
  /// Shape [N, H, W, C] of the feature map that is made from the result's columns (full_connection, product). Rank 0:
  /// none.
  shape_t made_into = {};
  /// For weight_use::gates: the number of elements of one of the four gates.
  std::int64_t gate_elements = 0;
  /// Why this weight cannot be reordered from another framework's axis order. Empty: it can.
  const char* refused = "";
  /// The attribute that the first node reading this weight leaves at its default.
  open_attribute open = {};
  /// As `open`, for a node without weights. Only the first spec of a network carries it.
  open_attribute open_elsewhere = {};
};

class bound_weights;
/// As bind_weights(file, specs), into `bound`, which must be empty.
template <class = void>
[[gnu::cold]] result<void> bind_weights(const weights& file, array_ref<const weight_spec> specs, bound_weights& bound);

/// Pointers to the weights of a network, in the order of its specs. Each tensor is dense, row-major, aligned to its
/// element size and in the operator's axis order. The object keeps the `weights` alive that it points into.
class bound_weights {
 public:
  bound_weights() = default;
  bound_weights(bound_weights&&) noexcept = default;
  bound_weights& operator=(bound_weights&&) noexcept = default;

  /// Makes bound weights from stored pointers into memory of `keeper`. A pointer is null when only the packed weights
  /// were stored.
  static bound_weights stored(pool<const std::byte*>&& pointers, const weights& keeper) {
    bound_weights made;
    made.source_ = keeper;
    made.copied_.assign(pointers.size(), 0);
    made.pointers_ = static_cast<pool<const std::byte*>&&>(pointers);
    return made;
  }

  /// One pointer for each spec, to `desc.bytes()` bytes. A pointer is null only for a tensor without elements, or after
  /// stored().
  array_ref<const std::byte* const> pointers() const { return {pointers_.data(), pointers_.size()}; }
  /// True when the weight at this index was copied: its axes were reordered, or its bytes were not aligned.
  bool is_copy(std::size_t index) const { return copied_[index] != 0; }
  const weights& source() const { return source_; }

 private:
  template <class>
  friend result<void> bind_weights(const weights& file, array_ref<const weight_spec> specs, bound_weights& bound);

  weights source_;
  detail::aligned_memory copies_;
  pool<const std::byte*> pointers_;
  pool<unsigned char> copied_;
};

/// Finds the tensor of each spec, checks its dtype and shape, and reorders its elements if the file's axis order
/// (`weights::order()`) differs from nnrt's.
///
/// Reordering from layout::pytorch, with the file's shape on the left:
///   conv2d            [outC, inC/group, kH, kW] becomes [outC, kH, kW, inC/group]
///   depthwise_conv2d  [outC, 1, kH, kW] becomes [outC, kH, kW, 1]
///   conv2d_transpose  [inC, outC/group, kH, kW] becomes [outC, kH, kW, inC/group]
///   full_connection   [out, in] is unchanged; if the input is a flattened [N, H, W, C], columns go from C,H,W to H,W,C
///                     order
///   columns           one number per column of a flattened [N, H, W, C]: C,H,W order becomes H,W,C order
///   product           [in, out], the second factor of a matmul, is unchanged; rows and columns are reordered as in
///                     full_connection
///   gates             rows of the gates i, f, g, o of an lstm's weights or biases become i, o, f, g; [4H, n] is
///                     accepted for [1, 4H, n]
///   map               [N, C, H, W] or [C, H, W], aligned with a feature map, becomes [N, H, W, C] or [H, W, C]; a
///                     tensor that has the latter shape is unchanged; an ambiguous shape is refused
///   plain             unchanged
///
/// Rows of full_connection and product that become a map [N, H, W, C] go from C,H,W to H,W,C order. A weight is refused
/// if `contradicts` is true or `refused` is not empty: no single order serves all its readers. It is also refused if
/// `open` names an attribute whose default differs from PyTorch's.
///
/// Errors: invalid_argument. The message has one line for each missing, superfluous, mistyped and misshapen tensor,
/// with the expected and the actual type and shape. Dtypes are not converted. A tensor is superfluous when no spec
/// names it; PyTorch's counters "….num_batches_tracked" are ignored. Two specs may have the same name. Per-channel
/// scales must be finite and not negative.
[[gnu::cold]] inline result<bound_weights> bind_weights(const weights& file, array_ref<const weight_spec> specs);

// --- details ---------------------------------------------------------------
namespace detail {

/// Describes how a weight's elements are read from the file. Element (i0, …) of `extents` is at offset sum(i * stride),
/// counted in elements. The extents are the wanted shape with some axes split (groups, flattened columns). Splitting an
/// axis does not change the row-major order of the result.
struct gathering {
  shape_t extents, strides;

  void axis(std::int64_t extent, std::int64_t stride) { extents.push_back(extent), strides.push_back(stride); }
  /// True when the file already has the elements in the wanted order.
  bool is_in_order() const {
    const shape_t dense = row_major_strides(extents);
    for (int i = 0; i < extents.rank; ++i)
      if (extents[i] > 1 && strides[i] != dense[i]) return false;
    return true;
  }
};

/// The shape that a spec expects in the file, and the reordering to apply.
struct expectation {
  shape_t shape;
  gathering from;                  // rank 0: the elements are copied in order
  const char* why = "";            // not empty when the spec itself is invalid
  std::int64_t gate_elements = 0;  // above 0: each four blocks of this many elements are permuted
  shape_t also = {};               // an alternative shape that the file's tensor may have
  bool also_as_it_is = false;      // a tensor of the shape `also` is not reordered
};

/// Reads [outC, kH, kW, inC/group] from PyTorch's order. conv2d_transpose splits `outC` into groups, because PyTorch
/// stores the groups with the input channels.
[[gnu::cold]] inline expectation expected_convolution(const weight_spec& spec) {
  const shape_t& s = spec.desc.shape;
  if (s.rank != 4 || s.elements() < 1)
    return {s, {}, "is used by a convolution, which takes known extents [outC, kH, kW, inC/group]"};
  if (spec.group < 1 || s[0] % spec.group != 0)
    return {s, {}, "is used by a convolution whose group does not divide its output channels"};
  const std::int64_t window = s[1] * s[2], in = s[3];
  expectation e;
  if (spec.use == weight_use::conv2d_transpose) {
    const std::int64_t out = s[0] / spec.group;
    e.shape = {in * spec.group, out, s[1], s[2]};
    e.from.axis(spec.group, in * out * window);
    e.from.axis(out, window);
    e.from.axis(s[1], s[2]);
    e.from.axis(s[2], 1);
    e.from.axis(in, out * window);
  } else {
    e.shape = {s[0], in, s[1], s[2]};
    e.from.axis(s[0], in * window);
    e.from.axis(s[1], s[2]);
    e.from.axis(s[2], 1);
    e.from.axis(in, window);
  }
  return e;
}

/// Appends an axis with this stride. If the axis is a flattened map [N, H, W, C], the file has it in C,H,W order and
/// three axes are appended. A map of rank other than 4 means that nothing was flattened.
[[gnu::cold]] inline void gather_axis(gathering& from, const shape_t& map, std::int64_t extent, std::int64_t stride) {
  if (map.rank != 4) return from.axis(extent, stride);
  const std::int64_t h = map[1], w = map[2], c = map[3];
  from.axis(h, w * stride);
  from.axis(w, stride);
  from.axis(c, h * w * stride);
}

[[gnu::cold]] inline expectation expected_linear(const weight_spec& spec) {
  const shape_t &s = spec.desc.shape, &map = spec.flattened, &made = spec.made_into;
  if (map.rank != 4 && made.rank != 4) return {s, {}, ""};
  constexpr const char* misfit = "has other columns than the feature map that is flattened into them has elements";
  const bool is_of_columns = spec.use == weight_use::columns;
  if ((is_of_columns ? s.rank < 1 : s.rank != 2) || s.elements() < 0) return {s, {}, misfit};
  expectation e{s, {}, ""};
  if (is_of_columns) {
    if (map.elements(1) != s[s.rank - 1] || s.elements() != map.elements(1)) return {s, {}, misfit};
    gather_axis(e.from, map, s.elements(), 1);
    return e;
  }
  const bool is_product = spec.use == weight_use::product;  // [in, out]
  const shape_t &first = is_product ? map : made, &second = is_product ? made : map;
  if ((first.rank == 4 && first.elements(1) != s[0]) || (second.rank == 4 && second.elements(1) != s[1]))
    return {s, {}, misfit};
  gather_axis(e.from, first, s[0], s[1]);
  gather_axis(e.from, second, s[1], 1);
  return e;
}

/// Rows of four gates. PyTorch stores one matrix of rank 2 per direction, so the leading extent 1 is optional.
[[gnu::cold]] inline expectation expected_gates(const weight_spec& spec) {
  expectation e{spec.desc.shape, {}, ""};
  if (spec.gate_elements < 1 || spec.desc.elements() % (4 * spec.gate_elements) != 0)
    e.why = "is used by an lstm, but has no rows of four gates";
  e.gate_elements = spec.gate_elements;
  if (spec.desc.rank() < 2 || spec.desc.shape[0] != 1) return e;
  e.also = e.shape;
  e.shape = {};
  for (int axis = 1; axis < spec.desc.rank(); ++axis) e.shape.push_back(spec.desc.shape[axis]);
  return e;
}

/// Reads [.., H, W, C] from [.., C, H, W]; also accepts [.., H, W, C] unchanged.
[[gnu::cold]] inline expectation expected_map(const weight_spec& spec) {
  const shape_t& s = spec.desc.shape;
  if (s.rank < 3 || s.elements() < 1) return {s, {}, ""};
  const std::int64_t h = s[-3], w = s[-2], c = s[-1], maps = s.elements() / (h * w * c);
  expectation e{s, {}, ""};
  e.shape[-3] = c, e.shape[-2] = h, e.shape[-1] = w;
  e.from.axis(maps, c * h * w);
  e.from.axis(h, w);
  e.from.axis(w, 1);
  e.from.axis(c, h * w);
  e.also = s, e.also_as_it_is = true;
  if (e.shape == s && !e.from.is_in_order())
    e.why =
        "is read with a feature map, and its shape does not tell whether the file has it in C,H,W or in H,W,C order: "
        "put it into nnrt's order and open the file with nnrt::layout::native";
  return e;
}

/// The shape and reordering that this spec expects in a file with the axis order `order`.
[[gnu::cold]] inline expectation expected_in_file(const weight_spec& spec, layout order) {
  if (order == layout::native) return {spec.desc.shape, {}, ""};
  if (spec.contradicts)
    return {spec.desc.shape,
            {},
            "is read in two orders, or after a flattened feature map whose columns were joined, cut or normalised: "
            "put it into nnrt's order and open the file with nnrt::layout::native"};
  if (spec.refused[0] != '\0') return {spec.desc.shape, {}, spec.refused};
  switch (spec.use) {
    case weight_use::conv2d:
    case weight_use::depthwise_conv2d:
    case weight_use::conv2d_transpose: return expected_convolution(spec);
    case weight_use::full_connection:
    case weight_use::product:
    case weight_use::columns: return expected_linear(spec);
    case weight_use::gates: return expected_gates(spec);
    case weight_use::map: return expected_map(spec);
    case weight_use::plain: break;
  }
  return {spec.desc.shape, {}, ""};
}

[[gnu::cold]] inline void gather(const gathering& from, std::size_t element_bytes, const std::byte* source,
                                 std::byte* target) {
  std::int64_t at[max_rank] = {};
  std::int64_t offset = 0;
  for (std::int64_t left = from.extents.elements(); left > 0; --left) {
    const std::byte* const element = source + static_cast<std::size_t>(offset) * element_bytes;
    if (element_bytes == 4) std::memcpy(target, element, 4);  // one move instruction; most weights are f32
    else std::memcpy(target, element, element_bytes);
    target += element_bytes;
    for (int axis = from.extents.rank; axis-- > 0;) {
      offset += from.strides[axis];
      if (++at[axis] < from.extents[axis]) break;
      offset -= from.strides[axis] * at[axis];
      at[axis] = 0;
    }
  }
}

/// Permutes each four blocks 0, 1, 2, 3 to 0, 3, 1, 2: gates i, f, g, o become i, o, f, g.
[[gnu::cold]] inline void gather_gates(std::size_t bytes, std::size_t gate_bytes, const std::byte* source,
                                       std::byte* target) {
  for (std::size_t at = 0; at < bytes; at += 4 * gate_bytes)
    for (const std::size_t piece : {0U, 3U, 1U, 2U})
      std::memcpy(target, source + at + piece * gate_bytes, gate_bytes), target += gate_bytes;
}

/// Longest name, in characters, for which a similar name is suggested.
inline constexpr std::size_t max_guessed_name = 200;

/// Edit distance (insert, delete, replace) of `a` and `b`. Both have at most max_guessed_name characters.
[[gnu::cold]] inline std::size_t edits_between(std::string_view a, std::string_view b) {
  std::size_t row[max_guessed_name + 1];
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min(replaced, std::min(row[j], diagonal) + 1);
    }
  }
  return row[b.size()];
}

/// True when one name is the other with a module prefix: "module.conv1.weight" and "conv1.weight".
constexpr bool differ_by_prefix(std::string_view a, std::string_view b) {
  const std::string_view longer = a.size() < b.size() ? b : a, shorter = a.size() < b.size() ? a : b;
  return longer.size() > shorter.size() + 1 && longer.ends_with(shorter) &&
         longer[longer.size() - shorter.size() - 1] == '.';
}

/// Collects all mismatches as lines of one message.
class weight_diagnostics {
 public:
  weight_diagnostics(const weights& file, array_ref<const weight_spec> specs) : file_(file), specs_(specs) {
    used_.assign(file.entries().size(), 0);
  }

  /// Returns the spec's tensor if its dtype and shape match, else null. Adds a line on a mismatch, but not on a missing
  /// tensor.
  const tensor_entry* check(const weight_spec& spec, expectation& expected);
  /// Adds lines on attributes that the network leaves at a default that differs from PyTorch's.
  void check_defaults();
  /// Adds lines on missing tensors, each with the most similar superfluous name, and on superfluous tensors.
  void check_names();
  bool any() const { return count_ > 0; }
  error reason() const;

 private:
  /// Begins a line about this weight or tensor.
  void complain(std::string_view name, pieces text) {
    append(lines_, {"\n  ", piece::in_quotes(name), ": "});
    append(lines_, text);
    ++count_;
  }
  std::string_view hint_of_order(const weight_spec& spec, const shape_t& got) const;
  std::string_view nearest_superfluous(std::string_view name);
  bool is_ignored(const tensor_entry& tensor) const {
    constexpr std::string_view counter = "num_batches_tracked";
    return file_.order() == layout::pytorch &&
           (tensor.name == counter || tensor.name.ends_with(".num_batches_tracked"));
  }

  bool is_projection(std::string_view name) const {
    const std::size_t dot = name.rfind('.');
    return file_.order() == layout::pytorch &&
           name.substr(dot == std::string_view::npos ? 0 : dot + 1).starts_with("weight_hr_l");
  }

  const weights& file_;
  array_ref<const weight_spec> specs_;
  pool<unsigned char> used_;
  std::size_t guesses_left_ = 10'000;  // bounds the time that a hostile file can cost
  std::size_t looks_left_ = 1'000'000;
  std::size_t count_ = 0;
  pool<char> lines_;
};

[[gnu::cold]] inline std::string_view weight_diagnostics::hint_of_order(const weight_spec& spec,
                                                                        const shape_t& got) const {
  const bool is_native = file_.order() == layout::native;
  const expectation other = expected_in_file(spec, is_native ? layout::pytorch : layout::native);
  if (other.why[0] != '\0' || !(got == other.shape)) return {};
  return is_native ? " (this is PyTorch's order: open the file with nnrt::layout::pytorch)"
                   : " (this is nnrt's order: open the file with nnrt::layout::native)";
}

[[gnu::cold]] inline const tensor_entry* weight_diagnostics::check(const weight_spec& spec, expectation& expected) {
  const tensor_entry* found = file_.find(spec.name);
  if (found != nullptr) used_[static_cast<std::size_t>(found - file_.entries().data())] = 1;
  if (expected.why[0] != '\0')
    return complain(spec.name, {"expected ", {spec.desc.type, spec.desc.shape}, " ", expected.why}), nullptr;
  if (found == nullptr) return nullptr;  // check_names() reports it
  if (expected.also.rank > 0 && found->shape == expected.also && !(found->shape == expected.shape)) {
    expected.shape = expected.also;
    if (expected.also_as_it_is) expected.from = {};
  }
  const bool same_type = found->type == spec.desc.type, same_shape = found->shape == expected.shape;
  if (same_type && same_shape) {
    if (spec.is_scales)
      if (const std::string fault = fault_of_channel_scales({found->bytes.data(), found->bytes.size()}); !fault.empty())
        return complain(spec.name, {fault}), nullptr;
    return found;
  }
  complain(spec.name, {"got ",
                       {found->type, found->shape},
                       ", expected ",
                       {spec.desc.type, expected.shape},
                       same_type ? "" : " (dtypes are not converted)",
                       same_shape ? "" : hint_of_order(spec, found->shape)});
  return nullptr;
}

[[gnu::cold]] inline std::string_view weight_diagnostics::nearest_superfluous(std::string_view name) {
  std::string_view nearest;
  std::size_t fewest = std::min<std::size_t>(name.size() / 4 + 2, name.size());
  for (std::size_t i = 0; i < used_.size() && guesses_left_ > 0 && looks_left_ > 0; ++i, --looks_left_) {
    const std::string_view candidate = file_.entries()[i].name;
    if (used_[i] != 0 || candidate.size() > max_guessed_name || name.size() > max_guessed_name) continue;
    --guesses_left_;
    if (differ_by_prefix(name, candidate)) return candidate;
    const std::size_t edits = edits_between(name, candidate);
    if (edits < fewest) fewest = edits, nearest = candidate;
  }
  return nearest;
}

[[gnu::cold]] inline void weight_diagnostics::check_names() {
  for (const weight_spec& spec : specs_) {
    const expectation expected = expected_in_file(spec, file_.order());
    if (expected.why[0] != '\0' || file_.find(spec.name) != nullptr) continue;
    const std::string_view nearest = nearest_superfluous(spec.name);
    complain(spec.name, {"missing: got no such tensor, expected ", {spec.desc.type, expected.shape}});
    if (!nearest.empty()) append(lines_, {"; did you mean ", piece::in_quotes(nearest), "?"});
  }
  for (std::size_t i = 0; i < used_.size(); ++i) {
    const tensor_entry& tensor = file_.entries()[i];
    if (used_[i] == 0 && !is_ignored(tensor))
      complain(tensor.name,
               {"superfluous: got ",
                {tensor.type, tensor.shape},
                ", expected no such tensor",
                is_projection(tensor.name) ? " (the projection of an LSTM, which lstm does not have)" : ""});
  }
}

[[gnu::cold]] inline void weight_diagnostics::check_defaults() {
  if (file_.order() != layout::pytorch) return;
  const auto complain_of = [&](const open_attribute& open) {
    append(lines_, {open.op, " is not told its ", open.attribute, ", and nnrt's default is not PyTorch's (",
                    open.theirs, "), which the file does not hold: say what the network was trained with"});
  };
  for (const weight_spec& spec : specs_) {
    if (!spec.open.op.empty()) complain(spec.name, {}), complain_of(spec.open);
    if (!spec.open_elsewhere.op.empty()) append(lines_, {"\n  "}), complain_of(spec.open_elsewhere), ++count_;
  }
}

[[gnu::cold]] inline error weight_diagnostics::reason() const {
  return {error_code::invalid_argument,
          {"weights do not fit (", used_.size(), " tensors there, ", specs_.size(),
           " weights named by the network):", letters_of(lines_)}};
}

/// True when the elements cannot be read in place: they need reordering, or their address is not aligned to their size.
[[gnu::cold]] inline bool has_to_be_copied(const tensor_entry& tensor, const expectation& expected) {
  const auto element_bytes = static_cast<std::uintptr_t>(size_of(tensor.type));
  return expected.gate_elements > 0 || !expected.from.is_in_order() ||
         reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % element_bytes != 0;
}
[[gnu::cold]] inline const std::byte* copy_of(const tensor_entry& tensor, const expectation& expected,
                                              aligned_memory& memory) {
  std::byte* const copy = memory.allocate(tensor.bytes.size());
  const gathering& from = expected.from;
  const auto gate_bytes = static_cast<std::size_t>(expected.gate_elements * size_of(tensor.type));
  if (gate_bytes > 0) gather_gates(tensor.bytes.size(), gate_bytes, tensor.bytes.data(), copy);
  else if (!from.is_in_order()) gather(from, static_cast<std::size_t>(size_of(tensor.type)), tensor.bytes.data(), copy);
  else if (copy != nullptr) std::memcpy(copy, tensor.bytes.data(), tensor.bytes.size());
  return copy;
}
}  // namespace detail

[[gnu::cold]] inline result<bound_weights> bind_weights(const weights& file, array_ref<const weight_spec> specs) {
  bound_weights bound;
  if (auto ok = bind_weights(file, specs, bound); !ok) return fail(std::move(ok.error()));
  return bound;
}

template <class>
[[gnu::cold]] result<void> bind_weights(const weights& file, array_ref<const weight_spec> specs, bound_weights& bound) {
  detail::weight_diagnostics diagnostics(file, specs);
  bound.source_ = file;
  for (const weight_spec& spec : specs) {
    detail::expectation expected = detail::expected_in_file(spec, file.order());
    const tensor_entry* tensor = diagnostics.check(spec, expected);
    if (tensor == nullptr) continue;
    const bool is_copied = detail::has_to_be_copied(*tensor, expected);
    bound.copied_.push_back(is_copied);
    bound.pointers_.push_back(is_copied ? detail::copy_of(*tensor, expected, bound.copies_) : tensor->bytes.data());
  }
  diagnostics.check_names();
  diagnostics.check_defaults();
  if (diagnostics.any()) return fail(diagnostics.reason());
  return {};
}
NNRT_COMPILED_ONCE(result<void> bind_weights<>(const weights&, array_ref<const weight_spec>, bound_weights&))

}}  // namespace nnrt::NNRT_ISA
