// served_client: one client of a driver's host - its models and memory, and the answers to its questions.
// Flow: remote/host.hpp makes one for each client and passes it the packets of every connection; the driver sees only
// checked arguments.
#pragma once

// First: operators must find their kernels, and the same ones, in every translation unit of a program.
#include <nnrt/kernels/select.hpp>

#include <nnrt/core/float_environment.hpp>
#include <nnrt/hal/device.hpp>
#include <nnrt/hdi/read_model.hpp>
#include <nnrt/remote/packets.hpp>
#include <nnrt/remote/translate.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace remote {

/// Limits of one client; `clients` is the limit of clients.
struct limits {
  std::size_t clients = 64;  // processes that have a connection leave the last quarter to others
  // also the limit of concurrent runs, and of idle executions beyond one of each model
  std::size_t connections = 64;
  std::size_t models = 256;
  std::size_t memories = 4096;  // files with tensors
  /// Limit of the bytes of these files, and separately of the host's memory for the client: constants, prepared
  /// weights, arenas, copies of inputs.
  std::uint64_t memory_bytes = std::uint64_t{4} << 30U;
  std::int64_t handshake_milliseconds = 5'000;  // until the first question on a new connection
  std::int64_t idle_milliseconds = 60'000;      // between questions of a client without models and memory
};

/// Everything that a host holds for one client. Safe from any thread.
class served_client {
 public:
  /// `name`: the device's name for the client.
  served_client(hal::device of, std::string name, const limits& most)
      : device_(std::move(of)), name_(std::move(name)), limits_(most), account_(most.memory_bytes) {}

  /// Answers one question. `open_connection` returns a socket for question::open, or an error. `is_gone` becomes true
  /// when the other side disconnects, which ends its run or preparation. False: the client broke the protocol or
  /// disconnected.
  bool serve(int socket, const packet& asked, const std::function<result<owned_fd>()>& open_connection,
             const std::atomic<bool>* is_gone = nullptr) {
    reply made;
    answer(asked, open_connection, is_gone, made);
    hdi::writer message;
    message.bytes.reserve(256);
    hdi::marshal(message, made.ended);
    message.bytes.insert(message.bytes.end(), made.message.bytes.begin(), made.message.bytes.end());
    message.descriptors = std::move(made.message.descriptors);
    const auto sent = send(socket, asked.asked, message, asked.number);
    if (sent || sent.error().code() == error_code::device_failed) return sent.has_value();
    hdi::writer failed;  // for an answer that is too long or whose files cannot be sent
    hdi::marshal(failed, ending_of(sent.error()));
    return send(socket, asked.asked, failed, asked.number).has_value();
  }

  /// Whether the client has models or memory here.
  bool has_anything() const {
    const std::lock_guard lock(mutex_);
    return !models_.empty() || !memories_.empty();
  }

 private:
  /// An answer in progress: its ending, then its structure.
  struct reply {
    ending ended{-1, {}};
    hdi::writer message;
    std::vector<owned_fd> files;  // sent with it
  };
  struct model_of_client {
    accounted_bytes constants;
    hal::prepared_model_handle model;
    std::mutex mutex;
    std::vector<std::unique_ptr<hal::checked_execution>> idle;  // executions to reuse
    std::atomic<std::size_t>& all_idle;                         // number of idle executions of all the client's models

    model_of_client(hal::prepared_model_handle of, accounted_bytes of_constants, std::atomic<std::size_t>& counted)
        : constants(std::move(of_constants)), model(std::move(of)), all_idle(counted) {}
    model_of_client(const model_of_client&) = delete;
    model_of_client& operator=(const model_of_client&) = delete;
    ~model_of_client() { all_idle -= idle.size(); }
    /// An idle execution, or a new one.
    result<std::unique_ptr<hal::checked_execution>> take() {
      {
        const std::lock_guard lock(mutex);
        if (!idle.empty()) {
          auto last = std::move(idle.back());
          idle.pop_back();
          --all_idle;
          return last;
        }
      }
      return model.make_execution();
    }
    /// Keeps an execution for the next run. As each has memory, a client keeps one of each model and `most` more.
    void give_back(std::unique_ptr<hal::checked_execution> one, std::size_t most) {
      const std::lock_guard lock(mutex);
      if (!idle.empty() && all_idle >= most) return;
      idle.push_back(std::move(one));
      ++all_idle;
    }
  };

