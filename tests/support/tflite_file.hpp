// tflite_file: small .tflite files written by hand, right or wrong, with TFLite's slots and numbers written down a
// second time.
#pragma once

#include <flatbuffers/flatbuffer_builder.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <variant>
#include <vector>

namespace tflite_test {

// Element types.
inline constexpr int float32 = 0, float16 = 1, int32 = 2, uint8 = 3, int64 = 4, string = 5, boolean = 6, int16 = 7,
                     int8 = 9, float64 = 10, uint64 = 12, resource = 13, variant = 14, int4 = 17;

/// A field of an operator's options.
struct field {
  int slot;
  std::variant<std::int8_t, std::int32_t, float, bool, std::vector<std::int32_t>, std::string> value;
};
/// The options of an operator; tag 0: none.
struct options {
  int tag = 0;
  std::vector<field> fields;
};

struct quantized {
  std::vector<float> scale;
  std::vector<std::int64_t> zero_point;
  int axis = 0;
  bool custom = false;
};

/// How an axis of a sparse tensor is stored: all indices, or for each index of the axis before a segment of a list, in
/// numbers of 4, 2 or 1 bytes.
struct sparse_axis {
  int dense_size = 0;
  std::vector<int> segments = {}, indices = {};
  int width = 4;
};
struct sparsity {
  std::vector<std::int32_t> order = {}, blocks = {};
  std::vector<sparse_axis> axes = {};
};

struct tensor {
  int type = float32;
  std::vector<std::int32_t> shape;
  std::string name;
  std::vector<std::byte> data = {};
  quantized quantization = {};
  std::vector<std::int32_t> signature = {};
  bool is_variable = false;
  bool is_sparse = false;
  std::uint32_t external_buffer = 0;
  int buffer = -1;         // -1: a new one
  bool is_behind = false;  // its buffer has the file's offset and size
  sparsity sparse = {};    // when it is sparse
};

struct call {
  int builtin;
  std::vector<std::int32_t> inputs, outputs;
  options with = {};
  std::string custom = {};
  int opcode_index = -1;  // -1: a new one
  std::vector<std::uint8_t> custom_options = {};
  int version = 1;
  std::vector<std::int32_t> intermediates = {};
};

/// A field that every table of a kind ("Tensor", "Operator", …) has besides its own ones: a number of one or eight
/// bytes, or a list of bytes.
struct further_field {
  std::string table;
  int slot;
  std::variant<std::uint8_t, std::uint64_t, std::vector<std::uint8_t>> value = std::uint8_t{1};
};

/// A way to call a subgraph: names for tensors.
struct signature {
  std::string key;
  std::vector<std::pair<std::string, std::uint32_t>> inputs, outputs;
  std::uint32_t subgraph = 0;
};

/// Tensors and the operators on them.
struct subgraph {
  std::vector<tensor> tensors = {};
  std::vector<call> calls = {};
  std::vector<std::int32_t> inputs = {}, outputs = {};

  int add(tensor t) {
    tensors.push_back(std::move(t));
    return static_cast<int>(tensors.size()) - 1;
  }
};

/// A file; bytes() writes it down as it stands.
struct file : subgraph {
  std::uint32_t version = 3;
  int subgraphs = 1;                                 // so often the file has its own
  std::vector<subgraph> called = {};                 // after these
  std::uint64_t buffer_offset = 0, buffer_size = 0;  // of buffers after the FlatBuffer
  std::vector<signature> signatures = {};
  std::vector<std::byte> behind = {};  // the FlatBuffer
  const char* identifier = "TFL3";
  bool has_buffers = true;  // false: the list is empty, and buffer 0 of all tensors is not in it
  std::vector<further_field> further = {};

