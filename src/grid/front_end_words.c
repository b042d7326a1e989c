/* What SMs say of blocks that have ended or left.
 *
 * Word of an ended block waits for its turn if block_end_khz names a clock: an H200 takes word of 0.84 blocks
 * a cycle (`empty` rows of workloads/launch/h200.csv), while it sends out 5 (`last` rows of
 * tests/device/latency/h200-warps.csv: an SM's 16 of 2,112 blocks begin and end within 2,000 cycles). So the
 * ends of blocks, and not their dispatch, are what a kernel of many short blocks waits for. What only the SM
 * knows is read when word arrives, since its slot may get another block. */
#include "grid/front_end.h"

#include "exec/block_pack.h"

static void note_late_stores(FrontEnd *front_end, GridKernel *launch, uint32_t sm)
{
    LateLaunches *late = &front_end->late[sm];
    for (uint32_t i = late->count; i--;)
        if (late->items[i] == launch)
            return;
    VEC_PUSH(late, launch);
    launch->late++;
}

/* Counts the SM once for the kernel, unless others have been noted there meanwhile. */
static void note_flush(FrontEnd *front_end, GridKernel *kernel, uint32_t sm)
{
    if (front_end->storing[sm] == kernel->seen.number + 1)
        return;
    front_end->storing[sm] = kernel->seen.number + 1;
    kernel->storing_sms++;
}

/* Its place is free, and the kernel may be over. */
static void end_block(FrontEnd *front_end, const SmWord *word, Cycle now)
{
    GridKernel *launch = word->launch, *kernel = grid_kernel_host(launch);
    front_end_wake_dispatcher(front_end, now);
    kernel->last_block = now;
    front_end->statistics.blocks_ended++;
    const SmBlock left = dispatcher_ended(&front_end->dispatcher, launch, word->block, word->sm, now);
    if (left.leaves) { /* it was told to, and had ended before it heard of it */
        preempted_leave(&front_end->dispatcher.preempted, left.goes_local ? QUEUE_LOCAL : QUEUE_GLOBAL,
                        word->sm);
        front_end_yield_left(front_end, &left);
    }
    if (word->is_late)
        note_late_stores(front_end, launch, word->sm);
    if (word->is_flushed)
        note_flush(front_end, kernel, word->sm);
    if (word->resumption)
        front_end_forget_block(front_end, word->resumption);
    if (front_end->swapped.count)
        front_end_drop_swap(front_end, launch, word->block);
    if (word->family)
        block_family_ended(word->family);
    if (word->task)
        front_end_task_ended(front_end, word->task, now);
    if (launch != kernel)
        front_end_settle_group(front_end, launch, now);
    front_end_settle(front_end, kernel, now);
}

/* Stores of blocks that have ended on the SM are all visible. */
static void end_stores(FrontEnd *front_end, uint32_t sm, Cycle now)
{
    LateLaunches *late = &front_end->late[sm];
    for (uint32_t i = 0; i < late->count; i++) {
        GridKernel *launch = late->items[i], *kernel = grid_kernel_host(launch);
        launch->late--;
        if (launch != kernel)
            front_end_settle_group(front_end, launch, now);
        front_end_settle(front_end, kernel, now);
    }
    late->count = 0;
}

/* -- the line -- */

void front_end_words_init(SmWords *words, const GpuConfig *config)
{
    words->is_line = config->block_end_khz != 0;
    words->clock = words->is_line ? clock_of(config->block_end_khz, config->clock_khz) : clock_same;
}

Cycle front_end_next_word(const FrontEnd *front_end)
{
    const SmWords *words = &front_end->words;
    return words->first < words->line.count ? clock_cycle(words->clock, words->next_tick) : CYCLE_NEVER;
}

void front_end_take_words(FrontEnd *front_end, Cycle now)
{
    SmWords *words = &front_end->words;
    while (front_end_next_word(front_end) <= now) {
        const SmWord word = words->line.items[words->first++];
        if (words->first == words->line.count)
            words->first = words->line.count = 0;
        if (word.launch) {
            words->next_tick++;
            end_block(front_end, &word, now);
        } else {
            end_stores(front_end, word.sm, now);
        }
    }
}

/* Where nobody waits, word is taken in the first tick that begins from now on. */
static void put_word(FrontEnd *front_end, const SmWord *word, Cycle now)
{
    SmWords *words = &front_end->words;
    const uint64_t tick = clock_tick(words->clock, now);
    if (words->next_tick < tick)
        words->next_tick = tick;
    VEC_PUSH(&words->line, *word);
}

void front_end_take_report(FrontEnd *front_end, BlockReport *report, uint32_t sm, Cycle now)
{
    GridKernel *launch = grid_kernel_of(report->kernel);
    report->is_taken = true;
    launch->warp_instructions += report->warp_instructions;
    launch->thread_instructions += report->thread_instructions;
    if (launch->place_in_log.log)
        front_end_log_stay(launch, report, sm);
    if (launch->blocks)
        block_record_note(&launch->blocks[report->linear], report);
    if (report->suspended) {
        front_end_wake_dispatcher(front_end, now);
        front_end_suspended(front_end, report, sm, now);
        front_end_settle(front_end, grid_kernel_host(launch), now);
        return;
    }
    if (launch->blocks)
        launch->blocks[report->linear].ended = report->stay.left;
    const SmWord word = {.launch = launch,
                         .block = report->linear,
                         .sm = sm,
                         .is_late = report->late,
                         .is_flushed = report->is_flushed,
                         .resumption = report->resumption,
                         .family = report->family,
                         .task = report->task};
    if (front_end->words.is_line)
        put_word(front_end, &word, now);
    else
        end_block(front_end, &word, now);
}

/* Behind the words of the blocks whose stores these are. It takes no turn. */
void front_end_take_drained(FrontEnd *front_end, uint32_t sm, Cycle now)
{
    if (front_end->words.first == front_end->words.line.count)
        end_stores(front_end, sm, now);
    else
        VEC_PUSH(&front_end->words.line, ((SmWord){.sm = sm}));
}
