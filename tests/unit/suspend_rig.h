/* SMs, memory and a front end of its own that takes blocks which leave and sends them back, for tests.
 *
 * Kernels call pause(point): whether they or their block then have to wait, and how, is the rig's decision;
 * wake(latency) ends the wait in place of whoever has waited longest; launch() does nothing but take the time
 * of a launch. A block that has
 * left stays away for `away` cycles and goes to the SM that is `step` further on. The front end sends an SM
 * no more than `limit` blocks at a time. */
#ifndef SUSPEND_RIG_H
#define SUSPEND_RIG_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "exec/access.h"
#include "exec/intrinsic.h"
#include "grid/resources.h"
#include "mem/partition.h"
#include "sim/world.h"
#include "sm/intrinsic.h"
#include "sm/lsu/lsu.h"

/* What the front end has heard. */
typedef struct Heard {
    Cycle time;
    uint32_t sm, kind;
    BlockReport report;
} Heard;

/* A block that is to be sent; block is null for a new one. */
typedef struct Sending {
    uint64_t linear;
    Block *block;
    uint32_t sm;
    Cycle from;
} Sending;

typedef struct PauseRig {
    Shard shard; /* the front end's */
    GpuConfig config;
    Cycle away;
    uint32_t step, limit;
    Cycle runs_for, stops_for; /* until all blocks are paused, and until that ends; 0: they are not */
    Cycle next_order;
    bool is_stopped;
    bool swaps;               /* instead of being paused or going on they are sent away, and come back */
    bool keeps;               /* of these some keep their contexts on chip, and come back to the same SM */
    bool (*waits)(uint64_t linear, uint32_t warp, uint32_t point); /* null: never */
    WaitKind (*kind)(uint64_t linear, uint32_t warp, uint32_t point); /* null: the block leaves */
    Cycle stay;               /* of a wait in place; 0: until wake() is called */
    VEC(Warp *) waiting;      /* in place until then; from `woken` on those that still do */
    uint32_t woken;
    BlockWaker waker;
    void (*on_suspended)(struct PauseRig *rig, uint32_t sm);       /* null: nothing */
    void (*on_sample)(struct PauseRig *rig, const Message *message);
    Crossbar crossbar;
    World *world;
    Sm **sms;
    Partition **partitions;
    AddressSpace space;
    Module *module;
    Program *program;
    ProgramTiming *timing;
    SmKernel kernel;
    uint64_t parameters[4];
    VEC(Sending) sending;
    VEC(Resumption *) resumptions;
    VEC(Cycle) calls; /* of pause */
    VEC(Heard) heard;
    uint32_t resident[8]; /* [sm] */
} PauseRig;

static PauseRig *pause_rig; /* of the running test: the intrinsic finds it here */

/* -- the intrinsic -- */

static inline StepResult run_pause(IntrinsicCall *call)
{
    Warp *warp = call->step->warp;
    uint32_t point;
    memcpy(&point, intrinsic_argument(call, 0, mask_first(call->step->mask)), sizeof point);
    VEC_PUSH(&pause_rig->calls, warp->block->launch->machine->clock);
    if (!pause_rig->waits || !pause_rig->waits(warp->block->linear, warp->index, point))
        return STEP_NEXT;
    WaitKind kind = BLOCK_LEAVES;
    if (pause_rig->kind)
        kind = pause_rig->kind(warp->block->linear, warp->index, point);
    block_wait_begin(warp, WAITS_FOR_LAUNCHED, kind);
    if (kind != BLOCK_LEAVES && pause_rig->stay)
        assert_true(block_wait_end(warp, warp->block->launch->machine->clock, pause_rig->stay));
    else if (kind != BLOCK_LEAVES)
        VEC_PUSH(&pause_rig->waiting, warp);
    return STEP_NEXT;
}

/* Ends the wait of the warp that has waited longest. */
static inline StepResult run_wake(IntrinsicCall *call)
{
    uint32_t latency;
    const Cycle now = call->step->warp->block->launch->machine->clock;
    memcpy(&latency, intrinsic_argument(call, 0, mask_first(call->step->mask)), sizeof latency);
    VEC_PUSH(&pause_rig->calls, now);
    assert_true(pause_rig->waiting.count > pause_rig->woken);
    assert_true(block_wait_end(pause_rig->waiting.items[pause_rig->woken++], now, latency));
    return STEP_NEXT;
}

