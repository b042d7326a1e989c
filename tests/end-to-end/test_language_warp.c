/* Lanes that exchange values and threads that share memory: shuffles, votes, cooperative groups, atomics,
 * locks, and blocks that depend on each other. */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 96 };

static void fill(int *in, int count, unsigned limit)
{
    uint32_t state = 17;
    for (int i = 0; i < count; i++)
        in[i] = (int)(kernels_random(&state) % limit);
}

/* Runs a kernel that takes an array of THREADS integers and gives `words` of them for each thread. */
static void run_lanes(Kernels *kernels, const char *name, const int *in, int *out, int words)
{
    size_t bytes = (size_t)(THREADS * words) * sizeof *out;
    memset(out, 0, bytes);
    uint64_t from = kernels_upload(kernels, in, THREADS * sizeof *in),
             to = kernels_upload(kernels, out, bytes);
    KERNELS_RUN(kernels, name, 1, THREADS, 0, WB_ARG(from), WB_ARG(to));
    kernels_download(kernels, to, out, bytes);
    assert_int_equal(wb_free(kernels->gpu, from), WB_OK);
}

static void expect_shuffles(const int *in, int t, int *to)
{
    int lane = t % 32;
    const int *warp = in + t - lane;
    to[0] = warp[warp[lane] & 31];
    to[1] = lane >= 3 ? warp[lane - 3] : warp[lane];
    to[2] = lane % 16 + 5 < 16 ? warp[lane + 5] : warp[lane];
    to[3] = warp[lane ^ 7];
    to[4] = warp[lane / 4 * 4 + 1];
    to[5] = lane < 20 ? warp[(t + 1) % 20] : lane & 1 ? warp[21] : -1;
    to[6] = to[7] = 0;
}

static void check_shuffles(Kernels *kernels)
{
    int in[THREADS], out[THREADS * 8] = {0}, expected[THREADS * 8];
    double doubles[THREADS] = {0};
    fill(in, THREADS, 1000);
    uint64_t from = kernels_upload(kernels, in, sizeof in), to = kernels_upload(kernels, out, sizeof out);
    uint64_t sums = kernels_upload(kernels, doubles, sizeof doubles);
    KERNELS_RUN(kernels, "shuffles", 1, THREADS, 0, WB_ARG(from), WB_ARG(to), WB_ARG(sums));
    kernels_download(kernels, to, out, sizeof out);
    kernels_download(kernels, sums, doubles, sizeof doubles);
    for (int t = 0; t < THREADS; t++)
        expect_shuffles(in, t, expected + t * 8);
    kernels_same(kernels, "shuffles", out, expected, sizeof *out, THREADS * 8);
    for (int warp = 0; warp < THREADS; warp += 32) {
        double sum = 0;
        for (int i = 0; i < 32; i++)
            sum += in[warp + i] * 0.25;
        assert_true(doubles[warp] == sum);
    }
}

static uint32_t lanes_where(const int *warp, int (*key)(int), int value)
{
    uint32_t lanes = 0;
    for (int i = 0; i < 32; i++)
        lanes |= (uint32_t)(key(warp[i]) == value) << i;
    return lanes;
}

static int lowest_bit(int x) { return x & 1; }
static int modulo_3(int x) { return x % 3; }
static int modulo_5(int x) { return x % 5; }

static void expect_votes(const int *warp, int x, uint32_t *to)
{
    uint32_t sum = 0, bits = 0;
    int largest = warp[0], smallest = warp[0], any = 0;
    for (int i = 0; i < 32; i++) {
        sum += (uint32_t)warp[i];
        bits ^= (uint32_t)warp[i];
        largest = warp[i] > largest ? warp[i] : largest;
        smallest = warp[i] < smallest ? warp[i] : smallest;
        any |= warp[i] == 7;
    }
    to[0] = lanes_where(warp, lowest_bit, 1);
    to[1] = (uint32_t)any | 2;
    to[2] = lanes_where(warp, modulo_5, x % 5);
    to[3] = UINT32_MAX;
    to[4] = 1;
    to[5] = lanes_where(warp, modulo_3, x % 3);
    to[6] = x % 3 == 0 ? lanes_where(warp, modulo_3, 0) : 0;
    to[7] = sum + (uint32_t)largest * 3 + (uint32_t)smallest * 5 + bits;
}

