/* CUDA C of a Cilk program: what is written where.
 *
 * All names of the program end with an underscore, so that they can be no words of C++ or CUDA and none of
 * ours. Lines are those of the Cilk source. */
#ifndef CILK_EMIT_H
#define CILK_EMIT_H

#include "cilk/graph.h"
#include "cilk/split.h"

/* A function that becomes kernels. */
typedef struct CilkUnit {
    const CilkFunction *function;
    CilkSplit split; /* of a task; of another function that is spawned it is empty */
    uint32_t stack;  /* its first; group g has stack + 1 + g */
} CilkUnit;

/* Invariant: split and unit are null in a function that is called, not spawned. */
typedef struct CilkEmit {
    FILE *out;
    const CilkProgram *program;
    CilkGraph *graph;
    Arena *arena; /* for text */
    VEC(CilkUnit) units;
    const CilkFunction *function;
    const CilkUnit *unit;
    const CilkSplit *split;
    uint32_t depth;  /* of blocks */
    CilkPlace place; /* that the next line of text is charged to */
} CilkEmit;

/* A line of its own, indented. */
void cilk_line(CilkEmit *emit, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What follows is of this place of the source. */
void cilk_at(CilkEmit *emit, CilkPlace place);
/* "int n_"; an empty name gives the type alone. */
const char *cilk_named(CilkEmit *emit, const CilkType *type, const char *name);
/* The unit of a function; null: it has no kernels. */
const CilkUnit *cilk_unit_of(const CilkEmit *emit, const CilkFunction *function);

void cilk_emit_expression(CilkEmit *emit, const CilkExpression *expression);
/* The expression as text. */
const char *cilk_expression_text(CilkEmit *emit, const CilkExpression *expression);
void cilk_emit_statement(CilkEmit *emit, const CilkStatement *statement);

/* -- of tasks -- */

/* Structs of elements. */
void cilk_emit_elements(CilkEmit *emit, const CilkUnit *unit);
/* The kernels of a unit. */
void cilk_emit_kernels(CilkEmit *emit, const CilkUnit *unit);
/* Reserves the group's frame, if there is none yet. */
void cilk_emit_frame(CilkEmit *emit, uint32_t group);
void cilk_emit_spawn(CilkEmit *emit, const CilkStatement *statement);
void cilk_emit_sync(CilkEmit *emit, const CilkStatement *statement);
void cilk_emit_return(CilkEmit *emit, const CilkExpression *value);

/* -- of the program -- */

void cilk_emit_records(CilkEmit *emit);
bool cilk_emit_globals(CilkEmit *emit, Error *error);

#endif
