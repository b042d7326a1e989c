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
 * Kernels of several GPUs may meet, too [§8.1]: when all blocks of the GPU's kernel have come, the unit tells
 * the units of the other GPUs, and wakes its blocks when all of those have come (grid/system_sync.h).
 *
 * Differs from the thesis: blocks also tell their end, so that a sync which one of them has not reached is an
 * error and not a hang. Nothing waits for that word. */
#include "grid/unit/global_sync.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/block_call.h"
#include "exec/machine.h"
#include "grid/system_sync.h"
#include "grid/unit.h"

#define OWNER unit_global_sync
#define OWNER_DEF "grid/unit/global_sync.def"
#include "base/own_counters.h"

extern const UnitKind unit_global_sync;

/* Kinds of words. The values are grid, its blocks, and of a wait the number of the arrival it is for, of a
 * sync of several GPUs their bits. */
enum { WORD_SYNC, WORD_SYSTEM, WORD_ARRIVES, WORD_WAITS, WORD_ENDED };
/* Bytes of a message to another GPU: what it says, and the GPUs that meet. */
enum { MESSAGE_BYTES = 8 };

typedef struct Waiter {
    Block *block;
    Cycle since;
} Waiter;

/* A kernel some of whose blocks have come here. Invariant: sync_cnt is its blocks less those that have come
 * to the sync behind `syncs`, and not 0 but while it waits for other GPUs; no block waits where none has
 * come. */
typedef struct SyncCount {
    uint64_t grid_id;
    uint64_t blocks, sync_cnt;
    uint64_t syncs;       /* of its own GPU that all have come to */
    uint32_t gpus;        /* that meet at the one to which some have come; 0: its own alone */
    uint64_t ended;       /* blocks */
    Cycle first;          /* when the first one came */
    CallPlace place;      /* where that was */
    CallPlace end;        /* of the first block that has ended */
    VEC(Waiter) waiting;  /* in the order in which they came */
} SyncCount;

typedef struct GlobalSync {
    VEC(SyncCount) kernels;
    SystemSync system;
    Cycle next_message;   /* when one to another GPU can be sent */
} GlobalSync;

/* -- its state -- */

static void tell(void *context, uint32_t gpu, SystemWord word, uint32_t gpus, Cycle now);
static void release(void *context, const SyncGroup *group, Cycle now);

static void *create(OuterUnit *unit)
{
    GlobalSync *sync = xcalloc(1, sizeof *sync);
    sync->system.hooks = (SystemSyncHooks){tell, release, unit};
    return sync;
}

/* The kernel is not in any group of GPUs any more. */
static void leave_groups(GlobalSync *sync, uint64_t grid_id)
{
    for (uint32_t i = 0; i < sync->system.groups.count; i++)
        if (sync->system.groups.items[i].kernel == grid_id)
            sync->system.groups.items[i].has_kernel = false;
}

static void drop(GlobalSync *sync, SyncCount *count)
{
    leave_groups(sync, count->grid_id);
    VEC_FREE(&count->waiting);
    *count = sync->kernels.items[--sync->kernels.count];
}

/* What other GPUs have told stays: their kernels may run already. */
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
    system_sync_free(&sync->system);
    xfree(sync);
}

static SyncCount *find_count(GlobalSync *sync, uint64_t grid_id)
{
    for (uint32_t i = 0; i < sync->kernels.count; i++)
        if (sync->kernels.items[i].grid_id == grid_id)
            return &sync->kernels.items[i];
    return NULL;
}

/* The count of the word's kernel, which begins with all its blocks. */
static SyncCount *count_of(GlobalSync *sync, const UnitWord *word)
{
    SyncCount *known = find_count(sync, word->values[0]);
    if (known)
        return known;
    const SyncCount count = {
        .grid_id = word->values[0], .blocks = word->values[1], .sync_cnt = word->values[1]};
    VEC_PUSH(&sync->kernels, count);
    return &sync->kernels.items[sync->kernels.count - 1];
}

/* -- groups of GPUs -- */

