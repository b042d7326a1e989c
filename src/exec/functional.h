/* Functional mode: runs a launch to its end with no timing.
 *
 * Up to `resident_blocks` blocks are in flight, as they would be on the GPU; each warp of each of them
 * runs `turn` instructions and then the next one's turn comes, so that a block that waits for another
 * resident block gets its answer. A block that ends makes room for the next of the grid. */
#ifndef EXEC_FUNCTIONAL_H
#define EXEC_FUNCTIONAL_H

#include "exec/machine.h"

typedef struct FunctionalLimits {
    uint32_t turn;            /* warp instructions before the next warp's turn; at least 1 */
    uint32_t resident_blocks; /* at least 1 */
    uint64_t instructions;    /* warp instructions after which the launch counts as hanging; 0: none */
} FunctionalLimits;

/* launch->error holds the sentence when the result is not WB_OK. */
WbStatus functional_run(Launch *launch, const FunctionalLimits *limits);

#endif