  void answer(const packet& asked, const std::function<result<owned_fd>()>& open_connection,
              const std::atomic<bool>* is_gone, reply& made) {
#if defined(__cpp_exceptions)
    try {
      take(asked, open_connection, is_gone, made);
    } catch (const std::bad_alloc&) {
      made = {};
      made.ended = {static_cast<std::int32_t>(error_code::out_of_memory), "the driver's host has no memory for it"};
    }
#else
    take(asked, open_connection, is_gone, made);
#endif
  }
  void take(const packet& asked, const std::function<result<owned_fd>()>& open_connection,
            const std::atomic<bool>* is_gone, reply& made) {
    const result<void> done = answer_to(asked, open_connection, is_gone, made);
    if (!done) made.ended = ending_of(done.error());
  }
  result<void> answer_to(const packet& asked, const std::function<result<owned_fd>()>& open_connection,
                         const std::atomic<bool>* is_gone, reply& made) {
    switch (static_cast<question>(asked.asked)) {
      case question::hello: return read<greeting>(asked, [&](const greeting& hi) { return describe(hi, made); });
      case question::open: return read<greeting>(asked, [&](const greeting&) { return open(open_connection, made); });
      case question::status: return read<greeting>(asked, [&](const greeting&) { return tell_status(made); });
      case question::refusals: return read<wanted_model>(asked, [&](const wanted_model& n) { return refuse(n, made); });
      case question::prepare:
        return read<wanted_model>(asked, [&](const wanted_model& n) { return prepare(n, is_gone, made); });
      case question::restore:
        return read<stored_model>(asked, [&](const stored_model& s) { return restore(s, false, is_gone, made); });
      case question::prepare_offline:
        return read<stored_model>(asked, [&](const stored_model& s) { return restore(s, true, is_gone, made); });
      case question::export_model: return read<ticket>(asked, [&](const ticket& h) { return export_model(h, made); });
      case question::drop_model: return read<ticket>(asked, [&](const ticket& h) { return drop_model(h); });
      case question::lend: return read<lent_memory>(asked, [&](const lent_memory& m) { return lend(m); });
      case question::take_back: return read<ticket>(asked, [&](const ticket& h) { return take_back(h); });
      case question::run: return read<run_order>(asked, [&](const run_order& r) { return run(r, is_gone, made); });
    }
    return fail(error_code::not_supported, joined({"driver's host: got question ", asked.asked, ", expected 1 to 12"}));
  }
  /// Reads the question's structure and calls f. The message's files must be those that it names.
  template <hdi::record T, class F> static result<void> read(const packet& asked, F f) {
    const std::vector<int> beside = asked.descriptors();
    hdi::reader in(asked.bytes, beside);
    T value;
    if (auto ok = hdi::unmarshal(in, value); !ok) return ok;
    if (in.left() != 0) return fail(error_code::invalid_file, joined({"message: has ", in.left(), " bytes too many"}));
    return f(value);
  }

  // --- the device --------------------------------------------------------------

