// SPDX-License-Identifier: Apache-2.0
// The filter of ACLs as DescribeAcls and DeleteAcls send it.
#pragma once

#include "fakebroker/state/acls.h"

namespace ktrial::fakebroker {

template <class Sent>
AclFilter acl_filter_of(const Sent& sent) {
  AclFilter filter;
  filter.resource_type = sent.resource_type_filter;
  filter.resource_name = sent.resource_name_filter;
  filter.pattern_type = static_cast<PatternType>(sent.pattern_type_filter);
  filter.principal = sent.principal_filter;
  filter.host = sent.host_filter;
  filter.operation = sent.operation;
  filter.permission = sent.permission_type;
  return filter;
}

}  // namespace ktrial::fakebroker
