// SPDX-License-Identifier: Apache-2.0
#include "capture/pcap_handle.h"

#include "capture/link_layer.h"

#include <pcap/pcap.h>

#include <linux/if_packet.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

namespace ktrial::capture {

namespace {

Error open_error(const std::string& interface, int status, pcap_t* handle) {
  const std::string detail = std::string(pcap_statustostr(status)) + ": " + pcap_geterr(handle);
  switch (status) {
    case PCAP_ERROR_PERM_DENIED:
    case PCAP_ERROR_PROMISC_PERM_DENIED:
      return {Errc::kPermission,
              "no right to capture on " + interface +
                  ": run in a user namespace (ktrial does where the kernel allows unprivileged "
                  "ones), as root, or give the program CAP_NET_RAW (setcap cap_net_raw+ep)",
              interface};
    case PCAP_ERROR_NO_SUCH_DEVICE:
      return {Errc::kNotFound, "no interface of this name (" + detail + ")", interface};
    case PCAP_ERROR_IFACE_NOT_UP:
      return {Errc::kIo,
              "the interface is down; bring it up first (ip link set " + interface + " up)",
              interface};
    default:
      return {Errc::kIo, "cannot capture: " + detail, interface};
  }
}

// Loopback shows each packet twice, leaving and arriving; libpcap drops the first only after it
// filled the ring. Where the kernel knows the option, it never comes.
void ignore_outgoing_copies(pcap_t* handle, const std::string& interface) {
  if (interface != "lo") return;
  const int yes = 1;
  ::setsockopt(pcap_fileno(handle), SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof yes);
}

}  // namespace

void PcapHandle::Close::operator()(pcap* handle) const { pcap_close(handle); }

Result<PcapHandle> PcapHandle::open(const std::string& interface, const PcapOptions& options) {
  char buffer[PCAP_ERRBUF_SIZE] = {};
  pcap_t* raw = pcap_create(interface.c_str(), buffer);
  if (raw == nullptr) return fail(Errc::kIo, buffer, interface);
  PcapHandle out(raw);
  pcap_set_snaplen(raw, static_cast<int>(options.snaplen));
  pcap_set_promisc(raw, 0);
  pcap_set_timeout(raw, static_cast<int>(options.block_timeout.count()));
  if (options.ring_bytes != 0) pcap_set_buffer_size(raw, static_cast<int>(options.ring_bytes));
  const bool nanoseconds = pcap_set_tstamp_precision(raw, PCAP_TSTAMP_PRECISION_NANO) == 0;
  const int status = pcap_activate(raw);
  if (status < 0) return tl::unexpected<Error>(open_error(interface, status, raw));
  if (!nanoseconds || pcap_get_tstamp_precision(raw) != PCAP_TSTAMP_PRECISION_NANO)
    return fail(Errc::kUnsupported, "no nanosecond stamps here", interface);
  const int link = pcap_datalink(raw);
  if (link < 0 || !known_link_type(static_cast<std::uint32_t>(link)))
    return fail(Errc::kUnsupported, "link type " + std::to_string(link) + " is not known",
                interface);
  out.link_ = static_cast<LinkType>(link);
  bpf_program program{};
  if (pcap_compile(raw, &program, options.filter.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0)
    return fail(Errc::kInvalidArgument,
                "capture filter '" + options.filter + "': " + pcap_geterr(raw));
  const int set = pcap_setfilter(raw, &program);
  pcap_freecode(&program);
  if (set != 0) return fail(Errc::kIo, std::string("capture filter: ") + pcap_geterr(raw));
  ignore_outgoing_copies(raw, interface);
  if (pcap_setnonblock(raw, 1, buffer) != 0) return fail(Errc::kIo, buffer, interface);
  return out;
}

namespace {

struct DispatchState {
  const std::function<void(const PacketView&)>* take;
  LinkType link;
};

void on_packet(u_char* user, const pcap_pkthdr* header, const u_char* bytes) {
  const auto* state = reinterpret_cast<const DispatchState*>(user);
  PacketView view;
  // With nanosecond precision tv_usec holds nanoseconds.
  view.at_ns = std::int64_t{header->ts.tv_sec} * 1'000'000'000 + header->ts.tv_usec;
  view.link = state->link;
  view.bytes = {bytes, header->caplen};
  view.original_length = header->len;
  (*state->take)(view);
}

}  // namespace

Result<int> PcapHandle::dispatch(const std::function<void(const PacketView&)>& take) {
  DispatchState state{&take, link_};
  const int count = pcap_dispatch(handle_.get(), -1, on_packet, reinterpret_cast<u_char*>(&state));
  if (count < 0)
    return fail(Errc::kIo, std::string("capture failed: ") + pcap_geterr(handle_.get()));
  return count;
}

int PcapHandle::poll_fd() const { return pcap_get_selectable_fd(handle_.get()); }

Result<InterfaceCounters> PcapHandle::counters() const {
  pcap_stat stat{};
  if (pcap_stats(handle_.get(), &stat) != 0)
    return fail(Errc::kIo, std::string("no capture statistics: ") + pcap_geterr(handle_.get()));
  return InterfaceCounters{stat.ps_recv, std::uint64_t{stat.ps_drop} + stat.ps_ifdrop};
}

}  // namespace ktrial::capture