static const Intrinsic pause_intrinsic = {.name = "pause", .argument_count = 1, .run = run_pause};

static inline StepResult run_nothing(IntrinsicCall *call)
{
    (void)call;
    return STEP_NEXT;
}

static const Intrinsic wake_intrinsic = {.name = "wake", .argument_count = 1, .run = run_wake};

static const Intrinsic launch_intrinsic = {.name = "launch",
                                           .warp_cycles = offsetof(GpuConfig, launch_device_cycles),
                                           .thread_cycles = offsetof(GpuConfig, launch_device_thread_cycles),
                                           .condition = offsetof(GpuConfig, launch_latencies),
                                           .run = run_nothing};

static inline const Intrinsic *find_pause(void *context, const char *name)
{
    (void)context;
    if (!strcmp(name, "wake"))
        return &wake_intrinsic;
    return !strcmp(name, "pause") ? &pause_intrinsic : !strcmp(name, "launch") ? &launch_intrinsic : NULL;
}

/* -- the front end -- */

static inline void hear(PauseRig *rig, const Message *message)
{
    BlockReport *report = message->body;
    if (message->kind == MESSAGE_DRAINED)
        return;
    if (message->kind == MESSAGE_SAMPLE) {
        rig->on_sample(rig, message);
        return;
    }
    assert_true(message->kind == MESSAGE_BLOCK_DONE || message->kind == MESSAGE_BLOCK_SUSPENDED);
    assert_true((message->kind == MESSAGE_BLOCK_SUSPENDED) == (report->suspended != NULL));
    VEC_PUSH(&rig->heard, ((Heard){message->time, message->source, message->kind, *report}));
    rig->resident[message->source]--;
    if (message->kind == MESSAGE_BLOCK_DONE)
        return;
    assert_true(report->suspended->wait.leaves);
    block_wait_end_all(report->suspended, WAITS_FOR_LAUNCHED, message->time, rig->waker.least);
    const Cycle over = report->suspended->wait.over, from = message->time + rig->away;
    const uint32_t step = report->suspended->context.place == CONTEXT_MEMORY ? rig->step : 0;
    VEC_PUSH(&rig->sending, ((Sending){report->linear, report->suspended,
                                       (message->source + step) % (uint32_t)rig->config.sm_count,
                                       over > from && report->suspended->wait.begun ? over : from}));
    report->suspended = NULL;
    if (rig->on_suspended)
        rig->on_suspended(rig, message->source);
}

static inline void send_one(PauseRig *rig, const Sending *sending, Cycle now)
{
    const Cycle time = now + rig->config.block_launch_cycles;
    rig->resident[sending->sm]++;
    if (!sending->block) {
        shard_send(&rig->shard, sending->sm, time, MESSAGE_BLOCK, sending->linear, &rig->kernel);
        return;
    }
    Resumption *resumption = xcalloc(1, sizeof *resumption);
    *resumption = (Resumption){
        .kernel = &rig->kernel, .block = sending->block, .linear = sending->linear, .dispatched = now};
    VEC_PUSH(&rig->resumptions, resumption);
    shard_send(&rig->shard, sending->sm, time, MESSAGE_RESUME, 0, resumption);
}

/* Sends what is due and has room, in order; the next cycle in which something is due. */
static inline Cycle send_due(PauseRig *rig, Cycle now)
{
    Cycle next = CYCLE_NEVER;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < rig->sending.count; i++) {
        const Sending sending = rig->sending.items[i];
        if (sending.from <= now && rig->resident[sending.sm] < rig->limit) {
            send_one(rig, &sending, now);
            continue;
        }
        rig->sending.items[kept++] = sending;
        next = sending.from > now && sending.from < next ? sending.from : next;
    }
    rig->sending.count = kept;
    return next;
}

static inline uint32_t swap_message(const PauseRig *rig, uint64_t block)
{
    static const uint32_t messages[] = {MESSAGE_SWAP_OUT, MESSAGE_SWAP_OUT_STAYS, MESSAGE_SWAP_OUT_MOVES};
    return rig->keeps ? messages[(block + rig->heard.count) % 3] : MESSAGE_SWAP_OUT;
}

