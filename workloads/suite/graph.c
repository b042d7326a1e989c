/* Host code of graph.cu. */
#include "suite/case.h"

#include <stdlib.h>
#include <string.h>

/* Compressed rows; `sources` names the vertex of each edge. Targets of a vertex are sorted. */
typedef struct Graph {
    int n, edges;
    int *begins, *targets, *sources;
    uint64_t device_begins, device_targets;
} Graph;

static int compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Vertices have 1 to `most` edges to random ones, few of them many; some targets are sought after more. */
static Graph make_graph(Case *c, int n, uint32_t most, uint32_t seed)
{
    Graph g = {.n = n, .begins = case_array(c, (size_t)n + 1, sizeof(int))};
    const uint32_t *a = case_words(c, (size_t)n, most, seed), *b = case_words(c, (size_t)n, most, seed + 1);
    for (int v = 0; v < n; v++)
        g.begins[v + 1] = g.begins[v] + 1 + (int)(a[v] * b[v] / most);
    g.edges = g.begins[n];
    g.targets = (int *)case_words(c, (size_t)g.edges, (uint32_t)n, seed + 2);
    g.sources = case_array(c, (size_t)g.edges, sizeof(int));
    for (int v = 0; v < n; v++) {
        for (int e = g.begins[v]; e < g.begins[v + 1]; e++) {
            g.sources[e] = v;
            g.targets[e] = e % 4 ? g.targets[e] : g.targets[e] / 16;
        }
        qsort(g.targets + g.begins[v], (size_t)(g.begins[v + 1] - g.begins[v]), sizeof(int), compare_ints);
    }
    g.device_begins = case_buffer(c, g.begins, ((size_t)n + 1) * 4);
    g.device_targets = case_buffer(c, g.targets, (size_t)g.edges * 4);
    return g;
}

/* Vertices of the next level go to `next`; returns how many. */
static int next_level(const Graph *g, int *distances, const int *queue, int count, int *next, int level)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        for (int e = g->begins[queue[i]]; e < g->begins[queue[i] + 1]; e++)
            if (distances[g->targets[e]] < 0) {
                distances[g->targets[e]] = level;
                next[found++] = g->targets[e];
            }
    return found;
}

bool suite_bfs_queue(Host *host)
{
    Case c = {.host = host};
    const Graph g = make_graph(&c, case_size(host, 2000, 80000), 24, 1);
    const size_t bytes = (size_t)g.n * 4;
    int *distances = case_array(&c, bytes, 1), *queue = case_array(&c, bytes, 1),
        *next = case_array(&c, bytes, 1);
    memset(distances, 0xff, bytes);
    distances[0] = 0;
    int count = 1, level = 1;
    for (; count < g.n / 8; level++) {
        count = next_level(&g, distances, queue, count, next, level);
        memcpy(queue, next, (size_t)count * 4);
    }
    const uint64_t found = case_buffer(&c, distances, bytes), from = case_buffer(&c, queue, bytes),
                   to = case_buffer(&c, NULL, bytes), to_count = case_zeros(&c, 4);
    CASE_LAUNCH(&c, "bfs_queue", (count + 127) / 128, 128, WB_ARG(g.device_begins), WB_ARG(g.device_targets),
                WB_ARG(found), WB_ARG(from), WB_ARG(count), WB_ARG(to), WB_ARG(to_count), WB_ARG(level));
    count = next_level(&g, distances, queue, count, next, level);
    int *got = case_result(&c, to, bytes); /* in any order */
    qsort(got, (size_t)count, 4, compare_ints);
    qsort(next, (size_t)count, 4, compare_ints);
    const bool right = *(int *)case_result(&c, to_count, 4) == count &&
                       !memcmp(got, next, (size_t)count * 4) &&
                       !memcmp(case_result(&c, found, bytes), distances, bytes);
    return case_end(&c, right);
}

bool suite_sssp_relax(Host *host)
{
    Case c = {.host = host};
    const Graph g = make_graph(&c, case_size(host, 2000, 50000), 20, 2);
    const int *weights = (int *)case_words(&c, (size_t)g.edges, 100, 3);
    int *from = (int *)case_words(&c, (size_t)g.n, 1000, 4), *to = case_array(&c, (size_t)g.n, 4);
    for (int v = 0; v < g.n; v++)
        from[v] = from[v] % 3 ? from[v] : INT32_MAX; /* a third of them were not reached yet */
    memcpy(to, from, (size_t)g.n * 4);
    const uint64_t dw = case_buffer(&c, weights, (size_t)g.edges * 4),
                   df = case_buffer(&c, from, (size_t)g.n * 4), dt = case_buffer(&c, to, (size_t)g.n * 4);
    CASE_LAUNCH(&c, "sssp_relax", (g.n + 255) / 256, 256, WB_ARG(g.device_begins), WB_ARG(g.device_targets),
                WB_ARG(dw), WB_ARG(df), WB_ARG(dt), WB_ARG(g.n));
    for (int e = 0; e < g.edges; e++)
        if (from[g.sources[e]] != INT32_MAX && from[g.sources[e]] + weights[e] < to[g.targets[e]])
            to[g.targets[e]] = from[g.sources[e]] + weights[e];
    return case_end(&c, !memcmp(case_result(&c, dt, (size_t)g.n * 4), to, (size_t)g.n * 4));
}

bool suite_pagerank_pull(Host *host)
{
    Case c = {.host = host};
    const Graph g = make_graph(&c, case_size(host, 2000, 60000), 20, 5);
    const size_t bytes = (size_t)g.n * 4;
    const float *share = case_floats(&c, (size_t)g.n, 0, 1, 6);
    const uint64_t ds = case_buffer(&c, share, bytes), dr = case_buffer(&c, NULL, bytes);
    CASE_LAUNCH(&c, "pagerank_pull", (g.n + 191) / 192, 192, WB_ARG(g.device_begins),
                WB_ARG(g.device_targets), WB_ARG(ds), WB_ARG(dr), WB_ARG(g.n));
    const float *got = case_result(&c, dr, bytes);
    bool right = true;
    for (int v = 0; v < g.n; v++) {
        double sum = 0;
        for (int e = g.begins[v]; e < g.begins[v + 1]; e++)
            sum += share[g.targets[e]];
        right &= case_near(got[v], 0.15 / g.n + 0.85 * sum, 1e-5);
    }
    return case_end(&c, right);
}

/* The same walk through two lists; repeated targets count as the kernel counts them. */
static int common_targets(const Graph *g, int u, int v)
{
    int count = 0;
    for (int i = g->begins[u], k = g->begins[v]; i < g->begins[u + 1] && k < g->begins[v + 1];) {
        const int a = g->targets[i], b = g->targets[k];
        count += a == b, i += a <= b, k += b <= a;
    }
    return count;
}

bool suite_triangles_merge(Host *host)
{
    Case c = {.host = host};
    const Graph g = make_graph(&c, case_size(host, 200, 4000), 48, 7);
    const size_t bytes = (size_t)g.edges * 4;
    const uint64_t sources = case_buffer(&c, g.sources, bytes), counts = case_buffer(&c, NULL, bytes);
    CASE_LAUNCH(&c, "triangles_merge", (g.edges + 127) / 128, 128, WB_ARG(g.device_begins),
                WB_ARG(g.device_targets), WB_ARG(sources), WB_ARG(counts), WB_ARG(g.edges));
    const int *got = case_result(&c, counts, bytes);
    bool right = true;
    for (int e = 0; e < g.edges; e++)
        right &= got[e] == common_targets(&g, g.sources[e], g.targets[e]);
    return case_end(&c, right);
}
