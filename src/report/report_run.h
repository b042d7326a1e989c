/* What a report is of, and how long that took: said in one place, so that every output says the same. */
#ifndef REPORT_REPORT_RUN_H
#define REPORT_REPORT_RUN_H

#include "api/gpu.h"
#include "report/json.h"

/* In cycles of the SMs, or of the system. */
typedef struct RunTimes {
    Cycle kernels; /* from the launch of the first kernel that was timed to the end of the last: "how long" */
    Cycle busy;    /* of these, with a kernel that was timed */
    Cycle all;     /* since GPUs were opened: also copies before and behind, and what the host does */
} RunTimes;

RunTimes run_times(const WbGpu *gpu);
/* Of all GPUs together, in cycles of the system. */
RunTimes run_times_of_all(const System *system);
/* Cycles of that clock as microseconds. */
Ratio run_microseconds(uint64_t khz, Cycle cycles);

/* The objects `run` and `time` of the JSON. */
void report_put_run(JsonWriter *json, const WbGpu *gpu);
void report_put_time(JsonWriter *json, const WbGpu *gpu);
void report_put_time_of_all(JsonWriter *json, const System *system);

#endif
