/* Stores and atomics on global memory.
 *
 * A store's second phase runs when it issues: its bytes go into the requests, one a line, and take effect at
 * the slice. The operands of an atomic travel in its requests, and the old values come back with them.
 * Requests wait in the record until its turn in the queue; each passes the L1 on its way out, so that later
 * loads of the SM find what it wrote, or nothing. */
#include <string.h>

#include "sm/lsu/unit.h"

enum { MAX_LANE_BYTES = 32 };

void lsu_add_request(LsuOp *op, Request *request)
{
    LsuSend *send = &op->send;
    request->ticket = op->warp;
    *(send->requests ? &send->last->next : &send->requests) = request;
    send->last = request;
}

/* -- stores -- */

/* The bytes of all lanes, from where the second phase has put them, into the line's request. */
static void fill_request(const Access *access, const AccessLine *line, const uint8_t *staging,
                         Request *request)
{
    const uint32_t bytes = access->bytes;
    if (access->pattern == PATTERN_CONSECUTIVE) {
        const unsigned first = mask_first(line->lanes), count = (unsigned)__builtin_popcountll(line->lanes);
        const unsigned offset = (unsigned)(access->address[0] + (uint64_t)first * bytes - line->line);
        memcpy(request->data + offset, staging + (size_t)first * bytes, (size_t)count * bytes);
        request_mark_written(request, offset, count * bytes);
        return;
    }
    for (Mask rest = line->lanes; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest), offset = (unsigned)(access->address[lane] - line->line);
        memcpy(request->data + offset, staging + (size_t)lane * bytes, bytes);
        request_mark_written(request, offset, bytes);
    }
}

/* Lets the second phase write to `staging`, lane by lane in a row. */
static void perform_staged(const Handover *handover, uint8_t *staging)
{
    Access *access = handover->access;
    const uint8_t pattern = access->pattern;
    access->place[0] = staging;
    if (access->values)
        access->pattern = PATTERN_CONSECUTIVE;
    else
        for (unsigned lane = 0; lane < handover->lsu->width; lane++)
            access->place[lane] = staging + (size_t)lane * access->bytes;
    handover_perform(handover);
    access->pattern = pattern;
}

/* Lanes in a row or at one place, all in one line, are written where they belong at once. */
static void perform_in_request(const Handover *handover, Request *request)
{
    Access *access = handover->access;
    const unsigned offset = (unsigned)(access->address[0] - request->line);
    const unsigned lanes = access->pattern == PATTERN_UNIFORM ? 1 : handover->lsu->width;
    access->place[0] = request->data + offset;
    handover_perform(handover);
    request_mark_written(request, offset, lanes * access->bytes);
}

static LsuOp *new_send(const Handover *handover)
{
    LsuOp *op = lsu_new_record(handover, OP_SEND);
    op->send = (LsuSend){0};
    return op;
}

void lsu_store(const Handover *handover, const AccessLine *lines, uint32_t count)
{
    Lsu *lsu = handover->lsu;
    WarpSlot *slot = handover_slot(handover);
    Access *access = handover->access;
    _Alignas(64) uint8_t staging[MAX_WIDTH * MAX_LANE_BYTES];
    LsuOp *op = new_send(handover);
    const bool direct = count == 1 && access->values && access->pattern != PATTERN_ANY;
    if (!direct)
        perform_staged(handover, staging);
    for (uint32_t i = 0; i < count; i++) {
        Request *request = lsu_new_request(lsu, REQUEST_STORE, &lines[i]);
        slot->has_stored_far |=
            lsu->config->l2_halves > 1 &&
            request->slice != route_slice(&lsu->sm->crossbar->route, &lsu->interleave, request->line);
        if (direct)
            perform_in_request(handover, request);
        else
            fill_request(access, &lines[i], staging, request);
        lsu_add_request(op, request);
    }
    slot->pending_stores += count;
    lsu->statistics.global_stores++;
    lsu_enqueue(lsu, op);
}

