/* The memory system's parts of the contract: L1, memory partition, the front end's port, DRAM channel,
 * crossbar. */
#ifndef CONTRACT_MEMORY_H
#define CONTRACT_MEMORY_H

#include "contract.h"
#include "mem/l1.h"
#include "memory_port_rig.h"

/* -- the L1: loads of lines that are answered some cycles later -- */

typedef struct L1Part {
    GpuConfig config;
    L1 l1;
    Cycle now, start;
    Work *work;
    bool under_way;
} L1Part;

static void *l1_part_open(bool narrow)
{
    L1Part *part = xcalloc(1, sizeof *part);
    knob_defaults(&config_knobs, &part->config);
    part->config.l1_mshrs = narrow ? 1 : 256;
    part->config.l1_merges = narrow ? 1 : 256;
    l1_init(&part->l1, &part->config, part->config.l1_bytes);
    return part;
}

static void l1_part_done(void *context, void *owner, uint32_t index, const uint8_t *data, uint8_t sectors)
{
    L1Part *part = context;
    (void)owner, (void)data, (void)sectors;
    finish(part->work, index, part->now - part->start);
}

static void l1_part_drive(void *context, Work *work)
{
    enum { DELAY = 40, SECTOR = 1 };
    static const uint8_t bytes[LINE_BYTES];
    L1Part *part = context;
    struct {
        uint32_t ticket;
        Cycle time;
    } replies[PIECES];
    uint32_t asked = 0, answered = 0, next = 0;
    part->work = work;
    part->start = part->now;
    for (; work->done < work->count; part->now++) {
        for (; answered < asked && replies[answered].time <= part->now; answered++)
            l1_arrived(&part->l1, replies[answered].ticket, SECTOR, bytes, l1_part_done, part);
        if (next == work->count)
            continue;
        const L1Load load = {(uint64_t)(next * 7 % 24) * LINE_BYTES, SECTOR, true, true, part, next};
        L1Answer answer;
        const L1Status status = l1_load(&part->l1, &load, &answer);
        work->waited += status == L1_FULL;
        if (status == L1_HIT)
            finish(work, next, part->now - part->start);
        if (status == L1_MISS) {
            replies[asked].ticket = answer.ticket;
            replies[asked++].time = part->now + DELAY;
        }
        next += status != L1_FULL;
    }
    part->under_way = answered < asked;
}

static bool l1_part_is_idle(const void *context)
{
    const L1Part *part = context;
    return !part->under_way && !part->l1.used;
}

static void l1_part_reset(void *context) { l1_invalidate(&((L1Part *)context)->l1); }

static void l1_part_close(void *context)
{
    l1_free(&((L1Part *)context)->l1);
    xfree(context);
}

/* -- a memory partition: L2 slices and their channel, behind the crossbar -- */

static void *partition_part_open(bool narrow)
{
    Rig *rig = rig_new();
    rig->config.dram_command_khz = rig->config.clock_khz; /* a refresh interval is a whole number of cycles */
    rig->config.dram_data_khz = 4 * rig->config.clock_khz;
    if (narrow)
        rig->config.l2_queue = rig->config.l2_mshrs = rig->config.l2_merges = rig->config.l2_reply_queue = 1;
    rig_build(rig, 1);
    return rig;
}

static void partition_part_drive(void *context, Work *work)
{
    Rig *rig = context;
    const uint32_t first = rig->count;
    const Cycle start = rig->now;
    for (uint32_t i = 0; i < work->count; i++) {
        const uint64_t line = (uint64_t)(i * 5 % 61) * 4 * LINE_BYTES;
        if (i % 4 == 3)
            rig_store(rig, i % RIG_SMS, start, line, 0, 128, (uint8_t)i);
        else
            rig_load(rig, i % RIG_SMS, start, line, (uint8_t)(1 + i % 15));
    }
    rig_run(rig);
    for (uint32_t i = 0; i < work->count; i++)
        finish(work, i, rig->records[first + i].replied - start);
    const L2Statistics *counts = rig_counts(rig);
    work->waited = (uint32_t)(counts->stall_mshr + counts->stall_merge + counts->queue_full);
}

