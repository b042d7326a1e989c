/* The host's part of all-reduce: every GPU has a vector of small integers, so that all orders of adding give
 * the same. */
#include <stdlib.h>
#include <string.h>

#include "multi/multi.h"

/* As in allreduce.cu. */
typedef struct Reduction {
    uint64_t data[MULTI_GPUS], sums[MULTI_GPUS], flags[MULTI_GPUS], inboxes[MULTI_GPUS];
    uint32_t gpus, self, count, pieces;
} Reduction;

/* As in allreduce_network.cuh. */
typedef struct Route {
    uint64_t arrivals[MULTI_GPUS];
    uint32_t node_gpus;
} Route;

enum { SECTOR = 8 };  /* as in allreduce.cu */
enum { BLOCK = 512 }; /* and 36 blocks: what vLLM's own all-reduce launches */
enum { BLOCKS = 36 };
enum { PIECES = 4 }; /* of a tree: one on its way up on each level of seven GPUs, and one that is summed */

/* Which way, and the steps that the host launches. */
typedef struct Way {
    const char *kernel;
    uint32_t (*steps)(uint32_t gpus);
    /* Whether a GPU has work in a step; null: all have in all. What the kernel is told of the step. */
    bool (*takes_part)(uint32_t gpus, uint32_t step, uint32_t gpu);
    uint32_t (*told)(uint32_t gpus, uint32_t step);
} Way;

static uint32_t ring_steps(uint32_t gpus) { return 2 * (gpus - 1); }
static uint32_t one_step(uint32_t gpus) { return (void)gpus, 1; }
static uint32_t two_steps(uint32_t gpus) { return (void)gpus, 2; }
static uint32_t same_step(uint32_t gpus, uint32_t step) { return (void)gpus, step; }

/* Of a GPU in the tree; the root has 0. */
static uint32_t level_of(uint32_t gpu)
{
    uint32_t level = 0;
    for (; gpu; gpu = (gpu - 1) / 2)
        level++;
    return level;
}

/* Up from the lowest level, and down to it. */
static uint32_t tree_steps(uint32_t gpus) { return 2 * (level_of(gpus - 1) + 1); }
static bool tree_takes_part(uint32_t gpus, uint32_t step, uint32_t gpu)
{
    const uint32_t levels = level_of(gpus - 1) + 1;
    return level_of(gpu) == (step < levels ? levels - 1 - step : step - levels);
}
static uint32_t tree_told(uint32_t gpus, uint32_t step) { return step > level_of(gpus - 1); }

static const Way ring = {"ring", ring_steps, NULL, same_step};
static const Way tree = {"tree", tree_steps, tree_takes_part, tree_told};
static const Way oneshot = {"oneshot", one_step, NULL, same_step};
static const Way twoshot = {"twoshot", two_steps, NULL, same_step};

/* A GPU's numbers, 0 to 15. */
static void fill(float *numbers, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = (float)(random_next(&seed) >> 28);
}

/* Fills `reductions` with addresses; `total` gets the sum of all vectors of `floats` numbers. */
static void place(Multi *multi, size_t floats, uint32_t blocks, float *total, float *numbers,
                  uint64_t reductions[MULTI_GPUS], Reduction *first)
{
    const size_t entries = (size_t)blocks * SECTOR * sizeof(uint32_t);
    Reduction made = {.gpus = multi->count, .count = (uint32_t)(floats / 4), .pieces = PIECES};
    for (uint32_t i = 0; i < multi->count; i++) {
        fill(numbers, floats, multi_seed(multi) + i);
        for (size_t j = 0; j < floats; j++)
            total[j] += numbers[j];
        made.data[i] = multi_buffer(multi, i, numbers, floats * sizeof *numbers);
        made.sums[i] = multi_buffer(multi, i, NULL, floats * sizeof *numbers);
        made.flags[i] = multi_flags(multi, i, entries);
        made.inboxes[i] = multi_buffer(multi, i, NULL, entries * multi->count);
    }
    for (uint32_t i = 0; i < multi->count; i++) {
        made.self = i;
        reductions[i] = multi_buffer(multi, i, &made, sizeof made);
    }
    *first = made;
}

