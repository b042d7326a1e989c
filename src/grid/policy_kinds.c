/* The kinds of policies in the order in which lists and reports show them: the way of a block, what its warps
 * do, and last the program of the aggregator, which makes blocks of tasks. */
#include "grid/policy_kinds.h"

#include "core/firmware.h"
#include "grid/graph_order.h"
#include "grid/policy.h"
#include "sm/sched/registry.h"

const PolicyKind *const policy_kinds[] = {&source_policies, &admit_policies, &place_policies, &order_policies,
                                          &sched_policies, &firmware_policies};
const size_t policy_kind_count = sizeof policy_kinds / sizeof *policy_kinds;
