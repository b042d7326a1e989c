/* Short branches that a GPU's assembler makes guards of.
 *
 * Where a branch only skips a few instructions, ptxas has no branch: the instructions get its predicate as
 * guard, and issue for every warp. Loads from afar can then be asked for with those before the
 * branch: for them, many instructions are guarded. docs/NATIVE.md, "Guards", has the limits and how they
 * were found. */
#ifndef PTX_GUARD_H
#define PTX_GUARD_H

#include "base/arena.h"
#include "ptx/module.h"

/* A copy of the function, owned by the arena, in which short branches have become guards; the function
 * itself where there are none. */
const Function *guard_function(const Module *module, const Function *function, Arena *arena);

#endif
