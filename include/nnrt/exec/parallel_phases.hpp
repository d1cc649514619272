// parallel_phases: work that several threads go through together, and who can run it.
// Flow: run_stripes.hpp makes a plan's steps such work; thread_pool runs it.
#pragma once

#include <nnrt/core/config.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// A piece of one part of a stage.
struct piece_of_part {
  int part;
  int piece;
};

/// What one thread has to run of a stage, piece by piece.
class piece_source {
 public:
  /// Number of the thread; the caller is 0.
  virtual int thread() const = 0;
  /// The next one, if there is any. Those that follow each other in one part often come one after the other.
  virtual bool next(piece_of_part& found) = 0;

 protected:
  ~piece_source() = default;
};

/// The only piece of a stage that is the caller's alone.
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

/// Stages in an order, each cut into parts that may run at the same time, and parts into pieces; a stage begins when
/// all of the one before are done.
class parallel_phases {
 public:
  struct stage {
    int parts;   // one for each thread at most; fewer than two: the caller's alone
    int pieces;  // of each part, which other threads may take over; one: a part is run by its own thread
    int next;    // number of the stage behind
  };
  virtual stage at(int number) const = 0;
  /// Runs what a thread is given of a stage. Whether another stage may begin, in which the caller alone has a say; it
  /// always gets the first piece of part 0.
  virtual bool run(int number, piece_source& source) = 0;
  /// Tells the caller that all parts of a stage are done.
  virtual void done(int number) = 0;

 protected:
  ~parallel_phases() = default;
};

/// Whoever can run the parts of a stage at the same time.
class part_runner {
 public:
  virtual int threads() const = 0;
  /// Runs the stages from `first` until one says that it was the last, or number `end` would be next; returns when all
  /// of their parts are done.
  virtual void run(parallel_phases& work, int first, int end) = 0;

 protected:
  ~part_runner() = default;
};

}}  // namespace nnrt::NNRT_ISA
