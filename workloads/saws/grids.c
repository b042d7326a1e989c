/* Programs of the suite claso with other grids: those of the CLASO paper [table 2] fill the SMs of gtx970
 * about once, and what is left over would hide what its schedulers do. Work of a block stays.
 *
 * bp: Rodinia's usual 65,536 inputs make 4,096 blocks, the full size; small are 1,024, where 104 fit at once.
 * bs: small are 416 blocks, twice as many as fit, and full the published 240. fwt: small are 512 blocks in a
 * pass over global memory and 256 in shared memory, 2^19 values; the SDK has 2^23, the full size. nn: small
 * are fewer, 13 images instead of 27. Its third layer, which takes most of the time, has so few warps in any
 * case that they only wait for memory, and half of the images do. sla: arrays of 256 blocks, the most that
 * its second kernel can add up, one and a batch of two. sp: 416 blocks, four times as many as fit.
 *
 * Not here: bfs, cp and mc have enough blocks; kms and lib, with some more than fit, would take too long. */
#include "claso/claso.h"
#include "saws/saws.h"

static BenchmarkRun with_blocks(const BenchmarkRun *run, uint32_t small, uint32_t full)
{
    BenchmarkRun other = *run;
    if (!run->blocks && run->size != INPUT_TINY)
        other.blocks = run->size == INPUT_SMALL ? small : full;
    return other;
}

/* The program with so many blocks at sizes small and full. */
#define WITH_BLOCKS(program, small, full)                                                                    \
    bool saws_##program##_run(Host *host, const BenchmarkRun *run)                                           \
    {                                                                                                        \
        const BenchmarkRun other = with_blocks(run, small, full);                                            \
        return claso_##program##_run(host, &other);                                                          \
    }

WITH_BLOCKS(bp, 1024, 4096)
WITH_BLOCKS(bs, 416, 240)
WITH_BLOCKS(fwt, 512, 8192)
WITH_BLOCKS(nn, 78, 162)
WITH_BLOCKS(sla, 256, 256)
WITH_BLOCKS(sp, 416, 416)
