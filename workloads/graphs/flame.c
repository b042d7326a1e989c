#include "graphs/dice.h"
#include "graphs/tables.h"

#include <math.h>
#include <stdlib.h>

const FlameParameters flame_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = {.width = 128, .height = 128, .thickness = 3, .pockets = 3},
    [INPUT_FULL] = {.width = 2048, .height = 2048, .thickness = 6, .pockets = 12},
    [INPUT_TINY] = {.width = 16, .height = 16, .thickness = 3, .pockets = 1},
};

static const double fresh = 300, burnt = 2100;

enum { OCTAVES = 5, COARSEST = 4 };

typedef struct Pocket {
    double x, y, radius;
} Pocket;

static double hash_unit(uint64_t seed, uint64_t index)
{
    return (double)(dice_mix(seed ^ dice_mix(index)) >> 11) * 0x1p-53;
}

/* Values by chance at whole numbers, smoothly joined: from 0 to 1. */
static double noise(uint64_t seed, double at)
{
    const uint64_t cell = (uint64_t)at;
    const double part = at - (double)cell, smooth = part * part * (3 - 2 * part);
    return hash_unit(seed, cell) * (1 - smooth) + hash_unit(seed, cell + 1) * smooth;
}

/* Where the front stands in a row: wrinkles of every size, the smaller the flatter. */
static double front_at(const FlameParameters *p, uint64_t seed, uint32_t row)
{
    double shift = 0, height = 0.25, cells = COARSEST;
    for (int octave = 0; octave < OCTAVES; octave++, height /= 2, cells *= 2)
        shift += height * (noise(seed + (uint64_t)octave, cells * row / p->height) - 0.5);
    return p->width * (0.5 + shift);
}

/* 1 well inside, 0 well outside, steepest at distance 0; the distance is in cells, positive outside. */
static double burnt_share(double distance, uint32_t thickness)
{
    const double along = 2 * distance / thickness;
    return 0.5 * (1 - along / sqrt(1 + along * along));
}

/* One draw a statement: C leaves the order within an initializer to the compiler. */
static Pocket draw_pocket(const FlameParameters *p, Dice *dice)
{
    Pocket pocket;
    pocket.x = p->width * (0.75 + 0.2 * dice_unit(dice));
    pocket.y = p->height * dice_unit(dice);
    pocket.radius = p->thickness * (1 + 3 * dice_unit(dice));
    return pocket;
}

bool flame_make(const FlameParameters *parameters, uint64_t seed, float **kelvin, InputError *error)
{
    const FlameParameters *p = parameters;
    Dice dice = {seed};
    *kelvin = NULL;
    if (!p->width || !p->height || !p->thickness)
        return input_fail(error, "A flame of %u x %u cells, %u thick, cannot be made: none of them may be 0.",
                          p->width, p->height, p->thickness);
    Pocket *pockets = input_array(error, p->pockets, sizeof *pockets);
    *kelvin = input_array(error, (size_t)p->width * p->height, sizeof **kelvin);
    for (uint32_t i = 0; *kelvin && i < p->pockets; i++)
        pockets[i] = draw_pocket(p, &dice);
    for (uint32_t y = 0; *kelvin && y < p->height; y++) {
        const double front = front_at(p, seed, y);
        for (uint32_t x = 0; x < p->width; x++) {
            double share = burnt_share(x - front, p->thickness);
            for (uint32_t i = 0; i < p->pockets; i++) {
                const double dx = x - pockets[i].x, dy = y - pockets[i].y;
                const double inside = burnt_share(sqrt(dx * dx + dy * dy) - pockets[i].radius, p->thickness);
                share = inside > share ? inside : share;
            }
            (*kelvin)[(size_t)y * p->width + x] = (float)(fresh + (burnt - fresh) * share);
        }
    }
    free(pockets);
    return !input_failed(error);
}
