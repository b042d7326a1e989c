/* The host's part of cfd [Rodinia, euler3d].
 *
 * Rodinia's usual mesh has 97,046 elements, 506 blocks of 192 threads, and runs 2,000 iterations. The file is
 * replaced by a mesh made here (cfd_mesh.h). The far field comes in at Mach 1.2. Rodinia begins with it
 * everywhere; here states differ by up to a percent, by chance, so that all faces matter. Full has 25 cubes
 * on a side, 93,750 elements, and ten iterations: all are the same. Small has 16, 24,576 elements, 128
 * blocks, two to three rounds on 13 SMs with 4 blocks each, and one iteration: 1 + 2 x 3 launches. */
#include "saws/saws.h"

#include <math.h>
#include <stdlib.h>

#include "saws/cfd_mesh.h"

enum { VARIABLES = 5, RK = 3, DENSITY = 0, MOMENTUM = 1, ENERGY = 4 }; /* as in cfd.cu */
static const float GAMMA = 1.4f, SMOOTHING = 0.2f, MACH = 1.2f;

static const struct {
    uint32_t cubes, iterations; /* cubes of a side */
} sizes[INPUT_SIZES] = {[INPUT_TINY] = {2, 1}, [INPUT_SMALL] = {16, 1}, [INPUT_FULL] = {25, 10}};

/* A state, what follows from it, and what flows of each variable into each direction. */
typedef struct Element {
    float state[VARIABLES], speed, pressure, sound, flux[VARIABLES][3];
} Element;

/* States of all elements are VARIABLES arrays of `count`. */
static Element element_at(const float *states, uint32_t i, uint32_t count)
{
    Element e;
    float square = 0, velocity[3];
    for (uint32_t k = 0; k < VARIABLES; k++)
        e.state[k] = states[k * count + i];
    for (int k = 0; k < 3; k++) {
        velocity[k] = e.state[MOMENTUM + k] / e.state[DENSITY];
        square += velocity[k] * velocity[k];
    }
    e.speed = sqrtf(square);
    e.pressure = (GAMMA - 1) * (e.state[ENERGY] - 0.5f * e.state[DENSITY] * square);
    e.sound = sqrtf(GAMMA * e.pressure / e.state[DENSITY]);
    for (int k = 0; k < 3; k++) {
        e.flux[DENSITY][k] = e.state[MOMENTUM + k];
        for (int m = 0; m < 3; m++)
            e.flux[MOMENTUM + m][k] = velocity[m] * e.state[MOMENTUM + k] + (m == k ? e.pressure : 0);
        e.flux[ENERGY][k] = velocity[k] * (e.state[ENERGY] + e.pressure);
    }
    return e;
}

