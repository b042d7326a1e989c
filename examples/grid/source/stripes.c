/* Stripes: the grid is cut into stripes of a few columns, and each is gone through row by row.
 *
 * Blocks that run at the same time then lie in a rectangle instead of a row, and of two matrices that they
 * multiply they read fewer rows and columns: those are in L2 for all of them. What libraries for matrices do
 * in their kernels by computing with another blockIdx ("threadblock swizzle"), done by the dispatcher.
 *
 * The order is computed from how many blocks have started, so the state is that number. */
#include "grid/policy.h"

#include "base/alloc.h"

static void *init(const DispatchView *view, const GridKernel *kernel, void *counters)
{
    (void)view, (void)kernel, (void)counters;
    return xcalloc(1, sizeof(uint64_t));
}

static bool next(const void *state, const DispatchView *view, const GridKernel *kernel, uint64_t *block)
{
    const uint64_t started = *(const uint64_t *)state;
    if (started == kernel->block_count)
        return false;
    const uint64_t columns = kernel->seen.launch.grid[0], rows = kernel->block_count / columns;
    const uint64_t width = view->config->stripes_width;
    const uint64_t first = started / (width * rows) * width; /* column of the stripe */
    const uint64_t own = columns - first < width ? columns - first : width;
    const uint64_t within = started - first * rows;
    *block = within / own * columns + first + within % own;
    return true;
}

static void block_started(void *state, const DispatchView *view, const BlockRef *block)
{
    (void)view, (void)block;
    ++*(uint64_t *)state;
}

extern const BlockSource source_stripes;
const BlockSource source_stripes = {
    .base =
        {
            .about =
                {
                    .name = "stripes",
                    .description = "Stripes of a few columns of the grid, each row by row",
                    .source = "Swizzled blocks of libraries for matrices",
                },
            .init = init,
            .free = xfree,
            .block_started = block_started,
        },
    .next = next,
};
