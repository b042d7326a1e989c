/* An access becomes a request for each of its lines, or of its units of coherence where caches are coherent,
 * and ends when all have been answered. Requests wait in one queue and leave in its order, which is what
 * makes accesses to a line take effect in the order of the calls. As an SM does, the port counts the flits of
 * a reply as they come in, and a reply is looked at when its last one is there. */
#include "mem/memory_port.h"

#include <string.h>

#include "base/alloc.h"
#include "mem/memory_port_state.h"

MemoryPort *memory_port_create(const GpuConfig *config, Crossbar *crossbar, Shard *owner, uint32_t requester)
{
    MemoryPort *port = xcalloc(1, sizeof *port);
    port->config = config;
    port->crossbar = crossbar;
    port->owner = owner;
    port->requester = requester;
    const bool has_units = config->l1_coherence == L1_COHERENCE_OWNERSHIP;
    port->piece_bytes = has_units ? (uint32_t)config->coherence_bytes : LINE_BYTES;
    port->free_record = UINT32_MAX;
    interleave_init(&port->interleave, config, crossbar->route.gpu);
    return port;
}

void memory_port_free(MemoryPort *port)
{
    if (!port)
        return;
    for (uint32_t i = 0; i < port->requests.count; i++) {
        xfree(port->requests.items[i]->atomic);
        xfree(port->requests.items[i]);
    }
    VEC_FREE(&port->requests);
    VEC_FREE(&port->records);
    VEC_FREE(&port->replies);
    port_cache_free(port->cache);
    xfree(port->guard);
    xfree(port);
}

uint32_t memory_port_waiting(const MemoryPort *port) { return port->outgoing.count; }

bool memory_port_is_idle(const MemoryPort *port)
{
    return !port->live && (!port->cache || port_cache_is_idle(port->cache));
}

/* -- accesses become requests -- */

static uint32_t new_record(MemoryPort *port, const MemoryAccess *access)
{
    if (port->free_record == UINT32_MAX) {
        port->free_record = port->records.count;
        VEC_PUSH(&port->records, ((AccessRecord){.next_free = UINT32_MAX}));
    }
    const uint32_t number = port->free_record;
    port->free_record = port->records.items[number].next_free;
    port->records.items[number].access = *access;
    port->live++;
    return number;
}

Request *memory_port_new_request(MemoryPort *port)
{
    Request *request = port->free_requests;
    if (!request) {
        request = xaligned(_Alignof(Request), sizeof *request);
        request->atomic = NULL;
        VEC_PUSH(&port->requests, request);
        return request;
    }
    port->free_requests = request->next;
    return request;
}

void memory_port_free_request(MemoryPort *port, Request *request)
{
    xfree(request->atomic);
    request->atomic = NULL;
    request->next = port->free_requests;
    port->free_requests = request;
}

/* The first that waits decides when to look; with others before it the time stands already. */
void memory_port_push(MemoryPort *port, Request *request, Cycle now)
{
    if (!port->outgoing.first)
        port->send_when = now;
    request_list_append(&port->outgoing, request);
}

/* The bytes of the access that are in the piece at `piece`: [*begin, *end), counted from its line's first. */
static void part_in_piece(const MemoryPort *port, const MemoryAccess *access, uint64_t piece, unsigned *begin,
                          unsigned *end)
{
    const uint64_t line = piece & ~(uint64_t)(LINE_BYTES - 1);
    const uint64_t piece_end = piece + port->piece_bytes, access_end = access->address + access->bytes;
    *begin = (unsigned)((access->address > piece ? access->address : piece) - line);
    *end = (unsigned)((access_end < piece_end ? access_end : piece_end) - line);
}

static void send_later(MemoryPort *port, const MemoryAccess *access, RequestKind kind, uint64_t piece,
                       uint32_t ticket, Cycle now)
{
    Request *request = memory_port_new_request(port);
    const uint64_t line = piece & ~(uint64_t)(LINE_BYTES - 1);
    unsigned begin, end;
    part_in_piece(port, access, piece, &begin, &end);
    const Route *route = &port->crossbar->route;
    const bool moves = route->hub != ROUTE_NO_HUB && route_home(route, line) == HOME_MOVES;
    const unsigned sectors_end = (end + SECTOR_BYTES - 1) / SECTOR_BYTES;
    *request = (Request){
        .line = line,
        .place = access->place ? access->place + (int64_t)(line - access->address) : NULL,
        .sm = port->requester,
        .slice = route_slice(&port->crossbar->route, &port->interleave, line),
        .ticket = ticket,
        .kind = (uint8_t)kind,
        .moves = moves ? MOVES_WAITS : MOVES_NOT,
        .sectors = (uint8_t)((1u << sectors_end) - (1u << begin / SECTOR_BYTES)),
    };
    if (kind == REQUEST_STORE)
        request_mark_written(request, begin, end - begin);
    if (kind == REQUEST_STORE && access->place)
        memcpy(request->data + begin, access->data + (line + begin - access->address), end - begin);
    memory_port_push(port, request, now);
}

static void begin_access(MemoryPort *port, const MemoryAccess *access, RequestKind kind, Cycle now)
{
    const uint64_t first = access->address & ~(uint64_t)(port->piece_bytes - 1);
    const uint32_t ticket = new_record(port, access);
    uint32_t pieces = 0;
    for (uint64_t at = first; at < access->address + access->bytes; at += port->piece_bytes, pieces++)
        send_later(port, access, kind, at, ticket, now);
    /* No reply can come before: requests leave later, when the port advances. */
    port->records.items[ticket].left = pieces;
}

