// buffer: device memory that keeps its contents between runs - one run's output is another's input without a copy.
// Flow: hal::device::allocate() makes one for given inputs and outputs of its models; requests name it by its token.
#pragma once

#include <nnrt/hal/arguments.hpp>

#include <cstring>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace nnrt { inline namespace NNRT_ISA { namespace hal {

/// One input or output that a buffer serves, and how often, in (0, 1].
struct buffer_role {
  std::size_t model = 0;  // index in the list of models that the buffer is allocated for
  std::size_t end = 0;    // index of that model's input or output
  float frequency = 1;
};

/// Puts a buffer in place of the caller's memory in a request; the argument at that index is empty.
struct buffer_use {
  bool is_input = true;
  std::size_t end = 0;
  std::uint32_t token = 0;
  std::optional<shape_t> shape;  // shape that the caller expects; empty: the present one
};

namespace detail {

/// State shared by all handles of a buffer and by the runs that use it.
struct buffer_state {
  struct role {
    std::shared_ptr<prepared_model> model;
    bool is_input;
    std::size_t end;
  };
  std::shared_ptr<driver> device;
  tensor_desc desc;  // merged from all roles and the caller; unknown extents are -1
  std::vector<role> roles;
  std::uint32_t token = 0;

  std::mutex mutex;
  std::shared_ptr<const shared_memory> memory;  // may be replaced by a larger one; readers hold a reference
  std::optional<shape_t> written;               // shape of the contents; empty: uninitialised
  ~buffer_state();

  /// Makes `memory` hold at least `bytes`. Errors: the driver's.
  result<void> make_room(std::size_t bytes) {
    if (memory != nullptr && memory->size() >= bytes) return {};
    auto made = device->allocate(bytes == 0 ? 1 : bytes);
    if (!made) return fail(std::move(made.error()));
    memory = std::make_shared<const shared_memory>(std::move(*made));
    return {};
  }
  bool has_role(const prepared_model& model, bool is_input, std::size_t end) const {
    for (const role& r : roles)
      if (r.model.get() == &model && r.is_input == is_input && r.end == end) return true;
    return false;
  }
};

/// The live buffers of this process by token. Safe from any thread.
class buffer_table {
 public:
  static buffer_table& all() {
    static buffer_table* const table = new buffer_table;  // runs may outlive main()
    return *table;
  }
  void add(const std::shared_ptr<buffer_state>& state) {
    const std::lock_guard lock(mutex_);
    do state->token = ++last_;
    while (state->token == 0 || living_.count(state->token) != 0);
    living_[state->token] = state;
  }
  void remove(std::uint32_t token) {
    const std::lock_guard lock(mutex_);
    living_.erase(token);
  }
  std::shared_ptr<buffer_state> find(std::uint32_t token) {
    const std::lock_guard lock(mutex_);
    const auto at = living_.find(token);
    return at == living_.end() ? nullptr : at->second.lock();
  }

 private:
  std::mutex mutex_;
  std::uint32_t last_ = 0;
  std::unordered_map<std::uint32_t, std::weak_ptr<buffer_state>> living_;
};

inline buffer_state::~buffer_state() {
  if (token != 0) buffer_table::all().remove(token);
}

}  // namespace detail

/// Memory of a device for inputs and outputs of its models (IBuffer of NN HAL 1.3).
/// It is uninitialised until a run or copy_from() has written it, and again after one of these fails.
/// Copies share one buffer; the token is released with the last copy. Safe from any thread.
class device_buffer {
 public:
  explicit device_buffer(std::shared_ptr<detail::buffer_state> of) : state_(std::move(of)) {}

  /// Identifies the buffer in requests: not 0, and unique among live buffers.
  std::uint32_t token() const { return state_->token; }

  /// Copies the contents out. Errors: device_failed (uninitialised), invalid_argument (size differs from the
  /// contents').
  result<void> copy_to(array_ref<std::byte> to) const {
    const std::lock_guard lock(state_->mutex);
    if (!state_->written)
      return fail(error_code::device_failed, {"buffer ", state_->token, ": nothing has been written"});
    const std::size_t bytes = model_io::bytes_of(state_->desc, *state_->written);
    if (to.size() != bytes)
      return fail(error_code::invalid_argument,
                  {"buffer ", state_->token, ": got memory for ", to.size(), " bytes, expected ", bytes});
    if (bytes != 0) std::memcpy(to.data(), state_->memory->data(), bytes);
    return {};
  }
  /// Fills the buffer with a tensor of this shape. Without a shape, the buffer's own is used, and all its extents must
  /// be known.
  /// Errors: invalid_argument (shape, number of bytes), out_of_memory. After an error the buffer is uninitialised.
  result<void> copy_from(array_ref<const std::byte> from, const std::optional<shape_t>& shape = {}) const {
    const std::lock_guard lock(state_->mutex);
    state_->written.reset();
    const shape_t now = shape ? *shape : state_->desc.shape;
    bool fits = model_io::is_one_of(now, state_->desc.shape);
    for (const std::int64_t extent : now) fits = fits && extent > 0;
    if (!fits)
      return fail(error_code::invalid_argument, joined({"buffer ", state_->token, ": got shape ", now, ", expected ",
                                                        state_->desc.shape, " without an open extent"}));
    const std::size_t bytes = model_io::bytes_of(state_->desc, now);
    if (from.size() != bytes)
      return fail(error_code::invalid_argument,
                  {"buffer ", state_->token, ": got ", from.size(), " bytes, expected ", bytes});
    if (auto ok = state_->make_room(bytes); !ok) return ok;
    std::memcpy(state_->memory->data(), from.data(), bytes);
    state_->written = now;
    return {};
  }

