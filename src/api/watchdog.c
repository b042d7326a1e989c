/* Looks at the machine between slices. It decides by states that come back, not by how long something takes;
 * but for policies of warp schedulers, whose states nobody else knows. */
#include "api/gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "grid/inspect.h"
#include "sm/inspect.h"

/* Cycles between looks while it watches: LEAST and up to that number more, or as many as make the looks last
 * as long as it has been quiet, since where memory is slow a turn of a warp's lanes is long; looks until it
 * gives up, where no warp at all has come back, and in any case; and those with changes. */
enum { LEAST = 64, SPREAD = 1023, FIRST_LOOKS = 40, LOOKS = 400, STRIKES = 8 };
/* A policy that has been asked so often polls; one that has passed over a ready warp at so many looks, while
 * all that it lets issue spin, always will. Half of all looks last half as long as it has been quiet. */
enum { REFUSALS = 1000, PASSES = LOOKS / 2 };
/* Stores that were under way when it began to watch are done by then. */
enum { SETTLE = 10000 };

/* The knob may be as large as it likes. */
static Cycle after(Cycle now, Cycle pause) { return now + pause < now ? CYCLE_NEVER : now + pause; }

Cycle watchdog_slice(const WbGpu *gpu, Cycle limit)
{
    if (!gpu->config.watchdog_cycles || !gpu->cycle)
        return limit;
    Watchdog *watchdog = &gpu->cycle->watchdog;
    if (watchdog->next <= gpu->now)
        watchdog->next = after(gpu->now, gpu->config.watchdog_cycles);
    return watchdog->next < limit ? watchdog->next : limit;
}

void watchdog_free(Watchdog *watchdog)
{
    xfree(watchdog->marks);
    spin_programs_free(&watchdog->programs);
}

static uint64_t count_changes(const CycleMachine *machine)
{
    uint64_t sum = outer_units_changes(machine->units);
    for (uint32_t i = 0; i < machine->sm_count; i++)
        sum += sm_changes(machine->sms[i]);
    return sum;
}

static void watch_all(CycleMachine *machine, bool is_watched)
{
    for (uint32_t i = 0; i < machine->sm_count; i++)
        sm_watch(machine->sms[i], is_watched);
}

static void begin(CycleMachine *machine, Cycle now)
{
    Watchdog *watchdog = &machine->watchdog;
    watch_all(machine, true);
    watchdog->changes = count_changes(machine);
    watchdog->looks = watchdog->strikes = 0;
    watchdog->random = 1;
    watchdog->marks = xcalloc((size_t)machine->sm_count * MAX_WARPS, sizeof *watchdog->marks);
    watchdog->next = now + SETTLE;
}

/* It looks again after so many cycles. */
static void end(CycleMachine *machine, Cycle now, Cycle pause)
{
    Watchdog *watchdog = &machine->watchdog;
    if (watchdog->marks)
        watch_all(machine, false);
    watchdog_free(watchdog);
    watchdog->marks = NULL;
    watchdog->next = after(now, pause);
}

/* What is known of the warps on all SMs. */
typedef struct Verdict {
    bool all; /* every warp spins or waits, for one that spins or for other GPUs */
    bool has_paused; /* blocks */
    uint32_t spinning;
    uint32_t passed_over; /* ready, and never chosen */
} Verdict;

/* Whether the warp is ready and has not issued for long. */
static bool is_passed_over(SpinMark *mark, const SeenWarp *seen, uint64_t state)
{
    const bool has_stood = mark->patience && mark->state == state && mark->steps == seen->warp->steps;
    mark->passed_over = has_stood && seen->wait == WAIT_NONE ? mark->passed_over + 1 : 0;
    return mark->passed_over >= PASSES;
}

static void judge_warp(Watchdog *watchdog, uint32_t sm, const SeenWarp *seen, Verdict *verdict)
{
    const Warp *warp = seen->warp;
    SpinMark *mark = &watchdog->marks[(size_t)sm * MAX_WARPS + seen->slot];
    const bool waits =
        seen->wait == WAIT_BARRIER || seen->wait == WAIT_BLOCK || seen->wait == WAIT_PAUSE;
    const bool is_blocked = waits && seen->is_stuck;
    const uint64_t state = spin_fingerprint(warp, &watchdog->programs) + seen->pending_ops;
    const bool is_passed = is_passed_over(mark, seen, state);
    const bool is_right = spin_compare(mark, warp, state, warp->steps, is_blocked) || is_passed;
    verdict->passed_over += is_passed;
    verdict->spinning += is_right && !is_blocked && !is_passed;
    verdict->has_paused |= seen->wait == WAIT_PAUSE;
    verdict->all &= is_right && warp->live && seen->phase <= PHASE_WAITS && seen->wait != WAIT_UNIT;
}

