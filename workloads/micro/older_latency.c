/* Latencies of older GPUs: sequences of one warp or thread in which each instruction needs the one before,
 * timed by the clock of the SM. */
#include "micro/older_measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Enough for the first trip to count for little, in which instructions come from memory. */
enum { TRIPS = 512, LANES = 32 };

/* -- arithmetic -- */

typedef enum Kind { UNSIGNED, FLOAT, DOUBLE } Kind;

/* A chain x = x op y of so many steps: what it begins with, and what its end is. */
typedef struct Chain {
    const char *kernel;
    Kind kind;
    double x, y;
    double (*end)(double x, double y, int steps);
    double tolerance; /* of the end; approximated sines drift apart from exact ones */
} Chain;

static double end_of_sums(double x, double y, int steps) { return x + y * steps; }
/* y / x turns around every step, and the number of steps is even; popc(1) is 1. */
static double end_unchanged(double x, double y, int steps) { return (void)y, (void)steps, x; }
/* x y + y with y = 1/2 comes to 1, to the last bit after so many steps. */
static double end_of_halves(double x, double y, int steps) { return (void)x, (void)y, (void)steps, 1; }
static double end_of_sines(double x, double y, int steps)
{
    (void)y;
    for (int i = 0; i < steps; i++)
        x = sin(x);
    return x;
}
static double end_of_roots(double x, double y, int steps) { return (void)x, (void)y, (void)steps, 1; }
/* 2 to the power of what grows without end. */
static double end_of_powers(double x, double y, int steps) { return (void)x, (void)y, (void)steps, INFINITY; }

static const Chain chains[] = {
    {"iadd", UNSIGNED, 3, 5, end_of_sums, 0},     {"imad", UNSIGNED, 0, 1, end_of_sums, 0},
    {"idiv", UNSIGNED, 7, 84, end_unchanged, 0},  {"popc", UNSIGNED, 1, 0, end_unchanged, 0},
    {"fadd", FLOAT, 3, 0.5, end_of_sums, 0},      {"ffma", FLOAT, 3, 0.5, end_of_halves, 1e-6},
    {"fdiv", FLOAT, 3, 7, end_unchanged, 1e-5},   {"sin", FLOAT, 1.5, 0, end_of_sines, 0.05},
    {"rsqrt", FLOAT, 1.5, 0, end_of_roots, 1e-6}, {"ex2", FLOAT, 0, 0, end_of_powers, 0},
    {"dfma", DOUBLE, 3, 0.5, end_of_halves, 0},   {"ddiv", DOUBLE, 3, 7, end_unchanged, 1e-12},
};

static const Chain *chain_of(const char *kernel)
{
    const Chain *chain = chains;
    while (strcmp(chain->kernel, kernel))
        chain++;
    return chain;
}

typedef union Values {
    uint32_t words[2];
    float floats[2];
    double doubles[2];
} Values;

static Values values_of(const Chain *chain)
{
    Values values;
    if (chain->kind == UNSIGNED)
        values.words[0] = (uint32_t)chain->x, values.words[1] = (uint32_t)chain->y;
    else if (chain->kind == FLOAT)
        values.floats[0] = (float)chain->x, values.floats[1] = (float)chain->y;
    else
        values.doubles[0] = chain->x, values.doubles[1] = chain->y;
    return values;
}

static double end_of(const Chain *chain, const Values *values)
{
    return chain->kind == UNSIGNED ? values->words[0]
           : chain->kind == FLOAT  ? (double)values->floats[0]
                                   : values->doubles[0];
}

static bool ends_right(const Chain *chain, const Values *values, int steps)
{
    const double got = end_of(chain, values), expected = chain->end(chain->x, chain->y, steps);
    return isinf(expected) ? got == expected : fabs(got - expected) <= chain->tolerance * fabs(expected);
}

/* Cycles of a launch whose last two arguments are where the end and the cycles go. */
static double cycles_at(Host *host, uint64_t address)
{
    int64_t cycles = 0;
    host_read(host, &cycles, address, sizeof cycles);
    return (double)cycles;
}

MEASUREMENT(measure_older_chain)
{
    (void)gpu;
    static const int steps[] = {FEW_STEPS, MORE_STEPS};
    const Chain *chain = chain_of(micro->kernel);
    int trips = TRIPS;
    double totals[2];
    bool right = true;
    const uint64_t cycles = host_buffer(host, NULL, sizeof(int64_t));
    for (int i = 0; i < 2; i++) {
        Values values = values_of(chain);
        const uint64_t at = host_buffer(host, &values, sizeof values);
        HOST_LAUNCH(host, kernel_of(micro, steps[i]).text, dim(1, 1, 1), dim(LANES, 1, 1), WB_ARG(trips),
                    WB_ARG(at), WB_ARG(cycles));
        host_read(host, &values, at, sizeof values);
        host_free(host, at);
        totals[i] = cycles_at(host, cycles);
        right &= ends_right(chain, &values, trips * steps[i]);
    }
    host_free(host, cycles);
    *value = of_one_step(totals, trips);
    return right;
}

