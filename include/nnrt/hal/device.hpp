// device: wraps a driver with the contract of NN HAL 1.3 and HDI; checks arguments once for all drivers.
// Flow: the C functions and hosts of drivers call this. It handles wrong calls, past deadlines, caches and fences, so
// that drivers do not.
#pragma once

// First: operators must find their kernels, and the same ones, in every translation unit of a program.
#include <nnrt/kernels/select.hpp>

#include <nnrt/exec/weight_specs.hpp>
#include <nnrt/hal/cache_file.hpp>
#include <nnrt/hal/prepared_model_handle.hpp>
#include <nnrt/io/bind_weights.hpp>
#include <nnrt/io/owned_fd.hpp>
#include <nnrt/passes/check_graph.hpp>

#include <algorithm>

namespace nnrt { inline namespace NNRT_ISA { namespace hal {

/// Intended use of a model. Numbers: ExecutionPreference of NN HAL.
enum class execution_preference { low_power, fast_single_answer, sustained_speed };

/// Options of a preparation. The caller owns the cache file descriptors, open for reading and writing at any offset,
/// and may close them after the call.
struct preparation {
  preferences wanted;
  execution_preference use = execution_preference::fast_single_answer;  // used if wanted.speed is none
  std::int64_t deadline = no_deadline;                                  // nanoseconds of the steady clock
  std::vector<int> model_cache, data_cache;                             // empty, or as many as caches_needed()
  cache_token token{};
};

/// Number of files that a device stores a prepared model in; both 0: it stores none.
struct cache_counts {
  std::size_t model = 0, data = 0;
};

/// Result of a preparation: a model, or a status and a reason.
struct prepared {
  status ended = status::general_failure;
  std::optional<prepared_model_handle> model;
  std::string reason;
};

/// A driver with checked arguments. Copies share one driver. Safe from any thread.
class device {
 public:
  explicit device(std::shared_ptr<hal::driver> of) : driver_(std::move(of)) {}

  hal::driver& driver() const { return *driver_; }
  /// Version of the driver in words; never empty.
  std::string version() const {
    return joined(
        {driver_->name(), " ", driver_->vendor(), " ", driver_->major_version(), ".", driver_->minor_version()});
  }
  /// Errors: the driver's; device_failed (the driver returned a number outside the enumeration).
  result<device_type> type() const {
    auto type = driver_->type();
    if (const int number = type ? static_cast<int>(*type) : 0; number < 0 || number > 3)
      return fail(error_code::device_failed, {"the driver's type is ", number, ", expected 0 to 3"});
    return type;
  }
  /// Errors: as type().
  result<device_status> current_status() const {
    auto now = driver_->status();
    if (const int number = now ? static_cast<int>(*now) : 0; number < 0 || number > 3)
      return fail(error_code::device_failed, {"the driver's status is ", number, ", expected 0 to 3"});
    return now;
  }
  result<features> supported_features() const { return driver_->supported_features(); }
  cache_counts caches_needed() const {
    const auto can = driver_->supported_features();
    return can && can->caching ? cache_counts{1, 0} : cache_counts{};
  }

  /// For each node why the device cannot run it; empty: it can, and prepare() will accept it. The driver decides; this
  /// function checks only what every node must have (passes::check_well_formed).
  /// Errors: the driver's; invalid_argument (invalid graph, missing weights); not_supported (states); device_failed
  /// (the driver answered for another number of nodes).
  result<std::vector<std::string>> refusals(const nnrt::model& network) const {
    if (auto ok = check_graph(network.graph); !ok) return fail(std::move(ok.error()));
    if (auto ok = require_no_states(network.graph); !ok) return fail(std::move(ok.error()));
    auto reasons = driver_->refusals(network);
    if (reasons && reasons->size() != network.graph.nodes.size())
      return fail(error_code::device_failed,
                  {"the device spoke of ", reasons->size(), " nodes, expected ", network.graph.nodes.size()});
    if (!reasons) return reasons;
    for (std::size_t i = 0; i < reasons->size(); ++i)
      if ((*reasons)[i].empty()) (*reasons)[i] = fault_of_node(network.graph, i);
    const bool is_whole =
        std::all_of(reasons->begin(), reasons->end(), [](const std::string& reason) { return reason.empty(); });
    if (is_whole)
      if (auto bound = bind_weights(network.weights, weight_specs_of(network.graph)); !bound)
        return fail(std::move(bound.error()));
    return reasons;
  }
  /// For each node whether the device can run it. Errors: as refusals().
  result<std::vector<bool>> supported(const nnrt::model& network) const {
    auto reasons = refusals(network);
    if (!reasons) return fail(std::move(reasons.error()));
    std::vector<bool> all;
    for (const std::string& reason : *reasons) all.push_back(reason.empty());
    return all;
  }

