// host: a driver behind a socket - clients are accepted, each connection has a thread, and all goes with them.
// Flow: tools/driverd is this and a command line; remote/session.hpp answers what clients ask.
#pragma once

// First: operators must find their kernels wherever they are named, and alike in all units of a program.
#include <nnrt/kernels/select.hpp>

#include <nnrt/exec/forks.hpp>
#include <nnrt/hal/launch.hpp>
#include <nnrt/remote/listen.hpp>
#include <nnrt/remote/session.hpp>

#include <poll.h>
#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <system_error>
#include <thread>

namespace nnrt::inline NNRT_ISA::remote {

namespace detail {

/// A thread with a socket that it serves; ending the socket ends the thread.
class served_socket {
 public:
  /// Null: there is no thread for it.
  static std::unique_ptr<served_socket> begin(owned_file socket, std::function<void(int)> serve) {
    std::unique_ptr<served_socket> made(new served_socket(std::move(socket)));
    const auto body = [self = made.get(), serve = std::move(serve)] {
      // A message that there is no memory for ends its connection, and not the host.
      (void)hal::detail::has_memory_for([&] { serve(self->socket_.number()); });
      // The other side shall see it at once, the file is closed when the thread is joined.
      ::shutdown(self->socket_.number(), SHUT_RDWR);
      self->is_over_ = true;
    };
#if defined(__cpp_exceptions)
    try {
      made->thread_ = std::thread(body);
    } catch (const std::system_error&) {
      return nullptr;
    }
#else
    made->thread_ = std::thread(body);
#endif
    return made;
  }
  served_socket(const served_socket&) = delete;
  served_socket& operator=(const served_socket&) = delete;
  /// In a child process the socket is the parent's to end.
  ~served_socket() {
    if (!home_.is_here()) nnrt::detail::made_anew(thread_);
    end();
    if (thread_.joinable()) thread_.join();
  }
  void end() {
    if (home_.is_here()) ::shutdown(socket_.number(), SHUT_RDWR);
  }
  bool is_over() const { return is_over_; }

 private:
  explicit served_socket(owned_file socket) : socket_(std::move(socket)) {}

  owned_file socket_;
  std::atomic<bool> is_over_{false};
  nnrt::detail::home_process home_;
  std::thread thread_;
};
using served_sockets = std::list<std::unique_ptr<served_socket>>;

inline void drop_those_that_are_over(served_sockets& all) {
  all.remove_if([](const std::unique_ptr<served_socket>& one) { return one->is_over(); });
}

/// A client: its first connection, served here, and the further ones that it asks for, each in a thread. Returns when the client is gone.
inline void serve_client(int socket, session& client, std::size_t most_connections) {
  served_sockets further;
  const auto no_further = [] { return result<owned_file>(fail(error_code::invalid_argument, "driver's host: only a client's first connection opens others")); };
  const auto serve_further = [&client, no_further](int own) {
    packet asked;
    lookout next;
    while (receive(own, asked, no_deadline, &next) == arrival::message && client.serve(own, asked, no_further)) {}
  };
  const auto open_further = [&]() -> result<owned_file> {
    drop_those_that_are_over(further);
    if (further.size() >= most_connections)
      return fail(error_code::out_of_memory, joined({"driver's host: the client has ", further.size(), " connections, and may have no more"}));
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return nnrt::detail::system_failure("driver's host", "cannot make a socket", errno);
    owned_file mine(ends[0]), theirs(ends[1]);
    auto served = served_socket::begin(std::move(mine), serve_further);
    if (served == nullptr) return fail(error_code::out_of_memory, "driver's host: there is no thread for another connection");
    further.push_back(std::move(served));
    return theirs;
  };
  packet asked;
  while (receive(socket, asked) == arrival::message && client.serve(socket, asked, open_further)) {}
  for (const auto& one : further) one->end();
}

}  // namespace detail

/// What a host says of itself, and what each client may have. `say` hears of clients that come or are refused, `on_stop` is called when no more of
/// them are served, and runs that are under way end; both from the thread of serve().
struct host_options {
  std::string name;  // by which clients know the device; empty: "remote_" and the driver's
  limits most;
  std::function<void(std::string_view)> say;
  std::function<void()> on_stop;
};

/// Serves clients until `stop`, a file descriptor, can be read. Then the socket is closed and its path free; runs that are under way end first.
/// Errors: io_failed (the system takes no more waiting), before anything is served.
inline result<void> serve(const hal::device& device, listening_socket& at, int stop, const host_options& options = {}) {
  const auto say = [&](pieces line) {
    if (options.say) options.say(joined(line));
  };
  const std::string name = options.name.empty() ? joined({"remote_", device.driver().name()}) : options.name;
  detail::served_sockets clients;
  for (;;) {
    ::pollfd waiting[] = {{at.number(), POLLIN, 0}, {stop, POLLIN, 0}};
    if (::poll(waiting, 2, 1000) < 0 && errno != EINTR) return nnrt::detail::system_failure(at.path(), "cannot wait for clients", errno);
    detail::drop_those_that_are_over(clients);
    if (waiting[1].revents != 0) break;
    if ((waiting[0].revents & POLLIN) == 0) continue;
    owned_file socket(::accept4(at.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.is_open()) {
      ::poll(nullptr, 0, 10);  // no file descriptors left, perhaps: some will be closed
      continue;
    }
    (void)hal::detail::has_memory_for([&] {
      if (auto ok = check_peer(socket.number()); !ok) {
        say({"refused: ", ok.error().message()});
      } else if (clients.size() >= options.most.clients) {
        say({"refused: ", clients.size(), " clients are here"});
      } else if (auto served = detail::served_socket::begin(std::move(socket), [device, name, most = options.most](int own) {
                   session client(device, name, most);
                   detail::serve_client(own, client, most.connections);
                 })) {
        clients.push_back(std::move(served));
        say({"clients: ", clients.size()});
      }
    });
  }
  at.close();
  if (options.on_stop) options.on_stop();
  for (const auto& one : clients) one->end();
  return {};
}

}  // namespace nnrt::inline NNRT_ISA::remote
