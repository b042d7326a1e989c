/* The host's part of breadth-first search.
 *
 * Table 2: 20 kernels, 2,560 blocks of 512 threads, 3 of them on an SM: 10 levels of two kernels of 128
 * blocks, thus Rodinia's graph of 65,536 nodes. Its generator draws 2 to 4 edges for each node and lets them
 * run both ways: 6 edges a node. Which nodes is by chance; ours has a seed with which the search ends after
 * 10 levels. Small is full. */
#include "claso/claso.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 512, LEAST = 2, MOST = 4 };
static const uint32_t blocks[INPUT_SIZES] = {[INPUT_TINY] = 2, [INPUT_SMALL] = 128, [INPUT_FULL] = 128};

/* As in bfs.cu. */
typedef struct Node {
    int first, count;
} Node;

/* Invariant: as many edges as all nodes' counts say, those of a node side by side. */
typedef struct Network {
    uint32_t count;
    size_t edge_count;
    Node *nodes;
    int *edges;
} Network;

/* The device's copies: the frontier, nodes reached in this level, nodes visited, whether there was one. */
typedef struct Search {
    uint64_t nodes, edges, frontier, reached, visited, levels, more;
} Search;

/* Pairs of ends, as they are drawn. */
static size_t draw(uint32_t count, uint32_t seed, int (*pairs)[2])
{
    size_t drawn = 0;
    for (uint32_t node = 0; node < count; node++) {
        const uint32_t edges = LEAST + (random_next(&seed) >> 8) % (MOST - LEAST + 1);
        for (uint32_t i = 0; i < edges; i++, drawn++) {
            pairs[drawn][0] = (int)node;
            pairs[drawn][1] = (int)((random_next(&seed) >> 8) % count);
        }
    }
    return drawn;
}

static void fill(Network *network, int (*pairs)[2])
{
    int first = 0;
    for (size_t i = 0; i < network->edge_count; i++)
        network->nodes[pairs[i / 2][i % 2]].count++;
    for (uint32_t node = 0; node < network->count; node++) {
        network->nodes[node].first = first;
        first += network->nodes[node].count;
        network->nodes[node].count = 0;
    }
    for (size_t i = 0; i < network->edge_count; i++) {
        Node *node = &network->nodes[pairs[i / 2][i % 2]];
        network->edges[node->first + node->count++] = pairs[i / 2][1 - i % 2];
    }
}

static void visit(const Network *network, int *levels, int *queue)
{
    size_t head = 0, tail = 1;
    for (uint32_t node = 1; node < network->count; node++)
        levels[node] = -1;
    for (levels[0] = 0, queue[0] = 0; head < tail; head++) {
        const Node *node = &network->nodes[queue[head]];
        for (int i = node->first; i < node->first + node->count; i++)
            if (levels[network->edges[i]] < 0) {
                levels[network->edges[i]] = levels[queue[head]] + 1;
                queue[tail++] = network->edges[i];
            }
    }
}

static void search_levels(Host *host, const Search *search, uint32_t count)
{
    const WbDim3 grid = dim((count + THREADS - 1) / THREADS, 1, 1), block = dim(THREADS, 1, 1);
    bool more = true;
    while (more) {
        more = false;
        host_write(host, search->more, &more, sizeof more);
        HOST_LAUNCH(host, "bfs_expand", grid, block, WB_ARG(search->nodes), WB_ARG(search->edges),
                    WB_ARG(search->frontier), WB_ARG(search->reached), WB_ARG(search->visited),
                    WB_ARG(search->levels), WB_ARG(count));
        HOST_LAUNCH(host, "bfs_advance", grid, block, WB_ARG(search->frontier), WB_ARG(search->reached),
                    WB_ARG(search->visited), WB_ARG(search->more), WB_ARG(count));
        host_read(host, &more, search->more, sizeof more);
    }
}

/* `levels` and `marks` have an item for each node, `queue`, too. */
static bool search_from_first(Host *host, const Network *network, int *levels, bool *marks, int *queue)
{
    const size_t count = network->count, bytes = count * sizeof *levels;
    memset(levels, -1, bytes);
    levels[0] = 0;
    const uint64_t reached = host_buffer(host, marks, count);
    marks[0] = true;
    const Search search = {.nodes = host_buffer(host, network->nodes, count * sizeof *network->nodes),
                           .edges = host_buffer(host, network->edges, network->edge_count * sizeof(int)),
                           .frontier = host_buffer(host, marks, count),
                           .reached = reached,
                           .visited = host_buffer(host, marks, count),
                           .levels = host_buffer(host, levels, bytes),
                           .more = host_buffer(host, NULL, sizeof(bool))};
    const uint64_t buffers[] = {search.nodes,   search.edges,  search.frontier, search.reached,
                                search.visited, search.levels, search.more};
    search_levels(host, &search, network->count);
    visit(network, levels, queue);
    const bool right = host_equals(host, search.levels, levels, bytes);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        host_free(host, buffers[i]);
    return right;
}

bool claso_bfs_run(Host *host, const BenchmarkRun *run)
{
    const uint32_t count = THREADS * (run->blocks ? run->blocks : blocks[run->size]);
    Network network = {.count = count,
                       .nodes = host_array(host, count, sizeof(Node)),
                       .edges = host_array(host, 2 * MOST * (size_t)count, sizeof(int))};
    int(*pairs)[2] = host_array(host, MOST * (size_t)count, sizeof *pairs);
    int *levels = host_array(host, count, sizeof *levels), *queue = host_array(host, count, sizeof *queue);
    bool *marks = host_array(host, count, sizeof *marks), right = false;
    if (network.nodes && network.edges && pairs && levels && queue && marks) {
        network.edge_count = 2 * draw(count, benchmark_seed(run), pairs);
        fill(&network, pairs);
        right = search_from_first(host, &network, levels, marks, queue);
    }
    free(marks);
    free(queue);
    free(levels);
    free(pairs);
    free(network.edges);
    free(network.nodes);
    return right;
}
