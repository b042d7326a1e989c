/* Barnes-Hut: five kernels, and a tree that the host builds by inserting one body after the other. Which
 * bodies and cells pull at a body is decided in the same arithmetic here and there, so that the terms are
 * the same; the host adds them up in double. */
#include "dtbl/input.h"
#include "graphs/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WARP = 32, CHILDREN = 8, DEPTH = 32, LEAST = 32 };
/* Kernels whose threads wait for each other need all their blocks resident: two on each SMX of a K20c. */
enum { BLOCKS = 26, THREADS = 256, FORCE_THREADS = 128 };
#define EMPTY (-1)

/* A cell is opened for bodies nearer than its side over `theta`; `one` is a force of 1 in fixed point. */
static const float theta = 0.5f, softening = 0.05f * 0.05f;
static const double one = 1 << 26;
/* How far a force may be off, of the magnitudes that were added up: single precision, an approximate root
 * and fixed point. */
static const double bound = 1e-5;

/* The cube of a cell: its middle and half its side. */
typedef struct Cube {
    float at[3], half;
} Cube;

/* Nodes are bodies and after them cells, the root first: x, y, z and mass. Invariant: a cell's children are
 * nodes or EMPTY, by octant; `sorted` lists bodies as one meets them going through the tree. */
typedef struct Tree {
    uint32_t bodies, cells, capacity, placed;
    Cube root;
    float (*nodes)[4];
    int32_t (*children)[CHILDREN];
    uint32_t *sorted;
} Tree;

/* What the kernels take. */
typedef struct DeviceTree {
    uint64_t nodes, children, bodies_in, starts, sorted, forces, box, cells;
    uint32_t bodies, capacity;
} DeviceTree;

static Cube bounding_cube(const Tree *tree)
{
    float side = 0;
    Cube cube;
    for (int axis = 0; axis < 3; axis++) {
        float low = tree->nodes[0][axis], high = low;
        for (uint32_t body = 1; body < tree->bodies; body++) {
            low = fminf(low, tree->nodes[body][axis]);
            high = fmaxf(high, tree->nodes[body][axis]);
        }
        cube.at[axis] = 0.5f * (low + high);
        side = fmaxf(side, high - low);
    }
    cube.half = 0.5f * side;
    return cube;
}

static uint32_t octant(const Cube *cube, const float at[4])
{
    uint32_t octant = 0;
    for (int axis = 0; axis < 3; axis++)
        octant |= (uint32_t)(cube->at[axis] < at[axis]) << axis;
    return octant;
}

static Cube octant_cube(const Cube *cube, uint32_t octant)
{
    Cube part = {.half = 0.5f * cube->half};
    for (int axis = 0; axis < 3; axis++)
        part.at[axis] = cube->at[axis] + (octant >> axis & 1 ? part.half : -part.half);
    return part;
}

static uint32_t take_cell(Tree *tree)
{
    memset(tree->children[tree->cells], 0xFF, sizeof *tree->children);
    return tree->cells++;
}

static bool insert(Tree *tree, uint32_t body, InputError *error)
{
    Cube cube = tree->root;
    uint32_t cell = 0;
    for (int depth = 0; depth < DEPTH && tree->cells < tree->capacity; depth++) {
        const uint32_t to = octant(&cube, tree->nodes[body]);
        int32_t *slot = &tree->children[cell][to];
        if (*slot == EMPTY) {
            *slot = (int32_t)body;
            return true;
        }
        cube = octant_cube(&cube, to);
        if (*slot < (int32_t)tree->bodies) {
            const int32_t other = *slot;
            const uint32_t below = take_cell(tree);
            tree->children[below][octant(&cube, tree->nodes[other])] = other;
            *slot = (int32_t)(tree->bodies + below);
        }
        cell = (uint32_t)*slot - tree->bodies;
    }
    return input_fail(error, "Bodies lie too close together for a tree of %d levels and %u cells.", DEPTH,
                      tree->capacity);
}