/* -- loads in a ring -- */

/* Lines of 128 bytes in an order without pattern; the first is 0. A line holds the address of the next. */
typedef struct Ring {
    uint32_t lines; /* a power of two */
    uint32_t visited;
} Ring;

enum { LINE_BYTES = 128 };

/* A generator of full period over a power of two: the step is 1 modulo 4, the increment odd. */
static uint32_t ring_next(const Ring *ring, uint32_t line)
{
    return (line * 1664525u + 1013904223u) & (ring->lines - 1);
}

static uint32_t ring_line(const Ring *ring, uint32_t hops)
{
    uint32_t line = 0;
    for (uint32_t i = 0; i < hops % ring->lines; i++)
        line = ring_next(ring, line);
    return line;
}

static uint64_t ring_upload(Host *host, const Ring *ring)
{
    const uint64_t buffer = host_buffer(host, NULL, (size_t)ring->lines * LINE_BYTES);
    uint32_t line = 0;
    for (uint32_t i = 0; i < ring->visited && host->status == WB_OK; i++) {
        const uint32_t next = ring_next(ring, line);
        const uint64_t address = buffer + (uint64_t)next * LINE_BYTES;
        host_write(host, buffer + (uint64_t)line * LINE_BYTES, &address, sizeof address);
        line = next;
    }
    return buffer;
}

/* 4 KiB, which every L1 holds; 128 KiB, which no L1 here holds and every L2 does, once a first pass has read
 * them; 64 MiB, read once with empty caches. */
static Ring ring_of(LoadFrom from)
{
    static const uint32_t lines[] = {32, 1024, 1 << 19};
    const uint32_t hops = TRIPS * MORE_STEPS + 1;
    return (Ring){lines[from], from == LOAD_DRAM ? hops : lines[from]};
}

static double chase(Host *host, const char *kernel, uint64_t begin, uint32_t warm_up_hops, uint64_t *end)
{
    const int warm_up = (int)warm_up_hops, trips = TRIPS;
    const uint64_t at = host_buffer(host, NULL, sizeof *end),
                   cycles = host_buffer(host, NULL, sizeof(int64_t));
    HOST_LAUNCH(host, kernel, dim(1, 1, 1), dim(1, 1, 1), WB_ARG(begin), WB_ARG(warm_up), WB_ARG(trips),
                WB_ARG(at), WB_ARG(cycles));
    host_read(host, end, at, sizeof *end);
    const double taken = cycles_at(host, cycles);
    host_free(host, at), host_free(host, cycles);
    return taken;
}

MEASUREMENT(measure_older_load)
{
    (void)gpu;
    static const int steps[] = {FEW_STEPS, MORE_STEPS};
    const LoadFrom from = (LoadFrom)micro->parameter;
    const Ring ring = ring_of(from);
    const uint32_t warm_up = from == LOAD_DRAM ? 0 : ring.lines;
    const uint64_t buffer = ring_upload(host, &ring);
    double totals[2];
    bool right = true;
    host->cold = from == LOAD_DRAM;
    for (int i = 0; i < 2; i++) {
        uint64_t end;
        totals[i] = chase(host, kernel_of(micro, steps[i]).text, buffer, warm_up, &end);
        const uint32_t line = ring_line(&ring, warm_up + (uint32_t)(TRIPS * steps[i]));
        right &= end == buffer + (uint64_t)line * LINE_BYTES;
    }
    host_free(host, buffer);
    *value = of_one_step(totals, TRIPS);
    return right;
}

/* Constants 64 bytes apart, one after the other, from a first pass on. */
MEASUREMENT(measure_older_constant)
{
    (void)gpu;
    enum { TABLE_WORDS = 4096, GAP_WORDS = 8 };
    static const int steps[] = {FEW_STEPS, MORE_STEPS};
    const uint32_t words = (uint32_t)(micro->parameter / sizeof(uint64_t)), ring = words / GAP_WORDS;
    static uint64_t table[TABLE_WORDS];
    uint64_t base = 0;
    const uint64_t at = host_buffer(host, &base, sizeof base);
    HOST_LAUNCH(host, "table_address", dim(1, 1, 1), dim(1, 1, 1), WB_ARG(at));
    host_read(host, &base, at, sizeof base);
    host_free(host, at);
    for (uint32_t i = 0; i < words; i++)
        table[i] = base + (i + GAP_WORDS) % words * sizeof *table;
    host_set(host, "table", table, words * sizeof *table);
    double totals[2];
    bool right = true;
    for (int i = 0; i < 2; i++) {
        uint64_t end;
        totals[i] = chase(host, kernel_of(micro, steps[i]).text, base, ring, &end);
        right &= end == base + (uint64_t)(TRIPS * steps[i]) % ring * GAP_WORDS * sizeof *table;
    }
    *value = of_one_step(totals, TRIPS);
    return right;
}

