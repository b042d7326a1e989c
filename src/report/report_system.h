/* What reports say of all GPUs of a system together. */
#ifndef REPORT_REPORT_SYSTEM_H
#define REPORT_REPORT_SYSTEM_H

#include "api/gpu.h"
#include "report/json.h"
#include "report/report.h"

/* Whether reports are of several GPUs, some of which may have been closed. */
static inline bool report_is_several(const System *system) { return system->gpus.count > 1; }
/* The GPU that was told what it runs; where none was, the first. */
const WbGpu *report_described(const System *system);
/* Whether reports of any of the GPUs show counters of the component. */
bool report_shows(const System *system, unsigned component);
/* "4 x h200"; of GPUs that differ "4 GPUs"; of one its name. */
const char *report_name_gpus(const System *system, char *text, size_t size);
/* A statistic of all GPUs together, by its place or by its name. */
uint64_t report_total(const System *system, size_t index);
uint64_t report_total_named(const System *system, const char *name);

/* What limited a GPU, or the system. */
void report_put_limit(JsonWriter *json, const RunLimit *limit);
/* `ratios` of all kernels of a GPU together. */
void report_put_ratios(JsonWriter *json, const WbGpu *gpu);
/* The objects `system`, `time`, `limited_by`, `totals`, `ratios` and `links` of the JSON. */
void report_put_system(JsonWriter *json, const System *system);
/* `sources`: files of all GPUs, each once; nothing where none are known. */
void report_put_sources(JsonWriter *json, const System *system);
void report_put_host(JsonWriter *json, const System *system);

#endif
