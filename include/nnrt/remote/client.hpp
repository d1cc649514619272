// client: a device whose driver runs in another process.
// Flow: remote::connect(path) returns a hal::driver; c_api/devices.hpp adds those that the environment names.
//
// The host reads and writes tensors in place if their memory comes from this driver's allocate(). Other tensors are
// copied to such memory and back.
#pragma once

// First: operators must find their kernels, and the same ones, in every translation unit of a program.
#include <nnrt/kernels/select.hpp>

#include <nnrt/core/float_environment.hpp>
#include <nnrt/exec/session.hpp>
#include <nnrt/hal/driver.hpp>
#include <nnrt/hdi/write_model.hpp>
#include <nnrt/remote/connection.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace remote {

/// How long a client waits for a run after its deadline, in nanoseconds. The driver in the host ends the run at the
/// deadline and reports it, unless the host is stopped.
inline constexpr std::int64_t grace = 200'000'000;

namespace detail {

/// Memory of this process that can be lent to a host, and which of it has been lent.
class lender : public std::enable_shared_from_this<lender> {
 public:
  /// Allocates memory that can be lent. Errors: as shared_memory::allocate().
  result<hal::shared_memory> allocate(std::size_t bytes) {
    auto made = hal::shared_memory::allocate(bytes);
    if (!made) return made;
    // First: if an allocation below fails, the tensors' memory is freed and nothing refers to it.
    made->set_follower(std::make_shared<const until_freed>(shared_from_this(), made->data()));
    const std::lock_guard lock(mutex_);
    all_[made->data()] = {bytes, made->fd(), 0, {}};
    return made;
  }
  /// Finds a tensor in lent memory, and lends the memory if the host does not have it. False: the tensor is in other
  /// memory.
  result<bool> find(const std::shared_ptr<connection>& host, const hal::argument& tensor, place& made,
                    std::int64_t until) {
    std::unique_lock lock(mutex_);
    auto found = all_.upper_bound(tensor.data);
    if (found == all_.begin()) return false;
    auto& [first, memory] = *--found;
    const auto offset = static_cast<std::size_t>(tensor.data - first);
    if (offset > memory.bytes || tensor.bytes > memory.bytes - offset || offset % 16 != 0) return false;
    if (memory.lent_to.lock() != host) {
      lock.unlock();  // the caller keeps the tensor until the run ends, and so its memory
      if (auto done = lend(host, memory, until); !done) return fail(std::move(done.error()));
      lock.lock();
    }
    made.memory = memory.number, made.offset = offset;
    return true;
  }
  /// Releases memory that the host may still write. Freeing it does not wait: the host returns it before it is lent
  /// other memory.
  void leave(const std::byte* first) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(first);
    if (found == all_.end()) return;
    left_.push_back({found->second.number, found->second.lent_to});
    all_.erase(found);
  }

 private:
  struct lendable {
    std::size_t bytes = 0;
    int fd = -1;
    std::uint64_t number = 0;
    std::weak_ptr<connection> lent_to;
  };
  struct left_memory {
    std::uint64_t number = 0;
    std::weak_ptr<connection> in;
  };
  struct until_freed {
    std::shared_ptr<lender> owner;
    const std::byte* first;
    until_freed(std::shared_ptr<lender> of, const std::byte* at) : owner(std::move(of)), first(at) {}
    until_freed(const until_freed&) = delete;
    until_freed& operator=(const until_freed&) = delete;
    ~until_freed() { owner->free(first); }
  };
  /// Lends memory; one call at a time. Each try has a new number, as the host may process a request that has timed out.
  result<void> lend(const std::shared_ptr<connection>& host, lendable& memory, std::int64_t until) {
    const held_turn mine(lending_, until);
    if (!mine) return host->late();
    left_memory given;
    while (take_left(host, given))
      if (is_late(host->tell_first(question::take_back, ticket{given.number}, until)))
        return leave(std::move(given)), host->late();
    {
      const std::lock_guard lock(mutex_);
      if (memory.lent_to.lock() == host) return {};
      given = {++last_number_, host};
    }
    auto done = host->tell_first(question::lend, lent_memory{given.number, memory.bytes, {memory.fd, 0, 0, 0}}, until);
    if (!done) {
      if (is_late(done)) leave(std::move(given));
      return done;
    }
    const std::lock_guard lock(mutex_);
    memory.number = given.number, memory.lent_to = host;
    return done;
  }
  static bool is_late(const result<void>& done) { return !done && done.error().code() == error_code::deadline_missed; }
  void leave(left_memory one) {
    const std::lock_guard lock(mutex_);
    left_.push_back(std::move(one));
  }
  /// Finds released memory that this host still has; false: none. Forgets that of disconnected hosts.
  bool take_left(const std::shared_ptr<connection>& host, left_memory& one) {
    const std::lock_guard lock(mutex_);
    std::erase_if(left_, [](const left_memory& m) { return m.in.expired(); });
    const auto found =
        std::find_if(left_.begin(), left_.end(), [&](const left_memory& m) { return m.in.lock() == host; });
    if (found == left_.end()) return false;
    one = std::move(*found);
    left_.erase(found);
    return true;
  }
  void free(const std::byte* first) {
    std::shared_ptr<connection> host;
    ticket which;
    {
      const std::lock_guard lock(mutex_);
      const auto found = all_.find(first);
      if (found == all_.end()) return;
      host = found->second.lent_to.lock();
      which.number = found->second.number;
      all_.erase(found);
    }
    if (host != nullptr && host->is_alive()) (void)host->tell_first(question::take_back, which);
  }

