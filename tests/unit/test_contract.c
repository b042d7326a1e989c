/* The contract of the machine's components, the same for all of them:
 *
 *   drains   whatever is put in comes out once, and then the component is idle;
 *   refuses  it takes no more than it has room for, and goes on when there is room: with little of it, work
 *            has to wait, and all of it is done all the same;
 *   resets   when it is empty and has been reset (invalidated, where that is the way), it takes exactly as
 *            long for the same work as a new one.
 *
 * Each component is behind the same few functions, listed in `parts` at the end; timing, order and data are
 * the business of the components' own tests. */
#include <stdio.h>

#include "contract.h"
/* Rigs have names in common. */
#define Rig MemoryRig
#define rig_add memory_rig_add
#include "contract_memory.h"
#undef Rig
#undef rig_add

#include "api/gpu.h"
#include "fake_sms.h"
#include "lsu_rig.h"
#include "sm/stages.h"

/* -- the load/store unit -- */

static void narrow_unit(GpuConfig *config)
{
    config->lsu_queue = config->l1_mshrs = config->l1_merges = config->l1_miss_queue = 1;
    config->crossbar_credits = 1;
}

static void wide_unit(GpuConfig *config) { config->lsu_queue = 256; }

static void *lsu_part_open(bool narrow) { return lsu_open(narrow ? narrow_unit : wide_unit); }

static void lsu_part_drive(void *context, Work *work)
{
    LsuRig *bench = lsu_rig = context;
    const unsigned first = bench->count;
    const Cycle start = bench->now;
    for (uint32_t i = 0; i < work->count; i++)
        script_load(bench, start + i, "ld.global.u32", 1, bench->buffer + i * 5 % 31 * 256, 4);
    lsu_run(bench);
    for (uint32_t i = 0; i < work->count; i++) {
        work->waited += !bench->script[first + i].had_room;
        finish(work, i, bench->script[first + i].ready - start);
    }
}

static bool lsu_part_is_idle(const void *context) { return lsu_is_idle(((const LsuRig *)context)->sm->lsu); }

static void lsu_part_reset(void *context) { lsu_invalidate(((LsuRig *)context)->sm->lsu); }

static void lsu_part_close(void *context) { lsu_close(context); }

/* -- fetch: a warp that takes an instruction every third cycle -- */

enum { FETCH_PART_INSNS = 65536 };

typedef struct FetchPart {
    GpuConfig config;
    Crossbar crossbar; /* of nobody: nothing is sent */
    SmKernel kernel;
    InsnTiming *code; /* an instruction a word */
    Sm *sm;
} FetchPart;

static void *fetch_part_open(bool narrow)
{
    FetchPart *part = xcalloc(1, sizeof *part);
    knob_defaults(&config_knobs, &part->config);
    part->config.instruction_buffer = narrow ? 1 : 16;
    part->config.fetch_width = 1;
    part->sm = sm_create(&part->config, &part->crossbar, 0, 1);
    part->sm->blocks[0].kernel = &part->kernel;
    part->code = xcalloc(FETCH_PART_INSNS + 1, sizeof *part->code);
    for (uint32_t i = 0; i < FETCH_PART_INSNS; i++)
        part->code[i] = (InsnTiming){.slots = 1, .words = 1, .address = i};
    part->code[FETCH_PART_INSNS].address = UINT32_MAX;
    part->sm->warps[0].timing = part->code;
    return part;
}

static void fetch_part_drive(void *context, Work *work)
{
    Sm *sm = ((FetchPart *)context)->sm;
    const Cycle start = sm->now;
    const uint64_t fetches = sm->statistics.fetches;
    sm->warps[0].wait =
        WAIT_RESULT; /* whoever waits for instructions is woken, which a lone stage cannot do */
    fetch_redirect(sm, 0, 0);
    for (; work->done < work->count; sm->now++) {
        fetch_cycle(sm);
        if ((sm->now - start) % 3 == 0 && fetch_when(sm, 0) <= sm->now) {
            fetch_consume(sm, 0);
            sm->warps[0].pc++;
            finish(work, work->done, sm->now - start);
        }
        work->waited += work->done && !sm->fetch_wanted && sm->warps[0].buffered + sm->warps[0].incoming < 3;
    }
    /* No further ahead than the buffer holds, and one more that is on its way. */
    assert_in_range(sm->statistics.fetches - fetches, work->count,
                    work->count + ((FetchPart *)context)->config.instruction_buffer + 1);
    fetch_reset(sm, 0);
}

