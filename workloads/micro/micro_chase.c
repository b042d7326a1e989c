/* Latency of memory: a chain of dependent loads that visits every 128-byte line of a range once, in random
 * order. The launches are those of the real measurement, so what is warm is the same: L2 after a first pass
 * over ranges up to 40 MiB, L1 never, since it is empty at the start of a kernel. */
#include "micro/measure.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_WORDS = 32, WARM_UP_HOPS = 64, LEAST_HOPS = 4096, MOST_HOPS = 20000, FULL_BYTES = 40 << 20 };

/* The lines in the order of a visit, the first of them 0. */
typedef struct Tour {
    uint32_t *lines;
    uint32_t length;
} Tour;

static uint32_t random_below(uint64_t *state, uint32_t bound)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)((*state >> 32) * bound >> 32);
}

static Tour tour_of_all(uint32_t lines)
{
    Tour tour = {malloc(lines * sizeof *tour.lines), lines};
    uint64_t state = 0x9E3779B97F4A7C15;
    for (uint32_t i = 0; i < lines; i++)
        tour.lines[i] = i;
    for (uint32_t i = lines - 1; i > 1; i--) {
        uint32_t other = 1 + random_below(&state, i), line = tour.lines[i];
        tour.lines[i] = tour.lines[other];
        tour.lines[other] = line;
    }
    return tour;
}

/* `length` different ones of many lines: one drawn again is drawn once more. */
static Tour tour_of_some(uint32_t lines, uint32_t length)
{
    Tour tour = {calloc(length, sizeof *tour.lines), length};
    uint8_t *visited = calloc(lines, 1);
    uint64_t state = 0x9E3779B97F4A7C15;
    visited[0] = 1;
    for (uint32_t i = 1; i < length; i++) {
        do
            tour.lines[i] = random_below(&state, lines);
        while (visited[tour.lines[i]]);
        visited[tour.lines[i]] = 1;
    }
    free(visited);
    return tour;
}

static uint32_t tour_word(const Tour *tour, uint32_t hop)
{
    return tour->lines[hop % tour->length] * LINE_WORDS;
}

/* Word by word, of which L2 keeps more than of a copy of all bytes: so it is emptied. */
static uint64_t tour_upload(Host *host, const Tour *tour, uint64_t bytes)
{
    uint64_t buffer = host_buffer(host, NULL, bytes);
    for (uint32_t i = 0; i < tour->length; i++) {
        uint32_t next = tour_word(tour, i + 1);
        host_write(host, buffer + 4ull * tour_word(tour, i), &next, sizeof next);
    }
    host_keep(host, wb_gpu_flush(host->gpu));
    return buffer;
}

/* Cycles a hop; *right is cleared if the chain did not end where it should. */
static double chase(Host *host, const char *kernel, const Tour *tour, uint64_t buffer, uint32_t hops,
                    bool *right)
{
    int n = (int)hops;
    uint32_t end = 0;
    int64_t cycles = 0;
    uint64_t at = host_buffer(host, &end, sizeof end), count = host_buffer(host, &cycles, sizeof cycles);
    HOST_LAUNCH(host, kernel, dim(1, 1, 1), dim(1, 1, 1), WB_ARG(buffer), WB_ARG(n), WB_ARG(at),
                WB_ARG(count));
    host_read(host, &end, at, sizeof end);
    host_read(host, &cycles, count, sizeof cycles);
    host_free(host, at), host_free(host, count);
    *right &= end == tour_word(tour, WARM_UP_HOPS + hops);
    return (double)cycles / hops;
}

MEASUREMENT(measure_chase)
{
    (void)gpu;
    uint64_t bytes = micro->parameter;
    uint32_t lines = (uint32_t)(bytes / (4 * LINE_WORDS));
    uint32_t hops = lines < LEAST_HOPS ? LEAST_HOPS : lines > MOST_HOPS ? MOST_HOPS : lines;
    bool all = bytes <= FULL_BYTES, right = true;
    Tour tour = all ? tour_of_all(lines) : tour_of_some(lines, WARM_UP_HOPS + hops + 1);
    uint64_t buffer = tour_upload(host, &tour, bytes);
    if (all)
        chase(host, "chase_ca", &tour, buffer, lines, &right);
    *value = chase(host, "chase_ca", &tour, buffer, hops, &right);
    if (!strcmp(micro->kernel, "chase_cg"))
        *value = chase(host, "chase_cg", &tour, buffer, hops, &right);
    host_free(host, buffer);
    free(tour.lines);
    return right;
}

MEASUREMENT(measure_shared)
{
    (void)gpu;
    int hops = 4096;
    uint32_t end = 0, expected = 0;
    int64_t cycles = 0;
    uint64_t at = host_buffer(host, &end, sizeof end), count = host_buffer(host, &cycles, sizeof cycles);
    HOST_LAUNCH(host, micro->kernel, dim(1, 1, 1), dim(1, 1, 1), WB_ARG(hops), WB_ARG(at), WB_ARG(count));
    host_read(host, &end, at, sizeof end);
    host_read(host, &cycles, count, sizeof cycles);
    host_free(host, at), host_free(host, count);
    for (int k = 0; k < hops; k++)
        expected = (expected * 17 + 5) & 1023;
    *value = (double)cycles / hops;
    return end == expected;
}
