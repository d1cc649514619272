// prepared: a workload with numbers - weights, inputs, the right answers, and the description for peers.
// Flow: measured.hpp asks for one, once for each dtype; references compute the answers.
#pragma once

#include "support/lines.hpp"
#include "support/workload.hpp"

#include <nnrt/io/model.hpp>

#include <nnrt/exec/profile.hpp>

#include <map>
#include <optional>

namespace bench {

namespace detail {
struct evaluated;
}

/// A runner that takes the time of each step.
class profiled_runner : public runner {
 public:
  virtual nnrt::pool<nnrt::profiled_step> profile() const = 0;
};

class prepared {
 public:
  /// The workload in floats, or in quantised values. Made when it is first asked for, kept.
  static const prepared& of(const workload& w, nnrt::dtype type);
  ~prepared();
  prepared(const prepared&) = delete;
  prepared& operator=(const prepared&) = delete;

  const description& network() const { return network_; }
  /// nnrt's own executor or session. Throws cannot_run.
  std::unique_ptr<runner> ours(int threads) const;
  /// nnrt's session of the network on `threads` threads, with the times of its steps; an executor has the same kernels.
  /// Throws cannot_run.
  std::unique_ptr<profiled_runner> ours_profiled(int threads) const;
  bool is_micro() const { return is_micro_; }

  /// Gives a runner the inputs, runs it once and says how far its outputs are from the right ones: for floats the
  /// largest difference over the largest number of that output, for quantised values the largest difference in steps.
  /// Not a number counts as much.
  double error_of(runner& made) const;

  /// The weights as nnrt's executor of the network takes them.
  const nnrt::weights& weights() const { return weights_; }
  const std::vector<lines>& inputs() const { return inputs_; }

  double macs() const { return macs_; }
  /// Bytes that one inference cannot do without reading or writing: inputs, weights, outputs.
  std::size_t bytes() const { return bytes_; }

 private:
  prepared() = default;
  void fill_static(const static_network& from, const std::string& name);
  void fill_quantised(const workload& w);
  void count(const nnrt::ir::graph& g);

  description network_;
  std::unique_ptr<detail::evaluated> values_;  // what the description points to
  nnrt::weights weights_;
  std::vector<lines> inputs_, expected_;
  std::unique_ptr<runner> (*make_)(const nnrt::weights&, int) = nullptr;
  nnrt::model model_;  // of what sessions run
  bool is_micro_ = false;
  double macs_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace bench