/* -- atomics -- */

/* The lowest `count` lanes of a mask, or all. */
static Mask lowest_lanes(Mask lanes, unsigned count)
{
    Mask rest = lanes;
    for (unsigned i = 0; i < count; i++)
        rest &= rest - 1;
    return lanes & ~rest;
}

void lsu_atomic(const Handover *handover, const AccessLine *lines, uint32_t count)
{
    Lsu *lsu = handover->lsu;
    const Access *access = handover->access;
    LsuOp *op = new_send(handover);
    const bool returns = atomic_returns(handover->step);
    uint32_t requests = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (Mask rest = lines[i].lanes; rest; requests++) {
            const Mask together = lsu->coherent ? lsu_lanes_of_unit(lsu, access, rest) : rest;
            const Mask lanes = lowest_lanes(together, REQUEST_LANES / access->vector);
            Request *request = lsu_new_request(lsu, REQUEST_ATOMIC, &lines[i]);
            request->atomic = lsu_new_atomic(lsu, (uint32_t)__builtin_popcountll(lanes) * access->vector);
            atomic_work_fill(handover->step, access, lanes, request->atomic);
            lsu_add_request(op, request);
            request->ticket = returns ? op->number : op->warp;
            rest &= ~lanes;
        }
    }
    if (returns) {
        op->send.replies_left = requests;
        lsu_acquire(handover, op);
        lsu_announce(handover, op, WAIT_MEMORY);
    } else {
        handover_slot(handover)->pending_stores += requests;
    }
    lsu->statistics.global_atomics++;
    lsu_enqueue(lsu, op);
}

void lsu_take_old(LsuOp *op, const Request *request)
{
    Step step;
    step.warp = op->threads;
    step.frame = &op->threads->frames.items[op->frame];
    step.insn = op->insn;
    step.mask = op->access.mask;
    atomic_work_deliver(&step, request->atomic);
    op->send.replies_left--;
}

void lsu_atomic_done(Lsu *lsu, const Request *request, Cycle now)
{
    LsuOp *op = lsu->ops.items[request->ticket];
    lsu_take_old(op, request);
    if (!op->send.replies_left)
        lsu_finish(lsu, op, now + lsu->config->l1_fill_latency);
}

/* -- their turn in the queue -- */

uint64_t *lsu_send_line(Lsu *lsu, LsuOp *op, Cycle start, Cycle now)
{
    if (lsu->coherent)
        return lsu_send_unit(lsu, op, start, now);
    Request *request = op->send.requests;
    if (!lsu_can_send(lsu))
        return &lsu->statistics.send_full_cycles;
    op->send.requests = request->next;
    Cycle cycles = lsu->config->l1_send_line;
    if (request->kind == REQUEST_ATOMIC) {
        l1_atomic(&lsu->l1, request->line, request->sectors);
    } else {
        const bool is_local = op->access.space == SPACE_LOCAL; /* whose bytes are elsewhere */
        l1_store(&lsu->l1, request->line, request->sectors, request->written,
                 is_local ? NULL : request->data);
        cycles = clock_later(cycles, lsu_data_cycles(lsu, request->sectors));
    }
    /* Its beginning counts with its last line, which leaves no sooner for it. */
    lsu->free = start + cycles + (request->next ? 0 : lsu->config->l1_send_begin);
    lsu->turns[op->turn].next = lsu->free;
    if (request->kind == REQUEST_STORE || !request->atomic->returns)
        request->ticket = stores_sent(lsu->sm, op->warp);
    if (request->kind == REQUEST_STORE && !lsu->sm->stored_sectors)
        lsu->sm->stored_sectors = whole_sectors(request->written) != 0;
    if (request->kind == REQUEST_STORE)
        lsu_gather(lsu, request, now);
    else
        lsu_push_request(lsu, request, now);
    return NULL;
}
