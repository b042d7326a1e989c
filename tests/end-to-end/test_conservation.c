/* Nothing is lost and nothing is counted twice: requests and their answers, cycles and their reasons, blocks,
 * and instructions and results compared with functional mode. */
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "grid/statistics.h"
#include "sm/lsu/lsu.h"
#include "trials.h"

/* A kernel's counters of one kind of part, as the struct that they are declared by. */
#define PART(record, component, type, index)                                                                 \
    ((const type *)((record)->components[component].values + (index)*components[component].table->count))
#define SUMS(record, component, type) ((const type *)sums_of(record, component))

/* Until the next time for the same component. */
static const void *sums_of(const KernelRecord *record, Component component)
{
    static uint64_t *kept[COMPONENT_MOST];
    free(kept[component]);
    return kept[component] = record_sums(record, component);
}

/* What passes a port of the crossbar; as in the table of its counters. */
typedef struct Port {
    uint64_t packets, flits, busy_ticks;
} Port;

static void same(const char *what, const KernelRecord *record, uint32_t part, uint64_t a, uint64_t b)
{
    if (a != b)
        fail_msg("kernel %u, %s: %s of part %u: %llu and %llu", record->number, record->name, what, part,
                 (unsigned long long)a, (unsigned long long)b);
}

/* -- requests -- */

/* Of requests of the slice's own SMs: some come from the other half of L2, some are passed on to it instead.
 *  */
static uint64_t lookups(const L2Statistics *slice)
{
    return slice->loads + slice->stores + slice->atomics - slice->linked_writes + slice->link_writes;
}

/* Every request of an SM is sent, taken in, looked up, answered, and its answer taken in. */
static void check_requests(const KernelRecord *record)
{
    const uint32_t sms = record->components[COMPONENT_SM].count,
                   slices = record->components[COMPONENT_L2].count;
    uint64_t sent = 0, received = 0;
    for (uint32_t i = 0; i < sms; i++) {
        const LsuStatistics *lsu = PART(record, COMPONENT_LSU, LsuStatistics, i);
        const Port *out = PART(record, COMPONENT_REQUEST_OUT, Port, i);
        const Port *in = PART(record, COMPONENT_REPLY_IN, Port, i);
        same("requests and packets sent", record, i, lsu->requests, out->packets);
        same("requests and replies received", record, i, lsu->requests, in->packets);
        sent += lsu->requests;
    }
    for (uint32_t i = 0; i < slices; i++) {
        const L2Statistics *slice = PART(record, COMPONENT_L2, L2Statistics, i);
        const Port *in = PART(record, COMPONENT_REQUEST_IN, Port, i);
        const Port *out = PART(record, COMPONENT_REPLY_OUT, Port, i);
        same("lookups and packets received", record, i, lookups(slice), in->packets);
        same("lookups and replies", record, i, lookups(slice) + slice->joined_loads, slice->replies);
        same("lookups and replies sent", record, i, lookups(slice), out->packets);
        received += lookups(slice) + slice->joined_loads;
    }
    same("requests of all SMs and lookups of all slices", record, 0, sent, received);
    /* Loads that have joined another are a flit each, and are answered with a flit for each sector. */
    const L2Statistics *l2 = SUMS(record, COMPONENT_L2, L2Statistics);
    same("flits of requests", record, 0, SUMS(record, COMPONENT_REQUEST_OUT, Port)->flits,
         SUMS(record, COMPONENT_REQUEST_IN, Port)->flits + l2->joined_loads);
    same("flits of replies", record, 0, SUMS(record, COMPONENT_REPLY_OUT, Port)->flits + l2->joined_sectors,
         SUMS(record, COMPONENT_REPLY_IN, Port)->flits);
}

/* What the L1s let through is what the L2 sees. */
static void check_caches(const KernelRecord *record)
{
    const L1Statistics *l1 = SUMS(record, COMPONENT_L1, L1Statistics);
    const L2Statistics *l2 = SUMS(record, COMPONENT_L2, L2Statistics);
    same("loads of L1 and how they went", record, 0, l1->loads,
         l1->load_hits + l1->load_misses + l1->load_merges);
    same("loads past L1 and loads of L2", record, 0, l1->load_misses + l1->bypasses,
         l2->loads + l2->joined_loads);
    same("stores through L1 and stores of L2", record, 0, l1->store_hits + l1->store_misses,
         l2->stores + SUMS(record, COMPONENT_LSU, LsuStatistics)->gathered_stores);
    same("atomics through L1 and atomics of L2", record, 0, l1->atomics, l2->atomics);
    same("sectors that L1 asked for and got", record, 0, l1->sector_misses, l1->fills + l1->dropped_fills);
}

