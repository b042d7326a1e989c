/* The host's part of k-means clustering: it moves centres to the means of their points between two launches,
 * until no point changes sides.
 *
 * Table 2: 3 kernels, 363 blocks of 256 threads, 6 of them on an SM. Rodinia's grids are squares, so each has
 * 11 x 11 blocks: one to transpose, two steps. Of Rodinia's inputs that is the one of 28,000 points. We
 * take 34 features, as the suite's kdd_cup has, and 5 clusters, which it has unless told otherwise; the small
 * size has 16 features. Points lie around 5 places far from each other, and the first five points are near
 * one each, so that the second step changes nothing. */
#include "claso/claso.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 256, CENTRES = 5, MOST_FEATURES = 34 }; /* as in kms.cu */
static const uint32_t counts[INPUT_SIZES] = {[INPUT_TINY] = 300, [INPUT_SMALL] = 28000, [INPUT_FULL] = 28000};
static const uint32_t widths[INPUT_SIZES] = {
    [INPUT_TINY] = 6, [INPUT_SMALL] = 16, [INPUT_FULL] = MOST_FEATURES};

typedef struct Clusters {
    uint32_t count, side;                   /* points, and blocks on a side of the grid */
    uint32_t features;                      /* of a point, at most MOST_FEATURES */
    float *points;                          /* [count][features] */
    float centres[CENTRES * MOST_FEATURES]; /* [CENTRES][features] */
    int *nearest, *before;                  /* [count] of the last step, and of the one before */
} Clusters;

static float distance(const float *point, const float *centre, size_t count)
{
    float sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (point[i] - centre[i]) * (point[i] - centre[i]);
    return sum;
}

static int nearest_to(const Clusters *clusters, const float *point)
{
    float least = INFINITY;
    int found = -1;
    for (int centre = 0; centre < CENTRES; centre++) {
        const float *place = clusters->centres + (uint32_t)centre * clusters->features;
        const float apart = distance(point, place, clusters->features);
        found = apart < least ? centre : found;
        least = apart < least ? apart : least;
    }
    return found;
}

static void assign(const Clusters *clusters)
{
    for (size_t i = 0; i < clusters->count; i++)
        clusters->nearest[i] = nearest_to(clusters, clusters->points + i * clusters->features);
}

static void move_centres(Clusters *clusters)
{
    const size_t width = clusters->features;
    double sums[CENTRES * MOST_FEATURES] = {0};
    uint32_t members[CENTRES] = {0};
    for (size_t i = 0; i < clusters->count; i++) {
        const size_t centre = (size_t)clusters->nearest[i];
        members[centre]++;
        for (size_t j = 0; j < width; j++)
            sums[centre * width + j] += clusters->points[i * width + j];
    }
    for (size_t i = 0; i < CENTRES * width; i++)
        if (members[i / width])
            clusters->centres[i] = (float)(sums[i] / members[i / width]);
}

/* Whether steps have the nearest centres, until none changes any more. */
static bool iterate(Host *host, Clusters *clusters, uint64_t features)
{
    const int count = (int)clusters->count, feature_count = (int)clusters->features, centre_count = CENTRES;
    const size_t bytes = clusters->count * sizeof *clusters->nearest;
    const uint64_t nearest = host_buffer(host, NULL, bytes);
    const uint64_t texture =
        host_texture(host, features, (size_t)clusters->count * clusters->features, WB_CHANNEL_FLOAT);
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

/* The first points are the first centres, as in Rodinia. */
static bool cluster(Host *host, Clusters *clusters)
{
    const int count = (int)clusters->count, feature_count = (int)clusters->features;
    const size_t bytes = (size_t)clusters->count * clusters->features * sizeof(float);
    const uint64_t from = host_buffer(host, clusters->points, bytes);
    const uint64_t features = host_buffer(host, NULL, bytes);
    HOST_LAUNCH(host, "kms_transpose", dim(clusters->side, clusters->side, 1), dim(THREADS, 1, 1),
                WB_ARG(from), WB_ARG(features), WB_ARG(count), WB_ARG(feature_count));
    memset(clusters->nearest, -1, clusters->count * sizeof *clusters->nearest);
    memcpy(clusters->centres, clusters->points, CENTRES * clusters->features * sizeof(float));
    const bool right = iterate(host, clusters, features);
    host_free(host, features);
    host_free(host, from);
    return right;
}

bool claso_kms_run(Host *host, const BenchmarkRun *run)
{
    Clusters clusters = {.count = run->blocks ? run->blocks * THREADS : counts[run->size],
                         .features = widths[run->size]};
    while (clusters.side * clusters.side * THREADS < clusters.count)
        clusters.side++;
    const size_t values = (size_t)clusters.count * clusters.features;
    clusters.points = host_floats(host, values, benchmark_seed(run));
    clusters.nearest = host_array(host, clusters.count, sizeof *clusters.nearest);
    clusters.before = host_array(host, clusters.count, sizeof *clusters.before);
    bool right = false;
    if (clusters.points && clusters.nearest && clusters.before) {
        for (size_t i = 0; i < values; i++)
            clusters.points[i] += 4 * (float)(i / clusters.features % CENTRES);
        right = cluster(host, &clusters);
    }
    free(clusters.before);
    free(clusters.nearest);
    free(clusters.points);
    return right;
}