static bool partition_part_is_idle(const void *context)
{
    return partition_is_idle(((const Rig *)context)->partitions[0]);
}

/* A cycle in which a channel is as in the beginning: all rows are closed by the refresh that was before it,
 * and the next one is far away. */
static Cycle after_refresh(const GpuConfig *config, Cycle now)
{
    const Cycle refreshes = now / config->dram_trefi + 1;
    return refreshes * config->dram_trefi + 8 * config->dram_trfc;
}

static void partition_part_reset(void *context)
{
    Rig *rig = context;
    partition_invalidate(rig->partitions[0]);
    rig->now = after_refresh(&rig->config, rig->now);
}

static void partition_part_close(void *context) { rig_free(context); }

/* -- the front end's port: reads and writes of a partition -- */

static void *memory_port_part_open(bool narrow)
{
    PortRig *port_rig = port_rig_new();
    GpuConfig *config = &port_rig->rig->config;
    config->dram_command_khz = config->clock_khz;
    config->dram_data_khz = 4 * config->clock_khz;
    config->crossbar_credits = narrow ? 1 : PIECES;
    port_rig_build(port_rig, 1);
    return port_rig;
}

static void memory_port_part_drive(void *context, Work *work)
{
    PortRig *port_rig = context;
    Rig *rig = port_rig->rig;
    const uint32_t first = port_rig->count;
    const Cycle start = rig->now;
    port_rig->waited = 0;
    for (uint32_t i = 0; i < work->count; i++)
        port_rig_script(port_rig, start, i % 4 == 3, (uint64_t)(i * 5 % 61) * 4 * LINE_BYTES, 24);
    rig_run(rig);
    for (uint32_t i = 0; i < work->count; i++)
        finish(work, i, port_rig->script[first + i].ended - start);
    work->waited = port_rig->waited;
}

static bool memory_port_part_is_idle(const void *context)
{
    const PortRig *port_rig = context;
    return memory_port_is_idle(port_rig->port) && memory_port_next(port_rig->port) == CYCLE_NEVER;
}

static void memory_port_part_reset(void *context) { partition_part_reset(((PortRig *)context)->rig); }

static void memory_port_part_close(void *context) { port_rig_free(context); }

/* -- a DRAM channel -- */

typedef struct DramPart {
    GpuConfig config;
    DramChannel *channel;
    Cycle now;
    bool is_empty;
} DramPart;

static void *dram_part_open(bool narrow)
{
    DramPart *part = xcalloc(1, sizeof *part);
    knob_defaults(&config_knobs, &part->config);
    part->config.dram_command_khz = part->config.clock_khz;
    part->config.dram_data_khz = 4 * part->config.clock_khz;
    part->config.dram_queue = narrow ? 1 : 256;
    part->channel = dram_create(&part->config);
    part->is_empty = true;
    return part;
}

static void dram_part_drive(void *context, Work *work)
{
    DramPart *part = context;
    const Cycle start = part->now;
    uint32_t next = 0, ticket;
    Cycle wake = start;
    while (work->done < work->count || wake != CYCLE_NEVER) {
        while (next < work->count && dram_has_room(part->channel, false)) {
            dram_take(part->channel, (uint64_t)(next * 37 % 64) * 512, 0xF, false, 0, next, part->now);
            next++;
        }
        work->waited += next < work->count;
        wake = dram_advance(part->channel, part->now);
        while (dram_next_done(part->channel, part->now, &ticket))
            finish(work, ticket, part->now - start);
        part->now++;
    }
    part->is_empty = dram_advance(part->channel, part->now) == CYCLE_NEVER;
}

