/* Flow of a gas around a body on an unstructured mesh of tetrahedra, as Rodinia's euler3d: a thread for each
 * element. The flux kernel gathers the states of the four neighbours, wherever they lie, and adds up what
 * passes through the faces; at the mesh's border it takes the body or the far field instead. A variable is an
 * array of its own. Three of these steps, each from the last one's states, are an iteration (Runge-Kutta). */
constexpr int THREADS = 192, VARIABLES = 5, FACES = 4, RK = 3; /* as the host has it */
enum { DENSITY, MOMENTUM, ENERGY = MOMENTUM + 3 };
enum { BODY = -1, FAR = -2 }; /* neighbours that are none, as the host has it */
constexpr float GAMMA = 1.4f, SMOOTHING = 0.2f;

struct Vector {
    float x, y, z;
};

/* What flows into each direction of a variable; mass flows as momentum says. */
struct Flux {
    Vector momentum[3], energy;
};

/* Of the far field, which does not change. */
__constant__ float far_state[VARIABLES];
__constant__ Flux far_flux;

/* An element's state and what follows from it. */
struct Element {
    float density, energy, speed, pressure, sound;
    Vector momentum, velocity;
};

__device__ __forceinline__ Element load(const float *state, int i, int count)
{
    Element e;
    e.density = state[DENSITY * count + i];
    e.momentum = {state[MOMENTUM * count + i], state[(MOMENTUM + 1) * count + i],
                  state[(MOMENTUM + 2) * count + i]};
    e.energy = state[ENERGY * count + i];
    e.velocity = {e.momentum.x / e.density, e.momentum.y / e.density, e.momentum.z / e.density};
    const Vector v = e.velocity;
    const float square = v.x * v.x + v.y * v.y + v.z * v.z;
    e.speed = sqrtf(square);
    e.pressure = (GAMMA - 1) * (e.energy - 0.5f * e.density * square);
    e.sound = sqrtf(GAMMA * e.pressure / e.density);
    return e;
}

__device__ __forceinline__ Flux flux_of(const Element &e)
{
    const Vector v = e.velocity, m = e.momentum;
    const float with_pressure = e.energy + e.pressure;
    Flux flux;
    flux.momentum[0] = {v.x * m.x + e.pressure, v.x * m.y, v.x * m.z};
    flux.momentum[1] = {v.x * m.y, v.y * m.y + e.pressure, v.y * m.z};
    flux.momentum[2] = {v.x * m.z, v.y * m.z, v.z * m.z + e.pressure};
    flux.energy = {v.x * with_pressure, v.y * with_pressure, v.z * with_pressure};
    return flux;
}

/* The mean of what flows on both sides of a face, through it. */
__device__ __forceinline__ float through(const Vector &normal, const Vector &a, const Vector &b)
{
    return 0.5f * (normal.x * (a.x + b.x) + normal.y * (a.y + b.y) + normal.z * (a.z + b.z));
}

__device__ __forceinline__ void add_face(float (&sum)[VARIABLES], const Vector &normal, const Vector &mass_a,
                                         const Flux &a, const Vector &mass_b, const Flux &b)
{
    sum[DENSITY] += through(normal, mass_a, mass_b);
    for (int k = 0; k < 3; k++)
        sum[MOMENTUM + k] += through(normal, a.momentum[k], b.momentum[k]);
    sum[ENERGY] += through(normal, a.energy, b.energy);
}

/* Artificial viscosity between neighbours. */
__device__ __forceinline__ void smooth(float (&sum)[VARIABLES], float area, const Element &a,
                                       const Element &b)
{
    const float factor = -area * SMOOTHING * 0.5f * (a.speed + b.speed + a.sound + b.sound);
    sum[DENSITY] += factor * (a.density - b.density);
    sum[MOMENTUM] += factor * (a.momentum.x - b.momentum.x);
    sum[MOMENTUM + 1] += factor * (a.momentum.y - b.momentum.y);
    sum[MOMENTUM + 2] += factor * (a.momentum.z - b.momentum.z);
    sum[ENERGY] += factor * (a.energy - b.energy);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    step_factors(const float *state, const float *volume, float *factor, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Element own = load(state, i, count);
    factor[i] = 0.5f / (sqrtf(volume[i]) * (own.speed + own.sound));
}

/* Of face f the neighbour and the normal, which points inwards and is as long as the face is large. */
extern "C" __global__ void __launch_bounds__(THREADS)
    compute_flux(const int *neighbours, const float *normals, const float *state, float *flux, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Element own = load(state, i, count);
    const Flux own_flux = flux_of(own);
    float sum[VARIABLES] = {0};
#pragma unroll
    for (int f = 0; f < FACES; f++) {
        const int neighbour = neighbours[f * count + i];
        const Vector normal = {normals[f * count + i], normals[(FACES + f) * count + i],
                               normals[(2 * FACES + f) * count + i]};
        if (neighbour >= 0) {
            const Element other = load(state, neighbour, count);
            smooth(sum, sqrtf(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z), own, other);
            add_face(sum, normal, own.momentum, own_flux, other.momentum, flux_of(other));
        } else if (neighbour == BODY) {
            sum[MOMENTUM] += normal.x * own.pressure;
            sum[MOMENTUM + 1] += normal.y * own.pressure;
            sum[MOMENTUM + 2] += normal.z * own.pressure;
        } else if (neighbour == FAR) {
            const Vector mass = {far_state[MOMENTUM], far_state[MOMENTUM + 1], far_state[MOMENTUM + 2]};
            add_face(sum, normal, own.momentum, own_flux, mass, far_flux);
        }
    }
    for (int k = 0; k < VARIABLES; k++)
        flux[k * count + i] = sum[k];
}

extern "C" __global__ void __launch_bounds__(THREADS)
    time_step(int stage, const float *before, const float *factor, const float *flux, float *state, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float by = factor[i] / (RK - stage);
    for (int k = 0; k < VARIABLES; k++)
        state[k * count + i] = before[k * count + i] + by * flux[k * count + i];
}