static bool fetch_part_is_idle(const void *context)
{
    const Sm *sm = ((const FetchPart *)context)->sm;
    return !sm->fetch_wanted && !sm->warps[0].buffered && !sm->warps[0].incoming;
}

static void fetch_part_reset(void *context) { fetch_invalidate(((FetchPart *)context)->sm->fetch); }

static void fetch_part_close(void *context)
{
    sm_free(((FetchPart *)context)->sm);
    xfree(((FetchPart *)context)->code);
    xfree(context);
}

/* -- the front end: blocks on SMs that only keep them for a while -- */

typedef struct FrontEndPart {
    FakeGpu gpu;
    SmKernel seen;
    GridKernel kernels[4];
    uint32_t kernel_count;
} FrontEndPart;

static void *front_end_part_open(bool narrow)
{
    FrontEndPart *part = xcalloc(1, sizeof *part);
    GpuConfig *config = &part->gpu.config;
    knob_defaults(&config_knobs, config);
    config->sm_count = 4;
    config->max_blocks_per_sm = narrow ? 1 : 32;
    part->gpu.duration = 50;
    part->gpu.uneven = 3;
    DispatchPolicies policies;
    Error error = {0};
    assert_int_equal(dispatch_policies(config, &policies, &error), WB_OK);
    fake_open(&part->gpu, &policies, 8);
    return part;
}

static void front_end_part_drive(void *context, Work *work)
{
    FrontEndPart *part = context;
    GridKernel *kernel = &part->kernels[part->kernel_count++];
    const Cycle start = part->gpu.now;
    const uint64_t full = part->gpu.front_end->statistics.full_cycles;
    fake_submit(&part->gpu, kernel, &part->seen, work->count, (BlockShape){.threads = 32, .registers = 16});
    part->gpu.kernels[0] = kernel; /* they all have the same description for SMs */
    part->gpu.kernel_count = 1;
    fake_run(&part->gpu);
    for (uint32_t i = 0; i < work->count; i++)
        finish(work, i, kernel->blocks[i].ended - start);
    work->waited = (uint32_t)(part->gpu.front_end->statistics.full_cycles - full);
}

static bool front_end_part_is_idle(const void *context)
{
    const FrontEndPart *part = context;
    for (uint32_t i = 0; i < part->gpu.config.sm_count; i++)
        if (part->gpu.sms[i].resident)
            return false;
    return front_end_is_done(part->gpu.front_end) && part->gpu.front_end->shard.wake == CYCLE_NEVER;
}

static void front_end_part_close(void *context)
{
    FrontEndPart *part = context;
    for (uint32_t i = 0; i < part->kernel_count; i++)
        xfree(part->kernels[i].blocks);
    fake_close(&part->gpu);
    xfree(part);
}

/* -- an SM: blocks of a kernel that computes, loops, shares and meets -- */

typedef struct SmPart {
    WbGpu *gpu;
    WbKernel *kernel;
    uint32_t launches;
} SmPart;

static const char sm_part_source[] =
    ".version 8.3\n.target sm_80\n.address_size 64\n"
    ".visible .entry work()\n{\n.shared .b32 box[64]; .reg .b32 %r<8>; .reg .pred %p;\n"
    "mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2; mov.u32 %r2, box; add.u32 %r1, %r1, %r2; mov.u32 %r3, 10;\n"
    "AGAIN: st.shared.u32 [%r1], %r3; bar.sync 0; ld.shared.u32 %r4, [box+8]; ld.shared.u32 %r5, [box+12];\n"
    "mad.lo.u32 %r6, %r4, %r5, %r0; sub.u32 %r3, %r3, 1; setp.ne.u32 %p, %r3, 0; @%p bra AGAIN;\n"
    "ret;\n}\n";

static void *sm_part_open(bool narrow)
{
    SmPart *part = xcalloc(1, sizeof *part);
    WbModule *module;
    char error[512];
    if (wb_gpu_open("gtx480", &part->gpu, error, sizeof error) != WB_OK)
        fail_msg("%s", error);
    assert_int_equal(wb_gpu_set(part->gpu, "mode", "cycle"), WB_OK);
    assert_int_equal(wb_gpu_set(part->gpu, "sm_count", "1"), WB_OK);
    assert_int_equal(wb_gpu_set(part->gpu, "lsu_queue", narrow ? "1" : "256"), WB_OK);
    assert_int_equal(wb_module_load(part->gpu, "work.ptx", sm_part_source, strlen(sm_part_source), &module),
                     WB_OK);
    assert_int_equal(wb_module_kernel(module, "work", &part->kernel), WB_OK);
    return part;
}

