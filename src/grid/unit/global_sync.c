/* A barrier of all blocks of a kernel [sync thesis §4.2, Algorithm 1].
 *
 * Each kernel that synchronizes has a counter, Sync_Cnt, which begins with the number of its blocks. A block
 * whose warps have all called wb_global_sync() sends one message, which counts it down. With the last one it
 * begins anew and all blocks of the kernel are woken at once. Kernels side by side, kernels that kernels
 * launch and aggregated groups are grids of their own, each with its own count. A block that waits here
 * yields: whether it has to leave its SM is for the front end to say. */
#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "exec/block_call.h"
#include "grid/unit.h"

#define OWNER unit_global_sync
#define OWNER_DEF "grid/unit/global_sync.def"
#include "base/own_counters.h"

extern const UnitKind unit_global_sync;

/* A kernel some of whose blocks wait. Invariant: sync_cnt is its blocks less those that wait, and not 0. */
typedef struct SyncCount {
    uint64_t grid_id;
    uint64_t blocks, sync_cnt;
    Cycle first;          /* when the first of them came */
    Cycle since;          /* when each of them came, summed */
    VEC(Block *) waiting; /* in the order in which they came */
} SyncCount;

typedef struct GlobalSync {
    VEC(SyncCount) kernels;
} GlobalSync;

static void *create(OuterUnit *unit)
{
    (void)unit;
    return xcalloc(1, sizeof(GlobalSync));
}

static void destroy(void *state)
{
    GlobalSync *sync = state;
    for (uint32_t i = 0; i < sync->kernels.count; i++)
        VEC_FREE(&sync->kernels.items[i].waiting);
    VEC_FREE(&sync->kernels);
    xfree(sync);
}

/* The count of the block's kernel; one that nobody waits for begins with all its blocks. */
static SyncCount *count_of(GlobalSync *sync, uint64_t grid_id, uint64_t blocks, Cycle now)
{
    for (uint32_t i = 0; i < sync->kernels.count; i++)
        if (sync->kernels.items[i].grid_id == grid_id)
            return &sync->kernels.items[i];
    const SyncCount count = {.grid_id = grid_id, .blocks = blocks, .sync_cnt = blocks, .first = now};
    VEC_PUSH(&sync->kernels, count);
    return &sync->kernels.items[sync->kernels.count - 1];
}

static void broadcast(OuterUnit *unit, SyncCount *count, Cycle now)
{
    GlobalSync *sync = unit->state;
    Counters *counters = unit->counters;
    counters->syncs++;
    counters->gather_cycles += now - count->first;
    counters->wait_cycles += count->blocks * now - count->since;
    SyncCount cleared = *count;
    *count = sync->kernels.items[--sync->kernels.count];
    for (uint32_t i = 0; i < cleared.waiting.count; i++)
        unit_answer_block(unit, cleared.waiting.items[i], WAITS_FOR_GLOBAL_SYNC, now);
    VEC_FREE(&cleared.waiting);
}

static void take(OuterUnit *unit, const UnitWord *word, Cycle now)
{
    Counters *counters = unit->counters;
    SyncCount *count = count_of(unit->state, word->values[0], word->values[1], now);
    counters->arrivals++;
    count->since += now;
    VEC_PUSH(&count->waiting, word->warp->block);
    if (--count->sync_cnt == 0)
        broadcast(unit, count, now);
}

static void describe(const OuterUnit *unit, char *text, size_t size)
{
    const GlobalSync *sync = unit->state;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < sync->kernels.count && used < size; i++) {
        const SyncCount *count = &sync->kernels.items[i];
        used += (size_t)snprintf(text + used, size - used,
                                 "%s%" PRIu64 " of the %" PRIu64
                                 " blocks of kernel '%.200s' have come to its global sync.",
                                 used ? " " : "", count->blocks - count->sync_cnt, count->blocks,
                                 count->waiting.items[0]->launch->program->name);
    }
}

const UnitKind unit_global_sync = {
    .about =
        {
            .name = "global-sync",
            .description = "A barrier of all blocks of a kernel, which may be larger than the machine",
            .source = "Synchronization thesis, section 4.2, Algorithm 1",
            .counters = &unit_global_sync_counters,
        },
    .latency = UNIT_KNOB(global_sync_latency),
    .create = create,
    .free = destroy,
    .take = take,
    .describe = describe,
};

/* -- what kernels call -- */

/* The unit hears by value what it asks of the launch: the block may change its place meanwhile. */
static void complete(const BlockCall *call, Cycle time)
{
    const Launch *launch = call->last->block->launch;
    const uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    unit_send(call->context, (UnitWord){.warp = call->last, .values = {launch->grid_id, blocks}}, time);
}

static const BlockCallKind global_sync = {
    .name = "wb_global_sync", .waits = true, .reason = WAITS_FOR_GLOBAL_SYNC, .complete = complete};

StepResult intrinsic_global_sync(IntrinsicCall *call)
{
    OuterUnit *unit = unit_of(call, &unit_global_sync);
    return unit ? block_call(call, &global_sync, unit, 0, 0) : STEP_ERROR;
}
