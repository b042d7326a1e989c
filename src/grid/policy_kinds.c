/* The kinds of policies in the order in which lists and reports show them: the way of a block, and last what
 * its warps do. */
#include "grid/policy_kinds.h"

#include "grid/graph_order.h"
#include "grid/policy.h"
#include "sm/sched/registry.h"

const PolicyKind *const policy_kinds[] = {&source_policies, &admit_policies, &place_policies, &order_policies,
                                          &sched_policies};
const size_t policy_kind_count = sizeof policy_kinds / sizeof *policy_kinds;
