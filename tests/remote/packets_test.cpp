// packets_test: messages on a socket, small, large and with files; and what arrives that is no message.
#include <nnrt/remote/listen.hpp>
#include <nnrt/remote/packets.hpp>
#include <nnrt/remote/translate.hpp>

#include "remote/pair_of_sockets.hpp"
#include "support/child_process.hpp"
#include "support/sanitized.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <filesystem>
#include <new>

using namespace nnrt;
using namespace nnrt::remote;
using nnrt_test::message_of, nnrt_test::pair_of_sockets;

namespace {

std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

/// A memory file of this many bytes; its end is sealed or not.
owned_fd memory_file(std::size_t bytes, bool is_sealed) {
  owned_fd made(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  REQUIRE(::ftruncate(made.number(), static_cast<::off_t>(bytes)) == 0);
  if (is_sealed) REQUIRE(::fcntl(made.number(), F_ADD_SEALS, F_SEAL_SHRINK) == 0);
  return made;
}

std::vector<std::int8_t> head_of(std::uint32_t mark, std::uint32_t bytes, std::uint16_t is_beside, std::size_t behind) {
  const packet_head head{mark, 3, bytes, is_beside, 0};
  std::vector<std::int8_t> made(sizeof head + behind);
  std::memcpy(made.data(), &head, sizeof head);
  return made;
}

}  // namespace

TEST_CASE("packets: a message of any length arrives as it was sent") {
  pair_of_sockets sockets;
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{4}, max_inline_bytes, max_inline_bytes + 1, std::size_t{5'000'000}}) {
    CAPTURE(bytes);
    const hdi::writer message = message_of(bytes);
    REQUIRE(send(sockets.mine.number(), 7, message, 65'535));
    packet got;
    REQUIRE(receive(sockets.theirs.number(), got) == arrival::message);
    CHECK(got.asked == 7);
    CHECK(got.number == 65'535);
    CHECK(got.bytes == message.bytes);
    CHECK(got.files.empty());
  }
}

TEST_CASE("packets: files arrive with a message, in their order, and are closed with it") {
  pair_of_sockets sockets;
  const std::size_t before = open_files();
  for (const std::size_t bytes : {std::size_t{8}, 2 * max_inline_bytes}) {
    const owned_fd a = memory_file(100, true), b = memory_file(200, true);
    hdi::writer message = message_of(bytes);
    message.descriptors = {a.number(), b.number()};
    REQUIRE(send(sockets.mine.number(), 1, message));
    packet got;
    REQUIRE(receive(sockets.theirs.number(), got) == arrival::message);
    REQUIRE(got.files.size() == 2);
    CHECK(sealed_bytes(got.files[0].number()) == 100);
    CHECK(sealed_bytes(got.files[1].number()) == 200);
    CHECK(::fcntl(got.files[0].number(), F_GETFD) == FD_CLOEXEC);
  }
  CHECK(open_files() == before);
}

TEST_CASE("packets: what is too much for one message is not sent") {
  pair_of_sockets sockets;
  const owned_fd file = memory_file(1, true);
  hdi::writer message;
  message.descriptors.assign(max_files + 1, file.number());
  const auto sent = send(sockets.mine.number(), 1, message);
  REQUIRE(!sent);
  CHECK(sent.error().code() == error_code::invalid_argument);
  message.descriptors.pop_back();
  for (const std::size_t bytes : {std::size_t{4}, max_inline_bytes + 1}) {
    message.bytes.resize(bytes);
    REQUIRE(send(sockets.mine.number(), 2, message));
    packet got;
    REQUIRE(receive(sockets.theirs.number(), got) == arrival::message);
    CHECK(got.files.size() == max_files);
  }
}

TEST_CASE("packets: what is no message is refused, and its files are closed") {
  const owned_fd small = memory_file(10, true), loose = memory_file(100, false), large = memory_file(100, true);
  const owned_fd huge = memory_file(max_message_bytes + 1, true);  // none of it takes memory
  int pipe_ends[2];
  REQUIRE(::pipe2(pipe_ends, O_CLOEXEC) == 0);
  const owned_fd reads(pipe_ends[0]), writes(pipe_ends[1]);
  const std::vector<std::int8_t> whole_head = head_of(packet_mark, 0, 0, 0);
  struct row {
    const char* what;
    std::vector<std::int8_t> bytes;
    std::vector<int> files;
    arrival expected;
  };
  const row table[] = {
      {"shorter than a head", std::vector<std::int8_t>(15), {}, arrival::broken},
      {"a head without its last byte", {whole_head.begin(), whole_head.end() - 1}, {}, arrival::broken},
      {"another mark", head_of(1, 4, 0, 4), {}, arrival::broken},
      {"fewer bytes than it says", head_of(packet_mark, 8, 0, 4), {}, arrival::broken},
      {"more bytes than it says", head_of(packet_mark, 4, 0, 8), {}, arrival::broken},
      {"neither in the packet nor in a file", head_of(packet_mark, 4, 2, 0), {large.number()}, arrival::broken},
      {"longer than packets are", head_of(packet_mark, 40'000, 0, 40'000), {}, arrival::broken},
      {"longer than packets are, and than it says",
       head_of(packet_mark, max_inline_bytes, 0, 40'000),
       {},
       arrival::broken},
      {"in a file that is not there", head_of(packet_mark, 4, 1, 0), {}, arrival::broken},
      {"in a file that is too short", head_of(packet_mark, 11, 1, 0), {small.number()}, arrival::broken},
      {"in a file that may become shorter", head_of(packet_mark, 4, 1, 0), {loose.number()}, arrival::broken},
      {"in a pipe", head_of(packet_mark, 4, 1, 0), {reads.number()}, arrival::broken},
      {"larger than messages may be",
       head_of(packet_mark, static_cast<std::uint32_t>(max_message_bytes + 1), 1, 0),
       {huge.number()},
       arrival::broken},
      {"in a file, with bytes after the head", head_of(packet_mark, 4, 1, 4), {large.number()}, arrival::broken},
      {"in a file", head_of(packet_mark, 100, 1, 0), {large.number()}, arrival::message},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    pair_of_sockets sockets;
    const std::size_t before = open_files();
    REQUIRE(nnrt::remote::detail::send_bytes(sockets.mine.number(), r.bytes, {}, r.files));
    packet got;
    CHECK(receive(sockets.theirs.number(), got) == r.expected);
    got = {};
    CHECK(open_files() == before);
  }
}

TEST_CASE("packets: nobody changes a long message under way, or makes it shorter") {
  const auto file = nnrt::remote::detail::file_of(message_of(100).bytes);
  REQUIRE(file);
  CHECK(sealed_bytes(file->number()) == 100);
  CHECK(::pwrite(file->number(), "x", 1, 0) == -1);
  CHECK(::ftruncate(file->number(), 99) == -1);
  CHECK(::ftruncate(file->number(), 101) == -1);
}

TEST_CASE("packets: files of larger pages, some of which may be missing, are no memory of a message") {
  const owned_fd large(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB));
  // the system has none
  if (!large.is_open() || ::ftruncate(large.number(), ::off_t{1} << 30) != 0 ||
      ::fcntl(large.number(), F_ADD_SEALS, F_SEAL_SHRINK) != 0)
    return;
  CHECK(sealed_bytes(large.number()) == -1);
}

TEST_CASE("packets: only a side that is gone is a device that failed") {
  using nnrt::remote::detail::not_sent;
  for (const int number : {EPIPE, ECONNRESET, ENOTCONN})
    CHECK(result<void>(not_sent(number)).error().code() == error_code::device_failed);
  for (const int number : {EBADF, ETOOMANYREFS, EMSGSIZE})
    CHECK(result<void>(not_sent(number)).error().code() != error_code::device_failed);
}

TEST_CASE("packets: more files than a message may have are refused, and all are closed") {
  pair_of_sockets sockets;
  const owned_fd file = memory_file(1, true);
  const std::size_t before = open_files();
  alignas(::cmsghdr) char beside[CMSG_SPACE(sizeof(int) * 200)] = {};
  auto head = head_of(packet_mark, 0, 0, 0);
  ::iovec part{head.data(), head.size()};
  ::msghdr message{};
  message.msg_iov = &part, message.msg_iovlen = 1, message.msg_control = beside, message.msg_controllen = sizeof beside;
  ::cmsghdr* const control = CMSG_FIRSTHDR(&message);
  control->cmsg_level = SOL_SOCKET, control->cmsg_type = SCM_RIGHTS, control->cmsg_len = CMSG_LEN(sizeof(int) * 200);
  for (std::size_t i = 0; i < 200; ++i) {
    const int number = file.number();
    std::memcpy(CMSG_DATA(control) + i * sizeof(int), &number, sizeof number);
  }
  REQUIRE(::sendmsg(sockets.mine.number(), &message, 0) >= 0);
  packet got;
  CHECK(receive(sockets.theirs.number(), got) == arrival::broken);
  got = {};
  CHECK(open_files() == before);
}

TEST_CASE("packets: who is gone, and who takes too long, is told apart") {
  pair_of_sockets sockets;
  packet got;
  CHECK(receive(sockets.mine.number(), got, steady_now() + 10'000'000) == arrival::late);
  sockets.theirs = owned_fd();
  CHECK(receive(sockets.mine.number(), got, steady_now() + 1'000'000'000) == arrival::gone);
  const auto sent = send(sockets.mine.number(), 1, message_of(4));
  REQUIRE(!sent);
  CHECK(sent.error().code() == error_code::device_failed);
}

TEST_CASE("packets: a message with a file that is not open fails alone") {
  pair_of_sockets sockets;
  hdi::writer message = message_of(4);
  message.descriptors = {1'000'000};
  const auto sent = send(sockets.mine.number(), 1, message);
  REQUIRE(!sent);
  CHECK(sent.error().code() == error_code::io_failed);
  CHECK(sent.error().message() == "driver: cannot send to the other side: Bad file descriptor");
  REQUIRE(send(sockets.mine.number(), 2, message_of(8)));
  packet got;
  REQUIRE(receive(sockets.theirs.number(), got) == arrival::message);
  CHECK(got.asked == 2);
}

TEST_CASE(
    "packets: a long message that there is no file for is not sent, and who has no file is not told that the other "
    "side is gone" *
    // which keeps its descriptors from others
    doctest::skip(nnrt_test::runs_in_valgrind())) {
  const int ended = nnrt_test::in_child([] {
    pair_of_sockets sockets;
    const ::rlimit none{0, 0};
    if (::setrlimit(RLIMIT_NOFILE, &none) != 0) return 1;
    const auto sent = send(sockets.mine.number(), 1, message_of(2 * max_inline_bytes));
    if (sent || sent.error().code() != error_code::out_of_memory) return 2;
    packet got;
    return send(sockets.mine.number(), 1, message_of(4)) && receive(sockets.theirs.number(), got) == arrival::message
               ? 0
               : 3;
  });
  CHECK(ended == 0);
}

TEST_CASE("packets: a buffer at the end of the longest file costs no more memory than its bytes") {
  const owned_fd file = memory_file(0xffffffffU, true);
  REQUIRE(::pwrite(file.number(), "12345678", 8, 0xfffffff0U) == 8);
  const auto got_within_memory = [&](const hdi::SharedBuffer& buffer) {
    return nnrt_test::in_child([&] {
#if !defined(NNRT_TEST_SANITIZED)  // they need more addresses than that
      const ::rlimit little{std::size_t{1} << 30U, std::size_t{1} << 30U};
      if (::setrlimit(RLIMIT_AS, &little) != 0) return 9;
#endif
      try {
        const auto bytes = bytes_of(buffer);
        return !bytes ? 1 : bytes->size() == 8 && std::memcmp(bytes->data(), "12345678", 8) == 0 ? 0 : 2;
      } catch (const std::bad_alloc&) {
        return 3;
      }
    });
  };
  CHECK(got_within_memory({file.number(), 0xffffffffU, 0xfffffff0U, 8}) == 0);
  CHECK(got_within_memory({file.number(), 0xffffffffU, 0xfffffff8U, 8}) == 1);            // one byte too many
  CHECK(got_within_memory({file.number(), 0xffffffffU, 0xffffffffU, 0xffffffffU}) == 1);  // no sum of 32 bits
  CHECK(got_within_memory({file.number(), 0xfffffff7U, 0xfffffff0U, 8}) == 1);
}

TEST_CASE("listen: a host that accepts nobody is given up") {
  const temporary_folder folder;
  const std::string path = folder.file("socket");
  const auto address = nnrt::remote::detail::address_of(path);
  const owned_fd stopped(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  REQUIRE(::bind(stopped.number(), reinterpret_cast<const ::sockaddr*>(&*address), sizeof *address) == 0);
  REQUIRE(::listen(stopped.number(), 1) == 0);
  std::vector<owned_fd> waiting;
  bool is_given_up = false;
  while (!is_given_up && waiting.size() < 8) {
    auto connected = connect_to(path, 50);
    if (connected) waiting.push_back(std::move(*connected));
    else is_given_up = connected.error().code() == error_code::device_failed;
  }
  CHECK(is_given_up);
  CHECK(waiting.size() < 8);
}

TEST_CASE("listen: one host listens at a path, and its files go with it") {
  const temporary_folder folder;
  const std::string path = folder.file("socket");
  {
    const auto first = listening_socket::at(path);
    REQUIRE(first);
    CHECK((std::filesystem::status(path).permissions() & std::filesystem::perms::all) ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    const auto second = listening_socket::at(path);
    REQUIRE(!second);
    CHECK(second.error().code() == error_code::device_failed);
    CHECK(second.error().message().find("another host") != std::string::npos);
    CHECK(connect_to(path));
  }
  CHECK(folder.count() == 0);
  const auto nobody = connect_to(path);
  REQUIRE(!nobody);
  CHECK(nobody.error().code() == error_code::not_found);
}

TEST_CASE("listen: the socket of a host that was killed is replaced, anything else is not") {
  const temporary_folder folder;
  const std::string path = folder.file("socket");
  const ::pid_t host = nnrt_test::begin_child([&] {
    const auto listens = listening_socket::at(path);
    return listens ? ::pause(), 0 : 1;
  });
  while (!connect_to(path)) ::usleep(1000);
  ::kill(host, SIGKILL);
  CHECK(nnrt_test::end_of(host) == -1);
  CHECK(folder.count() == 2);
  const auto refused = connect_to(path);
  REQUIRE(!refused);
  CHECK(refused.error().code() == error_code::device_failed);
  CHECK(listening_socket::at(path));
  CHECK(folder.count() == 0);

  REQUIRE(::close(::open(path.c_str(), O_CREAT | O_CLOEXEC, 0600)) == 0);
  const auto occupied = listening_socket::at(path);
  REQUIRE(!occupied);
  CHECK(occupied.error().code() == error_code::io_failed);
  CHECK(folder.count() == 1);
}

TEST_CASE("listen: paths that no address can hold are refused") {
  for (const std::string& path : {std::string(), std::string(200, 'x'), std::string("a\0b", 3)}) {
    const auto listens = listening_socket::at(path);
    REQUIRE(!listens);
    CHECK(listens.error().code() == error_code::invalid_argument);
    CHECK(!connect_to(path));
  }
}

TEST_CASE("listen: hosts and clients of different users refuse each other") {
  if (::geteuid() != 0) return;  // nobody else can become another user
  const temporary_folder folder;
  const std::string path = folder.file("socket");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  auto listens = listening_socket::at(path);
  REQUIRE(listens);
  std::filesystem::permissions(path, std::filesystem::perms::all);  // so that SO_PEERCRED alone decides
  const int ended = nnrt_test::in_child([&] {
    if (::setuid(65534) != 0) return 1;
    const auto client = connect_to(path);  // the socket is another user's
    return client || client.error().code() != error_code::not_supported ? 2 : 0;
  });
  CHECK(ended == 0);
  const owned_fd client(::accept4(listens->number(), nullptr, nullptr, SOCK_CLOEXEC));
  REQUIRE(client.is_open());
  const auto peer = check_peer(client.number());
  REQUIRE(!peer);
  CHECK(peer.error().code() == error_code::not_supported);
  CHECK(peer.error().message().find("user 65534") != std::string::npos);
}
