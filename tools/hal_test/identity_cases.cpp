// identity_cases: what a driver says of itself.
// Flow: added to the suite by all_cases().
#include "hal_test/suite.hpp"

namespace nnrt_hal_test {

void add_identity_cases(case_list& to) {
  to.push_back({"identity.name", "name and vendor are words, versions are not negative", [](probe& p) {
                  p.expect(!p.on.driver().name().empty(), {"the name is empty"});
                  p.expect(!p.on.driver().vendor().empty(), {"the vendor is empty"});
                  p.expect(p.on.driver().major_version() >= 0 && p.on.driver().minor_version() >= 0,
                           {"a version is negative"});
                }});
  to.push_back({"identity.type", "the type is one of four", [](probe& p) {
                  const auto type = p.on.type();
                  p.expect(type.has_value(), {type ? "" : type.error().message()});
                }});
  to.push_back({"identity.status", "an idle device is available", [](probe& p) {
                  const auto now = p.on.current_status();
                  p.expect(now && *now == device_status::available, {"it is not available"});
                }});
  to.push_back({"identity.features", "what it can do does not change between two questions", [](probe& p) {
                  const auto first = p.on.supported_features(), second = p.on.supported_features();
                  p.expect(first && second, {"it does not say"});
                  if (!first || !second) return;
                  p.expect(first->caching == second->caching && first->dynamic_inputs == second->dynamic_inputs &&
                               first->float16 == second->float16,
                           {"it says two things"});
                }});
  to.push_back({"identity.costs", "time and power of every dtype are positive numbers", [](probe& p) {
                  for (int number = 1; number < dtype_count; ++number) {
                    const work_cost cost = p.on.driver().cost_of(static_cast<dtype>(number));
                    const auto is_cost = [](float f) { return f > 0 && f < 1e30F; };
                    p.expect(is_cost(cost.time) && is_cost(cost.power),
                             {name_of(static_cast<dtype>(number)), ": a cost is no positive number"});
                  }
                }});
  to.push_back(
      {"identity.cache_files", "at most 32 files for each cache", [](probe& p) {
         const cache_counts files = p.on.caches_needed();
         p.expect(files.model <= 32 && files.data <= 32, {"it wants ", files.model, " and ", files.data, " files"});
       }});
}

}  // namespace nnrt_hal_test
