/* The load/store unit: accesses come in through the hook, become records, and are worked off in order.
 *
 * An access that issues becomes a record (LsuOp) in the way of its memory: global.c, store.c, local.c and so
 * on. An instruction whose lanes are in several spaces is one access for each. Records wait in the queue and
 * are worked off a line or a bank pass a cycle; whose turn it is says turn.c. `free` is the first cycle in
 * which the unit can take the next one, so an instruction that is alone in the queue starts in the cycle in
 * which it issues. What waits for something else (an MSHR, room towards the crossbar) starts when it is let,
 * and holds up all behind it.
 *
 * Requests leave in the order in which they were made; the first that finds no credit holds up the others.
 * Replies enter one after the other, and do their work when their last flit is in. A record is done when its
 * last sector or reply has come; with the last record of an instruction its registers are announced. */
#include "exec/shared_copies.h"
#include "sm/context_engine.h"
#include "sm/lsu/unit.h"
#include "sm/stages.h"

/* -- records -- */

LsuOp *lsu_new_record(const Handover *handover, OpKind kind)
{
    Lsu *lsu = handover->lsu;
    const Step *step = handover->step;
    LsuOp *op = lsu_new_op(lsu);
    op->whole = op;
    op->accesses_left = 1;
    op->kind = (uint8_t)kind;
    op->warp = (uint8_t)step->issue->warp;
    op->has_turn = false;
    op->turn = 0;
    op->has_registers = op->acquires = false;
    op->issued = lsu->sm->now;
    op->started = CYCLE_NEVER;
    op->ready = 0;
    op->least_cycles = lsu->lane_cycles;
    op->extra_latency = 0;
    op->timing = step->issue->insn;
    op->threads = step->warp;
    op->insn = step->insn;
    op->frame = (uint32_t)(step->frame - step->warp->frames.items); /* frames may move */
    op->access.kind = handover->access->kind;
    op->access.space = handover->access->space;
    op->access.mask = handover->access->mask;
    return op;
}

void lsu_announce(const Handover *handover, LsuOp *op, Wait wait)
{
    Issue *issue = handover->step->issue;
    op->has_registers = true;
    if (issue->record) {
        op->whole = issue->record;
        op->whole->accesses_left++;
    } else {
        issue->record = op;
    }
    if (!issue->is_pending || wait == WAIT_MEMORY) /* the longer wait names the reason */
        issue->wait = (uint8_t)wait;
    issue->is_pending = true;
}

LsuOp *lsu_known_later(const Handover *handover, Cycle ready, Wait wait)
{
    Lsu *lsu = handover->lsu;
    LsuOp *op = lsu_new_record(handover, OP_KNOWN);
    op->ready = ready;
    lsu_announce(handover, op, wait);
    op->next = NULL;
    *(lsu->known ? &lsu->last_known->next : &lsu->known) = op;
    lsu->last_known = op;
    lsu->sm->lsu_touched = true;
    return op;
}

void lsu_acquire(const Handover *handover, LsuOp *op)
{
    op->acquires = handover->step->insn->aux & AUX_ACQUIRE;
    if (op->acquires)
        handover->lsu->sm->acquiring |= (WarpSet)1 << op->warp;
}

void lsu_enqueue(Lsu *lsu, LsuOp *op)
{
    op->next = NULL;
    lsu->sm->lsu_touched = true;
    *(lsu->head ? &lsu->tail->next : &lsu->head) = op;
    lsu->tail = op;
    if (lsu->turn_count > 1) {
        lsu->queued_sends += op->kind == OP_SEND;
        lsu->queued_passes += op->kind == OP_PASSES;
        lsu_note_lines(op);
    }
    if (++lsu->queued == lsu->config->lsu_queue)
        lsu->statistics.queue_full++;
    lsu_set_full(lsu);
}

/* -- the hook -- */

static void carry_space(const Handover *handover)
{
    switch ((Space)handover->access->space) {
    case SPACE_SHARED:
        lsu_carry_shared(handover);
        break;
    case SPACE_LOCAL:
        lsu_carry_local(handover);
        break;
    case SPACE_GLOBAL:
        lsu_carry_global(handover);
        break;
    default:
        lsu_carry_constant(handover);
        break;
    }
}

