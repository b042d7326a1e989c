/* Options of the just-in-time compiler, which we do not have. */
#ifndef LIBCUDA_JIT_H
#define LIBCUDA_JIT_H

#include "rt/rt.h"

/* Ends a call that had such options with its error, which it returns. All options are accepted; those that
 * want an answer get one: no time was spent, there is nothing to tell, and what is wrong stands in the error
 * log. */
RtError jit_answer(unsigned count, const int *options, void **values, RtError error);

#endif
