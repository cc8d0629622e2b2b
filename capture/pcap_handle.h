// SPDX-License-Identifier: Apache-2.0
// libpcap, opened the way a conformance capture needs it, behind a small wall: no other file of
// ours includes <pcap/pcap.h>.
#pragma once

#include "capture/packet.h"
#include "capture/pcapng_writer.h"
#include "common/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

struct pcap;

namespace ktrial::capture {

struct PcapOptions {
  std::string filter;
  std::uint32_t snaplen = 262144;
  std::uint32_t ring_bytes = 0;
  std::chrono::milliseconds block_timeout{3};
};

class PcapHandle {
 public:
  static Result<PcapHandle> open(const std::string& interface, const PcapOptions& options);

  // Hands every packet that is ready to `take`; returns their number without waiting for more.
  Result<int> dispatch(const std::function<void(const PacketView&)>& take);
  [[nodiscard]] int poll_fd() const;
  [[nodiscard]] LinkType link() const { return link_; }
  Result<InterfaceCounters> counters() const;

 private:
  struct Close {
    void operator()(pcap* handle) const;
  };
  explicit PcapHandle(pcap* handle) : handle_(handle) {}

  std::unique_ptr<pcap, Close> handle_;
  LinkType link_ = LinkType::kEthernet;
};

}  // namespace ktrial::capture
