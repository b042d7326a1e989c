#include "six/six.h"

#include "common/bodies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float *random_floats(size_t count, uint32_t seed)
{
    float *values = malloc(count * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = random_float(&seed);
    return values;
}

static bool vectoradd(Host *host, int n, int unused)
{
    (void)unused;
    size_t bytes = (size_t)n * sizeof(float);
    float *a = random_floats((size_t)n, 1), *b = random_floats((size_t)n, 2), *c = malloc(bytes);
    uint64_t da = host_buffer(host, a, bytes), db = host_buffer(host, b, bytes),
             dc = host_buffer(host, NULL, bytes);
    HOST_LAUNCH(host, "vectoradd", dim((uint32_t)(n + 255) / 256, 1, 1), dim(256, 1, 1), WB_ARG(da),
                WB_ARG(db), WB_ARG(dc), WB_ARG(n));
    host_read(host, c, dc, bytes);
    bool right = true;
    for (int i = 0; i < n; i++)
        right &= c[i] == a[i] + b[i];
    host_free(host, da), host_free(host, db), host_free(host, dc);
    free(a), free(b), free(c);
    return right;
}

static bool matmul(Host *host, int n, int unused)
{
    (void)unused;
    enum { TILE = 16 };
    size_t count = (size_t)n * (size_t)n, bytes = count * sizeof(float);
    float *a = random_floats(count, 2), *b = random_floats(count, 3), *c = malloc(bytes);
    uint64_t da = host_buffer(host, a, bytes), db = host_buffer(host, b, bytes),
             dc = host_buffer(host, NULL, bytes);
    uint32_t tiles = (uint32_t)n / TILE;
    HOST_LAUNCH(host, "matmul", dim(tiles, tiles, 1), dim(TILE, TILE, 1), WB_ARG(da), WB_ARG(db), WB_ARG(dc),
                WB_ARG(n));
    host_read(host, c, dc, bytes);
    bool right = true;
    for (size_t i = 0; i < (size_t)n; i += 7)
        for (size_t j = 0; j < (size_t)n; j += 11) {
            double sum = 0;
            for (size_t k = 0; k < (size_t)n; k++)
                sum += (double)a[i * (size_t)n + k] * b[k * (size_t)n + j];
            right &= fabs(sum - c[i * (size_t)n + j]) <= 1e-5 * fabs(sum);
        }
    host_free(host, da), host_free(host, db), host_free(host, dc);
    free(a), free(b), free(c);
    return right;
}

static float stencil_at(const float *a, int n, int x, int y, float outside)
{
    return x < 0 || y < 0 || x >= n || y >= n ? outside : a[y * n + x];
}

static void stencil_step(const float *from, float *to, int n)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float v = from[y * n + x];
            float around = stencil_at(from, n, x, y - 1, v) + stencil_at(from, n, x, y + 1, v) +
                           stencil_at(from, n, x - 1, y, v) + stencil_at(from, n, x + 1, y, v);
            to[y * n + x] = 0.5f * v + 0.125f * around;
        }
}

static bool stencil(Host *host, int n, int steps)
{
    enum { TILE = 16 };
    size_t count = (size_t)n * (size_t)n, bytes = count * sizeof(float);
    float *a = random_floats(count, 3), *b = malloc(bytes), *got = malloc(bytes);
    float center = 0.5f, around = 0.125f;
    uint64_t from = host_buffer(host, a, bytes), to = host_buffer(host, NULL, bytes);
    for (int t = 0; t < steps; t++) {
        HOST_LAUNCH(host, "stencil", dim((uint32_t)n / TILE, (uint32_t)n / TILE, 1), dim(TILE, TILE, 1),
                    WB_ARG(from), WB_ARG(to), WB_ARG(n), WB_ARG(n), WB_ARG(center), WB_ARG(around));
        uint64_t other = from;
        from = to, to = other;
        stencil_step(a, b, n);
        float *swap = a;
        a = b, b = swap;
    }
    host_read(host, got, from, bytes);
    bool right = true;
    for (size_t i = 0; i < count; i++)
        right &= fabsf(a[i] - got[i]) <= 1e-6f;
    host_free(host, from), host_free(host, to);
    free(a), free(b), free(got);
    return right;
}

static bool reduction(Host *host, int n, int blocks)
{
    size_t bytes = (size_t)n * sizeof(float);
    float *a = random_floats((size_t)n, 4), got;
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    uint64_t in = host_buffer(host, a, bytes),
             partial = host_buffer(host, NULL, (size_t)blocks * sizeof(float));
    uint64_t out = host_buffer(host, NULL, sizeof(float));
    HOST_LAUNCH(host, "reduction", dim((uint32_t)blocks, 1, 1), dim(256, 1, 1), WB_ARG(in), WB_ARG(partial),
                WB_ARG(n));
    HOST_LAUNCH(host, "reduction", dim(1, 1, 1), dim(256, 1, 1), WB_ARG(partial), WB_ARG(out),
                WB_ARG(blocks));
    host_read(host, &got, out, sizeof got);
    host_free(host, in), host_free(host, partial), host_free(host, out);
    free(a);
    return fabs(got - sum) < 1e-5 * sum;
}

