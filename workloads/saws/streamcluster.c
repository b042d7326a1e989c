/* The host's part of streamcluster [Rodinia].
 *
 * Rodinia's input is 65,536 points of 256 dimensions, 128 blocks of 512 threads, two to three rounds on 13
 * SMs with 4 blocks each; a launch for each candidate that local search considers, several hundred of them.
 * Full has the published points and dimensions and 16 candidates, small 16 dimensions and 4 candidates: a
 * dimension costs a thread the same, and all launches do. Points are random, and so are candidates. One that
 * gains is opened, and centres that are then not worth their price are closed, by the host as in Rodinia. A
 * centre's price, which Rodinia varies, is a twentieth of what all points pay with one centre.
 *
 * Sums are fused and in one order, so that results are equal to the last bit, and so are all choices. */
#include "saws/saws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 512 };

static const struct {
    uint32_t blocks, dimensions, candidates;
} sizes[INPUT_SIZES] = {
    [INPUT_TINY] = {1, 4, 3}, [INPUT_SMALL] = {128, 16, 4}, [INPUT_FULL] = {128, 256, 16}};

/* As in streamcluster.cu. */
typedef struct Point {
    float weight;
    uint32_t centre;
    float cost;
} Point;

/* Invariant: column[] of every point's centre is below `centres`; a point's cost is its weight times its
 * distance from there. `sums` have room for all centres that there can be. */
typedef struct Clusters {
    uint32_t count, dimensions, centres;
    double price;       /* of a centre */
    float *coordinates; /* [dimensions][count] */
    Point *points;
    uint32_t *column;
    float *sums;       /* [count][centres + 1] */
    uint8_t *switches; /* of points that would go to the candidate */
} Clusters;

/* What a point would pay with this centre. */
static float cost_of(const Clusters *clusters, uint32_t point, uint32_t centre)
{
    float distance = 0;
    for (uint32_t k = 0; k < clusters->dimensions; k++) {
        const float *row = &clusters->coordinates[(size_t)k * clusters->count];
        distance = fmaf(row[point] - row[centre], row[point] - row[centre], distance);
    }
    return distance * clusters->points[point].weight;
}

static void number_centres(Clusters *clusters)
{
    clusters->centres = 0;
    for (uint32_t i = 0; i < clusters->count; i++)
        if (clusters->points[i].centre == i)
            clusters->column[i] = clusters->centres++;
}

static void compare_costs(const Clusters *clusters, uint32_t candidate)
{
    const uint32_t width = clusters->centres + 1;
    memset(clusters->sums, 0, (size_t)clusters->count * width * sizeof(float));
    memset(clusters->switches, 0, clusters->count);
    for (uint32_t i = 0; i < clusters->count; i++) {
        const Point *point = &clusters->points[i];
        const float cost = cost_of(clusters, i, candidate);
        clusters->switches[i] = cost < point->cost;
        if (cost < point->cost)
            clusters->sums[i * width + clusters->centres] = cost - point->cost;
        else
            clusters->sums[i * width + clusters->column[point->centre]] = point->cost - cost;
    }
}

/* Whether the device says the same of a candidate. */
static bool launch(Host *host, const Clusters *clusters, uint64_t coordinates, uint32_t candidate)
{
    const size_t bytes = (size_t)clusters->count * (clusters->centres + 1) * sizeof(float);
    memset(clusters->sums, 0, bytes);
    memset(clusters->switches, 0, clusters->count);
    const uint64_t points = host_buffer(host, clusters->points, clusters->count * sizeof(Point)),
                   column = host_buffer(host, clusters->column, clusters->count * sizeof(uint32_t)),
                   sums = host_buffer(host, clusters->sums, bytes),
                   switches = host_buffer(host, clusters->switches, clusters->count);
    HOST_LAUNCH(host, "compare_costs", dim((clusters->count + THREADS - 1) / THREADS, 1, 1),
                dim(THREADS, 1, 1), WB_ARG(coordinates), WB_ARG(points), WB_ARG(column), WB_ARG(sums),
                WB_ARG(switches), WB_ARG(clusters->count), WB_ARG(clusters->dimensions), WB_ARG(candidate),
                WB_ARG(clusters->centres));
    compare_costs(clusters, candidate);
    const bool right = host_equals(host, sums, clusters->sums, bytes) &&
                       host_equals(host, switches, clusters->switches, clusters->count);
    host_free(host, points), host_free(host, column), host_free(host, sums), host_free(host, switches);
    return right;
}

static double add_column(const Clusters *clusters, uint32_t column)
{
    double sum = clusters->price;
    for (uint32_t i = 0; i < clusters->count; i++)
        sum += clusters->sums[i * (clusters->centres + 1) + column];
    return sum;
}

/* Opens the candidate if that gains, with centres closed that save more than their points then lose. */
static void choose(Host *host, Clusters *clusters, uint32_t candidate)
{
    double cost = add_column(clusters, clusters->centres),
           *saves = host_array(host, clusters->centres, sizeof *saves);
    for (uint32_t c = 0; saves && c < clusters->centres; c++) {
        saves[c] = add_column(clusters, c);
        cost -= fmax(0, saves[c]);
    }
    for (uint32_t i = 0; saves && cost < 0 && i < clusters->count; i++) {
        Point *point = &clusters->points[i];
        if (clusters->switches[i] || saves[clusters->column[point->centre]] > 0) {
            point->centre = candidate;
            point->cost = cost_of(clusters, i, candidate);
        }
    }
    free(saves);
}

static bool search(Host *host, Clusters *clusters, uint32_t candidates, uint32_t seed)
{
    const size_t bytes = (size_t)clusters->dimensions * clusters->count * sizeof(float);
    const uint64_t coordinates = host_buffer(host, clusters->coordinates, bytes);
    bool right = true;
    for (uint32_t i = 0; right && i < candidates; i++) {
        const uint32_t candidate = (random_next(&seed) >> 8) % clusters->count;
        number_centres(clusters);
        right = launch(host, clusters, coordinates, candidate);
        choose(host, clusters, candidate);
    }
    host_free(host, coordinates);
    return right;
}

/* All points have the first as their centre. */
static void begin(Clusters *clusters, uint32_t seed)
{
    double sum = 0;
    for (uint32_t i = 0; i < clusters->count; i++) {
        clusters->points[i].weight = 1 + random_float(&seed);
        clusters->points[i].cost = cost_of(clusters, i, 0);
        sum += clusters->points[i].cost;
    }
    clusters->price = sum / 20;
}

bool saws_streamcluster_run(Host *host, const BenchmarkRun *run)
{
    const uint32_t seed = benchmark_seed(run), most = sizes[run->size].candidates + 1;
    Clusters clusters = {.count = (run->blocks ? run->blocks : sizes[run->size].blocks) * THREADS,
                         .dimensions = sizes[run->size].dimensions};
    const size_t count = clusters.count;
    clusters.coordinates = host_floats(host, count * clusters.dimensions, seed);
    clusters.points = host_array(host, count, sizeof(Point));
    clusters.column = host_array(host, count, sizeof(uint32_t));
    clusters.sums = host_array(host, count * (most + 1), sizeof(float));
    clusters.switches = host_array(host, count, 1);
    bool right =
        clusters.coordinates && clusters.points && clusters.column && clusters.sums && clusters.switches;
    if (right) {
        begin(&clusters, seed + 1);
        right = search(host, &clusters, sizes[run->size].candidates, seed + 2);
    }
    free(clusters.coordinates), free(clusters.points), free(clusters.column), free(clusters.sums);
    free(clusters.switches);
    return right;
}
