/* What both versions of a program begin with, and should come to. */
#include "channels/channels.h"

#include <stdlib.h>

static int count(uint32_t all, uint32_t columns, uint32_t rising, uint32_t falling)
{
    int ways = columns == all;
    for (uint32_t free = all & ~(columns | rising | falling); free; free &= free - 1) {
        const uint32_t bit = free & -free;
        ways += count(all, columns | bit, (rising | bit) << 1, (falling | bit) >> 1);
    }
    return ways;
}

int queens_solutions(uint32_t n) { return count((1u << n) - 1, 0, 0, 0); }

bool matrices_make(Host *host, Matrices *matrices, uint32_t n, uint32_t seed)
{
    const size_t count = (size_t)n * n;
    *matrices = (Matrices){host_array(host, count, sizeof(float)), host_array(host, count, sizeof(float)),
                           host_array(host, count, sizeof(float))};
    if (!matrices->left || !matrices->right || !matrices->product)
        return false;
    for (size_t i = 0; i < count; i++) {
        matrices->left[i] = (float)(random_next(&seed) >> 28);
        matrices->right[i] = (float)(random_next(&seed) >> 28);
    }
    for (size_t row = 0; row < n; row++)
        for (size_t i = 0; i < n; i++)
            for (size_t column = 0; column < n; column++)
                matrices->product[row * n + column] +=
                    matrices->left[row * n + i] * matrices->right[i * n + column];
    return true;
}

void matrices_free(Matrices *matrices)
{
    free(matrices->left);
    free(matrices->right);
    free(matrices->product);
}