static bool dram_part_is_idle(const void *context) { return ((const DramPart *)context)->is_empty; }

static void dram_part_reset(void *context)
{
    DramPart *part = context;
    part->now = after_refresh(&part->config, part->now);
}

static void dram_part_close(void *context)
{
    dram_free(((DramPart *)context)->channel);
    xfree(context);
}

/* -- the crossbar: one SM sends to a slice that takes a packet in every four cycles -- */

typedef struct CrossbarPart {
    Shard sm, slice;
    GpuConfig config;
    Crossbar crossbar;
    World *world;
    Request requests[PIECES];
    uint32_t sent, taken;
    Work *work;
    Cycle start, now;
} CrossbarPart;

static void crossbar_part_send(Shard *shard, Cycle end)
{
    CrossbarPart *part = (CrossbarPart *)shard;
    for (Cycle now = shard->wake; now < end; now = shard->wake) {
        const Cycle when = crossbar_when(&part->crossbar, TO_SLICE, 0, 0, now);
        part->work->waited += when == CYCLE_NEVER;
        if (when == now)
            crossbar_send(&part->crossbar, TO_SLICE, &part->requests[part->sent++], shard, 1, now);
        shard->wake = part->sent == part->work->count ? CYCLE_NEVER
                      : when == CYCLE_NEVER           ? end
                                                      : when + (when == now);
    }
}

static void crossbar_part_take(Shard *shard, Cycle end)
{
    CrossbarPart *part = (CrossbarPart *)((char *)shard - offsetof(CrossbarPart, slice));
    for (;;) {
        const Cycle arrival = shard_next_arrival(shard);
        const Cycle now = shard->wake == CYCLE_NEVER || arrival > shard->wake ? arrival : shard->wake;
        if (now >= end)
            return;
        const Message *message = shard_take(shard, now);
        const Request *request = message->body;
        crossbar_take(&part->crossbar, TO_SLICE, request, now);
        finish(part->work, (uint32_t)(request - part->requests), now - part->start);
        part->taken++;
        shard->wake = now + 4;
        if (shard_next_arrival(shard) == CYCLE_NEVER)
            shard->wake = CYCLE_NEVER;
    }
}

static void *crossbar_part_open(bool narrow)
{
    CrossbarPart *part = xaligned(64, (sizeof *part + 63) / 64 * 64);
    memset(part, 0, sizeof *part);
    knob_defaults(&config_knobs, &part->config);
    part->config.l2_slices = part->config.dram_channels = 1;
    part->config.crossbar_credits = narrow ? 1 : PIECES;
    crossbar_init(&part->crossbar, &part->config, 0);
    part->world = world_create(2, 1, part->config.crossbar_latency, 0);
    part->sm = (Shard){.advance = crossbar_part_send, .wake = CYCLE_NEVER};
    part->slice = (Shard){.advance = crossbar_part_take, .wake = CYCLE_NEVER};
    world_add(part->world, &part->sm, 0);
    world_add(part->world, &part->slice, 1);
    return part;
}

static void crossbar_part_drive(void *context, Work *work)
{
    CrossbarPart *part = context;
    for (uint32_t i = 0; i < work->count; i++)
        part->requests[i] =
            (Request){.kind = i % 3 ? REQUEST_LOAD : REQUEST_STORE, .sectors = (uint8_t)(i % 16)};
    part->work = work;
    part->sent = part->taken = 0;
    part->sm.wake = part->start = part->now;
    part->now = world_run(part->world, part->now, part->now + 1000000).time;
}

static bool crossbar_part_is_idle(const void *context)
{
    const CrossbarPart *part = context;
    return part->sent == part->taken && shard_next_arrival(&part->slice) == CYCLE_NEVER;
}

static void crossbar_part_close(void *context)
{
    CrossbarPart *part = context;
    world_free(part->world);
    crossbar_free(&part->crossbar);
    xfree(part);
}

#endif
