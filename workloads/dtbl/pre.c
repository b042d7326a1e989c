/* Product recommendation: ratings by user and by film, and the sums and nearest films expected. */
#include "dtbl/input.h"

#include <stdlib.h>
#include <string.h>

#include "graphs/tables.h"

enum {
    THREADS = 128,
    WARP = 32,
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

/* MovieLens, if it was fetched, or ratings of its shape. */
static bool ratings_read(const DtblRun *run, Graph *of_user, InputError *error)
{
    static const char *const files[INPUT_SIZES] = {
        [INPUT_SMALL] = "movielens-100k.el", [INPUT_FULL] = "movielens-1m.el", [INPUT_TINY] = "none"};
    char path[4096];
    const char *file = input_fetched(run, files[run->size], path, sizeof path);
    if (run->shape)
        run->shape->is_real = file;
    return file ? graph_read(file, &(GraphFileOptions){0}, of_user, error)
                : ratings_make(&ratings_sizes[run->size], input_seed(run), of_user, error);
}

static void films_make(const DtblRun *run, Films *films, InputError *error)
{
    *films = (Films){0};
    if (!ratings_read(run, &films->of_user, error) ||
        !graph_transpose(&films->of_user, &films->of_film, error))
        return;
    const size_t count = films->of_user.targets;
    films->sums = input_array(error, count * count, sizeof *films->sums);
    films->nearest = input_array(error, count, sizeof *films->nearest);
    if (input_failed(error))
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

/* The film of each rating, in the order of the films' rows; null: an error stands. */
static uint32_t *films_of(const Graph *of_film, InputError *error)
{
    uint32_t *films = input_array(error, of_film->edges, sizeof *films);
    for (uint32_t film = 0; films && film < of_film->vertices; film++)
        for (uint32_t rating = of_film->starts[film]; rating < of_film->starts[film + 1]; rating++)
            films[rating] = film;
    return films;
}

static void describe(const Films *films, DtblShape *shape)
{
    const Graph *of_film = &films->of_film;
    shape->threads = of_film->edges;
    for (uint32_t rating = 0; rating < of_film->edges; rating++)
        shape_add(shape, graph_degree(&films->of_user, of_film->columns[rating]));
}

/* `sums` are zeros before and what was added up after. */
static void recommend_on_device(Host *host, const DtblRun *run, const Films *films, const uint32_t *film_of,
                                uint32_t *sums, uint64_t *nearest)
{
    const uint32_t count = films->of_film.vertices, ratings = films->of_film.edges;
    const uint32_t least = input_least(run, LEAST), parents = run->mode == LAUNCH_FLAT ? ratings : count;
    const size_t sums_bytes = (size_t)count * count * sizeof *sums, nearest_bytes = count * sizeof *nearest;
    const Ratings of_film = ratings_copy(host, &films->of_film),
                  of_user = ratings_copy(host, &films->of_user);
    const uint64_t film_ids = host_buffer(host, film_of, ratings * sizeof *film_of),
                   added = host_buffer(host, sums, sums_bytes),
                   found = host_buffer(host, NULL, nearest_bytes);
    char kernel[32];
    HOST_LAUNCH(host, dtbl_kernel("pre_sums", run->mode, kernel, sizeof kernel),
                dim((parents + THREADS - 1) / THREADS, 1, 1), dim(THREADS, 1, 1), WB_ARG(of_film),
                WB_ARG(of_user), WB_ARG(film_ids), WB_ARG(count), WB_ARG(ratings), WB_ARG(added),
                WB_ARG(least));
    HOST_LAUNCH(host, "pre_nearest", dim(count, 1, 1), dim(WARP, 1, 1), WB_ARG(added), WB_ARG(count),
                WB_ARG(found));
    host_read(host, sums, added, sums_bytes);
    host_read(host, nearest, found, nearest_bytes);
    ratings_drop(host, &of_film), ratings_drop(host, &of_user);
    host_free(host, film_ids), host_free(host, added), host_free(host, found);
}

bool pre_movielens_run(Host *host, const DtblRun *run)
{
    InputError error = {0};
    Films films;
    films_make(run, &films, &error);
    const uint32_t count = films.of_film.vertices;
    uint32_t *sums = input_array(&error, (size_t)count * count, sizeof *sums);
    uint64_t *nearest = input_array(&error, count, sizeof *nearest);
    uint32_t *film_of = films_of(&films.of_film, &error);
    bool right = false;
    if (input_made(host, &error) && run->shape) {
        describe(&films, run->shape);
        right = true;
    } else if (host->status == WB_OK) {
        recommend_on_device(host, run, &films, film_of, sums, nearest);
        right = !memcmp(sums, films.sums, (size_t)count * count * sizeof *sums) &&
                !memcmp(nearest, films.nearest, count * sizeof *nearest);
    }
    free(sums), free(nearest), free(film_of);
    films_free(&films);
    return right;
}
