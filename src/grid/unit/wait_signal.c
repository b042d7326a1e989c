/* Events that blocks wait for and signal to [sync thesis §6.1, §6.3].
 *
 * Waits and signals both count. The call that makes an event's counter reach the target resets it and wakes
 * all blocks that wait for the event, so the order of calls does not matter and no signal is lost. The
 * controller (grid/wait_signal_controller.h) has queues, counters and their time. Here are the calls that
 * kernels make, the counters' place in global memory, and sentences. A block that waits yields: whether it
 * has to leave its SM is for the front end to say.
 *
 * Events belong to a launch of the host and to all that it launches: kernels side by side have events of
 * their own, and what is left of them when their launch is complete is dropped. Differs from the thesis: a
 * broadcast wakes the blocks whose waits it has counted, and no block whose wait for the same number comes
 * behind it. So a number can be used again at once.
 *
 * Other events belong to a GPU [§8.1]: kernels of all GPUs of its system wait for them and signal to them,
 * and they are there before and after any kernel. A call to an event of another GPU goes to the GPU's own
 * controller, which passes it on over the links; word of a wait that is over comes back the same way. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/block_call.h"
#include "exec/machine.h"
#include "exec/runtime/family.h"
#include "grid/unit.h"
#include "grid/wait_signal_controller.h"
#include "mem/space.h"

#define OWNER unit_wait_signal
#define OWNER_DEF "grid/unit/wait_signal.def"
#include "base/own_counters.h"

extern const UnitKind unit_wait_signal;

/* Events that a report names, at most. */
enum { DESCRIBED = 4 };

/* Words between controllers, and their bytes on links: event and target; of a wait also who waits. */
enum { PEER_CALL, PEER_WAKE };
enum { SIGNAL_BYTES = 8, WAIT_BYTES = 16 };

/* Invariant: kernels.items[n] is the launch with number n, or null: the number is free. */
typedef struct WaitSignal {
    WaitSignalController controller;
    VEC(const Family *) kernels;
} WaitSignal;

/* -- the counters' memory -- */

/* Counters of a launch lie side by side, by event. */
static MemoryAccess access_to(const OuterUnit *unit, uint64_t key)
{
    const uint64_t bits = unit->config->wait_signal_counter_bits;
    const uint32_t bytes = bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
    const uint64_t number = (key >> 32 << unit->config->wait_signal_event_bits) + (uint32_t)key;
    return (MemoryAccess){.address = SPACE_UNIT_BASE + number * bytes, .bytes = bytes};
}

static void loaded(void *context, uint64_t tag, Cycle now)
{
    OuterUnit *unit = context;
    WaitSignal *state = unit->state;
    controller_loaded(&state->controller, (EventCounter *)(uintptr_t)tag);
    unit_set_alarm(unit, now);
}

static void load(void *context, EventCounter *counter, Cycle now)
{
    OuterUnit *unit = context;
    MemoryAccess access = access_to(unit, counter->key);
    access.done = loaded;
    access.context = unit;
    access.tag = (uintptr_t)counter;
    memory_port_read(unit->port, &access, now);
}

static void store(void *context, uint64_t key, Cycle now)
{
    OuterUnit *unit = context;
    const MemoryAccess access = access_to(unit, key);
    memory_port_write(unit->port, &access, now);
}

/* -- at the controller -- */

static void wake_block(OuterUnit *unit, Block *block, Cycle sent, Cycle now)
{
    Counters *counters = unit->counters;
    if (unit->latency)
        counters->block_wait_cycles += now + unit->latency - sent;
    unit_answer_block(unit, block, WAITS_FOR_SIGNALS, now);
}

static void wake(void *context, const EventMessage *wait, Cycle now)
{
    OuterUnit *unit = context;
    const uint32_t gpu = wait->caller.gpu;
    if (gpu == unit->gpu)
        wake_block(unit, wait->waiter, wait->sent, now);
    else
        unit_tell(unit, gpu,
                  (PeerWord){.kind = PEER_WAKE, .values = {(uintptr_t)wait->waiter, wait->sent}},
                  SIGNAL_BYTES, now);
}