  result<void> describe(const greeting& hi, reply& made) {
    if (hi.protocol != protocol_version)
      return fail(error_code::not_supported,
                  joined({"driver's host: got protocol ", hi.protocol, ", expected ", protocol_version}));
    const hal::driver& driver = device_.driver();
    const auto type = device_.type();
    if (!type) return fail(type.error());
    const auto can = device_.supported_features();
    if (!can) return fail(can.error());
    device_facts facts{
        protocol_version,
        name_,
        std::string(driver.vendor()),
        driver.major_version(),
        driver.minor_version(),
        static_cast<hdi::DeviceType>(*type),
        {can->float16, can->performance, can->priority, can->dynamic_inputs, can->caching, can->asynchronous},
        {},
        static_cast<std::uint32_t>(limits_.connections)};
    for (int i = 0; i < dtype_count; ++i) {
      const hal::work_cost cost = driver.cost_of(static_cast<dtype>(i));
      facts.costs.push_back({cost.time, cost.power});
    }
    hdi::marshal(made.message, facts);
    return {};
  }
  result<void> open(const std::function<result<owned_fd>()>& open_connection, reply& made) {
    auto socket = open_connection();
    if (!socket) return fail(std::move(socket.error()));
    made.message.descriptors.push_back(socket->number());
    made.files.push_back(std::move(*socket));
    return {};
  }
  result<void> tell_status(reply& made) {
    const auto now = device_.current_status();
    if (!now) return fail(now.error());
    hdi::marshal(made.message, device_state{static_cast<hdi::DeviceStatus>(*now)});
    return {};
  }

  // --- models ------------------------------------------------------------------

  hal::preferences wishes_of(const hdi::ModelConfig& wanted, std::int64_t deadline, const std::atomic<bool>* is_gone) {
    hal::preferences made = preferences_of(wanted, deadline);
    made.is_unwanted = is_gone;
    made.account = &account_;
    return made;
  }
  /// The graph of a message. Its constants are copied and counted in `held`.
  result<nnrt::model> graph_of(const wanted_model& asked, accounted_bytes& held) {
    std::uint64_t bytes = 0;
    for (const hdi::Tensor& t : asked.model.allTensors) {
      if (t.data.fd >= 0 && sealed_bytes(t.data.fd) < 0)
        return fail(error_code::invalid_argument, "constants: their file may become shorter (F_SEAL_SHRINK)");
      if (t.data.fd >= 0) bytes += t.data.dataSize;
    }
    if (auto ok = hold("constants", bytes, held); !ok) return fail(std::move(ok.error()));
    return hdi::read_model(asked.model);
  }
  /// Counts bytes of a message before they are copied.
  result<void> hold(const char* what, std::uint64_t bytes, accounted_bytes& held) {
    if (bytes > limits_.memory_bytes)
      return fail(error_code::out_of_memory,
                  {what, ": have ", bytes, " bytes, expected at most ", limits_.memory_bytes});
    return held.take(&account_, static_cast<std::int64_t>(bytes), what);
  }
  result<void> refuse(const wanted_model& asked, reply& made) {
    accounted_bytes held;
    const auto graph = graph_of(asked, held);
    if (!graph) return fail(graph.error());
    auto why = device_.refusals(*graph);
    if (!why) return fail(std::move(why.error()));
    hdi::marshal(made.message, reasons{std::move(*why)});
    return {};
  }
  result<void> prepare(const wanted_model& asked, const std::atomic<bool>* is_gone, reply& made) {
    accounted_bytes held;
    const auto graph = graph_of(asked, held);
    if (!graph) return fail(graph.error());
    return keep(device_.prepare(*graph, wishes_of(asked.wanted, asked.deadline, is_gone)), std::move(held), made);
  }
  result<void> restore(const stored_model& asked, bool is_offline, const std::atomic<bool>* is_gone, reply& made) {
    std::uint64_t bytes = 0;
    for (const hdi::SharedBuffer& b : asked.buffers) bytes += b.dataSize;
    accounted_bytes held;
    if (auto ok = hold("buffers", bytes, held); !ok) return ok;
    std::vector<std::vector<std::byte>> buffers;
    for (const hdi::SharedBuffer& b : asked.buffers) {
      auto copy = bytes_of(b);
      if (!copy) return fail(std::move(copy.error()));
      buffers.push_back(std::move(*copy));
    }
    if (is_offline && buffers.size() != 1)
      return fail(error_code::invalid_argument,
                  joined({"offline model: got ", buffers.size(), " buffers, expected 1"}));
    const std::vector<array_ref<const std::byte>> views(buffers.begin(), buffers.end());
    const hal::preferences wanted = wishes_of(asked.wanted, asked.deadline, is_gone);
    return keep(is_offline ? device_.prepare_offline(views[0], wanted) : device_.restore(views, wanted),
                std::move(held), made);
  }
  /// Registers a prepared model under a new number and describes it.
  result<void> keep(result<hal::prepared_model_handle> prepared, accounted_bytes held, reply& made) {
    if (!prepared) return fail(std::move(prepared.error()));
    const hal::prepared_model& m = prepared->model();
    model_facts facts;
    for (std::size_t i = 0; i < m.input_count(); ++i) {
      const auto range = hal::input_range_of(m, i);
      facts.inputs.push_back(end_of(m.input_desc(i), m.input_name(i), &range));
    }
    for (std::size_t i = 0; i < m.output_count(); ++i)
      facts.outputs.push_back(end_of(m.output_desc(i), m.output_name(i), nullptr));
    const std::lock_guard lock(mutex_);
    if (models_.size() >= limits_.models)
      return fail(error_code::out_of_memory,
                  joined({"driver's host: the client has ", models_.size(), " models, and may have no more"}));
    facts.number = ++last_model_;
    models_[facts.number] = std::make_shared<model_of_client>(std::move(*prepared), std::move(held), idle_);
    hdi::marshal(made.message, facts);
    return {};
  }
  std::shared_ptr<model_of_client> find_model(std::uint64_t number) const {
    const std::lock_guard lock(mutex_);
    const auto found = models_.find(number);
    return found != models_.end() ? found->second : nullptr;
  }
  static failure no_model(std::uint64_t number) {
    return fail(error_code::invalid_argument, joined({"driver's host: the client has no model ", number}));
  }
  result<void> export_model(const ticket& of, reply& made) {
    const auto model = find_model(of.number);
    if (model == nullptr) return no_model(of.number);
    const auto buffers = model->model.model().exported();
    if (!buffers) return fail(buffers.error());
    exported_model exported;
    for (const auto& buffer : *buffers) {
      auto file = sealed_file_of(buffer);
      if (!file) return fail(std::move(file.error()));
      exported.buffers.push_back(buffer_of(*file, buffer.size()));
      made.files.push_back(std::move(*file));
    }
    hdi::marshal(made.message, exported);
    return {};
  }
  result<void> drop_model(const ticket& of) {
    std::shared_ptr<model_of_client> gone;  // destroyed after the lock is released
    const std::lock_guard lock(mutex_);
    const auto found = models_.find(of.number);
    if (found == models_.end()) return no_model(of.number);
    gone = std::move(found->second);
    models_.erase(found);
    return {};
  }

