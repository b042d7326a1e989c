/* Feeds every access of a graph's blocks to the shadow, with the block's virtual ID as the node. Where two
 * nodes meet and neither is an ancestor of the other, the graph lets them run in any order: an edge is
 * missing, whatever order they took this time. */
#include "watch/checker.h"

#include <string.h>

static ViolationSide side_of(const Checker *checker, const Toucher *toucher)
{
    const DependencyGraph *graph = checker->graph;
    /* The user knows blocks of grids, not virtual IDs. A join touches nothing, so the task is a block. */
    const uint32_t task = graph->tasks[toucher->node], number = graph_grid_of(graph, task);
    const GraphGrid *grid = &graph->grids[number];
    ViolationSide side = {.kernel = checker->kernels[number],
                          .place = checker->places.texts.items[toucher->place],
                          .touch = toucher->touch};
    violation_block(grid->size, task - grid->first, side.block);
    return side;
}

static bool meet(void *context, uint32_t earlier, uint32_t later, uint64_t address)
{
    Checker *checker = context;
    const Toucher *touchers = checker->shadow.touchers.items;
    if (ancestry_is_ancestor(&checker->ancestry, touchers[earlier].node, touchers[later].node))
        return true;
    bool is_new;
    /* The shadow may forget that it has asked; what was told is counted once. */
    pair_map_at(&checker->told, earlier, later, &is_new);
    if (is_new) {
        const ViolationSide first = side_of(checker, &touchers[earlier]);
        const ViolationSide second = side_of(checker, &touchers[later]);
        violations_add(checker->violations, &first, &second, address,
                       "it does not depend on that one, so an edge is missing");
    }
    return false;
}

void checker_touch(Checker *checker, uint32_t grid, uint64_t block, uint32_t place, Touch touch,
                   uint64_t address, uint64_t bytes)
{
    const DependencyGraph *graph = checker->graph;
    const uint32_t node = graph->ids[graph->grids[grid].first + (uint32_t)block];
    const uint32_t toucher = shadow_toucher(&checker->shadow, node, place, touch);
    shadow_touch(&checker->shadow, toucher, address, bytes);
}

static void take_access(Watch *watch, const WatchedAccess *access)
{
    Checker *checker = (Checker *)watch;
    const uint32_t place = places_find(&checker->places, access->grid, access->program, access->insn);
    for (uint32_t i = 0; i < access->count; i++)
        checker_touch(checker, access->grid, access->block, place, access->touch, access->ranges[i].address,
                      access->ranges[i].bytes);
}

Checker *checker_create(const DependencyGraph *graph, const char *const *kernels, Violations *violations)
{
    Checker *checker = xcalloc(1, sizeof *checker);
    *checker = (Checker){.watch = {take_access}, .graph = graph, .violations = violations};
    checker->kernels = ARENA_ARRAY(&checker->arena, const char *, graph->grid_count);
    for (uint32_t i = 0; i < graph->grid_count; i++)
        checker->kernels[i] = arena_strndup(&checker->arena, kernels[i], strlen(kernels[i]));
    ancestry_init(&checker->ancestry, graph);
    shadow_init(&checker->shadow, meet, checker);
    return checker;
}

void checker_free(Checker *checker)
{
    if (!checker)
        return;
    arena_free(&checker->arena);
    ancestry_free(&checker->ancestry);
    shadow_free(&checker->shadow);
    places_free(&checker->places);
    pair_map_free(&checker->told);
    xfree(checker);
}
