/* A partition goes from one cycle with something to do to the next, and in each does things in one order:
 * messages, then DRAM, then slices. What a slice sends to the channel lets the channel advance again in the
 * same cycle. Nothing here depends on where windows end, but for slices that ask for credits when the next
 * begins. */
#include "mem/partition.h"

#include <string.h>

#include "base/alloc.h"
#include "mem/pager.h"

static void take_messages(Partition *partition, Cycle now)
{
    for (const Message *message; (message = shard_take(&partition->shard, now));) {
        if (message->kind == MESSAGE_DROP) {
            l2_drop(&partition->slices[l2_drop_place(message->value)], l2_drop_address(message->value),
                    l2_drop_sectors(message->value));
            continue;
        }
        if (message->kind == MESSAGE_LEAVES) {
            const uint64_t bytes = (uint64_t)1 << (message->value & 63);
            partition_forget(partition, message->value & PAGER_BLOCK_MASK, bytes);
            continue;
        }
        Request *request = message->body;
        const bool is_linked = message->kind == MESSAGE_LINKED;
        /* One that comes over the link between the halves belongs to the slice that owns its line, whichever
         * slice it was sent to first. */
        const uint32_t number =
            is_linked ? interleave_slice(&partition->shared.interleave, request->line) : request->slice;
        L2Slice *slice = &partition->slices[number - partition->first_slice];
        if (is_linked)
            l2_arrive(slice, request, now);
        else if (message->kind == MESSAGE_BACK)
            l2_take_back(slice, request, now);
        else
            l2_arrive(slice, request, now);
        slice->next = clock_earlier(slice->next, now);
    }
}

void partition_drop(Partition *partition, SlicePlace place)
{
    l2_drop(&partition->slices[place.slice - partition->first_slice], place.local, (1 << LINE_SECTORS) - 1);
}

void partition_forget(Partition *partition, uint64_t address, uint64_t bytes)
{
    for (uint64_t line = address; line < address + bytes; line += LINE_BYTES) {
        const SlicePlace place = interleave_locate(&partition->shared.interleave, line);
        if (place.slice - partition->first_slice < partition->slice_count)
            l2_forget(&partition->slices[place.slice - partition->first_slice], place.local);
    }
}

bool partition_touch(Partition *partition, SlicePlace place, L2Touch touch, uint64_t *gone)
{
    return l2_touch(&partition->slices[place.slice - partition->first_slice], place.local, touch, gone);
}

bool partition_touch_copy(Partition *partition, SlicePlace place, const uint8_t *bytes, uint64_t *gone)
{
    return l2_touch_copy(&partition->slices[place.slice - partition->first_slice], place.local, bytes, gone);
}

/* Lets the channel work, hands out what it has done, and wakes slices that waited for room in it. */
static void advance_dram(Partition *partition, Cycle now)
{
    partition->dram_next = dram_advance(partition->shared.dram, now);
    for (uint32_t ticket; dram_next_done(partition->shared.dram, now, &ticket);)
        l2_fill(&partition->slices[l2_ticket_place(ticket)], ticket, now);
    for (uint32_t i = 0; i < partition->slice_count; i++) {
        L2Slice *slice = &partition->slices[i];
        /* The channel may have taken a request, so there may be room. */
        if (slice->wait != L2_WAIT_NONE && l2_can_go_on(slice))
            slice->next = clock_earlier(slice->next, now);
    }
}

static void advance_slices(Partition *partition, Cycle now)
{
    bool used_dram = false;
    uint32_t place = partition->turn;
    for (uint32_t i = 0; i < partition->slice_count; i++) {
        L2Slice *slice = &partition->slices[place];
        place = place + 1 < partition->slice_count ? place + 1 : 0;
        if (slice->next > now)
            continue;
        l2_advance(slice, now);
        if (slice->used_dram) {
            slice->used_dram = false;
            used_dram = true;
            /* The slice behind the one that used the channel is served first next time. */
            partition->turn = place;
        }
    }
    if (used_dram)
        advance_dram(partition, now);
}