static const char *kernel_of(const EventCaller *caller)
{
    return caller->site ? caller->site->kernel : caller->program->name;
}

static const char *place_of(const EventCaller *caller, char *text, size_t size)
{
    if (caller->site)
        return caller->site->place;
    const Insn *insn = &caller->program->code[caller->pc];
    return module_place_text(caller->program->functions[insn->function].module, insn->ptx, text, size);
}

/* "block (1,0,0)", of an event of a GPU with the kernel that it belongs to; returns the text. */
static const char *put_block(const EventCaller *caller, bool has_kernel, char *text, size_t size)
{
    const int used = snprintf(text, size, "block (%u,%u,%u)", caller->block[0], caller->block[1],
                              caller->block[2]);
    if (caller->site && has_kernel)
        snprintf(text + used, size - (size_t)used, " of kernel '%.100s' on GPU %u", caller->site->kernel,
                 caller->gpu);
    return text;
}

/* "event 3", or "event 3 of GPU 1"; returns the text. */
static const char *put_event(const EventMessage *message, char *text, size_t size)
{
    if (message->kernel == EVENTS_OF_GPU)
        snprintf(text, size, "event %u of GPU %u", message->event, message->gpu);
    else
        snprintf(text, size, "event %u", message->event);
    return text;
}

static void refuse(void *context, const EventMessage *message, const EventCounter *counter, Cycle now)
{
    OuterUnit *unit = context;
    const EventCaller *caller = &message->caller, *first = &counter->first;
    char place[512], first_place[512], event[64], block[200], first_block[200], on[32] = "";
    if (caller->site)
        snprintf(on, sizeof on, " on GPU %u", caller->gpu);
    unit_fail(unit, message->root, now,
              "kernel '%.200s'%s, %s, %s: %s gives %s the target %u, but %s gave it %u at %s, of which %u %s "
              "come; until an event is signalled all its calls have to name the same target",
              kernel_of(caller), on, place_of(caller, place, sizeof place),
              put_block(caller, false, block, sizeof block), message->waiter ? "wb_wait" : "a signal",
              put_event(message, event, sizeof event), message->target,
              put_block(first, true, first_block, sizeof first_block), counter->target,
              place_of(first, first_place, sizeof first_place), counter->count,
              counter->count == 1 ? "has" : "have");
}

static void *create(OuterUnit *unit)
{
    WaitSignal *state = xcalloc(1, sizeof *state);
    const GpuConfig *config = unit->config;
    const uint64_t entries = config->sm_count * config->wait_signal_queue;
    const ControllerHooks hooks = {load, store, wake, refuse, unit};
    controller_init(&state->controller, (uint32_t)config->sm_count, (uint32_t)entries,
                    (uint32_t)config->wait_signal_counters, unit->counters, &hooks);
    return state;
}

static void destroy(void *thing)
{
    WaitSignal *state = thing;
    controller_free(&state->controller);
    VEC_FREE(&state->kernels);
    xfree(state);
}

static EventMessage *message_of(const UnitWord *word) { return (EventMessage *)(uintptr_t)word->values[0]; }

/* The message is at the controller of its event. */
static void enter(OuterUnit *unit, EventMessage *message, Cycle now)
{
    WaitSignal *state = unit->state;
    if (!unit->latency) {
        controller_count(&state->controller, message, now);
        return;
    }
    message->arrived = now;
    controller_take(&state->controller, message);
    unit_set_alarm(unit, now);
}

