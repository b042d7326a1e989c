/* What limited a kernel: one answer, from where the slots of its schedulers went and how busy the memory was
 * (docs/STATISTICS.md, "What limited it"). Text, JSON and HTML show what this says. */
#ifndef REPORT_LIMIT_H
#define REPORT_LIMIT_H

#include "report/ratio.h"

typedef enum Limit {
#define LIMIT(identifier, title, slots) LIMIT_##identifier,
#include "report/limit.def"
#undef LIMIT
    LIMIT_COUNT
} Limit;

typedef struct LimitRow {
    const char *name, *title, *slots;
} LimitRow;

extern const LimitRow limit_rows[LIMIT_COUNT];

/* Of one launch, or of several together. Invariant: slots[] sum to `all`, cycles of the kernel times
 * schedulers of all SMs; kind is the largest. */
typedef struct KernelLimit {
    Limit kind;
    uint64_t slots[LIMIT_COUNT], all;
    Ratio dram, l2;       /* how busy: the bus; the busiest of crossbar and slices */
    Ratio warps;          /* resident ones of an SM that has a block */
    uint64_t most_warps;  /* that fit */
    const char *why_few;  /* of less than half of them; null: more, or nobody knows */
} KernelLimit;

enum { LIMIT_TEXT_SIZE = 400 };

KernelLimit limit_of(const KernelRecord *record, const KernelSums *sums, const GpuConfig *config);
/* "memory latency: 61% of the schedulers' slots waited ..., barriers 20%; DRAM 34% busy, ...". */
const char *limit_text(const KernelLimit *limit, char text[LIMIT_TEXT_SIZE]);
/* Adds another launch. */
void limit_add(KernelLimit *limit, const KernelLimit *other);

#endif
