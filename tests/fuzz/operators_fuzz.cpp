// operators_fuzz: any bytes as a node of any operator. What its rules accept must be sound, and what it computes must
// stay within its operands, whatever their elements and scales are.
#include "support/call.hpp"
#include "support/catalogue.hpp"
#include "support/sound.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

namespace {

using namespace nnrt;
using nnrt_test::catalogue;

constexpr std::int64_t most_bytes = 1 << 14, most_macs = 1 << 18;

void require(bool holds) {
  if (!holds) std::abort();
}

/// Numbers out of bytes: small ones take one byte, any of 64 bits nine. Behind the last byte there are zeros.
class number_reader {
 public:
  explicit number_reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::uint8_t byte() { return next_ < bytes_.size() ? bytes_[next_++] : std::uint8_t{0}; }
  int below(int n) { return byte() % n; }
  std::int64_t number() {
    const std::uint8_t first = byte();
    if (first < 240) return std::int64_t{first} - 100;
    std::uint64_t all = 0;
    for (int i = 0; i < 8; ++i) all = all << 8U | byte();
    return static_cast<std::int64_t>(all);
  }
  float real() {
    std::uint32_t bits = 0;
    for (int i = 0; i < 4; ++i) bits = bits << 8U | byte();
    return std::bit_cast<float>(bits);
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t next_ = 0;
};

/// An operand in memory of exactly its size.
struct fed_operand {
  tensor_desc desc;
  bool is_constant = false;
  std::vector<std::int64_t> values;
  std::vector<float> scales;
  std::vector<std::byte> bytes;

  view as_view() {
    if (desc.type == dtype::none) return {};
    view v{&desc, any_pointer::bytes(bytes.data())};
    v.scales = scales;
    return v;
  }
};

tensor_desc read_desc(number_reader& in) {
  tensor_desc desc;
  desc.type = static_cast<dtype>(in.below(dtype_count));
  desc.layout = static_cast<format>(in.below(4));
  for (int rank = in.below(max_rank + 1); rank > 0; --rank) desc.shape.push_back(in.number());
  desc.quantised.mode = static_cast<quantisation::kind>(in.below(3));
  if (!desc.quantised) return desc;
  desc.quantised.scale = in.real();
  desc.quantised.zero_point = static_cast<std::int32_t>(in.number());
  desc.quantised.axis = static_cast<int>(in.number());
  return desc;
}

bool is_small(const tensor_desc& desc) { return desc.bytes() >= 0 && desc.bytes() <= most_bytes; }

/// Constants of few integers come with their values, as in graphs.
fed_operand read_operand(number_reader& in) {
  fed_operand x;
  x.desc = read_desc(in);
  x.is_constant = in.below(2) == 1;
  if (!x.is_constant || x.desc.elements() < 0 || x.desc.elements() > 256) return x;
  with_element<types::integer | types::logical>(x.desc.type, [&]<class T>(T) {
    for (std::int64_t i = 0; i < x.desc.elements(); ++i)
      x.values.push_back(static_cast<std::int64_t>(static_cast<T>(in.number())));
  });
  return x;
}

/// Elements: the known values, else bits of any kind, but of booleans, which are 0 or 1.
void read_elements(fed_operand& x, number_reader& in) {
  x.bytes.resize(static_cast<std::size_t>(x.desc.bytes()));
  for (std::byte& b : x.bytes) b = static_cast<std::byte>(x.desc.type == boolean ? in.byte() & 1U : in.byte());
  with_element<types::integer | types::logical>(x.desc.type, [&]<class T>(T element) {
    for (std::size_t i = 0; i < x.values.size(); ++i) {
      element = static_cast<T>(x.values[i]);
      std::memcpy(x.bytes.data() + i * sizeof(T), &element, sizeof(T));
    }
  });
  if (x.desc.quantised.mode != quantisation::kind::per_channel) return;
  for (std::int64_t i = 0; i < x.desc.shape[x.desc.quantised.axis]; ++i) x.scales.push_back(in.real());
}

/// A node, whose descs are of the kind that check_graph() lets pass: ranks, dtypes, formats that exist.
struct fed_node {
  const operator_info* op = nullptr;
  std::vector<word> words;
  std::vector<fed_operand> in;
  std::vector<tensor_desc> wanted;
  std::vector<tensor_desc> out;