  std::mutex mutex_;
  std::map<const std::byte*, lendable, std::less<>> all_;
  std::vector<left_memory> left_;
  std::uint64_t last_number_ = 0;
  turn lending_;
};

/// A prepared model in the host; the destructor drops it there.
struct model_in_host {
  std::shared_ptr<connection> host;
  std::shared_ptr<lender> memory;
  std::uint64_t number = 0;
  std::vector<tensor_desc> inputs, outputs;

  model_in_host(std::shared_ptr<connection> of, std::shared_ptr<lender> lent, std::uint64_t which,
                std::vector<tensor_desc> in, std::vector<tensor_desc> out)
      : host(std::move(of)), memory(std::move(lent)), number(which), inputs(std::move(in)), outputs(std::move(out)) {}
  model_in_host(const model_in_host&) = delete;
  model_in_host& operator=(const model_in_host&) = delete;
  ~model_in_host() {
    if (host->is_alive()) (void)host->tell_first(question::drop_model, ticket{number});
  }
};

class remote_execution final : public hal::execution {
 public:
  explicit remote_execution(std::shared_ptr<const model_in_host> model) : model_(std::move(model)) {}

  result<void> run(array_ref<const hal::argument> inputs, array_ref<hal::argument> outputs,
                   std::int64_t deadline) override {
    if (is_over(deadline)) return fail(error_code::deadline_missed, "the deadline is over");
    order_.model = model_->number, order_.deadline = deadline,
    order_.floats = float_environment::of_this_thread().word();
    const std::int64_t until = after(deadline, grace);
    if (auto ok = find_places(inputs, outputs, until); !ok) return ok;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (staged_[i] != none) std::memcpy(staging_.data() + staged_[i], inputs[i].data, order_.inputs[i].bytes);
    message_.bytes.clear();
    hdi::marshal(message_, order_);
    if (auto done = model_->host->exchange(question::run, message_, answer_, until, &looks_); !done) {
      // The host may still write to this memory: release it and do not use it again.
      if (done.error().code() == error_code::deadline_missed && staging_.data() != nullptr)
        model_->memory->leave(staging_.data()), staging_ = {};
      return done;
    }
    run_result ran;
    const auto ended = model_->host->read_ending(answer_, ran);
    if (!ended) return fail(ended.error());
    for (std::size_t i = 0; i < outputs.size() && i < ran.shapes.size(); ++i)
      if (!take_shape(ran.shapes[i], outputs[i].shape))
        return model_->host->died("the driver's host says what is no shape");
    if (auto ok = result_of(*ended); !ok) return ok;
    if (ran.shapes.size() != outputs.size() || outputs.size() != model_->outputs.size())
      return model_->host->died("the driver's host forgets outputs");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::int64_t made = tensor_desc(model_->outputs[i].type, outputs[i].shape).bytes();
      if (made < 0 || static_cast<std::uint64_t>(made) > order_.outputs[i].bytes)
        return model_->host->died("the driver's host makes outputs that do not fit");
      // Bytes after the tensor are not changed, as with other drivers.
      if (const std::size_t at = staged_[inputs.size() + i]; at != none)
        std::memcpy(outputs[i].data, staging_.data() + at, static_cast<std::size_t>(made));
    }
    return {};
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  /// Bytes of a tensor that a run needs: a caller's memory may be larger, and too large to copy.
  std::size_t needed_bytes(std::size_t i, std::size_t inputs, const hal::argument& tensor) const {
    std::int64_t known = -1;
    if (i < inputs && i < model_->inputs.size()) known = tensor_desc(model_->inputs[i].type, tensor.shape).bytes();
    if (i >= inputs && i - inputs < model_->outputs.size()) known = model_->outputs[i - inputs].bytes();
    return known < 0 ? tensor.bytes : std::min(tensor.bytes, static_cast<std::size_t>(known));
  }
  /// Finds each tensor's place for the host. `staged_` holds offsets in the staging memory for tensors that cannot be
  /// lent. Outputs of runs with a deadline are always staged: a host that misses it may write them when the caller has
  /// reused the memory.
  result<void> find_places(array_ref<const hal::argument> inputs, array_ref<hal::argument> outputs,
                           std::int64_t until) {
    order_.inputs.resize(inputs.size()), order_.outputs.resize(outputs.size());
    staged_.assign(inputs.size() + outputs.size(), none);
    std::size_t staged_bytes = 0;
    const auto each = [&](auto f) -> result<void> {
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (auto ok = f(i, inputs[i], order_.inputs[i]); !ok) return ok;
      for (std::size_t i = 0; i < outputs.size(); ++i)
        if (auto ok = f(inputs.size() + i, outputs[i], order_.outputs[i]); !ok) return ok;
      return {};
    };
    auto found = each([&](std::size_t i, const hal::argument& tensor, place& made) -> result<void> {
      const bool is_input = i < inputs.size();
      made.memory = made.offset = 0, made.bytes = needed_bytes(i, inputs.size(), tensor);
      made.shape.assign(is_input ? tensor.shape.begin() : nullptr, is_input ? tensor.shape.end() : nullptr);
      if (made.bytes == 0) return {};
      if (is_input || until == no_deadline) {
        const auto is_lent = model_->memory->find(model_->host, {tensor.data, made.bytes, {}}, made, until);
        if (!is_lent) return fail(is_lent.error());
        if (*is_lent) return {};
      }
      return stage(i, tensor, made.bytes, staged_bytes);
    });
    if (!found || staged_bytes == 0) return found;
    if (auto ok = make_staging(staged_bytes); !ok) return ok;
    return each([&](std::size_t i, const hal::argument&, place& made) -> result<void> {
      if (staged_[i] == none) return {};
      const auto is_lent =
          model_->memory->find(model_->host, {staging_.data() + staged_[i], made.bytes, {}}, made, until);
      if (!is_lent) return fail(is_lent.error());
      return {};
    });
  }
  /// Reserves `bytes` for tensor i at the end of the staging memory.
  result<void> stage(std::size_t i, const hal::argument& tensor, std::size_t bytes, std::size_t& end) {
    if (tensor.data == nullptr) return fail(error_code::invalid_argument, joined({"tensor ", i, ": has no memory"}));
    if (bytes > ~std::size_t{0} - 63 - end)
      return fail(error_code::out_of_memory, joined({"tensor ", i, ": no memory for ", bytes, " bytes"}));
    staged_[i] = end;
    end += (bytes + 63) / 64 * 64;
    return {};
  }
  /// Makes the staging memory at least that large.
  result<void> make_staging(std::size_t bytes) {
    if (staging_.size() >= bytes) return {};
    staging_ = {};
    auto more = model_->memory->allocate(bytes);
    if (!more) return fail(std::move(more.error()));
    staging_ = std::move(*more);
    return {};
  }