/* The event is another GPU's. */
static void pass_on(OuterUnit *unit, EventMessage *message, Cycle now)
{
    WaitSignal *state = unit->state;
    Counters *counters = unit->counters;
    const EventCaller *caller = &message->caller;
    const PeerWord word = {.kind = PEER_CALL,
                           .values = {(uint64_t)message->event << 32 | message->target,
                                      (uintptr_t)message->waiter, message->sent, (uintptr_t)message->root,
                                      (uintptr_t)caller->site,
                                      (uint64_t)caller->block[0] << 32 | caller->block[1], caller->block[2]}};
    const uint32_t gpu = message->gpu, bytes = message->waiter ? WAIT_BYTES : SIGNAL_BYTES;
    counters->remote_sent++;
    controller_drop(&state->controller, message);
    unit_tell(unit, gpu, word, bytes, now);
}

static void take(OuterUnit *unit, const UnitWord *word, Cycle now)
{
    EventMessage *message = message_of(word);
    if (!message) /* its kernel has ended */
        return;
    if (message->kernel == EVENTS_OF_GPU && message->gpu != unit->gpu)
        pass_on(unit, message, now);
    else
        enter(unit, message, now);
}

/* A word of another GPU's controller. */
static void told(OuterUnit *unit, const PeerWord *word, Cycle now)
{
    WaitSignal *state = unit->state;
    Counters *counters = unit->counters;
    const uint64_t *values = word->values;
    if (word->kind == PEER_WAKE) {
        wake_block(unit, (Block *)(uintptr_t)values[0], values[1], now);
        return;
    }
    counters->remote_received++;
    EventMessage *message = controller_new_message(&state->controller);
    *message = (EventMessage){.kernel = EVENTS_OF_GPU,
                              .event = (uint32_t)(values[0] >> 32),
                              .target = (uint32_t)values[0],
                              .gpu = unit->gpu,
                              .sm = (uint32_t)unit->config->sm_count,
                              .root = (const Family *)(uintptr_t)values[3],
                              .waiter = (void *)(uintptr_t)values[1],
                              .caller = {.block = {(uint32_t)(values[5] >> 32), (uint32_t)values[5],
                                                   (uint32_t)values[6]},
                                         .site = (const CallSite *)(uintptr_t)values[4],
                                         .gpu = word->from},
                              .sent = values[2]};
    enter(unit, message, now);
}

static void alarm(OuterUnit *unit, Cycle now)
{
    WaitSignal *state = unit->state;
    if (controller_step(&state->controller, now))
        unit_set_alarm(unit, now + 1);
}

/* The number of the launch; a new one gets the first that is free. */
static uint32_t kernel_number(WaitSignal *state, const Family *root)
{
    uint32_t free = state->kernels.count;
    for (uint32_t i = 0; i < state->kernels.count; i++) {
        if (state->kernels.items[i] == root)
            return i;
        if (!state->kernels.items[i] && free == state->kernels.count)
            free = i;
    }
    if (free == state->kernels.count)
        VEC_PUSH(&state->kernels, root);
    state->kernels.items[free] = root;
    return free;
}

/* Words of the kernel that have not arrived come behind all messages that have. */
static bool end(OuterUnit *unit, const Family *root, Cycle now)
{
    WaitSignal *state = unit->state;
    uint32_t number = 0;
    while (number < state->kernels.count && state->kernels.items[number] != root)
        number++;
    if (number == state->kernels.count)
        return false;
    for (uint32_t i = unit->first_arrival; i < unit->arrivals.count; i++) {
        EventMessage *message = message_of(&unit->arrivals.items[i].word);
        if (!message || message->kernel != number)
            continue;
        controller_take(&state->controller, message);
        unit->arrivals.items[i].word.values[0] = 0;
    }
    controller_end_kernel(&state->controller, number, now);
    state->kernels.items[number] = NULL;
    return true;
}

/* -- who waits -- */

