/* The host's part of queens. */
#include "together/together.h"

#include "channels/channels.h"

typedef struct Size {
    uint32_t n, spawned; /* queens, and rows that are placed by tasks */
    uint32_t most;       /* boards of a level at most, and the width of channels */
} Size;
static const Size sizes[INPUT_SIZES] = {
    [INPUT_TINY] = {7, 3, 256}, [INPUT_SMALL] = {12, 6, 65536}, [INPUT_FULL] = {13, 7, 1048576}};

/* As in tree.cu. */
typedef struct Problem {
    uint64_t ways;
    uint32_t n, spawned;
} Problem;
typedef struct Board {
    uint32_t columns, rising, falling, rows;
} Board;

bool together_tree(Host *host, const TogetherRun *run)
{
    const Size size = sizes[run->size];
    const Problem problem = {together_zeros(host, sizeof(uint32_t)), size.n, size.spawned};
    const Board empty = {0};
    together_frontier(host, run,
                      &(TogetherFrontier){.name = "tree",
                                          .problem = WB_ARG(problem),
                                          .item_bytes = sizeof empty,
                                          .most_items = size.most,
                                          .most_levels = size.spawned + 1,
                                          .first = &empty,
                                          .flow = {.element_bytes = sizeof empty,
                                                   .capacity = size.most,
                                                   .levels = size.spawned + 1,
                                                   .first = &empty,
                                                   .first_count = 1}});
    const int expected = queens_solutions(size.n);
    const bool right = host_equals(host, problem.ways, &expected, sizeof expected);
    host_free(host, problem.ways);
    return right;
}
