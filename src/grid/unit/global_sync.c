/* A barrier of all blocks of a kernel [sync thesis §4.2-4.3, Algorithm 1].
 *
 * Each kernel that synchronizes has a counter, Sync_Cnt, which begins with the number of its blocks. A block
 * whose warps have all called wb_global_sync() sends one message, which counts it down. With the last one it
 * begins anew and all blocks of the kernel are woken at once. Kernels side by side, kernels that kernels
 * launch and aggregated groups are grids of their own, each with its own count. A block that waits here
 * yields: whether it has to leave its SM is for the front end to say.
 *
 * CUDA's grid_group::sync() may be put on the same counter (exec/grid_sync.h): there a block's arrival and
 * its wait are two words, and a wait names the arrival that it belongs to.
 *
 * Differs from the thesis: blocks also tell their end, so that a sync which one of them has not reached is an
 * error and not a hang. Nothing waits for that word. */
#include "grid/unit/global_sync.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "exec/block_call.h"
#include "grid/unit.h"

#define OWNER unit_global_sync
#define OWNER_DEF "grid/unit/global_sync.def"
#include "base/own_counters.h"

extern const UnitKind unit_global_sync;

/* Kinds of words. The values are grid, its blocks, and of a wait the number of the arrival it is for. */
enum { WORD_SYNC, WORD_ARRIVES, WORD_WAITS, WORD_ENDED };

typedef struct Waiter {
    Block *block;
    Cycle since;
} Waiter;

/* A kernel some of whose blocks have come here. Invariant: sync_cnt is its blocks less those that have come
 * to the sync behind `syncs`, and not 0; no block waits where none has come. */
typedef struct SyncCount {
    uint64_t grid_id;
    uint64_t blocks, sync_cnt;
    uint64_t syncs;       /* that all have come to */
    uint64_t ended;       /* blocks */
    Cycle first;          /* when the first one came */
    CallPlace place;      /* where that was */
    CallPlace end;        /* of the first block that has ended */
    VEC(Waiter) waiting;  /* in the order in which they came */
} SyncCount;

typedef struct GlobalSync {
    VEC(SyncCount) kernels;
} GlobalSync;

/* -- its state -- */

static void *create(OuterUnit *unit)
{
    (void)unit;
    return xcalloc(1, sizeof(GlobalSync));
}

static void drop(GlobalSync *sync, SyncCount *count)
{
    VEC_FREE(&count->waiting);
    *count = sync->kernels.items[--sync->kernels.count];
}

static void begin(OuterUnit *unit)
{
    GlobalSync *sync = unit->state;
    while (sync->kernels.count)
        drop(sync, &sync->kernels.items[0]);
}

static void destroy(void *state)
{
    GlobalSync *sync = state;
    while (sync->kernels.count)
        drop(sync, &sync->kernels.items[0]);
    VEC_FREE(&sync->kernels);
    xfree(sync);
}

/* The count of the word's kernel, which begins with all its blocks. */
static SyncCount *count_of(GlobalSync *sync, const UnitWord *word)
{
    for (uint32_t i = 0; i < sync->kernels.count; i++)
        if (sync->kernels.items[i].grid_id == word->values[0])
            return &sync->kernels.items[i];
    const SyncCount count = {
        .grid_id = word->values[0], .blocks = word->values[1], .sync_cnt = word->values[1]};
    VEC_PUSH(&sync->kernels, count);
    return &sync->kernels.items[sync->kernels.count - 1];
}

/* -- at the unit -- */

/* A block that has ended cannot come to the sync that another one has come to. */
static void check_ended(OuterUnit *unit, const SyncCount *count, Cycle now)
{
    char end[512], sync[512];
    if (!count->ended || count->sync_cnt == count->blocks)
        return;
    const uint64_t came = count->blocks - count->sync_cnt;
    unit_fail(unit, count->end.root, now,
              "kernel '%.200s', %s, block (%u,%u,%u): the block ends without coming to the global sync at "
              "%s, where %" PRIu64 " of the kernel's %" PRIu64 " blocks %s, the first of them block "
              "(%u,%u,%u); all blocks have to come to every sync",
              count->end.program->name, unit_place_text(&count->end, end, sizeof end), count->end.block[0],
              count->end.block[1], count->end.block[2], unit_place_text(&count->place, sync, sizeof sync),
              came, count->blocks, came == 1 ? "waits" : "wait", count->place.block[0],
              count->place.block[1], count->place.block[2]);
}

static void broadcast(OuterUnit *unit, SyncCount *count, Cycle now)
{
    Counters *counters = unit->counters;
    counters->syncs++;
    counters->gather_cycles += now - count->first;
    count->syncs++;
    count->sync_cnt = count->blocks;
    for (uint32_t i = 0; i < count->waiting.count; i++) {
        counters->wait_cycles += now - count->waiting.items[i].since;
        unit_answer_block(unit, count->waiting.items[i].block, WAITS_FOR_GLOBAL_SYNC, now);
    }
    count->waiting.count = 0;
}