/* Orders that are due, to all blocks on all SMs: most of them are not there. */
static inline Cycle send_orders(PauseRig *rig, Cycle now)
{
    uint32_t ended = 0;
    for (uint32_t i = 0; i < rig->heard.count; i++)
        ended += rig->heard.items[i].kind == MESSAGE_BLOCK_DONE;
    if (!rig->runs_for || ended == rig->kernel.launch.grid[0])
        return CYCLE_NEVER;
    if (now < rig->next_order)
        return rig->next_order;
    rig->is_stopped = !rig->is_stopped;
    for (uint32_t sm = 0; sm < rig->config.sm_count; sm++)
        for (uint64_t block = 0; block < rig->kernel.launch.grid[0]; block++)
            shard_send(&rig->shard, sm, now + rig->config.block_launch_cycles,
                       rig->swaps        ? swap_message(rig, block)
                       : rig->is_stopped ? MESSAGE_PAUSE
                                         : MESSAGE_UNPAUSE,
                       block, &rig->kernel);
    return rig->next_order = now + (rig->is_stopped ? rig->stops_for : rig->runs_for);
}

static inline void pause_advance(Shard *shard, Cycle end)
{
    PauseRig *rig = (PauseRig *)shard;
    for (;;) {
        const Cycle arrival = shard_next_arrival(shard);
        const Cycle now = arrival < shard->wake ? arrival : shard->wake;
        if (now >= end)
            return;
        for (const Message *message; (message = shard_take(shard, now));)
            hear(rig, message);
        shard->wake = send_due(rig, now);
        const Cycle order = send_orders(rig, now);
        shard->wake = order < shard->wake ? order : shard->wake;
    }
}

/* -- opening, running, closing -- */

static inline void wake_on_sm(void *context, Warp *warp, Cycle now, Cycle time)
{
    (void)context;
    if (!warp->block->wait.leaves)
        sm_wake_warp(warp->block->launch->machine->owner, warp, now, time);
}

static inline uint64_t no_address(void *context, uint32_t number)
{
    (void)context;
    return 0x100 + number;
}

static inline void link_kernel(PauseRig *rig, const char *source)
{
    Error error = {0};
    if (module_parse("pause.ptx", source, strlen(source), &rig->module, &error) != WB_OK)
        fail_msg("%s", error.text);
    const LinkEnvironment environment = {.variable_address = no_address,
                                         .function_address = no_address,
                                         .intrinsic = find_pause,
                                         .width = (uint32_t)rig->config.warp_width};
    const uint32_t entry = module_find_function(rig->module, "k");
    if (program_link(rig->module, entry, &environment, &rig->program, &error) != WB_OK)
        fail_msg("%s", error.text);
    rig->timing = timing_create(rig->program, &rig->config);
}

static inline void make_world(PauseRig *rig)
{
    const GpuConfig *config = &rig->config;
    const uint32_t sm_count = (uint32_t)config->sm_count, partitions = (uint32_t)config->dram_channels;
    const uint64_t latencies[] = {config->crossbar_latency, config->block_launch_cycles,
                                  config->block_end_cycles, config->unit_latency,
                                  config->l2_halves > 1 ? config->l2_link_latency : CYCLE_NEVER};
    Cycle lookahead = CYCLE_NEVER;
    for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++)
        lookahead = latencies[i] < lookahead ? latencies[i] : lookahead;
    rig->waker = (BlockWaker){.ends = wake_on_sm, .least = lookahead};
    crossbar_init(&rig->crossbar, config, 0);
    rig->world =
        world_create(sm_count + partitions + 1, (uint32_t)config->threads, lookahead, config->window);
    rig->sms = xcalloc(sm_count, sizeof *rig->sms);
    for (uint32_t i = 0; i < sm_count; i++) {
        rig->sms[i] = sm_create(config, &rig->crossbar, i, sm_count + partitions);
        rig->sms[i]->machine.waker = &rig->waker;
        world_add(rig->world, &rig->sms[i]->shard, i);
    }
    rig->partitions = xcalloc(partitions, sizeof *rig->partitions);
    for (uint32_t i = 0; i < partitions; i++) {
        rig->partitions[i] = partition_create(config, &rig->crossbar, i, atomic_work_perform);
        world_add(rig->world, &rig->partitions[i]->shard, sm_count + i);
    }
    rig->shard = (Shard){.advance = pause_advance, .wake = CYCLE_NEVER};
    world_add(rig->world, &rig->shard, sm_count + partitions);
}