static void sm_part_drive(void *context, Work *work)
{
    SmPart *part = context;
    const WbLaunch launch = {.grid = {work->count, 1, 1}, .block = {64, 1, 1}};
    assert_int_equal(wb_launch(part->kernel, &launch), WB_OK);
    if (wb_wait(part->gpu) != WB_OK)
        fail_msg("%s", wb_error(part->gpu));
    const KernelRecord *record = part->gpu->records.items[part->launches++];
    for (uint32_t i = 0; i < work->count; i++)
        finish(work, i, record->blocks[i].ended - record->launched);
    uint64_t *sums = record_sums(record, COMPONENT_SCHEDULER);
    work->waited = (uint32_t)((const SchedulerStatistics *)sums)->stall_lsu;
    free(sums);
}

static bool sm_part_is_idle(const void *context)
{
    const CycleMachine *machine = ((const SmPart *)context)->gpu->cycle;
    const Sm *sm = machine ? machine->sms[0] : NULL;
    return !sm || (!sm->resident_blocks && !sm->resident_warps && !sm->ready && !sm->fetch_wanted &&
                   !sm->fencing && !sm->acquiring && lsu_is_idle(sm->lsu));
}

static void sm_part_close(void *context)
{
    wb_gpu_close(((SmPart *)context)->gpu);
    xfree(context);
}

/* -- the contract -- */

#define PART(name, reset)                                                                                    \
    {                                                                                                        \
#name, name##_part_open, name##_part_drive, name##_part_is_idle, reset, name##_part_close            \
    }
/* Every launch on an SM begins with sm_begin_kernel(). */
static const Part parts[] = {
    PART(l1, l1_part_reset),
    PART(partition, partition_part_reset),
    PART(dram, dram_part_reset),
    PART(crossbar, NULL),
    PART(lsu, lsu_part_reset),
    PART(fetch, fetch_part_reset),
    PART(front_end, NULL),
    PART(memory_port, memory_port_part_reset),
    PART(sm, NULL),
};
enum { PARTS = sizeof parts / sizeof *parts };

static void drains(void **state)
{
    const Part *part = *state;
    void *component = part->open(false);
    assert_true(part->is_idle(component));
    for (uint32_t round = 0; round < 2; round++) {
        Work work = {.count = PIECES};
        part->drive(component, &work);
        assert_int_equal(work.done, PIECES);
        assert_true(part->is_idle(component));
    }
    part->close(component);
}

static void refuses(void **state)
{
    const Part *part = *state;
    Work alone = {.count = 1}, crowd = {.count = PIECES};
    void *component = part->open(false);
    part->drive(component, &alone);
    assert_int_equal(alone.waited, 0);
    part->close(component);
    component = part->open(true);
    part->drive(component, &crowd);
    assert_true(crowd.waited > 0);
    assert_int_equal(crowd.done, PIECES);
    assert_true(part->is_idle(component));
    part->close(component);
}

static void resets(void **state)
{
    const Part *part = *state;
    void *component = part->open(false);
    Work first = {.count = PIECES}, again = {.count = PIECES};
    part->drive(component, &first);
    if (part->reset)
        part->reset(component);
    part->drive(component, &again);
    for (uint32_t i = 0; i < PIECES; i++)
        if (first.ends[i] != again.ends[i])
            fail_msg("%s: piece %u is done after %llu cycles, not %llu", part->name, i,
                     (unsigned long long)again.ends[i] - 1, (unsigned long long)first.ends[i] - 1);
    part->close(component);
}

int main(void)
{
    static const struct {
        const char *name;
        CMUnitTestFunction run;
    } checks[] = {{"drains", drains}, {"refuses", refuses}, {"resets", resets}};
    static char names[3 * PARTS][32];
    struct CMUnitTest tests[3 * PARTS];
    for (size_t i = 0; i < 3 * PARTS; i++) {
        snprintf(names[i], sizeof names[i], "%s %s", parts[i / 3].name, checks[i % 3].name);
        tests[i] = (struct CMUnitTest){names[i], checks[i % 3].run, NULL, NULL, (void *)&parts[i / 3]};
    }
    return cmocka_run_group_tests_name("contract", tests, NULL, NULL);
}