  // --- memory ------------------------------------------------------------------

  result<void> lend(const lent_memory& asked) {
    const std::int64_t there = sealed_bytes(asked.file.fd);
    if (there < 0)
      return fail(error_code::invalid_argument, "memory: has no file, or one that may become shorter (F_SEAL_SHRINK)");
    if (asked.bytes == 0 || static_cast<std::uint64_t>(there) < asked.bytes)
      return fail(error_code::invalid_argument, joined({"memory: got ", asked.bytes, " bytes of a file of ", there}));
    const std::lock_guard lock(mutex_);
    if (memories_.contains(asked.number))
      return fail(error_code::invalid_argument, joined({"memory ", asked.number, ": is lent already"}));
    if (memories_.size() >= limits_.memories || asked.bytes > limits_.memory_bytes - memory_bytes_)
      return fail(error_code::out_of_memory, joined({"driver's host: the client lends ", memories_.size(), " files of ",
                                                     memory_bytes_, " bytes, and may lend no more"}));
    // the mapping remains valid after the file is closed
    auto mapped = hal::shared_memory::of(asked.file.fd, asked.bytes, 0);
    if (!mapped) return fail(std::move(mapped.error()));
    memory_bytes_ += asked.bytes;
    memories_[asked.number] = std::make_shared<const hal::shared_memory>(std::move(*mapped));
    return {};
  }
  result<void> take_back(const ticket& which) {
    const std::lock_guard lock(mutex_);
    const auto found = memories_.find(which.number);
    if (found == memories_.end())
      return fail(error_code::invalid_argument, joined({"driver's host: the client lends no memory ", which.number}));
    memory_bytes_ -= found->second->size();
    memories_.erase(found);  // unmapped when the last run that uses it has ended
    return {};
  }

