#include "graphs/popularity.h"

#include <stdlib.h>

/* Of rank 0 with shift 1; small enough that the weights of 2^32 ranks add up in 64 bits. */
enum { TOP_WEIGHT = 1 << 30 };

bool popularity_make(Popularity *popularity, uint32_t count, uint32_t shift, InputError *error)
{
    *popularity = (Popularity){.count = count, .sums = input_array(error, count, sizeof(uint64_t))};
    if (!popularity->sums)
        return false;
    uint64_t sum = 0;
    for (uint32_t rank = 0; rank < count; rank++)
        popularity->sums[rank] = sum += TOP_WEIGHT / ((uint64_t)rank + shift) + 1;
    return true;
}

void popularity_free(Popularity *popularity)
{
    free(popularity->sums);
    *popularity = (Popularity){0};
}

uint32_t popularity_draw(const Popularity *popularity, Dice *dice)
{
    const uint64_t total = popularity->sums[popularity->count - 1];
    const uint64_t wanted = (uint64_t)((unsigned __int128)dice_next(dice) * total >> 64);
    uint32_t low = 0, high = popularity->count - 1;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (popularity->sums[middle] > wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint64_t popularity_share(const Popularity *popularity, uint32_t rank, uint64_t total)
{
    const uint64_t weight = popularity->sums[rank] - (rank ? popularity->sums[rank - 1] : 0);
    return (uint64_t)((unsigned __int128)weight * total / popularity->sums[popularity->count - 1]);
}

uint32_t *shuffled(uint32_t count, Dice *dice, InputError *error)
{
    uint32_t *order = input_array(error, count, sizeof *order);
    for (uint32_t i = 0; order && i < count; i++) {
        const uint32_t at = dice_below(dice, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    return order;
}