static Cycle next_cycle(const Partition *partition)
{
    Cycle next = partition->dram_next;
    for (uint32_t i = 0; i < partition->slice_count; i++)
        next = clock_earlier(next, partition->slices[i].next);
    return next;
}

static void partition_advance(Shard *shard, Cycle end)
{
    Partition *partition = (Partition *)shard;
    for (;;) {
        const Cycle now = clock_earlier(next_cycle(partition), shard_next_arrival(shard));
        if (now >= end)
            break;
        shard->latest = now;
        take_messages(partition, now);
        if (partition->dram_next <= now)
            advance_dram(partition, now);
        advance_slices(partition, now);
    }
    /* A credit that the crossbar cannot foresee may come with the next window. */
    for (uint32_t i = 0; i < partition->slice_count; i++)
        if (partition->slices[i].asks)
            partition->slices[i].next = clock_earlier(partition->slices[i].next, end);
    shard->wake = next_cycle(partition);
}

Partition *partition_create(const GpuConfig *config, Crossbar *crossbar, uint32_t number,
                            AtomicPerform *atomic)
{
    const uint32_t count = (uint32_t)(config->l2_slices / config->dram_channels);
    Partition *partition = xmalloc(sizeof *partition);
    *partition = (Partition){
        .shard = {.advance = partition_advance, .wake = CYCLE_NEVER},
        .shared = {.config = config,
                   .crossbar = crossbar,
                   .dram = dram_create(config),
                   .shard = &partition->shard,
                   .atomic = atomic,
                   .accesses = xcalloc(crossbar->requester_count, sizeof(uint64_t))},
        .dram_next = CYCLE_NEVER,
        .slices = xcalloc(count, sizeof *partition->slices),
        .slice_count = count,
        .first_slice = number * count,
    };
    interleave_init(&partition->shared.interleave, config, crossbar->route.gpu);
    for (uint32_t i = 0; i < count; i++)
        l2_init(&partition->slices[i], &partition->shared, number * count + i, i);
    return partition;
}

void partition_free(Partition *partition)
{
    if (!partition)
        return;
    for (uint32_t i = 0; i < partition->slice_count; i++)
        l2_free(&partition->slices[i]);
    dram_free(partition->shared.dram);
    xfree(partition->slices);
    xfree(partition->shared.accesses);
    xfree(partition);
}

bool partition_is_idle(const Partition *partition)
{
    if (partition->dram_next != CYCLE_NEVER || shard_next_arrival(&partition->shard) != CYCLE_NEVER)
        return false;
    for (uint32_t i = 0; i < partition->slice_count; i++)
        if (!l2_is_idle(&partition->slices[i]))
            return false;
    return true;
}

void partition_invalidate(Partition *partition)
{
    for (uint32_t i = 0; i < partition->slice_count; i++)
        l2_invalidate(&partition->slices[i]);
}

void partition_account(Partition *partition, Cycle now)
{
    for (uint32_t i = 0; i < partition->slice_count; i++)
        l2_account(&partition->slices[i], now);
}

const L2Statistics *partition_statistics(const Partition *partition, uint32_t slice)
{
    return &partition->slices[slice].statistics;
}

const uint64_t *partition_accesses(const Partition *partition) { return partition->shared.accesses; }

const uint64_t *partition_dram_accesses(const Partition *partition)
{
    return dram_requests_by_sm(partition->shared.dram);
}

const DramStatistics *partition_dram_statistics(const Partition *partition, Cycle now)
{
    return dram_counters(partition->shared.dram, now);
}

void partition_reset_statistics(Partition *partition, Cycle now)
{
    const L2Shared *shared = &partition->shared;
    partition_account(partition, now);
    for (uint32_t i = 0; i < partition->slice_count; i++)
        stat_reset(&l2_statistics, &partition->slices[i].statistics);
    dram_reset_counters(shared->dram, now);
    memset(shared->accesses, 0, shared->crossbar->requester_count * sizeof *shared->accesses);
}
