// packets: sends and receives messages, each as one packet of a Unix-domain socket with its files.
// Flow: remote/client.hpp and remote/served_client.hpp use it; everything that arrives is checked.
//
// A packet is a packet_head and the message. A message that is too long is put into a file, the first of the packet's
// files.
// All files must be memory (memfd_create) that cannot shrink (F_SEAL_SHRINK): reading a mapping after its file's end
// raises SIGBUS.
#pragma once

#include <nnrt/core/deadline.hpp>
#include <nnrt/core/system_text.hpp>
#include <nnrt/hal/memory.hpp>
#include <nnrt/hdi/wire.hpp>
#include <nnrt/io/file.hpp>
#include <nnrt/io/owned_fd.hpp>
#include <nnrt/remote/adaptive_wait.hpp>
#include <nnrt/remote/messages.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace remote {

/// A received message and its files.
struct packet {
  std::uint32_t asked = 0;
  std::uint16_t number = 0;  // the question's
  std::vector<std::int8_t> bytes;
  std::vector<owned_fd> files;

  /// File descriptors for hdi::reader.
  std::vector<int> descriptors() const {
    std::vector<int> numbers;
    numbers.reserve(files.size());
    for (const owned_fd& f : files) numbers.push_back(f.number());
    return numbers;
  }
};

/// Result of receiving. `gone`: the other side has disconnected; `broken`: the bytes are no message, and the connection
/// cannot be used any more.
enum class arrival { message, gone, broken, late };

/// Largest message that is sent in the packet itself: packets of this size fit into every socket's buffer.
inline constexpr std::size_t max_inline_bytes = 32U << 10U;
/// Most files of a packet. The system's limit is 253.
inline constexpr std::size_t max_files = 64;
/// Largest message, in the packet or in a file. Bytes of tensors are not part of messages.
inline constexpr std::size_t max_message_bytes = std::size_t{256} << 20U;

/// Size of a memory file that cannot shrink, or -1 for other files. Huge pages are refused: touching a missing one ends
/// the process.
inline std::int64_t sealed_bytes(int fd) {
  constexpr long usual_pages = 0x01021994;  // TMPFS_MAGIC
  const int seals = ::fcntl(fd, F_GET_SEALS);
  struct ::stat status {};
  struct ::statfs system {};
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || ::fstat(fd, &status) != 0 || ::fstatfs(fd, &system) != 0 ||
      system.f_type != usual_pages)
    return -1;
  return static_cast<std::int64_t>(status.st_size);
}

namespace detail {

inline constexpr std::size_t head_bytes = sizeof(packet_head);

/// Timeout for poll(), rounded up.
inline int milliseconds_until(std::int64_t until) {
  const std::int64_t left = until - steady_now();
  return left <= 0 ? 0 : static_cast<int>(std::min<std::int64_t>((left - 1) / 1'000'000 + 1, 1 << 30));
}

/// Makes a file of these bytes that cannot be changed. Errors: out_of_memory, io_failed.
inline result<owned_fd> file_of(array_ref<const std::int8_t> bytes) {
  owned_fd made(::memfd_create("nnrt-message", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!made.is_open()) return nnrt::detail::system_failure("message", "cannot make a file", errno);
  if (!nnrt::detail::write_all(made.number(), {reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}))
    return nnrt::detail::system_failure("message", "cannot write it into a file", errno);
  ::fcntl(made.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  return made;
}

/// Copies bytes of a sealed file, as the sender may still write it. Allocates only this range: a file without pages may
/// have any length. False: the file is shorter.
template <class Byte> bool read_file(int fd, std::size_t from, std::size_t bytes, std::vector<Byte>& to) {
  const std::int64_t there = sealed_bytes(fd);
  if (there < 0 || static_cast<std::uint64_t>(there) < from || static_cast<std::uint64_t>(there) - from < bytes)
    return false;
  to.resize(bytes);
  return nnrt::detail::read_at(fd, from, {reinterpret_cast<std::byte*>(to.data()), bytes});
}

/// The error of a failed sendmsg. Only these numbers mean that the other side has disconnected; after others only this
/// packet is lost.
[[gnu::cold]] inline failure not_sent(int number) {
  constexpr const char* what = "cannot send to the other side";
  if (number != EPIPE && number != ECONNRESET && number != ENOTCONN)
    return nnrt::detail::system_failure("driver", what, number);
  return fail(error_code::device_failed, {"driver: ", what, ": ", system_text(number).view()});
}

/// Sends a packet by one sendmsg, entirely or not at all. Errors: device_failed (disconnected), the system's error for
/// this packet.
inline result<void> send_bytes(int socket, array_ref<const std::int8_t> head, array_ref<const std::int8_t> body,
                               array_ref<const int> files) {
  ::iovec parts[2] = {{const_cast<std::int8_t*>(head.data()), head.size()},
                      {const_cast<std::int8_t*>(body.data()), body.size()}};
  alignas(::cmsghdr) char beside[CMSG_SPACE(sizeof(int) * (max_files + 1))] = {};
  ::msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = body.empty() ? 1 : 2;
  if (!files.empty()) {
    message.msg_control = beside;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * files.size());
    ::cmsghdr* const control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET, control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int) * files.size());
    std::memcpy(CMSG_DATA(control), files.data(), sizeof(int) * files.size());
  }
  ::ssize_t sent = -1;
  do sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent < 0) return not_sent(errno);
  // A second sendmsg would start a new packet.
  if (const std::size_t all = head.size() + body.size(); static_cast<std::size_t>(sent) != all)
    return fail(error_code::device_failed, {"driver: ", sent, " bytes of a packet were sent, expected ", all});
  return {};
}

