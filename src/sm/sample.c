/* When samples of an SM are taken, and what is in them.
 *
 * The cycle of the next sample is in shard.visit, so that the SM is looked at then even if it has nothing to
 * do. It is advanced up to that cycle, the sample is taken, and it goes on: cycles know nothing of samples.
 *
 * The front end reads a sample in the cycle in which it arrives, and the SM may be a window ahead by then. As
 * an interval is at least block_end_cycles, and a window at most that, a sample is read before the second one
 * behind it is taken; KEPT leaves room for more than that. */
#include "sm/sample.h"

#include <string.h>

#include "base/alloc.h"
#include "sm/stages.h"

enum { KEPT = 4 };

/* Invariant: while samples are sent shard.visit is `last` + interval; it is 0 while there is no block, or
 * in_vain is SAMPLES_IN_VAIN. */
typedef struct SmSampler {
    Cycle interval;
    Cycle last;        /* the time of the last sample, or in which the first block came */
    Cycle happened;    /* shard.latest then */
    uint32_t in_vain;  /* samples before which nothing had happened, in a row */
    SmCounters before; /* the counters then */
    SmSample samples[KEPT];
    uint32_t next; /* of them to be used */
} SmSampler;

void sample_every(Sm *sm, Cycle interval)
{
    if (!interval)
        return;
    sm->sampler = xcalloc(1, sizeof *sm->sampler);
    sm->sampler->interval = interval < sm->config->block_end_cycles ? sm->config->block_end_cycles : interval;
}

void sample_free(Sm *sm) { xfree(sm->sampler); }

/* The counters with all cycles before `now`. */
static void read_counters(Sm *sm, Cycle now, SmCounters *counters)
{
    sm_account(sm, now);
    counters->sm = sm->statistics;
    counters->schedulers = (SchedulerStatistics){0};
    for (uint32_t i = 0; i < sm->scheduler_count; i++)
        stat_merge(&scheduler_statistics, &counters->schedulers, &sm->schedulers[i].statistics);
    counters->lsu = *lsu_counters(sm->lsu, now);
    counters->l1 = *lsu_l1_counters(sm->lsu);
}

void sample_begin(Sm *sm)
{
    SmSampler *sampler = sm->sampler;
    sampler->last = sm->now;
    sampler->in_vain = 0;
    read_counters(sm, sm->now, &sampler->before);
    sm->shard.visit = sm->now + sampler->interval;
}

void sample_end(Sm *sm)
{
    sm->shard.visit = 0;
    sm->sampler->in_vain = 0;
}

/* Samples stay in step with those that were left out. */
void sample_expect(Sm *sm, Cycle now, Cycle end)
{
    SmSampler *sampler = sm->sampler;
    if (sampler->in_vain < SAMPLES_IN_VAIN || now >= end)
        return;
    const Cycle passed = (now - sampler->last) / sampler->interval;
    sampler->in_vain = 0;
    sm->shard.visit = sampler->last + (passed + 1) * sampler->interval;
}

/* Structs of counters are arrays of them. */
static void subtract(SmCounters *from, const SmCounters *before)
{
    uint64_t *values = (uint64_t *)from;
    for (size_t i = 0; i < sizeof *from / sizeof *values; i++)
        values[i] -= ((const uint64_t *)before)[i];
}

void sample_take(Sm *sm)
{
    SmSampler *sampler = sm->sampler;
    const Cycle now = sm->shard.visit;
    SmSample *sample = &sampler->samples[sampler->next++ % KEPT];
    SmCounters counters;
    read_counters(sm, now, &counters);
    *sample = (SmSample){.sm = sm->number,
                         .time = now,
                         .cycles = now - sampler->last,
                         .schedulers = sm->scheduler_count,
                         .resident_warps = sm->resident_warps,
                         .gained = counters};
    subtract(&sample->gained, &sampler->before);
    for (uint32_t i = 0; i < sm->scheduler_count; i++)
        for (uint32_t wait = 0; wait < WAIT_COUNT; wait++)
            sample->waiting[wait] += sm->schedulers[i].waiting[wait];
    sampler->in_vain = sm->shard.latest == sampler->happened ? sampler->in_vain + 1 : 0;
    sampler->happened = sm->shard.latest;
    sampler->before = counters;
    sampler->last = now;
    sm->shard.visit = sampler->in_vain == SAMPLES_IN_VAIN ? 0 : now + sampler->interval;
    shard_send(&sm->shard, sm->front_end, now + sm->config->block_end_cycles, MESSAGE_SAMPLE, 0, sample);
}
