/* Throttle: an SM whose warps mostly wait for memory runs fewer blocks, one that hardly waits runs more.
 *
 * An example, after the idea of Kayiran et al., "Neither More Nor Less: Optimizing Thread-Level Parallelism
 * for GPGPUs", PACT 2013: more warps than hide the latency of memory only get in each other's way in caches
 * and DRAM. Every SM has a limit. Every throttle_interval cycles the front end sees in which share of their
 * cycles the SM's schedulers could not issue for memory, and lowers or raises the limit by one. Blocks beyond
 * it, those that came last, are paused. They keep their places, and go on when the limit is raised or others
 * end. A new block comes only if it may run. The paper has other thresholds and also looks at idle cycles.
 *
 * Blocks that wait for each other do not go well with this: one that spins may wait for one that is paused.
 * The hang report tells so. */
#include "grid/policy.h"

#include <inttypes.h>

#include "base/alloc.h"

#define OWNER admit_throttle
#define OWNER_DEF "grid/admit/throttle.def"
#include "base/own_counters.h"

/* Invariant: at least one block may run on each SM. */
typedef struct Throttle {
    Counters *counters;
    uint32_t *limits; /* [sm] blocks that may run */
} Throttle;

static WbStatus check(const GpuConfig *config, Error *error)
{
    if (config->throttle_low < config->throttle_high)
        return WB_OK;
    return error_set(error, WB_ERROR_ARGUMENT,
                     "%s: throttle_low (%" PRIu64 ") must be less than throttle_high (%" PRIu64
                     "), or an SM would be given more and fewer blocks at once.",
                     config->name, config->throttle_low, config->throttle_high);
}

static void *init(const DispatchView *view, const GridKernel *kernel, void *counters)
{
    (void)kernel;
    Throttle *throttle = xcalloc(1, sizeof *throttle);
    throttle->counters = counters;
    throttle->limits = xcalloc(view->sm_count, sizeof *throttle->limits);
    return throttle;
}

static void free_state(void *state)
{
    xfree(((Throttle *)state)->limits);
    xfree(state);
}

/* A kernel that comes to an empty GPU finds what the first one found: its time does not depend on others. */
static void kernel_came(void *state, const DispatchView *view, const GridKernel *kernel)
{
    (void)kernel;
    for (uint32_t sm = 0; sm < view->sm_count; sm++)
        if (view->sms[sm].resident)
            return;
    for (uint32_t sm = 0; sm < view->sm_count; sm++)
        ((Throttle *)state)->limits[sm] = (uint32_t)view->config->max_blocks_per_sm;
}

/* The blocks that came first run, the others are paused. */
static void enforce(Throttle *throttle, const DispatchView *view, uint32_t sm)
{
    for (uint32_t i = 0; i < view->sms[sm].resident; i++) {
        const bool pauses = i >= throttle->limits[sm];
        throttle->counters->paused += pauses && !view->sms[sm].blocks[i].is_paused;
        dispatch_pause(view, sm, i, pauses);
    }
}

static void sampled(void *state, const DispatchView *view, const SmSample *sample)
{
    Throttle *throttle = state;
    const SmView *sm = &view->sms[sample->sm];
    const uint32_t running = sm->resident - sm->paused;
    const uint64_t cycles = sample->cycles * sample->schedulers;
    const uint64_t share = 100 * sample->gained.schedulers.stall_memory / cycles;
    if (share >= view->config->throttle_high && running > 1) {
        throttle->limits[sample->sm] = running - 1;
        throttle->counters->lowered++;
    } else if (share < view->config->throttle_low && running == throttle->limits[sample->sm]) {
        throttle->limits[sample->sm]++;
        throttle->counters->raised++;
    }
    enforce(throttle, view, sample->sm);
}

/* Another block moves up when one has gone, and one that returns may be one too many. */
static void block_moved(void *state, const DispatchView *view, const BlockRef *block)
{
    enforce(state, view, block->sm);
}

/* A block that returns has begun: others may wait for it. */
static bool may(const void *state, const DispatchView *view, const BlockRef *block)
{
    return block->returns || view->sms[block->sm].resident < ((const Throttle *)state)->limits[block->sm];
}

static Cycle sample_interval(const GpuConfig *config) { return config->throttle_interval; }

extern const BlockAdmit admit_throttle;
const BlockAdmit admit_throttle = {
    .base =
        {
            .about =
                {
                    .name = "throttle",
                    .description = "Fewer blocks run on SMs whose warps mostly wait for memory",
                    .source = "An example, after Kayiran et al., PACT 2013",
                    .counters = &admit_throttle_counters,
                },
            .check = check,
            .init = init,
            .free = free_state,
            .kernel_came = kernel_came,
            .block_suspended = block_moved,
            .block_returned = block_moved,
            .block_ended = block_moved,
        },
    .may = may,
    .sample_interval = sample_interval,
    .sampled = sampled,
};