static Verdict judge(CycleMachine *machine)
{
    Verdict verdict = {.all = true};
    SeenWarp seen;
    for (uint32_t i = 0; i < machine->sm_count; i++)
        for (uint32_t at = 0; sm_next_warp(machine->sms[i], &at, &seen);)
            judge_warp(&machine->watchdog, i, &seen, &verdict);
    verdict.all &= front_end_next(machine->front_end) == CYCLE_NEVER &&
                   outer_units_next(machine->units) == CYCLE_NEVER;
    verdict.all &= !verdict.has_paused || !front_end_may_answer(machine->front_end);
    return verdict;
}

/* Whether blocks of the kernel, or of those that it has launched, are there. */
static bool is_on_sms(const CycleMachine *machine, const HostKernel *kernel)
{
    SeenBlock seen;
    for (uint32_t i = 0; i < machine->sm_count; i++)
        for (uint32_t at = 0; sm_next_block(machine->sms[i], &at, &seen);)
            if (cycle_is_of(kernel, seen.kernel))
                return true;
    return false;
}

/* Of those that spin the one that was launched last. */
static HostKernel *last_on_sms(const CycleMachine *machine)
{
    uint32_t last = machine->running.count - 1;
    while (last && !is_on_sms(machine, machine->running.items[last]))
        last--;
    return machine->running.items[last];
}

/* The error is of that one; the others have their records. */
static WbStatus report(const WbGpu *gpu, RecordStatus status, const char *what, Error *error)
{
    CycleMachine *machine = gpu->cycle;
    machine->waiting_launches = gpu->timeline.waiting_launches;
    return cycle_report_hang(machine, last_on_sms(machine), status, what, error);
}

/* " on GPU 3", where there are several. */
static const char *gpu_text(const WbGpu *gpu, char *text, size_t size)
{
    const Nodes *nodes = &gpu->system->nodes;
    text[0] = '\0';
    if (nodes->count > 1)
        snprintf(text, size, " on GPU %u", nodes->first + gpu->index);
    return text;
}

/* Those that issue spin, and others that could end that are ready. */
static WbStatus report_starved(const WbGpu *gpu, uint32_t warps, Error *error)
{
    char what[640], where[32];
    snprintf(what, sizeof what,
             "is starved%s: in the %" PRIu64 " cycles up to %" PRIu64
             " no block has come or gone, all warps that issue come back to the states that they had, and "
             "the policy warp_scheduler=%s has let %u warp%s never issue that could (knob watchdog_cycles)",
             gpu_text(gpu, where, sizeof where), gpu->now - gpu->cycle->watchdog.quiet_from, gpu->now,
             gpu->config.warp_scheduler, warps,
             warps == 1 ? "" : "s");
    return report(gpu, RECORD_SPINS, what, error);
}

/* "; kernels of other GPUs spin or wait, too: 'k' on GPU 0": who may wait for whom. */
static void name_others(const WbGpu *gpu, char *text, size_t size)
{
    enum { NAMED = 4 };
    uint32_t count = 0;
    size_t used = 0;
    char where[32];
    text[0] = '\0';
    FOR_GPUS(other, gpu->system) {
        if (other == gpu || !other->cycle || !other->cycle->running.count || count++ >= NAMED)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s '%.60s'%s",
                                 count == 1 ? "; kernels of other GPUs spin or wait, too:" : ",",
                                 last_on_sms(other->cycle)->grid->seen.launch.program->name,
                                 gpu_text(other, where, sizeof where));
    }
    if (count > NAMED)
        snprintf(text + used, size - used, " and %u more", count - NAMED);
}

static WbStatus report_spin(const WbGpu *gpu, Error *error)
{
    char what[800], where[32], others[480];
    name_others(gpu, others, sizeof others);
    snprintf(what, sizeof what,
             "spins%s: in the %" PRIu64 " cycles up to %" PRIu64
             " no block has come or gone, and all warps on the "
             "GPU come back to the states that they had, with nothing left that could change (knob "
             "watchdog_cycles)%s",
             gpu_text(gpu, where, sizeof where), gpu->now - gpu->cycle->watchdog.quiet_from, gpu->now,
             others);
    return report(gpu, RECORD_SPINS, what, error);
}

/* -- policies that let no warp issue -- */

static WbStatus report_refusal(const WbGpu *gpu, Error *error)
{
    char what[232], where[32];
    snprintf(what, sizeof what,
             "is held up%s: in the %" PRIu64 " cycles up to %" PRIu64
             " no instruction has been issued, and nothing is under way (knob watchdog_cycles)",
             gpu_text(gpu, where, sizeof where), gpu->now - gpu->cycle->watchdog.still_from, gpu->now);
    return report(gpu, RECORD_DEADLOCK, what, error);
}

