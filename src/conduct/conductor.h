/* The conductor: makes of what ranks do at simulated times one history that does not depend on how the
 * host schedules them.
 *
 * It knows of every rank whether it runs and since when, or what it waits for; and all messages under way.
 * What happens at a rank (a message arrives, the rank asks for something, a deadline passes) is an event
 * of that rank. An event acts on its own rank alone, and on others only by messages, which take at least
 * the network's latency. So the events of a rank may happen up to its horizon: the latency behind the
 * earliest instant at which any other rank can still do something, which is its time if it runs, and its
 * first event. They happen in the order of time; at one time arrivals come before what the rank asks, and
 * among arrivals those of lower ranks. That order is the same in every run.
 *
 * If no rank runs and there is no event, those that wait do so for ever: a deadlock, which is told with
 * every rank's call, peer and tag.
 *
 * A rank whose GPUs are simulated together with those of other ranks asks for leave to go on to a time, and
 * may send parcels to their simulations, which take at least the latency, too. It is let go on to its
 * horizon, but not beyond twice the latency behind the first thing that it can do: that may come back to it.
 * While it waits for a message it serves: it gets leave all the same.
 *
 * Collective calls that do not block go on beside their rank. Each is a *strand* of it, which has a time of
 * its own, sends, receives and waits; the rank waits for its end as for a message. What strands of one rank
 * ask at one time happens in the order of their numbers, behind what the rank itself asks then.
 *
 * It knows nothing of sockets (server.h) nor of MPI: answers are given to a function. */
#ifndef CONDUCT_CONDUCTOR_H
#define CONDUCT_CONDUCTOR_H

#include <stddef.h>

#include "conduct/ask.h"
#include "conduct/network.h"

typedef struct Conductor Conductor;

/* An answer with its tail. Each rank gets one for each ask that wants one, and at the program's end an
 * ANSWER_END, after which nothing more comes. */
typedef void ConductorAnswer(void *context, uint32_t rank, const void *bytes, size_t size);

/* All ranks run at time 0. */
Conductor *conductor_create(uint32_t ranks, const Network *network, ConductorAnswer *answer, void *context);
void conductor_free(Conductor *conductor);
/* What a rank asks, with its tail, which is copied. */
void conductor_take(Conductor *conductor, uint32_t rank, const Ask *ask, const void *tail);
/* Nothing more can come from that rank; unless it has said goodbye, the program ends. */
void conductor_lose(Conductor *conductor, uint32_t rank);
/* Why the program has ended early; empty: it has not. */
const char *conductor_sentence(const Conductor *conductor);
/* Whether all ranks have said goodbye, or it has ended early. */
bool conductor_is_over(const Conductor *conductor);

#endif
