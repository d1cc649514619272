// parallel_phases: interfaces for work that several threads do in phases, and for threads that can run it.
// Flow: run_stripes.hpp makes a plan's steps such work; thread_pool runs it.
#pragma once

#include <nnrt/core/config.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// A piece of one part of a phase.
struct piece_of_part {
  int part;
  int piece;
};

/// The pieces of a phase that one thread must run.
class piece_source {
 public:
  /// Number of the thread; the caller is 0.
  virtual int thread() const = 0;
  /// Gets the next piece; false if there is none. Consecutive pieces of one part are often returned in sequence.
  virtual bool next(piece_of_part& found) = 0;

 protected:
  ~piece_source() = default;
};

/// The only piece of a phase that only the caller runs.
class only_piece final : public piece_source {
 public:
  int thread() const override { return 0; }
  bool next(piece_of_part& found) override {
    found = {0, 0};
    const bool is_left = is_left_;
    is_left_ = false;
    return is_left;
  }

 private:
  bool is_left_ = true;
};

/// Phases in sequence. Each phase has parts that may run at the same time, and parts have pieces. A phase begins when
/// all parts of the preceding one are done.
class parallel_phases {
 public:
  struct phase {
    int parts;   // at most one for each thread; fewer than two: only the caller runs it
    int pieces;  // of each part; other threads may steal them; one: the part's thread runs it
    int next;    // number of the following phase
  };
  virtual phase at(int number) const = 0;
  /// Runs pieces of a phase in one thread. Returns whether another phase may begin; only the caller's result counts,
  /// and it always gets the first piece of part 0.
  virtual bool run(int number, piece_source& source) = 0;
  /// Called in the caller's thread when all parts of a phase are done.
  virtual void done(int number) = 0;

 protected:
  ~parallel_phases() = default;
};

/// Threads that can run the parts of a phase at the same time.
class part_runner {
 public:
  virtual int threads() const = 0;
  /// Runs phases from `first` until run() returns false or the next phase would be `end`. Returns when all their parts
  /// are done.
  virtual void run(parallel_phases& work, int first, int end) = 0;

 protected:
  ~part_runner() = default;
};

}}  // namespace nnrt::NNRT_ISA
