// SPDX-License-Identifier: Apache-2.0
// Numbers of the pcapng format that writer and reader share (draft-ietf-opsawg-pcapng).
#pragma once

#include <cstdint>

namespace ktrial::capture::pcapng {

inline constexpr std::uint32_t kSectionHeader = 0x0a0d0d0a;
inline constexpr std::uint32_t kInterface = 1;
inline constexpr std::uint32_t kPacketObsolete = 2;
inline constexpr std::uint32_t kSimplePacket = 3;
inline constexpr std::uint32_t kInterfaceStatistics = 5;
inline constexpr std::uint32_t kEnhancedPacket = 6;
inline constexpr std::uint32_t kDecryptionSecrets = 10;

inline constexpr std::uint32_t kByteOrderMagic = 0x1a2b3c4d;
inline constexpr std::uint32_t kTlsKeyLog = 0x544c534b;

inline constexpr std::uint16_t kOptionEnd = 0;
inline constexpr std::uint16_t kOptionComment = 1;
inline constexpr std::uint16_t kSectionHardware = 2, kSectionOs = 3, kSectionApplication = 4;
inline constexpr std::uint16_t kInterfaceName = 2, kInterfaceTsResolution = 9,
                               kInterfaceFilter = 11, kInterfaceTsOffset = 14;
inline constexpr std::uint16_t kStatisticsReceived = 4, kStatisticsDropped = 5;

}  // namespace ktrial::capture::pcapng
