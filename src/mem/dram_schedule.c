/* The scheduler of a DRAM channel: FR-FCFS (Rixner et al., ISCA 2000) over the banks' next commands.
 *
 * A bank that has requests has one next command: the column command of the oldest one whose row is open, else
 * what opens the row of its oldest. Of all banks' next commands the one that can be given first is given; in
 * one tick, column commands go before row commands and older requests before younger ones. A request that
 * has waited for too long goes before both, and its bank serves no other row until it is done. */
#include "mem/dram_channel.h"

#include "base/alloc.h"

void dram_account(DramChannel *channel, uint64_t tick)
{
    if (tick <= channel->accounted)
        return;
    const uint64_t elapsed = tick - channel->accounted;
    const uint32_t waiting = channel->count[0] + channel->count[1];
    channel->statistics.queued_ticks += waiting * elapsed;
    if (waiting)
        channel->statistics.active_ticks += elapsed;
    else if (channel->data_end > channel->accounted)
        channel->statistics.active_ticks +=
            (channel->data_end < tick ? channel->data_end : tick) - channel->accounted;
    channel->accounted = tick;
}

/* After the number of requests has changed: whether there are so many writes that they go first. */
static void watch_writes(DramChannel *channel)
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

static void update_bank(DramChannel *channel, unsigned number)
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
    watch_writes(channel);
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

/* The oldest request for the open row from `entry` on. */
static uint16_t find_hit(const DramChannel *channel, const DramBank *bank, uint16_t entry)
{
    while (entry != NO_ENTRY && channel->entries[entry].row != bank->row)
        entry = channel->entries[entry].next;
    return entry;
}

static void open_row(DramChannel *channel, unsigned number, uint64_t row)
{
    DramBank *bank = &channel->banks[number];
    bank->open = true;
    bank->row = row;
    channel->open |= 1ull << number;
    for (unsigned write = 0; write < 2; write++)
        bank->lists[write].hit = find_hit(channel, bank, bank->lists[write].first);
    channel->statistics.activates++;
}

static void close_row(DramChannel *channel, unsigned number)
{
    DramBank *bank = &channel->banks[number];
    bank->open = false;
    bank->lists[0].hit = bank->lists[1].hit = NO_ENTRY;
    channel->open &= ~(1ull << number);
    channel->statistics.precharges++;
}

/* All rows are closed, and the banks busy for a while. Nothing else can be given in between, so this is done
 * in one go when it falls due, even if the last row can be closed only later. */
static void refresh(DramChannel *channel)
{
    DramTiming *timing = &channel->timing;
    uint64_t tick = clock_later(channel->refresh_due, channel->bus_free[0]);
    for (uint64_t banks = channel->open; banks; banks &= banks - 1) {
        const unsigned number = (unsigned)__builtin_ctzll(banks);
        tick = clock_later(tick, dram_ready(timing, DRAM_PRECHARGE, channel->banks[number].group, number));
    }
    for (uint64_t banks = channel->open; banks; banks &= banks - 1) {
        const unsigned number = (unsigned)__builtin_ctzll(banks);
        dram_issue(timing, DRAM_PRECHARGE, channel->banks[number].group, number, tick);
        close_row(channel, number);
    }
    tick = clock_later(tick, timing->channel[DRAM_REFRESH]);
    dram_issue(timing, DRAM_REFRESH, 0, 0, tick);
    for (uint64_t banks = channel->waiting[0] | channel->waiting[1]; banks; banks &= banks - 1)
        update_bank(channel, (unsigned)__builtin_ctzll(banks));
    channel->statistics.refreshes++;
    channel->refresh_due += channel->refresh_interval;
}

/* The refreshes of a channel without requests. After the first all rows are closed, and all but the last
 * leave no trace. */
static void refresh_idle(DramChannel *channel, uint64_t limit)
{
    if (channel->refresh_due >= limit)
        return;
    refresh(channel);
    if (channel->refresh_due >= limit)
        return;
    const uint64_t skipped = (limit - 1 - channel->refresh_due) / channel->refresh_interval;
    channel->statistics.refreshes += skipped;
    channel->refresh_due += skipped * channel->refresh_interval;
    refresh(channel);
}

