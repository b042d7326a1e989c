/* The device's address space: 49 bits, sparse, every byte belonging to an allocation or to none.
 *
 *   0x0_0000_0000_0000 ..                unmapped: null pointers and small offsets from them
 *   0x0_0002_0000_0000 .. 0x0_FFFF_..    global memory: allocations, module variables, device heap; host
 *                                        memory that the device may reach, at its own address
 *   0x1_0000_0000_0000 + 16 MiB          generic window of the block's shared memory
 *   0x1_0001_0000_0000 + 16 MiB          generic window of the thread's local memory
 *   0x1_0002_0000_0000 + 64 KiB          generic window of the kernel's parameters
 *   0x1_0003_0000_0000 ..                function addresses, 16 apart; not readable
 *   0x1_0004_0000_0000 ..                tables of units beside the SMs; not readable
 *
 * Constant variables live in global memory; their addresses are the same in both spaces. */
#ifndef MEM_SPACE_H
#define MEM_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/tree.h"
#include "mem/backing.h"
#include "mem/homes.h"

#define SPACE_GLOBAL_BASE 0x0000200000000ull
#define SPACE_HOME_SHIFT  40 /* GPU i of a system has its device memory from i << this on */
#define SPACE_HOST_BASE   0x0200000000000ull /* from here on host memory, at its own address */
#define SPACE_NULL_END    0x0000000100000ull /* an address below is likely a null pointer with an offset */
#define SPACE_GLOBAL_END  0x1000000000000ull
#define SPACE_SHARED_BASE 0x1000000000000ull
#define SPACE_LOCAL_BASE  0x1000100000000ull
#define SPACE_PARAM_BASE  0x1000200000000ull
#define SPACE_CODE_BASE   0x1000300000000ull
#define SPACE_UNIT_BASE   0x1000400000000ull
#define SPACE_WINDOW_MASK 0x1FFFF00000000ull /* which window an address is in */
#define SPACE_REMOTE      0x8000000000000000ull /* no address: a name of memory on any node (grid/nodes.h) */
enum { SPACE_ALIGNMENT = 256 };
/* GPUs of one system, at most. */
enum { SPACE_MOST = (int)(SPACE_HOST_BASE >> SPACE_HOME_SHIFT) };

/* Whether the host may write there at any time: above device memory, and below it in a program that is not
 * loaded at random addresses. */
static inline bool space_is_host(uint64_t address)
{
    return address >= SPACE_HOST_BASE || (address < SPACE_GLOBAL_BASE && address >= SPACE_NULL_END);
}

/* Which GPU of the system has the address in its device memory; of an address that is not the host's. */
static inline uint32_t space_home(uint64_t address) { return (uint32_t)(address >> SPACE_HOME_SHIFT); }

typedef enum MemoryKind {
    MEMORY_DEVICE,
    MEMORY_HOST,        /* reached at the host's own address */
    MEMORY_MANAGED,     /* the same, but it counts as device memory */
    MEMORY_REGISTERED   /* host memory that belongs to somebody else */
} MemoryKind;

/* What becomes of accesses by kernels outside of every allocation (knob memory_check). A page is mapped as
 * long as a live allocation lies in it: PAGE_BYTES of device memory, the host's own pages of its memory. */
typedef enum MemoryCheck {
    CHECK_ALLOCATION, /* they fail */
    CHECK_REPORT,     /* they pass inside of mapped pages, and are told */
    CHECK_PAGE        /* they pass there */
} MemoryCheck;

/* Invariant: ranges of live allocations do not overlap; base is a multiple of SPACE_ALIGNMENT; host points to
 * `size` bytes that never move while the allocation lives, and is base unless it is device memory. */
typedef struct Allocation {
    uint64_t base, size;
    uint8_t *host;
    const char *name;   /* a variable's name, or null for an allocation of the program */
    bool read_only;     /* constant banks, and what is registered for reading */
    MemoryKind memory;
    bool is_granted;    /* only those GPUs may use it whose bits are set, whatever they may reach otherwise */
    uint32_t granted;
    /* Of registered memory: the look at which it was last seen to be mapped, and that it is no more. Threads
     * of a run may both find out, and find the same. */
    uint64_t seen_at;
    bool is_lost;
} Allocation;

typedef struct AddressSpace AddressSpace;

/* The spaces of all GPUs of a system. Addresses of one are never those of another; host memory that one of
 * them has mapped is reached by all. */
typedef struct SpaceGroup {
    AddressSpace *spaces[SPACE_MOST]; /* by the GPU's index */
    uint32_t count;
    uint32_t node_gpus;   /* so many GPUs are a node, where links end; 0: all are */
    uint64_t next_mapped; /* where the next host memory of our own goes */
    Homes homes;          /* of registered memory that is a GPU's own */
} SpaceGroup;

/* Invariant: addresses of device memory are never reused while the space lives, so
 * that a use after free is found; `limit` bounds the sum of its live sizes. Who keeps an allocation
 * that was found earlier compares `version`, which every change moves. */
struct AddressSpace {
    SpaceGroup *group;  /* null: it is alone, and all addresses of device memory are its own */
    uint32_t index;     /* in it */
    uint64_t reach;     /* bit i: kernels may use device memory of GPU i; its own bit is always set */
    Tree live;          /* Allocations by base */
    Backing backing;    /* of device memory */
    MemoryCheck check;
    bool was_loose;     /* kernels may have written outside of allocations */
    uint64_t version;
    uint64_t look;      /* number of the present one: see space_look_again() */
    uint32_t registered;
    uint64_t next;      /* where the next allocation goes */
    uint64_t next_mapped; /* where the next host memory of our own goes, if it is alone */
    uint64_t used, limit;
    Allocation *last_freed; /* ring of recently freed ranges, for error sentences */
    uint32_t freed_count, freed_next;
    bool holds;         /* host memory of what is freed is kept: requests may still be on their way to it */
    struct HeldMemory *held;
};

