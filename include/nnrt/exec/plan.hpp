// plan: a network as a list of kernel calls over one arena - what both kinds of executor walk.
// Flow: make_plan() makes it, in constant evaluation (then it is frozen into .rodata) or at run time; plan_view.hpp
// runs it.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/graph.hpp>

#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// Which memory an operand lies in; inputs and weights follow, one base each. Of what is in_stripe a group keeps
/// some rows, in its scratch memory.
enum base : std::int32_t {
  in_stripe = -2,
  no_memory = -1,
  in_arena,
  in_prepared,
  in_prepare_scratch,
  in_constants,
  first_input
};

/// Address and desc of an operand of a step.
struct operand_slot {
  std::int32_t base = no_memory;
  std::int32_t desc = -1;    // index in the plan's descs; -1: an optional operand that is missing
  std::int64_t offset = 0;   // in bytes
  std::int32_t scales = -1;  // slot of the scales of a per-channel quantised tensor
};

/// One kernel call.
struct step {
  kernel_function run = nullptr;
  const void* inner = nullptr;     // see kernel_choice
  kernel_code code = {};           // in a plan that is not complete: what run and inner are
  ir::range attrs;                 // in words
  std::int32_t kernel_plan = 0;    // where in words the record of its kernel begins
  ir::range inputs;                // in slots
  ir::range outputs;               // in slots
  std::int32_t parts = 1;          // into how many parts the work may be cut
  std::int32_t node = 0;           // index of the node in the optimised graph
  std::int64_t scratch = 0;        // offset in the arena
  std::int64_t scratch_bytes = 0;  // 0: none; steps of a group use the group's
  std::string_view kernel;         // name, for dumps and profiles
  unrolled_form form = unrolled_form::none;
  std::int32_t fused_word = -1;  // which of the attribute words is the fused activation
  std::int32_t group = -1;       // of stripes, the one that begins with it
};

/// Steps that make a stripe of rows one after the other, and then the next stripe; or, without a number of rows, steps
/// that several threads make together, each its share of the rows for all of them, and one thread one after the other.
struct stripe_group {
  ir::range steps;
  std::int32_t first_window = 0;   // in windows, one for each step
  int parts = 1;                   // as of a step
  std::int64_t rows = 0;           // that a stripe has of the last step's result at most; 0: all that a thread makes
  std::int64_t scratch = 0;        // offset in the arena
  std::int64_t scratch_bytes = 0;  // for the steps' own, and for the rows that are kept between them
};

/// An input, output or weight of the network as the executor sees it.
struct port {
  ir::range name;  // in text
  std::int32_t slot = -1;
};

/// A state of the network as the executor sees it.
struct state_port {
  ir::range name;             // in text
  std::int32_t slot = -1;     // where it is from run to run, in the arena
  std::int32_t initial = -1;  // the slot of what it is in the first run; -1: zeros
  bool is_copied = false;     // at the end of a run: what it becomes is not made in its place
};

/// What messages call a node whose step may fail.
struct fallible_node {
  std::int32_t node = 0;  // index in the optimised graph
  std::string_view op;
  ir::range name;   // in text
  rule_list rules;  // of the operator
};

/// Everything that running needs; the lists are vectors while it is made and arrays when it is frozen.
struct plan {
  pool<step> steps;
  pool<step> prepare;  // run once, when an executor is made
  pool<stripe_group> stripes;
  pool<row_window> windows;  // of the steps that belong to stripes
  pool<operand_slot> slots;
  pool<tensor_desc> descs;  // each once: the layers of a network share most of theirs
  pool<word> words;
  pool<port> inputs;
  pool<port> outputs;
  pool<port> weights;
  pool<state_port> states;
  pool<fallible_node> fallible;
  pool<char> text;
  pool<std::byte> constants;
  std::int64_t arena_bytes = 0;
  std::int64_t arena_lower_bound = 0;
  std::int64_t prepared_bytes = 0;         // results of prepare steps that the steps read
  std::int64_t prepare_scratch_bytes = 0;  // results that only other prepare steps read
  // for each further part that runs at the same time: the largest scratch of a step
  std::int64_t part_scratch_bytes = 0;
  std::int64_t steps_before_states = 0;  // those after which all states are what they were at the begin of the run
};

}}  // namespace nnrt::NNRT_ISA
