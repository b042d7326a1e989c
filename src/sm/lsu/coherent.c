/* The load/store unit where L1s are coherent (knob l1_coherence): loads, stores and atomics are done in the
 * L1, each unit of coherence for itself, as soon as the L1 may (mem/coherent.h).
 *
 * A store is visible to everybody when it is done, so it is confirmed then. Those that wait for their unit
 * keep their requests, which carry the bytes or the operands and never leave the SM; what travels are the
 * requests of the L1 for units, write-backs, and answers to the directory's probes. */
#include "mem/l2.h"
#include "sm/lsu/unit.h"

/* -- requests of the L1 -- */

static void send_ask(Lsu *lsu, const CoherentAsk *ask, Cycle now)
{
    const AccessLine line = {.line = ask->unit & ~(uint64_t)(LINE_BYTES - 1)};
    Request *request = lsu_new_request(lsu, REQUEST_LOAD, &line);
    coherent_fill_request(lsu->config, ask, request);
    lsu_push_request(lsu, request, now);
}

void lsu_resize_coherent(Lsu *lsu, uint64_t bytes)
{
    CoherentAsk leaves;
    while (coherent_take_changed(lsu->coherent, &leaves))
        send_ask(lsu, &leaves, lsu->sm->now);
    coherent_resize(lsu->coherent, bytes);
}

/* The counter of what an access has to wait for; null: it need not. */
static uint64_t *waits_for(Lsu *lsu, CoherentStatus status)
{
    if (status == COHERENT_FULL)
        return &lsu->statistics.mshr_full_cycles;
    return status == COHERENT_CANNOT_SEND ? &lsu->statistics.send_full_cycles : NULL;
}

/* Those of the sectors that are in the first one's unit; sets the unit. */
static uint8_t first_unit(const Lsu *lsu, uint64_t line, uint8_t sectors, uint64_t *unit)
{
    *unit = coherent_unit_at(lsu->config, line, (unsigned)__builtin_ctz(sectors));
    return sectors & coherent_sectors(lsu->config, *unit);
}

/* -- loads -- */

uint64_t *lsu_load_unit(Lsu *lsu, LsuOp *op, Cycle start, Cycle now)
{
    LsuLoad *load = &op->load;
    const AccessLine *line = &load->lines[load->next_line];
    CoherentAccess access = {.can_send = lsu_can_send(lsu), .owner = op, .index = load->next_line};
    access.sectors = first_unit(lsu, line->line, line->sectors & (uint8_t)~load->looked_up, &access.unit);
    CoherentAsk ask;
    const CoherentStatus status = coherent_access(lsu->coherent, &access, &ask);
    uint64_t *counter = waits_for(lsu, status);
    if (counter)
        return counter;
    const Cycle cycles = lsu_data_cycles(lsu, access.sectors);
    lsu->free = start + cycles;
    load->looked_up |= access.sectors;
    if (load->looked_up == line->sectors) {
        load->next_line++;
        load->looked_up = 0;
    }
    if (status == COHERENT_HIT) {
        lsu_take_sectors(lsu, op, access.index, line->place, access.sectors);
        op->ready = clock_later(op->ready, start + cycles - 1 + lsu->config->l1_latency);
    } else if (status == COHERENT_MISS) {
        send_ask(lsu, &ask, now);
    }
    return NULL;
}

static void perform_load(Lsu *lsu, const CoherentAccess *access)
{
    LsuOp *op = access->owner;
    lsu_take_sectors(lsu, op, access->index, op->load.lines[access->index].place, access->sectors);
    if (!op->load.sectors_left)
        lsu_finish(lsu, op, clock_later(op->ready, lsu->sm->now + lsu->config->l1_fill_latency));
}

/* -- stores and atomics -- */

Mask lsu_lanes_of_unit(const Lsu *lsu, const Access *access, Mask lanes)
{
    const uint64_t keep = ~(lsu->config->coherence_bytes - 1);
    const uint64_t unit = access->address[mask_first(lanes)] & keep;
    Mask together = 0;
    for (Mask rest = lanes; rest; rest &= rest - 1)
        if ((access->address[mask_first(rest)] & keep) == unit)
            together |= rest & -rest;
    return together;
}

/* An atomic touches one unit, that of its first lane. */
static uint8_t atomic_sectors(const Request *request)
{
    uint8_t sectors = 0;
    for (uint32_t i = 0; i < request->atomic->count; i++)
        sectors |= (uint8_t)(1u << request->atomic->lanes[i].offset / SECTOR_BYTES);
    return sectors;
}

/* Cycles that the L1 takes for it: atomics as the L2 would, stores as their bytes need. */
static Cycle write_cycles(const Lsu *lsu, const Request *request, uint8_t sectors)
{
    if (request->kind == REQUEST_ATOMIC)
        return (l2_writing_time(lsu->config, request, false) + 99) / 100;
    return lsu_data_cycles(lsu, sectors);
}

