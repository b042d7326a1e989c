/* Adaptive mesh refinement: launches over the levels of a mesh, or one that launches the rest, and the mesh
 * as recursion on the host makes it. Finer cells are numbered by whoever came first, so meshes are compared
 * as trees, to the last bit of every temperature. */
#include "dtbl/input.h"

#include <math.h>
#include <stdlib.h>

/* BLOCKS of BLOCK threads, all that a K20c holds, go through the cells. */
enum { FINER = 32, LEVELS = 20, BLOCK = 256, BLOCKS = 104, LEAST = 32 };
#define NONE UINT32_MAX

/* Kelvin from which a cell is refined, and those of the first cell. The authors of DTBL draw the latter by
 * chance between 0 and 6,000 (gtcasl/dragon_li), of which the most makes the largest mesh. */
static const float threshold = 100;
static const float first_kelvins[INPUT_SIZES] = {
    [INPUT_SMALL] = 6000, [INPUT_FULL] = 6000, [INPUT_TINY] = 1200};

/* Invariant: finer[c] is the first of the FINER cells that cell c has become, or NONE. All began as 0. */
typedef struct Mesh {
    uint32_t count, capacity;
    float *kelvin;
    uint32_t *finer;
} Mesh;

/* What the kernels take. */
typedef struct DeviceMesh {
    uint64_t kelvin, finer, count;
    uint32_t capacity;
    float threshold;
} DeviceMesh;

static const double ground = 962.62, square = 4.6e-5, linear_up = 0.14816, linear_down = 0.1486;

static float energy_of(float kelvin)
{
    return (float)(fma(square * kelvin, kelvin, linear_up * kelvin) + ground);
}

/* Of finer cell `cell` in a cell of that energy. */
static float finer_kelvin(float energy, uint32_t cell)
{
    const uint32_t x = cell % 4, y = cell / 4 % 4, z = cell / 16;
    const float left = (float)((energy - ground) / (x * x + y * y + z * z + 2.0) + ground);
    const double root = sqrt(fma(-4 * square, ground - left, linear_down * linear_down));
    return (float)((root - linear_down) / (2 * square));
}

/* Room for FINER more cells at the end. False: out of memory. */
static bool mesh_grow(Mesh *mesh)
{
    if (mesh->count + FINER > mesh->capacity) {
        mesh->capacity += mesh->capacity / 2 + FINER;
        float *kelvin = realloc(mesh->kelvin, mesh->capacity * sizeof *kelvin);
        mesh->kelvin = kelvin ? kelvin : mesh->kelvin;
        uint32_t *finer = realloc(mesh->finer, mesh->capacity * sizeof *finer);
        mesh->finer = finer ? finer : mesh->finer;
        if (!kelvin || !finer)
            return false;
    }
    return true;
}

/* Refines a cell and those below it. */
static bool mesh_refine(Mesh *mesh, uint32_t cell, uint32_t level)
{
    mesh->finer[cell] = NONE;
    if (mesh->kelvin[cell] < threshold || level == LEVELS)
        return true;
    if (!mesh_grow(mesh))
        return false;
    const uint32_t first = mesh->count;
    const float energy = energy_of(mesh->kelvin[cell]);
    mesh->finer[cell] = first;
    mesh->count += FINER;
    for (uint32_t i = 0; i < FINER; i++)
        mesh->kelvin[first + i] = finer_kelvin(energy, i);
    for (uint32_t i = 0; i < FINER; i++)
        if (!mesh_refine(mesh, first + i, level + 1))
            return false;
    return true;
}

static bool mesh_make(Mesh *mesh, float kelvin, InputError *error)
{
    bool made = mesh_grow(mesh);
    if (made) {
        mesh->count = 1;
        mesh->kelvin[0] = kelvin;
        made = mesh_refine(mesh, 0, 0);
    }
    return made || input_fail(error, "Memory ran out while a mesh of %u cells was made.", mesh->count);
}

