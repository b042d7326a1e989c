/* Reports of what a GPU has run: JSON for programs, a page of text for people (docs/STATISTICS.md).
 *
 * Everything but the JSON's `host` depends only on configuration and launches: the same bytes for any number
 * of threads, on any host. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>

#include "warpbeam.h"

typedef struct ReportOptions {
    bool details; /* every SM, scheduler, slice, channel and port, not only sums */
    bool blocks;  /* every block: SM, dispatched, started, ended */
} ReportOptions;

void report_json(const WbGpu *gpu, const ReportOptions *options, FILE *to);
void report_text(const WbGpu *gpu, const ReportOptions *options, FILE *to);
/* A table: a row for each kernel, a column for each counter. */
void report_csv(const WbGpu *gpu, FILE *to);
/* What a whole program did, in one screen at most: kernels of one name together, the longest first. */
void report_summary(const WbGpu *gpu, FILE *to);

/* Accesses of blocks that no dependency puts in order, a line each; nothing where there are none. */
void report_violations(const WbGpu *gpu, FILE *to);

#endif
