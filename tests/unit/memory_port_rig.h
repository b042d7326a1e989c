/* A memory port in the front end's place, in front of the memory partitions of partition_rig.h. It reads and
 * writes as the script says, each access not before its cycle, and keeps the cycles in which they end. */
#ifndef MEMORY_PORT_RIG_H
#define MEMORY_PORT_RIG_H

#include "mem/memory_port.h"
#include "partition_rig.h"

enum { PORT_ACCESSES = 2048 };

typedef struct PortAccess {
    MemoryAccess access;
    bool is_write, is_addition;
    Cycle not_before, ended;
    uint32_t ends;        /* how often it was said to be done */
    uint8_t bytes[512];   /* read, or to be written */
} PortAccess;

typedef struct PortRig {
    Shard shard;
    Rig *rig;
    MemoryPort *port;
    PortAccess script[PORT_ACCESSES];
    uint32_t count, next;
    uint32_t waited; /* requests that the crossbar did not take, each time that it was asked */
} PortRig;

static inline void port_rig_done(void *context, uint64_t tag, Cycle now)
{
    PortAccess *done = &((PortRig *)context)->script[tag];
    done->ended = now;
    done->ends++;
}

static inline Cycle port_rig_next(const PortRig *port_rig)
{
    const Cycle own = memory_port_next(port_rig->port);
    const Cycle next =
        port_rig->next < port_rig->count ? port_rig->script[port_rig->next].not_before : CYCLE_NEVER;
    return own < next ? own : next;
}

static inline void port_rig_begin(PortRig *port_rig, const PortAccess *begun, Cycle now)
{
    if (begun->is_addition)
        memory_port_add(port_rig->port, &begun->access, 0, begun->bytes[0], now);
    else if (begun->is_write)
        memory_port_write(port_rig->port, &begun->access, now);
    else
        memory_port_read(port_rig->port, &begun->access, now);
}

static inline void port_rig_advance(Shard *shard, Cycle end)
{
    PortRig *port_rig = (PortRig *)shard;
    for (;;) {
        const Cycle arrival = shard_next_arrival(shard);
        shard->wake = port_rig_next(port_rig);
        const Cycle now = arrival < shard->wake ? arrival : shard->wake;
        if (now >= end)
            return;
        for (const Message *message; (message = shard_take(shard, now));) {
            assert_int_equal(message->kind, MESSAGE_REPLY);
            memory_port_take(port_rig->port, message->body, now);
        }
        while (port_rig->next < port_rig->count && port_rig->script[port_rig->next].not_before <= now)
            port_rig_begin(port_rig, &port_rig->script[port_rig->next++], now);
        memory_port_advance(port_rig->port, now, end);
        port_rig->waited += memory_port_waiting(port_rig->port);
    }
}

static inline PortRig *port_rig_new(void)
{
    PortRig *port_rig = xcalloc(1, sizeof *port_rig);
    port_rig->shard = (Shard){.advance = port_rig_advance, .wake = CYCLE_NEVER};
    port_rig->rig = rig_new();
    port_rig->rig->last = &port_rig->shard;
    return port_rig;
}

/* After the configuration has been changed as wanted. */
static inline void port_rig_build(PortRig *port_rig, uint32_t threads)
{
    Rig *rig = port_rig->rig;
    rig_build(rig, threads);
    port_rig->port = memory_port_create(&rig->config, &rig->crossbar, &port_rig->shard,
                                        (uint32_t)rig->config.sm_count);
}

static inline void port_rig_free(PortRig *port_rig)
{
    rig_free(port_rig->rig);
    memory_port_free(port_rig->port);
    xfree(port_rig);
}

/* One more access, in the order of cycles; bytes to be written may be filled in until it begins. */
static inline PortAccess *port_rig_script(PortRig *port_rig, Cycle not_before, bool is_write,
                                          uint64_t address, uint32_t bytes)
{
    PortAccess *added = &port_rig->script[port_rig->count];
    assert_true(bytes <= sizeof added->bytes && address + bytes <= RIG_MEMORY);
    *added = (PortAccess){
        .access = {.address = address,
                   .bytes = bytes,
                   .place = port_rig->rig->memory + address,
                   .data = added->bytes,
                   .done = port_rig_done,
                   .context = port_rig,
                   .tag = port_rig->count},
        .is_write = is_write,
        .not_before = not_before,
    };
    port_rig->count++;
    port_rig->shard.wake = port_rig_next(port_rig);
    return added;
}

static inline PortAccess *port_rig_read(PortRig *port_rig, Cycle not_before, uint64_t address,
                                        uint32_t bytes)
{
    return port_rig_script(port_rig, not_before, false, address, bytes);
}

/* Writes bytes of value `value`. */
static inline PortAccess *port_rig_write(PortRig *port_rig, Cycle not_before, uint64_t address,
                                         uint32_t bytes, uint8_t value)
{
    PortAccess *added = port_rig_script(port_rig, not_before, true, address, bytes);
    memset(added->bytes, value, bytes);
    return added;
}

/* Adds a value below 256 to a word. */
static inline PortAccess *port_rig_add(PortRig *port_rig, Cycle not_before, uint64_t address, uint8_t value)
{
    PortAccess *added = port_rig_script(port_rig, not_before, false, address, 4);
    added->is_addition = true;
    added->bytes[0] = value;
    return added;
}

/* Runs until nothing happens any more; every access must then have ended, once. */
static inline void port_rig_run(PortRig *port_rig)
{
    rig_run(port_rig->rig);
    assert_true(memory_port_is_idle(port_rig->port));
    for (uint32_t i = 0; i < port_rig->count; i++)
        assert_int_equal(port_rig->script[i].ends, 1);
}

#endif
