/* What timelines keep stays bounded by thinning: when there is too much, every second thing goes, from
 * then on, too. */
#include "api/gpu.h"

#include "sm/inspect.h"

/* Samples of all kernels together, more or less: a picture is no wider. */
enum { SAMPLES = 1000, FIRST_INTERVAL = 128 };

/* Numbers of all samples, where the user says how many cycles are one: 128 MB. */
enum { SAMPLED_NUMBERS = 1 << 24 };

/* What of the knob timeline_events each kind of events may take: 1 / so many. */
enum { BLOCKS_SHARE = 2, LAUNCHES_SHARE = 8, COPIES_SHARE = 32 };

void kept_reset(Kept *kept)
{
    VEC_FREE(&kept->copies);
    *kept = (Kept){.block_stride = 1,
                   .launch_stride = 1,
                   .copy_stride = 1,
                   .barrier_stride = 1,
                   .barrier_kernels = 1,
                   .interval = FIRST_INTERVAL,
                   .intervals = 1};
}

static uint64_t most(const WbGpu *gpu, unsigned share) { return gpu->config.timeline_events / share; }

void kept_begin(WbGpu *gpu, KernelRecord *record)
{
    if (!gpu->config.timeline && !gpu->config.block_records)
        return;
    record->log = log_create(record->name, record->block_count, (uint32_t)most(gpu, BLOCKS_SHARE),
                             gpu->kept.block_stride, gpu->kept.launch_stride);
    record->log->keeps_stays = gpu->config.timeline;
    record->log->keeps_blocks = gpu->config.block_records;
    if (!gpu->config.timeline)
        return;
    log_keep_barriers(record->log, (uint32_t)most(gpu, BARRIERS_SHARE), gpu->kept.barrier_stride);
    if (record->number % gpu->kept.barrier_kernels)
        log_drop_barriers(record->log);
}

Cycle kept_interval(const WbGpu *gpu)
{
    if (gpu->config.sample_interval || !gpu->config.timeline)
        return gpu->config.sample_interval * gpu->kept.intervals;
    return gpu->kept.interval;
}

/* -- logs -- */

static void count_log(Kept *kept, const EventLog *log)
{
    kept->blocks += log->stays.count + log->waits.count;
    kept->launches += log->launches.count;
    kept->barriers += log->barriers.count;
}

static void count_logs(WbGpu *gpu)
{
    Kept *kept = &gpu->kept;
    kept->blocks = kept->launches = kept->barriers = 0;
    for (uint32_t i = 0; i < gpu->records.count; i++) {
        EventLog *log = gpu->records.items[i]->log;
        if (!log)
            continue;
        log_thin(log, kept->block_stride, kept->launch_stride);
        log_thin_barriers(log, kept->barrier_stride);
        if (gpu->records.items[i]->number % kept->barrier_kernels)
            log_drop_barriers(log);
        count_log(kept, log);
    }
}

/* Barriers of fewer blocks; where hardly more than the first of each kernel are left, of fewer kernels. */
static void halve_barriers(Kept *kept)
{
    static const uint64_t most_stride = (uint64_t)1 << 16;
    *(kept->barrier_stride < most_stride ? &kept->barrier_stride : &kept->barrier_kernels) *= 2;
}

/* Until there is no more than a block and a launch of each kernel, if need be. */
static void bound_logs(WbGpu *gpu)
{
    Kept *kept = &gpu->kept;
    for (;;) {
        const bool blocks = kept->blocks > most(gpu, BLOCKS_SHARE) + gpu->records.count &&
                            kept->block_stride < LOG_MOST_STRIDE;
        const bool launches = kept->launches > most(gpu, LAUNCHES_SHARE) + gpu->records.count;
        const bool barriers =
            kept->barriers > most(gpu, BARRIERS_SHARE) && kept->barrier_kernels < LOG_MOST_STRIDE;
        if (!blocks && !launches && !barriers)
            return;
        kept->block_stride *= blocks ? 2 : 1;
        kept->launch_stride *= launches ? 2 : 1;
        if (barriers)
            halve_barriers(kept);
        count_logs(gpu);
    }
}

