/* Where contexts lie in global memory [thesis §4.4.1].
 *
 * Contexts have a range of addresses of their own, behind that of local memory: bit 63, as that has, and bit
 * 48. Nobody else reads them, and a block keeps its values itself, so there are no bytes behind them: what is
 * real is their place in slices and DRAM channels, and that they take of the GPU's memory.
 *
 * Static: each kernel has a region with room for the largest context of each of its blocks. On demand: an SM
 * takes pages as blocks leave it. A context of at most a small page has one to itself; larger ones share out
 * large pages. A block keeps its room until its kernel has ended, wherever it goes on, and takes another if
 * its context has grown. Tasks of
 * flow graphs come and go by the million, and each goes on on its own SM: a wavefront that may yield has room
 * from its beginning to its end [channels §6], and the next one has it then.
 *
 * An SM's pages are its own, so it needs to ask nobody. That they take of global memory is noted at the end
 * of the window, in the order of cycles, and is an error where that has no room. */
#ifndef SM_CONTEXT_POOL_H
#define SM_CONTEXT_POOL_H

#include "exec/context.h"

typedef struct Sm Sm;
typedef struct SmKernel SmKernel;

#define CONTEXT_BASE (1ull << 63 | 1ull << 48)
#define CONTEXT_PAGES (1ull << 47) /* from here on, counted from the base: pages of the SMs */
enum { CONTEXT_SM_BITS = 34, CONTEXT_SMALL_BITS = 12, CONTEXT_LARGE_BITS = 21 };

/* A page. Invariant: owner is 0 exactly while it is free, and else one more than the number of the host's
 * kernel that it was taken for; used is a multiple of a line. */
typedef struct ContextPage {
    uint32_t owner, used;
} ContextPage;

typedef struct ContextPages {
    VEC(ContextPage) pages;
    uint32_t first_free;      /* none before it is */
    uint32_t open;            /* of large ones: that was last taken of */
} ContextPages;

/* A static region that this SM was the first to need. */
typedef struct ContextRegion {
    uint32_t owner;           /* as of a page */
    uint64_t bytes;
} ContextRegion;

/* Room that a wavefront had, for the next one of its kernel. */
typedef struct WaveRoom {
    uint32_t owner;           /* as of a page */
    uint64_t address, bytes;
} WaveRoom;

/* The pages of an SM: all that it ever had at once. */
typedef struct ContextPool {
    ContextPages small, large;
    VEC(ContextRegion) regions;
    VEC(WaveRoom) rooms;      /* that no wavefront has; the last is taken first */
    uint64_t wave_bytes;      /* of rooms that wavefronts have */
    uint64_t bytes;           /* of what is taken */
} ContextPool;

void context_pool_free(ContextPool *pool);
/* Gives the block, which is on this SM, room for so many bytes of context. */
void context_pool_take(Sm *sm, const SmKernel *kernel, Block *block, uint64_t bytes);
/* The same for a wavefront that begins, for the largest context that it can have; and its room is free again
 * when it has ended. */
void context_pool_take_wave(Sm *sm, const SmKernel *kernel, Block *block);
void context_pool_give_wave(Sm *sm, const SmKernel *kernel, Block *block);
/* Pages of the host's kernel, which has ended, are free again. Between windows. */
void context_pool_give_back(ContextPool *pool, uint32_t number);

/* Bytes between the contexts of blocks in the kernel's static region. */
uint64_t context_stride(const Launch *launch, const GpuConfig *config);

#endif
