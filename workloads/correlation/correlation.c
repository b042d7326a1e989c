#include "correlation/correlation.h"

#include "common/bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Inputs have 16 random bits, so that sums of them are exact enough to compare. */
static uint32_t next(uint32_t *state) { return random_next(state) >> 8; }
static float next_float(uint32_t *state) { return (float)(next(state) & 0xffff) / 65536.0f; }

static float *floats(size_t count, uint32_t seed)
{
    float *values = malloc(count * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = next_float(&seed);
    return values;
}

/* Kernels run in a size that tests take little time for, or in that of h200.csv. */
static int sized(const Host *host, int small, int measured) { return host->measured_size ? measured : small; }

static bool near(double got, double expected, double tolerance)
{
    return fabs(got - expected) <= tolerance * (1 + fabs(expected));
}

static bool vecadd(Host *host)
{
    int n = sized(host, 1 << 18, 1 << 21);
    size_t bytes = (size_t)n * 4;
    float *a = floats((size_t)n, 1), *b = floats((size_t)n, 2), *c = malloc(bytes);
    uint64_t da = host_buffer(host, a, bytes), db = host_buffer(host, b, bytes),
             dc = host_buffer(host, NULL, bytes);
    HOST_LAUNCH(host, "vecadd", dim((uint32_t)n / 256, 1, 1), dim(256, 1, 1), WB_ARG(da), WB_ARG(db),
                WB_ARG(dc), WB_ARG(n));
    host_read(host, c, dc, bytes);
    bool right = true;
    for (int i = 0; i < n; i++)
        right &= c[i] == a[i] + b[i];
    host_free(host, da), host_free(host, db), host_free(host, dc);
    free(a), free(b), free(c);
    return right;
}

/* x = x/2 + 1 again and again tends to 2 for every start; fmaf here takes the very same steps. */
static bool chain(Host *host, const char *kernel, int parallel, int n)
{
    enum { THREADS = 512 };
    int blocks = sized(host, 4, 132);
    size_t bytes = (size_t)blocks * THREADS * sizeof(float);
    float a = 0.5f, b = 1.0f, *got = malloc(bytes), expected[THREADS];
    uint64_t out = host_buffer(host, NULL, bytes);
    HOST_LAUNCH(host, kernel, dim((uint32_t)blocks, 1, 1), dim(THREADS, 1, 1), WB_ARG(out), WB_ARG(a),
                WB_ARG(b), WB_ARG(n));
    host_read(host, got, out, bytes);
    for (int t = 0; t < THREADS; t++) {
        expected[t] = 0;
        for (int k = 0; k < parallel; k++) {
            float x = (float)t + (float)k;
            for (int i = 0; i < n; i++)
                x = fmaf(x, a, b);
            expected[t] = k ? expected[t] + x : x;
        }
    }
    bool right = true;
    for (int block = 0; block < blocks; block++)
        right &= !memcmp(got + block * THREADS, expected, sizeof expected);
    host_free(host, out);
    free(got);
    return right;
}

static bool fma_chain(Host *host) { return chain(host, "fma_chain", 1, sized(host, 500, 2000)); }
static bool fma_ilp4(Host *host) { return chain(host, "fma_ilp4", 4, sized(host, 500, 1000)); }

static bool matmul16(Host *host)
{
    int n = sized(host, 128, 384);
    size_t count = (size_t)(n * n);
    float *a = floats(count, 3), *b = floats(count, 4), *c = malloc(count * 4);
    uint64_t da = host_buffer(host, a, count * 4), db = host_buffer(host, b, count * 4),
             dc = host_buffer(host, NULL, count * 4);
    HOST_LAUNCH(host, "matmul16", dim((uint32_t)n / 16, (uint32_t)n / 16, 1), dim(16, 16, 1), WB_ARG(da),
                WB_ARG(db), WB_ARG(dc), WB_ARG(n));
    host_read(host, c, dc, count * 4);
    bool right = true;
    for (int i = 0; i < n; i += 5)
        for (int j = 0; j < n; j += 3) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += (double)a[i * n + k] * b[k * n + j];
            right &= near(c[i * n + j], sum, 1e-5);
        }
    host_free(host, da), host_free(host, db), host_free(host, dc);
    free(a), free(b), free(c);
    return right;
}

