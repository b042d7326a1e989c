/* The scoreboard: a short list of registers per warp whose values are on their way.
 *
 * An instruction enters its results when it issues. Those of arithmetic have a time from the start. Those of
 * memory instructions are entered without one; it comes from the load/store unit and wakes warps that wait
 * for it.
 *
 * Most instructions need nothing that is pending; the filter tells that without looking at the list.
 * Entries whose time has come are dropped when the list is looked at.
 *
 * A result reaches instructions of its own pipe first, and others pipe_crossing cycles later; the list
 * holds the later time. */
#include "sm/lsu/lsu.h"
#include "sm/stages.h"

static void remove_passed(Scoreboard *board, Cycle now)
{
    uint32_t kept = 0;
    uint64_t filter = 0;
    for (uint32_t i = 0; i < board->count; i++) {
        const ScoreboardEntry entry = board->entries[i];
        if (entry.time <= now)
            continue;
        board->entries[kept++] = entry;
        filter |= (uint64_t)1 << (entry.reg & 63);
    }
    board->count = kept;
    board->filter = filter;
}

/* When the entry is there for the instruction. Predicates and folded instructions know no crossing. */
static Cycle seen_by(const Scoreboard *board, const ScoreboardEntry *entry, const InsnTiming *insn)
{
    const bool near = entry->pipe == insn->pipe || !insn->slots || entry->reg >= FIRST_PREDICATE;
    return near && entry->time != CYCLE_NEVER ? entry->time - board->crossing : entry->time;
}

static bool needs(const InsnTiming *insn, uint16_t reg)
{
    for (uint32_t i = 0; i < (uint32_t)insn->write_count + insn->read_count; i++)
        if (insn->registers[i] == reg)
            return true;
    return false;
}

Cycle scoreboard_search(WarpSlot *slot, const InsnTiming *insn, Cycle from, Wait *wait)
{
    Scoreboard *board = &slot->board;
    Cycle when = from;
    uint32_t kept = 0;
    uint64_t filter = 0;
    for (uint32_t i = 0; i < board->count; i++) {
        const ScoreboardEntry entry = board->entries[i];
        if (entry.time <= from)
            continue;
        const uint64_t bit = (uint64_t)1 << (entry.reg & 63);
        board->entries[kept++] = entry;
        filter |= bit;
        if (!(insn->filter & bit))
            continue;
        const Cycle time = seen_by(board, &entry, insn);
        if (time > when && needs(insn, entry.reg)) {
            when = time;
            *wait = (Wait)entry.wait;
        }
    }
    board->count = kept;
    board->filter = filter;
    return when;
}

Cycle scoreboard_when_all(WarpSlot *slot, Cycle from, Wait *wait)
{
    Scoreboard *board = &slot->board;
    Cycle when = from;
    remove_passed(board, from);
    for (uint32_t i = 0; i < board->count; i++)
        if (board->entries[i].time > when) {
            when = board->entries[i].time;
            *wait = (Wait)board->entries[i].wait;
        }
    return when;
}

void scoreboard_add(WarpSlot *slot, uint16_t reg, Pipe pipe, Wait wait, Cycle time, Cycle now)
{
    Scoreboard *board = &slot->board;
    if (board->count == SCOREBOARD_ENTRIES)
        remove_passed(board, now);
    board->entries[board->count++] = (ScoreboardEntry){
        .time = time == CYCLE_NEVER ? time : time + board->crossing,
        .reg = reg,
        .wait = (uint8_t)wait,
        .pipe = (uint8_t)pipe,
    };
    board->filter |= (uint64_t)1 << (reg & 63);
}

void scoreboard_set(WarpSlot *slot, const InsnTiming *insn, Cycle time)
{
    Scoreboard *board = &slot->board;
    for (uint32_t i = 0; i < board->count; i++)
        for (uint32_t k = 0; k < insn->write_count; k++)
            if (board->entries[i].reg == insn->registers[k] && board->entries[i].time == CYCLE_NEVER)
                board->entries[i].time = time + board->crossing;
}

void scoreboard_expect(Sm *sm, WarpSlot *slot, const Issue *issue, Cycle ready)
{
    const InsnTiming *insn = issue->insn;
    const bool pending = issue->is_pending;
    slot->pending_ops += pending;
    for (uint32_t i = 0; i < insn->write_count; i++)
        scoreboard_add(slot, insn->registers[i], (Pipe)insn->pipe, pending ? (Wait)issue->wait : WAIT_RESULT,
                       pending ? CYCLE_NEVER : ready, sm->now);
}

void scoreboard_arrived(Sm *sm, uint32_t warp, const InsnTiming *insn, Cycle time)
{
    WarpSlot *slot = &sm->warps[warp];
    scoreboard_set(slot, insn, time);
    if (!--slot->pending_ops && !slot->pending_stores && sm->fencing >> warp & 1)
        fence_stored(sm, warp);
    sm_look_again(sm, warp);
}
