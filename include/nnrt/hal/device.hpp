// device: a driver with the contract of NN HAL 1.3 and of HDI around it - arguments are checked here, once, for all
// drivers.
// Flow: the C functions and hosts of drivers call this; drivers see nothing of what is wrong with a call, of deadlines
// that are over, of caches and of fences.
#pragma once

// First: operators must find their kernels wherever they are named, and alike in all units of a program.
#include <nnrt/kernels/select.hpp>

#include <nnrt/exec/weight_specs.hpp>
#include <nnrt/hal/cache_file.hpp>
#include <nnrt/hal/prepared_model_handle.hpp>
#include <nnrt/io/bind_weights.hpp>
#include <nnrt/io/owned_fd.hpp>
#include <nnrt/passes/check_graph.hpp>

#include <algorithm>

namespace nnrt { inline namespace NNRT_ISA { namespace hal {

/// How a model will be used. Numbers: ExecutionPreference of NN HAL.
enum class execution_preference { low_power, fast_single_answer, sustained_speed };

/// What a preparation asks for besides the model. File descriptors of caches are the caller's, open for reading and
/// writing, at any offset; the caller may close them as soon as the call returns.
struct preparation {
  preferences wanted;
  execution_preference use = execution_preference::fast_single_answer;  // where wanted.speed says nothing
  std::int64_t deadline = no_deadline;                                  // nanoseconds of the steady clock
  std::vector<int> model_cache, data_cache;                             // none, or as many as caches_needed() says
  cache_token token{};
};

/// How many files a device keeps a prepared model in; 0 and 0: it keeps none.
struct cache_counts {
  std::size_t model = 0, data = 0;
};

/// How a preparation ended: with a model, or with a reason.
struct prepared {
  status ended = status::general_failure;
  std::optional<prepared_model_handle> model;
  std::string reason;
};

/// A driver whose callers may do everything wrong. Copies are one and the same. Safe from any thread.
class device {
 public:
  explicit device(std::shared_ptr<hal::driver> of) : driver_(std::move(of)) {}

  hal::driver& driver() const { return *driver_; }
  /// A token of this implementation, not empty.
  std::string version() const {
    return joined(
        {driver_->name(), " ", driver_->vendor(), " ", driver_->major_version(), ".", driver_->minor_version()});
  }
  /// Errors: device_failed, also when the driver answers with a number that means nothing.
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

  /// For each node why the device cannot run it; empty: it can, and prepare() keeps that promise. What nodes are is the
  /// driver's to judge; here it is only looked at what any of them must have (passes::check_form).
  /// Errors: invalid_argument (a graph that is none, weights that are missing), not_supported (states), device_failed
  /// (it spoke of other nodes), as the driver's.
  result<std::vector<std::string>> refusals(const nnrt::model& network) const {
    if (auto ok = check_graph(network.graph); !ok) return fail(std::move(ok.error()));
    if (auto ok = require_no_states(network.graph); !ok) return fail(std::move(ok.error()));
    auto reasons = driver_->refusals(network);
    if (reasons && reasons->size() != network.graph.nodes.size())
      return fail(error_code::device_failed,
                  {"the device spoke of ", reasons->size(), " nodes, expected ", network.graph.nodes.size()});
    if (!reasons) return reasons;
    for (std::size_t i = 0; i < reasons->size(); ++i)
      if ((*reasons)[i].empty()) (*reasons)[i] = fault_of_form(network.graph, i);
    const bool is_whole =
        std::all_of(reasons->begin(), reasons->end(), [](const std::string& reason) { return reason.empty(); });
    if (is_whole)
      if (auto bound = bind_weights(network.weights, weight_specs_of(network.graph)); !bound)
        return fail(std::move(bound.error()));
    return reasons;
  }
  /// For each node whether the device runs it. Errors: as refusals().
  result<std::vector<bool>> supported(const nnrt::model& network) const {
    auto reasons = refusals(network);
    if (!reasons) return fail(std::move(reasons.error()));
    std::vector<bool> all;
    for (const std::string& reason : *reasons) all.push_back(reason.empty());
    return all;
  }

  // ---- Waited for, as the C functions do ----