static bool stencil5(Host *host)
{
    int w = sized(host, 512, 2048), h = sized(host, 256, 1024);
    size_t count = (size_t)(w * h);
    float *a = floats(count, 5), *got = malloc(count * 4);
    uint64_t in = host_buffer(host, a, count * 4), out = host_buffer(host, NULL, count * 4);
    HOST_LAUNCH(host, "stencil5", dim((uint32_t)w / 32, (uint32_t)h / 8, 1), dim(32, 8, 1), WB_ARG(in),
                WB_ARG(out), WB_ARG(w), WB_ARG(h));
    host_read(host, got, out, count * 4);
    bool right = true;
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            int i = y * w + x;
            right &= near(got[i], 0.2 * ((double)a[i] + a[i - 1] + a[i + 1] + a[i - w] + a[i + w]), 1e-6);
        }
    host_free(host, in), host_free(host, out);
    free(a), free(got);
    return right;
}

static bool reduce(Host *host)
{
    enum { MAX_BLOCKS = 264 };
    int n = sized(host, 1 << 18, 1 << 21), blocks = sized(host, 66, MAX_BLOCKS);
    float *a = floats((size_t)n, 6), got[MAX_BLOCKS] = {0};
    double sum = 0, total = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    uint64_t in = host_buffer(host, a, (size_t)n * 4), out = host_buffer(host, NULL, sizeof got);
    HOST_LAUNCH(host, "reduce", dim((uint32_t)blocks, 1, 1), dim(256, 1, 1), WB_ARG(in), WB_ARG(out),
                WB_ARG(n));
    host_read(host, got, out, sizeof got);
    for (int i = 0; i < blocks; i++)
        total += got[i];
    host_free(host, in), host_free(host, out);
    free(a);
    return near(total, sum, 1e-5);
}

static bool transpose(Host *host, const char *kernel)
{
    int n = sized(host, 256, 1024);
    size_t count = (size_t)(n * n);
    float *a = floats(count, 7), *got = malloc(count * 4);
    uint64_t in = host_buffer(host, a, count * 4), out = host_buffer(host, NULL, count * 4);
    HOST_LAUNCH(host, kernel, dim((uint32_t)n / 32, (uint32_t)n / 32, 1), dim(32, 8, 1), WB_ARG(in),
                WB_ARG(out), WB_ARG(n));
    host_read(host, got, out, count * 4);
    bool right = true;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            right &= got[i * n + j] == a[j * n + i];
    host_free(host, in), host_free(host, out);
    free(a), free(got);
    return right;
}

static bool transpose_naive(Host *host) { return transpose(host, "transpose_naive"); }
static bool transpose_tiled(Host *host) { return transpose(host, "transpose_tiled"); }

static bool histogram(Host *host)
{
    int n = sized(host, 1 << 18, 1 << 21);
    uint32_t seed = 8, expected[256] = {0}, got[256];
    uint8_t *a = malloc((size_t)n);
    for (int i = 0; i < n; i++)
        expected[a[i] = (uint8_t)next(&seed)]++;
    memset(got, 0, sizeof got);
    uint64_t in = host_buffer(host, a, (size_t)n), out = host_buffer(host, got, sizeof got);
    HOST_LAUNCH(host, "histogram", dim((uint32_t)sized(host, 33, 264), 1, 1), dim(256, 1, 1), WB_ARG(in),
                WB_ARG(out), WB_ARG(n));
    host_read(host, got, out, sizeof got);
    host_free(host, in), host_free(host, out);
    free(a);
    return !memcmp(got, expected, sizeof got);
}

/* Rows of between 1 and 13 random columns. */
typedef struct Sparse {
    int n, *row, *column;
    size_t count;
} Sparse;

