/* How a simulation that is spread over processes goes on: each process simulates the GPUs of its node
 * (api/spread.h), asks for leave to go on to a time, and sends parcels to others, which arrive the network's
 * latency later at the earliest. Times are picoseconds. */
#ifndef CONDUCT_TRANSPORT_H
#define CONDUCT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void TransportTake(void *taker, const void *bytes, size_t size);

/* Leave to go on. */
typedef struct Leave {
    uint64_t until;
    bool is_alone; /* nothing comes from others unless this process sends something */
    bool is_over;  /* the program ends */
} Leave;

/* One of `nodes` processes. */
typedef struct Transport {
    uint32_t node, nodes;
    /* Bytes of a process that is at time `now`, for another one. */
    void (*send)(uint32_t node, uint64_t now, uint64_t arrival, const void *bytes, size_t size);
    /* Leave for a process that is at time `now`, has nothing to do before `next`, and wants to go on to
     * `until`. What arrives before the end of the leave is given to `take`. */
    Leave (*leave)(uint64_t now, uint64_t next, uint64_t until, TransportTake *take, void *taker);
} Transport;

#endif
