/* The host's part of sorting. Table 3 has 1,000,000 items; the small size has 65,536, which come to base cases
 * of 64 exactly. Items are random and have 31 bits. */
#include "channels/channels.h"

#include <stdlib.h>
#include <string.h>

enum { BASE = 64 };

/* As in sort.cu. */
typedef struct Piece {
    uint32_t first, count;
} Piece;
typedef struct Merge {
    Piece a, b;
    uint32_t to, is_back;
} Merge;

static int compare(const void *a, const void *b)
{
    const int32_t first = *(const int32_t *)a, second = *(const int32_t *)b;
    return (first > second) - (first < second);
}

/* Quarters until a piece is a base case. */
static uint32_t depth_of(uint32_t count)
{
    uint32_t depth = 0;
    for (; count > BASE; count -= 3 * (count / 4))
        depth++;
    return depth;
}

/* Of merges: halves until the shorter part is a base case. Parts are not equally long; two levels more are
 * enough for random items, and the last level merges whatever it gets. */
static uint32_t merge_levels(uint32_t count)
{
    uint32_t levels = 4;
    for (; count > BASE; count /= 2)
        levels++;
    return levels;
}

static void sort(Host *host, uint64_t items, uint64_t others, uint32_t count)
{
    const uint32_t depth = depth_of(count), levels = merge_levels(count), after = depth ? depth : 1;
    WbFlow *flow = channels_graph(host);
    const uint32_t pieces = channels_stack(host, flow, "pieces", sizeof(Piece), depth + 1, false);
    const uint32_t quarters = channels_stack(host, flow, "quarters", sizeof(Piece), after, true);
    const uint32_t halves = channels_stack(host, flow, "halves", sizeof(Piece), after, true);
    const uint32_t merges = channels_stack(host, flow, "merges", sizeof(Merge), levels, false);
    const uint32_t of_piece[] = {pieces, quarters}, of_quarters[] = {merges, halves}, of_merge[] = {merges};
    CHANNELS_NODE(host, flow, "sort_piece", pieces, of_piece, WB_ARG(pieces), WB_ARG(quarters),
                  WB_ARG(items));
    CHANNELS_NODE(host, flow, "sort_quarters", quarters, of_quarters, WB_ARG(quarters), WB_ARG(halves),
                  WB_ARG(merges));
    CHANNELS_NODE(host, flow, "sort_halves", halves, of_merge, WB_ARG(halves), WB_ARG(merges));
    CHANNELS_NODE(host, flow, "sort_merge", merges, of_merge, WB_ARG(merges), WB_ARG(levels), WB_ARG(items),
                  WB_ARG(others));
    channels_execute(host, flow, pieces, &(Piece){.count = count});
}

bool channels_sort(Host *host, uint32_t count, uint32_t seed)
{
    const size_t bytes = count * sizeof(int32_t);
    int32_t *values = host_array(host, count, sizeof *values);
    if (!values)
        return false;
    for (uint32_t i = 0; i < count; i++)
        values[i] = (int32_t)(random_next(&seed) >> 1);
    const uint64_t items = host_buffer(host, values, bytes), others = host_buffer(host, NULL, bytes);
    sort(host, items, others, count);
    qsort(values, count, sizeof *values, compare);
    const bool right = host_equals(host, items, values, bytes);
    host_free(host, items), host_free(host, others);
    free(values);
    return right;
}