/* Whether all that has happened for watchdog_cycles is that policies of warp schedulers were asked. */
static bool is_refused(const WbGpu *gpu)
{
    const CycleMachine *machine = gpu->cycle;
    Watchdog *watchdog = &gpu->cycle->watchdog;
    uint64_t issued = 0, refusals = 0;
    for (uint32_t i = 0; i < machine->sm_count; i++) {
        issued += sm_counters(machine->sms[i], gpu->now)->warp_instructions;
        refusals += sm_refusals(machine->sms[i]);
    }
    if (issued != watchdog->issued) {
        watchdog->issued = issued;
        watchdog->still_from = gpu->now;
        watchdog->refusals = refusals;
    }
    if (gpu->now - watchdog->still_from < gpu->config.watchdog_cycles ||
        refusals - watchdog->refusals < REFUSALS || front_end_next(machine->front_end) != CYCLE_NEVER)
        return false;
    for (uint32_t i = 0; i < machine->sm_count; i++)
        if (!sm_waits_for_policy(machine->sms[i]))
            return false;
    return true;
}

/* -- looks -- */

static Cycle next_distance(Watchdog *watchdog, Cycle quiet)
{
    const Cycle spread = 2 * quiet / LOOKS > SPREAD + 1 ? 2 * quiet / LOOKS : SPREAD + 1;
    watchdog->random = watchdog->random * 1103515245 + 12345;
    return LEAST + (watchdog->random >> 16) * spread / 65536;
}

/* All warps on the machine spin or wait, and nothing has changed since that was found. */
static bool is_stuck(const CycleMachine *machine)
{
    return machine->watchdog.is_stuck && machine->watchdog.changes == count_changes(machine);
}

/* Whether nothing that other GPUs do can end it: they are stuck, too, and nothing comes from those of other
 * processes. */
static bool others_are_stuck(const WbGpu *gpu)
{
    if (gpu->system->transport && !gpu->system->is_alone)
        return false;
    FOR_GPUS(other, gpu->system) {
        CycleMachine *machine = other->cycle;
        if (other != gpu && machine && machine->running.count && !is_stuck(machine))
            return false;
    }
    return true;
}

bool watchdogs_know_stuck(const System *system)
{
    bool is_one = false;
    FOR_GPUS(gpu, system) {
        const CycleMachine *machine = gpu->cycle;
        if (!machine || !machine->running.count)
            continue;
        is_one = true;
        if (!is_stuck(machine) || outer_units_next(machine->units) != CYCLE_NEVER)
            return false;
    }
    return is_one;
}

/* A look while it watches. */
static WbStatus watch(WbGpu *gpu, Error *error)
{
    CycleMachine *machine = gpu->cycle;
    Watchdog *watchdog = &machine->watchdog;
    const uint64_t changes = count_changes(machine);
    const Cycle pause = 2 * (gpu->now - watchdog->quiet_from);
    watchdog->next = gpu->now + next_distance(watchdog, gpu->now - watchdog->quiet_from);
    if (changes != watchdog->changes) {
        watchdog->changes = changes;
        watchdog->is_stuck = false;
        memset(watchdog->marks, 0, (size_t)machine->sm_count * MAX_WARPS * sizeof *watchdog->marks);
        if (++watchdog->strikes == STRIKES)
            end(machine, gpu->now, pause);
        return WB_OK;
    }
    const Verdict verdict = judge(machine);
    watchdog->is_stuck = verdict.all;
    const bool is_spin = verdict.all && verdict.spinning;
    if (is_spin && others_are_stuck(gpu))
        return verdict.passed_over ? report_starved(gpu, verdict.passed_over, error)
                                   : report_spin(gpu, error);
    if (is_spin || (verdict.all && gpu->system->gpus.count > 1))
        return WB_OK; /* another one may tell */
    if (++watchdog->looks == LOOKS || (watchdog->looks == FIRST_LOOKS && !verdict.spinning))
        end(machine, gpu->now, pause);
    return WB_OK;
}

static WbStatus look(WbGpu *gpu, bool alone, Error *error)
{
    CycleMachine *machine = gpu->cycle;
    if (!gpu->config.watchdog_cycles || !machine || !machine->running.count ||
        gpu->now < machine->watchdog.next)
        return WB_OK;
    Watchdog *watchdog = &machine->watchdog;
    const uint64_t moves = front_end_moves(machine->front_end);
    if (!alone || moves != watchdog->moves) {
        end(machine, gpu->now, gpu->config.watchdog_cycles);
        watchdog->moves = moves;
        watchdog->quiet_from = gpu->now;
    } else if (is_refused(gpu)) {
        return report_refusal(gpu, error);
    } else if (watchdog->marks) {
        return watch(gpu, error);
    } else {
        begin(machine, gpu->now);
    }
    return WB_OK;
}

void watchdogs_forget(System *system)
{
    FOR_GPUS(gpu, system)
        if (gpu->cycle)
            gpu->cycle->watchdog.is_stuck = false;
}

WbStatus watchdogs_look(System *system, bool alone, Error *error)
{
    if (!alone)
        watchdogs_forget(system);
    FOR_GPUS(gpu, system)
        if (look(gpu, alone, error))
            return error->status;
    return WB_OK;
}