/* Sorts the bodies of a cell and finds its centre of mass. */
static void summarize(Tree *tree, uint32_t cell)
{
    float *node = tree->nodes[tree->bodies + cell];
    float sums[3] = {0};
    for (int k = 0; k < CHILDREN; k++) {
        const int32_t child = tree->children[cell][k];
        if (child == EMPTY)
            continue;
        if (child < (int32_t)tree->bodies)
            tree->sorted[tree->placed++] = (uint32_t)child;
        else
            summarize(tree, (uint32_t)child - tree->bodies);
        const float mass = tree->nodes[child][3];
        for (int axis = 0; axis < 3; axis++)
            sums[axis] = fmaf(tree->nodes[child][axis], mass, sums[axis]);
        node[3] += mass;
    }
    for (int axis = 0; axis < 3; axis++)
        node[axis] = sums[axis] / node[3];
}

static bool tree_make(Tree *tree, InputError *error)
{
    tree->root = bounding_cube(tree);
    take_cell(tree);
    for (uint32_t body = 0; body < tree->bodies; body++)
        if (!insert(tree, body, error))
            return false;
    summarize(tree, 0);
    return true;
}

/* Forces on the bodies of a warp: sums of terms, and of their magnitudes. */
typedef struct Pull {
    double sums[WARP][3], sizes[WARP][3];
} Pull;

static uint32_t warp_size(const Tree *tree, uint32_t first)
{
    return tree->bodies - first < WARP ? tree->bodies - first : WARP;
}

static bool far_from_all(const Tree *tree, const float node[4], uint32_t first, float near)
{
    bool far = true;
    for (uint32_t lane = 0; lane < warp_size(tree, first); lane++) {
        const float *at = tree->nodes[tree->sorted[first + lane]];
        const float x = node[0] - at[0], y = node[1] - at[1], z = node[2] - at[2];
        far &= fmaf(z, z, fmaf(y, y, x * x)) >= near;
    }
    return far;
}

static void add_pull(const Tree *tree, const float node[4], uint32_t first, Pull *pull)
{
    for (uint32_t lane = 0; lane < warp_size(tree, first); lane++) {
        const float *at = tree->nodes[tree->sorted[first + lane]];
        double away[3], square = softening;
        for (int axis = 0; axis < 3; axis++) {
            away[axis] = (double)node[axis] - at[axis];
            square += away[axis] * away[axis];
        }
        for (int axis = 0; axis < 3; axis++) {
            const double term = node[3] * away[axis] / (square * sqrt(square));
            pull->sums[lane][axis] += term;
            pull->sizes[lane][axis] += fabs(term);
        }
    }
}

/* Children of the cell are opened if one of the warp's bodies is nearer than the root of `near`. */
static void open_cell(const Tree *tree, uint32_t cell, uint32_t first, float near, Pull *pull)
{
    for (int k = 0; k < CHILDREN; k++) {
        const int32_t child = tree->children[cell][k];
        if (child == EMPTY)
            continue;
        if (child < (int32_t)tree->bodies || far_from_all(tree, tree->nodes[child], first, near))
            add_pull(tree, tree->nodes[child], first, pull);
        else
            open_cell(tree, (uint32_t)child - tree->bodies, first, 0.25f * near, pull);
    }
}

/* The root's children have half its side. */
static float root_near(const Tree *tree)
{
    const float distance = tree->root.half / theta;
    return distance * distance;
}

/* `forces` has all x, then all y, then all z. */
static bool forces_right(const Tree *tree, const int32_t *forces)
{
    bool right = true;
    for (uint32_t first = 0; first < tree->bodies; first += WARP) {
        Pull pull = {0};
        open_cell(tree, 0, first, root_near(tree), &pull);
        for (uint32_t lane = 0; lane < warp_size(tree, first); lane++)
            for (size_t axis = 0; axis < 3; axis++) {
                const int32_t force = forces[axis * tree->bodies + tree->sorted[first + lane]];
                right &= fabs(force / one - pull.sums[lane][axis]) <= bound * pull.sizes[lane][axis];
            }
    }
    return right;
}