static size_t describe_event(const OuterUnit *unit, const EventCounter *counter, char *text, size_t size)
{
    const EventMessage *wait = counter->waiters.first;
    const EventCaller *caller = &wait->caller;
    const uint32_t missing = counter->target - counter->count, waits = counter->waiters.count,
                   signals = counter->count - waits, others = waits - 1;
    char place[512], more[64] = "", owner[160], block[200];
    if (caller->site)
        snprintf(owner, sizeof owner, "GPU %u", unit->gpu);
    else
        snprintf(owner, sizeof owner, "kernel '%.100s'", caller->program->name);
    if (others)
        snprintf(more, sizeof more, ", with %u other block%s", others, others == 1 ? "" : "s");
    const int length = snprintf(
        text, size,
        "Event %" PRIu32 " of %s has had %u of its %u calls, %u wait%s and %u signal%s: %u %s missing; %s "
        "waits for it at %s%s.",
        (uint32_t)counter->key, owner, counter->count, counter->target, waits, waits == 1 ? "" : "s", signals,
        signals == 1 ? "" : "s", missing, missing == 1 ? "is" : "are",
        put_block(caller, true, block, sizeof block), place_of(caller, place, sizeof place), more);
    return (size_t)length < size ? (size_t)length : size - 1;
}

static void describe(const OuterUnit *unit, char *text, size_t size)
{
    const WaitSignal *state = unit->state;
    uint32_t found = 0;
    size_t used = 0;
    text[0] = '\0';
    for (const EventCounter *counter = event_counters_from(&state->controller.counters, 0); counter;
         counter = event_counters_from(&state->controller.counters, counter->key + 1)) {
        if (!counter->waiters.first || ++found > DESCRIBED || used + 2 >= size)
            continue;
        if (used)
            text[used++] = ' ';
        used += describe_event(unit, counter, text + used, size - used);
    }
    if (found > DESCRIBED && used < size)
        snprintf(text + used, size - used, " Blocks wait for %u other event%s, too.", found - DESCRIBED,
                 found == DESCRIBED + 1 ? "" : "s");
}

const UnitKind unit_wait_signal = {
    .about =
        {
            .name = "wait-signal",
            .description = "Events that blocks of a kernel, or of several GPUs, wait for and signal to",
            .source = "Synchronization thesis, sections 6.1 and 6.3",
            .counters = &unit_wait_signal_counters,
        },
    .latency = UNIT_KNOB(wait_signal_latency),
    .has_memory = true,
    .create = create,
    .free = destroy,
    .take = take,
    .told = told,
    .alarm = alarm,
    .end = end,
    .describe = describe,
};

/* -- what kernels call -- */

/* What a message says, apart from its launch. Between windows. */
static void post(OuterUnit *unit, const EventMessage *said, const Family *family, Cycle now)
{
    WaitSignal *state = unit->state;
    while (family && family->parent)
        family = family->parent;
    EventMessage *message = controller_new_message(&state->controller);
    *message = *said;
    message->root = family;
    if (message->kernel != EVENTS_OF_GPU)
        message->kernel = kernel_number(state, family);
    message->sent = now;
    unit_send(unit, (UnitWord){.values = {(uintptr_t)message}}, now);
}

static EventMessage message_by(const OuterUnit *unit, const Block *block, uint32_t pc, uint32_t event,
                               uint32_t target)
{
    return (EventMessage){.event = event,
                          .target = target,
                          .sm = block->sm,
                          .caller = {.program = block->launch->program,
                                     .pc = pc,
                                     .block = {block->index[0], block->index[1], block->index[2]},
                                     .gpu = unit->gpu}};
}

static void complete(const BlockCall *call, Cycle time)
{
    OuterUnit *unit = call->context;
    Block *block = call->last->block;
    EventMessage message = message_by(unit, block, call->pc, (uint32_t)call->event, (uint32_t)call->target);
    message.waiter = call->kind->waits ? block : NULL;
    post(unit, &message, block->launch->family, time);
}