  // ---- Synchronous, for the C functions ----

  /// Prepares a model.
  /// Errors: the driver's; invalid_argument (invalid graph, missing weights, enumerators out of range); not_supported
  /// (states); rule_broken; device_failed (busy, offline, or no model prepared); deadline_missed.
  result<prepared_model_handle> prepare(const nnrt::model& network, const preferences& wanted) const {
    if (auto ok = check(wanted); !ok) return fail(std::move(ok.error()));
    if (auto ok = check(network, deadline_watch(wanted.limit())); !ok) return fail(std::move(ok.error()));
    return ready(driver_->prepare(network, wanted));
  }
  /// Restores an exported model. The caller guarantees that the bytes are those exported, see hal::driver::restore().
  /// Errors: as prepare(); invalid_file; not_supported.
  result<prepared_model_handle> restore(array_ref<const array_ref<const std::byte>> buffers,
                                        const preferences& wanted) const {
    if (auto ok = check(wanted); !ok) return fail(std::move(ok.error()));
    return ready(driver_->restore(buffers, wanted));
  }
  result<prepared_model_handle> restore_kept(array_ref<const shared_bytes> buffers, const preferences& wanted) const {
    if (auto ok = check(wanted); !ok) return fail(std::move(ok.error()));
    return ready(driver_->restore_kept(buffers, wanted));
  }
  result<prepared_model_handle> prepare_offline(array_ref<const std::byte> file, const preferences& wanted) const {
    if (auto ok = check(wanted); !ok) return fail(std::move(ok.error()));
    return ready(driver_->prepare_offline(file, wanted));
  }
  /// Allocates memory that the device can reach. Errors: the driver's; invalid_argument (0 bytes); device_failed (fewer
  /// bytes than asked).
  result<shared_memory> allocate(std::size_t bytes) const {
    if (bytes == 0) return fail(error_code::invalid_argument, "memory of 0 bytes");
    auto made = driver_->allocate(bytes);
    if (made && (made->data() == nullptr || made->size() < bytes))
      return fail(error_code::device_failed, {"the driver gave ", made->size(), " bytes, expected ", bytes});
    return made;
  }
  /// Allocates a buffer that keeps its contents between runs, for these inputs and outputs of the device's models.
  /// `shape`: extents that the caller knows, -1 for others.
  /// Errors: the driver's; invalid_argument (no model or role; another device's model; a role with a wrong model or
  /// index, given twice, or with a frequency outside (0, 1]; tensors that differ in type or shape).
  result<device_buffer> allocate(const std::optional<shape_t>& shape, array_ref<const prepared_model_handle> models,
                                 array_ref<const buffer_role> input_roles,
                                 array_ref<const buffer_role> output_roles) const {
    std::vector<std::shared_ptr<prepared_model>> all;
    for (const prepared_model_handle& one : models) {
      if (one.prepared_by() != driver_.get())
        return fail(error_code::invalid_argument, {"buffer: model ", all.size(), " is another device's"});
      all.push_back(one.shared_model());
    }
    return detail::make_buffer(driver_, shape, all, input_roles, output_roles);
  }

  // ---- Asynchronous, with a callback ----