/* Adds what passes through a face. It is smoothed to a neighbour, but not to the far field. */
static void add_face(float sum[VARIABLES], const float normal[3], const Element *own, const Element *other,
                     bool is_smoothed)
{
    const float area = sqrtf(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    const float factor = -area * SMOOTHING * 0.5f * (own->speed + other->speed + own->sound + other->sound);
    for (int v = 0; v < VARIABLES; v++) {
        if (is_smoothed)
            sum[v] += factor * (own->state[v] - other->state[v]);
        for (int k = 0; k < 3; k++)
            sum[v] += 0.5f * normal[k] * (own->flux[v][k] + other->flux[v][k]);
    }
}

static void add_flux(const CfdMesh *mesh, const float *states, const Element *far, uint32_t i,
                     float sum[VARIABLES])
{
    const Element own = element_at(states, i, mesh->count);
    for (uint32_t f = 0; f < CFD_FACES; f++) {
        const int32_t neighbour = mesh->neighbours[f * mesh->count + i];
        float normal[3];
        for (uint32_t k = 0; k < 3; k++)
            normal[k] = mesh->normals[(k * CFD_FACES + f) * mesh->count + i];
        if (neighbour >= 0) {
            const Element other = element_at(states, (uint32_t)neighbour, mesh->count);
            add_face(sum, normal, &own, &other, true);
        } else if (neighbour == CFD_FAR) {
            add_face(sum, normal, &own, far, false);
        } else {
            for (int k = 0; k < 3; k++)
                sum[MOMENTUM + k] += normal[k] * own.pressure;
        }
    }
}

/* From states `before` and `now` to `after`, which is none of them. */
static void advance(const CfdMesh *mesh, const Element *far, int stage, const float *before, const float *now,
                    float *after)
{
    for (uint32_t i = 0; i < mesh->count; i++) {
        const Element first = element_at(before, i, mesh->count);
        const float factor = 0.5f / (sqrtf(mesh->volume[i]) * (first.speed + first.sound));
        float sum[VARIABLES] = {0};
        add_flux(mesh, now, far, i, sum);
        for (uint32_t v = 0; v < VARIABLES; v++)
            after[v * mesh->count + i] = first.state[v] + factor / (float)(RK - stage) * sum[v];
    }
}

static Element far_field(void)
{
    const float density = 1.4f, pressure = 1, speed = MACH * sqrtf(GAMMA * pressure / density);
    const float energy = 0.5f * density * speed * speed + pressure / (GAMMA - 1);
    return element_at((const float[VARIABLES]){density, density * speed, 0, 0, energy}, 0, 1);
}

/* What the kernels work on. Invariant: iteration i reads states[i % 2] and leaves its result in the other. */
typedef struct Device {
    uint64_t neighbours, normals, volume, states[2], flux, factors;
} Device;

static void launch_iteration(Host *host, const Device *device, uint32_t count, uint32_t i)
{
    const WbDim3 grid = dim(count / CFD_THREADS, 1, 1), block = dim(CFD_THREADS, 1, 1);
    const uint64_t before = device->states[i % 2], after = device->states[(i + 1) % 2];
    HOST_LAUNCH(host, "step_factors", grid, block, WB_ARG(before), WB_ARG(device->volume),
                WB_ARG(device->factors), WB_ARG(count));
    for (int stage = 0; stage < RK; stage++) {
        HOST_LAUNCH(host, "compute_flux", grid, block, WB_ARG(device->neighbours), WB_ARG(device->normals),
                    WB_ARG(*(stage ? &after : &before)), WB_ARG(device->flux), WB_ARG(count));
        HOST_LAUNCH(host, "time_step", grid, block, WB_ARG(stage), WB_ARG(before), WB_ARG(device->factors),
                    WB_ARG(device->flux), WB_ARG(after), WB_ARG(count));
    }
}

/* `states` are three; the first holds the beginning, and the result in the end. */
static void compute(const CfdMesh *mesh, float *states[RK], uint32_t iterations)
{
    const Element far = far_field();
    for (uint32_t i = 0; i < iterations; i++) {
        advance(mesh, &far, 0, states[0], states[0], states[1]);
        advance(mesh, &far, 1, states[0], states[1], states[2]);
        advance(mesh, &far, 2, states[0], states[2], states[1]);
        float *const last = states[0];
        states[0] = states[1], states[1] = last;
    }
}

static bool launch(Host *host, const CfdMesh *mesh, float *states[RK], uint32_t iterations)
{
    const size_t bytes = mesh->count * sizeof(float);
    const Element far = far_field();
    const Device device = {
        host_buffer(host, mesh->neighbours, CFD_FACES * bytes),
        host_buffer(host, mesh->normals, 3 * CFD_FACES * bytes),
        host_buffer(host, mesh->volume, bytes),
        {host_buffer(host, states[0], VARIABLES * bytes), host_buffer(host, NULL, VARIABLES * bytes)},
        host_buffer(host, NULL, VARIABLES * bytes),
        host_buffer(host, NULL, bytes)};
    host_write(host, host_symbol(host, "far_state"), far.state, sizeof far.state);
    host_write(host, host_symbol(host, "far_flux"), far.flux[MOMENTUM], sizeof far.flux - sizeof *far.flux);
    for (uint32_t i = 0; i < iterations; i++)
        launch_iteration(host, &device, mesh->count, i);
    compute(mesh, states, iterations);
    const bool right = benchmark_near(host, device.states[iterations % 2], states[0],
                                      (size_t)VARIABLES * mesh->count, 1e-5f);
    host_free(host, device.neighbours), host_free(host, device.normals), host_free(host, device.volume);
    host_free(host, device.states[0]), host_free(host, device.states[1]);
    host_free(host, device.flux), host_free(host, device.factors);
    return right;
}

/* Elements that repeat the last one have its state as well. */
static void begin(const CfdMesh *mesh, float *states, uint32_t seed)
{
    const Element far = far_field();
    for (uint32_t v = 0; v < VARIABLES; v++)
        for (uint32_t i = 0; i < mesh->count; i++)
            states[v * mesh->count + i] = i < mesh->real ? far.state[v] * (1 + 0.01f * random_float(&seed))
                                                         : states[v * mesh->count + i - 1];
}

bool saws_cfd_run(Host *host, const BenchmarkRun *run)
{
    const uint32_t seed = benchmark_seed(run);
    const double wished = run->blocks ? cbrt((double)run->blocks * CFD_THREADS / 6) : sizes[run->size].cubes;
    CfdMesh mesh = {0};
    bool right = cfd_make_mesh(host, &mesh, (uint32_t)fmax(1, wished), seed);
    float *states[RK];
    for (int i = 0; i < RK; i++) {
        states[i] = host_array(host, (size_t)VARIABLES * mesh.count, sizeof(float));
        right &= states[i] != NULL;
    }
    if (right) {
        begin(&mesh, states[0], seed);
        right = launch(host, &mesh, states, sizes[run->size].iterations);
    }
    for (int i = 0; i < RK; i++)
        free(states[i]);
    cfd_free_mesh(&mesh);
    return right;
}