/* The lanes that are in `space`; the others repeat one of them. */
static void carry_part(const Handover *handover, Space space)
{
    AccessLanes lanes;
    Access part = *handover->access;
    access_set_lanes(&part, &lanes);
    part.mask = 0;
    for (Mask rest = handover->access->mask; rest; rest &= rest - 1)
        if (handover->access->lane_space[mask_first(rest)] == space)
            part.mask |= rest & -rest;
    if (!part.mask)
        return;
    const unsigned first = mask_first(part.mask);
    for (unsigned lane = 0; lane < handover->lsu->width; lane++) {
        const unsigned from = part.mask >> lane & 1 ? lane : first;
        part.address[lane] = handover->access->address[from];
        part.place[lane] = handover->access->place[from];
    }
    part.space = (uint8_t)space;
    carry_space(&(Handover){handover->lsu, handover->step, &part, handover->perform});
}

static void carry_parts(const Handover *handover)
{
    for (unsigned space = 0; space <= SPACE_PARAM; space++)
        carry_part(handover, (Space)space);
}

int lsu_carry_out(Step *step, Access *access, SecondPhase *perform)
{
    Sm *sm = step->warp->block->launch->machine->owner;
    const Handover handover = {sm->lsu, step, access, perform};
    if (step->warp->block->launch->watch)
        watch_issue(sm, step, access);
    if (step->warp->block->launch->tracks_copies)
        shared_copies_note(step, access);
    switch ((AccessKind)access->kind) {
    case ACCESS_COMMIT:
        lsu_copy_mark(sm->lsu, step->issue->warp);
        break;
    case ACCESS_WAIT:
        lsu_copy_wait(sm->lsu, step->issue->warp, access->part);
        break;
    case ACCESS_SYNC:
        lsu_copy_arrive(&handover);
        break;
    case ACCESS_TEXTURE:
        lsu_carry_texture(&handover);
        break;
    default:
        if (access->space != SPACE_GENERIC)
            carry_space(&handover);
        else
            carry_parts(&handover);
        break;
    }
    return STEP_NEXT;
}

/* -- requests out -- */

Request *lsu_new_request(Lsu *lsu, RequestKind kind, const AccessLine *line)
{
    Request *request = lsu_take_request(lsu);
    const uint32_t owner = route_slice(&lsu->sm->crossbar->route, &lsu->interleave, line->line);
    const bool is_away = owner == lsu->sm->crossbar->route.hub;
    request->line = line->line;
    request->place = line->place;
    request->sm = lsu->sm->number;
    request->slice = is_away ? owner : interleave_near(&lsu->interleave, owner, lsu->sm->number);
    request->kind = (uint8_t)kind;
    request->is_context = request->is_foreign = request->has_data = false;
    request->joined = (RequestList){0};
    request->leads = request->has_joined = false;
    request->moves = is_away && route_home(&lsu->sm->crossbar->route, line->line) == HOME_MOVES
                         ? MOVES_WAITS
                         : MOVES_NOT;
    request->ask = ASK_NOTHING;
    request->strength = REQUEST_WEAK;
    request->sectors = line->sectors;
    request->written[0] = request->written[1] = 0;
    request->atomic = NULL;
    request->carried = NULL;
    request->next = NULL;
    return request;
}

/* Chooses the way of a request for memory that may move; false: it has to wait until others are back. */
static bool choose_way(Lsu *lsu, Request *request, Cycle now)
{
    bool is_here;
    if (!lsu->guard)
        lsu->guard = memset(arena_alloc(&lsu->arena, sizeof *lsu->guard), 0, sizeof *lsu->guard);
    if (!line_guard_choose(lsu->guard, &lsu->sm->crossbar->route, &lsu->sm->shard, request, now, &is_here))
        return false;
    if (is_here)
        request->slice = interleave_near(&lsu->interleave, interleave_slice(&lsu->interleave, request->line),
                                         lsu->sm->number);
    return true;
}

/* When the request's address is known to the crossbar. */
static Cycle translated(Lsu *lsu, const Request *request, Cycle now)
{
    const uint32_t walks = lsu->walks.count;
    const Cycle when = walks_when(&lsu->walks, request->line, now);
    lsu->statistics.page_walks += lsu->walks.count - walks;
    return when;
}

