/* The host's part of k-means clustering: it moves centres to the means of their points between two launches,
 * until no point changes sides.
 *
 * Table 2: 3 kernels, 363 blocks of 256 threads, 6 of them on an SM. Rodinia's grids are squares, so each has
 * 11 x 11 blocks: one to transpose, two steps. Of Rodinia's inputs that is the one of 28,000 points. We
 * take 34 features, as the suite's kdd_cup has, and 5 clusters, which it has unless told otherwise. Points
 * lie around 5 places far from each other, and the first five points are near one each, so that the second
 * step changes nothing. Small is full. */
#include "claso/claso.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 256, CENTRES = 5, FEATURES = 34 }; /* as in kms.cu */
static const uint32_t points[INPUT_SIZES] = {[INPUT_TINY] = 300, [INPUT_SMALL] = 28000, [INPUT_FULL] = 28000};

typedef struct Clusters {
    uint32_t count, side; /* points, and blocks on a side of the grid */
    float *points;        /* [count][FEATURES] */
    float centres[CENTRES][FEATURES];
    int *nearest, *before; /* [count] of the last step, and of the one before */
} Clusters;

static float distance(const float *point, const float *centre)
{
    float sum = 0;
    for (size_t i = 0; i < FEATURES; i++)
        sum += (point[i] - centre[i]) * (point[i] - centre[i]);
    return sum;
}

static void assign(const Clusters *clusters)
{
    for (size_t i = 0; i < clusters->count; i++) {
        const float *point = clusters->points + i * FEATURES;
        int found = 0;
        for (int centre = 1; centre < CENTRES; centre++)
            if (distance(point, clusters->centres[centre]) < distance(point, clusters->centres[found]))
                found = centre;
        clusters->nearest[i] = found;
    }
}

static void move_centres(Clusters *clusters)
{
    double sums[CENTRES][FEATURES] = {0};
    uint32_t members[CENTRES] = {0};
    for (size_t i = 0; i < clusters->count; i++) {
        members[clusters->nearest[i]]++;
        for (size_t j = 0; j < FEATURES; j++)
            sums[clusters->nearest[i]][j] += clusters->points[i * FEATURES + j];
    }
    for (size_t centre = 0; centre < CENTRES; centre++)
        for (size_t j = 0; members[centre] && j < FEATURES; j++)
            clusters->centres[centre][j] = (float)(sums[centre][j] / members[centre]);
}

/* Whether steps have the nearest centres, until none changes any more. */
static bool iterate(Host *host, Clusters *clusters, uint64_t features)
{
    const int count = (int)clusters->count, feature_count = FEATURES, centre_count = CENTRES;
    const size_t bytes = clusters->count * sizeof *clusters->nearest;
    const uint64_t nearest = host_buffer(host, NULL, bytes);
    const uint64_t texture =
        host_texture(host, features, (size_t)clusters->count * FEATURES, WB_CHANNEL_FLOAT);
    bool right = true, changed = true;
    while (right && changed) {
        host_set(host, "kms_centres", clusters->centres, sizeof clusters->centres);
        HOST_LAUNCH(host, "kms_assign", dim(clusters->side, clusters->side, 1), dim(THREADS, 1, 1),
                    WB_ARG(texture), WB_ARG(nearest), WB_ARG(count), WB_ARG(feature_count),
                    WB_ARG(centre_count));
        memcpy(clusters->before, clusters->nearest, bytes);
        assign(clusters);
        right = host_equals(host, nearest, clusters->nearest, bytes);
        changed = memcmp(clusters->before, clusters->nearest, bytes) != 0;
        move_centres(clusters);
    }
    host_texture_free(host, texture);
    host_free(host, nearest);
    return right;
}

static bool cluster(Host *host, Clusters *clusters)
{
    const int count = (int)clusters->count, feature_count = FEATURES;
    const size_t bytes = (size_t)clusters->count * FEATURES * sizeof(float);
    const uint64_t from = host_buffer(host, clusters->points, bytes);
    const uint64_t features = host_buffer(host, NULL, bytes);
    HOST_LAUNCH(host, "kms_transpose", dim(clusters->side, clusters->side, 1), dim(THREADS, 1, 1),
                WB_ARG(from), WB_ARG(features), WB_ARG(count), WB_ARG(feature_count));
    memset(clusters->nearest, -1, clusters->count * sizeof *clusters->nearest);
    memcpy(clusters->centres, clusters->points, sizeof clusters->centres); /* as Rodinia begins */
    const bool right = iterate(host, clusters, features);
    host_free(host, features);
    host_free(host, from);
    return right;
}

bool claso_kms_run(Host *host, const BenchmarkRun *run)
{
    Clusters clusters = {.count = run->blocks ? run->blocks * THREADS : points[run->size]};
    while (clusters.side * clusters.side * THREADS < clusters.count)
        clusters.side++;
    const size_t values = (size_t)clusters.count * FEATURES;
    clusters.points = host_floats(host, values, benchmark_seed(run));
    clusters.nearest = host_array(host, clusters.count, sizeof *clusters.nearest);
    clusters.before = host_array(host, clusters.count, sizeof *clusters.before);
    bool right = false;
    if (clusters.points && clusters.nearest && clusters.before) {
        for (size_t i = 0; i < values; i++)
            clusters.points[i] += 4 * (float)(i / FEATURES % CENTRES);
        right = cluster(host, &clusters);
    }
    free(clusters.before);
    free(clusters.nearest);
    free(clusters.points);
    return right;
}
