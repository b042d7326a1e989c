/* A request's way through a DRAM channel: into the list of its bank, through the commands that serve it, and
 * out again when its data have come.
 *
 * Which command is next is asked of dram_schedule.c, and when it may be given of dram_timing.c; here it is
 * given and does its work: rows open and close, columns move, requests leave. Of a read the end is entered
 * into a ring, from which the slices fetch it when its tick has come. */
#include "mem/dram_channel.h"

#include <string.h>

#include "base/alloc.h"

/* Counts active and queued ticks up to `tick`; before the number of requests changes. */
static void account(DramChannel *channel, uint64_t tick)
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

bool dram_has_room(const DramChannel *channel, bool write)
{
    return channel->count[write] < channel->capacity[write];
}

/* -- banks -- */

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

/* The banks whose turn it is: every dram_refresh_sets-th. */
static uint64_t banks_to_refresh(const DramChannel *channel)
{
    return channel->refresh_banks << channel->refresh_set;
}

static void begin_next_set(DramChannel *channel)
{
    channel->statistics.refreshes++;
    if (++channel->refresh_set < channel->refresh_sets) {
        channel->refresh_due += channel->refresh_step;
        return;
    }
    channel->refresh_set = 0;
    channel->refresh_due += channel->refresh_interval - (channel->refresh_sets - 1) * channel->refresh_step;
}

/* The first tick from `tick` on in which each of the banks could be given the command. */
static uint64_t when_all_ready(const DramChannel *channel, uint64_t banks, DramCommand command, uint64_t tick)
{
    for (; banks; banks &= banks - 1) {
        const unsigned number = (unsigned)__builtin_ctzll(banks);
        tick = clock_later(tick, dram_ready(&channel->timing, command, channel->banks[number].group, number));
    }
    return tick;
}

/* The rows of a set of banks are closed, and the banks busy for a while. Nobody else gives these banks a
 * command meanwhile, so this is done in one go when it falls due, even if the last row can be closed only
 * later. */
static void refresh(DramChannel *channel)
{
    DramTiming *timing = &channel->timing;
    const uint64_t set = banks_to_refresh(channel), open = set & channel->open;
    uint64_t tick = clock_later(channel->refresh_due, channel->bus_free[0]);
    tick = when_all_ready(channel, open, DRAM_PRECHARGE, tick);
    for (uint64_t banks = open; banks; banks &= banks - 1) {
        const unsigned number = (unsigned)__builtin_ctzll(banks);
        dram_issue(timing, DRAM_PRECHARGE, channel->banks[number].group, number, tick);
        close_row(channel, number);
    }
    tick = when_all_ready(channel, set, DRAM_REFRESH, tick);
    for (uint64_t banks = set; banks; banks &= banks - 1) {
        const unsigned number = (unsigned)__builtin_ctzll(banks);
        dram_issue(timing, DRAM_REFRESH, channel->banks[number].group, number, tick);
    }
    for (uint64_t banks = set & (channel->waiting[0] | channel->waiting[1]); banks; banks &= banks - 1)
        dram_update_bank(channel, (unsigned)__builtin_ctzll(banks));
    begin_next_set(channel);
}

/* The refreshes of a channel without requests. When all rows are closed, all but the last of each set leave
 * no trace. */
static void refresh_idle(DramChannel *channel, uint64_t limit)
{
    while (channel->refresh_due < limit && channel->open)
        refresh(channel);
    if (channel->refresh_due < limit) {
        const uint64_t skipped = (limit - 1 - channel->refresh_due) / channel->refresh_interval;
        channel->statistics.refreshes += skipped * channel->refresh_sets;
        channel->refresh_due += skipped * channel->refresh_interval;
    }
    while (channel->refresh_due < limit)
        refresh(channel);
}

/* -- requests that are served -- */

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
    dram_watch_writes(channel);
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
        channel->by_sm[entry->sm < channel->sm_count ? entry->sm : channel->sm_count]++;
    }
    statistics->reads += !entry->write;
    statistics->writes += entry->write;
    statistics->busy_ticks += channel->timing.burst;
    const uint32_t data = entry->write ? channel->timing.write_ticks : channel->timing.read_ticks;
    channel->data_end = clock_later(channel->data_end, tick + data);
    /* A line whose sectors need several bursts waits on for the next command. */
    if (--entry->columns)
        return;
    account(channel, tick);
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
    dram_update_bank(channel, bank);
}

