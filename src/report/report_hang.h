/* What the reports say of kernels that did not end. */
#ifndef REPORT_REPORT_HANG_H
#define REPORT_REPORT_HANG_H

#include "api/gpu.h"
#include "report/json.h"

/* The fields status, interrupted, failure and hang of a kernel. */
void report_put_status(JsonWriter *json, const KernelRecord *record);
/* Sentences and a table of the blocks that wait, for people; nothing of a kernel that ended. */
void report_put_failure(const KernelRecord *record, FILE *to);

#endif
