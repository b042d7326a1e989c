/* Units as shards: words wait in a queue until their cycle comes, and what a unit decides about warps is put
 * off to the end of the window.
 *
 * Calls run in the order of cycles, and the latency of a unit is constant: so words arrive in the order in
 * which they were posted, but for those of a block whose last warp has ended a few cycles later; the queue is
 * sorted from behind. Answers are put off in the order in which the unit gives them. */
#include "grid/unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/machine.h"
#include "exec/runtime/family.h"
#include "policy_lists.h"

#define DECLARE(file) extern const UnitKind unit_##file;
UNIT_POLICIES(DECLARE)
#undef DECLARE

static const UnitKind *const kinds[] = {
#define LIST(file) &unit_##file,
    UNIT_POLICIES(LIST)
#undef LIST
    NULL,
};

const UnitKind *unit_kind_at(size_t index)
{
    return index < sizeof kinds / sizeof *kinds ? kinds[index] : NULL;
}

static const void *knob_at(const GpuConfig *config, UnitKnob knob)
{
    return (const char *)config + knob.place;
}

static bool is_present(const UnitKind *kind, const GpuConfig *config)
{
    return !kind->present.name || *(const bool *)knob_at(config, kind->present);
}

static Cycle latency_of(const UnitKind *kind, const GpuConfig *config)
{
    const uint64_t latency = *(const uint64_t *)knob_at(config, kind->latency);
    return latency ? latency : config->crossbar_latency;
}

/* -- words and answers -- */

static Cycle next_arrival(const OuterUnit *unit)
{
    return unit->first_arrival < unit->arrivals.count ? unit->arrivals.items[unit->first_arrival].time
                                                      : CYCLE_NEVER;
}

static Cycle next_own(const OuterUnit *unit)
{
    return unit->kind->next ? unit->kind->next(unit) : CYCLE_NEVER;
}

static Cycle next_turn(const OuterUnit *unit)
{
    const Cycle told = clock_earlier(next_arrival(unit), unit->alarm);
    return clock_earlier(clock_earlier(told, next_own(unit)), memory_port_next(unit->port));
}

static void take_all(OuterUnit *unit, Cycle now)
{
    while (next_arrival(unit) <= now) {
        const UnitWord word = unit->arrivals.items[unit->first_arrival++].word;
        if (unit->first_arrival == unit->arrivals.count)
            unit->first_arrival = unit->arrivals.count = 0;
        unit->kind->take(unit, &word, now);
    }
    if (unit->alarm <= now) {
        unit->alarm = CYCLE_NEVER;
        unit->kind->alarm(unit, now);
    }
    if (next_own(unit) <= now)
        unit->kind->advance(unit, now);
}

static void take_peer(OuterUnit *unit, HubWord *word, Cycle now)
{
    PeerWord told;
    memcpy(&told, word->data, sizeof told);
    hub_word_read(word);
    unit->words_told++;
    unit->kind->told(unit, &told, now);
}

/* What memory has brought is there before words are taken in, and what they lead to leaves in the same
 * cycle. */
static void simulate_cycle(OuterUnit *unit, Cycle now, Cycle end)
{
    for (const Message *message; (message = shard_take(&unit->shard, now));)
        if (message->kind == MESSAGE_REPLY)
            memory_port_take(unit->port, message->body, now);
        else if (message->kind == MESSAGE_PEER)
            take_peer(unit, message->body, now);
        else
            unit->kind->hear(unit, message, now);
    memory_port_advance(unit->port, now, end);
    take_all(unit, now);
    memory_port_advance(unit->port, now, end);
}

static void advance(Shard *shard, Cycle end)
{
    OuterUnit *unit = (OuterUnit *)shard;
    for (Cycle now; (now = clock_earlier(next_turn(unit), shard_next_arrival(shard))) < end;) {
        shard->latest = now;
        simulate_cycle(unit, now, end);
    }
    /* The world may have been stopped before the cycle of a failure: then it has to be stopped again. */
    if (unit->failure.time < end)
        shard_stop(shard, unit->failure.time);
    shard->wake = clock_earlier(next_turn(unit), unit->failure.time);
}

