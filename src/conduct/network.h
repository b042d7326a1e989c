/* The network between the ranks of an MPI program, as the knobs of network.def say.
 *
 * Simulated time of ranks is counted in picoseconds from the program's begin, so that a byte on a fast
 * network has a length: 64 bits hold half a year. */
#ifndef CONDUCT_NETWORK_H
#define CONDUCT_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

enum { PICOSECONDS_PER_NANOSECOND = 1000 };
#define TIME_NEVER UINT64_MAX

typedef struct Network {
#define KNOB_INTEGER(field, initial, minimum, maximum, unit, description) uint64_t field;
#define KNOB_BOOLEAN(field, initial, description) bool field;
#include "conduct/network.def"
#undef KNOB_INTEGER
#undef KNOB_BOOLEAN
} Network;

/* As in "network_rate=25000\nnetwork_poll_ns=50\n", which `warpbeam run` makes of the GPU's configuration;
 * what is not there, or null, is as network.def has it. False: a line is none of these, and *line begins
 * there. */
bool network_read(const char *text, Network *network, const char **line);
uint64_t network_picoseconds(uint64_t nanoseconds);
/* How long a network card takes for so many bytes. */
uint64_t network_transfer(const Network *network, uint64_t bytes);
uint64_t network_latency(const Network *network);

#endif