  // --- runs --------------------------------------------------------------------

  /// Finds the tensors of a run. `kept`: memory that must not be unmapped until the run ends.
  result<void> find_places(const std::vector<place>& places, std::vector<hal::argument>& arguments,
                           std::vector<std::shared_ptr<const hal::shared_memory>>& kept) const {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const place& p = places[i];
      hal::argument made;
      if (!take_shape(p.shape, made.shape))
        return fail(error_code::invalid_argument, joined({"tensor ", i, ": a shape that no tensor can have"}));
      made.bytes = p.bytes;
      if (p.bytes != 0) {
        const auto found = memories_.find(p.memory);
        if (found == memories_.end())
          return fail(error_code::invalid_argument, joined({"tensor ", i, ": the client lends no memory ", p.memory}));
        const std::size_t there = found->second->size();
        if (p.offset > there || p.bytes > there - p.offset)
          return fail(error_code::invalid_argument,
                      joined({"tensor ", i, ": got ", p.bytes, " bytes from ", p.offset, " on, of ", there}));
        if (p.offset % 16 != 0)
          return fail(error_code::invalid_argument,
                      joined({"tensor ", i, ": begins at ", p.offset, ", expected a multiple of 16"}));
        made.data = found->second->data() + p.offset;
        kept.push_back(found->second);
      }
      arguments.push_back(made);
    }
    return {};
  }
  /// Shapes of outputs are reported even after a failure: one may have been too small.
  result<void> run(const run_order& asked, const std::atomic<bool>* is_gone, reply& made) {
    std::vector<hal::argument> inputs, outputs;
    auto done = run(asked, is_gone, inputs, outputs);
    if (!done) made.ended = ending_of(done.error());
    run_result told;
    for (const hal::argument& out : outputs) told.shapes.push_back(longs_of(out.shape));
    hdi::marshal(made.message, told);
    return {};
  }
  result<void> run(const run_order& asked, const std::atomic<bool>* is_gone, std::vector<hal::argument>& inputs,
                   std::vector<hal::argument>& outputs) {
    const auto model = find_model(asked.model);
    if (model == nullptr) return no_model(asked.model);
    std::vector<std::shared_ptr<const hal::shared_memory>> kept;
    if (auto ok = find_places(asked.inputs, inputs, kept); !ok) return fail(std::move(ok.error()).in("input"));
    if (auto ok = find_places(asked.outputs, outputs, kept); !ok) return fail(std::move(ok.error()).in("output"));
    auto runs = model->take();
    if (!runs) return fail(std::move(runs.error()));
    const float_scope as_client(float_environment::from_word(asked.floats));
    (*runs)->stop_when(is_gone);
    auto done = (*runs)->run(inputs, outputs, asked.deadline);
    (*runs)->stop_when(nullptr);
    model->give_back(std::move(*runs), limits_.connections);
    return done;
  }

  hal::device device_;
  std::string name_;
  limits limits_;
  memory_account account_;            // first: the members below take memory from it
  std::atomic<std::size_t> idle_{0};  // idle executions of all models
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<model_of_client>> models_;
  std::map<std::uint64_t, std::shared_ptr<const hal::shared_memory>> memories_;
  std::uint64_t last_model_ = 0, memory_bytes_ = 0;
};

}}}  // namespace nnrt::NNRT_ISA::remote
