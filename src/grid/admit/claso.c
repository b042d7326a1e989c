/* CLASO: credits keep fast SMs from taking the last blocks of a grid away from slow ones.
 *
 * Yu, He, Guo, Wang, Chen, "A Credit-Based Load-Balance-Aware CTA Scheduling Optimization Scheme in GPGPU",
 * International Journal of Parallel Programming, 2014. Memory controllers serve some SMs before others, so
 * blocks take longer on some SMs. A dispatcher that fills free places at once gives too many blocks to the
 * fast ones, which then run on alone [CLASO §2.2]. Here every kernel comes with credits [§3.1, Algorithm 1]:
 *
 *     local    for each SM:  ceil(blocks / SMs) + loose
 *     global   for all SMs:  (blocks - 1) mod SMs + 1 + (active - 1) * SMs
 *
 * A block takes a local credit of its SM. If fewer than active + loose of these are left behind it, it takes
 * a global one, too. Where either is missing it is refused on that SM, and goes to another one that has room.
 * With active 1 and loose 0 no SM gets two blocks more than another. There are credits for all blocks, so
 * none is refused for ever, if SMs that have credits get room sooner or later. Which block is next, where it
 * goes and which warp issues is the business of other policies.
 *
 * Where it differs, and what the paper leaves open:
 * - Line 2 of Algorithm 1 prints the floor for the local credits. Then 17 blocks on 4 SMs would get 16 local
 *   credits. The text of §3.1 and the case study of §3.2 have the ceiling, as it is here.
 * - Lines 7 and 11 take credits before they refuse. A refused request takes nothing here, or credits would be
 *   lost and blocks left over.
 * - Credits are given out when a kernel comes to the distributor, for its blocks that have not begun. A
 *   kernel that left because all its blocks waited has none of these when it comes again.
 * - A block that comes back from a wait has taken its credit before. Blocks of groups that join a kernel
 *   (DTBL) are not counted at its launch, and take none.
 * - Tasks of flow graphs have no grid whose blocks could be shared out: a launch of these is refused.
 * - If a kernel has fewer blocks for each SM than active levels, all its blocks take global credits, and
 *   these suffice for all.
 *
 * Hardware [§3.3]: one register for each SM and one for the global credits, for each concurrent kernel. The
 * paper gives no width; a register that counts the blocks of any grid has 32 bits. */
#include "grid/policy.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/vec.h"

#define OWNER admit_claso
#define OWNER_DEF "grid/admit/claso.def"
#include "base/own_counters.h"

/* Of one kernel in the distributor. Invariant: the sum of all credits that blocks can still take is at least
 * the number of its blocks that have not begun. */
typedef struct Credits {
    const GridKernel *kernel;
    uint64_t global;
    uint64_t *local; /* [sm] */
} Credits;

typedef struct Claso {
    Counters *counters;
    VEC(Credits) kernels; /* those in the distributor */
} Claso;

/* Levels beyond a whole SM of blocks limit nothing that the places do not. */
static WbStatus check(const GpuConfig *config, Error *error)
{
    const uint64_t levels = config->claso_active + config->claso_loose, places = config->max_blocks_per_sm;
    if (levels <= places)
        return WB_OK;
    return error_set(error, WB_ERROR_ARGUMENT,
                     "%s: claso_active (%" PRIu64 ") and claso_loose (%" PRIu64
                     ") are more levels than the %" PRIu64
                     " blocks that an SM holds, and would limit nothing; choose less, or always as the "
                     "block_admit.",
                     config->name, config->claso_active, config->claso_loose, places);
}

static void *init(const DispatchView *view, const GridKernel *kernel, void *counters)
{
    (void)view, (void)kernel;
    Claso *claso = xcalloc(1, sizeof *claso);
    claso->counters = counters;
    return claso;
}

static void free_state(void *state)
{
    Claso *claso = state;
    for (uint32_t i = 0; i < claso->kernels.count; i++)
        xfree(claso->kernels.items[i].local);
    VEC_FREE(&claso->kernels);
    xfree(claso);
}

/* The credit allocator [Algorithm 1, lines 1 to 4]. */
static void kernel_came(void *state, const DispatchView *view, const GridKernel *kernel)
{
    Claso *claso = state;
    const uint64_t active = view->config->claso_active, sms = view->sm_count;
    const uint64_t blocks = kernel->block_count - kernel->dispatched_blocks;
    const uint64_t layers = (blocks + sms - 1) / sms;
    Credits credits = {.kernel = kernel, .local = xcalloc(sms, sizeof *credits.local)};
    for (uint32_t sm = 0; sm < sms; sm++)
        credits.local[sm] = layers + view->config->claso_loose;
    credits.global = blocks ? (blocks - 1) % sms + 1 + (active - 1) * sms : 0;
    VEC_PUSH(&claso->kernels, credits);
    claso->counters->kernels++;
    claso->counters->wide_kernels += layers < active;
}

static Credits *find(const Claso *claso, const GridKernel *kernel)
{
    Credits *credits = claso->kernels.items;
    while (credits->kernel != kernel)
        credits++;
    return credits;
}

static void kernel_left(void *state, const DispatchView *view, const GridKernel *kernel)
{
    Claso *claso = state;
    (void)view;
    Credits *credits = find(claso, kernel);
    xfree(credits->local);
    *credits = claso->kernels.items[--claso->kernels.count];
}

/* Whether the next block there takes a global credit as well. */
static bool takes_global(const Credits *credits, const DispatchView *view, uint32_t sm)
{
    return credits->local[sm] <= view->config->claso_active + view->config->claso_loose;
}

static bool is_free_of_credits(const BlockRef *block) { return block->returns || block->group; }

/* The credit consumer [Algorithm 1, lines 5 to 21] looks here and takes in block_started(). */
static bool may(const void *state, const DispatchView *view, const BlockRef *block)
{
    if (is_free_of_credits(block))
        return true;
    const Credits *credits = find(state, block->kernel);
    return credits->local[block->sm] && (credits->global || !takes_global(credits, view, block->sm));
}

static void block_started(void *state, const DispatchView *view, const BlockRef *block)
{
    Claso *claso = state;
    if (is_free_of_credits(block))
        return;
    Credits *credits = find(claso, block->kernel);
    const bool is_shared = takes_global(credits, view, block->sm);
    credits->global -= is_shared;
    claso->counters->shared += is_shared;
    claso->counters->local += !is_shared;
    claso->counters->exhausted += --credits->local[block->sm] == 0;
}

static uint64_t state_bits(const GpuConfig *config)
{
    enum { REGISTER_BITS = 32 };
    return config->concurrent_kernels * (config->sm_count + 1) * REGISTER_BITS;
}

extern const BlockAdmit admit_claso;
const BlockAdmit admit_claso = {
    .base =
        {
            .about =
                {
                    .name = "claso",
                    .description = "Credits: no SM takes more of a grid than its share, by levels",
                    .source = "CLASO, Algorithm 1",
                    .counters = &admit_claso_counters,
                    .state_bits = state_bits,
                },
            .check = check,
            .init = init,
            .free = free_state,
            .kernel_came = kernel_came,
            .kernel_left = kernel_left,
            .block_started = block_started,
        },
    .may = may,
    .needs_grids = true,
};