/* Whether a cell of one mesh, with all below it, equals that of the other. */
static bool cells_equal(const Mesh *one, uint32_t cell, const Mesh *other, uint32_t other_cell)
{
    if (cell >= one->count || other_cell >= other->count || one->kelvin[cell] != other->kelvin[other_cell])
        return false;
    const uint32_t finer = one->finer[cell], other_finer = other->finer[other_cell];
    if (finer == NONE || other_finer == NONE)
        return finer == other_finer;
    for (uint32_t i = 0; i < FINER; i++)
        if (!cells_equal(one, finer + i, other, other_finer + i))
            return false;
    return true;
}

/* Flat, a launch a level: its cells lie behind those of the levels before. */
static void refine_on_device(Host *host, const DtblRun *run, const DeviceMesh *mesh)
{
    const uint32_t least = input_least(run, LEAST);
    const uint32_t levels = run->mode == LAUNCH_FLAT ? LEVELS : 1;
    uint32_t first = 0, end = 1;
    char kernel[32];
    dtbl_kernel("refine", run->mode, kernel, sizeof kernel);
    for (uint32_t level = 0; level < levels && first < end && host->status == WB_OK; level++) {
        const uint32_t count = end - first;
        HOST_LAUNCH(host, kernel, dim(BLOCKS, 1, 1), dim(BLOCK, 1, 1), WB_ARG(*mesh), WB_ARG(first),
                    WB_ARG(count), WB_ARG(level), WB_ARG(least));
        first = end;
        host_read(host, &end, mesh->count, sizeof end);
    }
}

/* `mesh`, with room for the cells that are expected, gets what the kernels make. */
static void mesh_on_device(Host *host, const DtblRun *run, Mesh *mesh)
{
    const size_t bytes = (size_t)mesh->capacity * sizeof(uint32_t);
    const uint32_t one = 1;
    for (uint32_t cell = 0; cell < mesh->capacity; cell++)
        mesh->finer[cell] = NONE;
    DeviceMesh device = {.capacity = mesh->capacity, .threshold = threshold};
    device.kelvin = host_buffer(host, mesh->kelvin, bytes);
    device.finer = host_buffer(host, mesh->finer, bytes);
    device.count = host_buffer(host, &one, sizeof one);
    refine_on_device(host, run, &device);
    host_read(host, mesh->kelvin, device.kelvin, bytes);
    host_read(host, mesh->finer, device.finer, bytes);
    host_read(host, &mesh->count, device.count, sizeof mesh->count);
    host_free(host, device.kelvin), host_free(host, device.finer), host_free(host, device.count);
}

/* Threads of the largest level; a list is what a cell is refined into. */
static void describe(const Mesh *mesh, DtblShape *shape, uint32_t *level_of, uint64_t *cells)
{
    for (uint32_t cell = 0; cell < mesh->count; cell++) {
        const uint64_t here = ++cells[level_of[cell]];
        shape->threads = here > shape->threads ? here : shape->threads;
        if (mesh->finer[cell] == NONE)
            continue;
        shape_add(shape, FINER);
        for (uint32_t i = 0; i < FINER; i++) /* they lie behind it */
            level_of[mesh->finer[cell] + i] = level_of[cell] + 1;
    }
}

static bool run_made(Host *host, const DtblRun *run, const Mesh *expected, InputError *error)
{
    uint64_t cells[LEVELS + 1] = {0};
    Mesh found = {.count = expected->count,
                  .capacity = expected->count,
                  .kelvin = input_array(error, expected->count, sizeof *found.kelvin),
                  .finer = input_array(error, expected->count, sizeof *found.finer)};
    bool right = input_made(host, error);
    if (right && run->shape) {
        describe(expected, run->shape, found.finer, cells);
    } else if (right) {
        found.kelvin[0] = expected->kelvin[0];
        mesh_on_device(host, run, &found);
        right = found.count == expected->count && cells_equal(expected, 0, &found, 0);
    }
    free(found.kelvin), free(found.finer);
    return right;
}

bool amr_run(Host *host, const DtblRun *run)
{
    InputError error = {0};
    Mesh expected = {0};
    mesh_make(&expected, first_kelvins[run->size], &error);
    const bool right = run_made(host, run, &expected, &error);
    free(expected.kelvin), free(expected.finer);
    return right;
}
