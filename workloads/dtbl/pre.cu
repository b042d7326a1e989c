/* Product recommendation after Nadungodage, Xia, Lee, Lee and Park (IEEE Big Data 2013): item-based
 * collaborative filtering on sparse ratings, for every film the one that is most like it.
 *
 * Flat, a thread takes a rating, goes through all that its rater has rated, and adds the products of the two
 * ratings to the film's row of sums. Launched, a thread takes a film, and all its raters are one launch: a
 * rater is a block, a rating of his a thread. A sum of a film with itself is its square, so the row holds all
 * that the cosine of two films' ratings needs. */
#include "launch.cuh"

/* Ratings by film and by user in compressed rows: whose rating, and how many stars. */
struct Ratings {
    const unsigned *starts, *others, *stars;
};

constexpr unsigned CHILD_THREADS = 32;

__device__ __forceinline__ void add_rating(unsigned *sums, const Ratings &of_user, unsigned rating,
                                           unsigned stars)
{
    atomicAdd(&sums[__ldg(&of_user.others[rating])], stars * __ldg(&of_user.stars[rating]));
}

/* Block b takes the b-th of the raters, who begin at `first` in the film's row. */
extern "C" __global__ void pre_raters(Ratings of_film, Ratings of_user, unsigned first, unsigned *sums)
{
    const unsigned user = __ldg(&of_film.others[first + blockIdx.x]);
    const unsigned stars = __ldg(&of_film.stars[first + blockIdx.x]), end = __ldg(&of_user.starts[user + 1]);
    for (unsigned rating = __ldg(&of_user.starts[user]) + threadIdx.x; rating < end; rating += CHILD_THREADS)
        add_rating(sums, of_user, rating, stars);
}

/* One rating, the first way; film_of has the film of each in the order of the films' rows. */
__device__ __forceinline__ void add_rater(const Ratings &of_film, const Ratings &of_user, unsigned rater,
                                          unsigned *sums)
{
    const unsigned user = __ldg(&of_film.others[rater]), stars = __ldg(&of_film.stars[rater]);
    const unsigned end = __ldg(&of_user.starts[user + 1]);
    for (unsigned rating = __ldg(&of_user.starts[user]); rating < end; rating++)
        add_rating(sums, of_user, rating, stars);
}

template <Mode mode>
__device__ void pre_sums(const Ratings &of_film, const Ratings &of_user, const unsigned *film_of,
                         unsigned films, unsigned ratings, unsigned *all_sums, unsigned least)
{
    const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
    if constexpr (mode == FLAT) {
        if (number < ratings)
            add_rater(of_film, of_user, number, all_sums + (size_t)__ldg(&film_of[number]) * films);
        return;
    }
    const unsigned film = number;
    if (film >= films)
        return;
    unsigned *sums = all_sums + (size_t)film * films;
    const unsigned first = __ldg(&of_film.starts[film]), end = __ldg(&of_film.starts[film + 1]);
    if constexpr (mode != FLAT)
        if ((end - first) * CHILD_THREADS >= least) {
            launch<mode>(pre_raters, end - first, CHILD_THREADS, of_film, of_user, first, sums);
            return;
        }
    for (unsigned rater = first; rater < end; rater++)
        add_rater(of_film, of_user, rater, sums);
}

MODES(pre_sums,
      (Ratings of_film, Ratings of_user, const unsigned *film_of, unsigned films, unsigned ratings,
       unsigned *all_sums, unsigned least),
      (of_film, of_user, film_of, films, ratings, all_sums, least))

/* A warp a film: of the squared cosines with the others, in parts of 65536, the largest; the first of equals.
 * The result is that number and the film, in this order from the top. */
extern "C" __global__ void pre_nearest(const unsigned *__restrict__ sums, unsigned films,
                                       unsigned long long *__restrict__ nearest)
{
    const unsigned film = blockIdx.x;
    const unsigned long long own = sums[(size_t)film * films + film];
    unsigned long long best = 0;
    for (unsigned other = threadIdx.x; other < films; other += 32) {
        const unsigned long long product = sums[(size_t)film * films + other];
        const unsigned long long squares = own * sums[(size_t)other * films + other];
        if (other != film && product > 0)
            best = max(best, ((product * product << 16) / squares) << 32 | (films - other));
    }
    for (int apart = 16; apart > 0; apart /= 2)
        best = max(best, __shfl_xor_sync(0xffffffffu, best, apart));
    if (threadIdx.x == 0)
        nearest[film] = best;
}
