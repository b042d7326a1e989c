/* What the log of a kernel says, as part of the JSON report: what its blocks launched, when they
 * waited, in place or away, and when their contexts were moved. */
#include "report/report_events.h"

static void put_three(JsonWriter *json, const char *key, const uint32_t values[3])
{
    json_open(json, key, '[');
    for (int i = 0; i < 3; i++)
        json_put_integer(json, NULL, values[i]);
    json_close(json);
}

static void put_launch(JsonWriter *json, const EventLog *log, const LoggedLaunch *launch)
{
    json_open_line(json, NULL, '{');
    json_put_integer(json, "number", launch->number);
    json_put_text(json, "name", log->names.items[launch->name]);
    json_put_text(json, "kind", launch->is_group ? "group" : "kernel");
    put_three(json, "grid", launch->grid);
    put_three(json, "block", launch->block);
    json_put_integer(json, "parent", launch->parent);
    json_put_integer(json, "parent_block", launch->parent_block);
    json_put_integer(json, "launched", launch->launched);
    json_put_integer(json, "started", launch->started);
    json_put_integer(json, "ended", launch->ended);
    json_close(json);
}

/* The stay, not before `from` among the log's, that ended when the block left to wait; null: it is not kept.
 * Stays and waits are sorted alike. */
static const LoggedStay *stay_before(const EventLog *log, const LoggedWait *wait, uint32_t *from)
{
    const uint64_t number = wait->block.number;
    for (; *from < log->stays.count; ++*from) {
        const LoggedStay *stay = &log->stays.items[*from];
        if (stay->block.number == number && stay->time.left == wait->left)
            return stay;
        if (stay->block.number > number || (stay->block.number == number && stay->time.left > wait->left))
            break;
    }
    return NULL;
}

/* When its context began to be saved before the wait, and was restored behind it. */
static void put_moves(JsonWriter *json, const EventLog *log, const LoggedWait *wait, const LoggedStay *before)
{
    const LoggedStay *after = before + 1, *end = log->stays.items + log->stays.count;
    if (before->time.save_begun)
        json_put_integer(json, "save_begun", before->time.save_begun);
    if (after == end || after->block.number != wait->block.number || !after->time.restored ||
        after->time.dispatched != wait->returned)
        return;
    json_put_integer(json, "restore_begun", after->time.restore_begun);
    json_put_integer(json, "restored", after->time.restored);
}

static void put_wait(JsonWriter *json, const EventLog *log, const LoggedWait *wait, const LoggedStay *before)
{
    json_open_line(json, NULL, '{');
    json_put_integer(json, "launch", wait->block.launch);
    json_put_integer(json, "block", wait->block.index);
    json_put_text(json, "reason", log_wait_reason(wait));
    json_put_integer(json, "sm", wait->sm);
    json_put_integer(json, "left", wait->left);
    json_put_integer(json, "resumed", wait->resumed);
    json_put_integer(json, "returned", wait->returned);
    json_put_integer(json, "returned_sm", wait->back_sm);
    if (before)
        put_moves(json, log, wait, before);
    json_close(json);
}

/* What the block waited for in place; null: its warps met at a barrier. */
static const char *hold_reason(const BarrierPhase *phase)
{
    if (phase->name == PHASE_PAUSE_NAME)
        return "paused";
    return phase->name >= PHASE_WAIT_NAMES ? wait_texts[phase->name - PHASE_WAIT_NAMES].name : NULL;
}

static void put_holds(JsonWriter *json, const EventLog *log, const LoggedStay *stay)
{
    for (uint32_t i = 0; i < stay->barrier_count; i++) {
        const LoggedBarrier *hold = &log->barriers.items[stay->first_barrier + i];
        const char *reason = hold_reason(&hold->phase);
        if (!reason)
            continue;
        json_open_line(json, NULL, '{');
        json_put_integer(json, "launch", stay->block.launch);
        json_put_integer(json, "block", stay->block.index);
        json_put_text(json, "reason", reason);
        json_put_integer(json, "begun", hold->phase.arrived);
        json_put_integer(json, "ended", hold->phase.released ? hold->phase.released : stay->time.left);
        json_put_text(json, "at", log->names.items[hold->place]);
        json_close(json);
    }
}

void report_events(JsonWriter *json, const EventLog *log)
{
    uint32_t stay = 0;
    json_put_integer(json, "launch_count", log->launch_count);
    json_open_line(json, "sampled", '{');
    json_put_integer(json, "launches", log->launch_stride);
    json_put_integer(json, "waits", log->block_stride);
    json_put_integer(json, "holds", log->barrier_stride);
    json_close(json);
    json_open(json, "launches", '[');
    for (uint32_t i = 0; i < log->launches.count; i++)
        put_launch(json, log, &log->launches.items[i]);
    json_close(json);
    json_open(json, "waits", '[');
    for (uint32_t i = 0; i < log->waits.count; i++)
        put_wait(json, log, &log->waits.items[i], stay_before(log, &log->waits.items[i], &stay));
    json_close(json);
    if (!log->keeps_stays)
        return;
    json_open(json, "holds", '[');
    for (uint32_t i = 0; i < log->stays.count; i++)
        put_holds(json, log, &log->stays.items[i]);
    json_close(json);
}