/* "the global sync" or "the sync of GPUs 0, 1 and 5"; returns the text. */
static const char *put_sync(uint32_t gpus, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, gpus ? "the sync of GPU%s" : "the global sync",
                                   gpus & (gpus - 1) ? "s" : "");
    for (bool is_first = true; gpus && used < size; is_first = false) {
        const char *const before = is_first ? " " : gpus & (gpus - 1) ? ", " : " and ";
        used += (size_t)snprintf(text + used, size - used, "%s%d", before, __builtin_ctz(gpus));
        gpus &= gpus - 1;
    }
    return text;
}

/* All its units have the fan that the first GPU's configuration has. */
static SyncGroup *group_of(const OuterUnit *unit, uint32_t gpus)
{
    GlobalSync *sync = unit->state;
    const OuterUnit *first = unit_peer(unit, (uint32_t)__builtin_ctz(gpus));
    sync->system.gpu = unit->gpu;
    return system_sync_group(&sync->system, gpus,
                             (uint32_t)(first ? first : unit)->config->global_sync_fan);
}

static void tell(void *context, uint32_t gpu, SystemWord word, uint32_t gpus, Cycle now)
{
    OuterUnit *unit = context;
    GlobalSync *sync = unit->state;
    Counters *counters = unit->counters;
    const Cycle time = unit->latency ? clock_later(now, sync->next_message) : now;
    sync->next_message = time + unit->config->global_sync_send_cycles;
    counters->system_messages++;
    unit_tell(unit, gpu, (PeerWord){.kind = word, .values = {gpus}}, MESSAGE_BYTES, time);
}

static void told(OuterUnit *unit, const PeerWord *word, Cycle now)
{
    GlobalSync *sync = unit->state;
    system_sync_told(&sync->system, group_of(unit, (uint32_t)word->values[0]), word->from,
                     (SystemWord)word->kind, now);
}

/* The kernel takes part from now on. False: another one of this GPU does. */
static bool enter_group(OuterUnit *unit, const SyncCount *count, Cycle now)
{
    GlobalSync *sync = unit->state;
    SyncGroup *group = group_of(unit, count->gpus);
    char place[512], name[160];
    if (!group->has_kernel || group->kernel == count->grid_id) {
        group->has_kernel = true;
        group->kernel = count->grid_id;
        return true;
    }
    const SyncCount *other = find_count(sync, group->kernel);
    unit_fail(unit, count->place.root, now,
              "kernel '%.200s' on GPU %u, %s, block (%u,%u,%u): the block comes to %s, in which kernel "
              "'%.200s' of the same GPU takes part, which has not ended; a GPU takes part with one kernel "
              "at a time",
              count->place.program->name, unit->gpu, unit_place_text(&count->place, place, sizeof place),
              count->place.block[0], count->place.block[1], count->place.block[2],
              put_sync(count->gpus, name, sizeof name), other->place.program->name);
    return false;
}

/* A block has come to another sync than those before it. */
static void refuse(OuterUnit *unit, const SyncCount *count, const UnitWord *word, uint32_t gpus, Cycle now)
{
    char place[512], first[512], name[160], first_name[160];
    unit_fail(unit, word->place.root, now,
              "kernel '%.200s' on GPU %u, %s, block (%u,%u,%u): the block comes to %s, while block "
              "(%u,%u,%u) of its kernel waits at %s at %s; all blocks have to come to the same",
              word->place.program->name, unit->gpu, unit_place_text(&word->place, place, sizeof place),
              word->place.block[0], word->place.block[1], word->place.block[2],
              put_sync(gpus, name, sizeof name), count->place.block[0], count->place.block[1],
              count->place.block[2], put_sync(count->gpus, first_name, sizeof first_name),
              unit_place_text(&count->place, first, sizeof first));
}

/* -- at the unit -- */

/* A block that has ended cannot come to the sync that another one has come to. */
static void check_ended(OuterUnit *unit, const SyncCount *count, Cycle now)
{
    char end[512], sync[512], name[160];
    if (!count->ended || count->sync_cnt == count->blocks)
        return;
    const uint64_t came = count->blocks - count->sync_cnt;
    unit_fail(unit, count->end.root, now,
              "kernel '%.200s', %s, block (%u,%u,%u): the block ends without coming to %s at "
              "%s, where %" PRIu64 " of the kernel's %" PRIu64 " blocks %s, the first of them block "
              "(%u,%u,%u); all blocks have to come to every sync",
              count->end.program->name, unit_place_text(&count->end, end, sizeof end), count->end.block[0],
              count->end.block[1], count->end.block[2], put_sync(count->gpus, name, sizeof name),
              unit_place_text(&count->place, sync, sizeof sync),
              came, count->blocks, came == 1 ? "waits" : "wait", count->place.block[0],
              count->place.block[1], count->place.block[2]);
}

