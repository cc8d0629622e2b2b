// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/metadata_views.h"

#include <utility>

namespace ktrial::fakebroker {

std::size_t ClusterView::size() const {
  std::size_t size = 1;
  for (const auto& [name, topic] : topics) size += 1 + topic.partitions.size();
  return size;
}

void MetadataViews::watch() {
  if (views_.empty()) keep(look_());
}

void MetadataViews::changed() {
  if (!views_.empty()) keep(look_());
}

void MetadataViews::keep(ClusterView view) {
  partitions_ += view.size();
  views_.push_back(std::make_shared<const ClusterView>(std::move(view)));
  while (partitions_ > kMostPartitions && views_.size() > 1) {
    partitions_ -= views_.front()->size();
    views_.pop_front();
  }
}

std::shared_ptr<const ClusterView> MetadataViews::at(TimePoint then) const {
  if (views_.empty()) return nullptr;
  auto found = views_.rbegin();
  while (found + 1 != views_.rend() && (*found)->since > then) ++found;
  return *found;
}

}  // namespace ktrial::fakebroker