/* The kernel is `k` of the source. `change` may set knobs. */
static inline PauseRig *pause_open(const char *gpu, const char *source, void (*change)(GpuConfig *config))
{
    PauseRig *rig = pause_rig = xcalloc(1, sizeof *rig);
    Error error = {0};
    if (config_load(gpu, &rig->config, &error) != WB_OK)
        fail_msg("%s", error.text);
    rig->config.sm_count = 3;
    if (change)
        change(&rig->config);
    rig->limit = 2;
    space_init(&rig->space, 1 << 24);
    link_kernel(rig, source);
    make_world(rig);
    return rig;
}

/* For tests that count on moves of a known length. */
static inline void at_fixed_rate(GpuConfig *config) { config->context_switch = CONTEXT_SWITCH_RATE; }

static inline uint64_t pause_buffer(PauseRig *rig, size_t bytes)
{
    Error error = {0};
    uint64_t address;
    assert_int_equal(space_alloc(&rig->space, bytes, NULL, false, &address, &error), WB_OK);
    return address;
}

static inline void *pause_bytes(PauseRig *rig, uint64_t address)
{
    return space_find(&rig->space, address, 1)->host;
}

static inline void pause_shape(PauseRig *rig, uint32_t blocks, uint32_t threads)
{
    const GpuConfig *config = &rig->config;
    const uint32_t width = (uint32_t)config->warp_width;
    const BlockShape shape = {
        .threads = threads, .registers = rig->program->registers, .shared_bytes = rig->program->shared_bytes};
    const Resources need = resources_of_block(config, &shape);
    rig->kernel.launch = (Launch){.program = rig->program,
                                  .grid = {blocks, 1, 1},
                                  .block = {threads, 1, 1},
                                  .shared_bytes = rig->program->shared_bytes,
                                  .local_bytes = rig->program->local_bytes,
                                  .warps_per_block = (threads + width - 1) / width,
                                  .width = width,
                                  .divergence = (Divergence)config->divergence,
                                  .parameters = (const uint8_t *)rig->parameters,
                                  .space = &rig->space};
    rig->kernel.timing = rig->timing;
    rig->kernel.context_bytes = sm_context_bytes(&rig->kernel.launch, need.registers, need.shared_bytes);
}

/* All blocks, one after the other on the SMs, from cycle `start` on; `limit` may end the run earlier. */
static inline WorldEnd pause_run(PauseRig *rig, Cycle start, Cycle limit)
{
    pause_rig = rig;
    for (uint32_t i = 0; i < rig->kernel.launch.grid[0]; i++)
        VEC_PUSH(&rig->sending, ((Sending){i, NULL, i % (uint32_t)rig->config.sm_count, start}));
    rig->shard.wake = start;
    const WorldEnd end = world_run(rig->world, start, limit);
    for (uint32_t i = 0; i < rig->config.sm_count; i++)
        if (rig->sms[i]->error.status != WB_OK)
            fail_msg("%s", rig->sms[i]->error.text);
    return end;
}

static inline uint32_t pause_count(const PauseRig *rig, uint32_t kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rig->heard.count; i++)
        count += rig->heard.items[i].kind == kind;
    return count;
}

static inline void pause_close(PauseRig *rig)
{
    world_free(rig->world);
    for (uint32_t i = 0; i < rig->config.sm_count; i++)
        sm_free(rig->sms[i]);
    for (uint32_t i = 0; i < rig->config.dram_channels; i++)
        partition_free(rig->partitions[i]);
    crossbar_free(&rig->crossbar);
    for (uint32_t i = 0; i < rig->sending.count; i++)
        block_free(rig->sending.items[i].block);
    for (uint32_t i = 0; i < rig->resumptions.count; i++) {
        block_free(rig->resumptions.items[i]->block);
        xfree(rig->resumptions.items[i]);
    }
    timing_free(rig->timing);
    program_free(rig->program);
    module_free(rig->module);
    space_destroy(&rig->space);
    VEC_FREE(&rig->sending);
    VEC_FREE(&rig->resumptions);
    VEC_FREE(&rig->waiting);
    VEC_FREE(&rig->calls);
    VEC_FREE(&rig->heard);
    xfree(rig->sms);
    xfree(rig->partitions);
    xfree(rig);
}

