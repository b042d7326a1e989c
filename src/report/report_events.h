/* The part of the JSON report that comes from a kernel's log (knob timeline). */
#ifndef REPORT_REPORT_EVENTS_H
#define REPORT_REPORT_EVENTS_H

#include "grid/event_log.h"
#include "report/json.h"

/* Fields of a kernel: launch_count, sampled, launches, waits. */
void report_events(JsonWriter *json, const EventLog *log);

#endif
