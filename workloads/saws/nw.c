/* The host's part of the alignment of sequences.
 *
 * Rodinia's example has sequences of 2,048 and a penalty of 10: the full size, 255 launches of up to 128
 * blocks of 16 threads. The small one has 1,024: 127 launches of up to 64 blocks. The program has no more
 * blocks than a diagonal has tiles, so SMs stay far from full at any size that can be simulated. Scores
 * are those of a random symmetric table for 24 residues with values from -4 to 4, and 4 to 11 for a
 * residue and itself, as large as those of BLOSUM62, which the program has. */
#include <stdlib.h>

#include "saws/saws.h"

enum { SIDE = 16, RESIDUES = 24 };
static const int lengths[INPUT_SIZES] = {[INPUT_TINY] = 48, [INPUT_SMALL] = 1024, [INPUT_FULL] = 2048};
static const int penalty = 10;

/* Invariant: both have (length + 1) rows of as many columns. The first row and column of `scores` are
 * unused. */
typedef struct Pair {
    int length;
    int *scores, *matrix;
} Pair;

static int draw(uint32_t *seed, int below) { return (int)(random_float(seed) * (float)below); }

static void make(const Pair *pair, uint32_t seed)
{
    const int columns = pair->length + 1;
    int table[RESIDUES][RESIDUES];
    for (int i = 0; i < RESIDUES; i++) {
        for (int j = 0; j < i; j++)
            table[i][j] = table[j][i] = draw(&seed, 9) - 4;
        table[i][i] = 4 + draw(&seed, 8);
    }
    /* The first row and column hold the two sequences for a while. */
    for (int i = 1; i < columns; i++) {
        pair->matrix[i] = draw(&seed, RESIDUES);
        pair->matrix[i * columns] = draw(&seed, RESIDUES);
    }
    for (int y = 1; y < columns; y++)
        for (int x = 1; x < columns; x++)
            pair->scores[y * columns + x] = table[pair->matrix[y * columns]][pair->matrix[x]];
    for (int i = 0; i < columns; i++)
        pair->matrix[i] = pair->matrix[i * columns] = -i * penalty;
}

static void align(const Pair *pair)
{
    const int columns = pair->length + 1;
    for (int y = 1; y < columns; y++)
        for (int x = 1; x < columns; x++) {
            int *cell = &pair->matrix[y * columns + x];
            const int both = cell[-columns - 1] + pair->scores[y * columns + x];
            const int one = (cell[-1] > cell[-columns] ? cell[-1] : cell[-columns]) - penalty;
            *cell = both > one ? both : one;
        }
}

static bool compute(Host *host, const Pair *pair)
{
    const int columns = pair->length + 1, tiles = pair->length / SIDE;
    const size_t bytes = (size_t)columns * (size_t)columns * sizeof *pair->matrix;
    const uint64_t scores = host_buffer(host, pair->scores, bytes);
    const uint64_t matrix = host_buffer(host, pair->matrix, bytes);
    for (int diagonal = 0; diagonal < tiles; diagonal++)
        HOST_LAUNCH(host, "nw_widening", dim((uint32_t)diagonal + 1, 1, 1), dim(SIDE, 1, 1), WB_ARG(scores),
                    WB_ARG(matrix), WB_ARG(columns), WB_ARG(penalty), WB_ARG(diagonal));
    for (int diagonal = tiles; diagonal < 2 * tiles - 1; diagonal++)
        HOST_LAUNCH(host, "nw_narrowing", dim((uint32_t)(2 * tiles - 1 - diagonal), 1, 1), dim(SIDE, 1, 1),
                    WB_ARG(scores), WB_ARG(matrix), WB_ARG(columns), WB_ARG(penalty), WB_ARG(diagonal),
                    WB_ARG(tiles));
    align(pair);
    const bool right = host_equals(host, matrix, pair->matrix, bytes);
    host_free(host, scores), host_free(host, matrix);
    return right;
}

bool saws_nw_run(Host *host, const BenchmarkRun *run)
{
    Pair pair = {.length = run->blocks ? (int)run->blocks * SIDE : lengths[run->size]};
    const size_t count = (size_t)(pair.length + 1) * (size_t)(pair.length + 1);
    pair.scores = host_array(host, count, sizeof *pair.scores);
    pair.matrix = host_array(host, count, sizeof *pair.matrix);
    bool right = pair.scores && pair.matrix;
    if (right)
        make(&pair, benchmark_seed(run));
    right = right && compute(host, &pair);
    free(pair.scores), free(pair.matrix);
    return right;
}
