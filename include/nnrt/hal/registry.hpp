// registry: the devices of this process - the processor, and the drivers that the program adds.
// Flow: hal::registry().add(driver); the C API lists and finds devices here.
#pragma once

#include <nnrt/hal/cpu_driver.hpp>
#include <nnrt/hal/device.hpp>

#include <mutex>
#include <string>

namespace nnrt::inline NNRT_ISA::hal {

/// "<name>_<vendor>", a device's name in the C API's first release.
inline std::string short_name(const hal::driver& device) { return joined({device.name(), "_", device.vendor()}); }
/// "<name>_<vendor>_v<major>_<minor>", its name in the C API since.
inline std::string full_name(const hal::driver& device) {
  return joined({short_name(device), "_v", device.major_version(), "_", device.minor_version()});
}

/// The list of devices. Ids follow from the devices' full names, so they are the same in every run. Safe from any thread.
class device_registry {
 public:
  device_registry() { (void)add(std::make_shared<cpu_driver>()); }

  /// Adds a device and returns its id. Errors: invalid_argument (null; a device of that name is there), device_failed (its status is offline,
  /// unknown, or cannot be had).
  result<std::size_t> add(std::shared_ptr<driver> device) {
    if (device == nullptr) return fail(error_code::invalid_argument, "device: null");
    const std::string name = full_name(*device);
    const auto status = device->status();
    if (!status) return fail(error_code::device_failed, {"device ", name, ": ", status.error().message()});
    if (*status == device_status::offline || *status == device_status::unknown)
      return fail(error_code::device_failed, {"device ", name, *status == device_status::offline ? " is offline" : " does not know its own status"});
    const std::lock_guard lock(mutex_);
    const std::size_t id = std::hash<std::string>()(name);
    for (const entry& other : devices_)
      if (other->id == id) return fail(error_code::invalid_argument, {"device ", name, ": there is one of this name already"});
    const char* const full = kept(name);
    const char* const brief = kept(short_name(*device));
    devices_.push_back(std::make_shared<const device_entry>(id, full, brief, std::move(device)));
    list_ids();
    return id;
  }
  /// Takes a device out; models that it prepared stay usable. Error: not_found.
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

  /// A device in the list. The names outlive it.
  struct device_entry {
    std::size_t id;
    const char* name;
    const char* name_without_version;
    hal::device device;
    device_entry(std::size_t number, const char* full, const char* brief, std::shared_ptr<driver> of)
        : id(number), name(full), name_without_version(brief), device(std::move(of)) {}
  };
  using entry = std::shared_ptr<const device_entry>;

  /// The device of this id, or the first one for id 0; null when there is none.
  entry find(std::size_t id) const {
    const std::lock_guard lock(mutex_);
    for (const entry& device : devices_)
      if (id == 0 || device->id == id) return device;
    return nullptr;
  }
  /// The ids in order of addition. The array stays as it is as long as the process runs.
  array_ref<const std::size_t> ids() const {
    const std::lock_guard lock(mutex_);
    if (lists_.empty()) return {};
    return *lists_.back();
  }

 private:
  const char* kept(std::string name) {
    names_.push_back(std::make_unique<const std::string>(std::move(name)));
    return names_.back()->c_str();
  }
  void list_ids() {
    auto list = std::make_unique<std::vector<std::size_t>>();
    for (const entry& device : devices_) list->push_back(device->id);
    lists_.push_back(std::move(list));
  }

  mutable std::mutex mutex_;
  std::vector<entry> devices_;
  std::vector<std::unique_ptr<const std::string>> names_;               // what programs were given stays theirs:
  std::vector<std::unique_ptr<const std::vector<std::size_t>>> lists_;  // every name and every list of ids that there ever was
};

/// The devices of this process.
inline device_registry& registry() {
  static device_registry devices;
  return devices;
}

}  // namespace nnrt::inline NNRT_ISA::hal
