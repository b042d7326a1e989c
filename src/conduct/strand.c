/* Strands of a rank: collective calls that go on beside it. */
#include "conduct/state.h"

#include <string.h>

Strand *strand_find(const Rank *rank, uint32_t number)
{
    for (uint32_t i = 0; number && i < rank->strands.count; i++)
        if (rank->strands.items[i].number == number)
            return &rank->strands.items[i];
    return NULL;
}

void strand_begin(Rank *rank, const Ask *ask)
{
    VEC_PUSH(&rank->strands, ((Strand){.number = ask->strand, .runs = true, .time = ask->time}));
}

static void remove_strand(Rank *rank, const Strand *strand)
{
    const uint32_t at = (uint32_t)(strand - rank->strands.items);
    rank->strands.count--;
    memmove(rank->strands.items + at, rank->strands.items + at + 1,
            (rank->strands.count - at) * sizeof *rank->strands.items);
}

bool strand_take(Conductor *conductor, uint32_t number, const Ask *ask, const void *tail)
{
    Rank *rank = &conductor->ranks[number];
    Strand *strand = strand_find(rank, ask->strand);
    const bool is_known = ask->kind == ASK_SEND || ask->kind == ASK_RECEIVE || ask->kind == ASK_WAIT_ALL ||
                          ask->kind == ASK_END;
    if (!strand || !strand->runs || !is_known || ask->time < strand->time)
        return false;
    if (ask->kind == ASK_SEND && (ask->peer < 0 || (uint32_t)ask->peer >= conductor->rank_count))
        return false;
    strand->time = ask->time;
    strand->runs = ask->kind != ASK_WAIT_ALL;
    if (ask->kind == ASK_END)
        remove_strand(rank, strand);
    conductor_add_ask(conductor, number, ask, tail, ++rank->strand_asks);
    return true;
}

void strand_answer(Conductor *conductor, uint32_t number, Strand *strand, Answer *answer, const void *tail)
{
    uint8_t *bytes = xmalloc(sizeof *answer + answer->tail);
    answer->strand = strand->number;
    memcpy(bytes, answer, sizeof *answer);
    if (answer->tail)
        memcpy(bytes + sizeof *answer, tail, answer->tail);
    conductor_drop(strand->waiting);
    strand->waiting = NULL;
    strand->runs = true;
    strand->time = answer->time;
    conductor->answer(conductor->context, number, bytes, sizeof *answer + answer->tail);
    xfree(bytes);
}

uint64_t strand_earliest(const Rank *rank)
{
    uint64_t time = TIME_NEVER;
    for (uint32_t i = 0; i < rank->strands.count; i++)
        if (rank->strands.items[i].runs && rank->strands.items[i].time < time)
            time = rank->strands.items[i].time;
    return time;
}
