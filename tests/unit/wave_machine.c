#include "wave_machine.h"

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "base/alloc.h"
#include "base/vec.h"

enum { STACK_BYTES = 64 * 1024, MOST_TURNS = 4000000, HURRIED_BUT_ONE_IN = 4 };

typedef enum LaneState { LANE_ENDED, LANE_RUNS, LANE_MEETS } LaneState;

struct Wave;

typedef struct Lane {
    ucontext_t context;
    char *stack;
    struct Wave *wave;
    LaneState state;
    unsigned number, place;      /* as machine_at() said last */
    Meet meet;                   /* while it meets others: what for, where, with which value */
    unsigned line, value;        /* afterwards, value is the answer */
} Lane;

/* Invariant: is_away while it has yielded and was not restarted. */
typedef struct Wave {
    Lane lanes[MACHINE_MOST_WIDTH];
    unsigned env[WB_ENV_FLOW_HIGH + 1], node, live;
    bool is_away, is_restarted;  /* the restart came before it was away */
} Wave;

typedef struct Task {
    uint64_t target, what;
} Task;

static struct {
    MachinePlan plan;
    MachineResult result;
    ucontext_t context, aggregator;
    char *stack;
    Lane *lane;                  /* that goes on now; null: the aggregator */
    uint64_t random, target;
    VEC(Wave *) waves;           /* started and not ended */
    VEC(Task) queue;
} machine;

static VEC(Wave *) spare;

uint32_t machine_pick(uint32_t below)
{
    machine.random = machine.random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((machine.random >> 33) % below);
}

/* -- going on by turns -- */

static void leave(void)
{
    swapcontext(machine.lane ? &machine.lane->context : &machine.aggregator, &machine.context);
}

static void go_on(Lane *lane)
{
    machine.lane = lane;
    swapcontext(&machine.context, lane ? &lane->context : &machine.aggregator);
}

static void pause_here(void)
{
    if (machine_pick(HURRIED_BUT_ONE_IN) == 0)
        leave();
}

static void lane_body(void)
{
    machine.plan.kernels[machine.lane->wave->node](machine.plan.context);
    machine.lane->state = LANE_ENDED;
    machine.lane->wave->live--;
    leave();
}

static void aggregator_body(void)
{
    machine.plan.policy(machine.plan.flow);
    leave();
}

static void begin_context(ucontext_t *context, char *stack, void (*body)(void))
{
    getcontext(context);
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = STACK_BYTES;
    context->uc_link = NULL;
    makecontext(context, body, 0);
}

/* -- wavefronts -- */

static Wave *new_wave(void)
{
    if (spare.count)
        return spare.items[--spare.count];
    return xcalloc(1, sizeof(Wave));
}

static void start(Task task)
{
    Wave *wave = new_wave();
    const uint64_t flow = (uint64_t)(uintptr_t)machine.plan.flow;
    const unsigned env[] = {(unsigned)task.target, (unsigned)(task.what >> 32), (unsigned)task.what,
                            (unsigned)machine.result.waves, (unsigned)flow, (unsigned)(flow >> 32)};
    memcpy(wave->env, env, sizeof env);
    wave->node = (unsigned)(task.target >> 32);
    wave->live = env[WB_ENV_COUNT];
    wave->is_away = wave->is_restarted = false;
    for (unsigned i = 0; i < MACHINE_MOST_WIDTH; i++) {
        Lane *lane = &wave->lanes[i];
        lane->state = i < wave->live ? LANE_RUNS : LANE_ENDED;
        if (lane->state == LANE_ENDED)
            continue;
        lane->wave = wave;
        lane->number = i;
        lane->place = 0;
        if (!lane->stack)
            lane->stack = xmalloc(STACK_BYTES);
        begin_context(&lane->context, lane->stack, lane_body);
    }
    VEC_PUSH(&machine.waves, wave);
    machine.result.waves++;
    machine.result.lanes += wave->live;
}

static unsigned running(void)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < machine.waves.count; i++)
        count += !machine.waves.items[i]->is_away;
    return count;
}

static void start_tasks(void)
{
    while (machine.queue.count && running() < machine.plan.resident) {
        const Task task = machine.queue.items[0];
        memmove(machine.queue.items, machine.queue.items + 1, --machine.queue.count * sizeof task);
        start(task);
    }
}

static unsigned answer(Meet meet, unsigned below, unsigned total, unsigned leader, bool leads, unsigned own)
{
    switch (meet) {
    case MEET_PREFIX:
        return below;
    case MEET_TOTAL:
        return total;
    case MEET_LEADER:
        return leads;
    case MEET_BROADCAST:
        return leader;
    default:
        return own;
    }
}

/* Those who meet go first that are at the lowest place, and do not merely end a turn of a loop there. */
static Lane *first_to_meet(Wave *wave)
{
    Lane *first = NULL;
    for (unsigned i = 0; i < MACHINE_MOST_WIDTH; i++) {
        Lane *lane = &wave->lanes[i];
        if (lane->state == LANE_MEETS && (!first || lane->place < first->place ||
                                          (lane->place == first->place && first->meet == MEET_JOIN)))
            first = lane;
    }
    return first;
}

static unsigned those_who_meet(Wave *wave, const Lane *first, Lane **lanes)
{
    unsigned count = 0;
    for (unsigned i = 0; i < MACHINE_MOST_WIDTH; i++) {
        Lane *lane = &wave->lanes[i];
        if (lane->state == LANE_MEETS && lane->place == first->place && lane->line == first->line &&
            lane->meet == first->meet)
            lanes[count++] = lane;
    }
    return count;
}

