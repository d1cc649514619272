// listen: the listening socket of a driver's host - creation, protection against a second host, removal at the end.
// Flow: remote/host.hpp accepts clients from it; remote/client.hpp connects to its path.
#pragma once

#include <nnrt/exec/forks.hpp>
#include <nnrt/remote/packets.hpp>

#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <cstddef>
#include <cstring>
#include <string>

namespace nnrt { inline namespace NNRT_ISA { namespace remote {

namespace detail {

/// The address of a path. Error: invalid_argument (empty, or longer than an address).
inline result<::sockaddr_un> address_of(const std::string& path) {
  ::sockaddr_un made{};
  made.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof made.sun_path || path.find('\0') != path.npos)
    return fail(error_code::invalid_argument, joined({"socket ", piece::in_quotes(path), ": the path has ", path.size(),
                                                      " bytes, expected 1 to ", sizeof made.sun_path - 1}));
  std::memcpy(made.sun_path, path.data(), path.size());
  return made;
}

/// PATH.lock, locked by the host that listens at PATH while it lives. Move only. The destructor removes it, except in a
/// child process.
class lock_file {
 public:
  lock_file() = default;
  lock_file(lock_file&& other) noexcept
      : name_(std::exchange(other.name_, {})), file_(std::move(other.file_)), home_(other.home_) {}
  lock_file& operator=(lock_file&&) = delete;
  ~lock_file() {
    if (!name_.empty() && home_.is_here()) ::unlink(name_.c_str());  // while it is locked
  }

  /// Errors: device_failed (another process holds it), io_failed, not_found.
  static result<lock_file> beside(const std::string& path) {
    const std::string name = path + ".lock";
    for (;;) {
      auto opened = nnrt::detail::open_regular(name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
      if (!opened) return fail(opened.error());
      owned_fd file = std::move(opened->file);
      if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return fail(error_code::device_failed, joined({path, ": another host listens here"}));
        return nnrt::detail::system_failure(name, "cannot lock", errno);
      }
      // A host that ends removes the file: check that the locked file still has this name.
      struct ::stat mine {
      }, named{};
      const bool is_named = ::fstat(file.number(), &mine) == 0 && ::stat(name.c_str(), &named) == 0 &&
                            mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
      if (is_named) return lock_file(name, std::move(file));
    }
  }

 private:
  lock_file(std::string name, owned_fd file) : name_(std::move(name)), file_(std::move(file)) {}

  std::string name_;
  owned_fd file_;
  nnrt::detail::home_process home_;
};

}  // namespace detail

/// A listening socket with a path, for clients of the same user. Move only. The destructor removes its files, except in
/// a child process or for a socket from given().
class listening_socket {
 public:
  listening_socket(listening_socket&& other) noexcept
      : path_(std::exchange(other.path_, {})),
        is_own_(other.is_own_),
        lock_(std::move(other.lock_)),
        socket_(std::move(other.socket_)),
        home_(other.home_) {}
  listening_socket& operator=(listening_socket&&) = delete;
  ~listening_socket() { close(); }

  /// Listens at the path. The socket of a killed host is replaced. Errors: invalid_argument (the path), device_failed
  /// (another host listens there), io_failed (the name is taken by another file; directory, permissions).
  static result<listening_socket> at(const std::string& path) {
    const auto address = detail::address_of(path);
    if (!address) return fail(address.error());
    auto lock = detail::lock_file::beside(path);
    if (!lock) return fail(std::move(lock.error()));
    struct ::stat old {};
    if (::lstat(path.c_str(), &old) == 0) {
      if (!S_ISSOCK(old.st_mode)) return fail(error_code::io_failed, joined({path, ": is there, and is no socket"}));
      ::unlink(path.c_str());
    }
    owned_fd made(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!made.is_open()) return nnrt::detail::system_failure(path, "cannot make a socket", errno);
    // Other users must not be able to connect: set the mode before the socket has a name and listens.
    ::fchmod(made.number(), 0600);
    if (::bind(made.number(), reinterpret_cast<const ::sockaddr*>(&*address), sizeof *address) != 0)
      return nnrt::detail::system_failure(path, "cannot bind", errno);
    if (::listen(made.number(), 64) != 0) return nnrt::detail::system_failure(path, "cannot listen", errno);
    return listening_socket(path, std::move(*lock), std::move(made));
  }

