// host: serves a driver on a socket - accepts clients, and runs a thread for each connection.
// The thread of serve() detects clients that are silent, and those that disconnect during a run or a preparation.
// Flow: tools/driverd adds a command line; remote/served_client.hpp answers the questions.
#pragma once

// First: operators must find their kernels, and the same ones, in every translation unit of a program.
#include <nnrt/kernels/select.hpp>

#include <nnrt/exec/forks.hpp>
#include <nnrt/hal/launch.hpp>
#include <nnrt/remote/listen.hpp>
#include <nnrt/remote/served_client.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace remote {

namespace detail {

/// Limits how long a send waits for a client that does not read; a stopped client would block the thread.
inline void limit_sending(int socket) {
  const ::timeval most{patience / 1000, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
}

/// A thread that serves a socket. Shutting the socket down ends the thread.
class served_socket {
 public:
  /// Null: the system refused a thread.
  static std::unique_ptr<served_socket> begin(owned_fd socket, std::function<void(served_socket&)> serve) {
    limit_sending(socket.number());
    std::unique_ptr<served_socket> made(new served_socket(std::move(socket)));
    const auto body = [self = made.get(), serve = std::move(serve)] {
      // Running out of memory for a message ends the connection, not the host.
      (void)hal::detail::has_memory_for([&] { serve(*self); });
      // The other side sees the end at once; the file is closed when the thread has been joined.
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
  /// In a child process the socket is the parent's, and is not shut down.
  ~served_socket() {
    if (!home_.is_here()) nnrt::detail::made_anew(thread_);
    end();
    if (thread_.joinable()) thread_.join();
  }
  void end() {
    if (home_.is_here()) ::shutdown(socket_.number(), SHUT_RDWR);
  }
  bool is_over() const { return is_over_; }
  int number() const { return socket_.number(); }

  /// Set by the thread of serve() when the other side has disconnected; its runs and preparations end.
  std::atomic<bool> is_gone{false};
  /// Set by the socket's thread when the first question has arrived.
  std::atomic<bool> has_spoken{false};

 private:
  explicit served_socket(owned_fd socket) : socket_(std::move(socket)) {}

  owned_fd socket_;
  std::atomic<bool> is_over_{false};
  nnrt::detail::home_process home_;
  std::thread thread_;
};
using served_sockets = std::list<std::unique_ptr<served_socket>>;

inline void drop_those_that_are_over(served_sockets& all) {
  all.remove_if([](const std::unique_ptr<served_socket>& one) { return one->is_over(); });
}

/// Sockets of all connections, for the thread that detects disconnections. Safe from any thread.
class hang_ups {
 public:
  hang_ups() : changed_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  /// Registers a connection for the lifetime of its thread.
  class watch {
   public:
    watch(hang_ups& by, served_socket& of) : by_(by), number_(by.add(of)) {}
    watch(const watch&) = delete;
    watch& operator=(const watch&) = delete;
    ~watch() { by_.remove(number_); }

   private:
    hang_ups& by_;
    std::uint64_t number_;
  };

  /// Appends what poll() waits for: changes of this list, and connections that are still open. `numbers` gets the
  /// number of each.
  void list(std::vector<::pollfd>& waiting, std::vector<std::uint64_t>& numbers) {
    const std::lock_guard lock(mutex_);
    waiting.push_back({changed_.number(), POLLIN, 0}), numbers.push_back(0);
    for (const auto& [number, socket] : watched_)
      if (!socket->is_gone) waiting.push_back({socket->number(), 0, 0}), numbers.push_back(number);
  }
  /// Marks disconnected sockets. Numbers of connections that ended meanwhile are ignored.
  void note(std::span<const ::pollfd> waited, std::span<const std::uint64_t> numbers) {
    std::uint64_t count = 0;
    (void)!::read(changed_.number(), &count, sizeof count);
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 1; i < waited.size(); ++i) {
      if ((waited[i].revents & (POLLHUP | POLLERR)) == 0) continue;
      const auto found = watched_.find(numbers[i]);
      if (found != watched_.end()) found->second->is_gone = true;
    }
  }

 private:
  std::uint64_t add(served_socket& of) {
    std::uint64_t number = 0;
    {
      const std::lock_guard lock(mutex_);
      watched_[number = ++last_] = &of;
    }
    const std::uint64_t one = 1;
    (void)!::write(changed_.number(), &one, sizeof one);
    return number;
  }
  void remove(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    watched_.erase(number);
  }

  owned_fd changed_;
  std::mutex mutex_;
  std::map<std::uint64_t, served_socket*> watched_;
  std::uint64_t last_ = 0;
};

/// Waits for a client's next question. A client without models and memory may be silent only for a limited time.
inline arrival receive_first(served_socket& own, const served_client& client, const limits& most, packet& asked) {
  for (;;) {
    const std::int64_t patience_for_it = own.has_spoken ? most.idle_milliseconds : most.handshake_milliseconds;
    const arrival how = receive(own.number(), asked, steady_now() + patience_for_it * 1'000'000);
    if (how == arrival::message) own.has_spoken = true;
    if (how != arrival::late || !own.has_spoken || !client.has_anything()) return how;
  }
}

/// Serves a client: its first connection in this thread, further ones in a thread each. Returns when the client has
/// disconnected.
inline void serve_client(served_socket& own, served_client& client, const limits& most, hang_ups& leaving) {
  const hang_ups::watch watched(leaving, own);
  served_sockets further;
  const auto no_further = [] {
    return result<owned_fd>(
        fail(error_code::invalid_argument, "driver's host: only a client's first connection opens others"));
  };
  const auto serve_further = [&client, &leaving, no_further](served_socket& one) {
    const hang_ups::watch also_watched(leaving, one);
    packet asked;
    adaptive_wait next;
    while (receive(one.number(), asked, no_deadline, &next) == arrival::message &&
           client.serve(one.number(), asked, no_further, &one.is_gone)) {
    }
  };
  const auto open_further = [&]() -> result<owned_fd> {
    drop_those_that_are_over(further);
    if (further.size() >= most.connections)
      return fail(error_code::out_of_memory,
                  joined({"driver's host: the client has ", further.size(), " connections, and may have no more"}));
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
      return nnrt::detail::system_failure("driver's host", "cannot make a socket", errno);
    owned_fd mine(ends[0]), theirs(ends[1]);
    auto served = served_socket::begin(std::move(mine), serve_further);
    if (served == nullptr)
      return fail(error_code::out_of_memory, "driver's host: there is no thread for another connection");
    further.push_back(std::move(served));
    return theirs;
  };
  packet asked;
  while (receive_first(own, client, most, asked) == arrival::message &&
         client.serve(own.number(), asked, open_further, &own.is_gone)) {
  }
  for (const auto& one : further) one->end();
}

/// A client's slot: its first connection and its process id.
struct client_place {
  std::unique_ptr<served_socket> served;
  ::pid_t process = 0;
  bool was_ended = false;
};

/// Slots of all clients.
class client_places {
 public:
  explicit client_places(std::size_t most) : max_(most) {}

  void drop_those_that_are_over() {
    all_.remove_if([](const client_place& one) { return one.served->is_over(); });
  }
  /// Whether a process may have a slot. Processes that have one leave the last quarter to others. If none is free, a
  /// connection that has not asked anything is ended, the oldest of this process first.
  bool make_room_for(::pid_t process) {
    std::size_t taken = 0;
    bool has_one = false;
    for (const client_place& one : all_)
      if (!one.was_ended) ++taken, has_one = has_one || one.process == process;
    if (taken < max_ - (has_one ? max_ / 4 : 0)) return true;
    client_place* silent = nullptr;
    for (client_place& one : all_)
      if (!one.was_ended && !one.served->has_spoken &&
          (silent == nullptr || (silent->process != process && one.process == process)))
        silent = &one;
    if (silent == nullptr || (taken < max_ && silent->process != process)) return false;
    silent->was_ended = true;
    silent->served->end();
    return true;
  }
  void add(std::unique_ptr<served_socket> served, ::pid_t process) { all_.push_back({std::move(served), process}); }
  std::size_t size() const { return all_.size(); }
  void end_all() {
    for (const client_place& one : all_) one.served->end();
  }

 private:
  std::size_t max_;
  std::list<client_place> all_;
};

/// Waits for a client, for the end of serving, or for a client that hangs up; a second at most.
class wait_for_clients {
 public:
  wait_for_clients() { waiting_.reserve(64), numbers_.reserve(64); }
  /// False: the system cannot poll, errno says why.
  bool poll(const listening_socket& at, int stop, hang_ups& leaving) {
    waiting_.assign({{at.number(), POLLIN, 0}, {stop, POLLIN, 0}});
    numbers_.clear();
    if (!hal::detail::has_memory_for([&] { leaving.list(waiting_, numbers_); })) waiting_.resize(2), numbers_.clear();
    if (::poll(waiting_.data(), waiting_.size(), 1000) < 0 && errno != EINTR) return false;
    leaving.note(std::span(waiting_).subspan(2), numbers_);
    return true;
  }
  bool has_client() const { return (waiting_[0].revents & POLLIN) != 0; }
  bool shall_stop() const { return waiting_[1].revents != 0; }

 private:
  std::vector<::pollfd> waiting_;
  std::vector<std::uint64_t> numbers_;  // of the clients in waiting_
};

inline ::pid_t process_of(int socket) {
  ::ucred peer{};
  ::socklen_t bytes = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 ? peer.pid : 0;
}

}  // namespace detail

/// Name and limits of a host. `say` gets log lines about clients that connect or are refused. `on_stop` is called when
/// no more clients are accepted, before running runs end. serve()'s thread calls both.
struct host_options {
  std::string name;  // name of the device for clients; empty: "remote_" and the driver's name
  limits most;
  std::function<void(std::string_view)> say;
  std::function<void()> on_stop;
};

/// Serves clients until the file descriptor `stop` becomes readable. Then it closes the socket, frees its path, and
/// returns after running runs have ended. Errors: io_failed (the system cannot poll), before a client is served.
inline result<void> serve(const hal::device& device, listening_socket& at, int stop, const host_options& options = {}) {
  const auto say = [&](pieces line) {
    if (options.say) options.say(joined(line));
  };
  const std::string name = options.name.empty() ? joined({"remote_", device.driver().name()}) : options.name;
  detail::hang_ups leaving;
  detail::client_places clients(options.most.clients);
  const auto welcome = [&](owned_fd socket) {
    if (auto ok = check_peer(socket.number()); !ok) return say({"refused: ", ok.error().message()});
    const ::pid_t process = detail::process_of(socket.number());
    if (!clients.make_room_for(process))
      return say({"refused: process ", process, ", ", clients.size(), " clients are here"});
    auto served = detail::served_socket::begin(
        std::move(socket), [device, name, most = options.most, &leaving](detail::served_socket& own) {
          served_client client(device, name, most);
          detail::serve_client(own, client, most, leaving);
        });
    if (served == nullptr) return;
    clients.add(std::move(served), process);
    say({"clients: ", clients.size()});
  };
  detail::wait_for_clients waiting;
  for (;;) {
    if (!waiting.poll(at, stop, leaving))
      return nnrt::detail::system_failure(at.path(), "cannot wait for clients", errno);
    clients.drop_those_that_are_over();
    if (waiting.shall_stop()) break;
    if (!waiting.has_client()) continue;
    owned_fd socket(::accept4(at.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.is_open()) {
      ::poll(nullptr, 0, 10);  // perhaps no file descriptors are free: retry soon
      continue;
    }
    (void)hal::detail::has_memory_for([&] { welcome(std::move(socket)); });
  }
  at.close();
  if (options.on_stop) options.on_stop();
  clients.end_all();
  return {};
}

}}}  // namespace nnrt::NNRT_ISA::remote
