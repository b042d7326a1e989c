/* Runs a command to its end and tells what it cost, for benchmarks that measure what users run. */
#ifndef COMMON_TIMED_H
#define COMMON_TIMED_H

#include <stdbool.h>
#include <stddef.h>

/* Of one process and its children. */
typedef struct Timed {
    double wall, seconds; /* by the clock, and of processors */
    double instructions;  /* 0: this machine does not tell */
} Timed;

/* `words[0]` is its path; null ends them. What it prints is lost but for errors. False: it failed. */
bool timed_run(char **words, Timed *cost);
/* The path of the warpbeam program that was built beside the running one. */
bool timed_warpbeam(char *path, size_t size);

#endif
