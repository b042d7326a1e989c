/* A Cilk program becomes CUDA C, then PTX, with a flow graph [channels §5.2]. */
#ifndef CILK_TRANSLATE_H
#define CILK_TRANSLATE_H

#include "cilk/graph.h"

/* Functions that are tasks or are spawned become kernels: all, or only `called`, whatever it is, and what
 * it spawns and calls in turn. Returns the CUDA C, to be given to xfree(), and fills the graph; null: the
 * error says why not. The graph is to be freed in both cases. */
char *cilk_translate(const CilkProgram *program, uint32_t levels, const CilkFunction *called,
                     CilkGraph *graph, Error *error);

/* The PTX of that, the graph's description at its head; to be given to xfree(). clang 14 does it: $CLANG, or
 * clang. Null: the error says why not. */
char *cilk_compile(const CilkProgram *program, const char *text, const CilkGraph *graph, Error *error);

#endif