static void remove_entry(DramChannel *channel, uint16_t number)
{
    DramEntry *entry = &channel->entries[number];
    DramBank *bank = &channel->banks[entry->bank];
    DramList *list = &bank->lists[entry->write];
    /* It was the oldest hit, so the next one comes behind it in the list. */
    list->hit = find_hit(channel, bank, entry->next);
    if (entry->previous == NO_ENTRY)
        list->first = entry->next;
    else
        channel->entries[entry->previous].next = entry->next;
    if (entry->next == NO_ENTRY)
        list->last = entry->previous;
    else
        channel->entries[entry->next].previous = entry->previous;
    if (list->first == NO_ENTRY)
        channel->waiting[entry->write] &= ~(1ull << entry->bank);
    channel->count[entry->write]--;
    entry->next = channel->free;
    channel->free = number;
    watch_writes(channel);
}

static void push_done(DramChannel *channel, uint64_t tick, uint32_t ticket)
{
    if (channel->tail - channel->head == channel->done_size) {
        DramDone *larger = xmalloc(2 * channel->done_size * sizeof *larger);
        for (uint32_t i = channel->head; i != channel->tail; i++)
            larger[i & (2 * channel->done_size - 1)] = channel->done[i & (channel->done_size - 1)];
        xfree(channel->done);
        channel->done = larger;
        channel->done_size *= 2;
    }
    channel->done[channel->tail++ & (channel->done_size - 1)] = (DramDone){tick, ticket};
}

static void count_request(DramStatistics *statistics, RowOutcome outcome)
{
    if (outcome == ROW_HIT)
        statistics->row_hits++;
    else if (outcome == ROW_MISS)
        statistics->row_misses++;
    else
        statistics->row_conflicts++;
}

static void access_column(DramChannel *channel, uint16_t number, uint64_t tick)
{
    DramEntry *entry = &channel->entries[number];
    DramStatistics *statistics = &channel->statistics;
    if (!entry->started) {
        entry->started = true;
        count_request(statistics, entry->outcome);
        statistics->same_core += entry->sm == channel->last_sm;
        channel->last_sm = entry->sm;
    }
    statistics->reads += !entry->write;
    statistics->writes += entry->write;
    statistics->busy_ticks += channel->timing.burst;
    const uint32_t data = entry->write ? channel->timing.write_ticks : channel->timing.read_ticks;
    channel->data_end = clock_later(channel->data_end, tick + data);
    /* A line whose sectors need several bursts waits on for the next command. */
    if (--entry->columns)
        return;
    dram_account(channel, tick);
    if (!entry->write)
        push_done(channel, tick + channel->done_ticks, entry->ticket);
    remove_entry(channel, number);
}

/* Gives the command that was chosen. */
static void issue(DramChannel *channel)
{
    channel->decided = false;
    const uint64_t tick = channel->next_tick;
    const DramCommand command = channel->next_command;
    if (command == DRAM_REFRESH) {
        refresh(channel);
        return;
    }
    DramEntry *entry = &channel->entries[channel->next_entry];
    const unsigned bank = entry->bank;
    dram_issue(&channel->timing, command, channel->banks[bank].group, bank, tick);
    const bool column = command == DRAM_READ || command == DRAM_WRITE;
    /* Nothing earlier can be given any more: `from` only grows. */
    channel->from = channel->served = tick;
    channel->bus_free[column] = tick + 1;
    /* One command bus for both kinds, or one each as HBM has. */
    if (!channel->dual_command)
        channel->bus_free[!column] = tick + 1;
    if (column) {
        access_column(channel, channel->next_entry, tick);
    } else if (command == DRAM_ACTIVATE) {
        /* A precharge before has made it a conflict, which is worse and stays. */
        entry->outcome = entry->outcome == ROW_HIT ? ROW_MISS : entry->outcome;
        open_row(channel, bank, entry->row);
    } else {
        entry->outcome = ROW_CONFLICT;
        close_row(channel, bank);
    }
    update_bank(channel, bank);
}

void dram_run(DramChannel *channel, uint64_t limit)
{
    while (channel->count[0] + channel->count[1]) {
        dram_decide(channel);
        if (channel->next_tick >= limit)
            break;
        issue(channel);
    }
    if (!(channel->count[0] + channel->count[1]))
        refresh_idle(channel, limit);
}