/* All who wait go on. */
static void wake(OuterUnit *unit, SyncCount *count, Cycle now)
{
    Counters *counters = unit->counters;
    const WaitReason reason = count->gpus ? WAITS_FOR_SYSTEM_SYNC : WAITS_FOR_GLOBAL_SYNC;
    count->sync_cnt = count->blocks;
    for (uint32_t i = 0; i < count->waiting.count; i++) {
        counters->wait_cycles += now - count->waiting.items[i].since;
        unit_answer_block(unit, count->waiting.items[i].block, reason, now);
    }
    count->waiting.count = 0;
}

/* All blocks of the kernel have come. */
static void gather(OuterUnit *unit, SyncCount *count, Cycle now)
{
    GlobalSync *sync = unit->state;
    Counters *counters = unit->counters;
    counters->gather_cycles += now - count->first;
    if (count->gpus) {
        system_sync_arrive(&sync->system, group_of(unit, count->gpus), now);
        return;
    }
    counters->syncs++;
    count->syncs++;
    wake(unit, count, now);
}

static void release(void *context, const SyncGroup *group, Cycle now)
{
    OuterUnit *unit = context;
    Counters *counters = unit->counters;
    counters->system_syncs++;
    counters->system_wait_cycles += now - group->since;
    wake(unit, find_count(unit->state, group->kernel), now);
}

