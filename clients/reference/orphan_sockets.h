// SPDX-License-Identifier: Apache-2.0
// The mutant sockets-outlive-process: a child process that inherits every open socket and keeps
// it open for a while after its parent has died.
#pragma once

namespace ktrial::client {

void hold_sockets_after_exit();

}  // namespace ktrial::client
