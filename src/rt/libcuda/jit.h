/* Options of the just-in-time compiler, which we do not have. */
#ifndef LIBCUDA_JIT_H
#define LIBCUDA_JIT_H

#include "rt/rt.h"

/* Ends a call that had such options with its error, which it returns. All options are accepted; those that
 * want an answer get one: no time was spent, there is nothing to tell, and what is wrong stands in the error
 * log. */
RtError jit_answer(unsigned count, const int *options, void **values, RtError error);

/* The logs that a linker was made with. The program keeps them, and the list of values, in which the length
 * of a log replaces its size, as long as the linker. */
typedef struct JitLogs {
    char *errors;        /* null: none is wanted */
    size_t room, length; /* of errors */
    void **length_place;
} JitLogs;
JitLogs jit_keep(unsigned count, const int *options, void **values);
/* Adds what the last failure said, if there is an error, which it returns. */
RtError jit_note(JitLogs *logs, RtError error);

#endif