static void arrive(OuterUnit *unit, SyncCount *count, const UnitWord *word, Cycle now)
{
    Counters *counters = unit->counters;
    counters->arrivals++;
    if (count->sync_cnt == count->blocks) {
        count->first = now;
        count->place = word->place;
    }
    if (--count->sync_cnt == 0)
        broadcast(unit, count, now);
    else
        check_ended(unit, count, now);
}

static void wait_for(OuterUnit *unit, SyncCount *count, const UnitWord *word, Cycle now)
{
    if (count->syncs >= word->values[2])
        unit_answer_block(unit, word->warp->block, WAITS_FOR_GLOBAL_SYNC, now);
    else
        VEC_PUSH(&count->waiting, ((Waiter){word->warp->block, now}));
}

static void take(OuterUnit *unit, const UnitWord *word, Cycle now)
{
    GlobalSync *sync = unit->state;
    SyncCount *count = count_of(sync, word);
    switch (word->kind) {
    case WORD_SYNC:
        VEC_PUSH(&count->waiting, ((Waiter){word->warp->block, now}));
        arrive(unit, count, word, now);
        break;
    case WORD_ARRIVES:
        arrive(unit, count, word, now);
        break;
    case WORD_WAITS:
        wait_for(unit, count, word, now);
        break;
    default:
        if (!count->ended++)
            count->end = word->place;
        check_ended(unit, count, now);
        if (count->ended == count->blocks)
            drop(sync, count);
        break;
    }
}

static void describe(const OuterUnit *unit, char *text, size_t size)
{
    const GlobalSync *sync = unit->state;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < sync->kernels.count && used < size; i++) {
        const SyncCount *count = &sync->kernels.items[i];
        const uint64_t came = count->blocks - count->sync_cnt;
        char place[512];
        if (!came)
            continue;
        used += (size_t)snprintf(text + used, size - used,
                                 "%s%" PRIu64 " of the %" PRIu64
                                 " blocks of kernel '%.200s' %s come to the global sync at %s.",
                                 used ? " " : "", came, count->blocks, count->place.program->name,
                                 came == 1 ? "has" : "have",
                                 unit_place_text(&count->place, place, sizeof place));
    }
}

const UnitKind unit_global_sync = {
    .about =
        {
            .name = "global-sync",
            .description = "A barrier of all blocks of a kernel, which may be larger than the machine",
            .source = "Synchronization thesis, sections 4.2 and 4.3, Algorithm 1",
            .counters = &unit_global_sync_counters,
        },
    .latency = UNIT_KNOB(global_sync_latency),
    .create = create,
    .free = destroy,
    .begin = begin,
    .take = take,
    .describe = describe,
};

/* -- what kernels call -- */

/* The unit hears by value what it asks of the launch: the block may change its place meanwhile. */
static UnitWord word_of(const Block *block, uint32_t kind, uint32_t pc)
{
    const Launch *launch = block->launch;
    const uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    return (UnitWord){.kind = kind, .values = {launch->grid_id, blocks}, .place = unit_place(block, pc)};
}

/* Without time the unit has found what is wrong already. */
static bool has_failed(const OuterUnit *unit, const Launch *launch)
{
    if (unit->latency || unit->failure.error.status == WB_OK)
        return false;
    *launch->error = unit->failure.error;
    return true;
}

static void complete(const BlockCall *call, Cycle time)
{
    UnitWord word = word_of(call->last->block, WORD_SYNC, call->pc);
    word.warp = call->last;
    unit_send(call->context, word, time);
}

static const BlockCallKind global_sync = {
    .name = "wb_global_sync", .waits = true, .reason = WAITS_FOR_GLOBAL_SYNC, .complete = complete};

StepResult intrinsic_global_sync(IntrinsicCall *call)
{
    OuterUnit *unit = unit_of(call, &unit_global_sync);
    if (!unit || block_call(call, &global_sync, unit, 0, 0) == STEP_ERROR)
        return STEP_ERROR;
    return has_failed(unit, call->step->warp->block->launch) ? STEP_ERROR : STEP_NEXT;
}

/* -- of a grid -- */

/* Within a window. */
static void send_later(Block *block, uint32_t kind, uint32_t pc)
{
    Machine *machine = block->launch->machine;
    OuterUnit *unit = unit_find(machine, &unit_global_sync);
    unit_send_later(unit, machine, word_of(block, kind, pc));
    has_failed(unit, block->launch);
}

static void ended(Block *block, uint32_t pc) { send_later(block, WORD_ENDED, pc); }

static void arrived(Block *block, uint32_t pc) { send_later(block, WORD_ARRIVES, pc); }

static void waits(Warp *warp, uint32_t arrival, uint32_t pc, Cycle time)
{
    UnitWord word = word_of(warp->block, WORD_WAITS, pc);
    word.warp = warp;
    word.values[2] = arrival;
    block_wait_begin(warp, WAITS_FOR_GLOBAL_SYNC, BLOCK_YIELDS);
    warp->wait.pc = pc;
    unit_send(unit_find(warp->block->launch->machine, &unit_global_sync), word, time);
}

const GridSync global_sync_of_grid = {.ended = ended, .arrived = arrived, .waits = waits};