  /// Takes a listening socket of another process, such as systemd, which keeps its path. Error: invalid_argument (not a
  /// listening socket of AF_UNIX and SOCK_SEQPACKET).
  static result<listening_socket> given(owned_fd socket) {
    const auto option = [&](int which) {
      int value = -1;
      ::socklen_t bytes = sizeof value;
      return ::getsockopt(socket.number(), SOL_SOCKET, which, &value, &bytes) == 0 ? value : -1;
    };
    const bool is_right =
        option(SO_DOMAIN) == AF_UNIX && option(SO_TYPE) == SOCK_SEQPACKET && option(SO_ACCEPTCONN) == 1;
    if (!is_right)
      return fail(error_code::invalid_argument,
                  {"file ", socket.number(),
                   " is no listening socket of AF_UNIX and SOCK_SEQPACKET (ListenSequentialPacket=)"});
    const int flags = ::fcntl(socket.number(), F_GETFL);
    if (flags < 0 || ::fcntl(socket.number(), F_SETFL, flags | O_NONBLOCK) != 0 ||
        ::fcntl(socket.number(), F_SETFD, FD_CLOEXEC) != 0)
      return nnrt::detail::system_failure("socket", "cannot be made ready", errno);
    ::sockaddr_un address{};
    ::socklen_t bytes = sizeof address;
    std::string path = "a given socket";
    if (::getsockname(socket.number(), reinterpret_cast<::sockaddr*>(&address), &bytes) == 0 &&
        bytes > offsetof(::sockaddr_un, sun_path) && address.sun_path[0] != '\0')
      path.assign(address.sun_path, ::strnlen(address.sun_path, bytes - offsetof(::sockaddr_un, sun_path)));
    listening_socket made(std::move(path), {}, std::move(socket));
    made.is_own_ = false;
    return made;
  }

  int number() const { return socket_.number(); }
  const std::string& path() const { return path_; }
  /// Stops listening and frees the path.
  void close() {
    if (!path_.empty() && is_own_ && home_.is_here()) ::unlink(path_.c_str());
    path_.clear();
    socket_ = owned_fd();
    const detail::lock_file freed = std::move(lock_);
  }

 private:
  listening_socket(std::string path, detail::lock_file lock, owned_fd socket)
      : path_(std::move(path)), lock_(std::move(lock)), socket_(std::move(socket)) {}

  std::string path_;
  bool is_own_ = true;  // the path is removed at the end
  detail::lock_file lock_;
  owned_fd socket_;
  nnrt::detail::home_process home_;
};

/// Milliseconds within which a host must answer simple questions such as hello. A stopped host must not block its
/// clients.
inline constexpr int patience = 5000;

/// Connects to the host at the path, which must be the same user's. Errors: not_found (no socket), device_failed (no
/// host listens, or none accepts within `milliseconds`), not_supported (another user's), invalid_argument (the path),
/// io_failed.
inline result<owned_fd> connect_to(const std::string& path, int milliseconds = patience) {
  const auto address = detail::address_of(path);
  if (!address) return fail(address.error());
  owned_fd made(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!made.is_open()) return nnrt::detail::system_failure(path, "cannot make a socket", errno);
  // connect() blocks if a stopped host has a full queue of connections.
  const ::timeval most{milliseconds / 1000, milliseconds % 1000 * 1000}, for_ever{0, 0};
  ::setsockopt(made.number(), SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
  int failed = 0;
  do failed = ::connect(made.number(), reinterpret_cast<const ::sockaddr*>(&*address), sizeof *address);
  while (failed != 0 && errno == EINTR);
  if (failed != 0 && errno == ECONNREFUSED) return fail(error_code::device_failed, joined({path, ": nobody listens"}));
  if (failed != 0 && errno == EAGAIN)
    return fail(error_code::device_failed, joined({path, ": the driver's host takes no connection"}));
  if (failed != 0) return nnrt::detail::system_failure(path, "cannot connect", errno);
  ::setsockopt(made.number(), SOL_SOCKET, SO_SNDTIMEO, &for_ever, sizeof for_ever);
  if (auto ok = check_peer(made.number()); !ok) return fail(std::move(ok.error()).in(path));
  return made;
}

}}}  // namespace nnrt::NNRT_ISA::remote
