/* DYNCTA: an SM whose warps wait for memory runs fewer blocks, one that has nothing to do runs more.
 *
 * Kayiran, Jog, Kandemir, Das, "Neither More Nor Less: Optimizing Thread-Level Parallelism for GPGPUs", PACT
 * 2013; one of the schedulers that CLASO is put upon [CLASO §4.3]. More warps than hide the latency of memory
 * get in each other's way in caches and DRAM. So each SM has a limit of blocks that run. It begins at half of
 * those that fit. Every 2,048 cycles it changes by one at most:
 *
 *     idle cycles >= 16            one more: there was nothing to execute
 *     memory cycles >= 384         one less
 *     memory cycles < 128          one more
 *
 * in this order. If fewer may run than are there, the block that came last is paused: it keeps its place and
 * issues nothing. If more may run, or one has ended, paused blocks go on before new ones come.
 *
 * The paper counts cycles of an SM with one scheduler: idle ones, in which the pipeline does not stall but no
 * warp is there to execute, and those in which all warps wait for data. An SM here has several schedulers, so
 * both are means over its schedulers. Idle is a scheduler without warps, or whose warps wait at barriers, for
 * instructions, for their last stores, or are paused. Waiting for memory are loads and fences.
 *
 * Where it differs: the SM's counters come to the front end block_end_cycles late, and a pause takes
 * block_launch_cycles to the SM; the paper has no such ways. The paper runs one kernel at a time. Here the
 * limit is one of all blocks of an SM, and begins anew when a kernel comes to an empty GPU. A block that
 * returns from a wait always may: others may wait for it.
 *
 * Blocks that poll for each other do not go well with this if the one that is polled for is paused and polls
 * keep the memory busy. Hang reports say which blocks are paused.
 *
 * Hardware of an SM: two counters as wide as the interval, the limit, and a bit for each block's place. */
#include "grid/policy.h"

#include <inttypes.h>

#include "base/alloc.h"

#define OWNER admit_dyncta
#define OWNER_DEF "grid/admit/dyncta.def"
#include "base/own_counters.h"

/* Invariant: 1 <= limits[] <= most. */
typedef struct Dyncta {
    Counters *counters;
    uint32_t most;    /* blocks that fit on an SM, of the kernel of which most do */
    uint32_t *limits; /* [sm] blocks that may run */
} Dyncta;

static WbStatus check(const GpuConfig *config, Error *error)
{
    if (config->dyncta_memory_low > config->dyncta_memory_high)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%s: dyncta_memory_low (%" PRIu64 ") is more than dyncta_memory_high (%" PRIu64
                         "), so that an SM would be given more and fewer blocks at once.",
                         config->name, config->dyncta_memory_low, config->dyncta_memory_high);
    if (config->dyncta_memory_high > config->dyncta_interval || config->dyncta_idle > config->dyncta_interval)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%s: dyncta_idle (%" PRIu64 ") and dyncta_memory_high (%" PRIu64
                         ") count cycles of an interval and cannot be more than dyncta_interval (%" PRIu64
                         ").",
                         config->name, config->dyncta_idle, config->dyncta_memory_high,
                         config->dyncta_interval);
    return WB_OK;
}

static void *init(const DispatchView *view, const GridKernel *kernel, void *counters)
{
    (void)kernel;
    Dyncta *dyncta = xcalloc(1, sizeof *dyncta);
    dyncta->counters = counters;
    dyncta->limits = xcalloc(view->sm_count, sizeof *dyncta->limits);
    return dyncta;
}

static void free_state(void *state)
{
    xfree(((Dyncta *)state)->limits);
    xfree(state);
}

static bool is_empty(const DispatchView *view)
{
    for (uint32_t sm = 0; sm < view->sm_count; sm++)
        if (view->sms[sm].resident)
            return false;
    return true;
}

/* A kernel that comes to an empty GPU finds what the first one found: its time does not depend on others. */
static void kernel_came(void *state, const DispatchView *view, const GridKernel *kernel)
{
    Dyncta *dyncta = state;
    const Resources whole = resources_of_sm(view->config);
    const uint32_t fit = (uint32_t)resources_fit(&whole, &kernel->need);
    if (!is_empty(view)) {
        dyncta->most = fit > dyncta->most ? fit : dyncta->most;
        return;
    }
    dyncta->most = fit;
    for (uint32_t sm = 0; sm < view->sm_count; sm++)
        dyncta->limits[sm] = fit > 1 ? fit / 2 : 1;
}

/* The blocks that came first run, the others are paused. */
static void enforce(Dyncta *dyncta, const DispatchView *view, uint32_t sm)
{
    for (uint32_t i = 0; i < view->sms[sm].resident; i++) {
        const bool pauses = i >= dyncta->limits[sm], is_paused = view->sms[sm].blocks[i].is_paused;
        dyncta->counters->paused += pauses && !is_paused;
        dyncta->counters->resumed += !pauses && is_paused;
        dispatch_pause(view, sm, i, pauses);
    }
}

/* Of a sum over schedulers and over the cycles of a sample, what one scheduler had in an interval. */
static uint64_t in_interval(const DispatchView *view, const SmSample *sample, uint64_t sum)
{
    return sum * view->config->dyncta_interval / (sample->cycles * sample->schedulers);
}

static void sampled(void *state, const DispatchView *view, const SmSample *sample)
{
    Dyncta *dyncta = state;
    uint32_t *limit = &dyncta->limits[sample->sm];
    const SchedulerStatistics *gained = &sample->gained.schedulers;
    const uint64_t idle =
        in_interval(view, sample, gained->stall_empty + gained->stall_barrier + gained->stall_fetch +
                                      gained->stall_drain + gained->stall_pause);
    const uint64_t memory = in_interval(view, sample, gained->stall_memory + gained->stall_fence);
    const bool wants_more = idle >= view->config->dyncta_idle || memory < view->config->dyncta_memory_low;
    if (wants_more && *limit < dyncta->most) {
        ++*limit;
        dyncta->counters->raised++;
    } else if (!wants_more && memory >= view->config->dyncta_memory_high && *limit > 1) {
        --*limit;
        dyncta->counters->lowered++;
    }
    enforce(dyncta, view, sample->sm);
}

/* Paused blocks move up when one has gone, and one that returns may be one too many. */
static void block_moved(void *state, const DispatchView *view, const BlockRef *block)
{
    enforce(state, view, block->sm);
}

static bool may(const void *state, const DispatchView *view, const BlockRef *block)
{
    return block->returns || view->sms[block->sm].resident < ((const Dyncta *)state)->limits[block->sm];
}

static Cycle sample_interval(const GpuConfig *config) { return config->dyncta_interval; }

static uint64_t state_bits(const GpuConfig *config)
{
    const uint64_t places = config->max_blocks_per_sm;
    return config->sm_count * (2 * bits_for(config->dyncta_interval) + bits_for(places) + places);
}

extern const BlockAdmit admit_dyncta;
const BlockAdmit admit_dyncta = {
    .base =
        {
            .about =
                {
                    .name = "dyncta",
                    .description = "Fewer blocks run on SMs that wait for memory, more on those that idle",
                    .source = "Kayiran et al., PACT 2013; CLASO, section 4.3",
                    .counters = &admit_dyncta_counters,
                    .state_bits = state_bits,
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