/* Sends what the crossbar takes now. */
static void send(Lsu *lsu, Cycle now)
{
    Sm *sm = lsu->sm;
    while (lsu->outgoing.first) {
        Request *request = lsu->outgoing.first;
        if (request->moves == MOVES_WAITS && !choose_way(lsu, request, now)) {
            lsu->send_when = CYCLE_NEVER; /* with a reply */
            return;
        }
        const Cycle when = crossbar_when(sm->crossbar, TO_SLICE, sm->number, request->slice, now);
        if (when > now) {
            lsu->send_when = when == CYCLE_NEVER ? LSU_ASK_AGAIN : when;
            return;
        }
        request_list_pop(&lsu->outgoing);
        const uint32_t to =
            route_shard(&sm->crossbar->route, &lsu->interleave, lsu->config->sm_count, request->slice);
        crossbar_send_from(sm->crossbar, TO_SLICE, request, &sm->shard, to, now,
                           translated(lsu, request, now));
        lsu->statistics.requests += !request->is_context;
        lsu->outgoing_contexts -= request->is_context;
    }
}

static void push(Lsu *lsu, Request *request, Cycle now)
{
    const bool is_first = !lsu->outgoing.first;
    request_list_append(&lsu->outgoing, request);
    if (is_first)
        send(lsu, now);
}

void lsu_send_on(Lsu *lsu, Request *request, Cycle now)
{
    push(lsu, request, now);
    lsu->statistics.send_waits += lsu->outgoing.first != NULL;
}

void lsu_push_request(Lsu *lsu, Request *request, Cycle now)
{
    if (lsu->gathering.count)
        lsu_let_stores_go(lsu, request->line, now);
    lsu_send_on(lsu, request, now);
}

void lsu_push_context(Lsu *lsu, Request *request, Cycle now)
{
    lsu->outgoing_contexts++;
    push(lsu, request, now);
}

bool lsu_asks(const Lsu *lsu) { return lsu->outgoing.first && lsu->send_when == LSU_ASK_AGAIN; }

/* -- replies in -- */

void lsu_take(Lsu *lsu, Request *reply, Cycle now)
{
    Sm *sm = lsu->sm;
    const Cycle start = crossbar_in_free(sm->crossbar, TO_SM, sm->number, now);
    const Cycle end = crossbar_take(sm->crossbar, TO_SM, reply, start);
    if (lsu->first_reply == lsu->replies.count)
        sm->lsu_reply = end;
    VEC_PUSH(&lsu->replies, ((EnteringReply){reply, end}));
}

void lsu_deliver(Lsu *lsu, Cycle now)
{
    lsu->sm->lsu_touched = true;
    while (lsu->first_reply < lsu->replies.count) {
        const EnteringReply reply = lsu->replies.items[lsu->first_reply];
        lsu->sm->lsu_reply = reply.time;
        if (reply.time > now)
            return;
        lsu->first_reply++;
        lsu_reply(lsu, reply.request, now);
    }
    lsu->first_reply = lsu->replies.count = 0;
    lsu->sm->lsu_reply = CYCLE_NEVER;
}

void lsu_reply(Lsu *lsu, Request *request, Cycle now)
{
    if (request->moves && line_guard_leave(lsu->guard, request->line) && lsu->send_when == CYCLE_NEVER)
        lsu->send_when = now;
    if (request->ask) {
        lsu_take_grant(lsu, request, now);
        return;
    }
    if (request->is_context)
        context_engine_reply(lsu->contexts, request);
    else if (request->kind == REQUEST_LOAD)
        lsu_loaded(lsu, request);
    else if (request->kind == REQUEST_ATOMIC && request->atomic->returns)
        lsu_atomic_done(lsu, request, now);
    else
        request = lsu_answer_stores(lsu, request);
    lsu_free_request(lsu, request);
}

/* -- the end of an access -- */

void lsu_perform(Lsu *lsu, LsuOp *op)
{
    Step step;
    step.warp = op->threads;
    step.frame = &op->threads->frames.items[op->frame];
    step.insn = op->insn;
    step.mask = op->access.mask;
    op->perform(&step, &op->access);
    if (lsu->sm->error.status != WB_OK)
        sm_fail(lsu->sm, op->warp);
}