  std::shared_ptr<const model_in_host> model_;
  hal::shared_memory staging_;
  // Reused by runs, so that a run allocates nothing.
  run_order order_;
  std::vector<std::size_t> staged_;
  hdi::writer message_;
  packet answer_;
  adaptive_wait looks_;
};

/// An input or output of a model in the host.
struct remote_end {
  tensor_desc desc;
  std::string name;
  result<hal::extent_range> range;
};

class remote_model final : public hal::prepared_model {
 public:
  remote_model(std::shared_ptr<const model_in_host> model, std::vector<remote_end> inputs,
               std::vector<remote_end> outputs)
      : model_(std::move(model)), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  std::size_t input_count() const override { return inputs_.size(); }
  std::size_t output_count() const override { return outputs_.size(); }
  const tensor_desc& input_desc(std::size_t i) const override { return inputs_[i].desc; }
  const tensor_desc& output_desc(std::size_t i) const override { return outputs_[i].desc; }
  std::string_view input_name(std::size_t i) const override { return inputs_[i].name; }
  std::string_view output_name(std::size_t i) const override { return outputs_[i].name; }
  result<hal::extent_range> input_range(std::size_t i) const override { return inputs_[i].range; }
  result<std::unique_ptr<hal::execution>> make_execution() override {
    return std::make_unique<remote_execution>(model_);
  }
  result<std::vector<std::vector<std::byte>>> exported() const override {
    hdi::writer message;
    hdi::marshal(message, ticket{model_->number});
    packet answer;
    const auto got = model_->host->ask<exported_model>(question::export_model, message, answer);
    if (!got) return fail(got.error());
    std::vector<std::vector<std::byte>> buffers;
    for (const hdi::SharedBuffer& b : got->buffers) {
      auto bytes = bytes_of(b);
      if (!bytes) return fail(std::move(bytes.error()));
      buffers.push_back(std::move(*bytes));
    }
    return buffers;
  }