  /// Makes a model ready. Errors: invalid_argument (a graph that is none, weights that are missing, enumerators that
  /// mean nothing), not_supported (states), rule_broken, device_failed (busy, offline, or it prepared nothing),
  /// deadline_missed, as the driver's.
  result<prepared_model_handle> prepare(const nnrt::model& network, const preferences& wanted) const {
    if (auto ok = check(wanted); !ok) return fail(std::move(ok.error()));
    if (auto ok = check(network, deadline_watch(wanted.limit())); !ok) return fail(std::move(ok.error()));
    return ready(driver_->prepare(network, wanted));
  }
  /// Makes ready what was exported; the caller answers for the bytes, as with hal::driver::restore(). Errors: as
  /// prepare(); invalid_file, not_supported.
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
  /// Memory that the device can reach. Errors: invalid_argument (0 bytes), device_failed (it gave less), as the
  /// driver's.
  result<shared_memory> allocate(std::size_t bytes) const {
    if (bytes == 0) return fail(error_code::invalid_argument, "memory of 0 bytes");
    auto made = driver_->allocate(bytes);
    if (made && (made->data() == nullptr || made->size() < bytes))
      return fail(error_code::device_failed, {"the driver gave ", made->size(), " bytes, expected ", bytes});
    return made;
  }
  /// Memory of the device that stays there between runs, for these inputs and outputs of its models. `shape`: extents
  /// that the caller knows, -1 for those that it does not. Errors: invalid_argument (no model or role; a model of
  /// another device; a role of no model or end, twice, or of a frequency outside of (0, 1]; tensors of other types or
  /// shapes), as the driver's.
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

  // ---- Answered by a callback ----

  /// Makes a model ready in a thread of its own. `notify` is called once; before this returns when the arguments are at
  /// fault, and the same is returned then. Caches never change how a preparation ends: wrong counts, files that cannot
  /// be written and tokens without files are passed over.
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
  /// Makes ready what an earlier preparation has left in these files, under this token. invalid_argument: other numbers
  /// of files than caches_needed(); general_failure: the device keeps none, or the files are not what was written.
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
  /// Why no driver is asked to prepare node i; empty: it may be asked.
  static std::string fault_of_form(const ir::graph& g, std::size_t i) {
    const ir::node& n = g.nodes[i];
    const verdict v = passes::check_form(g, n);
    return v ? std::string() : to_string(v, *n.op, g.name_of(n.name));
  }
  /// What lives from run to run is the caller's to keep: any execution may have the next run.
  static result<void> require_no_states(const ir::graph& g) {
    if (g.states.empty()) return {};
    return fail(error_code::not_supported,
                "devices keep no states: passes::open_states() makes inputs and outputs of them");
  }
  /// A graph that is one, of nodes that could be some, with its weights, and by the driver's own rules. In this order:
  /// each relies on what was checked before it.
  result<void> check(const nnrt::model& network, const deadline_watch& watch = {}) const {
    const ir::graph& g = network.graph;
    if (auto ok = check_graph(g, watch); !ok) return ok;
    if (auto ok = require_no_states(g); !ok) return ok;
    for (std::size_t i = 0; i < g.nodes.size() && !watch.is_over(); ++i)
      if (std::string fault = fault_of_form(g, i); !fault.empty()) return fail(error_code::rule_broken, fault);
    if (watch.is_over()) return nnrt::detail::compiled_too_late();
    if (auto ok = driver_->check(network); !ok) return ok;
    if (auto bound = bind_weights(network.weights, weight_specs_of(network.graph)); !bound)
      return fail(std::move(bound.error()));
    return {};
  }
  /// Enumerators that exist, a device that is there, a deadline that is not over.
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
  /// The same in words of NN HAL, where nothing has begun: a device that is not there is unavailable, and a deadline is
  /// over for good.
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
  /// The files that a cache goes to, kept beyond the call, or none where their numbers are wrong.
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
    // Whatever becomes of the cache: the model is ready.
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
    // the caller's bytes are as they were written
    if (made.ended == status::invalid_argument) made.ended = status::general_failure;
    return made;
  }

  std::shared_ptr<hal::driver> driver_;
};

}}}  // namespace nnrt::NNRT_ISA::hal
