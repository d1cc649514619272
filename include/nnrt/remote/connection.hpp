// connection: a client's connection to a driver's host - a first socket, and further ones for concurrent questions.
// Flow: remote/client.hpp asks through it. After the host has died every question fails; a new connection must be made.
#pragma once

#include <nnrt/core/deadline.hpp>
#include <nnrt/exec/forks.hpp>
#include <nnrt/remote/listen.hpp>
#include <nnrt/remote/packets.hpp>
#include <nnrt/remote/translate.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace remote {

namespace detail {

/// The deadline plus `by` nanoseconds; no_deadline is unchanged.
constexpr std::int64_t after(std::int64_t deadline, std::int64_t by) {
  return deadline > no_deadline - by ? no_deadline : deadline + by;
}

/// A mutex with a timeout at a time of the steady clock, in nanoseconds. (g++ 12's thread sanitizer does not support
/// std::timed_mutex.)
class turn {
 public:
  bool take(std::int64_t until) {
    std::unique_lock lock(mutex_);
    const auto is_free = [&] { return !is_taken_; };
    if (until == no_deadline) changed_.wait(lock, is_free);
    else if (!changed_.wait_until(lock, time_of(until), is_free)) return false;
    return is_taken_ = true;
  }
  void give() {
    const std::lock_guard lock(mutex_);
    is_taken_ = false;
    changed_.notify_one();
  }
  static std::chrono::steady_clock::time_point time_of(std::int64_t nanoseconds) {
    return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(nanoseconds));
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_taken_ = false;
};
class held_turn {
 public:
  held_turn(turn& of, std::int64_t until) : of_(of), is_mine_(of.take(until)) {}
  held_turn(const held_turn&) = delete;
  held_turn& operator=(const held_turn&) = delete;
  ~held_turn() {
    if (is_mine_) of_.give();
  }
  explicit operator bool() const { return is_mine_; }

 private:
  turn& of_;
  bool is_mine_;
};

}  // namespace detail

/// A connection to a host. Safe from any thread. In a child process it fails: its sockets are the parent's.
/// Functions with `until`, nanoseconds of the steady clock, return deadline_missed at that time; a later answer is
/// discarded.
class connection {
 public:
  /// Connects and exchanges greetings. Errors: not_found and device_failed (no host), not_supported (another user,
  /// another protocol), io_failed.
  static result<std::shared_ptr<connection>> to(const std::string& path, std::int64_t until = no_deadline) {
    auto socket = connect_to(path);
    if (!socket) return fail(std::move(socket.error()));
    return over(std::move(*socket), path, until);
  }
  /// Makes a connection of a connected socket; the path appears in messages.
  static result<std::shared_ptr<connection>> over(owned_fd socket, const std::string& path,
                                                  std::int64_t until = no_deadline) {
    auto made = std::shared_ptr<connection>(new connection(path, std::move(socket)));
    hdi::writer hello;
    hdi::marshal(hello, greeting{protocol_version});
    packet answer;
    auto facts = made->ask_first<device_facts>(question::hello, hello, answer, until);
    if (!facts) return fail(std::move(facts.error()));
    if (facts->protocol != protocol_version || facts->connections == 0)
      return fail(error_code::not_supported,
                  joined({path, ": speaks protocol ", facts->protocol, ", expected ", protocol_version}));
    made->facts_ = std::move(*facts);
    return made;
  }

  const device_facts& facts() const { return facts_; }
  bool is_alive() const { return !is_dead_ && home_.is_here(); }