static void check_votes(Kernels *kernels)
{
    int in[THREADS], out[THREADS * 8];
    uint32_t expected[THREADS * 8];
    fill(in, THREADS, 1000);
    run_lanes(kernels, "votes", in, out, 8);
    for (int t = 0; t < THREADS; t++)
        expect_votes(in + t / 32 * 32, in[t], expected + t * 8);
    kernels_same(kernels, "votes", out, expected, sizeof *out, THREADS * 8);
}

static int tile_sum(const int *in, int t, int size)
{
    int sum = 0;
    for (int i = 0; i < size; i++)
        sum += in[t / size * size + i];
    return sum;
}

/* The lanes of t's warp that are in the same branch of the kernel. */
static bool in_branch(const int *in, int t, int branch)
{
    int mine = in[t] % 3 == 1 ? 1 : t / 8 % 2 ? 2 : 0;
    return mine == branch;
}

static void expect_tiles(const int *in, int t, int *to)
{
    int branch = in_branch(in, t, 1)   ? 1
                 : in_branch(in, t, 2) ? 2
                                       : 0,
        size = 0, rank = 0, first = -1, largest = -1;
    memset(to, 0, 8 * sizeof *to);
    to[0] = tile_sum(in, t, 4) * 100 + t % 4 + t / 4;
    to[1] = tile_sum(in, t, 16) * 100 + t % 16 + t / 16;
    to[2] = tile_sum(in, t, 32) * 100 + t % 32 + t / 32;
    to[3] = tile_sum(in, t, 8);
    for (int i = t / 8 * 8; i <= t; i++)
        to[4] += in[i];
    for (int i = t / 32 * 32; i < t / 32 * 32 + 32; i++)
        if (in_branch(in, i, branch)) {
            size++;
            rank += i < t;
            first = first < 0 ? in[i] : first;
            largest = in[i] > largest ? in[i] : largest;
        }
    to[5] = branch == 1 ? size * 100 + rank : branch == 2 ? size : 0;
    to[6] = branch == 1 ? first : 0;
    to[7] = branch == 1 ? largest : 0;
}

static void check_tiles(Kernels *kernels)
{
    int in[THREADS], out[THREADS * 8], expected[THREADS * 8];
    fill(in, THREADS, 1000);
    run_lanes(kernels, "tiles", in, out, 8);
    for (int t = 0; t < THREADS; t++)
        expect_tiles(in, t, expected + t * 8);
    kernels_same(kernels, "tiles", out, expected, sizeof *out, THREADS * 8);
}

static void check_partitions(Kernels *kernels)
{
    int in[THREADS], out[THREADS * 2], expected[THREADS * 2];
    fill(in, THREADS, 1000);
    run_lanes(kernels, "partitions", in, out, 2);
    for (int t = 0; t < THREADS; t++) {
        int size = 0, rank = 0, sum = 0;
        for (int i = t / 32 * 32; i < t / 32 * 32 + 32; i++)
            if (in[i] % 4 == in[t] % 4)
                size++, rank += i < t, sum += in[i];
        expected[t * 2] = size * 100 + rank;
        expected[t * 2 + 1] = sum;
    }
    kernels_same(kernels, "partitions", out, expected, sizeof *out, THREADS * 2);
}

