/* Strands: collective calls that do not block, each on a stack and with a clock of its own, as if a thread of
 * MPI went on with them. Their code is that of the calls that block. They run on whichever thread of the
 * program reads the conductor's answers: until then the conductor lets nobody pass them, so their times do
 * not depend on when that is. */
#ifndef MPI_STRAND_H
#define MPI_STRAND_H

#include "mpi/request.h"

/* Begins the request, which is over when `body` has ended. */
void strand_start(RankRequest *request, void (*body)(void *context), void *context);
/* Of the strand that runs; 0: the rank itself does. */
uint32_t strand_number(void);
/* Of the strand that runs: others go on until its answer is there. */
uint8_t *strand_wait(Answer *answer);
/* The answer is a strand's, which goes on with it. */
void strand_go_on(const Answer *answer, uint8_t *bytes);
/* The program ends: waits for those that it has not waited for. */
void strand_wait_for_all(void);

#endif
