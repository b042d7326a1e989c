/* Requests wait for their turn, are done in it, and their replies wait for the memory's latency. */
#include "mem/host_memory.h"

#include "base/alloc.h"
#include "mem/crossbar.h"
#include "mem/l2.h"
#include "mem/link_end.h"

/* Invariant: the memory's port is free `rest` / bytes.ticks of a cycle after cycle `free`; end.held is the
 * number of `waiting`; `served` are in the order of the times in which their replies are due. */
struct HostMemory {
    Shard shard;
    LinkEnd end;
    AtomicPerform *atomic;
    LinkQueue waiting, served;
    Cycle free, latency;
    Cycle last;         /* when the last of `served` is due */
    const Homes *homes; /* of managed memory */
    uint64_t rest;
    Clock bytes; /* that many (ticks) in that many cycles */
    Cycle next;
};

static uint32_t bytes_of(uint32_t kind, const void *body)
{
    return kind == MESSAGE_LINK_REPLY ? reply_payload(body) : request_payload(body);
}

static void hand_out(Shard *owner, const LinkPacket *packet, Cycle now)
{
    (void)now;
    HostMemory *memory = (HostMemory *)owner;
    link_queue_push(&memory->waiting, *packet);
    memory->end.held++;
}

/* Whether the memory has moved since the request was sent (mem/homes.h). Memory that was freed is the
 * host's. */
static bool is_stray(const HostMemory *memory, const Request *request, Cycle now)
{
    if (!request->moves)
        return false;
    const HomeView view =
        homes_look(memory->homes, request->line, HOME_HOST, request->kind != REQUEST_LOAD, now);
    return view.home != HOME_UNKNOWN && (view.home != HOME_HOST || view.version != request->version);
}

/* The request's turn: moves its sectors, whichever way. */
static void serve(HostMemory *memory, Cycle now)
{
    LinkPacket packet = link_queue_pop(&memory->waiting);
    Request *request = packet.body;
    memory->end.held--;
    if (memory->free < now) {
        memory->free = now;
        memory->rest = 0;
    }
    if (is_stray(memory, request, now)) { /* back it goes, behind those that were served before */
        request->moves = MOVES_STRAY;
        packet.time = clock_later(now, memory->last);
        link_queue_push(&memory->served, packet);
        return;
    }
    const uint64_t parts =
        memory->rest + (uint64_t)count_sectors(request->sectors) * SECTOR_BYTES * memory->bytes.cycles;
    memory->free += parts / memory->bytes.ticks;
    memory->rest = parts % memory->bytes.ticks;
    l2_perform(request, memory->atomic);
    packet.time = memory->last = now + memory->latency;
    link_queue_push(&memory->served, packet);
}

static void answer(HostMemory *memory, Cycle now)
{
    while (memory->served.count && link_queue_first(&memory->served)->time <= now) {
        LinkPacket packet = link_queue_pop(&memory->served);
        packet.class = LINK_REPLY;
        packet.kind = MESSAGE_LINK_REPLY;
        packet.bytes = reply_payload(packet.body);
        link_end_put(&memory->end, packet);
    }
}

static Cycle step(HostMemory *memory, Cycle now)
{
    for (const Message *message; (message = shard_take(&memory->shard, now));)
        link_end_arrive(&memory->end, message);
    Cycle next = link_end_take(&memory->end, now);
    const bool serves = memory->waiting.count && memory->free <= now;
    while (memory->waiting.count && memory->free <= now)
        serve(memory, now);
    if (serves) /* there is room for more */
        next = clock_earlier(next, link_end_take(&memory->end, now));
    answer(memory, now);
    next = clock_earlier(next, link_end_send(&memory->end, now));
    if (memory->waiting.count)
        next = clock_earlier(next, memory->free);
    return memory->served.count ? clock_earlier(next, link_queue_first(&memory->served)->time) : next;
}

static void advance(Shard *shard, Cycle end)
{
    HostMemory *memory = (HostMemory *)shard;
    for (;;) {
        const Cycle now = clock_earlier(memory->next, shard_next_arrival(shard));
        if (now >= end)
            break;
        shard->latest = now;
        memory->next = step(memory, now);
    }
    if (memory->end.asks)
        memory->next = clock_earlier(memory->next, end);
    shard->wake = memory->next;
}

HostMemory *host_memory_create(Fabric *fabric, const Homes *homes, AtomicPerform *atomic)
{
    HostMemory *memory = xcalloc(1, sizeof *memory);
    const uint32_t node = fabric->gpu_count;
    memory->shard = (Shard){.advance = advance, .wake = CYCLE_NEVER};
    memory->atomic = atomic;
    memory->homes = homes;
    memory->latency = fabric->memory_latency;
    memory->bytes = fabric->memory_bytes;
    memory->next = CYCLE_NEVER;
    fabric->shards[node] = &memory->shard;
    link_end_init(&memory->end, fabric, (LinkOwner){&memory->shard, node, fabric->queue, hand_out, bytes_of});
    return memory;
}

void host_memory_free(HostMemory *memory)
{
    if (!memory)
        return;
    VEC_FREE(&memory->shard.inbox);
    link_end_free(&memory->end);
    xfree(memory->waiting.items);
    xfree(memory->served.items);
    xfree(memory);
}

Shard *host_memory_shard(HostMemory *memory) { return &memory->shard; }
