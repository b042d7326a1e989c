/* The host's part of the ray tracer.
 *
 * GPGPU-Sim's program makes an image of 256 x 256 pixels by blocks of 16 x 8, 16 x 32 of them: the full
 * size. The small size has 16 x 26, where 130 fit on gtx970 at once. The published scene has a few spheres,
 * in constant memory; here there are 32, in two batches, and a ray is sent back up to three times. So a
 * block that sees spheres comes to up to 36 barriers, one that sees only the sky to 9. */
#include <math.h>
#include <stdlib.h>

#include "saws/saws.h"

/* As in ray.cu, and so are the types. */
enum { WIDTH = 16, HEIGHT = 8, BATCH = 16, SPHERES = 2 * BATCH, BOUNCES = 4 };
typedef struct Vector {
    float x, y, z;
} Vector;
typedef struct Sphere {
    Vector center;
    float square;
    Vector colour;
    float mirror;
} Sphere;
typedef struct Image {
    int width, height;
} Image;
typedef struct Ray {
    Vector origin, way;
} Ray;

static const Image images[INPUT_SIZES] = {
    [INPUT_TINY] = {32, 16}, [INPUT_SMALL] = {256, 208}, [INPUT_FULL] = {256, 256}};
static const float nearest_hit = 1e-3f, far = 1e30f;

static float dot(Vector a, Vector b) { return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z)); }
static Vector along(Vector a, float t, Vector b)
{
    return (Vector){fmaf(t, b.x, a.x), fmaf(t, b.y, a.y), fmaf(t, b.z, a.z)};
}
static Vector unit(Vector a)
{
    const float scale = 1.0f / sqrtf(dot(a, a));
    return (Vector){a.x * scale, a.y * scale, a.z * scale};
}

/* The first of the nearest spheres on the ray's way, and how far away it is. Null: there is none. */
static const Sphere *find(const Sphere *spheres, const Ray *ray, float *nearest)
{
    const Sphere *found = NULL;
    *nearest = far;
    for (const Sphere *sphere = spheres; sphere < spheres + SPHERES; sphere++) {
        const Vector from = along(ray->origin, -1.0f, sphere->center);
        const float half = dot(from, ray->way), rest = fmaf(half, half, sphere->square - dot(from, from));
        const float distance = rest > 0 ? -half - sqrtf(rest) : far;
        if (distance > nearest_hit && distance < *nearest)
            *nearest = distance, found = sphere;
    }
    return found;
}

static Vector sky(Vector way)
{
    const float height = fmaf(0.5f, way.y, 0.5f);
    return (Vector){fmaf(-0.5f, height, 1.0f), fmaf(-0.25f, height, 1.0f), 1.0f};
}

/* What the ray sees; operations are those of ray.cu in the same order. */
static Vector trace(const Sphere *spheres, Ray ray, Vector light)
{
    Vector seen = {0, 0, 0};
    float share = 1, distance, unused;
    for (int bounce = 0; bounce < BOUNCES; bounce++) {
        const Sphere *sphere = find(spheres, &ray, &distance);
        if (!sphere)
            return along(seen, share, sky(ray.way));
        const Vector point = along(ray.origin, distance, ray.way);
        const Vector normal = unit(along(point, -1.0f, sphere->center));
        const float facing = dot(normal, light);
        const bool is_lit = facing > 0 && !find(spheres, &(Ray){point, light}, &unused);
        const float lit = is_lit ? fmaf(0.8f, facing, 0.2f) : 0.2f;
        seen = along(seen, share * lit * (1.0f - sphere->mirror), sphere->colour);
        share *= sphere->mirror;
        ray = (Ray){point, along(ray.way, -2.0f * dot(normal, ray.way), normal)};
    }
    return seen;
}

static uint32_t pack(Vector colour)
{
    const uint32_t red = (uint32_t)(fminf(colour.x, 1.0f) * 255.0f),
                   green = (uint32_t)(fminf(colour.y, 1.0f) * 255.0f);
    return red | green << 8 | (uint32_t)(fminf(colour.z, 1.0f) * 255.0f) << 16;
}

static void compute(const Sphere *spheres, Image image, Vector light, uint32_t *pixels)
{
    for (int y = 0; y < image.height; y++)
        for (int x = 0; x < image.width; x++) {
            const float across = (float)(2 * x - image.width) / (float)image.width;
            const float up = (float)(image.height - 2 * y) / (float)image.width;
            const Ray ray = {{0, 0, -4}, unit((Vector){across, up, 1.5f})};
            *pixels++ = pack(trace(spheres, ray, light));
        }
}

static void make_scene(Sphere *spheres, uint32_t seed)
{
    for (int i = 0; i < SPHERES; i++) {
        const float radius = 0.15f + 0.35f * random_float(&seed);
        Sphere *sphere = &spheres[i];
        sphere->center.x = 5 * random_float(&seed) - 2.5f;
        sphere->center.y = 4 * random_float(&seed) - 2.5f; /* most of the sky stays free */
        sphere->center.z = 4 * random_float(&seed);
        sphere->square = radius * radius;
        sphere->colour.x = random_float(&seed);
        sphere->colour.y = random_float(&seed);
        sphere->colour.z = random_float(&seed);
        sphere->mirror = 0.25f + 0.5f * random_float(&seed);
    }
}

bool saws_ray_run(Host *host, const BenchmarkRun *run)
{
    Image image = images[run->size];
    const uint32_t across = (uint32_t)image.width / WIDTH;
    const uint32_t down = benchmark_rows(run, across, (uint32_t)image.height / HEIGHT);
    image.height = (int)down * HEIGHT;
    const size_t count = (size_t)image.width * (size_t)image.height;
    const Vector light = unit((Vector){-1, 2, -1.5f});
    Sphere scene[SPHERES];
    const int spheres = SPHERES;
    uint32_t *expected = host_array(host, count, sizeof *expected);
    if (!expected)
        return false;
    make_scene(scene, benchmark_seed(run));
    const uint64_t device = host_buffer(host, scene, sizeof scene),
                   pixels = host_buffer(host, NULL, count * 4);
    HOST_LAUNCH(host, "ray", dim(across, down, 1), dim(WIDTH, HEIGHT, 1), WB_ARG(device), WB_ARG(spheres),
                WB_ARG(pixels), WB_ARG(image), WB_ARG(light));
    compute(scene, image, light, expected);
    const bool right = host_equals(host, pixels, expected, count * sizeof *expected);
    host_free(host, device), host_free(host, pixels);
    free(expected);
    return right;
}