void memory_port_read(MemoryPort *port, const MemoryAccess *access, Cycle now)
{
    begin_access(port, access, REQUEST_LOAD, now);
}

void memory_port_write(MemoryPort *port, const MemoryAccess *access, Cycle now)
{
    begin_access(port, access, REQUEST_STORE, now);
}

/* All of it is in one line, whose request is the last that waits. */
void memory_port_add(MemoryPort *port, const MemoryAccess *access, uint32_t operation, uint32_t value,
                     Cycle now)
{
    begin_access(port, access, REQUEST_ATOMIC, now);
    AtomicWork *work = port->outgoing.last->atomic = xcalloc(1, sizeof *work);
    work->operation = operation;
    work->element_bytes = 4;
    work->combines = true;
    work->count = 1;
    work->lanes[0].offset = (uint8_t)(access->address % LINE_BYTES);
    work->lanes[0].b[0] = value;
}

/* -- replies -- */

void memory_port_take(MemoryPort *port, Request *reply, Cycle now)
{
    /* Replies enter one after the other, so the list is in the order of its times. */
    const Cycle start = crossbar_in_free(port->crossbar, TO_SM, reply->sm, now);
    const Cycle end = crossbar_take(port->crossbar, TO_SM, reply, start);
    VEC_PUSH(&port->replies, ((EnteringReply){reply, end}));
}

/* One piece of an access is back. */
static void end_request(MemoryPort *port, Request *request, Cycle now)
{
    if (request->ask) {
        port_cache_take(port, request, now);
        return;
    }
    AccessRecord *record = &port->records.items[request->ticket];
    const uint32_t ticket = request->ticket;
    const MemoryAccess access = record->access; /* what is called may make the table grow */
    if (request->kind == REQUEST_LOAD && request->place) {
        unsigned begin, end;
        const uint64_t sector = request->line + (uint64_t)__builtin_ctz(request->sectors) * SECTOR_BYTES;
        part_in_piece(port, &access, sector & ~(uint64_t)(port->piece_bytes - 1), &begin, &end);
        memcpy(access.data + (request->line + begin - access.address), request->data + begin, end - begin);
    }
    if (request->moves && line_guard_leave(port->guard, request->line) && port->send_when == CYCLE_NEVER)
        port->send_when = now;
    memory_port_free_request(port, request);
    if (--record->left)
        return;
    /* Free before the caller hears of it, which may begin the next access at once. */
    record->next_free = port->free_record;
    port->free_record = ticket;
    port->live--;
    if (access.done)
        access.done(access.context, access.tag, now);
}

static Cycle next_reply(const MemoryPort *port)
{
    return port->first_reply < port->replies.count ? port->replies.items[port->first_reply].time
                                                   : CYCLE_NEVER;
}

static void end_requests(MemoryPort *port, Cycle now)
{
    while (next_reply(port) <= now)
        end_request(port, port->replies.items[port->first_reply++].request, now);
    /* An empty list begins again, so it does not grow with the run. */
    if (port->first_reply == port->replies.count)
        port->first_reply = port->replies.count = 0;
}

/* -- time -- */

/* Chooses the way of a request for memory that may move; false: it has to wait until others are back. */
static bool choose_way(MemoryPort *port, Request *request, Cycle now)
{
    bool is_here;
    if (!port->guard)
        port->guard = xcalloc(1, sizeof *port->guard);
    if (!line_guard_choose(port->guard, &port->crossbar->route, port->owner, request, now, &is_here))
        return false;
    if (is_here)
        request->slice = interleave_slice(&port->interleave, request->line);
    return true;
}

/* Where the crossbar cannot say when a credit comes, it is asked again when the next window begins. */
static void send(MemoryPort *port, Cycle now, Cycle end)
{
    while (port->outgoing.first) {
        Request *request = port->outgoing.first;
        if (request->moves == MOVES_WAITS && !choose_way(port, request, now)) {
            port->send_when = CYCLE_NEVER; /* with a reply */
            return;
        }
        const Cycle when = crossbar_when(port->crossbar, TO_SLICE, request->sm, request->slice, now);
        port->send_when = when == CYCLE_NEVER ? end : when;
        if (port->send_when > now)
            return;
        const uint32_t to = route_shard(&port->crossbar->route, &port->interleave, port->config->sm_count,
                                        request->slice);
        request_list_pop(&port->outgoing);
        crossbar_send(port->crossbar, TO_SLICE, request, port->owner, to, now);
    }
}

void memory_port_advance(MemoryPort *port, Cycle now, Cycle end)
{
    if (!port)
        return;
    end_requests(port, now);
    if (port->cache)
        port_cache_advance(port, now);
    if (port->outgoing.first && port->send_when <= now)
        send(port, now, end);
}

Cycle memory_port_next(const MemoryPort *port)
{
    if (!port)
        return CYCLE_NEVER;
    Cycle reply = next_reply(port);
    if (port->cache)
        reply = clock_earlier(reply, port_cache_next(port->cache));
    return port->outgoing.first && port->send_when < reply ? port->send_when : reply;
}
