// remote_fuzz: any packets, with files, from a client to its session in a host - or from a host to its
// client. Neither may crash or hang, and each answer is a message.
// nightly: a third of a minute to compile; the tests of remote/ send such packets every day
//
// An input is a byte that says who is fuzzed (even: the host), and packets: a byte of flags (1: a sealed file with
// it, 2: one that may shrink, 4: a socket, 8: a packet of the client's second connection), two bytes of length, the
// bytes.
#include <nnrt/remote/client.hpp>
#include <nnrt/remote/served_client.hpp>

#include <nnrt/io/model_builder.hpp>
#include <nnrt/ops/relu.hpp>

#include "remote/toy_driver.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

using namespace nnrt;
using namespace nnrt::remote;

void require(bool holds) {
  if (!holds) std::abort();
}

struct sockets {
  owned_fd mine, theirs;
  sockets() {
    int ends[2] = {-1, -1};
    require(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    mine = owned_fd(ends[0]), theirs = owned_fd(ends[1]);
  }
};

int memory_file(bool is_sealed) {
  const int made = ::memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  require(made >= 0 && ::ftruncate(made, 4096) == 0);
  if (is_sealed) require(::fcntl(made, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
  return made;
}

/// One packet after the other out of an input.
class packets {
 public:
  packets(const std::uint8_t* bytes, std::size_t size) : left_(reinterpret_cast<const std::int8_t*>(bytes), size) {}
  bool next() {
    if (left_.size() < 3) return false;
    flags = static_cast<std::uint8_t>(left_[0]);
    const std::size_t length = std::min<std::size_t>(
        static_cast<std::uint8_t>(left_[1]) | static_cast<std::size_t>(static_cast<std::uint8_t>(left_[2])) << 8U,
        left_.size() - 3);
    bytes = left_.subspan(3, length);
    left_ = left_.subspan(3 + length);
    return true;
  }
  void send(int socket, int other_socket) const {
    static const int sealed = memory_file(true), loose = memory_file(false);
    std::vector<int> files;
    if ((flags & 1) != 0) files.push_back(sealed);
    if ((flags & 2) != 0) files.push_back(loose);
    if ((flags & 4) != 0) files.push_back(other_socket);
    (void)remote::detail::send_bytes(socket, bytes, {}, files);
  }

  unsigned flags = 0;
  array_ref<const std::int8_t> bytes;

 private:
  array_ref<const std::int8_t> left_;
};

limits few() {
  limits most;
  most.models = 8, most.memories = 8, most.memory_bytes = 1U << 20U;
  return most;
}

void fuzz_host(packets all) {
  static const hal::device device(std::make_shared<nnrt_test::toy_driver>());
  remote::served_client client(device, "fuzzed", few());
  const sockets ends;
  while (all.next()) {
    if (all.bytes.empty()) continue;  // a packet of nothing is an end
    all.send(ends.mine.number(), ends.mine.number());
    packet asked;
    if (receive(ends.theirs.number(), asked) != arrival::message) return;
    require(client.serve(ends.theirs.number(), asked, [] { return result<owned_fd>(owned_fd(::dup(2))); }));
    packet answer;
    require(receive(ends.mine.number(), answer, 0) == arrival::message);
    hdi::reader in(answer.bytes);
    ending how;
    require(answer.asked == asked.asked && hdi::unmarshal(in, how).has_value() &&
            (how.code == -1) == how.reason.empty());
  }
}

model network() {
  model_builder b;
  (void)b.output("y", (*b.apply<ops::relu>({}, {*b.input("x", {f32, {2, -1}})}))[0]);
  return b.finish();
}

void use(hal::driver& device) {
  static const model asked = network();
  (void)device.status();
  (void)device.cost_of(f32);
  if (const auto refused = device.refusals(asked); !refused) require(!refused.error().message().empty());
  const auto prepared = device.prepare(asked, {});
  if (!prepared) return require(!prepared.error().message().empty());
  for (std::size_t i = 0; i < (*prepared)->input_count(); ++i) (void)(*prepared)->input_range(i);
  const auto runs = *(*prepared)->make_execution();
  float x[8] = {}, y[8] = {};
  const hal::argument in{reinterpret_cast<std::byte*>(x), sizeof x, {2, 4}};
  hal::argument out{reinterpret_cast<std::byte*>(y), sizeof y, {}};
  if (const auto ran = runs->run({&in, 1}, {&out, 1}, no_deadline)) require(out.shape.rank <= max_rank);
  (void)(*prepared)->exported();
}

void fuzz_client(packets all) {
  const sockets first, second;
  std::size_t sent = 0;
  while (all.next() && ++sent <= 32) {  // a socket's buffer holds some packets; nobody reads yet
    if (all.bytes.empty() || all.bytes.size() > 4096) continue;
    all.send((all.flags & 8) != 0 ? second.theirs.number() : first.theirs.number(), second.mine.number());
  }
  ::shutdown(first.theirs.number(), SHUT_WR), ::shutdown(second.theirs.number(), SHUT_WR);
  auto host = connection::over(owned_fd(::fcntl(first.mine.number(), F_DUPFD_CLOEXEC, 0)), "/nonexistent/socket");
  if (!host) return require(!host.error().message().empty());
  const std::shared_ptr<hal::driver> device = std::make_shared<remote_driver>("/nonexistent/socket", std::move(*host));
  use(*device);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const packets all(bytes + 1, size - 1);
  bytes[0] % 2 == 0 ? fuzz_host(all) : fuzz_client(all);
  return 0;
}
