/* Whose turn it is in the load/store unit's queue.
 *
 * Where lsu_pass_interval is n > 1, n accesses of different warps take turns in the unit. Each gets a pass (a
 * line, or shared memory's banks once) every n cycles, so that a lone warp has a pass every n cycles, and
 * several have one in every cycle. Lines that miss are sent on at once and give their turn back. Whoever has
 * a turn keeps it to the end; then accesses to shared memory go before others, and older ones before younger
 * ones. The accesses of a warp stay in order.
 *
 * What a barrier has put in order must stay so, too: none overtakes an older one that touches the same line,
 * unless both are loads. */
#include "sm/lsu/unit.h"

/* -- what must stay in order -- */

static uint64_t bit_of(uint64_t line) { return 1ull << ((line / LINE_BYTES * 0x9E3779B97F4A7C15u) >> 58); }

void lsu_note_lines(LsuOp *op)
{
    op->line_bits = 0;
    if (op->kind == OP_LOAD)
        for (uint32_t i = 0; i < op->load.line_count; i++)
            op->line_bits |= bit_of(op->load.lines[i].line);
    if (op->kind == OP_SEND)
        for (const Request *request = op->send.requests; request; request = request->next)
            op->line_bits |= bit_of(request->line);
}

static bool touches(const LsuOp *op, uint64_t line)
{
    if (!(op->line_bits & bit_of(line)))
        return false;
    if (op->kind == OP_LOAD)
        for (uint32_t i = op->load.next_line; i < op->load.line_count; i++)
            if (op->load.lines[i].line == line)
                return true;
    if (op->kind == OP_SEND)
        for (const Request *request = op->send.requests; request; request = request->next)
            if (request->line == line)
                return true;
    return false;
}

static bool share_a_line(const LsuOp *older, const LsuOp *op)
{
    if (!(older->line_bits & op->line_bits))
        return false;
    if (op->kind == OP_LOAD)
        for (uint32_t i = 0; i < op->load.line_count; i++)
            if (touches(older, op->load.lines[i].line))
                return true;
    if (op->kind == OP_SEND)
        for (const Request *request = op->send.requests; request; request = request->next)
            if (touches(older, request->line))
                return true;
    return false;
}

/* Whether an older access has to go before this one. */
static bool must_follow(const Lsu *lsu, const LsuOp *op)
{
    for (const LsuOp *older = lsu->head; older != op; older = older->next)
        if ((op->kind == OP_SEND || older->kind == OP_SEND) && share_a_line(older, op))
            return true;
    return false;
}

/* -- turns -- */

static bool is_busy(const LsuTurn *turn, Cycle now) { return turn->op || turn->next > now; }

/* The access that gets a turn that is free; null: none can. */
static LsuOp *next_to_serve(const Lsu *lsu, Cycle now)
{
    WarpSet seen = 0;
    for (uint32_t i = 0; i < lsu->turn_count; i++)
        seen |= (WarpSet)is_busy(&lsu->turns[i], now) << lsu->turns[i].warp;
    LsuOp *first = NULL;
    for (LsuOp *op = lsu->head; op && (!first || lsu->queued_passes); op = op->next) {
        const WarpSet warp = (WarpSet)1 << op->warp;
        if (seen & warp || op->has_turn)
            continue;
        seen |= warp;
        if (op->kind == OP_PASSES)
            return op;
        if (!first && !(lsu->queued_sends && must_follow(lsu, op)))
            first = op;
    }
    return first;
}

static void give_turn(Lsu *lsu, LsuTurn *turn, LsuOp *op)
{
    turn->op = op;
    turn->warp = op->warp;
    op->has_turn = true;
    op->turn = (uint8_t)(turn - lsu->turns);
    lsu->queued_passes -= op->kind == OP_PASSES;
}

LsuOp *lsu_choose(Lsu *lsu, Cycle now, Cycle *start)
{
    const Cycle from = lsu->blocked_by ? now : lsu->free;
    if (lsu->turn_count == 1) {
        *start = lsu->blocked_by ? now : clock_later(lsu->head->issued, from);
        return lsu->head;
    }
    LsuOp *best = NULL;
    Cycle since = CYCLE_NEVER; /* when it could have gone on */
    *start = CYCLE_NEVER;
    for (uint32_t i = 0; i < lsu->turn_count; i++) {
        LsuTurn *turn = &lsu->turns[i];
        if (!turn->op && turn->next > now) {
            *start = clock_earlier(*start, turn->next);
            continue;
        }
        LsuOp *op = turn->op ? turn->op : next_to_serve(lsu, now);
        if (!op)
            continue;
        if (!turn->op)
            give_turn(lsu, turn, op);
        const Cycle ready = clock_later(op->issued, turn->next), when = clock_later(ready, from);
        if (when < *start || (when == *start && ready < since))
            best = op, *start = when, since = ready;
    }
    return best;
}