static void check_large_tiles(Kernels *kernels)
{
    enum { COUNT = 128 };
    int in[COUNT], out[COUNT] = {0}, expected[COUNT];
    fill(in, COUNT, 1000);
    uint64_t from = kernels_upload(kernels, in, sizeof in), to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "large_tiles", 1, COUNT, 0, WB_ARG(from), WB_ARG(to));
    kernels_download(kernels, to, out, sizeof out);
    for (int t = 0; t < COUNT; t++)
        expected[t] = tile_sum(in, t, 64) + t % 64 + in[t / 64 * 64 + 40] + 7;
    kernels_same(kernels, "large_tiles", out, expected, sizeof *out, COUNT);
}

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void check_compact(Kernels *kernels)
{
    enum { COUNT = 512 };
    int in[COUNT], out[COUNT] = {0}, expected[COUNT] = {0}, counter = 0, kept = 0;
    fill(in, COUNT, 100000);
    for (int i = 0; i < COUNT; i++)
        if (in[i] % 7 < 3)
            expected[kept++] = in[i];
    uint64_t from = kernels_upload(kernels, in, sizeof in), to = kernels_upload(kernels, out, sizeof out);
    uint64_t cell = kernels_upload(kernels, &counter, sizeof counter);
    KERNELS_RUN(kernels, "compact", COUNT / 128, 128, 0, WB_ARG(from), WB_ARG(to), WB_ARG(cell));
    kernels_download(kernels, to, out, sizeof out);
    kernels_download(kernels, cell, &counter, sizeof counter);
    assert_int_equal(counter, kept);
    qsort(out, (size_t)kept, sizeof *out, ascending);
    qsort(expected, (size_t)kept, sizeof *expected, ascending);
    kernels_same(kernels, "compact", out, expected, sizeof *out, COUNT);
}

static void test_lanes(void **state)
{
    static KernelsTest *const checks[] = {check_shuffles,   check_votes,       check_tiles,
                                          check_partitions, check_large_tiles, check_compact};
    (void)state;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        kernels_each("warp", checks[i]);
}

/* As the device declares it. */
typedef struct Cells {
    int add_i, sub_i, min_i, max_i, and_i, or_i, xor_i;
    unsigned add_u, min_u, max_u, inc_u, dec_u, exch_u, cas_u;
    unsigned long long add_l, min_l, max_l, and_l, or_l, xor_l, cas_l;
    long long min_s, max_s;
    float add_f, cas_f;
    double add_d;
    uint16_t add_h2[2];
    uint16_t add_h;
    unsigned short cas_s, exch_count;
    unsigned before;
} Cells;

static Cells first_cells(void)
{
    Cells cells;
    memset(&cells, 0, sizeof cells);
    cells.min_i = 10;
    cells.and_i = -1;
    cells.min_u = UINT32_MAX;
    cells.min_l = UINT64_MAX;
    cells.and_l = UINT64_MAX;
    cells.cas_l = 499980;
    return cells;
}

static void touch(Cells *c, int t)
{
    c->add_i += t - 5;
    c->sub_i -= t;
    c->min_i = -t * 3 < c->min_i ? -t * 3 : c->min_i;
    c->max_i = t * 3 - 100 > c->max_i ? t * 3 - 100 : c->max_i;
    c->and_i &= ~(1 << t % 17);
    c->or_i |= 1 << t % 29;
    c->xor_i ^= t * 77;
    c->before += c->add_u++;
    c->min_u = 4000000000u - (unsigned)t < c->min_u ? 4000000000u - (unsigned)t : c->min_u;
    c->max_u = 4000000000u + (unsigned)t;
    c->inc_u = c->inc_u >= 9 ? 0 : c->inc_u + 1;
    c->dec_u = c->dec_u == 0 || c->dec_u > 12 ? 12 : c->dec_u - 1;
    c->exch_u = c->exch_count = 1;
    c->add_l += 1ull << t % 40;
    c->min_l = ~0ull - (unsigned)t;
    c->max_l = (1ull << 63) + (unsigned)t;
    c->and_l &= ~(1ull << t % 50);
    c->or_l |= 1ull << t % 61;
    c->xor_l ^= (unsigned long long)t << 33;
    c->min_s = -(1ll << 40) - t;
    c->max_s = (1ll << 40) + t;
    c->add_f += 0.25f;
    c->add_d += t * 0.125;
    c->cas_u += 3;
    c->cas_l += c->cas_l * 2 > 1000000 ? 2 : 1;
    c->cas_f += 2;
    c->cas_s = (unsigned short)(c->cas_s + 5);
}