void lsu_finish(Lsu *lsu, LsuOp *op, Cycle ready)
{
    LsuOp *whole = op->whole;
    ready += op->extra_latency + op->timing->tail;
    if (op->acquires) {
        lsu_invalidate(lsu);
        lsu->sm->acquiring &= ~((WarpSet)1 << op->warp);
    }
    if (op->access.kind == ACCESS_COPY) {
        lsu_copy_ends(lsu, op);
        stores_visible(lsu->sm, op->warp);
    }
    whole->ready = clock_later(whole->ready, ready);
    if (op != whole)
        lsu_free_op(lsu, op);
    if (--whole->accesses_left)
        return;
    if (whole->has_registers)
        scoreboard_arrived(lsu->sm, whole->warp, whole->timing, whole->ready);
    lsu_free_op(lsu, whole);
}

static void finish_known(Lsu *lsu)
{
    while (lsu->known) {
        LsuOp *op = lsu->known;
        lsu->known = op->next;
        lsu_finish(lsu, op, op->ready);
    }
}

/* -- time -- */

/* The unit takes at least as long as the addresses of the lanes do. */
static void leave_queue(Lsu *lsu, const LsuOp *op)
{
    LsuOp *before = NULL, *at = lsu->head;
    while (at != op)
        before = at, at = at->next;
    *(before ? &before->next : &lsu->head) = op->next;
    if (lsu->tail == op)
        lsu->tail = before;
    lsu->queued--;
    if (lsu->turn_count > 1) {
        lsu->queued_sends -= op->kind == OP_SEND;
        lsu->turns[op->turn].op = NULL;
    }
    lsu_set_full(lsu);
    lsu->free = clock_later(lsu->free, op->started + op->least_cycles);
}

/* All passes of shared memory. Those of another access that has a turn go between. */
static void pass_banks(Lsu *lsu, LsuOp *op, Cycle start)
{
    const Cycle apart = lsu->turn_count, after = start + op->passes * apart;
    const Cycle last = op->passes ? after - apart : start - 1;
    op->started = start;
    lsu->free = apart == 1 ? after : start + (op->passes != 0);
    lsu->turns[op->turn].next = after;
    leave_queue(lsu, op);
    lsu_finish(lsu, op, last + lsu->config->shared_latency);
}

/* One step of an access. Returns null, or the counter of what it has to wait for. */
static uint64_t *work(Lsu *lsu, LsuOp *op, Cycle start, Cycle now)
{
    if (op->kind == OP_PASSES) {
        pass_banks(lsu, op, start);
        return NULL;
    }
    const bool loads = op->kind == OP_LOAD;
    uint64_t *waits_for = loads ? lsu_load_line(lsu, op, start, now) : lsu_send_line(lsu, op, start, now);
    if (waits_for)
        return waits_for;
    op->started = op->started == CYCLE_NEVER ? start : op->started;
    if (loads ? op->load.next_line < op->load.line_count : op->send.requests != NULL)
        return NULL;
    leave_queue(lsu, op);
    if (loads ? !op->load.sectors_left : !op->send.replies_left)
        lsu_finish(lsu, op, op->ready);
    return NULL;
}

/* How the head's attempt ended; the time that it waited before is counted. */
static void set_blocked(Lsu *lsu, uint64_t *waits_for, Cycle now)
{
    lsu_account_blocked(lsu, now);
    lsu->blocked_by = waits_for;
    lsu->blocked_since = now;
}

Cycle lsu_advance(Lsu *lsu, Cycle now)
{
    finish_known(lsu);
    Cycle next = lsu->first_answer < lsu->answers.count ? lsu_send_answers(lsu, now) : CYCLE_NEVER;
    if (lsu->gathering.count)
        lsu_let_gathered_go(lsu, now);
    if (lsu->outgoing.first && (lsu->send_when <= now || lsu->send_when == LSU_ASK_AGAIN))
        send(lsu, now);
    while (lsu->head) {
        Cycle start; /* if in future there may be no access yet */
        LsuOp *op = lsu_choose(lsu, now, &start);
        if (start > now) {
            next = clock_earlier(next, start);
            break;
        }
        uint64_t *waits_for = work(lsu, op, start, now);
        if (waits_for || lsu->blocked_by)
            set_blocked(lsu, waits_for, now);
        if (waits_for)
            break;
    }
    if (lsu->contexts)
        next = clock_earlier(next, context_engine_advance(lsu->contexts, now));
    if (lsu->gathering.count)
        next = clock_earlier(next, lsu->gathering.first->leaves);
    return lsu->outgoing.first ? clock_earlier(lsu->send_when, next) : next;
}
