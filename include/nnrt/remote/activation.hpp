// activation: takes the listening socket that systemd passes to a process (socket activation), without its library.
// Flow: tools/driverd calls it before it makes a socket of its path.
//
// LISTEN_PID is the id of the process that the sockets are for, LISTEN_FDS their number: files 3, 4, ... Source:
// sd_listen_fds(3).
#pragma once

#include <nnrt/core/text.hpp>
#include <nnrt/remote/listen.hpp>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>

namespace nnrt { inline namespace NNRT_ISA { namespace remote {

namespace detail {
/// Parses a non-negative decimal number; empty for other texts.
inline std::optional<long> number_of(const char* text) {
  if (text == nullptr) return std::nullopt;
  const std::string_view digits = text;
  long number = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (fault != std::errc() || end != digits.data() + digits.size() || digits.empty() || number < 0) return std::nullopt;
  return number;
}
}  // namespace detail

/// The socket that was passed to this process; empty: none. Call it once, before there are threads: it removes the
/// variables from the environment, so that child processes do not use them. Errors: invalid_argument (more than one
/// socket, or one of another kind).
inline result<std::optional<listening_socket>> activated_socket() {
  constexpr int first_file = 3;
  const std::optional<long> process = detail::number_of(std::getenv("LISTEN_PID")),
                            count = detail::number_of(std::getenv("LISTEN_FDS"));
  for (const char* const name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
  if (process != static_cast<long>(::getpid()) || !count || *count == 0) return std::optional<listening_socket>();
  if (*count != 1) return fail(error_code::invalid_argument, {"LISTEN_FDS: got ", *count, " sockets, expected 1"});
  auto given = listening_socket::given(owned_fd(first_file));
  if (!given) return fail(std::move(given.error()));
  return std::optional<listening_socket>(std::move(*given));
}

}}}  // namespace nnrt::NNRT_ISA::remote
