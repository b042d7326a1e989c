/* The host's part of lbm [Parboil].
 *
 * Parboil's sets have 120 x 120 x 150 cells in rows of 128, blocks of 120 threads in a grid of 120 x 150, and
 * 100 steps (short) or 3,000 (long): a cavity whose lid moves. Full is the short set. Small is a cavity of
 * 120 x 24 x 16 cells, 384 blocks, which is as many as 13 SMs take in three to four rounds, and two steps;
 * all steps are the same. Cells begin at rest with densities that differ by a percent, by chance: so all
 * distributions differ. */
#include "saws/saws.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 120, PITCH = 128, DIRECTIONS = 19, ARRAYS, MARGIN = 2 }; /* as in lbm.cu; planes of margin */
enum { OBSTACLE = 1, LID = 2 };                                         /* the same */
static const float OMEGA = 1.95f, LID_X = 0.005f, LID_Y = 0.002f;

static const struct {
    uint32_t height, depth, steps;
} sizes[INPUT_SIZES] = {
    [INPUT_TINY] = {4, 4, 2}, [INPUT_SMALL] = {24, 16, 2}, [INPUT_FULL] = {120, 150, 100}};

/* As in lbm.cu. */
static const int steps[DIRECTIONS][3] = {{0, 0, 0},   {1, 0, 0},  {-1, 0, 0}, {0, 1, 0},  {0, -1, 0},
                                         {0, 0, 1},   {0, 0, -1}, {0, 1, 1},  {0, 1, -1}, {0, -1, 1},
                                         {0, -1, -1}, {1, 0, 1},  {-1, 0, 1}, {1, 0, -1}, {-1, 0, -1},
                                         {1, 1, 0},   {1, -1, 0}, {-1, 1, 0}, {-1, -1, 0}};
static int opposite(int i) { return i == 0 ? 0 : i < 7 ? ((i - 1) ^ 1) + 1 : ((i - 7) ^ 3) + 7; }
static float weight(int i) { return i == 0 ? 1.0f / 3 : i < 7 ? 1.0f / 18 : 1.0f / 36; }

/* Invariant: a lattice is ARRAYS arrays of `cells` values, the last of flags; cell (x, y, z) is value
 * x + PITCH * (y + height * (z + MARGIN)) of each. */
typedef struct Cavity {
    uint32_t height, depth, cells;
} Cavity;

static uint32_t cell_at(const Cavity *cavity, uint32_t x, uint32_t y, uint32_t z)
{
    return x + PITCH * (y + cavity->height * (z + MARGIN));
}

static void begin(const Cavity *cavity, float *lattice, uint32_t seed)
{
    for (uint32_t i = 0; i < DIRECTIONS * cavity->cells; i++)
        lattice[i] = weight((int)(i / cavity->cells)) * (1 + 0.01f * random_float(&seed));
    for (uint32_t z = 0; z < cavity->depth; z++)
        for (uint32_t y = 0; y < cavity->height; y++)
            for (uint32_t x = 0; x < WIDTH; x++) {
                const bool is_wall = x == 0 || y == 0 || z == 0 || x == WIDTH - 1 ||
                                     y == cavity->height - 1 || z == cavity->depth - 1;
                const uint32_t flags = is_wall ? OBSTACLE : z == 1 ? LID : 0;
                memcpy(&lattice[DIRECTIONS * cavity->cells + cell_at(cavity, x, y, z)], &flags, sizeof flags);
            }
}

static void collide(float f[DIRECTIONS], bool is_lid)
{
    float density = 0, u[3] = {0};
    for (int i = 0; i < DIRECTIONS; i++) {
        density += f[i];
        for (int axis = 0; axis < 3; axis++)
            u[axis] += (float)steps[i][axis] * f[i];
    }
    for (int axis = 0; axis < 3; axis++)
        u[axis] = is_lid ? (const float[]){LID_X, LID_Y, 0}[axis] : u[axis] / density;
    const float still = 1 - 1.5f * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int i = 0; i < DIRECTIONS; i++) {
        float speed = 0;
        for (int axis = 0; axis < 3; axis++)
            speed += (float)steps[i][axis] * u[axis];
        f[i] = (1 - OMEGA) * f[i] + OMEGA * weight(i) * density * (speed * (4.5f * speed + 3) + still);
    }
}

static void advance_cell(const Cavity *cavity, const float *from, float *to, uint32_t cell)
{
    float f[DIRECTIONS], back[DIRECTIONS];
    uint32_t flags;
    memcpy(&flags, &from[DIRECTIONS * cavity->cells + cell], sizeof flags);
    for (uint32_t i = 0; i < DIRECTIONS; i++)
        f[i] = back[opposite((int)i)] = from[i * cavity->cells + cell];
    if (flags & OBSTACLE)
        memcpy(f, back, sizeof f);
    else
        collide(f, flags & LID);
    for (uint32_t i = 0; i < DIRECTIONS; i++) {
        const int shift = steps[i][0] + PITCH * (steps[i][1] + (int)cavity->height * steps[i][2]);
        to[i * cavity->cells + cell + (uint32_t)shift] = f[i];
    }
}

static void advance(const Cavity *cavity, const float *from, float *to)
{
    for (uint32_t z = 0; z < cavity->depth; z++)
        for (uint32_t y = 0; y < cavity->height; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                advance_cell(cavity, from, to, cell_at(cavity, x, y, z));
}

/* Both lattices begin the same: what no cell sends to stays, and so do flags. */
static bool launch(Host *host, const Cavity *cavity, float *lattices[2], uint32_t count)
{
    const size_t values = (size_t)ARRAYS * cavity->cells, bytes = values * sizeof(float);
    const uint64_t device[] = {host_buffer(host, lattices[0], bytes), host_buffer(host, lattices[1], bytes)};
    for (uint32_t i = 0; i < count; i++) {
        HOST_LAUNCH(host, "stream_collide", dim(cavity->height, cavity->depth, 1), dim(WIDTH, 1, 1),
                    WB_ARG(device[i % 2]), WB_ARG(device[(i + 1) % 2]), WB_ARG(cavity->cells));
        advance(cavity, lattices[i % 2], lattices[(i + 1) % 2]);
    }
    const bool right = benchmark_near(host, device[count % 2], lattices[count % 2],
                                      (size_t)DIRECTIONS * cavity->cells, 1e-5f);
    host_free(host, device[0]), host_free(host, device[1]);
    return right;
}

bool saws_lbm_run(Host *host, const BenchmarkRun *run)
{
    Cavity cavity = {.height = sizes[run->size].height, .depth = sizes[run->size].depth};
    if (run->blocks)
        cavity.depth = (run->blocks + cavity.height - 1) / cavity.height;
    cavity.cells = PITCH * cavity.height * (cavity.depth + 2 * MARGIN);
    const size_t values = (size_t)ARRAYS * cavity.cells;
    float *lattices[] = {host_array(host, values, sizeof(float)), host_array(host, values, sizeof(float))};
    bool right = lattices[0] && lattices[1];
    if (right) {
        begin(&cavity, lattices[0], benchmark_seed(run));
        memcpy(lattices[1], lattices[0], values * sizeof(float));
        right = launch(host, &cavity, lattices, sizes[run->size].steps);
    }
    free(lattices[0]), free(lattices[1]);
    return right;
}
