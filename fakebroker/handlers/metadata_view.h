// SPDX-License-Identifier: Apache-2.0
// A Metadata answer made into what a broker that is behind would say.
#pragma once

#include "fakebroker/state/metadata_views.h"
#include "protocol/messages/metadata_response.h"

namespace ktrial::fakebroker {

// `all`: the request asked for every topic.
void show_as_of(const ClusterView& view, bool all, protocol::MetadataResponse& response);

}  // namespace ktrial::fakebroker