  /// Asks and waits for the answer. Errors: device_failed (the host has died, or its answer is invalid), out_of_memory,
  /// deadline_missed, io_failed (the message could not be sent).
  result<void> exchange(question what, const hdi::writer& message, packet& answer, std::int64_t until = no_deadline,
                        adaptive_wait* looks = nullptr) {
    auto socket = take(until);
    if (!socket) return fail(std::move(socket.error()));
    auto done = exchange(socket->number(), what, message, answer, until, looks);
    put_away(std::move(*socket), done);
    return done;
  }
  /// Like exchange(), for questions whose late answer would leave an unknown object in the host. Waits `until` for a
  /// socket and until `answered_by` for the answer. A host that does not answer is disconnected; a host whose sockets
  /// are all in use is not.
  result<void> exchange_or_give_up(question what, const hdi::writer& message, packet& answer, std::int64_t until,
                                   std::int64_t answered_by) {
    auto socket = take(until);
    if (!socket) return fail(std::move(socket.error()));
    auto done = exchange(socket->number(), what, message, answer, answered_by);
    put_away(std::move(*socket), done);
    if (is_late(done)) (void)died("the driver's host does not answer");
    return done;
  }
  /// Asks, and reads the answer's structure; its files are in `answer`. Errors: as exchange(); the host's.
  template <hdi::record Answer>
  result<Answer> ask(question what, const hdi::writer& message, packet& answer, std::int64_t until = no_deadline) {
    if (auto done = exchange(what, message, answer, until); !done) return fail(std::move(done.error()));
    return read<Answer>(answer);
  }
  /// Asks on the first socket, for questions that hosts answer at once. It does not wait for other questions.
  template <hdi::record Answer>
  result<Answer> ask_first(question what, const hdi::writer& message, packet& answer,
                           std::int64_t until = no_deadline) {
    if (!home_.is_here()) return is_the_parents();
    const detail::held_turn mine(first_turn_, until);
    if (!mine) return fail(std::move(late().reason));
    if (auto done = exchange_first(what, message, answer, until); !done) return fail(std::move(done.error()));
    return read<Answer>(answer);
  }
  /// Asks a question whose answer is only success or failure.
  template <hdi::record Question>
  result<void> tell_first(question what, const Question& of, std::int64_t until = no_deadline) {
    hdi::writer message;
    hdi::marshal(message, of);
    packet answer;
    auto done = ask_first<ending>(what, message, answer, until);
    return done ? result<void>() : fail(std::move(done.error()));
  }

  /// Reads an answer: its ending, then its structure. Errors: device_failed (invalid answer); the host's.
  template <hdi::record Answer> result<Answer> read(const packet& answer) {
    Answer made;
    auto ended = read_ending(answer, made);
    if (!ended) return fail(std::move(ended.error()));
    if (auto ok = result_of(*ended); !ok) return fail(std::move(ok.error()));
    return made;
  }
  /// Reads an answer without failing on the host's error. A structure may follow an error; without one, `made` is
  /// unchanged.
  template <hdi::record Answer> result<ending> read_ending(const packet& answer, Answer& made) {
    const std::vector<int> beside = answer.descriptors();
    hdi::reader in(answer.bytes, beside);
    ending ended;
    bool ok = hdi::unmarshal(in, ended).has_value();
    if constexpr (!std::is_same_v<Answer, ending>) {
      if (ok && (ended.code == -1 || in.left() != 0)) ok = hdi::unmarshal(in, made).has_value();
    }
    if (!ok || in.left() != 0) return died("the driver's host says what is no answer");
    return ended;
  }
  /// Closes the connection: later questions fail.
  [[gnu::cold]] failure died(std::string_view why) {
    if (!home_.is_here()) return is_the_parents();
    is_dead_ = true;
    ::shutdown(first_.number(), SHUT_RDWR);  // ends blocked reads
    const std::lock_guard lock(mutex_);
    idle_.clear();
    changed_.notify_all();
    return fail(error_code::device_failed, joined({path_, ": ", why}));
  }
  [[gnu::cold]] failure is_the_parents() const {
    return fail(error_code::device_failed, joined({path_, ": the connection is the parent process's"}));
  }
  [[gnu::cold]] failure late() const {
    return fail(error_code::deadline_missed, joined({path_, ": the driver's host has not answered by the deadline"}));
  }

 private:
  connection(std::string path, owned_fd first) : path_(std::move(path)), first_(std::move(first)) {}