/* With those at which warps of the block still wait, and the wait in place that it is in. */
static void log_barriers_so_far(EventLog *log, const SeenBlock *seen)
{
    const BarrierLog *past = seen->report->barriers;
    BarrierLog all = {.count = past->count, .stride = past->stride};
    for (uint32_t i = 0; i < past->phases.count; i++)
        VEC_PUSH(&all.phases, past->phases.items[i]);
    for (uint32_t name = 0; seen->block && name < MAX_BARRIERS; name++) {
        BarrierPhase phase = sm_barrier_phase(seen->block, name);
        phase.number = all.count;
        if (!seen->block->barriers[name].in_use || !phase.since)
            continue;
        VEC_PUSH(&all.phases, phase);
        all.count++;
    }
    if (seen->block && seen->phase == PHASE_WAITS) {
        BarrierPhase hold = seen->hold;
        hold.number = all.count++;
        VEC_PUSH(&all.phases, hold);
    }
    log_barriers(log, &all, seen->kernel->launch.program);
    VEC_FREE(&all.phases);
}

/* A block that is still on its SM has been there until now; of one that has just left, word is on its way. */
static void log_resident(uint32_t sm, const SeenBlock *seen, const EventLog *log, Cycle now)
{
    const GridKernel *launch = grid_kernel_of(seen->kernel);
    const BlockReport *report = seen->report;
    if (launch->place_in_log.log != log)
        return;
    LoggedStay stay = {
        .block = log_block(&launch->place_in_log, seen->kernel->launch.grid, report->linear),
        .sm = sm,
        .time = report->stay,
    };
    if (stay.time.restored > now)
        stay.time.restored = 0;
    if (seen->block) {
        stay.time.save_begun = 0;
        stay.time.left = now;
    }
    if (log_stay(launch->place_in_log.log, &stay))
        log_barriers_so_far(launch->place_in_log.log, seen);
}

void kept_cut_off(const WbGpu *gpu, const KernelRecord *record)
{
    const CycleMachine *machine = gpu->cycle;
    SeenBlock seen;
    if (!record->log)
        return;
    for (uint32_t i = 0; i < machine->sm_count; i++)
        for (uint32_t at = 0; sm_next_open_block(machine->sms[i], &at, &seen);)
            log_resident(i, &seen, record->log, gpu->now);
    front_end_log_open(machine->front_end, record->log, gpu->now);
}

/* -- samples -- */

/* Those of all records and of what runs, after the interval has doubled. */
static void merge_samples(WbGpu *gpu)
{
    Kept *kept = &gpu->kept;
    kept->samples = 0;
    for (uint32_t i = 0; i < gpu->records.count; i++) {
        Series *series = gpu->records.items[i]->series;
        if (!series)
            continue;
        series_coarsen(series, kept_interval(gpu), true);
        kept->samples += series->ends.count;
    }
    for (uint32_t i = 0; i < gpu->cycle->running.count; i++) {
        KernelRecord *record = gpu->cycle->running.items[i]->record;
        if (!record) /* it was interrupted, and is among the records */
            continue;
        series_coarsen(record->series, kept_interval(gpu), false);
        kept->samples += record->series->ends.count;
    }
}

void kept_sampled(WbGpu *gpu)
{
    Kept *kept = &gpu->kept;
    const bool is_given = gpu->config.sample_interval != 0;
    if (!is_given && !gpu->config.timeline)
        return;
    const uint64_t room = is_given ? SAMPLED_NUMBERS / series_width(gpu->cycle->sm_count) : SAMPLES;
    kept->samples++;
    if (kept->samples <= room + gpu->records.count)
        return;
    *(is_given ? &kept->intervals : &kept->interval) *= 2;
    merge_samples(gpu);
}

void kept_end(WbGpu *gpu, KernelRecord *record)
{
    Kept *kept = &gpu->kept;
    kept_sampled(gpu); /* the last one, which is shorter */
    if (!record->log)
        return;
    log_sort(record->log);
    count_log(kept, record->log);
    bound_logs(gpu);
}

/* -- copies -- */

void kept_copy(WbGpu *gpu, KeptCopy copy)
{
    Kept *kept = &gpu->kept;
    if (!gpu->config.timeline)
        return;
    copy.number = kept->copy_count++;
    if (copy.number % kept->copy_stride)
        return;
    VEC_PUSH(&kept->copies, copy);
    if (kept->copies.count <= most(gpu, COPIES_SHARE))
        return;
    uint32_t count = 0;
    kept->copy_stride *= 2;
    for (uint32_t i = 0; i < kept->copies.count; i++)
        if (kept->copies.items[i].number % kept->copy_stride == 0)
            kept->copies.items[count++] = kept->copies.items[i];
    kept->copies.count = count;
}
