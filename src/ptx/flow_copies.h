/* Shared memory of a kernel that only repeats global memory: which of its loads and stores copy it [sync
 * thesis §4.4.2]. A block that leaves its SM need not save such bytes; they can be read again.
 *
 * A shared variable counts if
 *   - all stores to it take their values, unchanged and of the same width, from loads of global memory,
 *   - no store to it can come after a call by which the block may leave (wb_global_sync, wb_wait),
 *   - that global memory is of kernel parameters or module variables that the kernel nowhere writes.
 * Where an address or a function that is called leaves open what is written, nothing counts: see
 * flow_pointer.h. Two parameters count as different memory here; whether they are is known at the launch, so
 * the pointers that are read and written are part of the result. */
#ifndef PTX_FLOW_COPIES_H
#define PTX_FLOW_COPIES_H

#include "ptx/flow_pointer.h"

/* The value of one element of a store: so many bytes into what a load has brought. */
typedef struct CopyElement {
    uint32_t load;       /* the number of the load among those that are copied */
    uint32_t offset;
} CopyElement;

/* Owned by the arena that was given. */
typedef struct FlowCopies {
    uint32_t load_count;         /* 0: nothing counts */
    uint32_t *loads;             /* [insn_count] number of the load, or NO_INDEX */
    const CopyElement **stores;  /* [insn_count] of a store that copies, its elements in order; else null */
    const PointerRoot *sources;  /* that such loads read */
    uint32_t source_count;
    const PointerRoot *written;  /* that the kernel writes */
    uint32_t written_count;
} FlowCopies;

/* Of a kernel. Null: it has no such memory. */
FlowCopies *flow_copies_find(const Module *module, const Function *kernel, Arena *arena);

#endif
