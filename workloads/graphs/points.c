#include "graphs/dice.h"
#include "graphs/tables.h"

#include <math.h>

const uint32_t points_sizes[INPUT_SIZES] = {[INPUT_SMALL] = 32768, [INPUT_FULL] = 1 << 18, [INPUT_TINY] = 320};

enum { CUT_RADIUS = 10 };

/* The cube root of a number from 0 to 1 by Newton's rule: cbrt() differs between C libraries. */
static double cube_root(double value)
{
    double root = 1;
    for (int i = 0; i < 100; i++)
        root = (2 * root + value / (root * root)) / 3;
    return root;
}

static double draw_signed(Dice *dice) { return 2 * dice_unit(dice) - 1; }

/* A direction: a point of the ball, put on its surface. */
static void draw_direction(double direction[3], Dice *dice)
{
    double square;
    do {
        square = 0;
        for (int axis = 0; axis < 3; axis++) {
            direction[axis] = draw_signed(dice);
            square += direction[axis] * direction[axis];
        }
    } while (square > 1 || square < 1e-6);
    for (int axis = 0; axis < 3; axis++)
        direction[axis] /= sqrt(square);
}

/* The radius within which a share of the mass lies that is drawn evenly. */
static double plummer_radius(Dice *dice)
{
    for (;;) {
        const double share = dice_unit(dice), root = cube_root(share);
        if (share < 1e-9)
            continue;
        const double radius = root / sqrt(1 - root * root);
        if (radius < CUT_RADIUS)
            return radius;
    }
}

bool points_make(uint32_t count, PointCloud cloud, uint64_t seed, float **points, InputError *error)
{
    Dice dice = {seed};
    *points = input_array(error, count, 4 * sizeof **points);
    if (!*points)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        float *point = *points + 4 * (size_t)i;
        double at[3];
        double radius = 1;
        if (cloud == POINTS_PLUMMER) {
            radius = plummer_radius(&dice);
            draw_direction(at, &dice);
        } else {
            for (int axis = 0; axis < 3; axis++)
                at[axis] = draw_signed(&dice);
        }
        for (int axis = 0; axis < 3; axis++)
            point[axis] = (float)(radius * at[axis]);
        point[3] = 1.0f / (float)count;
    }
    return true;
}
