/* Launches side by side in functional mode, and the watchdog over all of them. */
#include <string.h>

#include "exec/functional/run.h"
#include "exec/hang/hang.h"

/* -- the watchdog -- */

/* Rounds that it watches for a loop, and those with changes after which it gives up: then it waits twice as
 * long. */
enum { WATCHED_ROUNDS = 200, STRIKES = 3 };

/* All machines that something runs on; one may be there several times. */
static void watch_machines(FunctionalSide *side, bool is_watched)
{
    for (uint32_t i = 0; i < side->runs.count; i++)
        side->runs.items[i]->grids->launch.machine->is_watched = is_watched;
}

static uint64_t count_changes(const FunctionalSide *side)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < side->runs.count; i++)
        sum += side->runs.items[i]->grids->launch.machine->changes;
    return sum;
}

static uint64_t count_instructions(const FunctionalSide *side)
{
    uint64_t sum = side->instructions;
    for (uint32_t i = 0; i < side->runs.count; i++)
        sum += side->runs.items[i]->instructions;
    return sum;
}

static uint64_t count_moves(const FunctionalSide *side)
{
    uint64_t sum = side->moves;
    for (uint32_t i = 0; i < side->runs.count; i++)
        sum += side->runs.items[i]->moves;
    return sum;
}

/* Calls it for every slot in which a block is, with its number among all slots; returns how many there
 * are. */
typedef void SlotVisitor(FunctionalSide *side, const Slot *slot, uint32_t number, void *context);

static uint32_t each_slot(FunctionalSide *side, SlotVisitor *visitor, void *context)
{
    uint32_t number = 0;
    for (uint32_t r = 0; r < side->runs.count; r++)
        for (uint32_t i = 0; i < side->runs.items[r]->slots.count; i++, number++)
            if (visitor && side->runs.items[r]->slots.items[i].grid)
                visitor(side, &side->runs.items[r]->slots.items[i], number, context);
    return number;
}

static void forget_polled(FunctionalSide *side, const Slot *slot, uint32_t number, void *context)
{
    (void)side, (void)number, (void)context;
    for (uint32_t w = 0; w < slot->block->warp_count; w++)
        slot->block->warps[w].polled_pc = NO_INDEX;
}

static void end_watch(FunctionalSide *side)
{
    SpinWatch *watch = &side->watch;
    const uint64_t now = count_instructions(side);
    watch_machines(side, false);
    xfree(watch->marks);
    watch->marks = NULL;
    spin_programs_free(&watch->programs);
    watch->next = now + 2 * (now - watch->quiet_from);
}

static void begin_watch(FunctionalSide *side)
{
    SpinWatch *watch = &side->watch;
    watch_machines(side, true);
    watch->changes = count_changes(side);
    watch->rounds = watch->strikes = 0;
    watch->marks = xcalloc((size_t)each_slot(side, forget_polled, NULL) * MAX_WIDTH, sizeof *watch->marks);
}

/* Whether every warp has come back to where it was. All are compared, also behind one that has not. */
static void compare_slot(FunctionalSide *side, const Slot *slot, uint32_t number, void *all)
{
    for (uint32_t w = 0; w < slot->block->warp_count; w++) {
        const Warp *warp = &slot->block->warps[w];
        if (warp->live && !spin_compare(&side->watch.marks[(size_t)number * MAX_WIDTH + w], warp,
                                        spin_fingerprint(warp, &side->watch.programs), side->watch.rounds,
                                        !spin_can_run(warp)))
            *(bool *)all = false;
    }
}

static bool all_spin(FunctionalSide *side)
{
    bool all = true;
    each_slot(side, compare_slot, &all);
    return all;
}

/* What is known, and the block that the sentence names. */
typedef struct Survey {
    HangFacts facts;
    const Block *first;
} Survey;

static void survey_slot(FunctionalSide *side, const Slot *slot, uint32_t number, void *context)
{
    (void)side, (void)number;
    Survey *survey = context;
    survey->first = survey->first ? survey->first : slot->block;
    hang_survey(&survey->facts, slot->block);
}

/* Blocks that find no place; others of a graph may wait for their parents. */
static uint64_t count_undispatched(const FunctionalSide *side)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < side->runs.count; r++) {
        const FunctionalRun *run = side->runs.items[r];
        for (uint32_t i = run->first; i < run->queue.count; i++)
            sum += run->queue.items[i]->total - run->queue.items[i]->next;
    }
    return sum;
}

static FunctionalRun *report_spin(FunctionalSide *side, const FunctionalOutside *outside)
{
    const bool is_alone = side->runs.count == 1;
    Survey survey = {.facts = {.is_spinning = true,
                               .undispatched = count_undispatched(side),
                               .resident = is_alone ? side->runs.items[0]->limits.resident_blocks : 0,
                               .kernels = side->runs.count,
                               .waiting_launches = outside->waiting_launches}};
    each_slot(side, survey_slot, &survey);
    hang_report_spin(survey.first, &survey.facts, count_instructions(side) - side->watch.quiet_from);
    return grid_of(survey.first)->run;
}

