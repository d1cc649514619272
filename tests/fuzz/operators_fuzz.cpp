// operators_fuzz: any bytes as a node of any operator. What its rules accept must be sound, what it computes must stay
// within its operands, whatever their elements and scales are, and its kernels must give what its reference gives, in
// any number of parts.
// nightly: its seeds take a compiler longer than those of the readers
#include "require.hpp"

#include "battery/one_node.hpp"
#include "support/call.hpp"
#include "support/catalogue.hpp"
#include "support/sound.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace {

using namespace nnrt;
using nnrt_fuzz::require;
using nnrt_test::catalogue;

constexpr std::int64_t max_bytes = 1 << 14, max_macs = 1 << 18;
constexpr std::uint8_t by_chance = 254;  // as the first byte

/// Numbers out of bytes: small ones take one byte, any of 64 bits nine. After the last byte there are zeros.
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

/// An operand in memory of exactly its size. Floats are any bits, or, when moderate, multiples of 1/16.
struct fed_operand : nnrt_test::random_operand {
  bool is_moderate = false;
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

bool is_small(const tensor_desc& desc) { return desc.bytes() >= 0 && desc.bytes() <= max_bytes; }

/// Constants of few integers come with their values, as in graphs.
fed_operand read_operand(number_reader& in) {
  fed_operand x;
  x.desc = read_desc(in);
  const std::uint8_t kind = in.byte();
  x.is_constant = kind % 2 == 1;
  x.is_moderate = kind / 2 % 2 == 1;
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
  if (x.is_moderate)
    with_element<types::floating>(x.desc.type, [&]<class T>(T element) {
      for (std::size_t at = 0; at < x.bytes.size(); at += sizeof(T)) {
        element = static_cast<T>(static_cast<float>(std::to_integer<int>(x.bytes[at]) - 128) / 16);
        std::memcpy(x.bytes.data() + at, &element, sizeof(T));
      }
    });
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
using fed_node = nnrt_test::random_node;
using nnrt_test::node_result;

/// By its number, so that seeds keep their meaning when the list grows; numbers without an operator choose any.
const operator_info* read_operator(number_reader& in) {
  const std::int64_t number = in.number();
  for (const operator_info* op : catalogue())
    if (static_cast<std::int64_t>(op->code) == number) return op;
  return catalogue()[static_cast<std::uint64_t>(number) % catalogue().size()];
}

fed_node read_node(number_reader& in, std::vector<fed_operand>& operands) {
  fed_node node;
  node.op = read_operator(in);
  for (int count = in.below(24); count > 0; --count) node.words.push_back(in.number());
  for (int count = in.below(9); count > 0; --count) operands.push_back(read_operand(in));
  for (int count = in.below(4); count > 0; --count) node.wanted.push_back(read_desc(in));
  for (const fed_operand& x : operands) node.in.push_back(x);
  return node;
}

std::byte* aligned(std::vector<std::byte>& block) {
  const auto at = reinterpret_cast<std::uintptr_t>(block.data());
  return block.data() + (64 - at % 64) % 64;
}

/// Results of the kernel in `parts` parts, the last one first.
node_result computed(fed_node& node, const kernel_choice& choice, int parts) {
  std::vector<view> in = node.views();
  const tensor_desc packed_desc{u8, {choice.packed_bytes}};
  std::vector<std::byte> packed(static_cast<std::size_t>(choice.packed_bytes) + 64);
  std::vector<std::byte> scratch(static_cast<std::size_t>(choice.scratch_bytes) + 64);
  if (choice.has_pack()) {
    std::vector<view> packs_into{{&packed_desc, any_pointer::bytes(aligned(packed))}};
    for (const tensor_desc& y : node.out) packs_into.push_back({&y, {}});  // what the packed form is for
    choice.pack(nnrt_test::call_of(choice, node.words, in, packs_into));
    in.push_back(packs_into[0]);
  }
  return nnrt_test::with_outputs(node, std::byte{}, [&](std::vector<view>& out) {
    run_fault fault;
    for (int part = parts; part-- > 0;) {
      kernel_call call = nnrt_test::call_of(choice, node.words, in, out, aligned(scratch), part, parts);
      call.fault = &fault;
      choice.run(call);
    }
    return fault;
  });
}

/// Whether floats are such that another order of sums changes them by their last places alone.
bool is_moderate(const fed_operand& x) { return x.is_moderate || !types::floating.contains(x.desc.type); }

/// Results of one kernel have the same bits in any number of parts, and say the same of a fault as the reference does.
void check_kernel(fed_node& node, const kernel_choice& choice, const node_result& expected, bool compares) {
  const node_result whole = computed(node, choice, 1);
  require(whole.fault.rule == expected.fault.rule);
  if (whole.fault) return;
  for (const int parts : {2, 3}) require(computed(node, choice, parts).bytes == whole.bytes);
  if (compares) require(nnrt_test::difference(node, whole, expected).empty());
}

void check_kernels(fed_node& node, bool compares) {
  const node_result expected = nnrt_test::reference_of(node, std::byte{});
  const std::vector<operand> described = node.operands();
  // Winograd's method rounds in other places; separate tests limit its errors.
  if (const kernel_choice choice = node.op->select({node.words, described, node.out, false, winograd::off}))
    check_kernel(node, choice, expected, compares);
  if (const kernel_choice choice = node.op->select({node.words, described, node.out}))
    check_kernel(node, choice, expected, false);
}

void run(fed_node& node, std::vector<fed_operand>& operands, number_reader& in) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].desc.type != dtype::none) read_elements(operands[i], in);
    node.in[i] = operands[i];
  }
  check_kernels(node, std::ranges::all_of(operands, is_moderate));
}

/// A node that the battery makes by chance, which rules accept far more often: the bytes are its seed.
void run_by_chance(number_reader& in) {
  std::uint64_t seed = 0;
  for (int i = 0; i < 8; ++i) seed = seed << 8U | in.byte();
  nnrt_test::dice random(seed);
  const operator_info& op = *catalogue()[static_cast<std::size_t>(random.below(static_cast<int>(catalogue().size())))];
  const dtype computed = random.one_of(op.computes_on);
  for (int tries = 0; tries < 20; ++tries)
    if (auto node = nnrt_test::try_node(op, computed, random)) return check_kernels(*node, true);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  number_reader in({bytes, size});
  if (size > 0 && bytes[0] == by_chance) {
    in.byte();
    run_by_chance(in);
    return 0;
  }
  std::vector<fed_operand> fed;
  fed_node node = read_node(in, fed);
  const std::vector<operand> operands = node.operands();
  const verdict v = node.op->infer(node.words, operands, node.wanted);
  require(nnrt_test::is_sound(*node.op, v));
  if (!v) return 0;
  node.out.assign(v.outputs.begin(), v.outputs.end());
  const std::int64_t macs = node.op->macs(node.words, operands, node.out);
  require(macs >= 0);
  const auto is_small_operand = [](const fed_operand& x) { return x.desc.type == dtype::none || is_small(x.desc); };
  if (macs <= max_macs && std::ranges::all_of(fed, is_small_operand) && std::ranges::all_of(node.out, is_small))
    run(node, fed, in);
  return 0;
}