  result<void> exchange(int socket, question what, const hdi::writer& message, packet& answer, std::int64_t until,
                        adaptive_wait* looks = nullptr) {
    if (!is_alive()) return died("the driver's host has died");
    const auto asked = static_cast<std::uint32_t>(what);
    const std::uint16_t number = next_number_++;
    if (auto sent = send(socket, asked, message, number); !sent) {
      if (sent.error().code() != error_code::device_failed) return fail(std::move(sent.error()));
      return died("the driver's host has died");
    }
    if (auto got = hear(socket, answer, until, looks); !got) return got;
    if (answer.asked != asked || answer.number != number) return died("the driver's host answers another question");
    return {};
  }
  /// Receives a packet. Errors: device_failed, deadline_missed.
  result<void> hear(int socket, packet& answer, std::int64_t until, adaptive_wait* looks = nullptr) {
    switch (receive(socket, answer, until, looks)) {
      case arrival::message: break;
      case arrival::gone: return died("the driver's host has died");
      case arrival::broken: return died("the driver's host says what is no message");
      case arrival::late: return late();
    }
    return {};
  }
  static bool is_late(const result<void>& done) { return !done && done.error().code() == error_code::deadline_missed; }
  /// Asks on the first socket; the caller holds its turn. A host that does not answer within `patience` is considered
  /// dead, unless the caller's own deadline is earlier.
  result<void> exchange_first(question what, const hdi::writer& message, packet& answer, std::int64_t until) {
    const std::int64_t end = std::min(until, steady_now() + std::int64_t{patience} * 1'000'000);
    result<void> done;
    for (; done && owed_ > 0; owed_ -= done ? 1 : 0) done = hear(first_.number(), answer, end);
    if (done) {
      done = exchange(first_.number(), what, message, answer, end);
      if (is_late(done)) ++owed_;
    }
    return is_late(done) && end != until ? died("the driver's host does not answer") : std::move(done);
  }

  /// Returns an idle socket or opens one. At the limit of connections it waits for an idle one.
  result<owned_fd> take(std::int64_t until) {
    if (!home_.is_here()) return is_the_parents();
    {
      std::unique_lock lock(mutex_);
      const auto is_there = [&] { return is_dead_ || !idle_.empty() || opened_ < facts_.connections; };
      if (until == no_deadline) changed_.wait(lock, is_there);
      else if (!changed_.wait_until(lock, detail::turn::time_of(until), is_there))
        return fail(error_code::deadline_missed,
                    joined({path_, ": others have all ", facts_.connections, " connections to the driver's host"}));
      if (is_dead_) return fail(error_code::device_failed, joined({path_, ": the driver's host has died"}));
      if (!idle_.empty()) {
        owned_fd last = std::move(idle_.back());
        idle_.pop_back();
        return last;
      }
      ++opened_;
    }
    hdi::writer message;
    hdi::marshal(message, greeting{protocol_version});
    packet answer;
    auto opened = ask_first<ending>(question::open, message, answer, until);
    if (opened && answer.files.size() == 1) return std::move(answer.files[0]);
    drop({});
    if (!opened) return fail(std::move(opened.error()));
    return died("the driver's host opens no connection");
  }
  void put_away(owned_fd socket, const result<void>& done) {
    // Close a socket with a pending answer: the next question would receive it.
    if (is_late(done)) drop(std::move(socket));
    else give_back(std::move(socket));
  }
  void drop(owned_fd socket) {
    socket = {};
    const std::lock_guard lock(mutex_);
    --opened_;
    changed_.notify_one();  // a waiting thread may open another socket
  }
  void give_back(owned_fd socket) {
    const std::lock_guard lock(mutex_);
    if (!is_dead_) idle_.push_back(std::move(socket));
    changed_.notify_one();
  }

  std::string path_;
  device_facts facts_;
  detail::turn first_turn_;
  owned_fd first_;
  std::atomic<std::uint16_t> next_number_{0};
  int owed_ = 0;  // pending answers on the first socket that nobody waits for; guarded by its turn
  std::atomic<bool> is_dead_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<owned_fd> idle_;
  std::size_t opened_ = 0;
  nnrt::detail::home_process home_;
};

}}}  // namespace nnrt::NNRT_ISA::remote
