/* The inputs that are no graphs: ratings for product recommendation, tuples for relational joins, texts for
 * regular expressions, and points for Barnes-Hut. The same parameters and seed give the same bytes on every
 * host: chance is in whole numbers, and floating-point numbers come from additions, products, quotients and
 * square roots alone, which IEEE 754 rounds in one way only. */
#ifndef WORKLOADS_TABLES_H
#define WORKLOADS_TABLES_H

#include "graphs/generate.h"

/* Users in rows, films in columns, stars (1 to 5) as weights: graph_transpose gives them by film. Popularity
 * of films and activity of users follow power laws; every user has rated at least `least` films. */
typedef struct RatingsParameters {
    uint32_t users, items;
    uint32_t count; /* of ratings, at most; a user who has rated a large part of all films gets fewer */
    uint32_t least;
} RatingsParameters;

bool ratings_make(const RatingsParameters *parameters, uint64_t seed, Graph *ratings, InputError *error);
extern const RatingsParameters ratings_sizes[INPUT_SIZES];

typedef enum KeyDistribution { KEYS_UNIFORM, KEYS_GAUSSIAN } KeyDistribution;

/* Keys lie below key_range; the gaussian ones around its middle with a deviation of an eighth of it. */
typedef struct TuplesParameters {
    uint32_t count, key_range;
} TuplesParameters;

/* Invariant: keys and values have `count` elements; values[i] is i, so that a joined tuple tells where it
 * came from. */
typedef struct Tuples {
    uint32_t count;
    uint32_t *keys;
    uint32_t *values;
} Tuples;

bool tuples_make(const TuplesParameters *parameters, KeyDistribution distribution, uint64_t seed,
                 Tuples *tuples, InputError *error);
void tuples_free(Tuples *tuples);
extern const TuplesParameters tuples_sizes[INPUT_SIZES];

/* Invariant: text i is bytes[starts[i]] to bytes[starts[i + 1] - 1]; starts has count + 1 elements, begins
 * with 0 and never falls. */
typedef struct Texts {
    uint32_t count;
    uint32_t *starts;
    uint8_t *bytes;
} Texts;

typedef struct TextsParameters {
    uint32_t count;
    uint32_t shortest, longest; /* bytes of a random string; of a packet's payload */
} TextsParameters;

/* Strings of small letters; lengths are even between the bounds, every letter as likely as any other. */
bool strings_make(const TextsParameters *parameters, uint64_t seed, Texts *texts, InputError *error);
/* IPv4 packets with a TCP or UDP header and a payload: about half carry the least, an eighth the most, the
 * rest anything between; payloads are lines of protocols, or bytes by chance. Checksums are 0. */
bool packets_make(const TextsParameters *parameters, uint64_t seed, Texts *texts, InputError *error);
void texts_free(Texts *texts);
extern const TextsParameters strings_sizes[INPUT_SIZES];
extern const TextsParameters packets_sizes[INPUT_SIZES];

typedef enum PointCloud { POINTS_UNIFORM, POINTS_PLUMMER } PointCloud;

/* Four floats a point: x, y, z and mass; the masses add up to 1. Uniform: within the cube from -1 to 1.
 * Plummer: a star cluster of scale radius 1, dense in the middle, cut at radius 10. */
bool points_make(uint32_t count, PointCloud cloud, uint64_t seed, float **points, InputError *error);
extern const uint32_t points_sizes[INPUT_SIZES];

#endif
