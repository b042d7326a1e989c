/* Relational join: two sorted relations, cut into partitions as the kernels cut them, and the results
 * expected in the order in which blocks write them. */
#include "dtbl/input.h"

#include <stdlib.h>

#include "graphs/tables.h"

enum { TILE = 128, LEAST = 128, MOST_PARTITIONS = 240 };
#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* As many blocks as the authors of DTBL have (gtcasl/dragon_li). */
static const uint32_t partition_counts[INPUT_SIZES] = {
    [INPUT_SMALL] = MOST_PARTITIONS, [INPUT_FULL] = MOST_PARTITIONS, [INPUT_TINY] = 3};

/* Invariant: left and right have `count` keys each, which rise. Partition p has results number starts[p] to
 * starts[p + 1] - 1. */
typedef struct Relations {
    uint32_t count, partitions;
    uint32_t *left, *right;
    uint32_t starts[MOST_PARTITIONS + 1];
} Relations;

/* Places of results in the left and the right relation. */
typedef struct JoinResults {
    uint32_t *left, *right;
} JoinResults;

static int compare_keys(const void *one, const void *other)
{
    const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

static uint32_t *keys_make(const TuplesParameters *size, KeyDistribution distribution, uint64_t seed,
                           InputError *error)
{
    Tuples tuples;
    if (!tuples_make(size, distribution, seed, &tuples, error))
        return NULL;
    qsort(tuples.keys, tuples.count, sizeof *tuples.keys, compare_keys);
    free(tuples.values);
    return tuples.keys;
}

/* The first of `count` rising keys that is not below `key`. */
static uint32_t first_not_below(const uint32_t *keys, uint32_t count, uint32_t key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What is told of a tuple of the right relation and its matches in a tile of the left one. */
typedef void TellMatches(void *context, uint32_t left, uint32_t count, uint32_t right);

static void join_tiles(const Relations *relations, uint32_t left, uint32_t left_end, uint32_t right,
                       uint32_t right_end, TellMatches *tell, void *context)
{
    for (; right < right_end; right++) {
        const uint32_t key = relations->right[right];
        const uint32_t from = left + first_not_below(relations->left + left, left_end - left, key);
        const uint32_t to = left + first_not_below(relations->left + left, left_end - left, key + 1);
        if (from < to)
            tell(context, from, to - from, right);
    }
}

/* Tells the matches of a partition in the order of a block: by tile of the left relation, by tile of the
 * right one, by tuple of the right one. */
static void join_partition(const Relations *relations, uint32_t partition, TellMatches *tell, void *context)
{
    const uint32_t size = (relations->count + relations->partitions - 1) / relations->partitions;
    const uint32_t begin = MIN(partition * size, relations->count), end = MIN(begin + size, relations->count);
    if (begin == end)
        return;
    const uint32_t lower = first_not_below(relations->right, relations->count, relations->left[begin]);
    const uint32_t upper = first_not_below(relations->right, relations->count, relations->left[end - 1] + 1);
    for (uint32_t left = begin; left < end; left += TILE) {
        const uint32_t left_end = MIN(left + TILE, end), most = relations->left[left_end - 1];
        for (uint32_t right = lower; right < upper && relations->right[right] <= most; right += TILE)
            join_tiles(relations, left, left_end, right, MIN(right + TILE, upper), tell, context);
    }
}

static void count_matches(void *context, uint32_t left, uint32_t count, uint32_t right)
{
    (void)left, (void)right;
    *(uint64_t *)context += count;
}

static void relations_free(Relations *relations) { free(relations->left), free(relations->right); }

static void relations_make(const DtblRun *run, KeyDistribution distribution, Relations *relations,
                           InputError *error)
{
    const TuplesParameters *size = &tuples_sizes[run->size];
    uint64_t results = 0;
    *relations = (Relations){.count = size->count, .partitions = partition_counts[run->size]};
    relations->right = keys_make(size, distribution, input_seed(run), error);
    if (!input_failed(error))
        relations->left = keys_make(size, distribution, input_seed(run) + 1, error);
    for (uint32_t partition = 0; partition < relations->partitions && !input_failed(error); partition++) {
        join_partition(relations, partition, count_matches, &results);
        if (results > UINT32_MAX / 8)
            input_fail(error, "A join of %llu results or more is too large: positions have 32 bits.",
                       (unsigned long long)results);
        relations->starts[partition + 1] = (uint32_t)results;
    }
}

/* Where a block is in the results that its partition should have. */
typedef struct Check {
    const JoinResults *results;
    uint64_t at;
    bool right;
} Check;

static void check_matches(void *context, uint32_t left, uint32_t count, uint32_t right)
{
    Check *check = context;
    for (uint32_t match = 0; match < count; match++, check->at++)
        check->right &=
            check->results->left[check->at] == left + match && check->results->right[check->at] == right;
}

static bool results_right(const Relations *relations, const JoinResults *results)
{
    Check check = {.results = results, .right = true};
    for (uint32_t partition = 0; partition < relations->partitions; partition++)
        join_partition(relations, partition, check_matches, &check);
    return check.right;
}

/* Moves the results of all partitions together, of which the device says how many there are. */
static void gather(Host *host, const Relations *relations, uint64_t places, uint64_t counts,
                   const uint64_t from[2], JoinResults *results)
{
    const size_t bytes = relations->partitions * sizeof(uint32_t);
    const size_t result_bytes = relations->starts[relations->partitions] * sizeof(uint32_t);
    uint32_t found[MOST_PARTITIONS], starts[MOST_PARTITIONS + 1] = {0};
    host_read(host, found, counts, bytes);
    for (uint32_t p = 0; p < relations->partitions; p++)
        starts[p + 1] = MIN(starts[p] + found[p], relations->starts[relations->partitions]);
    const uint64_t to = host_buffer(host, starts, bytes + sizeof *starts),
                   left = host_buffer(host, NULL, result_bytes),
                   right = host_buffer(host, NULL, result_bytes);
    HOST_LAUNCH(host, "join_gather", dim(relations->partitions, 1, 1), dim(TILE, 1, 1), WB_ARG(places),
                WB_ARG(to), WB_ARG(from[0]), WB_ARG(from[1]), WB_ARG(left), WB_ARG(right));
    host_read(host, results->left, left, result_bytes);
    host_read(host, results->right, right, result_bytes);
    host_free(host, to), host_free(host, left), host_free(host, right);
}

/* Fills `results` from the device. Each partition has a place for as many results as it must have. */
static void join_on_device(Host *host, const DtblRun *run, const Relations *relations, JoinResults *results)
{
    const uint32_t count = relations->count, partitions = relations->partitions;
    const uint32_t least = input_least(run, LEAST);
    const size_t bytes = count * sizeof(uint32_t), partition_bytes = partitions * sizeof(uint32_t);
    uint32_t roomy[MOST_PARTITIONS + 1] = {0};
    for (uint32_t p = 0; p < partitions; p++)
        roomy[p + 1] = roomy[p] + (relations->starts[p + 1] - relations->starts[p] + TILE - 1) / TILE * TILE;
    const size_t result_bytes = roomy[partitions] * sizeof(uint32_t);
    const uint64_t left = host_buffer(host, relations->left, bytes),
                   right = host_buffer(host, relations->right, bytes),
                   lower = host_buffer(host, NULL, partition_bytes),
                   upper = host_buffer(host, NULL, partition_bytes),
                   places = host_buffer(host, roomy, partition_bytes),
                   counts = host_buffer(host, NULL, partition_bytes);
    const uint64_t found[2] = {host_buffer(host, NULL, result_bytes), host_buffer(host, NULL, result_bytes)};
    char kernel[32];
    HOST_LAUNCH(host, "join_bounds", dim((partitions + TILE - 1) / TILE, 1, 1), dim(TILE, 1, 1),
                WB_ARG(left), WB_ARG(count), WB_ARG(right), WB_ARG(count), WB_ARG(partitions), WB_ARG(lower),
                WB_ARG(upper));
    HOST_LAUNCH(host, dtbl_kernel("join_main", run->mode, kernel, sizeof kernel), dim(partitions, 1, 1),
                dim(TILE, 1, 1), WB_ARG(left), WB_ARG(count), WB_ARG(right), WB_ARG(lower), WB_ARG(upper),
                WB_ARG(places), WB_ARG(found[0]), WB_ARG(found[1]), WB_ARG(counts), WB_ARG(least));
    gather(host, relations, places, counts, found, results);
    host_free(host, left), host_free(host, right), host_free(host, lower), host_free(host, upper);
    host_free(host, places), host_free(host, counts), host_free(host, found[0]), host_free(host, found[1]);
}

static void describe_matches(void *context, uint32_t left, uint32_t count, uint32_t right)
{
    (void)left, (void)right;
    shape_add(context, count);
}

static void describe(const Relations *relations, DtblShape *shape)
{
    shape->threads = (uint64_t)relations->partitions * TILE;
    for (uint32_t partition = 0; partition < relations->partitions; partition++)
        join_partition(relations, partition, describe_matches, shape);
}

static bool join_run(Host *host, const DtblRun *run, KeyDistribution distribution)
{
    InputError error = {0};
    Relations relations;
    relations_make(run, distribution, &relations, &error);
    const uint32_t count = relations.starts[relations.partitions];
    JoinResults results = {input_array(&error, count, sizeof *results.left),
                           input_array(&error, count, sizeof *results.right)};
    bool right = false;
    if (input_made(host, &error) && run->shape) {
        describe(&relations, run->shape);
        right = true;
    } else if (host->status == WB_OK) {
        join_on_device(host, run, &relations, &results);
        right = host->status == WB_OK && results_right(&relations, &results);
    }
    free(results.left), free(results.right);
    relations_free(&relations);
    return right;
}

bool join_uniform_run(Host *host, const DtblRun *run) { return join_run(host, run, KEYS_UNIFORM); }
bool join_gaussian_run(Host *host, const DtblRun *run) { return join_run(host, run, KEYS_GAUSSIAN); }
