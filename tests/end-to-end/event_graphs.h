/* Random graphs of waits and signals, and a kernel that carries out what a table says of its blocks.
 *
 * A graph is a sequence of rounds. In each some blocks wait for an event and others signal to it, or both.
 * Blocks go through their rounds in order, so every graph can end. An event's number is used again as soon as
 * all who take part in the next round know, by waits of their own, that the last one is over. Who signals has
 * stored a word before, and who has waited looks at the words of all who signalled. */
#ifndef TESTS_EVENT_GRAPHS_H
#define TESTS_EVENT_GRAPHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel `k`, for harness.h. */
extern const char event_graphs_ptx[];

typedef struct EventGraphs {
    uint32_t blocks, rounds, waits, signals;
    uint32_t events;     /* numbers in use are below */
    uint32_t recycled;   /* rounds whose event's number had been used before */
    uint32_t *table;     /* the kernel's buffer: errors at [0] */
    size_t words;
} EventGraphs;

/* A signal to leave out: that of the round with this number, the first of it. */
enum { NOTHING_LEFT_OUT = UINT32_MAX };

typedef struct EventShape {
    uint32_t graphs, most_blocks, most_rounds; /* of each graph: from 2 to these */
    uint32_t seed;
    uint32_t left_out;     /* of the first graph, which has a signal less: NOTHING_LEFT_OUT or a round */
} EventShape;

/* All graphs side by side, with blocks and events of their own. left_event: the event of the round that is a
 * signal short. */
void event_graphs_make(EventGraphs *graphs, const EventShape *shape, uint32_t *left_event);
void event_graphs_free(EventGraphs *graphs);

#endif