/* The seed gives the very graph that was measured; how many vertices a level of bfs has hangs on it. */
static Sparse sparse_matrix(int n)
{
    uint32_t seed = 214113593;
    Sparse m = {n, malloc((size_t)(n + 1) * sizeof(int)), malloc((size_t)n * 13 * sizeof(int)), 0};
    for (int i = 0; i < n; i++) {
        m.row[i] = (int)m.count;
        uint32_t edges = 1 + (next(&seed) % 8) * (next(&seed) % 8) / 4;
        for (uint32_t k = 0; k < edges; k++)
            m.column[m.count++] = (int)(next(&seed) % (uint32_t)n);
    }
    m.row[n] = (int)m.count;
    return m;
}

static void sparse_free(Sparse *m) { free(m->row), free(m->column); }

static void sparse_level(const Sparse *m, int *distance, int level)
{
    for (int v = 0; v < m->n; v++)
        for (int e = m->row[v]; distance[v] == level && e < m->row[v + 1]; e++)
            if (distance[m->column[e]] < 0)
                distance[m->column[e]] = level + 1;
}

static bool bfs_level(Host *host)
{
    Sparse m = sparse_matrix(sized(host, 1 << 14, 1 << 17));
    size_t bytes = (size_t)m.n * sizeof(int);
    int *distance = malloc(bytes), *got = malloc(bytes), level = 4, zero = 0;
    memset(distance, 0xFF, bytes);
    distance[0] = 0;
    for (int l = 0; l < level; l++)
        sparse_level(&m, distance, l);
    uint64_t row = host_buffer(host, m.row, bytes + sizeof(int)),
             column = host_buffer(host, m.column, m.count * sizeof(int));
    uint64_t found = host_buffer(host, distance, bytes), changed = host_buffer(host, &zero, sizeof zero);
    HOST_LAUNCH(host, "bfs_level", dim((uint32_t)m.n / 256, 1, 1), dim(256, 1, 1), WB_ARG(row),
                WB_ARG(column), WB_ARG(found), WB_ARG(m.n), WB_ARG(level), WB_ARG(changed));
    host_read(host, got, found, bytes);
    sparse_level(&m, distance, level);
    bool right = !memcmp(got, distance, bytes);
    host_free(host, row), host_free(host, column), host_free(host, found), host_free(host, changed);
    free(distance), free(got);
    sparse_free(&m);
    return right;
}

static bool spmv_csr(Host *host)
{
    Sparse m = sparse_matrix(sized(host, 1 << 14, 1 << 17));
    size_t n = (size_t)m.n;
    float *value = floats(m.count, 10), *x = floats(n, 11), *got = malloc(n * 4);
    uint64_t row = host_buffer(host, m.row, (n + 1) * sizeof(int)),
             column = host_buffer(host, m.column, m.count * sizeof(int));
    uint64_t values = host_buffer(host, value, m.count * 4), dx = host_buffer(host, x, n * 4),
             y = host_buffer(host, NULL, n * 4);
    HOST_LAUNCH(host, "spmv_csr", dim((uint32_t)m.n / 256, 1, 1), dim(256, 1, 1), WB_ARG(row), WB_ARG(column),
                WB_ARG(values), WB_ARG(dx), WB_ARG(y), WB_ARG(m.n));
    host_read(host, got, y, n * 4);
    bool right = true;
    for (int i = 0; i < m.n; i++) {
        double sum = 0;
        for (int e = m.row[i]; e < m.row[i + 1]; e++)
            sum += (double)value[e] * x[m.column[e]];
        right &= near(got[i], sum, 1e-5);
    }
    host_free(host, row), host_free(host, column), host_free(host, values), host_free(host, dx),
        host_free(host, y);
    free(value), free(x), free(got);
    sparse_free(&m);
    return right;
}

static bool nbody(Host *host)
{
    int n = sized(host, 512, 4096);
    size_t bytes = (size_t)n * 16;
    float *p = floats((size_t)n * 4, 12), *got = malloc(bytes);
    uint64_t position = host_buffer(host, p, bytes), acceleration = host_buffer(host, NULL, bytes);
    HOST_LAUNCH(host, "nbody", dim((uint32_t)n / 128, 1, 1), dim(128, 1, 1), WB_ARG(position),
                WB_ARG(acceleration), WB_ARG(n));
    host_read(host, got, acceleration, bytes);
    bool right = bodies_are_right(p, got, n, 11);
    host_free(host, position), host_free(host, acceleration);
    free(p), free(got);
    return right;
}