static void carry_out(const OuterUnit *unit, const UnitAnswer *answer, Cycle now)
{
    if (answer->warp)
        block_wait_end(answer->warp, now, unit->latency);
    else
        block_wait_end_all(answer->block, answer->reason, now, unit->latency);
}

/* Between windows: the next answer that was put off. */
static void end_wait(void *context, Cycle time)
{
    OuterUnit *unit = context;
    const UnitAnswer answer = unit->answers.items[unit->first_answer++];
    if (unit->first_answer == unit->answers.count)
        unit->first_answer = unit->answers.count = 0;
    carry_out(unit, &answer, time);
}

static void answer(OuterUnit *unit, UnitAnswer answer, Cycle now)
{
    if (!unit->latency) {
        carry_out(unit, &answer, now);
        return;
    }
    VEC_PUSH(&unit->answers, answer);
    shard_defer(&unit->shard, now, end_wait, unit);
}

void unit_answer(OuterUnit *unit, Warp *warp, Cycle now) { answer(unit, (UnitAnswer){.warp = warp}, now); }

void unit_answer_block(OuterUnit *unit, Block *block, WaitReason reason, Cycle now)
{
    answer(unit, (UnitAnswer){.block = block, .reason = reason}, now);
}

void unit_set_alarm(OuterUnit *unit, Cycle time) { unit->alarm = time; }

void unit_fail(OuterUnit *unit, const struct Family *root, Cycle now, const char *format, ...)
{
    char sentence[sizeof unit->failure.error.text];
    va_list arguments;
    if (unit->failure.error.status != WB_OK)
        return;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    error_set(&unit->failure.error, WB_ERROR_EXECUTION, "%s", sentence);
    unit->failure.time = now;
    unit->failure.root = root;
}

OuterUnit *outer_units_find(const OuterUnits *units, const UnitKind *kind)
{
    for (uint32_t i = 0; units && i < units->count; i++)
        if (units->items[i]->kind == kind)
            return units->items[i];
    return NULL;
}

OuterUnit *unit_find(const Machine *machine, const UnitKind *kind)
{
    return outer_units_find(machine->units, kind);
}

CallPlace unit_place(const Block *block, uint32_t pc)
{
    const Family *root = block->launch->family;
    while (root && root->parent)
        root = root->parent;
    return (CallPlace){.program = block->launch->program,
                       .root = root,
                       .block = {block->index[0], block->index[1], block->index[2]},
                       .pc = pc};
}

const char *unit_place_text(const CallPlace *place, char *text, size_t size)
{
    const Insn *insn = &place->program->code[place->pc];
    if (!insn->ptx) { /* the return that the linker puts behind a body */
        snprintf(text, size, "its end");
        return text;
    }
    return module_place_text(place->program->functions[insn->function].module, insn->ptx, text, size);
}

OuterUnit *unit_of(IntrinsicCall *call, const UnitKind *kind)
{
    OuterUnit *unit = unit_find(call->step->warp->block->launch->machine, kind);
    if (unit)
        return unit;
    step_error(call->step, WB_ERROR_UNSUPPORTED, mask_first(call->step->mask),
               "'%s' is answered by the unit '%s', which this GPU does not have; the knob %s gives it one",
               call->call->name, kind->about.name, kind->present.name ? kind->present.name : "of its file");
    return NULL;
}

/* Without time the word is taken in at once, and so is every alarm: one may set the next. */
static void take_now(OuterUnit *unit, const UnitWord *word, Cycle now)
{
    unit->kind->take(unit, word, now);
    while (unit->alarm != CYCLE_NEVER) {
        const Cycle time = unit->alarm > now ? unit->alarm : now;
        unit->alarm = CYCLE_NEVER;
        unit->kind->alarm(unit, time);
    }
}

