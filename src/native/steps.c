/* Instructions that are many machine instructions, one after the other.
 *
 * The table says how many of each kind a quotient or a root becomes, and which of them depend on each other.
 * They issue as a warp's own instructions do: each when the one before it is ready, so that others issue
 * between them, and warps which do the same at once wait for each pipe in turn. Their order is not in the
 * table. Special functions, which begin with an estimate, come first, branches and what meets behind them
 * last, and all else is mixed evenly. What nothing in the chain waits for fills the gaps. */
#include "native/native.h"

#include "base/alloc.h"

enum { LEAST_STEPS = 6, MOST_STEPS = 255 };

/* A kind of work that stands at `place`, a sixteen-bit part of the whole. */
typedef struct Placed {
    Work work;
    uint32_t place;
} Placed;

/* Where the kth of n begins. */
static uint32_t place_of(Work work, unsigned k, unsigned n)
{
    enum { FIRST = 0, MIDDLE = 1 << 16, LAST = 1 << 17 };
    const uint32_t within = (2 * k + 1) * 32768 / n;
    return within + (work == WORK_SFU ? FIRST : work == WORK_CONTROL ? LAST : MIDDLE);
}

/* All work of the list in order; how many there are. */
static unsigned place_all(const uint8_t *count, Placed *placed)
{
    unsigned total = 0;
    for (unsigned work = 0; work < WORK_TURN; work++)
        for (unsigned k = 0; k < count[work] && total < MOST_STEPS; k++) {
            const Placed one = {(Work)work, place_of((Work)work, k, count[work])};
            unsigned at = total++;
            for (; at > 0 && placed[at - 1].place > one.place; at--)
                placed[at] = placed[at - 1];
            placed[at] = one;
        }
    return total;
}

/* What issues beside the chain. A comparison, whose predicate is waited for, is integer work. */
static WorkList beside_chain(const NativeForm *form)
{
    WorkList rest = {0};
    for (unsigned work = 0; work < WORK_PREDICATE; work++) {
        const unsigned chained =
            form->chain.count[work] + (work == WORK_INT ? form->chain.count[WORK_PREDICATE] : 0u);
        rest.count[work] =
            (uint8_t)(form->slots.count[work] > chained ? form->slots.count[work] - chained : 0);
    }
    return rest;
}

static InsnStep step_of(Work work, const GpuConfig *config)
{
    const Work does = work == WORK_PREDICATE ? WORK_INT : work;
    return (InsnStep){.pipe = (uint8_t)work_pipe(does, config),
                      .kind = (uint8_t)work_slot(does, config),
                      .interval = (uint8_t)work_interval(does, config),
                      .latency = (uint16_t)work_latency(work, config)};
}

static bool has_steps(const NativeForm *form, const InsnTiming *to)
{
    const unsigned total = work_total(&form->slots);
    return to->kind == CLASS_COMPUTE && total >= LEAST_STEPS && total < MOST_STEPS &&
           2 * work_total(&form->chain) >= total / 2 && !form->slots.count[WORK_MEMORY];
}

/* Puts `count` of the fillers behind step `at`, in the cycles until the next one of the chain. */
static unsigned fill(InsnStep *steps, unsigned at, const Placed *fillers, unsigned count,
                     const GpuConfig *config)
{
    const unsigned gap = steps[at].latency;
    for (unsigned k = 0; k < count; k++) {
        steps[at].latency = 1;
        steps[++at] = step_of(fillers[k].work, config);
    }
    if (count)
        steps[at].latency = (uint16_t)(gap > count ? gap - count : 1);
    return at + 1;
}

/* `spare` cycles of the whole latency are those of the chain's crossings and turns, which are dealt out one
 * by one. */
void native_find_steps(const NativeForm *form, const GpuConfig *config, InsnTiming *to)
{
    if (!config->issue_steps || !has_steps(form, to))
        return;
    Placed chain[MOST_STEPS], beside[MOST_STEPS];
    const WorkList rest = beside_chain(form);
    const unsigned links = place_all(form->chain.count, chain), fillers = place_all(rest.count, beside);
    if (links < 2)
        return;
    unsigned spare = to->latency, count = 0, filled = 0;
    for (unsigned i = 0; i < links; i++)
        spare -= spare < work_latency(chain[i].work, config) ? spare : work_latency(chain[i].work, config);
    InsnStep *steps = xcalloc(links + fillers + 1u, sizeof *steps);
    for (unsigned i = 0; i + 1 < links; i++) {
        const unsigned until = (i + 1) * fillers / (links - 1), more = spare / (links - 1 - i);
        steps[count] = step_of(chain[i].work, config);
        steps[count].latency = (uint16_t)(steps[count].latency + more);
        spare -= more;
        count = fill(steps, count, beside + filled, until - filled, config);
        filled = until;
    }
    const InsnStep last = step_of(chain[links - 1].work, config);
    to->steps = steps;
    to->step_count = (uint8_t)count;
    to->slots = (uint8_t)(count + 1);
    to->mix = (SlotMix){0};
    mix_put(&to->mix, (SlotKind)last.kind, 1);
    to->pipe = last.pipe;
    to->interval = last.interval;
    to->latency = last.latency;
}
