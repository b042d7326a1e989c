/* What the log of a kernel says, as part of the JSON report: what its blocks launched, and when they
 * waited. */
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

static void put_wait(JsonWriter *json, const LoggedWait *wait)
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
    json_close(json);
}

void report_events(JsonWriter *json, const EventLog *log)
{
    json_put_integer(json, "launch_count", log->launch_count);
    json_open_line(json, "sampled", '{');
    json_put_integer(json, "launches", log->launch_stride);
    json_put_integer(json, "waits", log->block_stride);
    json_close(json);
    json_open(json, "launches", '[');
    for (uint32_t i = 0; i < log->launches.count; i++)
        put_launch(json, log, &log->launches.items[i]);
    json_close(json);
    json_open(json, "waits", '[');
    for (uint32_t i = 0; i < log->waits.count; i++)
        put_wait(json, &log->waits.items[i]);
    json_close(json);
}