  /// Prepares a model in a new thread. `notify` is called exactly once. With invalid arguments it is called before this
  /// function returns, with the same status.
  /// Cache faults do not fail a preparation: wrong numbers of files, files that cannot be written and tokens without
  /// files are ignored.
  status prepare(nnrt::model network, preparation asked, std::function<void(prepared)> notify) const {
    detail::exactly_once<prepared> once(std::move(notify),
                                        {status::general_failure, {}, "the preparation has no thread, or no memory"});
    prepared fault = check(asked);
    if (fault.ended == status::none)
      if (auto ok = check(network); !ok) fault = {status::invalid_argument, {}, ok.error().message()};
    if (fault.ended != status::none) return refuse(once, std::move(fault));
    std::vector<owned_fd> files = kept(asked, caches_needed());
    const bool began = detail::in_a_thread(
        [self = *this, network = std::move(network), asked = std::move(asked), files = std::move(files),
         once = std::move(once)]() mutable { once(self.prepare_now(network, asked, files)); });
    return began ? status::none : status::general_failure;
  }
  /// Restores what an earlier preparation stored in these files under this token.
  /// invalid_argument: the number of files differs from caches_needed(). general_failure: the device stores no caches,
  /// or the files hold other contents.
  status prepare_from_cache(preparation asked, std::function<void(prepared)> notify) const {
    detail::exactly_once<prepared> once(std::move(notify),
                                        {status::general_failure, {}, "the preparation has no thread, or no memory"});
    const cache_counts needed = caches_needed();
    prepared fault = check(asked);
    if (fault.ended == status::none && needed.model + needed.data == 0)
      fault = {status::general_failure, {}, "the device keeps no caches"};
    if (fault.ended == status::none &&
        (asked.model_cache.size() != needed.model || asked.data_cache.size() != needed.data))
      fault = {status::invalid_argument,
               {},
               joined({"got ", asked.model_cache.size(), " and ", asked.data_cache.size(), " cache files, expected ",
                       needed.model, " and ", needed.data})};
    if (fault.ended != status::none) return refuse(once, std::move(fault));
    std::vector<owned_fd> files = kept(asked, needed);
    const bool began =
        detail::in_a_thread([self = *this, asked = std::move(asked), files = std::move(files),
                             once = std::move(once)]() mutable { once(self.restore_now(asked, files)); });
    return began ? status::none : status::general_failure;
  }