 private:
  std::shared_ptr<const model_in_host> model_;
  std::vector<remote_end> inputs_, outputs_;
};

/// Reads an input or output from the host's answer; false: it is invalid.
inline bool take_end(const model_end& from, bool is_input, remote_end& made) {
  made.name = from.desc.name;
  if (!hdi::detail::take_desc(from.desc, made.desc).empty()) return false;
  hal::extent_range range;
  if (!take_shape(from.least, range.least) || !take_shape(from.most, range.most)) return false;
  made.range = range;
  if (!from.no_range.empty()) made.range = fail(error_code::not_supported, from.no_range);
  return !is_input || !made.range || range.is_for(made.desc.shape);
}

}  // namespace detail

/// A device in another process. If its host dies, its running runs and all its models fail with device_failed. The next
/// call of the driver itself connects to the new host, if there is one.
class remote_driver final : public hal::driver {
 public:
  remote_driver(std::string path, std::shared_ptr<connection> host)
      : path_(std::move(path)),
        facts_(host->facts()),
        host_(std::move(host)),
        memory_(std::make_shared<detail::lender>()) {}

  std::string_view name() const override { return facts_.name; }
  std::string_view vendor() const override { return facts_.vendor; }
  int major_version() const override { return facts_.major_version; }
  int minor_version() const override { return facts_.minor_version; }
  /// Error: device_failed (the host returned a number outside the enumeration).
  result<hal::device_type> type() override {
    if (facts_.type < hdi::OTHER || facts_.type > hdi::ACCELERATOR)
      return fail(error_code::device_failed, {path_, ": the driver's host says that its type is ",
                                              static_cast<std::int64_t>(facts_.type), ", expected 0 to 3"});
    return static_cast<hal::device_type>(facts_.type);
  }
  /// offline: there is no host; unknown: the host returned a number outside the enumeration.
  result<hal::device_status> status() override {
    const auto host = living_host();
    if (!host) return hal::device_status::offline;
    const auto state = ask<device_state>(*host, question::status, greeting{protocol_version});
    if (!state) return hal::device_status::offline;
    return state->now < hdi::AVAILABLE || state->now > hdi::UNKNOWN ? hal::device_status::unknown
                                                                    : static_cast<hal::device_status>(state->now);
  }
  result<hal::features> supported_features() override {
    const device_features& can = facts_.can;
    return hal::features{can.float16, can.performance, can.priority, can.dynamic_inputs, can.caching, can.asynchronous};
  }
  hal::work_cost cost_of(dtype type) const override {
    const auto i = static_cast<std::size_t>(type);
    return i < facts_.costs.size() ? hal::work_cost{facts_.costs[i].time, facts_.costs[i].power} : hal::work_cost{};
  }

  result<std::vector<std::string>> refusals(const model& network) override {
    const auto written = hdi::write_model(network);
    if (!written) return fail(written.error());
    const auto host = living_host();
    if (!host) return fail(host.error());
    auto said = ask<reasons>(*host, question::refusals, wanted_model{config_of({}), no_deadline, written->model});
    if (!said) return fail(std::move(said.error()));
    return std::move(said->of_nodes);
  }
  result<std::shared_ptr<hal::prepared_model>> prepare(const model& network, const hal::preferences& wanted) override {
    const auto written = hdi::write_model(network);
    if (!written) return fail(written.error());
    return prepared(question::prepare, wanted_model{config_of(wanted), wanted.deadline, written->model});
  }
  result<std::shared_ptr<hal::prepared_model>> restore(array_ref<const array_ref<const std::byte>> buffers,
                                                       const hal::preferences& wanted) override {
    return prepare_bytes(question::restore, buffers, wanted);
  }
  result<std::shared_ptr<hal::prepared_model>> prepare_offline(array_ref<const std::byte> file,
                                                               const hal::preferences& wanted) override {
    return prepare_bytes(question::prepare_offline, {&file, 1}, wanted);
  }
  /// Allocates memory that the host maps: tensors in it are not copied.
  result<hal::shared_memory> allocate(std::size_t bytes) override { return memory_->allocate(bytes); }

