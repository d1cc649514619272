// activation: the listening socket that a process finds open when it begins, by systemd's protocol without its library.
// Flow: tools/driverd asks before it makes a socket of a path.
//
// LISTEN_PID is the number of the process that the sockets are for, LISTEN_FDS how many there are: files 3, 4, ...
// Source: sd_listen_fds(3).
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
/// A number of decimal digits alone; none: it is another text.
inline std::optional<long> number_of(const char* text) {
  if (text == nullptr) return std::nullopt;
  const std::string_view digits = text;
  long number = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (fault != std::errc() || end != digits.data() + digits.size() || digits.empty() || number < 0) return std::nullopt;
  return number;
}
}  // namespace detail

/// The socket that this process was given; none: it was given none. To be asked once, before there are threads: the
/// variables are removed from the environment, so that no child takes them for its own. Errors: invalid_argument (more
/// than one socket, or one of another kind).
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