static bool scan_block(Host *host)
{
    int n = sized(host, 1 << 14, 1 << 19);
    size_t bytes = (size_t)n * sizeof(int);
    int *a = malloc(bytes), *got = malloc(bytes);
    uint32_t seed = 13;
    for (int i = 0; i < n; i++)
        a[i] = (int)(next(&seed) & 15);
    uint64_t in = host_buffer(host, a, bytes), out = host_buffer(host, NULL, bytes);
    HOST_LAUNCH(host, "scan_block", dim((uint32_t)n / 256, 1, 1), dim(256, 1, 1), WB_ARG(in), WB_ARG(out));
    host_read(host, got, out, bytes);
    bool right = true;
    for (int i = 0, sum = 0; i < n; i++) {
        sum = i % 256 ? sum + a[i] : a[i];
        right &= got[i] == sum;
    }
    host_free(host, in), host_free(host, out);
    free(a), free(got);
    return right;
}

static bool gather(Host *host)
{
    int n = sized(host, 1 << 16, 1 << 20);
    size_t from = (size_t)sized(host, 1 << 18, 1 << 22);
    float *a = floats(from, 14), *got = malloc((size_t)n * 4);
    int *index = malloc((size_t)n * sizeof(int));
    uint32_t seed = 15;
    for (int i = 0; i < n; i++)
        index[i] = (int)(next(&seed) & (from - 1));
    uint64_t in = host_buffer(host, a, from * 4), at = host_buffer(host, index, (size_t)n * 4),
             out = host_buffer(host, NULL, (size_t)n * 4);
    HOST_LAUNCH(host, "gather", dim((uint32_t)n / 256, 1, 1), dim(256, 1, 1), WB_ARG(in), WB_ARG(at),
                WB_ARG(out), WB_ARG(n));
    host_read(host, got, out, (size_t)n * 4);
    bool right = true;
    for (int i = 0; i < n; i++)
        right &= got[i] == a[index[i]];
    host_free(host, in), host_free(host, at), host_free(host, out);
    free(a), free(index), free(got);
    return right;
}

static bool atomic_hot(Host *host)
{
    int n = 16;
    uint32_t counters[8] = {0};
    uint64_t c = host_buffer(host, counters, sizeof counters);
    HOST_LAUNCH(host, "atomic_hot", dim(128, 1, 1), dim(128, 1, 1), WB_ARG(c), WB_ARG(n));
    host_read(host, counters, c, sizeof counters);
    host_free(host, c);
    bool right = true;
    for (int i = 0; i < 8; i++)
        right &= counters[i] == 16u * 16 * 128;
    return right;
}

const CorrelationKernel correlation_kernels[CORRELATION_COUNT] = {
    {"vecadd", "Sum of two vectors", vecadd},
    {"fma_chain", "Multiply-adds, each needing the one before", fma_chain},
    {"fma_ilp4", "Four independent chains of multiply-adds", fma_ilp4},
    {"matmul16", "Product of two matrices in 16 x 16 tiles", matmul16},
    {"stencil5", "A five-point stencil", stencil5},
    {"reduce", "Sum of a vector through shared memory", reduce},
    {"transpose_naive", "Transposed matrix, with scattered stores", transpose_naive},
    {"transpose_tiled", "Transposed matrix, through shared memory", transpose_tiled},
    {"histogram", "Histogram by atomics in shared memory", histogram},
    {"bfs_level", "One level of a breadth-first search", bfs_level},
    {"spmv_csr", "Sparse matrix times vector", spmv_csr},
    {"nbody", "Gravity between all pairs of bodies", nbody},
    {"scan_block", "Prefix sums within blocks", scan_block},
    {"gather", "Loads from random places", gather},
    {"atomic_hot", "Atomics on a few addresses", atomic_hot},
};
