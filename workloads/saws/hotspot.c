/* The host's part of the temperatures of a chip.
 *
 * Rodinia's usual run is `hotspot 512 2 2`: 512 x 512 cells and two steps, both in one launch, so that a
 * block of 256 threads writes 12 x 12 cells. That makes 43 x 43 blocks of four barriers, where 104 fit on
 * gtx970 at once: the small and the full size. The tiny one has a second launch, which reads what the
 * first wrote, and blocks that reach beyond the chip. Coefficients are those of a chip of 16 mm x 16 mm x
 * 0.5 mm as Rodinia has them. */
#include <math.h>
#include <stdlib.h>

#include "saws/saws.h"

/* SIDE and Chip as in hotspot.cu; STEPS are those of a launch. */
enum { SIDE = 16, STEPS = 2, KEPT = SIDE - 2 * STEPS };
typedef struct Chip {
    int rows, columns;
    float step, x, y, z;
    float around;
} Chip;

typedef struct Shape {
    int side;
    int launches;
} Shape;
static const Shape shapes[INPUT_SIZES] = {
    [INPUT_TINY] = {30, 2}, [INPUT_SMALL] = {512, 1}, [INPUT_FULL] = {512, 1}};

static Chip chip_of(int rows, int columns)
{
    const float thickness = 0.0005f, width = 0.016f, conductivity = 100, heat = 1.75e6f; /* J / (m^3 K) */
    const float high = width / (float)rows, wide = width / (float)columns;
    const float capacity = 0.5f * heat * thickness * wide * high, slope = 3.0e6f / (0.5f * thickness * heat);
    return (Chip){.rows = rows,
                  .columns = columns,
                  .step = 0.001f / slope / capacity,
                  .x = 2 * conductivity * thickness * high / wide,
                  .y = 2 * conductivity * thickness * wide / high,
                  .z = conductivity * high * wide / thickness,
                  .around = 80};
}

static int within(int value, int count) { return value < 0 ? 0 : value < count ? value : count - 1; }

/* Cells see the same operations in the same order as in hotspot.cu. */
static void step(const Chip *chip, const float *power, const float *from, float *to)
{
    for (int y = 0; y < chip->rows; y++) {
        const float *row = &from[y * chip->columns];
        const float *north = &from[within(y - 1, chip->rows) * chip->columns];
        const float *south = &from[within(y + 1, chip->rows) * chip->columns];
        for (int x = 0; x < chip->columns; x++) {
            const float own = row[x], west = row[within(x - 1, chip->columns)];
            const float across = fmaf(-2.0f, own, row[within(x + 1, chip->columns)] + west);
            const float along = fmaf(-2.0f, own, south[x] + north[x]);
            const float heat = power[y * chip->columns + x];
            const float flow =
                fmaf(chip->around - own, chip->z, fmaf(across, chip->x, fmaf(along, chip->y, heat)));
            to[y * chip->columns + x] = fmaf(chip->step, flow, own);
        }
    }
}

/* An even number of steps, so that the result is where the input was. */
static void compute(const Chip *chip, int steps, const float *power, float *cells, float *other)
{
    for (int i = 0; i < steps; i += 2) {
        step(chip, power, cells, other);
        step(chip, power, other, cells);
    }
}

bool saws_hotspot_run(Host *host, const BenchmarkRun *run)
{
    const Shape shape = shapes[run->size];
    const uint32_t across = (uint32_t)(shape.side + KEPT - 1) / KEPT,
                   down = benchmark_rows(run, across, across);
    const Chip chip = chip_of(run->blocks ? (int)down * KEPT : shape.side, shape.side);
    const size_t count = (size_t)chip.rows * (size_t)chip.columns, bytes = count * sizeof(float);
    const int steps = STEPS;
    float *power = host_floats(host, 3 * count, benchmark_seed(run)), *cells = power + count;
    if (!power)
        return false;
    for (size_t i = 0; i < count; i++)
        power[i] *= 0.001f, cells[i] = 320 + 10 * cells[i];
    uint64_t heat = host_buffer(host, power, bytes), from = host_buffer(host, cells, bytes);
    uint64_t to = host_buffer(host, NULL, bytes);
    for (int i = 0; i < shape.launches; i++) {
        HOST_LAUNCH(host, "hotspot", dim(across, down, 1), dim(SIDE, SIDE, 1), WB_ARG(heat), WB_ARG(from),
                    WB_ARG(to), WB_ARG(chip), WB_ARG(steps));
        const uint64_t last = from;
        from = to, to = last;
    }
    compute(&chip, STEPS * shape.launches, power, cells, cells + count);
    const bool right = host_equals(host, from, cells, bytes);
    host_free(host, heat), host_free(host, from), host_free(host, to);
    free(power);
    return right;
}