/* Where L1s are coherent, every unit that they ask for is granted by its slice: from L2, from another L1, or
 * because the asker has it. Write-backs of the last units may be under way when a kernel ends. */
static void check_units(const KernelRecord *record)
{
    const L1Statistics *l1 = SUMS(record, COMPONENT_L1, L1Statistics);
    const L2Statistics *l2 = SUMS(record, COMPONENT_L2, L2Statistics);
    same("loads of L1 and how they went", record, 0, l1->loads,
         l1->load_hits + l1->load_misses + l1->load_merges);
    same("units asked for and granted", record, 0, l1->load_misses + l1->ownership_misses,
         l2->loads + l2->cache_transfers + l2->upgrade_grants);
    same("units asked to own and granted", record, 0, l1->ownership_misses, l2->ownership_grants);
    same("probes sent and come", record, 0, l2->probes, l1->probes);
    same("stores of L2 and write-backs", record, 0, l2->stores, l2->unit_write_backs);
    same("atomics of L2", record, 0, l2->atomics, 0);
}

/* -- cycles -- */

static void check_cycles(const KernelRecord *record)
{
    const uint32_t sms = record->components[COMPONENT_SM].count;
    const uint32_t each = record->components[COMPONENT_SCHEDULER].count / sms;
    for (uint32_t i = 0; i < sms; i++) {
        const SmStatistics *sm = PART(record, COMPONENT_SM, SmStatistics, i);
        same("active, idle and all cycles", record, i, sm->active_cycles + sm->idle_cycles,
             record_cycles(record));
        for (uint32_t k = i * each; k < (i + 1) * each; k++) {
            const uint64_t *reasons =
                (const uint64_t *)PART(record, COMPONENT_SCHEDULER, SchedulerStatistics, k);
            uint64_t sum = 0;
            for (size_t row = 0; row < scheduler_statistics.count; row++)
                sum += reasons[row];
            same("reasons of a scheduler and active cycles", record, k, sum, sm->active_cycles);
        }
    }
}

/* Waits of warps are all the time that they were there. A warp's last cycle counts as resident if it issued its
 * last instruction in it, and as no wait. */
static void check_waits(const KernelRecord *record)
{
    const SmStatistics *sm = SUMS(record, COMPONENT_SM, SmStatistics);
    const uint64_t waits = sm->ready_wait_cycles + sm->result_wait_cycles + sm->shared_wait_cycles +
                           sm->memory_wait_cycles + sm->fetch_wait_cycles + sm->branch_wait_cycles +
                           sm->fence_wait_cycles + sm->barrier_wait_cycles + sm->unit_wait_cycles +
                           sm->pause_wait_cycles + sm->event_wait_cycles + sm->suspend_wait_cycles +
                           sm->drain_wait_cycles;
    const uint64_t warps = SUMS(record, COMPONENT_EXEC, ExecStatistics)->warps;
    if (waits > sm->resident_warp_cycles + warps || waits + warps < sm->resident_warp_cycles)
        fail_msg("kernel %u, %s: warps waited %llu cycles of %llu", record->number, record->name,
                 (unsigned long long)waits, (unsigned long long)sm->resident_warp_cycles);
    same("slots of all pipes and all slots", record, 0,
         sm->int_slots + sm->fp32_slots + sm->fp64_slots + sm->sfu_slots + sm->tensor_slots + sm->lsu_slots +
             sm->control_slots + sm->constant_slots + sm->special_slots + sm->uniform_slots,
         sm->issue_slots);
}

/* -- blocks and instructions -- */

/* A block's last cycle counts if its last instruction was issued in it, and does not if a reply came. */
static void check_blocks(const KernelRecord *record)
{
    const uint32_t sms = record->components[COMPONENT_SM].count;
    const GridStatistics *front_end = SUMS(record, COMPONENT_FRONT_END, GridStatistics);
    uint64_t *ended = calloc(sms, sizeof *ended), *resident = calloc(sms, sizeof *resident);
    same("blocks and those dispatched", record, 0, record->block_count, front_end->blocks_dispatched);
    same("blocks and those ended", record, 0, record->block_count, front_end->blocks_ended);
    for (uint64_t i = 0; i < record->block_count; i++) {
        const BlockRecord *block = &record->blocks[i];
        assert_true(block->sm < sms);
        assert_true(record->started <= block->dispatched && block->dispatched < block->started);
        assert_true(block->started < block->ended && block->ended < record->ended);
        ended[block->sm]++;
        resident[block->sm] += block->ended - block->started;
    }
    for (uint32_t i = 0; i < sms; i++) {
        const SmStatistics *sm = PART(record, COMPONENT_SM, SmStatistics, i);
        same("blocks of an SM", record, i, sm->blocks, ended[i]);
        assert_in_range(sm->resident_block_cycles, resident[i], resident[i] + sm->blocks);
    }
    free(ended);
    free(resident);
}

