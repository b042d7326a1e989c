/* Whether the times of two runs say which one is faster. */
#ifndef CLI_COMPARABLE_H
#define CLI_COMPARABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether some kernel of the report was cut off before its end. */
bool report_is_cut_off(const json_t *report);
/* Why there is no speedup of `to` over `from`, in a few words; null: there is one. */
const char *report_why_no_speedup(const json_t *from, const json_t *to, char *text, size_t size);
/* Cycles from the launch of the first kernel to the end of the last; of several GPUs, those of the system. */
double report_kernel_cycles(const json_t *report);
/* The name of a kernel of a report for people. */
const char *report_kernel_name(const json_t *kernel);

#endif
