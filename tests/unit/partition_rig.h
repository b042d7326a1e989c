/* Memory partitions with scripted SMs in front of them: each sends its requests in order, not before the
 * cycle that the script says, and keeps the cycles in which replies arrive. */
#ifndef PARTITION_RIG_H
#define PARTITION_RIG_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/alloc.h"
#include "mem/partition.h"
#include "sim/world.h"

enum { RIG_SMS = 8, RIG_REQUESTS = 4096, RIG_MEMORY = 1 << 20 };

typedef struct RigSm {
    Shard shard;
    struct Rig *rig;
    Cycle receives_from;           /* takes no reply in before this cycle */
    uint32_t script[RIG_REQUESTS]; /* tickets, in the order of sending */
    uint32_t count, next;
    RequestList arrived;
} RigSm;

/* What became of request number `ticket`. */
typedef struct RigRecord {
    Request *request;
    Cycle not_before, sent, replied;
    uint32_t replies;
} RigRecord;

typedef struct Rig {
    GpuConfig config;
    Crossbar crossbar;
    Interleave interleave;
    World *world;
    Partition **partitions;
    uint32_t partition_count;
    Shard *last;  /* in the front end's place, set before the rig is built; null: there is none */
    Cycle window; /* 0: as long as can be */
    Cycle now;
    RigSm sms[RIG_SMS];
    RigRecord records[RIG_REQUESTS];
    uint32_t count;
    _Alignas(64) uint8_t memory[RIG_MEMORY];
} Rig;

/* Adds u32 words; `operation` is left alone. */
static inline void rig_add(AtomicWork *work, uint8_t *place)
{
    for (uint32_t i = 0; i < work->count; i++) {
        uint32_t word;
        memcpy(&word, place + work->lanes[i].offset, sizeof word);
        work->lanes[i].old[0] = word;
        word += (uint32_t)work->lanes[i].b[0];
        memcpy(place + work->lanes[i].offset, &word, sizeof word);
    }
}

static inline Cycle rig_send(RigSm *sm, Cycle now)
{
    Rig *rig = sm->rig;
    while (sm->next < sm->count) {
        RigRecord *record = &rig->records[sm->script[sm->next]];
        Cycle when = crossbar_when(&rig->crossbar, TO_SLICE, sm->shard.number, record->request->slice, now);
        when = when < record->not_before ? record->not_before : when;
        if (when > now)
            return when;
        record->sent = now;
        const uint32_t to = (uint32_t)rig->config.sm_count +
                            interleave_channel(&rig->interleave, record->request->slice);
        crossbar_send(&rig->crossbar, TO_SLICE, record->request, &sm->shard, to, now);
        sm->next++;
    }
    return CYCLE_NEVER;
}

static inline Cycle rig_receive(RigSm *sm, Cycle now)
{
    for (const Message *message; (message = shard_take(&sm->shard, now));) {
        RigRecord *record = &sm->rig->records[((Request *)message->body)->ticket];
        assert_int_equal(message->kind, MESSAGE_REPLY);
        record->replied = message->time;
        record->replies++;
        request_list_append(&sm->arrived, message->body);
    }
    while (sm->arrived.first) {
        Cycle when = crossbar_in_free(&sm->rig->crossbar, TO_SM, sm->shard.number, now);
        when = when < sm->receives_from ? sm->receives_from : when;
        if (when > now)
            return when;
        crossbar_take(&sm->rig->crossbar, TO_SM, request_list_pop(&sm->arrived), now);
    }
    return CYCLE_NEVER;
}

static inline void rig_advance(Shard *shard, Cycle end)
{
    RigSm *sm = (RigSm *)shard;
    for (;;) {
        const Cycle arrival = shard_next_arrival(shard), now = arrival < shard->wake ? arrival : shard->wake;
        if (now >= end)
            return;
        const Cycle receive = rig_receive(sm, now), send = rig_send(sm, now);
        shard->wake = receive < send ? receive : send;
        if (shard->wake == CYCLE_NEVER && sm->next < sm->count)
            shard->wake = end;
    }
}

/* One channel, one slice, the same clock everywhere, DRAM as by default. */
static inline Rig *rig_new(void)
{
    Rig *rig = xaligned(64, sizeof *rig);
    memset(rig, 0, sizeof *rig);
    knob_defaults(&config_knobs, &rig->config);
    rig->config.sm_count = RIG_SMS;
    rig->config.l2_slices = rig->config.dram_channels = 1;
    rig->config.l2_bytes = 65536;
    return rig;
}

