/* Regular expressions after Gregex (Wang, Chen, Tang and Su, IMIS 2011): automata as tables, which are read
 * through the texture cache, and a thread for each text.
 *
 * As intrusion detection does, rules are grouped by the literal with which they begin. The thread feeds its
 * text to one automaton that knows all of these literals. Where one has ended, every rule of its group may
 * match from there, and the rest of each is a deterministic automaton to be tried: that loop over rules is
 * what is launched. A match counts for its rule and for its text. */
#include "launch.cuh"

constexpr unsigned CHILD_THREADS = 32;

/* Rows of 256 next states, one row a state. */
typedef const unsigned short *Table;

/* Rules first_rule on, `count` of them, which have the rests from first_rest on. */
struct Group {
    unsigned first_rule, first_rest, count;
};

/* A state of the automaton of literals has the bit FOUND where literals have ended; found[state] says of
 * which groups, a bit each. A rest begins in its rest_starts and ends in MATCHED or, failing, below. */
struct Rules {
    Table literals;
    const unsigned *found;
    const Group *groups;
    Table rests;
    const unsigned short *rest_starts;
};
constexpr unsigned FOUND = 0x8000, MATCHED = 1;

struct Matches {
    unsigned *of_rule, *of_text;
};

__device__ __forceinline__ Group read_group(const Group *group)
{
    return {__ldg(&group->first_rule), __ldg(&group->first_rest), __ldg(&group->count)};
}

/* Counts a match if rule k of the group matches from `at` on. */
__device__ __forceinline__ void try_rule(const Rules &rules, const Group &group, unsigned k, unsigned text,
                                         const unsigned char *at, const unsigned char *end,
                                         const Matches &matches)
{
    unsigned state = __ldg(&rules.rest_starts[group.first_rest + k]);
    while (state > MATCHED && at < end)
        state = __ldg(&rules.rests[state * 256 + __ldg(at++)]);
    if (state == MATCHED) {
        atomicAdd(&matches.of_rule[group.first_rule + k], 1);
        atomicAdd(&matches.of_text[text], 1);
    }
}

/* One thread a rule of the group. */
extern "C" __global__ void regx_group(Rules rules, Group group, unsigned text, const unsigned char *at,
                                      const unsigned char *end, Matches matches)
{
    const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < group.count)
        try_rule(rules, group, k, text, at, end, matches);
}

template <Mode mode>
__device__ void regx_scan(const Rules &rules, const unsigned *__restrict__ starts, const unsigned char *bytes,
                          unsigned texts, const Matches &matches, unsigned least)
{
    const unsigned text = blockIdx.x * blockDim.x + threadIdx.x;
    if (text >= texts)
        return;
    const unsigned char *at = bytes + starts[text], *end = bytes + starts[text + 1];
    unsigned state = 0;
    while (at < end) {
        state = __ldg(&rules.literals[(state & ~FOUND) * 256 + __ldg(at++)]);
        if (!(state & FOUND))
            continue;
        for (unsigned left = __ldg(&rules.found[state & ~FOUND]); left; left &= left - 1) {
            const Group group = read_group(&rules.groups[__ffs(left) - 1]);
            unsigned k = 0;
            if constexpr (mode != FLAT)
                if ((k = launched_part(group.count, least, CHILD_THREADS)))
                    launch<mode>(regx_group, (k + CHILD_THREADS - 1) / CHILD_THREADS, CHILD_THREADS, rules,
                                 group, text, at, end, matches);
            for (; k < group.count; k++)
                try_rule(rules, group, k, text, at, end, matches);
        }
    }
}

MODES(regx_scan,
      (Rules rules, const unsigned *__restrict__ starts, const unsigned char *bytes, unsigned texts,
       Matches matches, unsigned least),
      (rules, starts, bytes, texts, matches, least))