/* A buffer with the same byte all over. */
static uint64_t filled(Host *host, int byte, size_t bytes)
{
    char *fill = malloc(bytes);
    if (fill)
        memset(fill, byte, bytes);
    else
        input_made(host, &(InputError){"Memory ran out while the kernels' buffers were filled."});
    const uint64_t address = host_buffer(host, fill, bytes);
    free(fill);
    return address;
}

static DeviceTree device_tree(Host *host, const Tree *tree)
{
    const size_t bodies = tree->bodies, cells = tree->cells;
    const int32_t box[6] = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MIN};
    DeviceTree device = {.bodies = tree->bodies, .capacity = tree->cells};
    device.nodes = filled(host, 0, (bodies + cells) * sizeof *tree->nodes);
    host_write(host, device.nodes, tree->nodes, bodies * sizeof *tree->nodes);
    device.children = filled(host, 0xFF, cells * sizeof *tree->children);
    device.bodies_in = filled(host, 0, cells * sizeof(uint32_t));
    device.starts = filled(host, 0xFF, cells * sizeof(int32_t));
    device.sorted = filled(host, 0, bodies * sizeof(uint32_t));
    device.forces = filled(host, 0, bodies * 3 * sizeof(int32_t));
    device.box = host_buffer(host, box, sizeof box);
    device.cells = host_buffer(host, &(uint32_t){1}, sizeof(uint32_t));
    return device;
}

/* `forces` get what the kernels find; the result is the number of cells in their tree. */
static uint32_t attract_on_device(Host *host, const DtblRun *run, const Tree *tree, int32_t *forces)
{
    DeviceTree device = device_tree(host, tree);
    const uint32_t none = 0, least = input_least(run, LEAST);
    const float near = root_near(tree);
    const WbDim3 blocks = dim(BLOCKS, 1, 1), threads = dim(THREADS, 1, 1);
    char kernel[32];
    dtbl_kernel("attract", run->mode, kernel, sizeof kernel);
    HOST_LAUNCH(host, "bound", dim((tree->bodies + THREADS - 1) / THREADS, 1, 1), threads, WB_ARG(device));
    HOST_LAUNCH(host, "build", blocks, threads, WB_ARG(device));
    HOST_LAUNCH(host, "summarize", blocks, threads, WB_ARG(device));
    HOST_LAUNCH(host, "sort", blocks, threads, WB_ARG(device));
    HOST_LAUNCH(host, kernel, dim((tree->bodies + FORCE_THREADS - 1) / FORCE_THREADS, 1, 1),
                dim(FORCE_THREADS, 1, 1), WB_ARG(device), WB_ARG(none), WB_ARG(none), WB_ARG(near),
                WB_ARG(least));
    uint32_t cells;
    host_read(host, &cells, device.cells, sizeof cells);
    host_read(host, forces, device.forces, (size_t)tree->bodies * 3 * sizeof *forces);
    const uint64_t buffers[] = {device.nodes,  device.children, device.bodies_in, device.starts,
                                device.sorted, device.forces,   device.box,       device.cells};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        host_free(host, buffers[i]);
    return cells;
}

bool bht_run(Host *host, const DtblRun *run)
{
    InputError error = {0};
    const uint32_t bodies = points_sizes[run->size];
    Tree tree = {.bodies = bodies, .capacity = 2 * bodies};
    float *points;
    points_make(bodies, POINTS_UNIFORM, input_seed(run), &points, &error);
    tree.nodes = input_array(&error, bodies + tree.capacity, sizeof *tree.nodes);
    tree.children = input_array(&error, tree.capacity, sizeof *tree.children);
    tree.sorted = input_array(&error, bodies, sizeof *tree.sorted);
    int32_t *forces = input_array(&error, (size_t)bodies * 3, sizeof *forces);
    if (!input_failed(&error)) {
        memcpy(tree.nodes, points, bodies * sizeof *tree.nodes);
        tree_make(&tree, &error);
    }
    bool right = input_made(host, &error);
    if (right && run->shape)
        run->shape->threads = bodies;
    else if (right)
        right = attract_on_device(host, run, &tree, forces) == tree.cells && host->status == WB_OK &&
                forces_right(&tree, forces);
    free(points), free(tree.nodes), free(tree.children), free(tree.sorted), free(forces);
    return right;
}