/* After the configuration has been changed as wanted. */
static inline void rig_build(Rig *rig, uint32_t threads)
{
    const GpuConfig *config = &rig->config;
    Error error = {0};
    assert_int_equal(interleave_check(config, &error), WB_OK);
    assert_int_equal(dram_check(config, &error), WB_OK);
    assert_int_equal(l2_check(config, &error), WB_OK);
    crossbar_init(&rig->crossbar, config, 0);
    interleave_init(&rig->interleave, config, 0);
    rig->partition_count = (uint32_t)config->dram_channels;
    rig->partitions = xcalloc(rig->partition_count, sizeof *rig->partitions);
    const uint32_t shards = RIG_SMS + rig->partition_count + (rig->last != NULL);
    rig->world = world_create(shards, threads, config->crossbar_latency, rig->window);
    for (uint32_t i = 0; i < RIG_SMS; i++) {
        rig->sms[i].shard.advance = rig_advance;
        rig->sms[i].shard.wake = CYCLE_NEVER;
        rig->sms[i].rig = rig;
        world_add(rig->world, &rig->sms[i].shard, i);
    }
    for (uint32_t i = 0; i < rig->partition_count; i++) {
        rig->partitions[i] = partition_create(config, &rig->crossbar, i, rig_add);
        world_add(rig->world, &rig->partitions[i]->shard, RIG_SMS + i);
    }
    if (rig->last)
        world_add(rig->world, rig->last, RIG_SMS + rig->partition_count);
}

static inline void rig_free(Rig *rig)
{
    world_free(rig->world);
    for (uint32_t i = 0; i < rig->partition_count; i++)
        partition_free(rig->partitions[i]);
    for (uint32_t i = 0; i < rig->count; i++) {
        xfree(rig->records[i].request->atomic);
        xfree(rig->records[i].request);
    }
    xfree(rig->partitions);
    crossbar_free(&rig->crossbar);
    xfree(rig);
}

static inline Request *rig_request(Rig *rig, uint32_t sm, Cycle not_before, RequestKind kind, uint64_t line,
                                   uint8_t sectors)
{
    Request *request = xaligned(64, sizeof *request);
    memset(request, 0, sizeof *request);
    *request = (Request){.line = line,
                         .place = line < RIG_MEMORY ? rig->memory + line : NULL,
                         .sm = sm,
                         .slice = interleave_near(&rig->interleave,
                                                  interleave_slice(&rig->interleave, line), sm),
                         .ticket = rig->count,
                         .kind = (uint8_t)kind,
                         .sectors = sectors};
    rig->records[rig->count] = (RigRecord){.request = request, .not_before = not_before};
    RigSm *sender = &rig->sms[sm];
    sender->script[sender->count++] = rig->count++;
    sender->shard.wake = not_before < sender->shard.wake ? not_before : sender->shard.wake;
    return request;
}

static inline Request *rig_load(Rig *rig, uint32_t sm, Cycle not_before, uint64_t line, uint8_t sectors)
{
    return rig_request(rig, sm, not_before, REQUEST_LOAD, line, sectors);
}

/* Stores `bytes` bytes of value `value` from `offset` of the line on. */
static inline Request *rig_store(Rig *rig, uint32_t sm, Cycle not_before, uint64_t line, unsigned offset,
                                 unsigned bytes, uint8_t value)
{
    Request *request = rig_request(rig, sm, not_before, REQUEST_STORE, line, 0);
    for (unsigned byte = offset; byte < offset + bytes; byte++) {
        request->data[byte] = value;
        request->written[byte / 64] |= 1ull << (byte % 64);
        request->sectors |= (uint8_t)(1 << byte / SECTOR_BYTES);
    }
    return request;
}

/* `lanes` lanes add 1 to words from `offset` on, `stride` bytes apart. */
static inline Request *rig_atomic(Rig *rig, uint32_t sm, Cycle not_before, uint64_t line, unsigned offset,
                                  unsigned lanes, unsigned stride)
{
    Request *request = rig_request(rig, sm, not_before, REQUEST_ATOMIC, line, 0);
    request->atomic = xcalloc(1, sizeof *request->atomic);
    *request->atomic = (AtomicWork){.element_bytes = 4, .returns = true, .combines = true, .count = lanes};
    for (unsigned lane = 0; lane < lanes; lane++) {
        const unsigned at = offset + lane * stride;
        request->atomic->lanes[lane] = (AtomicLane){.lane = (uint8_t)lane, .offset = (uint8_t)at, .b = {1}};
        request->sectors |= (uint8_t)(1 << at / SECTOR_BYTES);
    }
    return request;
}

/* Runs all cycles before `end`. */
static inline void rig_run_until(Rig *rig, Cycle end)
{
    world_run(rig->world, rig->now, end);
    rig->now = end;
}

/* Runs until nothing happens any more; every request must then have been answered, once. */
static inline void rig_run(Rig *rig)
{
    const WorldEnd end = world_run(rig->world, rig->now, rig->now + 10000000);
    rig->now = end.time;
    for (uint32_t i = 0; i < rig->count; i++)
        assert_int_equal(rig->records[i].replies, 1);
    for (uint32_t i = 0; i < rig->partition_count; i++)
        assert_true(partition_is_idle(rig->partitions[i]));
}

static inline Cycle rig_replied(const Rig *rig, const Request *request)
{
    return rig->records[request->ticket].replied;
}

/* Slice 0 of partition 0. */
static inline const L2Statistics *rig_counts(const Rig *rig)
{
    return partition_statistics(rig->partitions[0], 0);
}

#endif
