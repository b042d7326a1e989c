/* Stores of both halves of L2 to the same line.
 *
 * A store of the other half (mem/l2_halves.c) takes the line along. For `l2_store_contest` cycles from
 * when it comes over the link the line is contested: a store of the home's own half takes
 * `l2_store_recall` cycles to have it back, and has to begin anew if another one of the other half comes
 * meanwhile. All that comes through the crossbar behind it waits, too, while what comes over the link goes
 * on.
 *
 * So it is on an H200 (contest.cu of tests/device/caches). Stores of 60 SMs to one word take 2.4 cycles
 * each, whichever half they are of. If 60 of the other half store to it, too, those are as fast as before;
 * near ones get through where far ones leave a gap, and near loads of any line of the slice wait behind
 * them, most until the far ones have ended, 25,000 cycles later. With a store of each half every 12.5
 * cycles nearly nobody waits, nor with as many stores to eight lines, nor with reductions. The two times
 * are those with which the rows of contest.csv come out best. What differs: loads of lines in other slices
 * wait there, too, for what waits on its way to this one; here they do not. */
#include "mem/l2.h"

static L2Rival *find(L2Slice *slice, uint64_t line)
{
    for (unsigned i = 0; i < L2_RIVALS; i++)
        if (slice->rivals[i].line == line)
            return &slice->rivals[i];
    return NULL;
}

/* The one that is forgotten for another line. */
static L2Rival *oldest(L2Slice *slice)
{
    L2Rival *first = slice->rivals;
    for (unsigned i = 1; i < L2_RIVALS; i++)
        first = slice->rivals[i].contested_until < first->contested_until ? &slice->rivals[i] : first;
    return first;
}

void l2_note_rival(L2Slice *slice, const Request *request, Cycle now)
{
    const GpuConfig *config = slice->config;
    if (!config->l2_store_recall || request->kind != REQUEST_STORE)
        return;
    L2Rival *rival = find(slice, request->line);
    rival = rival ? rival : oldest(slice);
    *rival = (L2Rival){request->line, now + config->l2_store_recall, now + config->l2_store_contest};
}

bool l2_must_hold(L2Slice *slice, const Request *request, Cycle now)
{
    if (!slice->config->l2_store_recall || request->kind != REQUEST_STORE)
        return false;
    L2Rival *rival = find(slice, request->line);
    if (!rival || rival->contested_until <= now)
        return false;
    slice->held_until = rival->free_from;
    if (rival->free_from > now)
        return true;
    rival->free_from = now + slice->config->l2_store_recall;
    return false;
}