static void meet(Wave *wave)
{
    const Lane first = *first_to_meet(wave);
    if (first.meet == MEET_YIELD && !wave->is_restarted) {
        wave->is_away = true;
        start_tasks();
        return;
    }
    Lane *lanes[MACHINE_MOST_WIDTH];
    const unsigned count = those_who_meet(wave, &first, lanes);
    unsigned total = 0, below = 0;
    for (unsigned i = 0; i < count; i++)
        total += lanes[i]->value;
    const unsigned leader = lanes[count - 1]->value;
    for (unsigned i = 0; i < count; i++) {
        const unsigned own = lanes[i]->value;
        if (first.meet == MEET_JOIN && total > 0 && own == 0)
            continue; /* out of the loop: it waits for those who are not */
        lanes[i]->value = answer(first.meet, below, total, leader, i == count - 1, own);
        lanes[i]->state = LANE_RUNS;
        below += own;
    }
    if (first.meet == MEET_YIELD)
        wave->is_restarted = false;
}

/* A random lane of it goes on, or those that have all come together do. */
static void turn(uint32_t index)
{
    Wave *wave = machine.waves.items[index];
    Lane *able[MACHINE_MOST_WIDTH];
    unsigned count = 0;
    if (wave->is_away)
        return;
    for (unsigned i = 0; i < MACHINE_MOST_WIDTH; i++)
        if (wave->lanes[i].state == LANE_RUNS)
            able[count++] = &wave->lanes[i];
    if (count > 0)
        go_on(able[machine_pick(count)]);
    else
        meet(wave);
    if (wave->live == 0) {
        VEC_PUSH(&spare, wave);
        machine.waves.items[index] = machine.waves.items[--machine.waves.count];
        start_tasks();
    }
}

MachineResult machine_run(const MachinePlan *plan)
{
    machine.plan = *plan;
    machine.result = (MachineResult){.end = MACHINE_STILL_RUNS};
    machine.random = plan->seed * 2 + 1;
    if (!machine.stack)
        machine.stack = xmalloc(STACK_BYTES);
    begin_context(&machine.aggregator, machine.stack, aggregator_body);
    for (int turns = 0; machine.result.end == MACHINE_STILL_RUNS && turns < MOST_TURNS; turns++) {
        const uint32_t whose = machine_pick(machine.waves.count + 1);
        if (whose == machine.waves.count)
            go_on(NULL);
        else
            turn(whose);
    }
    for (uint32_t i = 0; i < machine.waves.count; i++)
        VEC_PUSH(&spare, machine.waves.items[i]);
    machine.waves.count = machine.queue.count = 0;
    return machine.result;
}

void machine_forget(void)
{
    for (uint32_t i = 0; i < spare.count; i++) {
        for (unsigned lane = 0; lane < MACHINE_MOST_WIDTH; lane++)
            xfree(spare.items[i]->lanes[lane].stack);
        xfree(spare.items[i]);
    }
    VEC_FREE(&spare);
    VEC_FREE(&machine.waves);
    VEC_FREE(&machine.queue);
    xfree(machine.stack);
    machine.stack = NULL;
}

/* -- for code that runs on it -- */

void machine_at(unsigned place) { machine.lane->place = place; }
unsigned machine_env(unsigned number) { return machine.lane->wave->env[number]; }
unsigned machine_lane(void) { return machine.lane->number; }

unsigned machine_meet(Meet what, unsigned value, unsigned line)
{
    Lane *lane = machine.lane;
    lane->state = LANE_MEETS;
    lane->meet = what;
    lane->line = line;
    lane->value = value;
    leave();
    return lane->value;
}

void machine_fail(unsigned code, unsigned channel, unsigned line)
{
    machine.result.end = MACHINE_FAILED;
    machine.result.code = code;
    machine.result.channel = channel;
    machine.result.line = line;
    leave();
    abort();
}

unsigned machine_read(const unsigned *word)
{
    pause_here();
    return *word;
}

void machine_write(unsigned *word, unsigned value)
{
    pause_here();
    *word = value;
}

unsigned machine_swap(unsigned *word, unsigned expected, unsigned value)
{
    pause_here();
    const unsigned seen = *word;
    machine.result.swaps++;
    if (seen == expected)
        *word = value;
    return seen;
}

void machine_add(unsigned *word, unsigned value)
{
    pause_here();
    machine.result.adds++;
    *word += value;
}

uint64_t machine_register(unsigned number)
{
    pause_here();
    if (number == WB_REGISTER_ROOM)
        return machine.plan.queue - machine.queue.count;
    return machine.waves.count + machine.queue.count;
}

static void restart(unsigned number)
{
    machine.result.restarts++;
    for (uint32_t i = 0; i < machine.waves.count; i++) {
        Wave *wave = machine.waves.items[i];
        if (wave->env[WB_ENV_WAVE] == number) {
            wave->is_away = false;
            wave->is_restarted = true;
            return;
        }
    }
    abort(); /* nobody of that number is there */
}

void machine_set_register(unsigned number, uint64_t value)
{
    pause_here();
    if (number == WB_REGISTER_TARGET)
        machine.target = value;
    if (number == WB_REGISTER_DISPATCH) {
        VEC_PUSH(&machine.queue, ((Task){machine.target, value}));
        start_tasks();
    }
    if (number == WB_REGISTER_RESTART)
        restart((unsigned)value);
    if (number == WB_REGISTER_END)
        machine.result.end = (int)value;
}