void unit_send(OuterUnit *unit, UnitWord word, Cycle now)
{
    if (!unit->latency) {
        take_now(unit, &word, now);
        return;
    }
    const UnitArrival arrival = {now + unit->latency, word};
    VEC_PUSH(&unit->arrivals, arrival);
    for (uint32_t i = unit->arrivals.count - 1; i > unit->first_arrival; i--) {
        if (unit->arrivals.items[i - 1].time <= arrival.time)
            break;
        unit->arrivals.items[i] = unit->arrivals.items[i - 1];
        unit->arrivals.items[i - 1] = arrival;
    }
    if (arrival.time < unit->shard.wake)
        unit->shard.wake = arrival.time;
}

/* A word that is sent within a window. */
typedef struct PostedWord {
    OuterUnit *unit;
    UnitWord word;
} PostedWord;

static void send_posted(void *context, Cycle time)
{
    PostedWord *posted = context;
    unit_send(posted->unit, posted->word, time);
    xfree(posted);
}

void unit_send_later(OuterUnit *unit, Machine *machine, UnitWord word)
{
    PostedWord *posted = xmalloc(sizeof *posted);
    *posted = (PostedWord){unit, word};
    machine_put_off(machine, send_posted, posted);
}

void unit_post(OuterUnit *unit, const IntrinsicCall *call, UnitWord word)
{
    Machine *machine = call->step->warp->block->launch->machine;
    if (machine->defer && call->call->intrinsic->posted)
        unit_send_later(unit, machine, word);
    else
        unit_send(unit, word, machine->clock);
}

/* -- all of them -- */

uint32_t outer_units_count(const GpuConfig *config)
{
    uint32_t count = 0;
    for (size_t i = 0; unit_kind_at(i); i++)
        count += is_present(unit_kind_at(i), config);
    return count;
}

Cycle outer_units_latency(const GpuConfig *config)
{
    Cycle least = CYCLE_NEVER;
    for (size_t i = 0; unit_kind_at(i); i++) {
        const UnitKind *kind = unit_kind_at(i);
        if (is_present(kind, config) && latency_of(kind, config) < least)
            least = latency_of(kind, config);
    }
    return least;
}

OuterUnit *unit_create(const UnitKind *kind, const GpuConfig *config, bool is_timed)
{
    OuterUnit *unit = xcalloc(1, sizeof *unit);
    unit->shard.advance = advance;
    unit->shard.wake = unit->alarm = unit->failure.time = CYCLE_NEVER;
    unit->kind = kind;
    unit->config = config;
    unit->latency = is_timed ? latency_of(kind, config) : 0;
    unit->counters = policy_count(kind->about.counters);
    unit->state = kind->create ? kind->create(unit) : NULL;
    return unit;
}

OuterUnits *outer_units_create(const GpuConfig *config, bool is_timed)
{
    OuterUnits *units = xcalloc(1, sizeof *units + outer_units_count(config) * sizeof(OuterUnit *));
    units->config = *config;
    for (size_t i = 0; unit_kind_at(i); i++)
        if (is_present(unit_kind_at(i), config))
            units->items[units->count++] = unit_create(unit_kind_at(i), &units->config, is_timed);
    return units;
}

void outer_units_connect(OuterUnits *units, Crossbar *crossbar)
{
    for (uint32_t i = 0; i < units->count; i++) {
        OuterUnit *unit = units->items[i];
        if (unit->kind->has_memory)
            unit->port = memory_port_create(&units->config, crossbar, &unit->shard,
                                            (uint32_t)units->config.sm_count + 1 + i);
        if (unit->kind->told)
            unit->link = hub_port_create(crossbar, &unit->shard);
    }
}

void unit_free(OuterUnit *unit)
{
    if (unit->kind->free)
        unit->kind->free(unit->state);
    xfree(unit->counters);
    memory_port_free(unit->port);
    hub_port_free(unit->link);
    VEC_FREE(&unit->arrivals);
    VEC_FREE(&unit->answers);
    xfree(unit);
}

