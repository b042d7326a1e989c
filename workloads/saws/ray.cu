/* A ray tracer of mirroring spheres: a thread has a pixel, a block 16 x 8 of them. Rays part at every
 * sphere, so lanes of a warp and warps of a block soon do different amounts of work. The scene comes
 * through shared memory, sixteen spheres at a time, for the ray and again for its shadow. All threads of
 * the block bring it in, those whose ray has ended too, until no ray of the block is left. */

constexpr int WIDTH = 16, HEIGHT = 8, THREADS = WIDTH * HEIGHT, BATCH = 16, BOUNCES = 4;
constexpr float NEAR = 1e-3f, FAR = 1e30f;

struct Vector {
    float x, y, z;
};
/* As the host has it: a batch has a word for each thread. */
struct Sphere {
    Vector center;
    float square; /* of the radius */
    Vector colour;
    float mirror; /* share of the light that it sends back */
};
struct Image {
    int width, height;
};

__device__ __forceinline__ float dot(Vector a, Vector b) { return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z)); }
/* a + t b */
__device__ __forceinline__ Vector along(Vector a, float t, Vector b)
{
    return {fmaf(t, b.x, a.x), fmaf(t, b.y, a.y), fmaf(t, b.z, a.z)};
}
__device__ __forceinline__ Vector unit(Vector a)
{
    const float scale = 1.0f / sqrtf(dot(a, a));
    return {a.x * scale, a.y * scale, a.z * scale};
}

struct Ray {
    Vector origin, way;
};

/* How far away the ray meets the sphere from outside, FAR: it does not. */
__device__ __forceinline__ float meet(const Ray &ray, const Sphere &sphere)
{
    const Vector from = along(ray.origin, -1.0f, sphere.center);
    const float half = dot(from, ray.way), rest = fmaf(half, half, sphere.square - dot(from, from));
    if (rest <= 0.0f)
        return FAR;
    const float distance = -half - sqrtf(rest);
    return distance > NEAR ? distance : FAR;
}

struct Hit {
    float distance;
    Sphere sphere;
};

/* The nearest sphere on the ray's way. Threads that do not look only help to bring in the scene. */
__device__ __forceinline__ Hit nearest(const Sphere *spheres, int count, Sphere *batch, const Ray &ray,
                                       bool looks)
{
    Hit hit = {FAR, {}};
    const int thread = threadIdx.y * WIDTH + threadIdx.x;
    for (int first = 0; first < count; first += BATCH) {
        ((float *)batch)[thread] = ((const float *)&spheres[first])[thread];
        __syncthreads();
        for (int i = 0; looks && i < BATCH; i++) {
            const float distance = meet(ray, batch[i]);
            if (distance < hit.distance)
                hit = {distance, batch[i]};
        }
        __syncthreads();
    }
    return hit;
}

__device__ __forceinline__ Vector sky(Vector way)
{
    const float height = fmaf(0.5f, way.y, 0.5f);
    return {fmaf(-0.5f, height, 1.0f), fmaf(-0.25f, height, 1.0f), 1.0f};
}

__device__ __forceinline__ unsigned pack(Vector colour)
{
    const unsigned red = (unsigned)(fminf(colour.x, 1.0f) * 255.0f),
                   green = (unsigned)(fminf(colour.y, 1.0f) * 255.0f);
    return red | green << 8 | (unsigned)(fminf(colour.z, 1.0f) * 255.0f) << 16;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    ray(const Sphere *spheres, int count, unsigned *pixels, Image image, Vector light)
{
    __shared__ Sphere batch[BATCH];
    const int x = blockIdx.x * WIDTH + threadIdx.x, y = blockIdx.y * HEIGHT + threadIdx.y;
    const float across = (float)(2 * x - image.width) / (float)image.width;
    const float up = (float)(image.height - 2 * y) / (float)image.width;
    Ray ray = {{0.0f, 0.0f, -4.0f}, unit({across, up, 1.5f})};
    Vector seen = {0.0f, 0.0f, 0.0f};
    float share = 1.0f; /* of what the ray sees in the pixel's colour; 0: it has ended */
    for (int bounce = 0; bounce < BOUNCES; bounce++) {
        const Hit hit = nearest(spheres, count, batch, ray, share > 0.0f);
        if (share > 0.0f && hit.distance == FAR) {
            seen = along(seen, share, sky(ray.way));
            share = 0.0f;
        }
        const Vector point = along(ray.origin, hit.distance, ray.way);
        const Vector normal = unit(along(point, -1.0f, hit.sphere.center));
        const float facing = dot(normal, light);
        const Hit shadow = nearest(spheres, count, batch, {point, light}, share > 0.0f && facing > 0.0f);
        if (share > 0.0f) {
            const float lit = facing > 0.0f && shadow.distance == FAR ? fmaf(0.8f, facing, 0.2f) : 0.2f;
            seen = along(seen, share * lit * (1.0f - hit.sphere.mirror), hit.sphere.colour);
            share *= hit.sphere.mirror;
            ray = {point, along(ray.way, -2.0f * dot(normal, ray.way), normal)};
        }
        if (!__syncthreads_or(share > 0.0f))
            break;
    }
    pixels[y * image.width + x] = pack(seen);
}
