/* The groups of tests, each in the file that is named after it. */
#ifndef DEVICE_RNN_GROUPS_H
#define DEVICE_RNN_GROUPS_H

#include "net.h"

/* results.c: beside the reference. */
void test_ways(Program *program);    /* every kind, method, synchronization and type */
void test_layouts(Program *program); /* batch first, cuDNN's buffer, no states, lengths */
void test_sizes(Program *program);   /* odd and large ones */
void test_random(Program *program);
void test_long(Program *program);    /* runs of several launches */

/* runs.c: several of them. */
void test_repeats(Program *program); /* equal to the bit */
void test_graph(Program *program);   /* captured */
void test_streams(Program *program); /* two networks at once */
void test_busy(Program *program);

/* faults.c */
void test_watchdog(Program *program);
void test_nan(Program *program);
void test_errors(Program *program);

/* A way to run a network. */
typedef struct Way {
    const char *name;
    WbRnnOptions options;
} Way;

extern const Way ways[];
extern const size_t way_count;

/* Whether a way hangs again and again: it then fails without being tried, for each try takes a watchdog's
 * time. */
bool is_given_up(const Way *way);
/* Notes that a network by a way was stuck, if it was. */
void note_stuck(const Way *way, const Net *net);

#endif