  /// The file; its begin is aligned as that of a mapped one.
  std::vector<std::byte> bytes() const;
};

/// The bytes of numbers, each converted to T.
template <class T> std::vector<std::byte> bytes_of(const std::vector<double>& numbers) {
  std::vector<std::byte> bytes(numbers.size() * sizeof(T));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const T element = static_cast<T>(numbers[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
  }
  return bytes;
}

// --- details ---------------------------------------------------------------
class writer {
 public:
  explicit writer(const file& f) : file_(f) {}

  std::vector<std::byte> write() {
    std::vector<offset> graphs;
    buffers_.push_back(buffer({}, false));
    for (int i = 0; i < file_.subgraphs; ++i)
      graphs.push_back(i == 0 ? write(static_cast<const subgraph&>(file_)) : graphs[0]);
    for (const subgraph& called : file_.called) graphs.push_back(write(called));
    if (!file_.has_buffers) buffers_.clear();
    const auto graph_list = b_.CreateVector(graphs), buffer_list = b_.CreateVector(buffers_),
               code_list = b_.CreateVector(codes_), signature_list = write(file_.signatures);
    const further_fields besides(*this, "Model");
    const auto start = b_.StartTable();
    besides.add();
    b_.AddElement<std::uint32_t>(slot(0), file_.version, 0);
    b_.AddOffset(slot(1), code_list), b_.AddOffset(slot(2), graph_list), b_.AddOffset(slot(4), buffer_list);
    b_.AddOffset(slot(7), signature_list);
    b_.Finish(flatbuffers::Offset<void>(b_.EndTable(start)), file_.identifier);
    const auto* first = reinterpret_cast<const std::byte*>(b_.GetBufferPointer());
    std::vector<std::byte> bytes(first, first + b_.GetSize());
    bytes.insert(bytes.end(), file_.behind.begin(), file_.behind.end());
    return bytes;
  }

 private:
  using offset = flatbuffers::Offset<void>;
  static flatbuffers::voffset_t slot(int i) { return static_cast<flatbuffers::voffset_t>(4 + 2 * i); }

  /// The fields that tables of this kind have besides. Lists are written before a table is begun.
  struct further_fields {
    writer& to;
    std::vector<std::pair<const further_field*, flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>>>> fields = {};
    further_fields(writer& w, std::string_view table) : to(w) {
      for (const further_field& f : w.file_.further) {
        if (f.table != table) continue;
        const auto* list = std::get_if<std::vector<std::uint8_t>>(&f.value);
        fields.emplace_back(&f, list != nullptr ? w.b_.CreateVector(*list) : 0);
      }
    }
    void add() const {
      for (const auto& [f, list] : fields) {
        if (const auto* byte = std::get_if<std::uint8_t>(&f->value))
          to.b_.AddElement<std::uint8_t>(slot(f->slot), *byte, 0);
        else if (const auto* wide = std::get_if<std::uint64_t>(&f->value))
          to.b_.AddElement<std::uint64_t>(slot(f->slot), *wide, 0);
        else to.b_.AddOffset(slot(f->slot), list);
      }
    }
  };

  offset buffer(const std::vector<std::byte>& data, bool is_behind) {
    if (!data.empty()) b_.ForceVectorAlignment(data.size(), 1, 16);
    const auto bytes = b_.CreateVector(reinterpret_cast<const std::uint8_t*>(data.data()), data.size());
    const further_fields besides(*this, "Buffer");
    const auto start = b_.StartTable();
    besides.add();
    if (!data.empty()) b_.AddOffset(slot(0), bytes);
    b_.AddElement<std::uint64_t>(slot(1), is_behind ? file_.buffer_offset : 0, 0);
    b_.AddElement<std::uint64_t>(slot(2), is_behind ? file_.buffer_size : 0, 0);
    return b_.EndTable(start);
  }
  offset write(const subgraph& g) {
    std::vector<offset> tensors, calls;
    for (const tensor& t : g.tensors) {
      tensors.push_back(write(t, buffers_.size()));
      if (t.buffer < 0) buffers_.push_back(buffer(t.data, t.is_behind));
    }
    for (const call& c : g.calls) {
      calls.push_back(write(c, codes_.size()));
      codes_.push_back(code(c));
    }
    const auto tensor_list = b_.CreateVector(tensors), call_list = b_.CreateVector(calls);
    const auto inputs = b_.CreateVector(g.inputs), outputs = b_.CreateVector(g.outputs);
    const further_fields besides(*this, "SubGraph");
    const auto start = b_.StartTable();
    besides.add();
    b_.AddOffset(slot(0), tensor_list), b_.AddOffset(slot(1), inputs);
    b_.AddOffset(slot(2), outputs), b_.AddOffset(slot(3), call_list);
    return b_.EndTable(start);
  }
  using offset_list = flatbuffers::Offset<flatbuffers::Vector<offset>>;
  offset_list write(const std::vector<std::pair<std::string, std::uint32_t>>& names) {
    std::vector<offset> made;
    for (const auto& [name, tensor] : names) {
      const auto text = b_.CreateString(name);
      const further_fields besides(*this, "TensorMap");
      const auto start = b_.StartTable();
      besides.add();
      b_.AddOffset(slot(0), text);
      b_.AddElement<std::uint32_t>(slot(1), tensor, 0);
      made.push_back(b_.EndTable(start));
    }
    return b_.CreateVector(made);
  }
  offset_list write(const std::vector<signature>& signatures) {
    std::vector<offset> made;
    for (const signature& s : signatures) {
      const auto inputs = write(s.inputs), outputs = write(s.outputs);
      const auto key = b_.CreateString(s.key);
      const further_fields besides(*this, "SignatureDef");
      const auto start = b_.StartTable();
      besides.add();
      b_.AddOffset(slot(0), inputs), b_.AddOffset(slot(1), outputs), b_.AddOffset(slot(2), key);
      b_.AddElement<std::uint32_t>(slot(4), s.subgraph, 0);
      made.push_back(b_.EndTable(start));
    }
    return b_.CreateVector(made);
  }
  offset quantization(const quantized& q) {
    const auto scale = b_.CreateVector(q.scale);
    const auto zero_point = b_.CreateVector(q.zero_point);
    const further_fields besides(*this, "QuantizationParameters");
    const auto start = b_.StartTable();
    besides.add();
    b_.AddOffset(slot(2), scale), b_.AddOffset(slot(3), zero_point);
    b_.AddElement<std::uint8_t>(slot(4), q.custom ? 1 : 0, 0);
    b_.AddElement<std::int32_t>(slot(6), q.axis, 0);
    return b_.EndTable(start);
  }
  template <class T> offset list_of(const std::vector<int>& numbers) {
    const auto values = b_.CreateVector(std::vector<T>(numbers.begin(), numbers.end()));
    const auto start = b_.StartTable();
    b_.AddOffset(slot(0), values);
    return b_.EndTable(start);
  }
  offset list_of(const std::vector<int>& numbers, int width) {
    if (width == 4) return list_of<std::int32_t>(numbers);
    return width == 2 ? list_of<std::uint16_t>(numbers) : list_of<std::uint8_t>(numbers);
  }
  offset write(const sparse_axis& a) {
    const bool is_dense = a.segments.empty();
    const offset segments = list_of(a.segments, a.width), indices = list_of(a.indices, a.width);
    const std::uint8_t type = a.width == 4 ? 1 : a.width == 2 ? 2 : 3;
    const auto start = b_.StartTable();
    b_.AddElement<std::int8_t>(slot(0), is_dense ? 0 : 1, 0);
    b_.AddElement<std::int32_t>(slot(1), a.dense_size, 0);
    if (!is_dense) {
      b_.AddElement<std::uint8_t>(slot(2), type, 0), b_.AddOffset(slot(3), segments);
      b_.AddElement<std::uint8_t>(slot(4), type, 0), b_.AddOffset(slot(5), indices);
    }
    return b_.EndTable(start);
  }
  offset write(const sparsity& s) {
    std::vector<offset> axes;
    for (const sparse_axis& a : s.axes) axes.push_back(write(a));
    const auto order = b_.CreateVector(s.order), blocks = b_.CreateVector(s.blocks);
    const auto axis_list = b_.CreateVector(axes);
    const auto start = b_.StartTable();
    b_.AddOffset(slot(0), order), b_.AddOffset(slot(2), axis_list);
    if (!s.blocks.empty()) b_.AddOffset(slot(1), blocks);
    return b_.EndTable(start);
  }
  offset write(const tensor& t, std::size_t own_buffer) {
    const auto shape = b_.CreateVector(t.shape), signature = b_.CreateVector(t.signature);
    const auto name = b_.CreateSharedString(t.name);
    const offset quantised = quantization(t.quantization);
    const offset sparse = t.is_sparse ? write(t.sparse) : b_.EndTable(b_.StartTable());
    offset_list elements;  // what the tensors in a list are: floats of unknown shape
    if (t.type == variant) elements = b_.CreateVector(std::vector<offset>{b_.EndTable(b_.StartTable())});
    const further_fields besides(*this, "Tensor");
    const auto start = b_.StartTable();
    besides.add();
    b_.AddOffset(slot(0), shape);
    b_.AddElement<std::int8_t>(slot(1), static_cast<std::int8_t>(t.type), 0);
    b_.AddElement<std::uint32_t>(
        slot(2), t.buffer < 0 ? static_cast<std::uint32_t>(own_buffer) : static_cast<std::uint32_t>(t.buffer), 0);
    b_.AddOffset(slot(3), name), b_.AddOffset(slot(4), quantised);
    b_.AddElement<std::uint8_t>(slot(5), t.is_variable ? 1 : 0, 0);
    if (t.is_sparse) b_.AddOffset(slot(6), sparse);
    if (!t.signature.empty()) b_.AddOffset(slot(7), signature);
    if (t.type == variant) b_.AddOffset(slot(9), elements);
    b_.AddElement<std::uint32_t>(slot(10), t.external_buffer, 0);
    return b_.EndTable(start);
  }
  offset code(const call& c) {
    const auto custom = b_.CreateString(c.custom);
    const further_fields besides(*this, "OperatorCode");
    const auto start = b_.StartTable();
    besides.add();
    b_.AddElement<std::int8_t>(slot(0), static_cast<std::int8_t>(c.builtin < 127 ? c.builtin : 127), 0);
    b_.AddOffset(slot(1), custom);
    b_.AddElement<std::int32_t>(slot(2), c.version, 1);
    b_.AddElement<std::int32_t>(slot(3), c.builtin, 0);
    return b_.EndTable(start);
  }
  offset write(const options& with) {
    std::vector<offset> lists;
    for (const field& f : with.fields) {
      if (const auto* list = std::get_if<std::vector<std::int32_t>>(&f.value))
        lists.push_back(b_.CreateVector(*list).Union());
      if (const auto* text = std::get_if<std::string>(&f.value)) lists.push_back(b_.CreateString(*text).Union());
    }
    std::size_t next = 0;
    const auto start = b_.StartTable();
    b_.ForceDefaults(true);
    for (const field& f : with.fields) {
      const auto at = slot(f.slot);
      if (const auto* byte = std::get_if<std::int8_t>(&f.value)) b_.AddElement<std::int8_t>(at, *byte, 0);
      else if (const auto* integer = std::get_if<std::int32_t>(&f.value)) b_.AddElement<std::int32_t>(at, *integer, 0);
      else if (const auto* real = std::get_if<float>(&f.value)) b_.AddElement<float>(at, *real, 0);
      else if (const auto* flag = std::get_if<bool>(&f.value)) b_.AddElement<std::uint8_t>(at, *flag ? 1 : 0, 0);
      else b_.AddOffset(at, lists[next++]);
    }
    b_.ForceDefaults(false);
    return b_.EndTable(start);
  }
  offset write(const call& c, std::size_t own_code) {
    const auto inputs = b_.CreateVector(c.inputs), outputs = b_.CreateVector(c.outputs);
    flatbuffers::Offset<flatbuffers::Vector<std::int32_t>> intermediates;
    if (!c.intermediates.empty()) intermediates = b_.CreateVector(c.intermediates);
    const offset with = write(c.with);
    const auto custom = b_.CreateVector(c.custom_options);
    const further_fields besides(*this, "Operator");
    const auto start = b_.StartTable();
    besides.add();
    b_.AddElement<std::uint32_t>(
        slot(0), c.opcode_index < 0 ? static_cast<std::uint32_t>(own_code) : static_cast<std::uint32_t>(c.opcode_index),
        0);
    b_.AddOffset(slot(1), inputs), b_.AddOffset(slot(2), outputs);
    b_.AddElement<std::uint8_t>(slot(3), static_cast<std::uint8_t>(c.with.tag), 0);
    if (c.with.tag != 0) b_.AddOffset(slot(4), with);
    if (!c.custom_options.empty()) b_.AddOffset(slot(5), custom);
    if (!c.intermediates.empty()) b_.AddOffset(slot(8), intermediates);
    return b_.EndTable(start);
  }

  const file& file_;
  std::vector<offset> buffers_, codes_;
  flatbuffers::FlatBufferBuilder b_;
};

inline std::vector<std::byte> file::bytes() const { return writer(*this).write(); }

}  // namespace tflite_test
