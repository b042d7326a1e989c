/* Adaptive mesh refinement: one launch over the initial grid, and the mesh as recursion on the host makes it.
 * The patches of the two are numbered by whoever came first, so meshes are compared as trees, to the last
 * bit of every value. */
#include "dtbl/input.h"
#include "graphs/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A block of the first launch has BLOCK_PATCHES patches: the number of all is a multiple of it. */
enum { SIDE = 8, CELLS = SIDE * SIDE, BLOCK_PATCHES = 2, LEVELS = 4, LEAST = 32 };
#define NONE UINT32_MAX

/* Kelvin, a twentieth of what burning adds: a cell across which the temperature differs by so much is
 * refined. */
static const float tolerance = 90;
/* More cells than in the generator's small flame, which would not fill 13 SMXs. */
static const FlameParameters small_flame = {.width = 256, .height = 256, .thickness = 6, .pockets = 3};

/* Invariant: cell c of patch p is number p * CELLS + c; children holds the patch that refines a cell, or
 * NONE. The first `columns` * `rows` patches are the initial grid, row by row. */
typedef struct Mesh {
    const float *kelvin;
    uint32_t width, height;
    uint32_t columns, rows;
    uint32_t count, capacity; /* of patches */
    float *values;
    uint32_t *children;
} Mesh;

/* What the kernels take. */
typedef struct DeviceMesh {
    uint64_t kelvin, values, children, count;
    uint32_t capacity, width, height;
    float tolerance;
} DeviceMesh;

/* Weights of three neighbours for the value and the slope at a place of the middle one. */
typedef struct Spline {
    float value[3], slope[3];
} Spline;

static Spline spline(float at)
{
    const float left = 0.5f - at, right = 0.5f + at;
    return (Spline){{0.5f * (left * left), fmaf(-at, at, 0.75f), 0.5f * (right * right)},
                    {-left, -2 * at, right}};
}

static float weigh(const float weights[3], const float of[3])
{
    return fmaf(weights[2], of[2], fmaf(weights[1], of[1], weights[0] * of[0]));
}

static float bend(const float of[3]) { return fmaf(-2, of[1], of[0] + of[2]); }

static float kelvin_at(const Mesh *mesh, int64_t x, int64_t y)
{
    x = x < 0 ? 0 : x >= mesh->width ? mesh->width - 1 : x;
    y = y < 0 ? 0 : y >= mesh->height ? mesh->height - 1 : y;
    return mesh->kelvin[y * mesh->width + x];
}

/* The temperature of a cell after a step of diffusion and reaction; whether it is to be refined. */
static float step_cell(const Mesh *mesh, uint32_t level, uint32_t x, uint32_t y, bool *refined)
{
    const uint32_t scale = 1u << 3 * level;
    const float size = 1 / (float)scale;
    const Spline across = spline(fmaf((float)(x % scale) + 0.5f, size, -0.5f));
    const Spline down = spline(fmaf((float)(y % scale) + 0.5f, size, -0.5f));
    float value[3], slope[3], curve[3];
    for (int k = 0; k < 3; k++) {
        float line[3];
        for (int i = 0; i < 3; i++)
            line[i] = kelvin_at(mesh, (int64_t)(x / scale) + i - 1, (int64_t)(y / scale) + k - 1);
        value[k] = weigh(across.value, line);
        slope[k] = weigh(across.slope, line);
        curve[k] = bend(line);
    }
    const float kelvin = weigh(down.value, value), slope_x = weigh(down.value, slope),
                slope_y = weigh(down.slope, value), laplacian = weigh(down.value, curve) + bend(value);
    const float burnt = fmaf(kelvin, 1.0f / 1800, -300.0f / 1800), reaction = (burnt * burnt) * (1 - burnt);
    const float difference = fmaf(slope_x, slope_x, slope_y * slope_y) * (size * size);
    *refined = difference >= tolerance * tolerance && level + 1 < LEVELS;
    return fmaf(90, reaction, fmaf(0.125f, laplacian, kelvin));
}

/* A new patch at the end. False: out of memory. */
static bool mesh_grow(Mesh *mesh)
{
    if (mesh->count == mesh->capacity) {
        mesh->capacity += mesh->capacity / 2 + 64;
        float *values = realloc(mesh->values, (size_t)mesh->capacity * CELLS * sizeof *values);
        mesh->values = values ? values : mesh->values;
        uint32_t *children = realloc(mesh->children, (size_t)mesh->capacity * CELLS * sizeof *children);
        mesh->children = children ? children : mesh->children;
        if (!values || !children)
            return false;
    }
    mesh->count++;
    return true;
}

/* Fills a patch, whose corner is at x, y in cells of its level, and those below it. */
static bool mesh_fill(Mesh *mesh, uint32_t patch, uint32_t level, uint32_t x, uint32_t y)
{
    for (uint32_t index = 0; index < CELLS; index++) {
        const size_t cell = (size_t)patch * CELLS + index;
        const uint32_t cell_x = x + index % SIDE, cell_y = y + index / SIDE;
        bool refined;
        mesh->values[cell] = step_cell(mesh, level, cell_x, cell_y, &refined);
        mesh->children[cell] = refined ? mesh->count : NONE;
        if (refined &&
            (!mesh_grow(mesh) || !mesh_fill(mesh, mesh->count - 1, level + 1, cell_x * SIDE, cell_y * SIDE)))
            return false;
    }
    return true;
}