static void arrive(OuterUnit *unit, SyncCount *count, const UnitWord *word, Cycle now)
{
    Counters *counters = unit->counters;
    const uint32_t gpus = word->kind == WORD_SYSTEM ? (uint32_t)word->values[2] : 0;
    counters->arrivals++;
    if (count->sync_cnt == count->blocks) {
        count->first = now;
        count->place = word->place;
        count->gpus = gpus;
        if (gpus && !enter_group(unit, count, now))
            return;
    } else if (count->gpus != gpus) {
        refuse(unit, count, word, gpus, now);
        return;
    }
    if (--count->sync_cnt == 0)
        gather(unit, count, now);
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
    case WORD_SYSTEM:
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

/* "4 of the 8 blocks of kernel 'k' have come"; returns the length. */
static size_t put_arrivals(const SyncCount *count, char *text, size_t size)
{
    const uint64_t came = count->blocks - count->sync_cnt;
    const int length = snprintf(text, size,
                                "%" PRIu64 " of the %" PRIu64 " blocks of kernel '%.200s' %s come", came,
                                count->blocks, count->place.program->name, came == 1 ? "has" : "have");
    return (size_t)length < size ? (size_t)length : size - 1;
}

/* Behind a sentence about a sync of several GPUs that all blocks here have come to: which GPUs have not, and
 * how far they are. */
static size_t put_missing(const OuterUnit *unit, uint32_t gpus, char *text, size_t size)
{
    const uint64_t came = group_of(unit, gpus)->came;
    size_t used = 0;
    for (uint32_t rest = gpus & ~(1u << unit->gpu); rest && used + 1 < size; rest &= rest - 1) {
        const uint32_t gpu = (uint32_t)__builtin_ctz(rest);
        const OuterUnit *peer = unit_peer(unit, gpu);
        if (!peer || group_of(peer, gpus)->came >= came)
            continue;
        const SyncGroup *group = group_of(peer, gpus);
        const SyncCount *count = group->has_kernel ? find_count(peer->state, group->kernel) : NULL;
        char arrivals[300] = "no kernel is there that has come to one";
        if (count && count->gpus == gpus && count->sync_cnt < count->blocks)
            put_arrivals(count, arrivals, sizeof arrivals);
        else if (count)
            snprintf(arrivals, sizeof arrivals, "no block of kernel '%.200s' has come",
                     count->place.program->name);
        const int length = snprintf(text + used, size - used, "%s GPU %u, where %s", used ? ", and" : "", gpu,
                                    arrivals);
        used += (size_t)length < size - used ? (size_t)length : size - used - 1;
    }
    return used;
}

static void describe_count(const OuterUnit *unit, const SyncCount *count, char *text, size_t size)
{
    char arrivals[300], place[512], name[160], missing[700] = "", on[32] = "";
    put_arrivals(count, arrivals, sizeof arrivals);
    if (count->gpus)
        snprintf(on, sizeof on, " on GPU %u", unit->gpu);
    if (count->gpus && !count->sync_cnt)
        put_missing(unit, count->gpus, missing, sizeof missing);
    snprintf(text, size, "%s to %s%s at %s%s%s.", arrivals, put_sync(count->gpus, name, sizeof name), on,
             unit_place_text(&count->place, place, sizeof place), *missing ? ", and wait for" : "", missing);
}

static void describe(const OuterUnit *unit, char *text, size_t size)
{
    const GlobalSync *sync = unit->state;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < sync->kernels.count && used + 2 < size; i++) {
        const SyncCount *count = &sync->kernels.items[i];
        if (count->sync_cnt == count->blocks)
            continue;
        if (used)
            text[used++] = ' ';
        describe_count(unit, count, text + used, size - used);
        used += strlen(text + used);
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
    .told = told,
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
    const Error *error = unit_failed_untimed(unit);
    if (error)
        *launch->error = *error;
    return error != NULL;
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

/* -- of several GPUs -- */

static void complete_system(const BlockCall *call, Cycle time)
{
    UnitWord word = word_of(call->last->block, WORD_SYSTEM, call->pc);
    word.warp = call->last;
    word.values[2] = call->event;
    unit_send(call->context, word, time);
}

static void put_gpus(uint64_t gpus, uint64_t unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "GPUs 0x%" PRIx64, gpus);
}

static const BlockCallKind system_sync = {.name = "wb_system_sync",
                                          .waits = true,
                                          .reason = WAITS_FOR_SYSTEM_SYNC,
                                          .put = put_gpus,
                                          .complete = complete_system};

static StepResult sync_gpus(IntrinsicCall *call, OuterUnit *unit, uint32_t gpus)
{
    if (block_call(call, &system_sync, unit, gpus, 0) == STEP_ERROR)
        return STEP_ERROR;
    return has_failed(unit, call->step->warp->block->launch) ? STEP_ERROR : STEP_NEXT;
}

/* All of the node that are open. */
StepResult intrinsic_system_sync(IntrinsicCall *call)
{
    OuterUnit *unit = unit_of(call, &unit_global_sync);
    if (!unit)
        return STEP_ERROR;
    uint32_t gpus = 1u << unit->gpu;
    for (uint32_t i = 0; unit->group && i < unit->group->count; i++)
        gpus |= unit_peer(unit, i) ? 1u << i : 0;
    return sync_gpus(call, unit, gpus);
}

static uint32_t gpus_of(const IntrinsicCall *call, unsigned lane)
{
    uint32_t gpus;
    memcpy(&gpus, intrinsic_argument(call, 0, lane), sizeof gpus);
    return gpus;
}

StepResult intrinsic_system_sync_group(IntrinsicCall *call)
{
    OuterUnit *unit = unit_of(call, &unit_global_sync);
    if (!unit)
        return STEP_ERROR;
    const unsigned lane = mask_first(call->step->mask);
    const uint32_t gpus = gpus_of(call, lane);
    for (uint32_t rest = gpus; rest; rest &= rest - 1)
        if (!unit_check_gpu(call, unit, lane, (uint32_t)__builtin_ctz(rest)))
            return STEP_ERROR;
    if (!(gpus >> unit->gpu & 1))
        return step_error(call->step, WB_ERROR_EXECUTION, lane,
                          "the GPUs 0x%x that are to meet do not include GPU %u, which makes the call", gpus,
                          unit->gpu);
    for (Mask rest = call->step->mask; rest; rest &= rest - 1)
        if (gpus_of(call, mask_first(rest)) != gpus)
            return step_error(call->step, WB_ERROR_EXECUTION, mask_first(rest),
                              "this thread names the GPUs 0x%x, another thread of its warp 0x%x; all threads "
                              "of a block have to name the same",
                              gpus_of(call, mask_first(rest)), gpus);
    return sync_gpus(call, unit, gpus);
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
