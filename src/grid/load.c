/* An SM's counters are brought up to date only when it gets its first block, loses its last one, or is asked
 * for: what happens on other SMs in between is in the number of shared cycles. */
#include "grid/load.h"

#include "base/alloc.h"

static const Stat rows[] = {
#define COUNT(field, unit, description) {#field, unit, description, offsetof(LoadStatistics, field)},
#include "grid/load_statistics.def"
#undef COUNT
};
const StatTable load_statistics = {rows, sizeof rows / sizeof *rows};

Load load_create(uint32_t sm_count) { return (Load){.sms = xcalloc(sm_count, sizeof(SmLoad))}; }

void load_free(Load *load) { xfree(load->sms); }

static void account(Load *load, SmLoad *sm, Cycle now)
{
    load->shared += load->busy_sms ? now - load->now : 0;
    load->now = now;
    *(sm->is_busy ? &sm->counts.busy_cycles : &sm->counts.idle_cycles) += load->shared - sm->accounted;
    sm->accounted = load->shared;
}

void load_entered(Load *load, uint32_t sm, bool is_first, bool is_new, Cycle now)
{
    SmLoad *there = &load->sms[sm];
    there->counts.blocks_started += is_new;
    if (!is_first)
        return;
    account(load, there, now);
    there->is_busy = true;
    load->busy_sms++;
}

void load_left(Load *load, uint32_t sm, bool is_last, Cycle now)
{
    SmLoad *there = &load->sms[sm];
    if (!is_last)
        return;
    account(load, there, now);
    there->is_busy = false;
    load->busy_sms--;
}

const LoadStatistics *load_counters(Load *load, uint32_t sm, Cycle now)
{
    account(load, &load->sms[sm], now);
    return &load->sms[sm].counts;
}