 private:
  /// The connection, or a new one if its host has died. Errors: as connection::to(); device_failed (the new host has
  /// another device).
  result<std::shared_ptr<connection>> living_host(std::int64_t until = no_deadline) {
    const detail::held_turn mine(turn_, until);
    if (!mine) return fail(error_code::deadline_missed, {path_, ": others wait for the driver's host"});
    if (host_->is_alive()) {
      // Detects a host that died while idle, before a preparation starts.
      packet answer;
      hdi::writer message;
      hdi::marshal(message, greeting{protocol_version});
      const auto said = host_->ask_first<device_facts>(question::hello, message, answer, until);
      if (said) return host_;
      if (said.error().code() == error_code::deadline_missed) return fail(said.error());
    }
    auto made = connection::to(path_, until);
    if (!made) return fail(std::move(made.error()));
    const device_facts& now = (*made)->facts();
    if (now.name != facts_.name || now.vendor != facts_.vendor || now.major_version != facts_.major_version ||
        now.minor_version != facts_.minor_version)
      return fail(error_code::device_failed, joined({path_, ": the device there is ", now.name, " of ", now.vendor,
                                                     " now, expected ", facts_.name, " of ", facts_.vendor}));
    host_ = std::move(*made);
    return host_;
  }
  template <hdi::record Answer, hdi::record Question>
  static result<Answer> ask(const std::shared_ptr<connection>& host, question what, const Question& of) {
    hdi::writer message;
    hdi::marshal(message, of);
    packet answer;
    return host->ask<Answer>(what, message, answer);
  }
  template <hdi::record Question>
  result<std::shared_ptr<hal::prepared_model>> prepared(question what, const Question& of) {
    if (is_over(of.deadline)) return fail(error_code::deadline_missed, "the deadline is over");
    const std::int64_t until = detail::after(of.deadline, grace);
    const auto host = living_host(until);
    if (!host) return fail(host.error());
    hdi::writer message;
    hdi::marshal(message, of);
    packet answer;
    const std::int64_t answered_by = detail::after(of.deadline, std::int64_t{patience} * 1'000'000);
    if (auto done = (*host)->exchange_or_give_up(what, message, answer, until, answered_by); !done)
      return fail(std::move(done.error()));
    const auto facts = (*host)->template read<model_facts>(answer);
    if (!facts) return fail(facts.error());
    std::vector<detail::remote_end> inputs(facts->inputs.size()), outputs(facts->outputs.size());
    std::vector<tensor_desc> in, out;
    bool ok = true;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      ok = ok && detail::take_end(facts->inputs[i], true, inputs[i]);
      in.push_back(inputs[i].desc);
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      ok = ok && detail::take_end(facts->outputs[i], false, outputs[i]);
      out.push_back(outputs[i].desc);
    }
    if (!ok) return (*host)->died("the driver's host tells of tensors that cannot be");
    auto model =
        std::make_shared<const detail::model_in_host>(*host, memory_, facts->number, std::move(in), std::move(out));
    return std::make_shared<detail::remote_model>(std::move(model), std::move(inputs), std::move(outputs));
  }
  result<std::shared_ptr<hal::prepared_model>> prepare_bytes(question what,
                                                             array_ref<const array_ref<const std::byte>> buffers,
                                                             const hal::preferences& wanted) {
    stored_model message{config_of(wanted), wanted.deadline, {}};
    std::vector<owned_fd> files;
    for (const array_ref<const std::byte> bytes : buffers) {
      auto file = sealed_file_of(bytes);
      if (!file) return fail(std::move(file.error()));
      message.buffers.push_back(buffer_of(*file, bytes.size()));
      files.push_back(std::move(*file));
    }
    return prepared(what, message);
  }

  std::string path_;
  device_facts facts_;
  detail::turn turn_;
  std::shared_ptr<connection> host_;
  std::shared_ptr<detail::lender> memory_;
};

/// Connects to the device whose host listens at the path. Errors: not_found and device_failed (no host), not_supported
/// (another user's host, or another protocol), invalid_argument (the path), io_failed.
inline result<std::shared_ptr<hal::driver>> connect(const std::string& path) {
  auto host = connection::to(path);
  if (!host) return fail(std::move(host.error()));
  return std::make_shared<remote_driver>(path, std::move(*host));
}

}}}  // namespace nnrt::NNRT_ISA::remote