/* A random graph in rows of edges: vertex v's are column[row[v]] .. column[row[v + 1] - 1]. */
typedef struct Graph {
    int *row, *column, vertices, edges;
} Graph;

static Graph random_graph(int vertices, int degree)
{
    uint32_t seed = 5;
    Graph graph = {malloc((size_t)(vertices + 1) * sizeof(int)),
                   malloc((size_t)vertices * (size_t)degree * sizeof(int)), vertices, 0};
    for (int v = 0; v < vertices; v++) {
        graph.row[v] = graph.edges;
        int edges = 1 + (int)(random_next(&seed) >> 8) % degree;
        for (int k = 0; k < edges; k++)
            graph.column[graph.edges++] = (int)((random_next(&seed) >> 4) % (uint32_t)vertices);
    }
    graph.row[vertices] = graph.edges;
    return graph;
}

static void breadth_first(const Graph *graph, int *distance)
{
    int *queue = malloc((size_t)graph->vertices * sizeof(int)), count = 1;
    memset(distance, 0xFF, (size_t)graph->vertices * sizeof(int));
    distance[queue[0] = 0] = 0;
    for (int head = 0; head < count; head++)
        for (int i = graph->row[queue[head]]; i < graph->row[queue[head] + 1]; i++) {
            int to = graph->column[i];
            if (distance[to] < 0) {
                distance[to] = distance[queue[head]] + 1;
                queue[count++] = to;
            }
        }
    free(queue);
}

static bool bfs(Host *host, int n, int degree)
{
    Graph graph = random_graph(n, degree);
    size_t bytes = (size_t)n * sizeof(int);
    int *distance = malloc(bytes), *expected = malloc(bytes), zero = 0, changed = 1;
    memset(distance, 0xFF, bytes);
    distance[0] = 0;
    uint64_t row = host_buffer(host, graph.row, bytes + sizeof(int));
    uint64_t column = host_buffer(host, graph.column, (size_t)graph.edges * sizeof(int));
    uint64_t found = host_buffer(host, distance, bytes), flag = host_buffer(host, &zero, sizeof zero);
    for (int level = 0; changed && host->status == WB_OK; level++) {
        host_write(host, flag, &zero, sizeof zero);
        HOST_LAUNCH(host, "bfs", dim((uint32_t)(n + 255) / 256, 1, 1), dim(256, 1, 1), WB_ARG(row),
                    WB_ARG(column), WB_ARG(found), WB_ARG(level), WB_ARG(flag), WB_ARG(n));
        host_read(host, &changed, flag, sizeof changed);
    }
    host_read(host, distance, found, bytes);
    breadth_first(&graph, expected);
    bool right = !memcmp(distance, expected, bytes);
    host_free(host, row), host_free(host, column), host_free(host, found), host_free(host, flag);
    free(graph.row), free(graph.column), free(distance), free(expected);
    return right;
}

static bool nbody(Host *host, int n, int unused)
{
    (void)unused;
    enum { TILE = 128 };
    size_t bytes = (size_t)n * 4 * sizeof(float);
    float *p = random_floats((size_t)n * 4, 6), *a = malloc(bytes);
    uint64_t position = host_buffer(host, p, bytes), acceleration = host_buffer(host, NULL, bytes);
    HOST_LAUNCH(host, "nbody", dim((uint32_t)n / TILE, 1, 1), dim(TILE, 1, 1), WB_ARG(position),
                WB_ARG(acceleration), WB_ARG(n));
    host_read(host, a, acceleration, bytes);
    bool right = bodies_are_right(p, a, n, 37);
    host_free(host, position), host_free(host, acceleration);
    free(p), free(a);
    return right;
}

const SixProgram six_programs[SIX_COUNT] = {
    {"vectoradd", "Sum of two vectors", 524288, 0, vectoradd},
    {"matmul", "Product of two matrices in shared-memory tiles", 192, 0, matmul},
    {"stencil", "A five-point stencil", 512, 1, stencil},
    {"reduction", "Sum of a vector in two launches", 1048576, 256, reduction},
    {"bfs", "Breadth-first search, a launch for every level", 16384, 12, bfs},
    {"nbody", "Gravity between all pairs of bodies", 1536, 0, nbody},
};

bool six_run(const SixProgram *program, WbGpu *gpu, const char *directory, int size, Host *host)
{
    char file[64];
    snprintf(file, sizeof file, "%s.ptx", program->name);
    *host = host_begin(gpu, directory, file);
    bool right = program->run(host, size, program->second);
    if (!right && host->status == WB_OK)
        snprintf(host->error, sizeof host->error, "the result is wrong");
    return right && host->status == WB_OK;
}