MEASUREMENT(measure_older_local)
{
    (void)gpu;
    static const int steps[] = {FEW_STEPS, MORE_STEPS};
    int trips = TRIPS;
    double totals[2];
    bool right = true;
    const uint64_t cycles = host_buffer(host, NULL, sizeof(int64_t));
    for (int i = 0; i < 2; i++) {
        uint64_t end = 1;
        const uint64_t at = host_buffer(host, &end, sizeof end);
        HOST_LAUNCH(host, kernel_of(micro, steps[i]).text, dim(1, 1, 1), dim(1, 1, 1), WB_ARG(trips),
                    WB_ARG(at), WB_ARG(cycles));
        host_read(host, &end, at, sizeof end);
        host_free(host, at);
        totals[i] = cycles_at(host, cycles);
        right &= end == 0;
    }
    host_free(host, cycles);
    *value = of_one_step(totals, trips);
    return right;
}

MEASUREMENT(measure_older_texture)
{
    (void)gpu;
    enum { ELEMENTS = 64, FIRST = 5 };
    static const int steps[] = {FEW_STEPS, MORE_STEPS};
    uint32_t indices[ELEMENTS];
    for (uint32_t i = 0; i < ELEMENTS; i++)
        indices[i] = i;
    const uint64_t buffer = host_buffer(host, indices, sizeof indices),
                   texture = host_texture(host, buffer, ELEMENTS, WB_CHANNEL_UNSIGNED),
                   cycles = host_buffer(host, NULL, sizeof(int64_t));
    int trips = TRIPS;
    double totals[2];
    bool right = true;
    for (int i = 0; i < 2; i++) {
        uint32_t end = 0;
        const uint64_t at = host_buffer(host, &end, sizeof end);
        HOST_LAUNCH(host, kernel_of(micro, steps[i]).text, dim(1, 1, 1), dim(1, 1, 1), WB_ARG(texture),
                    WB_ARG(trips), WB_ARG(at), WB_ARG(cycles));
        host_read(host, &end, at, sizeof end);
        host_free(host, at);
        totals[i] = cycles_at(host, cycles);
        right &= end == FIRST;
    }
    host_texture_free(host, texture);
    host_free(host, buffer), host_free(host, cycles);
    *value = of_one_step(totals, trips);
    return right;
}

/* -- shared memory -- */

/* Cycles of a load by a warp of which so many lanes have their words in one bank. */
static double shared_latency(const Micro *micro, Host *host, int lanes, bool *right)
{
    static const int steps[] = {FEW_STEPS, MORE_STEPS};
    int trips = TRIPS;
    double totals[2];
    const uint64_t cycles = host_buffer(host, NULL, sizeof(int64_t));
    for (int i = 0; i < 2; i++) {
        uint32_t ends[LANES] = {0};
        const uint64_t at = host_buffer(host, ends, sizeof ends);
        HOST_LAUNCH(host, kernel_of(micro, steps[i]).text, dim(1, 1, 1), dim(LANES, 1, 1), WB_ARG(lanes),
                    WB_ARG(trips), WB_ARG(at), WB_ARG(cycles));
        host_read(host, ends, at, sizeof ends);
        host_free(host, at);
        totals[i] = cycles_at(host, cycles);
        for (int lane = 0; lane < LANES; lane++)
            *right &= ends[lane] == (uint32_t)(4 * lane * lanes);
    }
    host_free(host, cycles);
    return of_one_step(totals, trips);
}

MEASUREMENT(measure_older_shared)
{
    (void)gpu;
    bool right = true;
    *value = shared_latency(micro, host, (int)micro->parameter, &right);
    return right;
}

MEASUREMENT(measure_older_conflict)
{
    (void)gpu;
    bool right = true;
    const double alone = shared_latency(micro, host, 1, &right);
    *value = (shared_latency(micro, host, LANES, &right) - alone) / (LANES - 1);
    return right;
}

/* Cycles of an atomic by a warp of which so many lanes add to one word. */
static double atomic_latency(const Micro *micro, Host *host, int together, bool *right)
{
    static const int steps[] = {FEW_STEPS, MORE_STEPS};
    int trips = TRIPS;
    double totals[2];
    const uint64_t cycles = host_buffer(host, NULL, sizeof(int64_t));
    for (int i = 0; i < 2; i++) {
        uint32_t counts[LANES] = {0};
        const uint64_t at = host_buffer(host, counts, sizeof counts);
        HOST_LAUNCH(host, kernel_of(micro, steps[i]).text, dim(1, 1, 1), dim(LANES, 1, 1), WB_ARG(together),
                    WB_ARG(trips), WB_ARG(at), WB_ARG(cycles));
        host_read(host, counts, at, sizeof counts);
        host_free(host, at);
        totals[i] = cycles_at(host, cycles);
        *right &= counts[0] == (uint32_t)(together * trips * steps[i]);
    }
    host_free(host, cycles);
    return of_one_step(totals, trips);
}

MEASUREMENT(measure_older_shared_atomic)
{
    (void)gpu;
    bool right = true;
    const double alone = atomic_latency(micro, host, 1, &right);
    *value = (atomic_latency(micro, host, LANES, &right) - alone) / (LANES - 1);
    return right;
}
