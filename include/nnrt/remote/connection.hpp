// connection: a client's way to a driver's host - one connection that opens the others, and as many others as questions are asked at once.
// Flow: remote/client.hpp asks through it; when the host is gone every question fails, and a new connection must be made.
#pragma once

#include <nnrt/remote/listen.hpp>
#include <nnrt/remote/packets.hpp>
#include <nnrt/remote/translate.hpp>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace nnrt::inline NNRT_ISA::remote {

/// A connection to a host. Safe from any thread.
class connection {
 public:
  /// Connects and says hello. Errors: not_found and device_failed (nobody there), not_supported (another user, another protocol), io_failed.
  static result<std::shared_ptr<connection>> to(const std::string& path) {
    auto socket = connect_to(path);
    if (!socket) return fail(std::move(socket.error()));
    return over(std::move(*socket), path);
  }
  /// The same on a socket that is connected; the path is for messages.
  static result<std::shared_ptr<connection>> over(owned_file socket, const std::string& path) {
    auto made = std::shared_ptr<connection>(new connection(path, std::move(socket)));
    hdi::writer hello;
    hdi::marshal(hello, greeting{protocol_version});
    packet answer;
    auto facts = made->ask_first<device_facts>(question::hello, hello, answer);
    if (!facts) return fail(std::move(facts.error()));
    if (facts->protocol != protocol_version || facts->connections == 0)
      return fail(error_code::not_supported, joined({path, ": speaks protocol ", facts->protocol, ", expected ", protocol_version}));
    made->facts_ = std::move(*facts);
    return made;
  }

  const device_facts& facts() const { return facts_; }
  bool is_alive() const { return !is_dead_; }

  /// Asks and waits for the answer. Errors: device_failed (the host is gone, or says what is no answer), out_of_memory.
  result<void> exchange(question what, const hdi::writer& message, packet& answer) {
    auto socket = take();
    if (!socket) return fail(std::move(socket.error()));
    auto done = exchange(socket->number(), what, message, answer, -1);
    give_back(std::move(*socket));
    return done;
  }
  /// The same, and the answer's structure; files beside it are in `answer`. Errors: also what the host says.
  template <hdi::record Answer> result<Answer> ask(question what, const hdi::writer& message, packet& answer) {
    if (auto done = exchange(what, message, answer); !done) return fail(std::move(done.error()));
    return read<Answer>(answer);
  }
  /// The same on the first connection, for what hosts answer at once: it waits for none of the others.
  template <hdi::record Answer> result<Answer> ask_first(question what, const hdi::writer& message, packet& answer) {
    const std::lock_guard lock(first_mutex_);
    if (auto done = exchange(first_.number(), what, message, answer, patience); !done) return fail(std::move(done.error()));
    return read<Answer>(answer);
  }
  /// A question whose answer is whether it was done.
  template <hdi::record Question> result<void> tell_first(question what, const Question& of) {
    hdi::writer message;
    hdi::marshal(message, of);
    packet answer;
    auto done = ask_first<ending>(what, message, answer);
    return done ? result<void>() : fail(std::move(done.error()));
  }

  /// What stands in an answer: how it ended, then its structure. Errors: device_failed (no answer), what the host says.
  template <hdi::record Answer> result<Answer> read(const packet& answer) {
    Answer made;
    auto ended = read_ending(answer, made);
    if (!ended) return fail(std::move(ended.error()));
    if (auto ok = result_of(*ended); !ok) return fail(std::move(ok.error()));
    return made;
  }
  /// The same; after a failure the structure may be there, too, and is left as it is where it is not.
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
  /// Gives the connection up: what is asked from now on fails.
  [[gnu::cold]] failure died(std::string_view why) {
    is_dead_ = true;
    ::shutdown(first_.number(), SHUT_RDWR);  // nothing more comes from there
    const std::lock_guard lock(mutex_);
    idle_.clear();
    changed_.notify_all();
    return fail(error_code::device_failed, joined({path_, ": ", why}));
  }

 private:
  connection(std::string path, owned_file first) : path_(std::move(path)), first_(std::move(first)) {}

  result<void> exchange(int socket, question what, const hdi::writer& message, packet& answer, int milliseconds) {
    if (is_dead_) return died("the driver's host has died");
    const auto asked = static_cast<std::uint32_t>(what);
    if (auto sent = send(socket, asked, message); !sent) {
      if (sent.error().code() != error_code::io_failed) return fail(std::move(sent.error()));
      return died("the driver's host has died");
    }
    switch (receive(socket, answer, milliseconds)) {
      case arrival::message: break;
      case arrival::gone: return died("the driver's host has died");
      case arrival::broken: return died("the driver's host says what is no message");
      case arrival::late: return died("the driver's host does not answer");
    }
    if (answer.asked != asked) return died("the driver's host answers another question");
    return {};
  }

  /// An idle socket, or a new one; waits for one when there may be no more.
  result<owned_file> take() {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_dead_ || !idle_.empty() || opened_ < facts_.connections; });
      if (is_dead_) return fail(error_code::device_failed, joined({path_, ": the driver's host has died"}));
      if (!idle_.empty()) {
        owned_file last = std::move(idle_.back());
        idle_.pop_back();
        return last;
      }
      ++opened_;
    }
    hdi::writer message;
    hdi::marshal(message, greeting{protocol_version});
    packet answer;
    auto opened = ask_first<ending>(question::open, message, answer);
    if (opened && answer.files.size() == 1) return std::move(answer.files[0]);
    {
      const std::lock_guard lock(mutex_);
      --opened_;
      changed_.notify_one();  // whoever waits may open one instead
    }
    if (!opened) return fail(std::move(opened.error()));
    return died("the driver's host opens no connection");
  }
  void give_back(owned_file socket) {
    const std::lock_guard lock(mutex_);
    if (!is_dead_) idle_.push_back(std::move(socket));
    changed_.notify_one();
  }

  std::string path_;
  device_facts facts_;
  std::mutex first_mutex_;
  owned_file first_;
  std::atomic<bool> is_dead_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<owned_file> idle_;
  std::size_t opened_ = 0;
};

}  // namespace nnrt::inline NNRT_ISA::remote