/* Gives all commands that are due before tick `limit`. */
static void run(DramChannel *channel, uint64_t limit)
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

/* Gives all commands of cycles up to `now`. */
static void catch_up(DramChannel *channel, Cycle now)
{
    if (channel->now != now) {
        channel->now = now;
        /* Commands of ticks that begin before the next cycle are given. */
        channel->limit = clock_tick(channel->clock, now + 1);
    }
    run(channel, channel->limit);
}

/* -- in -- */

void dram_take(DramChannel *channel, uint64_t local, uint8_t sectors, bool write, uint32_t sm,
               uint32_t ticket, Cycle now)
{
    catch_up(channel, now);
    /* Time so far is charged with the requests that waited in it, before there is one more. */
    const uint64_t tick = clock_tick(channel->clock, now);
    account(channel, tick);
    const DramPlace place = interleave_dram(&channel->interleave, local);
    DramBank *bank = &channel->banks[place.bank];
    DramList *list = &bank->lists[write];
    const uint16_t number = channel->free;
    DramEntry *entry = &channel->entries[number];
    channel->free = entry->next;
    *entry = (DramEntry){
        .row = place.row,
        .age = channel->next_age++,
        .arrival = tick,
        .sm = sm,
        .ticket = ticket,
        .next = NO_ENTRY,
        .previous = list->last,
        .bank = (uint8_t)place.bank,
        .columns = channel->columns[sectors],
        .write = write,
    };
    /* At the end: a list is in the order of age. */
    if (list->last == NO_ENTRY)
        list->first = number;
    else
        channel->entries[list->last].next = number;
    list->last = number;
    /* Whoever hits already is older. */
    if (bank->open && bank->row == place.row && list->hit == NO_ENTRY)
        list->hit = number;
    channel->waiting[write] |= 1ull << place.bank;
    channel->count[write]++;
    /* No command may be given for it before it is there. */
    channel->from = channel->from > tick ? channel->from : tick;
    dram_reconsider(channel, entry);
}

/* -- out -- */

/* Marks the reads whose data have come. */
static void ripen(DramChannel *channel)
{
    /* Column commands are given in the order of ticks and all data take the same time, so they come in that
     * order. */
    while (channel->ripe != channel->tail &&
           channel->done[channel->ripe & (channel->done_size - 1)].tick < channel->limit)
        channel->ripe++;
}

Cycle dram_advance(DramChannel *channel, Cycle now)
{
    catch_up(channel, now);
    ripen(channel);
    uint64_t tick = TICK_NEVER;
    if (channel->ripe != channel->tail)
        tick = channel->done[channel->ripe & (channel->done_size - 1)].tick;
    if (channel->count[0] + channel->count[1]) {
        /* The next command brings room at once, data after their time. */
        const bool full = !dram_has_room(channel, false) || !dram_has_room(channel, true);
        const uint64_t next = channel->next_tick + (full ? 0 : channel->done_ticks);
        tick = next < tick ? next : tick;
    }
    return tick == TICK_NEVER ? CYCLE_NEVER : clock_cycle(channel->clock, tick);
}

bool dram_next_done(DramChannel *channel, Cycle now, uint32_t *ticket)
{
    if (channel->now != now)
        dram_advance(channel, now);
    if (channel->head == channel->ripe)
        return false;
    *ticket = channel->done[channel->head++ & (channel->done_size - 1)].ticket;
    return true;
}

const DramStatistics *dram_counters(DramChannel *channel, Cycle now)
{
    catch_up(channel, now);
    account(channel, clock_tick(channel->clock, now));
    return &channel->statistics;
}

const uint64_t *dram_requests_by_sm(const DramChannel *channel) { return channel->by_sm; }

void dram_reset_counters(DramChannel *channel, Cycle now)
{
    dram_counters(channel, now);
    stat_reset(&dram_statistics, &channel->statistics);
    memset(channel->by_sm, 0, (channel->sm_count + 1) * sizeof *channel->by_sm);
}
