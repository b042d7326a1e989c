/* A dependency-aware scheduler alone, without memory: blocks take their time on a given number of places, and
 * every dispatch is held against the graph. */
#ifndef DATS_RIG_H
#define DATS_RIG_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "grid/dats.h"

typedef struct RunningBlock {
    Cycle end;
    uint64_t block;
    uint32_t grid;
} RunningBlock;

/* Invariant: over[t] says whether the block or join t has ended. */
typedef struct DatsRig {
    GpuConfig config;
    Dats *dats;
    GraphRun run;
    DependencyGraph *graph;
    GridKernel kernels[4], *kernel_list[4];
    DispatchView view;
    uint32_t seed, places, longest; /* blocks take 1 to `longest` cycles */
    VEC(RunningBlock) running;
    uint32_t *parents_left; /* [task] blocks and joins that it waits for */
    uint32_t started;
    Cycle now;
} DatsRig;

static inline uint32_t rig_random(DatsRig *rig)
{
    rig->seed = rig->seed * 1664525u + 1013904223u;
    return rig->seed >> 8;
}

static inline void rig_open(DatsRig *rig, const GraphDraft *draft, const char *order, uint32_t bound)
{
    Error error = {0};
    assert_int_equal(graph_build(draft, &rig->graph, &error), WB_OK);
    rig->dats = dats_create(&rig->config, NULL);
    rig->run = (GraphRun){.graph = rig->graph, .order = order_find(order, &error), .bound = bound};
    assert_non_null(rig->run.order);
    assert_int_equal(image_of_graph(rig->graph, (uint32_t)rig->config.graph_id_bits, &rig->run.image, &error),
                     WB_OK);
    rig->run.memory = xcalloc(rig->run.image.bytes + 1, 1);
    image_write(&rig->run.image, rig->graph, rig->run.memory);
    rig->run.kernels = rig->kernel_list;
    for (uint32_t g = 0; g < rig->graph->grid_count; g++) {
        rig->kernels[g] = (GridKernel){
            .block_count = rig->graph->grids[g].count, .graph = &rig->run, .graph_grid = g};
        rig->kernels[g].resident = &rig->started; /* it is in the distributor */
        rig->kernel_list[g] = &rig->kernels[g];
    }
    rig->parents_left = xcalloc(rig->graph->node_count, sizeof *rig->parents_left);
    for (uint32_t id = 0; id < rig->graph->node_count; id++)
        rig->parents_left[rig->graph->tasks[id]] = rig->graph->parents[id];
    rig->started = 0;
    rig->running.count = 0;
    dats_begin(rig->dats, &rig->run, rig->now);
}

static inline void rig_close(DatsRig *rig)
{
    dats_end(rig->dats, rig->now);
    dats_free(rig->dats);
    graph_free(rig->graph);
    xfree(rig->run.memory);
    xfree(rig->parents_left);
    VEC_FREE(&rig->running);
}

/* By the graph alone: the children of what has ended, joins included, wait for one less. */
static inline void rig_note_ended(DatsRig *rig, uint32_t task)
{
    const DependencyGraph *graph = rig->graph;
    const uint32_t id = graph->ids[task];
    for (uint32_t e = graph->starts[id]; e < graph->starts[id + 1]; e++) {
        const uint32_t child = graph->tasks[graph->children[e]];
        assert_int_not_equal(rig->parents_left[child], 0);
        if (--rig->parents_left[child] == 0 && child >= graph->block_count)
            rig_note_ended(rig, child);
    }
}

static inline void rig_dispatch(DatsRig *rig)
{
    for (uint32_t g = 0; g < rig->graph->grid_count && rig->running.count < rig->places;) {
        uint64_t block;
        GridKernel *kernel = &rig->kernels[g];
        if (!dats_source.next(rig->dats, &rig->view, kernel, &block)) {
            g++;
            continue;
        }
        assert_int_equal(rig->parents_left[rig->graph->grids[g].first + block], 0);
        dats_source.base.block_started(rig->dats, &rig->view,
                                       &(BlockRef){.kernel = kernel, .block = block});
        VEC_PUSH(&rig->running, ((RunningBlock){rig->now + 1 + rig_random(rig) % rig->longest, block, g}));
        rig->started++;
        g = 0;
    }
}

static inline Cycle rig_next_end(const DatsRig *rig)
{
    Cycle next = CYCLE_NEVER;
    for (uint32_t i = 0; i < rig->running.count; i++)
        next = rig->running.items[i].end < next ? rig->running.items[i].end : next;
    return next;
}

static inline void rig_end_blocks(DatsRig *rig)
{
    for (uint32_t i = 0; i < rig->running.count;) {
        const RunningBlock block = rig->running.items[i];
        if (block.end > rig->now) {
            i++;
            continue;
        }
        rig->running.items[i] = rig->running.items[--rig->running.count];
        rig_note_ended(rig, rig->graph->grids[block.grid].first + (uint32_t)block.block);
        const BlockRef event = {.kernel = &rig->kernels[block.grid], .block = block.block};
        dats_source.base.block_ended(rig->dats, &rig->view, &event);
    }
}

/* One cycle in which something happens. False: nothing can any more. */
static inline bool rig_step(DatsRig *rig)
{
    const Cycle end = rig_next_end(rig), own = dats_next(rig->dats), next = end < own ? end : own;
    if (next == CYCLE_NEVER)
        return false;
    rig->now = rig->view.now = next > rig->now ? next : rig->now;
    rig_end_blocks(rig);
    dats_advance(rig->dats, rig->now);
    rig_dispatch(rig);
    return true;
}

/* True: all blocks have run, and nothing is left of the graph. */
static inline bool rig_run(DatsRig *rig)
{
    while (rig_step(rig))
        ;
    return rig->started == rig->graph->block_count && !dats_keeps_kernels(rig->dats);
}

#endif
