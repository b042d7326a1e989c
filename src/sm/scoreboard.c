/* The scoreboard: a short list of registers per warp whose values are on their way.
 *
 * Most instructions need nothing that is pending; the filter tells that without looking at the list. Entries
 * whose time has come are dropped when the list is looked at. */
#include "sm/stages.h"

static void remove_passed(Scoreboard *board, Cycle now)
{
    uint32_t kept = 0;
    uint64_t filter = 0;
    for (uint32_t i = 0; i < board->count; i++) {
        if (board->time[i] <= now)
            continue;
        board->registers[kept] = board->registers[i];
        board->wait[kept] = board->wait[i];
        board->time[kept] = board->time[i];
        filter |= (uint64_t)1 << (board->registers[i] & 63);
        kept++;
    }
    board->count = kept;
    board->filter = filter;
}

Cycle scoreboard_when(WarpSlot *slot, const InsnTiming *insn, Cycle from, Wait *wait)
{
    Scoreboard *board = &slot->board;
    if (!(board->filter & insn->filter))
        return from;
    remove_passed(board, from);
    Cycle when = from;
    const uint32_t needed = (uint32_t)insn->write_count + insn->read_count;
    for (uint32_t i = 0; i < board->count; i++) {
        if (board->time[i] <= when)
            continue;
        for (uint32_t k = 0; k < needed; k++)
            if (insn->registers[k] == board->registers[i]) {
                when = board->time[i];
                *wait = (Wait)board->wait[i];
                break;
            }
    }
    return when;
}

Cycle scoreboard_when_all(WarpSlot *slot, Cycle from, Wait *wait)
{
    const Scoreboard *board = &slot->board;
    Cycle when = from;
    remove_passed(&slot->board, from);
    for (uint32_t i = 0; i < board->count; i++)
        if (board->time[i] > when) {
            when = board->time[i];
            *wait = (Wait)board->wait[i];
        }
    return when;
}

void scoreboard_add(WarpSlot *slot, uint16_t reg, Wait wait, Cycle time, Cycle now)
{
    Scoreboard *board = &slot->board;
    if (board->count == SCOREBOARD_ENTRIES)
        remove_passed(board, now);
    const uint32_t i = board->count++;
    board->registers[i] = reg;
    board->wait[i] = (uint8_t)wait;
    board->time[i] = time;
    board->filter |= (uint64_t)1 << (reg & 63);
}

void scoreboard_set(WarpSlot *slot, const InsnTiming *insn, Cycle time)
{
    Scoreboard *board = &slot->board;
    for (uint32_t i = 0; i < board->count; i++)
        for (uint32_t k = 0; k < insn->write_count; k++)
            if (board->registers[i] == insn->registers[k] && board->time[i] == CYCLE_NEVER)
                board->time[i] = time;
}