 private:
  static status refuse(detail::exactly_once<prepared>& once, prepared fault) {
    const status ended = fault.ended;
    once(std::move(fault));
    return ended;
  }
  /// The fault of node i that needs no rule of its operator; empty: none, and the driver may be asked.
  static std::string fault_of_node(const ir::graph& g, std::size_t i) {
    const ir::node& n = g.nodes[i];
    const verdict v = passes::check_well_formed(g, n);
    return v ? std::string() : to_string(v, *n.op, g.name_of(n.name));
  }
  /// Refuses graphs with states: devices are stateless, as any execution may do the next run.
  static result<void> require_no_states(const ir::graph& g) {
    if (g.states.empty()) return {};
    return fail(error_code::not_supported,
                "devices keep no states: passes::open_states() makes inputs and outputs of them");
  }
  /// Checks graph, states, nodes, the driver's rules, weights. The order matters: each check relies on the
  /// preceding ones.
  result<void> check(const nnrt::model& network, const deadline_watch& watch = {}) const {
    const ir::graph& g = network.graph;
    if (auto ok = check_graph(g, watch); !ok) return ok;
    if (auto ok = require_no_states(g); !ok) return ok;
    for (std::size_t i = 0; i < g.nodes.size() && !watch.is_over(); ++i)
      if (std::string fault = fault_of_node(g, i); !fault.empty()) return fail(error_code::rule_broken, fault);
    if (watch.is_over()) return nnrt::detail::compiled_too_late();
    if (auto ok = driver_->check(network); !ok) return ok;
    if (auto bound = bind_weights(network.weights, weight_specs_of(network.graph)); !bound)
      return fail(std::move(bound.error()));
    return {};
  }
  /// Checks that enumerators are in range, the device is available and the deadline has not passed.
  result<void> check(const preferences& wanted) const {
    const int speed = static_cast<int>(wanted.speed), turn = static_cast<int>(wanted.turn);
    if (speed < 0 || speed > 4)
      return fail(error_code::invalid_argument, {"performance: got ", speed, ", expected 0 to 4"});
    if (turn < 0 || turn > 3) return fail(error_code::invalid_argument, {"priority: got ", turn, ", expected 0 to 3"});
    const auto now = current_status();
    if (!now || *now == device_status::offline || *now == device_status::busy)
      return fail(error_code::device_failed, "the device is offline or busy");
    if (wanted.limit().is_over()) return fail(error_code::deadline_missed, "the deadline is over");
    return {};
  }
  /// Checks preferences with the statuses of NN HAL: an unavailable device is device_unavailable, a past deadline
  /// missed_deadline_persistent.
  prepared check(const preparation& asked) const {
    const int use = static_cast<int>(asked.use);
    if (use < 0 || use > 2)
      return {status::invalid_argument, {}, joined({"preference: got ", use, ", expected 0 to 2"})};
    const auto ok = check(wishes(asked));
    if (ok) return {status::none, {}, {}};
    const error_code code = ok.error().code();
    const status as = code == error_code::device_failed     ? status::device_unavailable
                      : code == error_code::deadline_missed ? status::missed_deadline_persistent
                                                            : status_of(code);
    return {as, {}, ok.error().message()};
  }
  /// Duplicates of the cache file descriptors; empty if their number is wrong.
  static std::vector<owned_fd> kept(const preparation& asked, const cache_counts& needed) {
    std::vector<owned_fd> files;
    if (asked.model_cache.size() != needed.model || asked.data_cache.size() != needed.data) return files;
    for (const int fd : asked.model_cache) files.push_back(owned_fd::copy_of(fd));
    return files;
  }
  static preferences wishes(const preparation& asked) {
    preferences wanted = asked.wanted;
    if (wanted.speed == performance::none && asked.use != execution_preference::low_power)
      wanted.speed = performance::medium;
    if (wanted.speed == performance::none) wanted.speed = performance::low;
    if (wanted.turn == priority::none) wanted.turn = priority::medium;
    wanted.deadline = asked.deadline;
    return wanted;
  }
  result<prepared_model_handle> ready(result<std::shared_ptr<prepared_model>>&& made) const {
    if (!made) return fail(std::move(made.error()));
    if (*made == nullptr) return fail(error_code::device_failed, "the driver prepared nothing");
    return prepared_model_handle(std::move(*made), driver_);
  }
  static prepared answer(result<prepared_model_handle>&& made) {
    if (!made) return {status_of(made.error().code()), {}, made.error().message()};
    return {status::none, std::move(*made), {}};
  }
  prepared prepare_now(const nnrt::model& network, const preparation& asked, const std::vector<owned_fd>& files) const {
    auto made = ready(driver_->prepare(network, wishes(asked)));
    // A cache that cannot be written does not fail the preparation.
    if (made && !files.empty())
      (void)detail::has_memory_for([&] {
        if (auto buffers = made->model().exported()) (void)write_cache(files[0].number(), asked.token, *buffers);
      });
    return answer(std::move(made));
  }
  prepared restore_now(const preparation& asked, const std::vector<owned_fd>& files) const {
    if (files.empty()) return {status::general_failure, {}, "the cache has no file"};
    auto buffers = read_cache(files[0].number(), asked.token);
    if (!buffers) return {status::general_failure, {}, buffers.error().message()};
    std::vector<array_ref<const std::byte>> views(buffers->begin(), buffers->end());
    prepared made = answer(ready(driver_->restore(views, wishes(asked))));
    // invalid_argument would blame the caller, but the file's contents are at fault
    if (made.ended == status::invalid_argument) made.ended = status::general_failure;
    return made;
  }

  std::shared_ptr<hal::driver> driver_;
};

}}}  // namespace nnrt::NNRT_ISA::hal
