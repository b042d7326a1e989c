/* Product recommendation: ratings by user and by film, and the sums and nearest films expected. */
#include "dtbl/input.h"

#include <stdlib.h>
#include <string.h>

#include "graphs/tables.h"

enum {
    THREADS = 32,
    LEAST = 32 /* threads of a launch: every rater is a warp of them */
};

/* Ratings by user and by film, and what comes of them. Invariant: sums has films x films elements, nearest
 * has `films`; both are as the kernels leave them. */
typedef struct Films {
    Graph of_user, of_film;
    uint32_t *sums;
    uint64_t *nearest;
} Films;

static void films_free(Films *films)
{
    graph_discard(&films->of_user);
    graph_discard(&films->of_film);
    free(films->sums);
    free(films->nearest);
}

/* By user, so in another order than on the GPU. */
static void add_sums(Films *films)
{
    const Graph *of_user = &films->of_user;
    for (uint32_t user = 0; user < of_user->vertices; user++)
        for (uint32_t a = of_user->starts[user]; a < of_user->starts[user + 1]; a++) {
            uint32_t *row = films->sums + (size_t)of_user->columns[a] * of_user->targets;
            for (uint32_t b = of_user->starts[user]; b < of_user->starts[user + 1]; b++)
                row[of_user->columns[b]] += of_user->weights[a] * of_user->weights[b];
        }
}

static void find_nearest(Films *films)
{
    const uint32_t count = films->of_user.targets;
    for (uint32_t film = 0; film < count; film++)
        for (uint32_t other = 0; other < count; other++) {
            const uint64_t product = films->sums[(size_t)film * count + other];
            if (other == film || !product)
                continue;
            const uint64_t own = films->sums[(size_t)film * count + film],
                           others = films->sums[(size_t)other * count + other];
            const uint64_t likeness = (product * product << 16) / (own * others) << 32 | (count - other);
            films->nearest[film] = likeness > films->nearest[film] ? likeness : films->nearest[film];
        }
}

static void films_make(const DtblRun *run, Films *films, InputError *error)
{
    const RatingsParameters *size = &ratings_sizes[run->size];
    *films = (Films){.sums = input_array(error, (size_t)size->items * size->items, sizeof *films->sums),
                     .nearest = input_array(error, size->items, sizeof *films->nearest)};
    if (input_failed(error) || !ratings_make(size, input_seed(run), &films->of_user, error) ||
        !graph_transpose(&films->of_user, &films->of_film, error))
        return;
    add_sums(films);
    find_nearest(films);
}

/* As the kernels declare it. */
typedef struct Ratings {
    uint64_t starts, others, stars;
} Ratings;

static Ratings ratings_copy(Host *host, const Graph *graph)
{
    return (Ratings){host_buffer(host, graph->starts, ((size_t)graph->vertices + 1) * sizeof(uint32_t)),
                     host_buffer(host, graph->columns, graph->edges * sizeof(uint32_t)),
                     host_buffer(host, graph->weights, graph->edges * sizeof(uint32_t))};
}

static void ratings_drop(Host *host, const Ratings *ratings)
{
    host_free(host, ratings->starts), host_free(host, ratings->others), host_free(host, ratings->stars);
}

bool pre_movielens_run(Host *host, const DtblRun *run)
{
    InputError error = {0};
    Films films;
    films_make(run, &films, &error);
    const uint32_t count = films.of_film.vertices, least = input_least(run, LEAST);
    const size_t sums_bytes = (size_t)count * count * sizeof(uint32_t),
                 nearest_bytes = count * sizeof(uint64_t);
    uint32_t *zeros = input_array(&error, (size_t)count * count, sizeof *zeros);
    uint64_t *found = input_array(&error, count, sizeof *found);
    bool right = false;
    if (input_made(host, &error)) {
        const Ratings of_film = ratings_copy(host, &films.of_film),
                      of_user = ratings_copy(host, &films.of_user);
        const uint64_t sums = host_buffer(host, zeros, sums_bytes),
                       nearest = host_buffer(host, NULL, nearest_bytes);
        char kernel[32];
        HOST_LAUNCH(host, dtbl_kernel("pre_sums", run->mode, kernel, sizeof kernel),
                    dim((count + THREADS - 1) / THREADS, 1, 1), dim(THREADS, 1, 1), WB_ARG(of_film),
                    WB_ARG(of_user), WB_ARG(count), WB_ARG(sums), WB_ARG(least));
        HOST_LAUNCH(host, "pre_nearest", dim(count, 1, 1), dim(THREADS, 1, 1), WB_ARG(sums), WB_ARG(count),
                    WB_ARG(nearest));
        uint32_t *added = zeros;
        host_read(host, added, sums, sums_bytes);
        host_read(host, found, nearest, nearest_bytes);
        right =
            memcmp(added, films.sums, sums_bytes) == 0 && memcmp(found, films.nearest, nearest_bytes) == 0;
        ratings_drop(host, &of_film), ratings_drop(host, &of_user);
        host_free(host, sums), host_free(host, nearest);
    }
    free(zeros);
    free(found);
    films_free(&films);
    return right;
}
