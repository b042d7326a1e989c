/* The scheduler of a DRAM channel: FR-FCFS (Rixner et al., ISCA 2000) over the banks' next commands.
 *
 * A bank that has requests has one next command: the column command of the oldest one whose row is open, else
 * what opens the row of its oldest. Of all banks' next commands the one that can be given first is given; in
 * one tick, column commands go before row commands and older requests before younger ones. A request that
 * has waited for too long goes before both, and its bank serves no other row until it is done. */
#include "mem/dram_channel.h"

void dram_watch_writes(DramChannel *channel)
{
    /* Two marks, so that the bus does not turn round for every write: it begins at the high one and goes on
     * to the low one. */
    if (channel->draining) {
        channel->draining = channel->count[1] > channel->write_low;
    } else if (channel->count[1] >= channel->write_high) {
        channel->draining = true;
        channel->statistics.drains++;
    }
}

static bool writes_go(const DramChannel *channel)
{
    /* Without reads to hold up, writes go at once. */
    return channel->count[1] && (channel->draining || !channel->count[0]);
}

/* Commands compete by one number, and the lowest wins: from the high end, the ticks until it can be given,
 * its rank, the request's age, the bank. No rule is longer than the 20 bits for the ticks. */
enum { BANK_BITS = 6, RANK_SHIFT = 42, WAIT_SHIFT = 44 };
#define RANK_COLUMN (1ull << RANK_SHIFT)
#define RANK_ROW (2ull << RANK_SHIFT)

/* The command that brings `entry` on, and when the bank is ready for it. */
static void nominate(const DramChannel *channel, DramCandidate *candidate, uint16_t entry, uint64_t rank)
{
    const unsigned number = channel->entries[entry].bank;
    if (rank == RANK_COLUMN)
        candidate->command = channel->entries[entry].write ? DRAM_WRITE : DRAM_READ;
    else
        candidate->command = channel->banks[number].open ? DRAM_PRECHARGE : DRAM_ACTIVATE;
    candidate->entry = entry;
    /* Ages have 36 bits here: more requests than any channel gets in a run. */
    candidate->key = rank | channel->entries[entry].age << BANK_BITS | number;
    candidate->ready = channel->timing.banks[number][candidate->command];
}

/* After anything has changed in a bank. */
static void update_candidate(DramChannel *channel, unsigned number, bool write)
{
    const DramList *list = &channel->banks[number].lists[write];
    if (list->first == NO_ENTRY)
        return;
    DramCandidate *candidate = &channel->candidates[write][number];
    candidate->group = channel->banks[number].group;
    candidate->starves = channel->entries[list->first].arrival + channel->starvation;
    if (list->hit == NO_ENTRY)
        nominate(channel, candidate, list->first, RANK_ROW);
    else
        nominate(channel, candidate, list->hit, RANK_COLUMN);
}

void dram_update_bank(DramChannel *channel, unsigned number)
{
    update_candidate(channel, number, false);
    update_candidate(channel, number, true);
}

static bool is_starved(const DramChannel *channel, const DramCandidate *candidate)
{
    return channel->served > candidate->starves;
}

/* The bank's oldest request has waited for too long: it and no other, before all banks where none has. */
static DramCandidate oldest_of_bank(const DramChannel *channel, unsigned number, bool write)
{
    DramCandidate candidate = channel->candidates[write][number];
    const uint16_t oldest = channel->banks[number].lists[write].first;
    if (candidate.entry != oldest)
        nominate(channel, &candidate, oldest, RANK_ROW);
    candidate.key &= RANK_COLUMN - 1;
    return candidate;
}