static void check_instructions(const KernelRecord *record, uint64_t width)
{
    for (uint32_t i = 0; i < record->components[COMPONENT_SM].count; i++) {
        const SmStatistics *sm = PART(record, COMPONENT_SM, SmStatistics, i);
        const ExecStatistics *exec = PART(record, COMPONENT_EXEC, ExecStatistics, i);
        same("warp instructions", record, i, sm->warp_instructions, exec->warp_instructions);
        same("thread instructions", record, i, sm->thread_instructions, exec->thread_instructions);
        assert_true(exec->thread_instructions <= width * exec->warp_instructions);
    }
}

/* -- the tests -- */

static void test_adds_up(void **state)
{
    WbGpu *gpu = trial_run_all(*state, (const char *const[]){"mode=cycle", NULL}, true, NULL);
    assert_true(gpu->records.count > 30);
    for (uint32_t i = 0; i < gpu->records.count; i++) {
        const KernelRecord *record = gpu->records.items[i];
        if (gpu->config.l1_coherence == L1_COHERENCE_NONE) {
            check_requests(record);
            check_caches(record);
        } else {
            check_units(record);
        }
        check_cycles(record);
        check_waits(record);
        check_blocks(record);
        check_instructions(record, gpu->config.warp_width);
    }
    wb_gpu_close(gpu);
}

/* The engine's counters: they have no dot in their names and come first. */
static void compare_counts(const Trial *trial, const WbGpu *functional, const WbGpu *cycle)
{
    for (size_t i = 0; i < components[COMPONENT_EXEC].table->count; i++) {
        WbStat a, b;
        assert_int_equal(wb_stat_at(functional, i, &a), WB_OK);
        assert_int_equal(wb_stat_at(cycle, i, &b), WB_OK);
        assert_string_equal(a.name, b.name);
        if (a.value != b.value)
            fail_msg("%s on %s: %s is %llu in functional mode and %llu in cycle mode", trial->name,
                     cycle->config.name, a.name, (unsigned long long)a.value, (unsigned long long)b.value);
    }
}

static void test_like_functional_mode(void **state)
{
    const char *name = *state;
    for (size_t i = 0; i < trial_count; i++) {
        const Trial *trial = &trials[i];
        if (!trial_fits(trial, name))
            continue;
        WbGpu *functional = harness_open(name, (const char *const[]){"mode=functional", NULL});
        WbGpu *cycle = harness_open(name, (const char *const[]){"mode=cycle", NULL});
        TrialTrace expected = {0}, got = {0};
        trial_run(trial, functional, &expected);
        trial_run(trial, cycle, &got);
        assert_int_equal(expected.count, got.count);
        if (!trial->results_vary && got.count && memcmp(expected.items, got.items, got.count) != 0)
            fail_msg("%s on %s leaves another memory in cycle mode", trial->name, name);
        if (!trial->counts_vary)
            compare_counts(trial, functional, cycle);
        VEC_FREE(&expected);
        VEC_FREE(&got);
        wb_gpu_close(functional);
        wb_gpu_close(cycle);
    }
}

/* Modes are compared on every GPU. Under the address sanitizer that takes long, and what adds up has all that
 * cycle mode runs: there the first one will do. */
#ifdef __SANITIZE_ADDRESS__
enum { COMPARED_GPUS = 1 };
#else
enum { COMPARED_GPUS = TRIAL_GPUS };
#endif

int main(void)
{
    struct CMUnitTest tests[TRIAL_GPUS + COMPARED_GPUS];
    size_t count = 0;
    for (int i = 0; i < TRIAL_GPUS; i++)
        tests[count++] =
            (struct CMUnitTest){"adds up", test_adds_up, NULL, NULL, (void *)trial_gpus[i]};
    for (int i = 0; i < COMPARED_GPUS; i++)
        tests[count++] =
            (struct CMUnitTest){"like functional", test_like_functional_mode, NULL, NULL, (void *)trial_gpus[i]};
    return cmocka_run_group_tests_name("conservation", tests, NULL, NULL);
}