static bool mesh_make(Mesh *mesh, InputError *error)
{
    bool made = true;
    for (uint32_t patch = 0; made && patch < mesh->columns * mesh->rows; patch++)
        made = mesh_grow(mesh);
    for (uint32_t patch = 0; made && patch < mesh->columns * mesh->rows; patch++)
        made = mesh_fill(mesh, patch, 0, patch % mesh->columns * SIDE, patch / mesh->columns * SIDE);
    return made || input_fail(error, "Memory ran out while a mesh of %u patches was made.", mesh->count);
}

/* Whether a patch of one mesh, with all below it, equals that of the other. */
static bool patches_equal(const Mesh *one, uint32_t patch, const Mesh *other, uint32_t other_patch)
{
    if (patch >= one->count || other_patch >= other->count)
        return false;
    const size_t first = (size_t)patch * CELLS, other_first = (size_t)other_patch * CELLS;
    if (memcmp(one->values + first, other->values + other_first, CELLS * sizeof *one->values) != 0)
        return false;
    for (size_t index = 0; index < CELLS; index++) {
        const uint32_t child = one->children[first + index],
                       other_child = other->children[other_first + index];
        if (child != NONE || other_child != NONE)
            if (!patches_equal(one, child, other, other_child))
                return false;
    }
    return true;
}

/* `mesh`, with room for the patches that are expected, gets what the kernels make. */
static void refine_on_device(Host *host, const DtblRun *run, Mesh *mesh)
{
    const size_t cells = (size_t)mesh->capacity * CELLS, grid = (size_t)mesh->width * mesh->height;
    const uint32_t initial = mesh->columns * mesh->rows, none = 0;
    const uint32_t least = input_least(run, LEAST);
    DeviceMesh device = {.capacity = mesh->capacity,
                         .width = mesh->width,
                         .height = mesh->height,
                         .tolerance = tolerance * tolerance};
    device.kelvin = host_buffer(host, mesh->kelvin, grid * sizeof *mesh->kelvin);
    device.values = host_buffer(host, NULL, cells * sizeof *mesh->values);
    device.children = host_buffer(host, NULL, cells * sizeof *mesh->children);
    device.count = host_buffer(host, &initial, sizeof initial);
    char kernel[32];
    dtbl_kernel("refine", run->mode, kernel, sizeof kernel);
    HOST_LAUNCH(host, kernel, dim(initial / BLOCK_PATCHES, 1, 1), dim(BLOCK_PATCHES * CELLS, 1, 1),
                WB_ARG(device), WB_ARG(none), WB_ARG(none), WB_ARG(none), WB_ARG(none), WB_ARG(mesh->columns),
                WB_ARG(least));
    host_read(host, mesh->values, device.values, cells * sizeof *mesh->values);
    host_read(host, mesh->children, device.children, cells * sizeof *mesh->children);
    host_read(host, &mesh->count, device.count, sizeof mesh->count);
    host_free(host, device.kelvin), host_free(host, device.values);
    host_free(host, device.children), host_free(host, device.count);
}

static uint64_t cells_below(const Mesh *mesh, uint32_t patch)
{
    uint64_t cells = 0;
    for (size_t cell = (size_t)patch * CELLS; cell < ((size_t)patch + 1) * CELLS; cell++)
        if (mesh->children[cell] != NONE)
            cells += cells_below(mesh, mesh->children[cell]);
    return cells + CELLS;
}

static void describe(const Mesh *mesh, DtblShape *shape)
{
    const size_t initial = (size_t)mesh->columns * mesh->rows * CELLS;
    shape->threads = initial;
    for (size_t cell = 0; cell < initial; cell++)
        shape_add(shape, mesh->children[cell] == NONE ? 0 : cells_below(mesh, mesh->children[cell]));
}

bool amr_run(Host *host, const DtblRun *run)
{
    const FlameParameters *size = run->size == INPUT_SMALL ? &small_flame : &flame_sizes[run->size];
    InputError error = {0};
    float *kelvin;
    if (!flame_make(size, input_seed(run), &kelvin, &error))
        return input_made(host, &error);
    Mesh expected = {.kelvin = kelvin,
                     .width = size->width,
                     .height = size->height,
                     .columns = size->width / SIDE,
                     .rows = size->height / SIDE};
    mesh_make(&expected, &error);
    Mesh found = expected;
    found.capacity = expected.count;
    found.values = input_array(&error, (size_t)expected.count * CELLS, sizeof *found.values);
    found.children = input_array(&error, (size_t)expected.count * CELLS, sizeof *found.children);
    bool right = input_made(host, &error);
    if (right && run->shape)
        describe(&expected, run->shape);
    else if (right)
        refine_on_device(host, run, &found);
    right = right && found.count == expected.count;
    for (uint32_t patch = 0; right && !run->shape && patch < expected.columns * expected.rows; patch++)
        right = patches_equal(&expected, patch, &found, patch);
    free(kelvin);
    free(expected.values), free(expected.children), free(found.values), free(found.children);
    return right;
}
