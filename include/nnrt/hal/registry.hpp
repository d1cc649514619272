// registry: the list of devices of this process - the processor, and drivers that the program adds.
// Flow: programs call hal::registry().add(driver); the C API lists and finds devices here.
#pragma once

#include <nnrt/core/shared.hpp>
#include <nnrt/hal/cpu_driver.hpp>
#include <nnrt/hal/device.hpp>

#include <algorithm>
#include <mutex>
#include <string>

namespace nnrt { inline namespace NNRT_ISA { namespace hal {

/// `"<name>_<vendor>"`: a device's name in the first release of the C API.
inline std::string short_name(const hal::driver& device) { return joined({device.name(), "_", device.vendor()}); }
/// `"<name>_<vendor>_v<major>_<minor>"`: its name in later releases.
inline std::string full_name(const hal::driver& device) {
  return joined({short_name(device), "_v", device.major_version(), "_", device.minor_version()});
}

/// Which name identifies a device. Ids are hashes of names, so that they are equal in every run.
enum class naming { full, brief };

/// The list of devices. Safe from any thread.
class device_registry {
 public:
  device_registry() { (void)add(std::make_shared<cpu_driver>()); }

  /// Adds a device and returns its id.
  /// Errors: invalid_argument (null, or a device of that name exists), device_failed (its status is offline, unknown or
  /// unavailable).
  result<std::size_t> add(std::shared_ptr<driver> device) {
    if (device == nullptr) return fail(error_code::invalid_argument, "device: null");
    const std::string name = full_name(*device);
    const auto status = hal::device(device).current_status();
    if (!status) return fail(error_code::device_failed, {"device ", name, ": ", status.error().message()});
    if (*status == device_status::offline || *status == device_status::unknown)
      return fail(
          error_code::device_failed,
          {"device ", name, *status == device_status::offline ? " is offline" : " does not know its own status"});
    const std::lock_guard lock(mutex_);
    const std::string brief_name = short_name(*device);
    const std::size_t id = std::hash<std::string>()(name);
    for (const entry& other : devices_)
      if (other->id == id)
        return fail(error_code::invalid_argument, {"device ", name, ": there is one of this name already"});
    const char* const full = kept(name);
    const char* const brief = kept(brief_name);
    devices_.push_back(
        std::make_shared<const device_entry>(id, std::hash<std::string>()(brief_name), full, brief, std::move(device)));
    list_ids();
    return id;
  }
  /// Removes a device; models that it prepared remain usable. Error: not_found.
  result<void> remove(std::size_t id) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      if (devices_[i]->id != id) continue;
      devices_.erase(devices_.begin() + static_cast<std::ptrdiff_t>(i));
      list_ids();
      return {};
    }
    return fail(error_code::not_found, {"device ", id, ": unknown"});
  }

  /// A registered device. Its names are valid until the process ends.
  struct device_entry {
    std::size_t id;
    std::size_t brief_id;
    const char* name;
    const char* name_without_version;
    hal::device device;
    device_entry(std::size_t number, std::size_t brief_number, const char* full, const char* brief,
                 std::shared_ptr<driver> of)
        : id(number), brief_id(brief_number), name(full), name_without_version(brief), device(std::move(of)) {}
    std::size_t id_by(naming by) const { return by == naming::full ? id : brief_id; }
  };
  using entry = std::shared_ptr<const device_entry>;

  /// The device with this id, or the first one for id 0; null if there is none. add()'s ids work with either naming. If
  /// several versions share a brief name, that name means the one added first.
  entry find(std::size_t id, naming by = naming::full) const {
    const std::lock_guard lock(mutex_);
    for (const entry& device : devices_)
      if (id == 0 || device->id == id || device->id_by(by) == id) return device;
    return nullptr;
  }
  /// The ids in order of addition, each once. The array is valid and unchanged until the process ends.
  array_ref<const std::size_t> ids(naming by = naming::full) const {
    const std::lock_guard lock(mutex_);
    const id_lists& lists = lists_[static_cast<std::size_t>(by)];
    if (lists.empty()) return {};
    return *lists.back();
  }

 private:
  const char* kept(std::string name) {
    names_.push_back(std::make_unique<const std::string>(std::move(name)));
    return names_.back()->c_str();
  }
  void list_ids() {
    for (const naming by : {naming::full, naming::brief}) {
      auto list = std::make_unique<std::vector<std::size_t>>();
      for (const entry& device : devices_)
        if (std::find(list->begin(), list->end(), device->id_by(by)) == list->end()) list->push_back(device->id_by(by));
      lists_[static_cast<std::size_t>(by)].push_back(std::move(list));
    }
  }

  using id_lists = std::vector<std::unique_ptr<const std::vector<std::size_t>>>;

  mutable std::mutex mutex_;
  std::vector<entry> devices_;
  std::vector<std::unique_ptr<const std::string>> names_;  // every name and list of ids that programs may hold:
  // never freed
  id_lists lists_[2];
};

/// The devices of this process; never destroyed.
inline device_registry& registry() {
  static nnrt::detail::kept<device_registry> devices;
  return devices.value;
}

}}}  // namespace nnrt::NNRT_ISA::hal
