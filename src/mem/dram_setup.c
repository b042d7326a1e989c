/* A DRAM channel made and freed, and whether the knobs fit together. */
#include "mem/dram_channel.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "mem/request.h"

static const Stat rows[] = {
#define COUNT(field, unit, description) {#field, unit, description, offsetof(DramStatistics, field)},
#include "mem/dram_statistics.def"
#undef COUNT
};
const StatTable dram_statistics = {rows, sizeof rows / sizeof *rows};

WbStatus dram_check(const GpuConfig *config, Error *error)
{
    if (config->dram_bus_bits % 8)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "dram_bus_bits is %" PRIu64 ", but it must be a multiple of 8.",
                         config->dram_bus_bits);
    const uint64_t access = config->dram_bus_bits / 8 * config->dram_burst;
    if (access & (access - 1))
        return error_set(error, WB_ERROR_ARGUMENT,
                         "dram_bus_bits times dram_burst makes %" PRIu64
                         " bytes for a column command, but it must be a power of two.",
                         access);
    if (config->dram_write_high > config->dram_write_queue ||
        config->dram_write_low >= config->dram_write_high)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "dram_write_low (%" PRIu64 ") must be less than dram_write_high (%" PRIu64
                         "), and that at most dram_write_queue (%" PRIu64 ").",
                         config->dram_write_low, config->dram_write_high, config->dram_write_queue);
    /* Half of the time at least is left for requests, with a row to open after every refresh. */
    const uint64_t least = 2 * (config->dram_trfc + config->dram_trc + config->dram_trcd);
    if (config->dram_trefi && config->dram_trefi < least)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "dram_trefi is %" PRIu64 ", but with less than %" PRIu64
                         ", twice dram_trfc + dram_trc + dram_trcd, refreshes leave no time for requests.",
                         config->dram_trefi, least);
    const uint64_t banks = config->dram_bank_groups * config->dram_banks_per_group;
    if (config->dram_refresh_sets > banks)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "dram_refresh_sets is %" PRIu64 ", but a channel has only %" PRIu64
                         " banks (dram_bank_groups times dram_banks_per_group).",
                         config->dram_refresh_sets, banks);
    if (config->dram_trefi && config->dram_refresh_sets * config->dram_trrefd > config->dram_trefi)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "dram_refresh_sets times dram_trrefd is %" PRIu64
                         ", but all sets must have their turn within the %" PRIu64 " of dram_trefi.",
                         config->dram_refresh_sets * config->dram_trrefd, config->dram_trefi);
    return WB_OK;
}

static void init_entries(DramChannel *channel, uint32_t count)
{
    channel->entries = xcalloc(count, sizeof *channel->entries);
    for (uint32_t i = 0; i < count; i++)
        channel->entries[i].next = (uint16_t)(i + 1 < count ? i + 1 : NO_ENTRY);
}

/* An access brings an aligned piece of the line: count the pieces that a mask of sectors touches. */
static void init_columns(DramChannel *channel, uint32_t access)
{
    for (unsigned sectors = 0; sectors < 1u << LINE_SECTORS; sectors++) {
        unsigned columns = 0;
        for (unsigned byte = 0; byte < LINE_BYTES; byte += access)
            for (unsigned sector = 0; sector < LINE_SECTORS; sector++) {
                const unsigned begin = sector * SECTOR_BYTES;
                if ((sectors >> sector & 1) && begin < byte + access && byte < begin + SECTOR_BYTES) {
                    columns++;
                    break;
                }
            }
        channel->columns[sectors] = (uint8_t)columns;
    }
}

/* The last set's first refresh comes when a whole interval has passed since the beginning. */
static void init_refresh(DramChannel *channel, const GpuConfig *config)
{
    const uint64_t banks = config->dram_bank_groups * config->dram_banks_per_group;
    channel->refresh_sets = (uint32_t)config->dram_refresh_sets;
    channel->refresh_step = config->dram_trrefd;
    channel->refresh_interval = config->dram_trefi;
    const uint64_t before_last = (channel->refresh_sets - 1) * config->dram_trrefd;
    channel->refresh_due = config->dram_trefi ? config->dram_trefi - before_last : TICK_NEVER;
    for (uint64_t bank = 0; bank < banks; bank += channel->refresh_sets)
        channel->refresh_banks |= 1ull << bank;
}

DramChannel *dram_create(const GpuConfig *config)
{
    DramChannel *channel = xcalloc(1, sizeof *channel);
    dram_timing_init(&channel->timing, config);
    interleave_init(&channel->interleave, config, 0); /* it sees addresses within the channel */
    channel->clock = clock_of(config->dram_command_khz, config->clock_khz);
    for (uint32_t i = 0; i < DRAM_BANKS; i++) {
        const DramList empty = {NO_ENTRY, NO_ENTRY, NO_ENTRY};
        channel->banks[i].group = (uint8_t)(i / config->dram_banks_per_group % DRAM_GROUPS);
        channel->banks[i].lists[0] = channel->banks[i].lists[1] = empty;
    }
    channel->capacity[0] = (uint32_t)config->dram_queue;
    channel->capacity[1] = (uint32_t)config->dram_write_queue;
    init_entries(channel, channel->capacity[0] + channel->capacity[1]);
    init_columns(channel, (uint32_t)(config->dram_bus_bits / 8 * config->dram_burst));
    channel->write_high = (uint32_t)config->dram_write_high;
    channel->write_low = (uint32_t)config->dram_write_low;
    channel->dual_command = config->dram_dual_command;
    channel->starvation = config->dram_starvation;
    init_refresh(channel, config);
    channel->done_size = 64;
    channel->done = xmalloc(channel->done_size * sizeof *channel->done);
    channel->done_ticks = channel->timing.read_ticks + (uint32_t)config->dram_latency;
    channel->last_sm = UINT32_MAX;
    channel->sm_count = (uint32_t)config->sm_count;
    channel->by_sm = xcalloc(channel->sm_count + 1, sizeof *channel->by_sm);
    /* No cycle has been looked at. */
    channel->now = CYCLE_NEVER;
    return channel;
}

void dram_free(DramChannel *channel)
{
    if (!channel)
        return;
    xfree(channel->entries);
    xfree(channel->done);
    xfree(channel->by_sm);
    xfree(channel);
}
