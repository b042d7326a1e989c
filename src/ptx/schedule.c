/* Regions of a function, one after the other.
 *
 * A region never holds an instruction that leaves its block or that nothing may be moved over. Registers that
 * are live behind a region are known from the analysis of the text, and no order inside it changes them. */
#include "ptx/schedule.h"

#include <string.h>

#include "ptx/flow_registers.h"
#include "ptx/machine_kinds.h"
#include "ptx/schedule_region.h"

typedef struct Scheduler {
    ScheduleRegion region;
    const FlowGraph *graph;
    FlowWalk walk;
    PtxInsn *insns; /* the new order */
    uint32_t *best; /* of a region: node numbers */
    uint32_t needed; /* words that are live at least where most are, as far as regions have been measured */
    uint32_t room;   /* words that may be live for loads to be early; 0: regions are being measured */
    bool is_recent; /* exact divisions end a region, and warps issue on behind barriers */
} Scheduler;

static void keep_order(Scheduler *s) { memcpy(s->best, s->region.order, s->region.count * sizeof *s->best); }

/* Words that loads from afar write. */
static uint32_t far_words(const ScheduleRegion *region)
{
    uint32_t words = 0;
    for (uint32_t n = 0; n < region->count; n++)
        words += region->nodes[n].latency >= SCHEDULE_FAR ? region->nodes[n].words : 0;
    return words;
}

/* How far ahead an order may look for instructions. */
static const uint32_t windows[] = {SCHEDULE_REGION, 128, 96, 64, 48, 32, 24, 16, 12, 8};
enum { WINDOWS = sizeof windows / sizeof *windows };

/* Instructions may come from anywhere as long as no more words are live than there is room for or than the
 * text's order needs. Where what comes early takes the room of what would go on, to look less far ahead is
 * better: how far, and whether words are kept for loads from afar, is found by trying, and the farther is
 * taken of two that are as good. */
static void order_region(Scheduler *s)
{
    const ScheduleResult text = schedule_list(&s->region, 0, 1, 0);
    const uint32_t room = text.words > s->room ? text.words : s->room, far = far_words(&s->region);
    uint32_t fewest = text.cycles;
    keep_order(s);
    for (uint32_t i = 0; i < WINDOWS; i++)
        for (uint32_t kept = 0; kept <= (far ? 1 : 0); kept++) {
            const ScheduleResult result = schedule_list(&s->region, room, windows[i], kept ? far : 0);
            if (result.words <= room && result.cycles < fewest + (i == 0 && !kept)) {
                fewest = result.cycles;
                keep_order(s);
            }
        }
}

/* What is live in the order that keeps the fewest words, where there are loads that could come early. */
static void measure_region(Scheduler *s)
{
    if (!far_words(&s->region))
        return;
    uint32_t needed = schedule_list(&s->region, 0, 1, 0).words;
    for (uint32_t i = 0; i < WINDOWS; i++) {
        const uint32_t words = schedule_list(&s->region, 0, windows[i], 0).words;
        needed = words < needed ? words : needed;
    }
    s->needed = needed > s->needed ? needed : s->needed;
}

/* -- behind barriers -- */

enum {
    SHADOW = 12,  /* instructions that a warp can issue until a barrier lets it go on at the earliest */
    SOON = 4      /* cycles after which arithmetic has its operands */
};

/* Whether the node needs nothing but what arithmetic before place `at` of the order has made. */
static bool has_operands(const Scheduler *s, uint32_t node, uint32_t at)
{
    const ScheduleRegion *region = &s->region;
    for (uint32_t i = 0; i < region->count; i++)
        for (uint32_t e = region->nodes[s->best[i]].first_edge; e != NO_INDEX;
             e = region->edges.items[e].next)
            if (region->edges.items[e].to == node && (i >= at || region->edges.items[e].cycles > SOON))
                return false;
    return true;
}

/* A warp that has come to a barrier goes on issuing on an H200: comparisons stand behind barriers in its
 * machine code, and the 13 cycles of their predicates pass while the warp waits (`bar` and `store` of
 * tests/device/latency/h200-meets.csv: 28 and 29 cycles a round, of which a barrier is 15 and a branch 10).
 * Here a warp stands still at a barrier, so arithmetic that follows at once goes before it instead. */
static void lift_over_barriers(Scheduler *s)
{
    const ScheduleRegion *region = &s->region;
    for (uint32_t at = 0; at < region->count; at++) {
        if (isa_rows[schedule_insn(region, s->best[at])->row].action != ACTION_BARRIER)
            continue;
        const uint32_t end = at + 1 + SHADOW < region->count ? at + 1 + SHADOW : region->count;
        for (uint32_t i = at + 1; i < end; i++) {
            const uint32_t node = s->best[i];
            if (isa_rows[schedule_insn(region, node)->row].action != ACTION_LANE)
                break;
            if (!has_operands(s, node, at))
                continue;
            memmove(s->best + at + 1, s->best + at, (i - at) * sizeof *s->best);
            s->best[at++] = node;
        }
    }
}