static void launch_steps(Multi *multi, const Way *way, const uint64_t reductions[MULTI_GPUS], uint32_t blocks)
{
    char kernel[32];
    multi_kernel(multi, way->kernel, kernel, sizeof kernel);
    for (uint32_t step = 0; step < way->steps(multi->count) && multi_is_fine(multi); step++) {
        const uint32_t told = way->told(multi->count, step);
        for (uint32_t i = 0; i < multi->count; i++)
            if (!way->takes_part || way->takes_part(multi->count, step, i))
                MULTI_LAUNCH(multi, i, kernel, dim(blocks, 1, 1), dim(BLOCK, 1, 1), WB_ARG(reductions[i]),
                             WB_ARG(told));
        multi_wait(multi);
    }
}

static void launch_once(Multi *multi, const Way *way, const uint64_t reductions[MULTI_GPUS], uint32_t blocks)
{
    char kernel[32];
    multi_kernel(multi, way->kernel, kernel, sizeof kernel);
    for (uint32_t i = 0; i < multi->count; i++)
        MULTI_LAUNCH(multi, i, kernel, dim(blocks, 1, 1), dim(BLOCK, 1, 1), WB_ARG(reductions[i]));
}

/* Places where sums come in, for two children of a tree. */
static void launch_network(Multi *multi, const Way *way, const uint64_t reductions[MULTI_GPUS], size_t floats,
                           uint32_t blocks)
{
    char kernel[32];
    uint64_t routes[MULTI_GPUS];
    Route route = {.node_gpus = multi->node_gpus};
    for (uint32_t i = 0; i < multi->count; i++)
        route.arrivals[i] = multi_buffer(multi, i, NULL, 2 * floats * sizeof(float));
    for (uint32_t i = 0; i < multi->count; i++)
        routes[i] = multi_buffer(multi, i, &route, sizeof route);
    multi_kernel(multi, way->kernel, kernel, sizeof kernel);
    multi_begin_time(multi);
    for (uint32_t i = 0; i < multi->count; i++)
        MULTI_LAUNCH(multi, i, kernel, dim(blocks, 1, 1), dim(BLOCK, 1, 1), WB_ARG(reductions[i]),
                     WB_ARG(routes[i]));
}

/* A GPU alone has the sum already: whatever the way, it copies its data. */
static void launch_all(Multi *multi, const Way *way, const uint64_t reductions[MULTI_GPUS], size_t floats,
                       uint32_t blocks)
{
    const Way *taken = multi->count == 1 ? &oneshot : way;
    multi_begin_time(multi);
    if (multi->run->mode == MULTI_NETWORK)
        launch_network(multi, taken, reductions, floats, blocks);
    else if (multi->run->mode == MULTI_HOST)
        launch_steps(multi, taken, reductions, blocks);
    else
        launch_once(multi, taken, reductions, blocks);
    multi_end_time(multi);
}

/* The size counts bytes of a vector; GPUs and pieces divide its elements of 16 bytes. */
static bool run_way(Multi *multi, const Way *way)
{
    static const uint32_t sizes[INPUT_SIZES] = {
        [INPUT_TINY] = 8192, [INPUT_SMALL] = 1u << 20, [INPUT_FULL] = 16u << 20};
    const uint32_t bytes = multi->run->side ? multi->run->side : sizes[multi->run->size];
    const uint32_t usual = multi->run->size == INPUT_TINY ? 2 : BLOCKS;
    const uint32_t unit = 4 * PIECES * multi->count, blocks = multi->run->blocks ? multi->run->blocks : usual;
    const size_t floats = (bytes / sizeof(float) + unit - 1) / unit * unit;
    float *total = host_array(&multi->parts[0], floats, sizeof *total);
    float *numbers = host_array(&multi->parts[0], floats, sizeof *numbers);
    bool right = total && numbers;
    if (right) {
        uint64_t reductions[MULTI_GPUS];
        Reduction made;
        place(multi, floats, blocks, total, numbers, reductions, &made);
        launch_all(multi, way, reductions, floats, blocks);
        right = multi_is_fine(multi);
        for (uint32_t i = 0; right && i < multi->count; i++)
            right = host_equals(&multi->parts[i], made.sums[i], total, floats * sizeof *total);
    }
    free(numbers);
    free(total);
    return right;
}

bool multi_ring_run(Multi *multi) { return run_way(multi, &ring); }
bool multi_tree_run(Multi *multi) { return run_way(multi, &tree); }
bool multi_oneshot_run(Multi *multi) { return run_way(multi, &oneshot); }
bool multi_twoshot_run(Multi *multi) { return run_way(multi, &twoshot); }