/* Of an event of a GPU, whose number is in the upper half. */
static void complete_gpu(const BlockCall *call, Cycle time)
{
    OuterUnit *unit = call->context;
    Block *block = call->last->block;
    EventMessage message = message_by(unit, block, call->pc, (uint32_t)call->event, (uint32_t)call->target);
    message.waiter = call->kind->waits ? block : NULL;
    message.kernel = EVENTS_OF_GPU;
    message.gpu = (uint32_t)(call->event >> 32);
    message.caller.site = unit_group_site(unit->group, block, call->pc);
    post(unit, &message, block->launch->family, time);
}

static void put_gpu_event(uint64_t event, uint64_t target, char *text, size_t size)
{
    snprintf(text, size, "event %u of GPU %u and target %" PRIu64, (uint32_t)event, (uint32_t)(event >> 32),
             target);
}

static const BlockCallKind wait_call = {.name = "wb_wait",
                                        .waits = true,
                                        .reason = WAITS_FOR_SIGNALS,
                                        .complete = complete};
static const BlockCallKind signal_call = {.name = "wb_signal", .complete = complete};
static const BlockCallKind wait_gpu_call = {.name = "wb_wait_gpu",
                                            .waits = true,
                                            .reason = WAITS_FOR_SIGNALS,
                                            .put = put_gpu_event,
                                            .complete = complete_gpu};
static const BlockCallKind signal_gpu_call = {
    .name = "wb_signal_gpu", .put = put_gpu_event, .complete = complete_gpu};

/* Reads what the lane names, from that argument on, and checks it. */
static bool read_event(IntrinsicCall *call, const GpuConfig *config, unsigned lane, uint32_t first,
                       uint32_t *event, uint32_t *target)
{
    memcpy(event, intrinsic_argument(call, first, lane), sizeof *event);
    memcpy(target, intrinsic_argument(call, first + 1, lane), sizeof *target);
    const uint32_t most = (uint32_t)((1ull << config->wait_signal_counter_bits) - 1);
    if (*event >> config->wait_signal_event_bits)
        step_error(call->step, WB_ERROR_EXECUTION, lane,
                   "there is no event %u: events of %" PRIu64
                   " bits (knob wait_signal_event_bits) go up to %u",
                   *event, config->wait_signal_event_bits,
                   (uint32_t)((1ull << config->wait_signal_event_bits) - 1));
    else if (!*target)
        step_error(call->step, WB_ERROR_EXECUTION, lane,
                   "event %u has target 0, but every wait and every signal counts: the target is the number "
                   "of them all",
                   *event);
    else if (*target > most)
        step_error(call->step, WB_ERROR_EXECUTION, lane,
                   "the counter of event %u overflows before it reaches the target %u: counters of %" PRIu64
                   " bits (knob wait_signal_counter_bits) go up to %u",
                   *event, *target, config->wait_signal_counter_bits, most);
    else
        return true;
    return false;
}

/* Without time the unit has found what is wrong already. */
static StepResult result_of(const IntrinsicCall *call, const OuterUnit *unit, StepResult result)
{
    const Error *error = result == STEP_ERROR ? NULL : unit_failed_untimed(unit);
    if (!error)
        return result;
    *call->step->warp->block->launch->error = *error;
    return STEP_ERROR;
}

static StepResult call_of_block(IntrinsicCall *call, const BlockCallKind *kind)
{
    OuterUnit *unit = unit_of(call, &unit_wait_signal);
    const Mask mask = call->step->mask;
    uint32_t event, target, other_event, other_target;
    if (!unit || !read_event(call, unit->config, mask_first(mask), 0, &event, &target))
        return STEP_ERROR;
    for (Mask rest = mask & (mask - 1); rest; rest &= rest - 1) {
        if (!read_event(call, unit->config, mask_first(rest), 0, &other_event, &other_target))
            return STEP_ERROR;
        if (other_event != event || other_target != target)
            return step_error(call->step, WB_ERROR_EXECUTION, mask_first(rest),
                              "this thread calls %s with event %u and target %u, another thread of its warp "
                              "with event %u and target %u; all threads of a block have to name the same",
                              kind->name, other_event, other_target, event, target);
    }
    return result_of(call, unit, block_call(call, kind, unit, event, target));
}