/* -- regions -- */

/* Instructions [first, end); the walk is behind them, and then before them. */
static void schedule_region(Scheduler *s, uint32_t first, uint32_t end)
{
    ScheduleRegion *region = &s->region;
    region->number++;
    region->first = first;
    region->count = end - first;
    for (uint32_t k = 0; k < s->walk.set.count; k++)
        region->live_out[s->walk.set.items[k]] = region->number;
    /* Regions of a block are taken from its end on, as the walk goes. */
    for (uint32_t i = end; i-- > first;)
        flow_walk_step(&s->walk, i);
    region->live_in = s->walk.set.words;
    if (region->count == 1)
        return;
    schedule_find_dependences(region, &s->walk.set);
    if (!s->room) {
        measure_region(s);
        return;
    }
    order_region(s);
    if (s->is_recent)
        lift_over_barriers(s);
    for (uint32_t n = 0; n < region->count; n++)
        s->insns[first + n] = region->function->insns[first + s->best[n]];
}

/* Code for sm_90 was looked at; what estimates registers of older GPUs keeps its order. */
enum { RECENT = 90 };

static bool is_wall(const Scheduler *s, uint32_t insn)
{
    const Function *function = s->region.function;
    return schedule_is_wall(function, &function->insns[insn]) ||
           (s->is_recent && function_divides_exactly(function, &function->insns[insn]));
}

static void schedule_block(Scheduler *s, uint32_t block)
{
    uint32_t end = s->graph->first[block + 1];
    flow_walk_enter(&s->walk, block);
    while (end > s->graph->first[block]) {
        if (is_wall(s, end - 1)) {
            flow_walk_step(&s->walk, --end);
            continue;
        }
        uint32_t first = end - 1;
        while (first > s->graph->first[block] && end - first < SCHEDULE_REGION &&
               !is_wall(s, first - 1))
            first--;
        schedule_region(s, first, end);
        end = first;
    }
}

/* What needs no register takes no words. */
static const uint8_t *find_words(const Function *function, const FlowLive *live, const FlowSet *set,
                                 uint32_t target, Arena *arena)
{
    bool *banked = ARENA_ARRAY(arena, bool, function->register_count);
    uint8_t *words_of = ARENA_ARRAY(arena, uint8_t, function->register_count);
    const MachineKinds kinds = machine_find_kinds(function, live, target, false, arena);
    flow_find_banked(function, live, banked);
    for (uint32_t r = 0; r < function->register_count; r++)
        words_of[r] = banked[r] || machine_is_bare(&kinds, r) ? 0 : set->words_of[r];
    return words_of;
}

static void region_free(ScheduleRegion *region)
{
    VEC_FREE(&region->value_of);
    VEC_FREE(&region->values);
    VEC_FREE(&region->edges);
    VEC_FREE(&region->links);
    VEC_FREE(&region->memory);
}

const Function *schedule_function(const Module *module, const Function *function, uint32_t target,
                                  Arena *arena)
{
    if (module->is_debug)
        return function;
    Arena scratch = {0};
    const FlowGraph *graph = flow_graph_build(module, function, &scratch);
    const FlowLive *live = flow_live_build(function, graph, &scratch);
    Scheduler s = {
        .region = {.module = module,
                   .function = function,
                   .accesses = &live->accesses,
                   .registers = ARENA_ARRAY(&scratch, ScheduleRegister, function->register_count + 1),
                   .live_out = ARENA_ARRAY(&scratch, uint32_t, function->register_count),
                   .nodes = ARENA_ARRAY(&scratch, ScheduleNode, SCHEDULE_REGION),
                   .order = ARENA_ARRAY(&scratch, uint32_t, SCHEDULE_REGION)},
        .best = ARENA_ARRAY(&scratch, uint32_t, SCHEDULE_REGION),
        .graph = graph,
        .walk = flow_walk_new(function, live, &scratch),
        .insns = arena_copy(arena, function->insns, function->insn_count * sizeof *function->insns),
        .is_recent = target >= RECENT,
    };
    s.region.words_of = s.walk.set.words_of = find_words(function, live, &s.walk.set, target, &scratch);
    for (uint32_t block = graph->block_count; block-- > 0;)
        schedule_block(&s, block);
    s.room = flow_room(function, target, s.needed);
    for (uint32_t block = graph->block_count; block-- > 0;)
        schedule_block(&s, block);
    region_free(&s.region);
    arena_free(&scratch);
    Function *ordered = arena_copy(arena, function, sizeof *function);
    ordered->insns = s.insns;
    return ordered;
}
