/* The analysis of a function, put together: control flow, liveness, slots for registers, and where lanes meet
 * again. What is needed only on the way lives in an arena that is freed at the end. */
#include "ptx/flow.h"

#include <stdlib.h>

#include "ptx/flow_allocate.h"
#include "ptx/flow_graph.h"
#include "ptx/flow_live.h"
#include "ptx/flow_registers.h"

static void count_live(const Function *function, const FlowLive *live, Flow *flow, Arena *arena)
{
    Arena scratch = {0};
    FlowWalk walk = flow_walk_new(function, live, &scratch);
    flow->live_words = ARENA_ARRAY(arena, uint16_t, function->insn_count);
    /* Liveness is walked backward; neighbouring blocks mostly share what is live, so little changes between
     * them. */
    for (uint32_t b = live->graph->block_count; b-- > 0;) {
        flow_walk_enter(&walk, b);
        for (uint32_t i = live->graph->first[b + 1]; i-- > live->graph->first[b];) {
            flow_walk_step(&walk, i);
            uint32_t words = walk.set.words;
            flow->live_words[i] = (uint16_t)(words < UINT16_MAX ? words : UINT16_MAX);
            flow->pressure = words > flow->pressure ? words : flow->pressure;
        }
    }
    arena_free(&scratch);
}

static void find_reconvergence(const Function *function, const FlowGraph *graph, Flow *flow, Arena *arena)
{
    flow->reconverge = ARENA_ARRAY(arena, uint32_t, function->insn_count);
    for (uint32_t i = 0; i < function->insn_count; i++) {
        uint32_t block = graph->post_dominator[graph->block_of[i]];
        /* No block but the exit comes after all ways: lanes meet where the function returns. */
        flow->reconverge[i] = block == graph->block_count ? FLOW_AT_RETURN : graph->first[block];
    }
}

Flow *flow_analyse_for(const Module *module, const Function *function, uint32_t target, Arena *arena)
{
    Arena scratch = {0};
    Flow *flow = ARENA_NEW(arena, Flow);
    const FlowGraph *graph = flow_graph_build(module, function, &scratch);
    const FlowLive *live = flow_live_build(function, graph, &scratch);
    flow->block_count = graph->block_count;
    find_reconvergence(function, graph, flow, arena);
    count_live(function, live, flow, arena);
    flow_allocate(function, live, flow, arena);
    flow->registers = flow_estimate_registers(module, function, live, target);
    arena_free(&scratch);
    return flow;
}

Flow *flow_analyse(const Module *module, const Function *function, Arena *arena)
{
    return flow_analyse_for(module, function, module->target, arena);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

const FlowLive *flow_find_live(const Module *module, const Function *function, Arena *arena)
{
    return flow_live_build(function, flow_graph_build(module, function, arena), arena);
}

uint32_t flow_live_at(const Function *function, const FlowLive *live, uint32_t insn, uint32_t *registers,
                      uint32_t capacity)
{
    Arena scratch = {0};
    const FlowGraph *graph = live->graph;
    FlowWalk walk = flow_walk_new(function, live, &scratch);
    uint32_t block = graph->block_of[insn], count;
    flow_walk_enter(&walk, block);
    /* Up to the instruction itself: what it reads is live before it. */
    for (uint32_t i = graph->first[block + 1]; i-- > insn;)
        flow_walk_step(&walk, i);
    count = walk.set.count;
    if (count)
        qsort(walk.set.items, count, sizeof *walk.set.items, by_number);
    for (uint32_t k = 0; k < count && k < capacity; k++)
        registers[k] = walk.set.items[k];
    arena_free(&scratch);
    return count;
}

uint32_t flow_live_before(const Module *module, const Function *function, uint32_t insn, uint32_t *registers,
                          uint32_t capacity)
{
    Arena scratch = {0};
    const FlowLive *live = flow_find_live(module, function, &scratch);
    const uint32_t count = flow_live_at(function, live, insn, registers, capacity);
    arena_free(&scratch);
    return count;
}