StepResult intrinsic_wait_signal_wait(IntrinsicCall *call) { return call_of_block(call, &wait_call); }

StepResult intrinsic_wait_signal_signal(IntrinsicCall *call) { return call_of_block(call, &signal_call); }

/* Reads the GPU, the event, which is in the lower half of *event, and the target. */
static bool read_gpu_event(IntrinsicCall *call, const OuterUnit *unit, unsigned lane, uint64_t *event,
                           uint32_t *target)
{
    uint32_t gpu, number;
    memcpy(&gpu, intrinsic_argument(call, 0, lane), sizeof gpu);
    if (!unit_check_gpu(call, unit, lane, gpu) ||
        !read_event(call, (gpu == unit->gpu ? unit : unit_peer(unit, gpu))->config, lane, 1, &number, target))
        return false;
    *event = (uint64_t)gpu << 32 | number;
    return true;
}

static StepResult call_of_gpus(IntrinsicCall *call, const BlockCallKind *kind)
{
    OuterUnit *unit = unit_of(call, &unit_wait_signal);
    const Mask mask = call->step->mask;
    uint64_t event, other_event;
    uint32_t target, other_target;
    char mine[96], others[96];
    if (!unit || !read_gpu_event(call, unit, mask_first(mask), &event, &target))
        return STEP_ERROR;
    for (Mask rest = mask & (mask - 1); rest; rest &= rest - 1) {
        if (!read_gpu_event(call, unit, mask_first(rest), &other_event, &other_target))
            return STEP_ERROR;
        if (other_event == event && other_target == target)
            continue;
        put_gpu_event(other_event, other_target, mine, sizeof mine);
        put_gpu_event(event, target, others, sizeof others);
        return step_error(call->step, WB_ERROR_EXECUTION, mask_first(rest),
                          "this thread calls %s with %s, another thread of its warp with %s; all threads of "
                          "a block have to name the same",
                          kind->name, mine, others);
    }
    return result_of(call, unit, block_call(call, kind, unit, event, target));
}

StepResult intrinsic_wait_signal_wait_gpu(IntrinsicCall *call) { return call_of_gpus(call, &wait_gpu_call); }

StepResult intrinsic_wait_signal_signal_gpu(IntrinsicCall *call)
{
    return call_of_gpus(call, &signal_gpu_call);
}

/* Signals of a warp's threads, until the end of the window. */
typedef struct ThreadSignals {
    OuterUnit *unit;
    const Family *family;
    uint32_t count;
    EventMessage messages[MAX_WIDTH];
} ThreadSignals;

static void send_signals(void *context, Cycle time)
{
    ThreadSignals *signals = context;
    for (uint32_t i = 0; i < signals->count; i++)
        post(signals->unit, &signals->messages[i], signals->family, time);
    xfree(signals);
}

StepResult intrinsic_wait_signal_signal_each(IntrinsicCall *call)
{
    OuterUnit *unit = unit_of(call, &unit_wait_signal);
    const Block *block = call->step->warp->block;
    if (!unit)
        return STEP_ERROR;
    ThreadSignals *signals = xmalloc(sizeof *signals);
    *signals = (ThreadSignals){.unit = unit, .family = block->launch->family};
    const uint32_t pc = (uint32_t)(call->step->insn - block->launch->program->code);
    for (Mask rest = call->step->mask; rest; rest &= rest - 1) {
        uint32_t event, target;
        if (!read_event(call, unit->config, mask_first(rest), 0, &event, &target)) {
            xfree(signals);
            return STEP_ERROR;
        }
        signals->messages[signals->count++] = message_by(unit, block, pc, event, target);
    }
    machine_put_off(block->launch->machine, send_signals, signals);
    return result_of(call, unit, STEP_NEXT);
}