/* The first tick for each command as far as channel and command buses are concerned. */
static void find_floors(const DramChannel *channel, uint64_t floors[DRAM_COMMAND_COUNT])
{
    const uint64_t row = clock_later(channel->from, channel->bus_free[0]);
    const uint64_t column = clock_later(channel->from, channel->bus_free[1]);
    const uint64_t *ready = channel->timing.channel;
    floors[DRAM_ACTIVATE] = clock_later(row, ready[DRAM_ACTIVATE]);
    floors[DRAM_PRECHARGE] = clock_later(row, ready[DRAM_PRECHARGE]);
    floors[DRAM_READ] = clock_later(column, ready[DRAM_READ]);
    floors[DRAM_WRITE] = clock_later(column, ready[DRAM_WRITE]);
}

static uint64_t claim(const DramChannel *channel, const DramCandidate *candidate, const uint64_t *floors)
{
    const uint64_t in_group = channel->timing.groups[candidate->group][candidate->command];
    /* A command must suit its bank, its bank group, the channel and the command bus. */
    const uint64_t tick = clock_later(clock_later(candidate->ready, in_group), floors[candidate->command]);
    return (tick - channel->from) << WAIT_SHIFT | candidate->key;
}

static void set_next(DramChannel *channel, uint64_t claimed)
{
    const unsigned number = claimed & (DRAM_BANKS - 1);
    const DramCandidate *candidate = &channel->candidates[channel->next_write][number];
    DramCandidate oldest;
    if (__builtin_expect(is_starved(channel, candidate), false)) {
        oldest = oldest_of_bank(channel, number, channel->next_write);
        candidate = &oldest;
    }
    channel->next_tick = channel->from + (claimed >> WAIT_SHIFT);
    channel->next_key = claimed & ((1ull << WAIT_SHIFT) - 1);
    channel->next_entry = candidate->entry;
    channel->next_command = candidate->command;
}

void dram_decide(DramChannel *channel)
{
    if (channel->decided)
        return;
    const bool write = writes_go(channel);
    uint64_t floors[DRAM_COMMAND_COUNT], best = UINT64_MAX;
    find_floors(channel, floors);
    /* Reads and writes never compete: one direction at a time has the bus. */
    for (uint64_t banks = channel->waiting[write]; banks; banks &= banks - 1) {
        const unsigned number = (unsigned)__builtin_ctzll(banks);
        const DramCandidate *candidate = &channel->candidates[write][number];
        uint64_t claimed = claim(channel, candidate, floors);
        if (__builtin_expect(is_starved(channel, candidate), false)) {
            const DramCandidate oldest = oldest_of_bank(channel, number, write);
            claimed = claim(channel, &oldest, floors);
        }
        best = claimed < best ? claimed : best;
    }
    channel->decided = true;
    channel->next_write = write;
    set_next(channel, best);
    /* A refresh that is due goes before any command of the same tick, so it is never put off. */
    if (channel->refresh_due <= channel->next_tick) {
        channel->next_tick = channel->refresh_due;
        channel->next_command = DRAM_REFRESH;
    }
}

/* Most requests only join a queue. One that its bank wants to serve next competes with the decision that
 * stands, which none of the others can have left: they are all ready later than any request can come. */
void dram_reconsider(DramChannel *channel, const DramEntry *entry)
{
    dram_watch_writes(channel);
    DramCandidate *candidate = &channel->candidates[entry->write][entry->bank];
    const DramList *list = &channel->banks[entry->bank].lists[entry->write];
    const uint16_t number = (uint16_t)(entry - channel->entries);
    if (list->first == number || list->hit == number)
        update_candidate(channel, entry->bank, entry->write);
    if (!channel->decided || channel->count[0] + channel->count[1] == 1 ||
        channel->next_write != writes_go(channel)) {
        channel->decided = false;
        return;
    }
    if (entry->write != channel->next_write || candidate->entry != number)
        return;
    if (list->first != number || channel->next_command == DRAM_REFRESH) {
        channel->decided = false;
        return;
    }
    uint64_t floors[DRAM_COMMAND_COUNT];
    find_floors(channel, floors);
    const uint64_t claimed = claim(channel, candidate, floors);
    if (claimed < ((channel->next_tick - channel->from) << WAIT_SHIFT | channel->next_key))
        set_next(channel, claimed);
}
