// devices: the devices that C programs see - the processor, devices added by the program, accelerators, and hosts in
// other processes.
// Flow: every function that lists or finds a device calls it; hal/registry.hpp holds the list.
//
// NNRT_DRIVER_SOCKETS names the sockets of hosts (nnrt-driverd), separated by ':'. Set-user-ID programs ignore it.
#pragma once

#include <nnrt/c_api/support.hpp>
#include <nnrt/hal/bpu_driver.hpp>
#include <nnrt/remote/client.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace c_api {

namespace detail {

/// Sockets named by the environment, and which of them have been connected.
class named_hosts {
 public:
  /// Adds devices of hosts that are not connected yet. `again`: retry even if this was done before. Failures are logged
  /// without locks held, as the log function may call C functions.
  void find(bool again) {
    if (!again && were_asked_) return;  // does not wait for a concurrent retry
    std::vector<std::string> wrong;
    find(again, wrong);
    for (const std::string& why : wrong) log({"NNRT_DRIVER_SOCKETS: ", why});
  }

 private:
  void find(bool again, std::vector<std::string>& wrong) {
    const char* const list = ::secure_getenv("NNRT_DRIVER_SOCKETS");
    const std::lock_guard lock(mutex_);
    if (!again && were_asked_) return;
    for (std::string_view rest = list != nullptr ? list : ""; !rest.empty();) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      if (const std::string path(rest.substr(0, end)); !path.empty() && !found_.contains(path) && add(path, wrong))
        found_.insert(path);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    were_asked_ = true;
  }
  static bool add(const std::string& path, std::vector<std::string>& wrong) {
    auto device = remote::connect(path);
    if (!device) return wrong.push_back(device.error().message()), false;
    const auto id = hal::registry().add(std::move(*device));
    if (!id) wrong.push_back(joined({path, ": ", id.error().message()}));
    return id.has_value();
  }

  std::atomic<bool> were_asked_{false};
  std::mutex mutex_;
  std::set<std::string> found_;
};

}  // namespace detail

/// Names that ids are made from, as returned by OH_NNDevice_GetName; API 9 has no versions in them.
inline constexpr hal::naming names_of_devices = api_level < 11 ? hal::naming::brief : hal::naming::full;

/// The device registry. The first call adds accelerators and the environment's hosts; the processor is the first
/// device. `lists_them`: retry hosts that were not available.
inline hal::device_registry& devices(bool lists_them = false) {
  static nnrt::detail::kept<detail::named_hosts> hosts;
  [[maybe_unused]] static const bool are_there = hal::add_accelerators().has_value();
  hosts.value.find(lists_them);
  return hal::registry();
}

/// The device with this id, as id_by(names_of_devices) returns it; 0: the first device.
inline hal::device_registry::entry device_of(std::size_t id) { return devices().find(id, names_of_devices); }

}}}  // namespace nnrt::NNRT_ISA::c_api
