/* The flow graph of a translated program: a stack of channels and a kernel node for each kernel, and what
 * can be called. Its description stands in comments at the head of the program's PTX, which so is all that
 * is needed to run it. */
#ifndef CILK_GRAPH_H
#define CILK_GRAPH_H

#include <stdio.h>

#include "base/vec.h"
#include "cilk/ast.h"

enum { CILK_USUAL_LEVELS = 64, CILK_MOST_LEVELS = 4096, CILK_MOST_ELEMENT = 1 << 20 };

/* Kernel and stack have the same name: fib_0 before any sync, fib_1 and so on behind one. Level l of stack
 * s is channel s * levels + l. */
typedef struct CilkStack {
    const char *name;
    uint32_t element_bytes;
    bool is_after;
} CilkStack;

/* The kernel of `node` puts elements into the stack. */
typedef struct CilkEdge {
    uint32_t node, stack;
} CilkEdge;

/* A function that can be called from outside: its stack, and how C declares it: "int fib(int n)". */
typedef struct CilkEntry {
    uint32_t stack;
    const char *declaration;
} CilkEntry;

typedef struct CilkGraph {
    Arena arena;
    uint32_t levels;
    VEC(CilkStack) stacks;
    VEC(CilkEdge) edges;
    VEC(CilkEntry) entries;
} CilkGraph;

void cilk_graph_free(CilkGraph *graph);
void cilk_graph_add_edge(CilkGraph *graph, uint32_t node, uint32_t stack);

/* The element of a function's stack: the address of what it returns, unless that is nothing, then
 * parameters. */
uint64_t cilk_parameter_offset(const CilkFunction *function, uint32_t parameter);
uint64_t cilk_task_bytes(const CilkFunction *function);

/* The description as comments of PTX. */
void cilk_graph_print(const CilkGraph *graph, FILE *out);
/* Reads what that printed; text ends with a null character. False: it is no program of ours, and the error
 * names the file `path` and says why. */
bool cilk_graph_read(const char *path, const char *text, CilkGraph *graph, Error *error);
/* A program that has the entries as functions, without doing anything: what a call is checked against. Null:
 * the error says why not. */
CilkProgram *cilk_graph_program(const CilkGraph *graph, const char *path, Error *error);
/* The stack of a function that can be called. False: it cannot. */
bool cilk_graph_find(const CilkGraph *graph, const CilkFunction *function, uint32_t *stack);

#endif
