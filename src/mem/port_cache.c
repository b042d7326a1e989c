/* A coherent cache in front of a memory port, for somebody who is no SM. It asks, is granted and probed as an
 * SM's L1 is (sm/lsu/coherent.c), by the port's requests. */
#include "mem/memory_port_state.h"

#include <string.h>

/* Invariant: answers.items[first_answer..count) are in the order of the times in which they can leave;
 * answer_when is when the first of them is to be tried. */
struct PortCache {
    CoherentCache cache;
    MemoryCacheUser user;
    MemoryPort *port;
    Cycle now; /* of the grant that is being carried out */
    VEC(EnteringReply) answers;
    uint32_t first_answer;
    Cycle answer_when;
};

void memory_port_use_cache(MemoryPort *port, uint64_t bytes, uint64_t ways, MemoryCacheUser user)
{
    if (!port->cache) {
        port->cache = xcalloc(1, sizeof *port->cache);
        port->cache->port = port;
        coherent_init(&port->cache->cache, port->config, bytes, (uint32_t)ways);
    }
    port->cache->user = user;
    port->cache->cache.mshrs = port->cache->cache.merges = user.most;
}

void port_cache_free(PortCache *cache)
{
    if (!cache)
        return;
    coherent_free(&cache->cache);
    VEC_FREE(&cache->answers);
    xfree(cache);
}

bool port_cache_is_idle(const PortCache *cache) { return !cache->cache.used; }

void memory_port_forget(MemoryPort *port)
{
    if (port && port->cache)
        coherent_forget(&port->cache->cache);
}

static void send_ask(MemoryPort *port, const CoherentAsk *ask, Cycle now)
{
    Request *request = memory_port_new_request(port);
    memset(request, 0, offsetof(Request, data));
    coherent_fill_request(port->config, ask, request);
    request->sm = port->requester;
    request->slice = interleave_slice(&port->interleave, request->line);
    memory_port_push(port, request, now);
}

CoherentStatus memory_port_access(MemoryPort *port, const CoherentAccess *access, Cycle now)
{
    CoherentAsk ask;
    const CoherentStatus status = coherent_access(&port->cache->cache, access, &ask);
    if (status == COHERENT_MISS)
        send_ask(port, &ask, now);
    return status;
}

static void perform(void *context, const CoherentAccess *access)
{
    const PortCache *cache = context;
    cache->user.perform(cache->user.context, access, cache->now);
}

static void take_grant(MemoryPort *port, CoherentGrant *grant, Cycle now)
{
    PortCache *cache = port->cache;
    cache->now = now;
    coherent_granted(&cache->cache, grant, perform, cache);
    if (grant->leaves)
        send_ask(port, &grant->victim, now);
    if (grant->asks)
        send_ask(port, &grant->again, now);
    cache->user.granted(cache->user.context, now);
}

void port_cache_take(MemoryPort *port, Request *request, Cycle now)
{
    PortCache *cache = port->cache;
    if (request->kind == REQUEST_PROBE) {
        const Cycle ready = now + port->config->l1_probe_latency;
        coherent_probe(&cache->cache, request);
        if (cache->user.probed)
            cache->user.probed(cache->user.context, request);
        if (cache->first_answer == cache->answers.count)
            cache->answer_when = ready;
        VEC_PUSH(&cache->answers, ((EnteringReply){request, ready}));
        return;
    }
    CoherentGrant grant = {.unit = coherent_unit_of(port->config, request), .state = request->state};
    const bool has_left = request->ask == ASK_LEAVE;
    memory_port_free_request(port, request);
    if (has_left)
        coherent_left(&cache->cache, grant.unit);
    else
        take_grant(port, &grant, now);
}

void port_cache_advance(MemoryPort *port, Cycle now)
{
    PortCache *cache = port->cache;
    while (cache->first_answer < cache->answers.count) {
        const EnteringReply answer = cache->answers.items[cache->first_answer];
        cache->answer_when =
            clock_later(answer.time, crossbar_when_answer(port->crossbar, port->requester, now));
        if (cache->answer_when > now)
            return;
        cache->first_answer++;
        const uint32_t channel = interleave_channel(&port->interleave, answer.request->slice);
        crossbar_send(port->crossbar, TO_SLICE, answer.request, port->owner,
                      (uint32_t)port->config->sm_count + channel, now);
    }
    cache->first_answer = cache->answers.count = 0;
}

Cycle port_cache_next(const PortCache *cache)
{
    return cache->first_answer < cache->answers.count ? cache->answer_when : CYCLE_NEVER;
}