/// Takes the files of a packet; false: too many, or control messages of another kind.
inline bool take_files(::msghdr& message, std::vector<owned_fd>& files) {
  bool ok = (message.msg_flags & MSG_CTRUNC) == 0;
  for (::cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
      ok = false;
      continue;
    }
    for (std::size_t at = CMSG_LEN(0); at + sizeof(int) <= c->cmsg_len; at += sizeof(int)) {
      int number = -1;
      std::memcpy(&number, reinterpret_cast<const char*>(c) + at, sizeof number);
      files.emplace_back(number);
    }
  }
  return ok;
}

/// Reads the header of a packet, and its message from a file if it is there. False: it is no message.
inline bool open_packet(array_ref<const std::int8_t> got, packet& made) {
  packet_head head;
  if (got.size() < head_bytes) return false;
  std::memcpy(&head, got.data(), head_bytes);
  if (head.mark != packet_mark || head.is_beside > 1) return false;
  made.asked = head.asked, made.number = head.number;
  if (head.is_beside == 0) {
    made.bytes.assign(got.begin() + head_bytes, got.end());
    return head.bytes == made.bytes.size();
  }
  if (got.size() != head_bytes || made.files.empty() || head.bytes > max_message_bytes) return false;
  const owned_fd body = std::move(made.files.front());
  made.files.erase(made.files.begin());
  return read_file(body.number(), 0, head.bytes, made.bytes);
}

}  // namespace detail

/// Sends a message as one packet. Errors: device_failed (disconnected). Errors of this message only: invalid_argument
/// (too many bytes or files), out_of_memory, io_failed (a file that is not open, or too many in transit).
inline result<void> send(int socket, std::uint32_t asked, const hdi::writer& message, std::uint16_t number = 0) {
  if (message.bytes.size() > max_message_bytes || message.descriptors.size() > max_files)
    return fail(error_code::invalid_argument,
                joined({"message: has ", message.bytes.size(), " bytes and ", message.descriptors.size(),
                        " files, expected at most ", max_message_bytes, " and ", max_files}));
  const bool is_beside = message.bytes.size() > max_inline_bytes;
  const packet_head head{packet_mark, asked, static_cast<std::uint32_t>(message.bytes.size()),
                         static_cast<std::uint16_t>(is_beside ? 1 : 0), number};
  const array_ref<const std::int8_t> front(reinterpret_cast<const std::int8_t*>(&head), detail::head_bytes);
  if (!is_beside) return detail::send_bytes(socket, front, message.bytes, message.descriptors);
  auto body = detail::file_of(message.bytes);
  // this side ran out of memory or files; the connection is intact
  if (!body) return fail(error_code::out_of_memory, body.error().message());
  std::vector<int> files{body->number()};
  files.insert(files.end(), message.descriptors.begin(), message.descriptors.end());
  return detail::send_bytes(socket, front, {}, files);
}

/// Waits for a packet until `until`, nanoseconds of the steady clock, and reads it. `looks`: for repeated waits for the
/// same kind of packet.
inline arrival receive(int socket, packet& made, std::int64_t until = no_deadline, adaptive_wait* looks = nullptr) {
  made.files.clear();
  if (looks != nullptr) looks->look(socket, until);
  if (until != no_deadline) {
    ::pollfd waiting{socket, POLLIN, 0};
    int ready = 0;
    do ready = ::poll(&waiting, 1, detail::milliseconds_until(until));
    while (ready < 0 && errno == EINTR);
    if (ready <= 0) return ready == 0 ? arrival::late : arrival::gone;
  }
  std::int8_t front[detail::head_bytes + max_inline_bytes];
  alignas(::cmsghdr) char beside[CMSG_SPACE(sizeof(int) * (max_files + 1))];
  ::iovec part{front, sizeof front};
  ::msghdr message{};
  message.msg_iov = &part, message.msg_iovlen = 1;
  message.msg_control = beside, message.msg_controllen = sizeof beside;
  ::ssize_t got = 0;
  do got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (looks != nullptr) looks->came();
  const bool files_are_sound = got >= 0 && detail::take_files(message, made.files);
  if (got <= 0) return arrival::gone;
  if (!files_are_sound || (message.msg_flags & MSG_TRUNC) != 0) return arrival::broken;
  return detail::open_packet({front, static_cast<std::size_t>(got)}, made) ? arrival::message : arrival::broken;
}

/// Checks that the other side of a connected socket runs as the same user. Error: not_supported (another user, or
/// unknown).
inline result<void> check_peer(int socket) {
  ::ucred peer{};
  ::socklen_t bytes = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0)
    return nnrt::detail::system_failure("driver", "cannot ask who the other side is", errno);
  if (peer.uid == ::geteuid()) return {};
  return fail(error_code::not_supported,
              joined({"driver: the other side is a process of user ", peer.uid, ", expected user ", ::geteuid()}));
}

}}}  // namespace nnrt::NNRT_ISA::remote