void space_init(AddressSpace *space, uint64_t limit);
/* It is a space of the group from now on, which must outlive it; nothing has been allocated yet. */
void space_join(AddressSpace *space, SpaceGroup *group);
void space_destroy(AddressSpace *space);
/* Zeroed memory. size 0 is an error, as is running over the limit. `name` is kept by pointer. */
WbStatus space_alloc(AddressSpace *space, uint64_t size, const char *name, bool read_only, uint64_t *address,
                     Error *error);
WbStatus space_free(AddressSpace *space, uint64_t address, Error *error);
/* Sets memory aside that nobody gets an address of, or lets it go again. False: there is no room. */
bool space_reserve(AddressSpace *space, uint64_t size);
void space_unreserve(AddressSpace *space, uint64_t size);
/* Host memory that the device reaches from now on at its own address. Of MEMORY_REGISTERED, `host` is given
 * and all aligned places of SPACE_ALIGNMENT bytes that hold some of it are reachable; of the other kinds
 * zeroed pages are made. */
WbStatus space_map(AddressSpace *space, uint64_t size, MemoryKind memory, void **host, Error *error);
/* From now on host memory of what is freed is kept until it is let go. */
void space_hold(AddressSpace *space);
void space_let_go(AddressSpace *space);
/* The program has had its turn: whether registered memory is still mapped is asked again when it is next
 * found. Programs may free what they registered, and must not crash where a kernel uses it. */
void space_look_again(AddressSpace *space);
/* The registered memory that the address is in, whether it is still mapped or not; null: none. */
Allocation *space_find_registered(const AddressSpace *space, uint64_t address);
void space_set_check(AddressSpace *space, MemoryCheck check);
/* The host's bytes of an access outside of allocations, if every page of its range is mapped. Null: the
 * access must fail, because `check` wants it or because a GPU would refuse it. */
uint8_t *space_reach_page(const AddressSpace *space, uint64_t address, uint64_t size, bool writes);
/* The same in this space alone, whatever `check` wants. */
uint8_t *space_reach_own_page(const AddressSpace *space, uint64_t address, uint64_t size, bool writes);
/* The allocation that holds the whole range, or null; registered memory that is no longer mapped is none.
 * space_find() is for kernels: of other GPUs' device memory they see what they may reach. The host sees all
 * of it (space_find_any()); space_find_own() finds what was allocated in this space. */
Allocation *space_find(const AddressSpace *space, uint64_t address, uint64_t size);
Allocation *space_find_any(const AddressSpace *space, uint64_t address, uint64_t size);
Allocation *space_find_own(const AddressSpace *space, uint64_t address, uint64_t size);
/* From now on kernels of the GPU may use the peer's device memory, or may not. */
void space_reach(AddressSpace *space, const AddressSpace *peer, bool may);
/* From now on exactly the GPUs whose bits are set may use the memory that begins at the address, one of this
 * space. False: none begins there. A space that is alone takes no note of it. */
bool space_grant(AddressSpace *space, uint64_t address, uint32_t gpus);
/* Registered memory that begins at the address, one of this space, is device memory of its GPU from now on,
 * though it lies at an address of the host. False: none begins there. A space that is alone takes no note. */
bool space_settle(AddressSpace *space, uint64_t address);
/* Whose device memory lies at the address: a GPU's index, or HOME_HOST. */
int32_t space_owner(const AddressSpace *space, uint64_t address);
/* Whether kernels of the space's GPU may use the allocation, which GPU `home` has. */
static inline bool space_may_reach(const AddressSpace *space, const Allocation *allocation, uint32_t home)
{
    return allocation->is_granted ? allocation->granted >> space->index & 1
                                  : allocation->memory != MEMORY_DEVICE || space->reach >> home & 1;
}
/* What was found in any space of the group may be different from now on. */
void space_changed(AddressSpace *space);

enum { ALLOCATION_CACHE_ENTRIES = 64 };

/* The allocation that each instruction's last global access found, by the low bits of its program
 * counter. Valid while the address space's version is this one. */
typedef struct AllocationCache {
    uint64_t version;
    const Allocation *found[ALLOCATION_CACHE_ENTRIES];
} AllocationCache;

/* space_find(), first where the instruction found its last address. */
static inline const Allocation *space_find_again(const AddressSpace *space, AllocationCache *cache,
                                                 uint32_t pc, uint64_t address, uint32_t bytes)
{
    if (cache->version != space->version)
        *cache = (AllocationCache){.version = space->version};
    const Allocation **slot = &cache->found[pc % ALLOCATION_CACHE_ENTRIES];
    const Allocation *found = *slot;
    if (found && address >= found->base && address - found->base < found->size &&
        bytes <= found->size - (address - found->base))
        return found;
    found = space_find(space, address, bytes);
    if (found)
        *slot = found;
    return found;
}

/* Host copies; fail with a sentence when the range is not in one allocation. */
WbStatus space_write(AddressSpace *space, uint64_t address, const void *data, uint64_t size, Error *error);
WbStatus space_read(const AddressSpace *space, uint64_t address, void *data, uint64_t size, Error *error);
/* "inside no allocation; the nearest is 400 bytes at 0x..., which ends 4 bytes before": for sentences. */
const char *space_describe(const AddressSpace *space, uint64_t address, char *buffer, size_t size);
/* " on GPU 1" where there are several GPUs, for sentences about kernels; else nothing. */
enum { SPACE_GPU_TEXT = 24 };
const char *space_gpu_text(const AddressSpace *space, char *buffer, size_t size);

#endif