 private:
  std::shared_ptr<detail::buffer_state> state_;
};

namespace detail {

/// Whether two shapes agree where both know their extents.
inline bool are_compatible(const shape_t& a, const shape_t& b) {
  bool fits = a.rank == b.rank;
  for (int axis = 0; fits && axis < a.rank; ++axis) fits = a[axis] < 0 || b[axis] < 0 || a[axis] == b[axis];
  return fits;
}

/// Adds a role to a buffer, whose tensor then has all extents that the roles so far know. `shape`: what the caller asks
/// for, if anything. Error: invalid_argument, as make_buffer().
inline result<void> add_role(buffer_state& to, const std::optional<shape_t>& shape,
                             array_ref<const std::shared_ptr<prepared_model>> models, const buffer_role& role,
                             bool is_input) {
  const auto refuse = [](pieces why) { return fail(error_code::invalid_argument, joined({"buffer: ", joined(why)})); };
  if (role.model >= models.size()) return refuse({"model ", role.model, " of ", models.size()});
  const std::string name = joined({"model ", role.model, is_input ? ", input " : ", output ", role.end});
  const prepared_model& model = *models[role.model];
  const std::size_t ends = is_input ? model.input_count() : model.output_count();
  if (role.end >= ends)
    return refuse({"model ", role.model, ": ", is_input ? "input " : "output ", role.end, " of ", ends});
  if (!(role.frequency > 0 && role.frequency <= 1)) return refuse({name, ": its frequency is not in (0, 1]"});
  if (to.has_role(model, is_input, role.end)) return refuse({name, ": has the role twice"});
  const tensor_desc& desc = is_input ? model.input_desc(role.end) : model.output_desc(role.end);
  if (to.roles.empty()) {
    to.desc = desc;
    if (shape) to.desc.shape = *shape;
  }
  if (desc.type != to.desc.type || !(desc.quantised == to.desc.quantised))
    return refuse({name, ": is of another type than the first role"});
  if (!are_compatible(desc.shape, to.desc.shape))
    return refuse({name, ": got ", desc.shape, ", expected ", to.desc.shape});
  for (int axis = 0; axis < to.desc.rank(); ++axis)
    if (to.desc.shape[axis] < 0) to.desc.shape[axis] = desc.shape[axis];
  to.roles.push_back({models[role.model], is_input, role.end});
  return {};
}

/// Makes a buffer for these inputs and outputs.
/// Errors: the driver's; invalid_argument (no model or role; a role with a wrong model or index, given twice, or with a
/// frequency outside (0, 1]; tensors that differ in type or shape).
inline result<device_buffer> make_buffer(std::shared_ptr<driver> device, const std::optional<shape_t>& shape,
                                         array_ref<const std::shared_ptr<prepared_model>> models,
                                         array_ref<const buffer_role> input_roles,
                                         array_ref<const buffer_role> output_roles) {
  const auto refuse = [](pieces why) { return fail(error_code::invalid_argument, joined({"buffer: ", joined(why)})); };
  if (models.empty()) return refuse({"is for no model"});
  if (input_roles.size() + output_roles.size() == 0) return refuse({"has no role"});
  auto made = std::make_shared<buffer_state>();
  made->device = std::move(device);
  for (const bool is_input : {true, false})
    for (const buffer_role& role : is_input ? input_roles : output_roles)
      if (auto ok = add_role(*made, shape, models, role, is_input); !ok) return fail(std::move(ok.error()));
  if (const std::int64_t bytes = made->desc.bytes(); bytes >= 0)
    if (auto ok = made->make_room(static_cast<std::size_t>(bytes)); !ok) return fail(std::move(ok.error()));
  buffer_table::all().add(made);
  return device_buffer(std::move(made));
}

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::hal
