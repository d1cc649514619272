// plan: a network as a list of kernel calls over one arena; both kinds of executor run it.
// Flow: make_plan() makes it, in constant evaluation (then frozen into .rodata) or at run time; plan_view.hpp runs it.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/graph.hpp>

#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// The memory that holds an operand. After first_input there is one base for each input, then for each weight.
/// in_stripe: rows that a group keeps in its scratch memory.
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
  kernel_code code = {};           // in an incomplete plan: stands for run and inner
  ir::range attrs;                 // in words
  std::int32_t kernel_plan = 0;    // index in words of its kernel_plan
  ir::range inputs;                // in slots
  ir::range outputs;               // in slots
  std::int32_t parts = 1;          // maximum number of parts of the work
  std::int32_t node = 0;           // index of the node in the optimised graph
  std::int64_t scratch = 0;        // offset in the arena
  std::int64_t scratch_bytes = 0;  // 0: none; steps of a group use the group's
  std::string_view kernel;         // name, for dumps and profiles
  unrolled_kernel unrolled = unrolled_kernel::none;
  std::int32_t fused_word = -1;  // index of the fused activation in the attribute words
  std::int32_t group = -1;       // the group of stripes that begins with this step
};

/// Steps that make one stripe of rows after another: all steps run for a stripe, then for the next one. If `rows` is 0,
/// threads share out the rows, and each runs all steps on its share; with one thread, steps run one by one.
struct stripe_group {
  ir::range steps;
  std::int32_t first_window = 0;   // in windows, one for each step
  int parts = 1;                   // as in a step
  std::int64_t rows = 0;           // maximum of the last step's rows in a stripe; 0: all rows of a thread
  std::int64_t scratch = 0;        // offset in the arena
  std::int64_t scratch_bytes = 0;  // for scratch of the steps, and for rows kept between them
};

/// An input, output or weight of the network.
struct port {
  ir::range name;  // in text
  std::int32_t slot = -1;
};

/// A state of the network.
struct state_port {
  ir::range name;             // in text
  std::int32_t slot = -1;     // its location between runs, in the arena
  std::int32_t initial = -1;  // the slot of its initial value; -1: zeros
  bool is_copied = false;     // at the end of a run, because the next value is not made in place
};

/// A node whose step may fail, for messages.
struct fallible_node {
  std::int32_t node = 0;  // index in the optimised graph
  std::string_view op;
  ir::range name;   // in text
  rule_list rules;  // of the operator
};

/// Everything that running needs. The lists are vectors while it is made and arrays when it is frozen.
struct plan {
  pool<step> steps;
  pool<step> prepare;  // run once, when an executor is made
  pool<stripe_group> stripes;
  pool<row_window> windows;  // of the steps that belong to stripes
  pool<operand_slot> slots;
  pool<tensor_desc> descs;  // without duplicates: layers of a network share most of theirs
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
  // the largest scratch of a step; each further thread needs as much
  std::int64_t part_scratch_bytes = 0;
  std::int64_t steps_before_states = 0;  // number of steps before the first that changes a state
};

}}  // namespace nnrt::NNRT_ISA
