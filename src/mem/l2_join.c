/* Loads of SMs of a GPC that L2 serves as one.
 *
 * Between the SMs of a GPC and a slice there is a unit that knows the loads which it has passed on and whose
 * answers are still to come (NVIDIA's profilers speak of an L2 request coalescer, LRC). A further load of the
 * same sectors joins the one under way (its leader): it does not go to the slice, and the one answer goes to
 * all of them in the same cycle. So it is on an H200 (tests/device/caches/h200-joined.csv and
 * h200-together.csv): four SMs of a GPC that load a line at once are one for L2, five are two, and SMs of
 * different GPCs never are one; loads of other sectors, also of fewer, go by themselves; volatile, relaxed
 * and plain ones are alike. One that hits can be joined for `l2_join_cycles` after its lookup, which is when
 * its answer is at the unit; one that misses, until its sectors come; and one that waits in front of the
 * slice all that time. A load that others have joined takes `l2_join_latency` longer.
 *
 * The units of all GPCs are modelled at the slice, where a line's requests meet anyway; the way there, ports
 * and credits of SMs are each load's own. A load that has joined takes its turn neither at the slice's port
 * nor at the lookup, and its reply none at the slice's port.
 *
 * A load that joins sees what its leader saw, which may have been looked up before. So whatever writes the
 * line ends its entry when it arrives (or when word comes that a copy is outdated): no load sees what was
 * there before a write that it follows. Invariant: an entry's leader has not been answered. */
#include <string.h>

#include "config/gpc.h"
#include "mem/l2.h"
#include "mem/space.h"

/* The entries of all groups for the line. */
static L2Joint *entries_of(const L2Slice *slice, uint64_t address)
{
    const uint64_t place = (address >> 7) * 0x9E3779B97F4A7C15ull >> 32;
    return &slice->joints[place % slice->config->l2_join_lines * slice->config->gpcs];
}

static L2Joint *entry_of(const L2Slice *slice, uint64_t address, uint32_t sm)
{
    return entries_of(slice, address) + gpc_of(slice->config, sm);
}

static uint64_t address_of(const L2Slice *slice, uint64_t line)
{
    const SlicePlace place = interleave_locate(&slice->shared->interleave, line);
    return place.local | (place.slice != slice->number ? L2_FOREIGN : 0);
}

void l2_end_joining(L2Slice *slice, uint64_t address)
{
    for (uint32_t group = 0; slice->joints && group < slice->config->gpcs; group++) {
        L2Joint *entry = entries_of(slice, address) + group;
        if (entry->leader && entry->address == address)
            entry->leader = NULL;
    }
}

/* Memory that moves may not be here when the leader is looked up; the host writes its own without a word. */
static bool may_join(const L2Slice *slice, const Request *request)
{
    return request->kind == REQUEST_LOAD && request->sm < slice->config->sm_count && !request->moves &&
           !space_is_host(request->line);
}

bool l2_join(L2Slice *slice, Request *request, Cycle now)
{
    const uint64_t address = address_of(slice, request->line);
    if (request->kind != REQUEST_LOAD)
        l2_end_joining(slice, address);
    if (!may_join(slice, request))
        return false;
    L2Joint *entry = entry_of(slice, address, request->sm);
    Request *leader = entry->leader;
    if (leader && entry->address == address && now < entry->closes && request->sectors == leader->sectors &&
        leader->joined.count < slice->config->l2_joins - 1) {
        request_list_append(&leader->joined, request);
        request->has_joined = true;
        slice->statistics.joined_loads++;
        slice->statistics.joined_sectors += count_sectors(request->sectors);
        return true;
    }
    *entry = (L2Joint){.address = address, .leader = request, .closes = CYCLE_NEVER};
    request->leads = true;
    return false;
}

void l2_joint_hits(L2Slice *slice, const Request *leader, Cycle now)
{
    L2Joint *entry = entry_of(slice, address_of(slice, leader->line), leader->sm);
    if (entry->leader == leader)
        entry->closes = now + slice->config->l2_join_cycles;
}

bool l2_joint_waits(L2Slice *slice, Request *leader)
{
    L2Joint *entry = entry_of(slice, address_of(slice, leader->line), leader->sm);
    if (entry->leader == leader)
        entry->leader = NULL;
    leader->leads = false;
    return leader->joined.first;
}

void l2_joint_answered(L2Slice *slice, Request *leader)
{
    while (leader->joined.first) {
        Request *request = request_list_pop(&leader->joined);
        if (request->place)
            memcpy(request->data, leader->data, LINE_BYTES);
        request_list_prepend(&slice->replies, request);
    }
}