static void check_cells(Kernels *kernels, const char *name)
{
    Cells cells = first_cells(), expected = cells;
    uint64_t device = kernels_upload(kernels, &cells, sizeof cells);
    KERNELS_RUN(kernels, name, 1, THREADS, 0, WB_ARG(device));
    kernels_download(kernels, device, &cells, sizeof cells);
    for (int t = 0; t < THREADS; t++)
        touch(&expected, t);
    expected.add_h2[0] = 0x5600; /* 96 */
    expected.add_h2[1] = 0x5200; /* 48 */
    expected.add_h = 0x5200;
    kernels_same(kernels, name, &cells, &expected, 2, offsetof(Cells, before) / 2 - 1);
    assert_int_equal(cells.before, expected.before);
}

static void check_atomics(Kernels *kernels)
{
    check_cells(kernels, "global_atomics");
    check_cells(kernels, "shared_atomics");
}

static void check_histogram(Kernels *kernels)
{
    enum { COUNT = 5000 };
    static int in[COUNT];
    uint32_t out[64] = {0}, expected[64] = {0};
    int count = COUNT;
    fill(in, COUNT, 1000);
    for (int i = 0; i < COUNT; i++)
        expected[in[i] % 64]++;
    uint64_t from = kernels_upload(kernels, in, sizeof in), to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "histogram", 6, 100, 0, WB_ARG(from), WB_ARG(to), WB_ARG(count));
    kernels_download(kernels, to, out, sizeof out);
    kernels_same(kernels, "histogram", out, expected, sizeof *out, 64);
}

static void check_locks(Kernels *kernels)
{
    int lock = 0, value[2] = {0, 0}, parity = 0;
    uint64_t lock_at = kernels_upload(kernels, &lock, sizeof lock),
             value_at = kernels_upload(kernels, value, sizeof value);
    KERNELS_RUN(kernels, "spin_lock", 5, 64, 0, WB_ARG(lock_at), WB_ARG(value_at));
    KERNELS_RUN(kernels, "naive_lock", 3, 32, 0, WB_ARG(lock_at), WB_ARG(value_at));
    kernels_download(kernels, value_at, value, sizeof value);
    for (int i = 0; i < 5 * 64; i++)
        parity ^= i;
    assert_int_equal(value[0], 5 * 64 + 3 * 32);
    assert_int_equal(value[1], parity);
}

static void check_last_block(Kernels *kernels)
{
    enum { BLOCKS = 40 };
    int in[BLOCKS * 128], partial[BLOCKS] = {0}, total = 0, expected = 0;
    uint32_t done = 0;
    fill(in, BLOCKS * 128, 1000);
    for (int i = 0; i < BLOCKS * 128; i++)
        expected += in[i];
    uint64_t at[4] = {
        kernels_upload(kernels, in, sizeof in), kernels_upload(kernels, partial, sizeof partial),
        kernels_upload(kernels, &done, sizeof done), kernels_upload(kernels, &total, sizeof total)};
    for (int run = 0; run < 2; run++) /* the counter wraps by itself */
        KERNELS_RUN(kernels, "last_block", BLOCKS, 128, 0, WB_ARG(at[0]), WB_ARG(at[1]), WB_ARG(at[2]),
                    WB_ARG(at[3]));
    kernels_download(kernels, at[3], &total, sizeof total);
    kernels_download(kernels, at[2], &done, sizeof done);
    assert_int_equal(total, expected);
    assert_int_equal(done, 0);
}

static void check_relay(Kernels *kernels)
{
    int token = 0, order[200] = {0};
    uint64_t token_at = kernels_upload(kernels, &token, sizeof token),
             order_at = kernels_upload(kernels, order, sizeof order);
    KERNELS_RUN(kernels, "relay", 200, 32, 0, WB_ARG(token_at), WB_ARG(order_at));
    kernels_download(kernels, order_at, order, sizeof order);
    for (int i = 0; i < 200; i++)
        assert_int_equal(order[i], i * 10);
}

static void test_atomics(void **state)
{
    static KernelsTest *const checks[] = {check_atomics, check_histogram, check_locks, check_last_block,
                                          check_relay};
    (void)state;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        kernels_each("atomics", checks[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_atomics),
    };
    return cmocka_run_group_tests_name("language: warps", tests, NULL, NULL);
}
