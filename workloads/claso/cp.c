/* The host's part of the Coulombic potential.
 *
 * Table 2: 1 kernel, 1,024 blocks of 128 threads, 8 of them on an SM. The published blocks are of 16 x 8
 * threads with 8 points each; so the plane has 1,024 x 1,024 points. One launch takes the atoms that constant
 * memory holds, 4,000 in the published program: the full size. The small size has 256. It had 16 at first,
 * with which DRAM mattered, and the published program hardly needs it. Atoms lie in a box as wide as the
 * plane and up to 2 above it, with charges from -1 to 1. */
#include "claso/claso.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 16, HEIGHT = 8, POINTS = 8 }; /* as in cp.cu */
static const uint32_t blocks[INPUT_SIZES] = {[INPUT_TINY] = 4, [INPUT_SMALL] = 1024, [INPUT_FULL] = 1024};
static const uint32_t atoms[INPUT_SIZES] = {[INPUT_TINY] = 5, [INPUT_SMALL] = 256, [INPUT_FULL] = 4000};
static const float spacing = 0.1f;

typedef struct Atom {
    float x, y, z_squared, charge;
} Atom;

typedef struct Plane {
    uint32_t across, down; /* blocks */
    size_t width, height;  /* points */
} Plane;

static Plane plane_of(uint32_t count)
{
    const uint32_t across = count % 8 ? 1 : 8, down = count / across;
    return (Plane){across, down, (size_t)across * WIDTH * POINTS, (size_t)down * HEIGHT};
}

static void place(const Plane *plane, Atom *atom, uint32_t *state)
{
    atom->x = random_float(state) * (float)plane->width * spacing;
    atom->y = random_float(state) * (float)plane->height * spacing;
    const float z = 0.1f + 1.9f * random_float(state);
    atom->z_squared = z * z;
    atom->charge = 2 * random_float(state) - 1;
}

static float potential_at(float x, float y, const Atom *atom, size_t count)
{
    float sum = 0;
    for (size_t i = 0; i < count; i++) {
        const float dx = x - atom[i].x, dy = y - atom[i].y;
        sum += atom[i].charge / sqrtf(dx * dx + dy * dy + atom[i].z_squared);
    }
    return sum;
}

static bool compute(Host *host, const Plane *plane, const Atom *atom, size_t count, float *expected)
{
    const size_t points = plane->width * plane->height;
    const int number = (int)count;
    const uint64_t potential = host_buffer(host, expected, points * sizeof *expected); /* zeros */
    host_set(host, "cp_atoms", atom, count * sizeof *atom);
    HOST_LAUNCH(host, "cp_potential", dim(plane->across, plane->down, 1), dim(WIDTH, HEIGHT, 1),
                WB_ARG(potential), WB_ARG(spacing), WB_ARG(number));
    for (size_t i = 0; i < points; i++)
        expected[i] = potential_at((float)(i % plane->width) * spacing, (float)(i / plane->width) * spacing,
                                   atom, count);
    const bool right = benchmark_near(host, potential, expected, points, 1e-3f);
    host_free(host, potential);
    return right;
}

bool claso_cp_run(Host *host, const BenchmarkRun *run)
{
    const Plane plane = plane_of(run->blocks ? run->blocks : blocks[run->size]);
    const uint32_t count = atoms[run->size];
    uint32_t state = benchmark_seed(run);
    Atom *atom = host_array(host, count, sizeof *atom);
    float *expected = host_array(host, plane.width * plane.height, sizeof *expected);
    for (uint32_t i = 0; atom && i < count; i++)
        place(&plane, &atom[i], &state);
    const bool right = atom && expected && compute(host, &plane, atom, count, expected);
    free(expected);
    free(atom);
    return right;
}