  std::vector<operand> operands() const {
    std::vector<operand> all;
    for (const fed_operand& x : in) all.push_back({x.desc, x.values, x.is_constant});
    return all;
  }
};

/// By its number, so that seeds keep their meaning when the list grows; numbers without an operator choose any.
const operator_info* read_operator(number_reader& in) {
  const std::int64_t number = in.number();
  for (const operator_info* op : catalogue())
    if (static_cast<std::int64_t>(op->code) == number) return op;
  return catalogue()[static_cast<std::uint64_t>(number) % catalogue().size()];
}

fed_node read_node(number_reader& in) {
  fed_node node;
  node.op = read_operator(in);
  for (int count = in.below(24); count > 0; --count) node.words.push_back(in.number());
  for (int count = in.below(9); count > 0; --count) node.in.push_back(read_operand(in));
  for (int count = in.below(4); count > 0; --count) node.wanted.push_back(read_desc(in));
  return node;
}

using blocks = std::vector<std::vector<std::byte>>;

std::vector<view> views_of(std::vector<tensor_desc>& out, blocks& memory) {
  std::vector<view> views;
  for (std::size_t i = 0; i < out.size(); ++i) {
    memory[i].assign(static_cast<std::size_t>(out[i].bytes()), std::byte{});
    views.push_back({&out[i], any_pointer::bytes(memory[i].data())});
  }
  return views;
}

std::byte* aligned(std::vector<std::byte>& block) {
  const auto at = reinterpret_cast<std::uintptr_t>(block.data());
  return block.data() + (64 - at % 64) % 64;
}

/// The kernel that a plan would take, in two parts.
void run_kernel(fed_node& node, const kernel_choice& choice, std::vector<view> in) {
  const tensor_desc packed_desc{u8, {choice.packed_bytes}};
  std::vector<std::byte> packed(static_cast<std::size_t>(choice.packed_bytes) + 64);
  std::vector<std::byte> scratch(static_cast<std::size_t>(choice.scratch_bytes) + 64);
  if (choice.has_pack()) {
    std::vector<view> packs_into{{&packed_desc, any_pointer::bytes(aligned(packed))}};
    for (const tensor_desc& y : node.out) packs_into.push_back({&y, {}});  // what the packed form is for
    choice.pack(nnrt_test::call_of(choice, node.words, in, packs_into));
    in.push_back(packs_into[0]);
  }
  blocks memory(node.out.size());
  const std::vector<view> out = views_of(node.out, memory);
  run_fault fault;
  for (int tile = 0; tile < 2; ++tile) {
    kernel_call call = nnrt_test::call_of(choice, node.words, in, out, aligned(scratch), tile, 2);
    call.fault = &fault;
    choice.run(call);
  }
}

void run(fed_node& node, number_reader& in) {
  for (fed_operand& x : node.in)
    if (x.desc.type != dtype::none) read_elements(x, in);
  std::vector<view> arguments;
  for (fed_operand& x : node.in) arguments.push_back(x.as_view());
  blocks memory(node.out.size());
  static_cast<void>(node.op->reference(node.words, arguments, views_of(node.out, memory)));
  const std::vector<operand> operands = node.operands();
  if (const kernel_choice choice = node.op->select({node.words, operands, node.out}))
    run_kernel(node, choice, arguments);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  number_reader in({bytes, size});
  fed_node node = read_node(in);
  const std::vector<operand> operands = node.operands();
  const verdict v = node.op->infer(node.words, operands, node.wanted);
  require(nnrt_test::is_sound(*node.op, v));
  if (!v) return 0;
  node.out.assign(v.outputs.begin(), v.outputs.end());
  const std::int64_t macs = node.op->macs(node.words, operands, node.out);
  require(macs >= 0);
  const auto is_small_operand = [](const fed_operand& x) { return x.desc.type == dtype::none || is_small(x.desc); };
  if (macs <= most_macs && std::ranges::all_of(node.in, is_small_operand) && std::ranges::all_of(node.out, is_small))
    run(node, in);
  return 0;
}
