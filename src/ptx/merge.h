/* Linking PTX texts: several parsed modules become one, as nvlink makes one of the objects of nvcc
 * -rdc=true. */
#ifndef PTX_MERGE_H
#define PTX_MERGE_H

#include "ptx/module.h"

/* Names that are .visible, .weak, .common or .extern mean the same thing in all modules; others stay apart.
 * Of several definitions one that is not weak wins, of several weak ones the first, of common ones the
 * largest. Two that are not weak are an error that names both files, as are declarations that contradict
 * each other. A declaration that nothing defines stays one: who uses it is told when a kernel is linked.
 *
 * Takes the modules over, whatever the outcome. On failure *merged is null. */
WbStatus module_merge(Module **modules, uint32_t count, Module **merged, Error *error);

#endif
