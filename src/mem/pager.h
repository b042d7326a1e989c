/* The pager: what the driver on the host does about managed memory (mem/homes.h) while kernels run.
 *
 * A GPU's hub that holds a request for a block which the GPU cannot use tells the pager of a fault, once for
 * all requests of the block. The pager takes up to managed_fault_batch faults at a time, is busy with them
 * for managed_fault_ns, and then decides for each:
 *   - a block that is where the program prefers it is mapped for the GPU, which reaches it there then;
 *   - of a block that is mostly read a load gets the GPU a copy;
 *   - a block that has moved managed_pin_moves times because of faults stays, and is mapped for all;
 *   - any other block moves to the GPU. Copies that others have are given up.
 * A block moves at the rate of the link or of PCIe, one behind the other from and to a node. The hub is told
 * when it can go on. It is a shard in the world's cycles, behind the host's memory. */
#ifndef MEM_PAGER_H
#define MEM_PAGER_H

#include "mem/homes.h"
#include "mem/link.h"

typedef struct Pager Pager;

/* Messages. MESSAGE_FAULT, from a hub: the block's address, with the GPU from bit FAULT_GPU_BIT on and bit 0
 * set if it is to be written. MESSAGE_SETTLED, to a hub: the same value. MESSAGE_LEAVES, to a hub and on to
 * its partitions: a block's address, and the power of two that its size is, goes from the GPU's memory. */
enum { MESSAGE_FAULT = 80, MESSAGE_SETTLED, MESSAGE_LEAVES };
enum { FAULT_GPU_BIT = 1, FAULT_GPU_MASK = 0x1f };
#define PAGER_BLOCK_MASK (~(uint64_t)0xfff)

/* Fabric and homes must outlive it; it enters itself into the fabric. The configuration is the system's first
 * GPU's. */
Pager *pager_create(Fabric *fabric, Homes *homes, const GpuConfig *config);
void pager_free(Pager *pager);
Shard *pager_shard(Pager *pager);
/* Between windows, in cycle `now`: moves that it did not make have come to their ends. */
void pager_look_again(Pager *pager, Cycle now);

#endif
