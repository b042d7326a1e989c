/* SMs that only keep blocks for a while, for tests of the front end in a world of its own.
 *
 * A block that arrives stays `duration` cycles, `uneven` of them times its index modulo 7 longer. Each SM
 * checks at every arrival that it has room, by its own count of what the front end said a block needs. */
#ifndef FAKE_SMS_H
#define FAKE_SMS_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "grid/front_end.h"
#include "sim/world.h"

typedef struct FakeBlock {
    bool used;
    Cycle end;
    Resources need;
    BlockReport report;
} FakeBlock;

typedef struct FakeGpu FakeGpu;

/* Reports stay untouched until long after the front end has read them: slots are used in turn. */
enum { FAKE_SLOTS = 4096 };

typedef struct FakeSm {
    Shard shard;
    FakeGpu *gpu;
    Resources free;
    uint32_t next_slot, resident, most_resident;
    FakeBlock *blocks;
} FakeSm;

typedef struct Arrival {
    Cycle time;
    uint32_t sm;
    uint64_t block;
    const SmKernel *kernel;
} Arrival;

struct FakeGpu {
    GpuConfig config;
    Cycle duration, uneven;
    World *world;
    FakeSm *sms;
    FrontEnd *front_end;
    const GridKernel *kernels[8]; /* that were submitted */
    uint32_t kernel_count;
    VEC(Arrival) arrivals; /* with one thread: in the order of windows */
    Cycle now;
};

static inline void fake_start(FakeSm *sm, const Message *message)
{
    FakeGpu *gpu = sm->gpu;
    FakeBlock *block = &sm->blocks[sm->next_slot++ % FAKE_SLOTS];
    assert_int_equal(message->kind, MESSAGE_BLOCK);
    assert_false(block->used);
    const SmKernel *kernel = message->body;
    *block = (FakeBlock){.used = true, .need = grid_kernel_of(kernel)->need};
    assert_true(resources_have_room(&sm->free, &block->need));
    resources_take(&sm->free, &block->need);
    block->end = message->time + gpu->duration + gpu->uneven * (message->value % 7);
    block->report = (BlockReport){.kernel = message->body,
                                  .linear = message->value,
                                  .stay = {.dispatched = message->time - gpu->config.block_launch_cycles,
                                           .started = message->time}};
    if (++sm->resident > sm->most_resident)
        sm->most_resident = sm->resident;
    VEC_PUSH(&gpu->arrivals, ((Arrival){message->time, sm->shard.number, message->value, message->body}));
}

static inline void fake_end(FakeSm *sm, FakeBlock *block, Cycle now)
{
    block->used = false;
    block->report.stay.left = now;
    resources_give(&sm->free, &block->need);
    sm->resident--;
    shard_send(&sm->shard, (uint32_t)sm->gpu->config.sm_count, now + sm->gpu->config.block_end_cycles,
               MESSAGE_BLOCK_DONE, (uint64_t)(block - sm->blocks), &block->report);
}

static inline void fake_advance(Shard *shard, Cycle end)
{
    FakeSm *sm = (FakeSm *)shard;
    for (;;) {
        shard->wake = CYCLE_NEVER;
        for (uint32_t i = 0; i < FAKE_SLOTS && sm->resident; i++)
            if (sm->blocks[i].used && sm->blocks[i].end < shard->wake)
                shard->wake = sm->blocks[i].end;
        const Cycle arrival = shard_next_arrival(shard);
        const Cycle now = arrival < shard->wake ? arrival : shard->wake;
        if (now >= end)
            return;
        for (uint32_t i = 0; i < FAKE_SLOTS; i++)
            if (sm->blocks[i].used && sm->blocks[i].end == now)
                fake_end(sm, &sm->blocks[i], now);
        for (const Message *message; (message = shard_take(shard, now));)
            fake_start(sm, message);
    }
}

/* The policies that the configuration names. */
static inline DispatchPolicies defaults(const GpuConfig *config)
{
    DispatchPolicies policies;
    Error error = {0};
    if (dispatch_policies(config, &policies, &error) != WB_OK)
        fail_msg("%s", error.text);
    return policies;
}

static inline FakeGpu small_gpu(uint32_t sm_count)
{
    FakeGpu gpu = {.duration = 1000};
    knob_defaults(&config_knobs, &gpu.config);
    gpu.config.sm_count = sm_count;
    gpu.config.kernel_launch_cycles = 100;
    gpu.config.block_launch_cycles = 10;
    gpu.config.block_end_cycles = 12;
    gpu.config.kernel_end_cycles = 50;
    return gpu;
}

/* gpu->config, duration and uneven are set. */
static inline void fake_open(FakeGpu *gpu, const DispatchPolicies *policies, Cycle lookahead)
{
    const uint32_t sm_count = (uint32_t)gpu->config.sm_count;
    gpu->world = world_create(sm_count + 1, 1, lookahead, 0);
    gpu->sms = xcalloc(sm_count, sizeof *gpu->sms);
    for (uint32_t i = 0; i < sm_count; i++) {
        gpu->sms[i].shard = (Shard){.advance = fake_advance, .wake = CYCLE_NEVER};
        gpu->sms[i].gpu = gpu;
        gpu->sms[i].free = resources_of_sm(&gpu->config);
        gpu->sms[i].blocks = xcalloc(FAKE_SLOTS, sizeof *gpu->sms[i].blocks);
        world_add(gpu->world, &gpu->sms[i].shard, i);
    }
    gpu->front_end = front_end_create(&gpu->config, policies, NULL);
    world_add(gpu->world, &gpu->front_end->shard, sm_count);
}

static inline void fake_close(FakeGpu *gpu)
{
    world_free(gpu->world);
    front_end_free(gpu->front_end);
    for (uint32_t i = 0; i < gpu->config.sm_count; i++)
        xfree(gpu->sms[i].blocks);
    xfree(gpu->sms);
    VEC_FREE(&gpu->arrivals);
}

static inline void fake_submit(FakeGpu *gpu, GridKernel *kernel, const SmKernel *seen, uint64_t blocks,
                               BlockShape shape)
{
    *kernel = (GridKernel){.seen = *seen,
                           .block_count = blocks,
                           .need = resources_of_block(&gpu->config, &shape),
                           .blocks = xcalloc(blocks, sizeof(BlockRecord))};
    gpu->kernels[gpu->kernel_count++] = kernel;
    front_end_submit(gpu->front_end, kernel, gpu->now);
}

/* Runs until all that was submitted has ended. */
static inline void fake_run(FakeGpu *gpu)
{
    WorldEnd end = {.time = gpu->now};
    do { /* the world stops as soon as one more kernel's end is known */
        end = world_run(gpu->world, end.time, 1000000000);
        assert_int_equal(end.shard, gpu->config.sm_count);
    } while (!front_end_is_done(gpu->front_end));
    for (uint32_t i = 0; i < gpu->kernel_count; i++)
        if (gpu->kernels[i]->ended > gpu->now)
            gpu->now = gpu->kernels[i]->ended;
    world_run(gpu->world, end.time, gpu->now);
}

#endif
