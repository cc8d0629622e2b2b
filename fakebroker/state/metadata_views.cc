// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/metadata_views.h"

namespace ktrial::fakebroker {

void MetadataViews::watch() {
  if (views_.empty()) views_.push_back(std::make_shared<const ClusterView>(look_()));
}

void MetadataViews::changed() {
  if (views_.empty()) return;
  views_.push_back(std::make_shared<const ClusterView>(look_()));
  if (views_.size() > kMost) views_.pop_front();
}

std::shared_ptr<const ClusterView> MetadataViews::at(TimePoint then) const {
  if (views_.empty()) return nullptr;
  auto found = views_.rbegin();
  while (found + 1 != views_.rend() && (*found)->since > then) ++found;
  return *found;
}

}  // namespace ktrial::fakebroker