static FunctionalRun *report_waits(FunctionalSide *side, const FunctionalOutside *outside)
{
    Survey survey = {.facts = {.undispatched = count_undispatched(side),
                               .kernels = side->runs.count,
                               .waiting_launches = outside->waiting_launches}};
    each_slot(side, survey_slot, &survey);
    for (uint32_t r = 0; r < side->runs.count; r++)
        for (uint32_t i = 0; i < side->runs.items[r]->aside.count; i++) {
            const Block *block = side->runs.items[r]->aside.items[i];
            survey.first = survey.first ? survey.first : block;
            hang_survey(&survey.facts, block);
        }
    hang_report_waits(survey.first, &survey.facts);
    return grid_of(survey.first)->run;
}

/* Between rounds of all. Returns the run that has failed, or null. */
static FunctionalRun *watch_over(FunctionalSide *side, const FunctionalOutside *outside)
{
    SpinWatch *watch = &side->watch;
    const uint64_t moves = count_moves(side), limit = side->runs.items[0]->limits.watchdog;
    if (moves != watch->moves || !outside->is_silent) {
        if (watch->marks)
            end_watch(side);
        watch->moves = moves;
        watch->quiet_from = count_instructions(side);
        watch->next = watch->quiet_from + limit;
    } else if (!watch->marks) {
        if (limit && count_instructions(side) >= watch->next)
            begin_watch(side);
    } else if (count_changes(side) != watch->changes) {
        watch->changes = count_changes(side);
        memset(watch->marks, 0, (size_t)each_slot(side, NULL, NULL) * MAX_WIDTH * sizeof *watch->marks);
        if (++watch->strikes == STRIKES)
            end_watch(side);
    } else if (all_spin(side)) {
        return report_spin(side, outside);
    } else if (++watch->rounds == WATCHED_ROUNDS) {
        end_watch(side);
    }
    return NULL;
}

/* -- coming, going and running -- */

void functional_enter(FunctionalSide *side, FunctionalRun *run)
{
    if (side->watch.marks)
        end_watch(side);
    side->moves++;
    VEC_PUSH(&side->runs, run);
}

void functional_leave(FunctionalSide *side, FunctionalRun *run)
{
    uint32_t kept = 0;
    if (side->watch.marks)
        end_watch(side);
    for (uint32_t i = 0; i < side->runs.count; i++)
        if (side->runs.items[i] != run)
            side->runs.items[kept++] = side->runs.items[i];
    side->runs.count = kept;
    side->moves += run->moves + 1;
    side->instructions += run->instructions;
    if (kept)
        return;
    VEC_FREE(&side->runs);
    *side = (FunctionalSide){.moves = side->moves, .instructions = side->instructions};
}

/* Whether each that can has done a round since the last time. */
static bool is_round_over(FunctionalSide *side)
{
    for (uint32_t i = 0; i < side->runs.count; i++)
        if (side->runs.items[i]->rounds == side->runs.items[i]->rounds_seen &&
            !functional_is_stuck(side->runs.items[i]))
            return false;
    for (uint32_t i = 0; i < side->runs.count; i++)
        side->runs.items[i]->rounds_seen = side->runs.items[i]->rounds;
    return true;
}

/* Of those that can go on the one that is furthest behind; of several, the one that came first. Null: all
 * wait for each other, or for somebody else. */
static FunctionalRun *next_run(const FunctionalSide *side)
{
    FunctionalRun *next = NULL;
    for (uint32_t i = 0; i < side->runs.count; i++) {
        FunctionalRun *run = side->runs.items[i];
        if ((!next || run->clock < next->clock) && !functional_is_stuck(run))
            next = run;
    }
    return next;
}

/* Nobody can go on: only time passes. */
static void pass_time(FunctionalSide *side, uint64_t until)
{
    for (uint32_t i = 0; i < side->runs.count; i++)
        if (side->runs.items[i]->clock < until)
            side->runs.items[i]->clock = until;
}

FunctionalRun *functional_advance(FunctionalSide *side, uint64_t until, const FunctionalOutside *outside)
{
    while (side->runs.count) {
        FunctionalRun *run = next_run(side), *failed;
        if (!run && outside->is_silent)
            return report_waits(side, outside);
        if (!run)
            pass_time(side, until);
        if (!run || run->clock >= until)
            break;
        if (functional_visit(run) || functional_is_over(run))
            return run;
        if (is_round_over(side) && (failed = watch_over(side, outside)))
            return failed;
    }
    return NULL;
}
