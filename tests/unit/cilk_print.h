/* Writes the tree of a Cilk program as C, spawns as calls and syncs as nothing: what the tree says can be
 * compiled and compared with what the program says. */
#ifndef CILK_PRINT_H
#define CILK_PRINT_H

#include <stdio.h>

#include "cilk/ast.h"

/* Names of functions, globals and records get `tree_` before them, so that both fit into one file. */
void cilk_print(FILE *to, const CilkProgram *program);

#endif