/* -- checks -- */

static inline bool pause_always(uint64_t linear, uint32_t warp, uint32_t point)
{
    (void)linear;
    (void)warp;
    (void)point;
    return true;
}

/* At a fixed rate every move is the same. Through memory all that was saved is one of its parts. */
static inline void check_moves(const PauseRig *rig, const Sm *sm)
{
    const SmStatistics *counts = &sm->statistics;
    const uint64_t moves = counts->blocks_suspended + counts->blocks_resumed;
    const uint64_t bytes = rig->kernel.context_bytes, rate = rig->config.context_bytes_per_cycle;
    if (rig->config.context_switch == CONTEXT_SWITCH_RATE) {
        assert_int_equal(counts->context_bytes, moves * bytes);
        assert_int_equal(counts->context_cycles,
                         moves * (rig->config.context_latency + (bytes + rate - 1) / rate));
        assert_int_equal(counts->context_full_bytes + counts->context_requests, 0);
        return;
    }
    const uint64_t saved =
        counts->context_saved_registers + counts->context_saved_shared + counts->context_saved_stacks;
    const uint64_t restored = counts->context_restored_registers + counts->context_restored_shared +
                              counts->context_restored_stacks;
    assert_int_equal(counts->context_bytes, saved + restored);
    assert_int_equal(counts->context_full_bytes, saved + counts->context_dead_bytes +
                                                     counts->context_read_only_bytes +
                                                     counts->context_kept_bytes +
                                                     counts->context_local_bytes);
    assert_true(counts->context_requests >= counts->context_bytes / LINE_BYTES);
    assert_true((counts->context_cycles != 0) == (moves != 0));
}

/* Where cycles went, what was moved, and that nothing is left. */
static inline void check_sm(PauseRig *rig, Sm *sm, Cycle end)
{
    sm_account(sm, end);
    for (uint32_t i = 0; i < sm->scheduler_count; i++) {
        const uint64_t *counts = (const uint64_t *)&sm->schedulers[i].statistics;
        uint64_t sum = 0;
        for (size_t k = 0; k < scheduler_statistics.count; k++)
            sum += counts[k];
        assert_int_equal(sum, sm->statistics.active_cycles);
        for (uint32_t wait = 0; wait < WAIT_COUNT; wait++)
            assert_int_equal(sm->schedulers[i].waiting[wait], 0);
    }
    check_moves(rig, sm);
    assert_int_equal(sm->resident_blocks + sm->resident_warps, 0);
    assert_int_equal(sm->moving | sm->paused | sm->ready | sm->fencing | sm->lsu_held | sm->acquiring, 0);
    assert_int_equal(__builtin_popcountll(sm->free_slots),
                     rig->config.max_threads_per_sm / rig->config.warp_width);
    assert_true(lsu_is_idle(sm->lsu));
}

static inline void pause_check(PauseRig *rig, Cycle end)
{
    SmStatistics sum = {0};
    uint64_t instructions = 0, threads = 0;
    for (uint32_t i = 0; i < rig->config.sm_count; i++) {
        const SmStatistics *statistics = &rig->sms[i]->statistics;
        check_sm(rig, rig->sms[i], end);
        sum.blocks += statistics->blocks;
        sum.blocks_suspended += statistics->blocks_suspended;
        sum.blocks_resumed += statistics->blocks_resumed;
        sum.warp_instructions += statistics->warp_instructions;
        sum.thread_instructions += statistics->thread_instructions;
    }
    for (uint32_t i = 0; i < rig->heard.count; i++) {
        instructions += rig->heard.items[i].report.warp_instructions;
        threads += rig->heard.items[i].report.thread_instructions;
    }
    assert_int_equal(sum.warp_instructions, instructions);
    assert_int_equal(sum.thread_instructions, threads);
    assert_int_equal(sum.blocks, rig->kernel.launch.grid[0]);
    assert_int_equal(sum.blocks, pause_count(rig, MESSAGE_BLOCK_DONE));
    assert_int_equal(sum.blocks_suspended, pause_count(rig, MESSAGE_BLOCK_SUSPENDED));
    assert_int_equal(sum.blocks_suspended, sum.blocks_resumed);
}

#endif
