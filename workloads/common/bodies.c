#include "common/bodies.h"

#include <math.h>

bool bodies_are_right(const float *bodies, const float *accelerations, int n, int stride)
{
    bool right = true;
    for (int i = 0; i < n; i += stride) {
        double sum = 0, size = 0; /* of the terms, and of their magnitudes */
        for (int k = 0; k < n; k++) {
            double d[3], squared = 1e-3;
            for (int axis = 0; axis < 3; axis++) {
                d[axis] = (double)bodies[4 * k + axis] - bodies[4 * i + axis];
                squared += d[axis] * d[axis];
            }
            double term = bodies[4 * k + 3] * d[0] / (squared * sqrt(squared));
            sum += term;
            size += fabs(term);
        }
        right &= fabs(accelerations[4 * i] - sum) <= 1e-5 * size;
    }
    return right;
}
