/* The serial elision on the host: the program with cilk_spawn and cilk_sync taken away is C, which cc
 * compiles and the host runs. */
#ifndef CILK_HOST_H
#define CILK_HOST_H

#include "cilk/call.h"

/* Calls the function of the program at `path` in a process of its own; *result has no type if it returns
 * nothing. The C compiler is $CC, or cc. */
WbStatus cilk_host_run(const char *path, const CilkCall *call, CilkValue *result, Error *error);

#endif
