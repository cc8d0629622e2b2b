// SPDX-License-Identifier: Apache-2.0
// What a socket can do that a well-behaved server never does.
#pragma once

namespace ktrial::fakebroker {

// From now on whatever arrives for the socket is dropped before TCP sees it: nothing is
// acknowledged, no SYN (of a listener) is answered. Needs no rights (SO_ATTACH_FILTER). False if
// the kernel refuses.
bool deafen(int socket);
bool undeafen(int socket);

// close() will send neither FIN nor RST, where the process may do so (TCP_REPAIR, CAP_NET_ADMIN);
// else the kernel ends the connection as usual.
void silence_close(int socket);

// The next close() sends a RST.
void reset_on_close(int socket);

}  // namespace ktrial::fakebroker