/* Does the store's part in the sectors, or the atomic; whether all of the request is done. */
static bool write_sectors(Request *request, uint8_t sectors)
{
    const uint8_t all = request->sectors;
    request->sectors = sectors;
    if (request->place && request->kind == REQUEST_ATOMIC)
        atomic_work_perform(request->atomic, request->place);
    else if (request->place)
        l2_store_bytes(request, request->place);
    request->sectors = all & (uint8_t)~sectors;
    return !request->sectors;
}

static bool returns_values(const Request *request)
{
    return request->kind == REQUEST_ATOMIC && request->atomic->returns;
}

/* All units of the head's first request are looked up: the next one's turn comes. */
static void leave_record(Lsu *lsu, LsuOp *op, Request *request)
{
    op->send.requests = request->next;
    op->send.looked_up = 0;
    lsu->coherent->statistics.atomics += request->kind == REQUEST_ATOMIC;
    if (!returns_values(request))
        request->ticket = stores_sent(lsu->sm, op->warp);
}

uint64_t *lsu_send_unit(Lsu *lsu, LsuOp *op, Cycle start, Cycle now)
{
    Request *request = op->send.requests;
    if (request->kind == REQUEST_ATOMIC)
        request->sectors = atomic_sectors(request);
    CoherentAccess access = {.writes = true, .can_send = lsu_can_send(lsu), .owner = request};
    access.sectors =
        first_unit(lsu, request->line, request->sectors & (uint8_t)~op->send.looked_up, &access.unit);
    CoherentAsk ask;
    const CoherentStatus status = coherent_access(lsu->coherent, &access, &ask);
    uint64_t *counter = waits_for(lsu, status);
    if (counter)
        return counter;
    const Cycle cycles = write_cycles(lsu, request, access.sectors);
    const bool is_done = status == COHERENT_HIT && write_sectors(request, access.sectors);
    lsu->free = start + cycles;
    op->send.looked_up |= access.sectors;
    if (status == COHERENT_MISS)
        send_ask(lsu, &ask, now);
    if (request->sectors & (uint8_t)~op->send.looked_up)
        return NULL;
    leave_record(lsu, op, request);
    if (!is_done)
        return NULL;
    if (returns_values(request)) {
        lsu_take_old(op, request);
        op->ready = clock_later(op->ready, start + cycles - 1 + lsu->config->l1_latency);
    } else {
        stores_confirmed(lsu->sm, request->ticket);
    }
    lsu_free_request(lsu, request);
    return NULL;
}

static void perform_write(Lsu *lsu, const CoherentAccess *access)
{
    Request *request = access->owner;
    const Cycle now = lsu->sm->now, cycles = write_cycles(lsu, request, access->sectors);
    lsu->free = clock_later(lsu->free, now) + cycles;
    if (!write_sectors(request, access->sectors))
        return;
    if (returns_values(request))
        lsu_atomic_done(lsu, request, now + cycles - 1);
    else
        stores_confirmed(lsu->sm, request->ticket);
    lsu_free_request(lsu, request);
}

/* -- what comes -- */

static void perform(void *context, const CoherentAccess *access)
{
    if (access->writes)
        perform_write(context, access);
    else
        perform_load(context, access);
}

void lsu_take_grant(Lsu *lsu, Request *request, Cycle now)
{
    if (request->kind == REQUEST_PROBE) {
        coherent_probe(lsu->coherent, request);
        VEC_PUSH(&lsu->answers, ((EnteringReply){request, now + lsu->config->l1_probe_latency}));
        return;
    }
    CoherentGrant grant = {.unit = coherent_unit_of(lsu->config, request), .state = request->state};
    const bool has_left = request->ask == ASK_LEAVE;
    lsu_free_request(lsu, request);
    if (has_left) {
        coherent_left(lsu->coherent, grant.unit);
        return;
    }
    coherent_granted(lsu->coherent, &grant, perform, lsu);
    if (grant.leaves)
        send_ask(lsu, &grant.victim, now);
    if (grant.asks)
        send_ask(lsu, &grant.again, now);
}

Cycle lsu_send_answers(Lsu *lsu, Cycle now)
{
    Sm *sm = lsu->sm;
    while (lsu->first_answer < lsu->answers.count) {
        const EnteringReply answer = lsu->answers.items[lsu->first_answer];
        const Cycle free = crossbar_when_answer(sm->crossbar, sm->number, now);
        if (answer.time > now || free > now)
            return clock_later(answer.time, free);
        lsu->first_answer++;
        const uint32_t channel = interleave_channel(&lsu->interleave, answer.request->slice);
        crossbar_send(sm->crossbar, TO_SLICE, answer.request, &sm->shard,
                      (uint32_t)lsu->config->sm_count + channel, now);
    }
    lsu->first_answer = lsu->answers.count = 0;
    return CYCLE_NEVER;
}
