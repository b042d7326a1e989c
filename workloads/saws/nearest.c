/* The host's part of nn [Rodinia], called nearest: another program has that name.
 *
 * Rodinia's input is 42,764 records of hurricanes in four files, in blocks of 256 threads; the host looks for
 * the nearest ones in the distances. The files are replaced by random positions where there are hurricanes.
 * Small and full have four times as many, 669 blocks, six rounds on 13 SMs with 8 blocks each. A run is short in any case. Results are equal to the last bit. */
#include "saws/saws.h"

#include <math.h>
#include <stdlib.h>

enum { THREADS = 256 };
static const uint32_t counts[INPUT_SIZES] = {
    [INPUT_TINY] = 250, [INPUT_SMALL] = 4 * 42764, [INPUT_FULL] = 4 * 42764};
static const float latitude = 30, longitude = 90;

/* As in nearest.cu. */
typedef struct Position {
    float latitude, longitude;
} Position;

/* Positions, and their distances. */
static void make(Position *records, float *distances, uint32_t count, uint32_t seed)
{
    for (uint32_t i = 0; i < count; i++) {
        records[i].latitude = 7 + 56 * random_float(&seed);
        records[i].longitude = 358 * random_float(&seed);
        const float north = latitude - records[i].latitude, east = longitude - records[i].longitude;
        distances[i] = sqrtf(fmaf(north, north, east * east));
    }
}

bool saws_nearest_run(Host *host, const BenchmarkRun *run)
{
    const uint32_t count = run->blocks ? run->blocks * THREADS : counts[run->size];
    Position *records = host_array(host, count, sizeof *records);
    float *expected = host_array(host, count, sizeof *expected);
    bool right = records && expected;
    if (right) {
        make(records, expected, count, benchmark_seed(run));
        const uint64_t in = host_buffer(host, records, count * sizeof *records),
                       out = host_buffer(host, NULL, count * sizeof *expected);
        HOST_LAUNCH(host, "distances", dim((count + THREADS - 1) / THREADS, 1, 1), dim(THREADS, 1, 1),
                    WB_ARG(in), WB_ARG(out), WB_ARG(count), WB_ARG(latitude), WB_ARG(longitude));
        right = host_equals(host, out, expected, count * sizeof *expected);
        host_free(host, in), host_free(host, out);
    }
    free(records), free(expected);
    return right;
}
