// messages: the protocol between a driver's host and its clients - a reflected structure for each question and answer.
// Flow: remote/client.hpp asks, remote/served_client.hpp answers; hdi/wire.hpp serialises the structures,
// remote/packets.hpp sends them.
#pragma once

#include <nnrt/core/result.hpp>
#include <nnrt/hdi/nodes.hpp>
#include <nnrt/hdi/types.hpp>

#include <string>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace remote {

/// Version of the messages below. Hosts and clients with different versions refuse each other.
inline constexpr std::uint32_t protocol_version = 3;

/// Questions of a client. Each has one answer, on the same socket. Comments give the structures: question -> answer.
enum class question : std::uint32_t {
  hello = 1,        // greeting -> device_facts
  open,             // greeting -> (one file: the socket of a further connection)
  status,           // greeting -> device_state
  refusals,         // wanted_model -> reasons
  prepare,          // wanted_model -> model_facts
  restore,          // stored_model -> model_facts
  prepare_offline,  // stored_model -> model_facts
  export_model,     // ticket -> exported_model
  drop_model,       // ticket ->
  lend,             // lent_memory ->
  take_back,        // ticket ->
  run,              // run_order -> run_result
};

using longs = hdi::longs;
using rows_of_longs = hdi::rows_of_longs;

// Header of each message. bytes: size of the rest; is_beside: 1 if the rest is in the packet's first file. number: of
// the question on its connection, 0 for the first. An answer repeats it, which detects answers to other questions.
NNRT_HDI_PLAIN(packet_head, (std::uint32_t, mark), (std::uint32_t, asked), (std::uint32_t, bytes),
               (std::uint16_t, is_beside), (std::uint16_t, number))
inline constexpr std::uint32_t packet_mark = 0x316e6e64U;  // "dnn1"

// Start of an answer. code: -1 or an error_code. The answer's structure follows -1; a run's follows always.
NNRT_HDI_RECORD(ending, (std::int32_t, code), (std::string, reason))

NNRT_HDI_PLAIN(greeting, (std::uint32_t, protocol))
NNRT_HDI_PLAIN(ticket, (std::uint64_t, number))

// hal::features, and hal::work_cost of a dtype.
NNRT_HDI_PLAIN(device_features, (bool, float16), (bool, performance), (bool, priority), (bool, dynamic_inputs),
               (bool, caching), (bool, asynchronous))
NNRT_HDI_PLAIN(dtype_cost, (float, time), (float, power))
// connections: limit of open connections of a client. costs: by dtype.
NNRT_HDI_RECORD(device_facts, (std::uint32_t, protocol), (std::string, name), (std::string, vendor),
                (std::int32_t, major_version), (std::int32_t, minor_version), (hdi::DeviceType, type),
                (device_features, can), (std::vector<dtype_cost>, costs), (std::uint32_t, connections))
NNRT_HDI_PLAIN(device_state, (hdi::DeviceStatus, now))

// A model to prepare. deadline: nanoseconds of the steady clock, which all processes of a machine share.
NNRT_HDI_RECORD(wanted_model, (hdi::ModelConfig, wanted), (std::int64_t, deadline), (hdi::Model, model))
NNRT_HDI_RECORD(reasons, (std::vector<std::string>, of_nodes))
NNRT_HDI_RECORD(stored_model, (hdi::ModelConfig, wanted), (std::int64_t, deadline),
                (std::vector<hdi::SharedBuffer>, buffers))
NNRT_HDI_RECORD(exported_model, (std::vector<hdi::SharedBuffer>, buffers))

// An input or output of a prepared model. least, most: extents that an input may have, valid if no_range is empty.
NNRT_HDI_RECORD(model_end, (hdi::Tensor, desc), (longs, least), (longs, most), (std::string, no_range))
NNRT_HDI_RECORD(model_facts, (std::uint64_t, number), (std::vector<model_end>, inputs),
                (std::vector<model_end>, outputs))

// A file with tensors of later runs, under a number that the client chooses.
NNRT_HDI_RECORD(lent_memory, (std::uint64_t, number), (std::uint64_t, bytes), (hdi::SharedBuffer, file))
// A tensor of a run in lent memory; a tensor of 0 bytes needs no memory.
NNRT_HDI_RECORD(place, (std::uint64_t, memory), (std::uint64_t, offset), (std::uint64_t, bytes), (longs, shape))
// A run. floats: float_environment::word() of the asking thread; the host computes with its rounding and denormal
// modes.
NNRT_HDI_RECORD(run_order, (std::uint64_t, model), (std::int64_t, deadline), (std::uint64_t, floats),
                (std::vector<place>, inputs), (std::vector<place>, outputs))
// Shapes of the outputs, -1 for unknown extents; also after a failed run.
NNRT_HDI_RECORD(run_result, (rows_of_longs, shapes))

}}}  // namespace nnrt::NNRT_ISA::remote
