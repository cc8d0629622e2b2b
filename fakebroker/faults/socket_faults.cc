// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/faults/socket_faults.h"

#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace ktrial::fakebroker {

bool deafen(int socket) {
  sock_filter nothing[] = {BPF_STMT(BPF_RET | BPF_K, 0)};
  const sock_fprog program{1, nothing};
  return ::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

bool undeafen(int socket) {
  const int unused = 0;
  return ::setsockopt(socket, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof unused) == 0;
}

void silence_close(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_REPAIR, &on, sizeof on);
}

void reset_on_close(int socket) {
  const linger now{1, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

}  // namespace ktrial::fakebroker
