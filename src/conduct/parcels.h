/* A transport's functions over a connection to the conductor (conduct/client.h). */
#ifndef CONDUCT_PARCELS_H
#define CONDUCT_PARCELS_H

#include "conduct/ask.h"
#include "conduct/transport.h"

/* Asks, and waits for the answer; its tail is to be given to xfree(). */
typedef uint8_t *ParcelsAnswer(const Ask *ask, Answer *answer);
void parcels_send(uint32_t node, uint64_t now, uint64_t arrival, const void *bytes, size_t size);
Leave parcels_leave(uint64_t now, uint64_t next, uint64_t until, TransportTake *take, void *taker,
                      ParcelsAnswer *answer);
/* Of an ANSWER_LEAVE or ANSWER_ALONE: gives the parcels of its tail. */
Leave parcels_take(const Answer *answer, const uint8_t *tail, TransportTake *take, void *taker);

#endif
