// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/group.h"

#include "clients/reference/classic_group.h"
#include "clients/reference/consumer_group.h"

#include <utility>

namespace ktrial::client {

Group::Group(Env& env, Network& network, Metadata& metadata, Observer observer)
    : env_(env),
      network_(network),
      metadata_(metadata),
      observer_(std::move(observer)),
      coordinator_(env, network, {.key = env.config.group_id},
                   {[this] { coordinator_found(); },
                    [this](const ClientError& error) { observer_.failed(error, false); }}),
      offsets_(env, network, coordinator_, [this] { return identity(); }) {}

void Group::start(int node) {
  started_ = true;
  coordinator_.find(node);
}

GroupMember Group::member() const {
  const MemberIdentity who = identity();
  return {.group_id = config().group_id,
          .member_id = who.member_id,
          .generation = who.epoch,
          .instance_id = config().group_instance_id};
}

void Group::polled() { coordinator_.look_again(); }

void Group::later(std::function<void()> fn) {
  const ExponentialBackoff backoff{config().retry_backoff, config().retry_backoff_max};
  env_.timers.after(backoff.pause(++failures_, env_.rng), [this, fn = std::move(fn)] {
    if (!stopped_) fn();
  });
}

void Group::stop() {
  stopped_ = true;
  coordinator_.stop();
  offsets_.stop();
}

std::unique_ptr<Group> make_group(Env& env, Network& network, Metadata& metadata,
                                  Group::Observer observer) {
  if (env.config.group_protocol == GroupProtocol::kConsumer) {
    return std::make_unique<ConsumerGroup>(env, network, metadata, std::move(observer));
  }
  return std::make_unique<ClassicGroup>(env, network, metadata, std::move(observer));
}

}  // namespace ktrial::client
