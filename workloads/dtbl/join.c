/* Relational join: the relations, the right one sorted by counting, and the results expected. */
#include "dtbl/input.h"

#include <stdlib.h>

#include "graphs/tables.h"

enum {
    THREADS = 128,
    SCAN_THREADS = 1024,
    LEAST = 128
};

/* Tuples of the left relation; tuples_sizes has those of the right one. */
static const uint32_t left_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = 53248, [INPUT_FULL] = 204800, [INPUT_TINY] = 128};

typedef struct Result {
    uint32_t left, right;
} Result;

/* Invariant: the tuples of `right` rise by key; those with key k are range_starts[k] to
 * range_starts[k + 1] - 1. results is how many tuples the join has. */
typedef struct Relations {
    Tuples left, right;
    uint32_t *range_starts;
    uint32_t results;
} Relations;

static void relations_free(Relations *relations)
{
    tuples_free(&relations->left);
    tuples_free(&relations->right);
    free(relations->range_starts);
}

/* Tuples of equal keys keep their order. */
static void sort_tuples(const Tuples *from, uint32_t key_range, uint32_t *range_starts, Tuples *to,
                        InputError *error)
{
    to->keys = input_array(error, from->count, sizeof *to->keys);
    to->values = input_array(error, from->count, sizeof *to->values);
    uint32_t *next = input_array(error, key_range, sizeof *next);
    if (!input_failed(error)) {
        to->count = from->count;
        for (uint32_t i = 0; i < from->count; i++)
            range_starts[from->keys[i] + 1]++;
        for (uint32_t key = 0; key < key_range; key++) {
            next[key] = range_starts[key];
            range_starts[key + 1] += range_starts[key];
        }
        for (uint32_t i = 0; i < from->count; i++) {
            const uint32_t at = next[from->keys[i]]++;
            to->keys[at] = from->keys[i];
            to->values[at] = from->values[i];
        }
    }
    free(next);
}

static void relations_make(const DtblRun *run, KeyDistribution distribution, Relations *relations,
                           InputError *error)
{
    const TuplesParameters *size = &tuples_sizes[run->size];
    const TuplesParameters left = {.count = left_sizes[run->size], .key_range = size->key_range};
    Tuples unsorted = {0};
    *relations = (Relations){
        .range_starts = input_array(error, (size_t)size->key_range + 1, sizeof *relations->range_starts)};
    if (!input_failed(error) && tuples_make(size, distribution, input_seed(run), &unsorted, error) &&
        tuples_make(&left, distribution, input_seed(run) + 1, &relations->left, error))
        sort_tuples(&unsorted, size->key_range, relations->range_starts, &relations->right, error);
    tuples_free(&unsorted);
    uint64_t results = 0;
    for (uint32_t i = 0; i < relations->left.count && !input_failed(error); i++) {
        const uint32_t key = relations->left.keys[i];
        results += relations->range_starts[key + 1] - relations->range_starts[key];
    }
    if (results > UINT32_MAX / sizeof(Result))
        input_fail(error, "A join of %llu results is too large: positions have 32 bits.",
                   (unsigned long long)results);
    relations->results = (uint32_t)results;
}

/* Whether `results` are what nested loops would write. */
static bool results_right(const Relations *relations, const Result *results)
{
    const Result *result = results;
    for (uint32_t i = 0; i < relations->left.count; i++) {
        const uint32_t key = relations->left.keys[i];
        for (uint32_t k = relations->range_starts[key]; k < relations->range_starts[key + 1]; k++, result++)
            if (result->left != relations->left.values[i] || result->right != relations->right.values[k])
                return false;
    }
    return true;
}

/* Fills `results` from the device. */
static void join_on_device(Host *host, const DtblRun *run, const Relations *relations, Result *results)
{
    const Tuples *left = &relations->left, *right = &relations->right;
    const size_t left_bytes = left->count * sizeof(uint32_t), right_bytes = right->count * sizeof(uint32_t);
    const size_t result_bytes = relations->results * sizeof(Result);
    const uint64_t left_keys = host_buffer(host, left->keys, left_bytes),
                   left_values = host_buffer(host, left->values, left_bytes),
                   right_keys = host_buffer(host, right->keys, right_bytes),
                   right_values = host_buffer(host, right->values, right_bytes),
                   firsts = host_buffer(host, NULL, left_bytes), counts = host_buffer(host, NULL, left_bytes),
                   starts = host_buffer(host, NULL, left_bytes + sizeof(uint32_t)),
                   written = host_buffer(host, NULL, result_bytes);
    const uint32_t least = input_least(run, LEAST);
    const WbDim3 grid = dim((left->count + THREADS - 1) / THREADS, 1, 1), block = dim(THREADS, 1, 1);
    char kernel[32];
    HOST_LAUNCH(host, "join_count", grid, block, WB_ARG(left_keys), WB_ARG(left->count), WB_ARG(right_keys),
                WB_ARG(right->count), WB_ARG(firsts), WB_ARG(counts));
    HOST_LAUNCH(host, "join_scan", dim(1, 1, 1), dim(SCAN_THREADS, 1, 1), WB_ARG(counts), WB_ARG(left->count),
                WB_ARG(starts));
    HOST_LAUNCH(host, dtbl_kernel("join_write", run->mode, kernel, sizeof kernel), grid, block,
                WB_ARG(left_values), WB_ARG(left->count), WB_ARG(right_values), WB_ARG(firsts),
                WB_ARG(starts), WB_ARG(written), WB_ARG(least));
    host_read(host, results, written, result_bytes);
    host_free(host, left_keys), host_free(host, left_values);
    host_free(host, right_keys), host_free(host, right_values);
    host_free(host, firsts), host_free(host, counts), host_free(host, starts), host_free(host, written);
}

static void describe(const Relations *relations, DtblShape *shape)
{
    shape->threads = relations->left.count;
    for (uint32_t i = 0; i < relations->left.count; i++) {
        const uint32_t key = relations->left.keys[i];
        shape_add(shape, relations->range_starts[key + 1] - relations->range_starts[key]);
    }
}

static bool join_run(Host *host, const DtblRun *run, KeyDistribution distribution)
{
    InputError error = {0};
    Relations relations;
    relations_make(run, distribution, &relations, &error);
    Result *results = input_array(&error, relations.results, sizeof *results);
    bool right = false;
    if (input_made(host, &error) && run->shape) {
        describe(&relations, run->shape);
        right = true;
    } else if (host->status == WB_OK) {
        join_on_device(host, run, &relations, results);
        right = host->status == WB_OK && results_right(&relations, results);
    }
    free(results);
    relations_free(&relations);
    return right;
}

bool join_uniform_run(Host *host, const DtblRun *run) { return join_run(host, run, KEYS_UNIFORM); }
bool join_gaussian_run(Host *host, const DtblRun *run) { return join_run(host, run, KEYS_GAUSSIAN); }
