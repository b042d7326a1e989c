/* The host's part of cheapest ways.
 *
 * Rodinia's example has 100,000 columns, 100 rows, and 20 rows a launch: the full size, 463 blocks of 256
 * threads and 5 launches. The small one has 65,536 columns and 41 rows: 304 blocks, about three times as many
 * as 13 SMs hold, and 2 launches. Costs are from 0 to 9, as in the program. */
#include <stdlib.h>

#include "saws/saws.h"

enum { THREADS = 256 }; /* as in pathfinder.cu */

/* The grid, and rows that a launch goes on for. */
typedef struct Shape {
    int columns, rows, steps;
} Shape;
static const Shape shapes[INPUT_SIZES] = {
    [INPUT_TINY] = {700, 12, 4}, [INPUT_SMALL] = {65536, 41, 20}, [INPUT_FULL] = {100000, 100, 20}};

static int least(const int *row, int x, int columns)
{
    int lowest = row[x];
    if (x > 0 && row[x - 1] < lowest)
        lowest = row[x - 1];
    if (x < columns - 1 && row[x + 1] < lowest)
        lowest = row[x + 1];
    return lowest;
}

/* Every row becomes that of the cheapest ways to its cells. */
static void find(const Shape *shape, int *costs)
{
    for (int y = 1; y < shape->rows; y++) {
        int *row = &costs[y * shape->columns];
        for (int x = 0; x < shape->columns; x++)
            row[x] += least(row - shape->columns, x, shape->columns);
    }
}

static bool search(Host *host, const Shape *shape, int *costs)
{
    const uint32_t inner = THREADS - 2 * (uint32_t)shape->steps;
    const uint32_t blocks = ((uint32_t)shape->columns + inner - 1) / inner;
    const size_t row_bytes = (size_t)shape->columns * sizeof *costs;
    const uint64_t all = host_buffer(host, costs, row_bytes * (size_t)shape->rows);
    const uint64_t ways[2] = {host_buffer(host, costs, row_bytes), host_buffer(host, NULL, row_bytes)};
    int round = 0;
    for (int row = 1; row < shape->rows; row += shape->steps, round++) {
        const int left = shape->rows - row, steps = left < shape->steps ? left : shape->steps;
        HOST_LAUNCH(host, "pathfinder", dim(blocks, 1, 1), dim(THREADS, 1, 1), WB_ARG(all),
                    WB_ARG(ways[round % 2]), WB_ARG(ways[(round + 1) % 2]), WB_ARG(shape->columns),
                    WB_ARG(row), WB_ARG(steps), WB_ARG(shape->steps));
    }
    find(shape, costs);
    const bool right =
        host_equals(host, ways[round % 2], &costs[(shape->rows - 1) * shape->columns], row_bytes);
    host_free(host, all), host_free(host, ways[0]), host_free(host, ways[1]);
    return right;
}

bool saws_pathfinder_run(Host *host, const BenchmarkRun *run)
{
    Shape shape = shapes[run->size];
    if (run->blocks)
        shape.columns = (int)run->blocks * (THREADS - 2 * shape.steps);
    const size_t count = (size_t)shape.columns * (size_t)shape.rows;
    int *costs = host_array(host, count, sizeof *costs);
    uint32_t seed = benchmark_seed(run);
    for (size_t i = 0; costs && i < count; i++)
        costs[i] = (int)(random_float(&seed) * 10);
    const bool right = costs && search(host, &shape, costs);
    free(costs);
    return right;
}
