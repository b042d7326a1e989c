/* The source lines of instructions, by number: of the CUDA source where the PTX names it, else of the PTX.
 * Instructions of one line have one number. */
#ifndef WATCH_PLACES_H
#define WATCH_PLACES_H

#include "base/map.h"
#include "base/vec.h"
#include "exec/program.h"
#include "watch/pair_map.h"

typedef struct Places {
    Arena arena;
    VEC(const char *) texts; /* "sor.cu:41" */
    Map numbers;             /* of texts */
    PairMap known;           /* numbers by grid and place in the code */
} Places;

/* `grid` tells programs apart: it always has the same one. */
uint32_t places_find(Places *places, uint32_t grid, const Program *program, const Insn *insn);
void places_free(Places *places);

#endif
