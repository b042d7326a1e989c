/* Which kernels are unseen: half of each class, drawn by lot. The seed is the day of the draw; it was written
 * down before any of the kernels had run on a GPU or been simulated in time. */
#include "suite/suite.h"

enum { SEED = 20261117, MOST = 16 };

/* The kernels of the class in the order in which lots were drawn. */
static size_t draw(SuiteClass class, size_t order[MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < SUITE_COUNT && count < MOST; i++)
        if (suite_kernels[i].class == class)
            order[count++] = i;
    uint32_t state = SEED + (uint32_t) class;
    for (size_t i = 0; i < 8; i++)
        random_next(&state); /* seeds that are neighbours give first numbers that are */
    for (size_t left = count; left > 1; left--) {
        const size_t drawn = (size_t)((random_next(&state) >> 8) % left), kept = order[left - 1];
        order[left - 1] = order[drawn];
        order[drawn] = kept;
    }
    return count;
}

bool suite_is_unseen(size_t index)
{
    size_t order[MOST];
    const size_t count = draw(suite_kernels[index].class, order);
    for (size_t i = 0; i < count / 2; i++)
        if (order[i] == index)
            return true;
    return false;
}
