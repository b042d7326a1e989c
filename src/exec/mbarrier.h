/* The mbarrier object: phases that end when enough arrivals and enough bytes have come.
 *
 * PTX leaves the format of its 64 bits open. Ours:
 *
 *   63 62 | 61    | 60 .. 40         | 39 .. 20 | 19 .. 0
 *    1  0 | phase | bytes expected,  | arrivals | arrivals still
 *         |       | signed           | a phase  | missing
 *
 * The two top bits tell an object from memory that was never initialized. A state token, as arrive
 * returns it, is the object just before that arrival. Of phases only the parity is kept: a program may
 * ask for the current phase and for the one before, which is all that PTX allows. */
#ifndef EXEC_MBARRIER_H
#define EXEC_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

enum { MBARRIER_MAX = (1 << 20) - 1 };
#define MBARRIER_ELSEWHERE "mbarrier objects live in shared memory only"

/* A fault is a sentence that says what is wrong with the use of an object, or null. After a fault the
 * object is as it was. */
typedef const char *MbarrierFault;

MbarrierFault mbarrier_init(uint64_t *object, uint64_t count);
MbarrierFault mbarrier_check(uint64_t object);
/* `drop`: later phases expect as many arrivals fewer. `keeps_phase`: this must not be the last arrival. */
MbarrierFault mbarrier_arrive(uint64_t *object, uint64_t count, bool drop, bool keeps_phase);
/* The current phase, and none after it, expects one arrival more. */
MbarrierFault mbarrier_raise(uint64_t *object);
/* The current phase waits for `bytes` more (expect), or has got them (complete). */
MbarrierFault mbarrier_expect(uint64_t *object, uint64_t bytes);
MbarrierFault mbarrier_complete(uint64_t *object, uint64_t bytes);
uint32_t mbarrier_pending(uint64_t token);
unsigned mbarrier_parity(uint64_t object);

#endif
