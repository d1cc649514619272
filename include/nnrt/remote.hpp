// remote: devices whose drivers run in separate processes - the client's side, and the host's.
// Flow: remote::connect(path) is a driver for hal::registry() and compile(); nnrt-driverd runs remote::serve().
#pragma once

#include <nnrt/dynamic.hpp>
#include <nnrt/remote/client.hpp>
#include <nnrt/remote/host.hpp>
