#include "graphs/dice.h"
#include "graphs/popularity.h"
#include "graphs/tables.h"

#include <stdlib.h>

/* Small is MovieLens 100K: 943 users, 1,682 films, 100,000 ratings; full is MovieLens 1M: 6,040 users, 3,706
 * films, 1,000,209 ratings. Both have at least 20 of each user. */
const RatingsParameters ratings_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = {.users = 943, .items = 1682, .count = 100000, .least = 20},
    [INPUT_FULL] = {.users = 6040, .items = 3706, .count = 1000209, .least = 20},
    [INPUT_TINY] = {.users = 48, .items = 40, .count = 480, .least = 4},
};

/* Ranks over which users, and films, are about alike, as a part of all; tries for a film not rated yet. */
enum { USER_SHIFT_PART = 48, ITEM_SHIFT_PART = 24, TRIES = 32 };

typedef struct Audience {
    Popularity users, items;
    uint32_t *user_labels, *item_labels;
    uint32_t *rated_by; /* of each film: 1 + the last user who has rated it */
} Audience;

/* Most stars are 3 or 4. */
static uint32_t draw_stars(Dice *dice)
{
    static const uint8_t stars[16] = {1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 5, 5, 5};
    return stars[dice_below(dice, 16)];
}

static void rate_films(Audience *audience, uint32_t user, uint64_t wanted, Dice *dice, Edges *edges,
                       InputError *error)
{
    for (uint64_t i = 0; i < wanted; i++)
        for (int tries = 0; tries < TRIES; tries++) {
            const uint32_t item = popularity_draw(&audience->items, dice);
            if (audience->rated_by[item] == user + 1)
                continue;
            audience->rated_by[item] = user + 1;
            edges_add(edges, audience->user_labels[user], audience->item_labels[item], draw_stars(dice),
                      error);
            break;
        }
}

bool ratings_make(const RatingsParameters *parameters, uint64_t seed, Graph *ratings, InputError *error)
{
    *ratings = (Graph){0};
    const uint64_t least = (uint64_t)parameters->users * parameters->least;
    if (!parameters->users || !parameters->items || least > parameters->count)
        return input_fail(error,
                          "Ratings of %u users for %u films cannot be made: both must be there, and %u "
                          "ratings do not suffice for %u of each user.",
                          parameters->users, parameters->items, parameters->count, parameters->least);
    Dice dice = {seed};
    Audience audience = {.rated_by = input_array(error, parameters->items, sizeof(uint32_t))};
    audience.user_labels = shuffled(parameters->users, &dice, error);
    audience.item_labels = shuffled(parameters->items, &dice, error);
    Edges edges = edges_begin(parameters->users, true);
    edges.targets = parameters->items;
    if (popularity_make(&audience.users, parameters->users, parameters->users / USER_SHIFT_PART + 1, error) &&
        popularity_make(&audience.items, parameters->items, parameters->items / ITEM_SHIFT_PART + 1, error))
        for (uint32_t user = 0; user < parameters->users && !input_failed(error); user++) {
            const uint64_t more = popularity_share(&audience.users, user, parameters->count - least);
            rate_films(&audience, user, parameters->least + more, &dice, &edges, error);
        }
    popularity_free(&audience.users);
    popularity_free(&audience.items);
    free(audience.user_labels);
    free(audience.item_labels);
    free(audience.rated_by);
    return graph_make(&edges, (GraphOptions){0}, ratings, error);
}
