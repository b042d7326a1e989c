/* Reports of what a GPU has run: JSON for programs, a page of text for people (docs/STATISTICS.md). That of a
 * GPU of a system of several is of all of them.
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
/* The schema of that JSON; docs/report.schema.json is what this writes. */
void report_schema(FILE *to);
/* Knobs that say how the simulation runs and never change what it finds out: they are the host's. */
bool report_is_host_knob(const char *name);
/* Knobs that say what is kept for reports, and change nothing of what the machine does. */
bool report_is_recording_knob(const char *name);
/* A table: a row for each kernel, a column for each counter. */
void report_csv(const WbGpu *gpu, FILE *to);
/* What a whole program did, in one screen at most: how long, what limited it, kernels of one name together,
 * the longest first, and with the knob profile_lines the lines where warps spent their time. */
void report_summary(const WbGpu *gpu, FILE *to);
/* What limited all that ran; there is a record. */
typedef struct RunLimit {
    const char *kind; /* name of a Limit, or "host" */
    char text[600];
} RunLimit;
void report_limit(const WbGpu *gpu, RunLimit *limit);
struct System;
/* The same of all GPUs of a system. */
void report_limit_of_all(const struct System *system, RunLimit *limit);
/* What the knob timed_kernels left out; nothing where that is nothing. */
void report_untimed(const WbGpu *gpu, FILE *to);
/* That samples are coarser than they were asked for, where they are. */
void report_samples(const WbGpu *gpu, FILE *to);
/* The lines alone; nothing where none are kept. */
void report_lines(const WbGpu *gpu, FILE *to);
/* Words of the text in lines of a page's width, each with that many spaces before it. */
void report_wrapped(const char *text, unsigned indent, FILE *to);

/* Accesses of blocks that no dependency puts in order, a line each; nothing where there are none. */
void report_violations(const WbGpu *gpu, FILE *to);

#endif