void outer_units_free(OuterUnits *units)
{
    if (units && units->group && units->group->items[units->gpu] == units)
        units->group->items[units->gpu] = NULL;
    for (uint32_t i = 0; units && i < units->count; i++)
        unit_free(units->items[i]);
    xfree(units);
}

Cycle outer_units_next(const OuterUnits *units)
{
    Cycle next = CYCLE_NEVER;
    for (uint32_t i = 0; i < units->count; i++) {
        const OuterUnit *unit = units->items[i];
        if (unit->kind->is_looking && unit->kind->is_looking(unit))
            continue;
        const bool is_idle = (!unit->port || memory_port_is_idle(unit->port)) &&
                             !(unit->kind->is_busy && unit->kind->is_busy(unit)) &&
                             !unit_words_under_way(unit);
        next = clock_earlier(next, is_idle ? unit->shard.wake : 0);
    }
    return next;
}

uint64_t outer_units_changes(const OuterUnits *units)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < units->count; i++)
        sum += units->items[i]->changes;
    return sum;
}

void outer_units_begin(OuterUnits *units)
{
    for (uint32_t i = 0; i < units->count; i++) {
        OuterUnit *unit = units->items[i];
        if (!unit->kind->begin)
            continue;
        unit->arrivals.count = unit->first_arrival = 0;
        unit->alarm = CYCLE_NEVER;
        unit->shard.wake = next_turn(unit);
        unit->kind->begin(unit);
    }
}

bool outer_units_end(OuterUnits *units, const struct Family *root, Cycle now)
{
    bool has_counted = false;
    for (uint32_t i = 0; i < units->count; i++)
        if (units->items[i]->kind->end)
            has_counted |= units->items[i]->kind->end(units->items[i], root, now);
    return has_counted;
}

const UnitFailure *outer_units_failure(OuterUnits *units)
{
    UnitFailure *first = NULL;
    for (uint32_t i = 0; i < units->count; i++)
        if (units->items[i]->failure.time < (first ? first->time : CYCLE_NEVER))
            first = &units->items[i]->failure;
    if (first)
        first->time = CYCLE_NEVER;
    return first;
}

void *outer_units_counters(const OuterUnits *units, const StatTable *table)
{
    for (uint32_t i = 0; units && i < units->count; i++)
        if (units->items[i]->kind->about.counters == table)
            return units->items[i]->counters;
    return NULL;
}

void outer_units_account(const OuterUnits *units, const StatTable *table, Cycle now)
{
    for (uint32_t i = 0; units && i < units->count; i++)
        if (units->items[i]->kind->about.counters == table && units->items[i]->kind->account)
            units->items[i]->kind->account(units->items[i], now);
}

/* Writes behind what is there. */
static size_t append(char *text, size_t used, size_t size, const char *more)
{
    if (*more && used < size)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "", more);
    return used < size ? used : size - 1;
}

static size_t describe_units(const OuterUnits *units, char *text, size_t used, size_t size)
{
    char one[1400];
    for (uint32_t i = 0; units && i < units->count; i++)
        if (units->items[i]->kind->describe) {
            units->items[i]->kind->describe(units->items[i], one, sizeof one);
            used = append(text, used, size, one);
        }
    return used;
}

void outer_units_describe(const OuterUnits *units, char *text, size_t size)
{
    char others[1400], named[1440];
    text[0] = '\0';
    size_t used = describe_units(units, text, 0, size);
    for (uint32_t i = 0; units && units->group && i < units->group->count; i++) {
        others[0] = '\0';
        if (i == units->gpu || !describe_units(units->group->items[i], others, 0, sizeof others))
            continue;
        snprintf(named, sizeof named, "On GPU %u: %s", i, others);
        used = append(text, used, size, named);
    }
}
