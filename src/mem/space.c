/* Device memory as allocations in the order of addresses.
 *
 * Addresses only grow: one that was freed is never handed out again, so a use after free is found, not
 * hidden. The host's memory behind device memory lies as device memory does (mem/backing.h). Host memory that
 * kernels reach is asked for at addresses that are the same in every run: a kernel's time depends on its
 * addresses, and must not on the host's choice. */
#include "mem/space.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/host_range.h"

enum {
    FREED_RANGES = 16,
    GAP = SPACE_ALIGNMENT,   /* unmapped after every allocation, so that overruns are found */
    MAPPED_SIZE = 64 * 1024, /* the least that is mapped of host memory */
    HOST_PAGE = 4096         /* no host has smaller ones */
};

/* Programs and their libraries lie above or below; if something else does not, the next place is so much
 * further. */
#ifdef __SANITIZE_THREAD__ /* which keeps most of the addresses for itself */
#define FIRST_MAPPED 0x4000000000ull
#else
#define FIRST_MAPPED SPACE_HOST_BASE
#endif
#define MAPPED_DETOUR 0x1000000000ull

/* Pages at the address, or anywhere where it is null. */
static void *map_pages(uint64_t address, uint64_t size)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (address ? MAP_FIXED_NOREPLACE : 0);
    void *pages = mmap((void *)(uintptr_t)address, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

/* The memory of an allocation that is gone; see space_hold(). */
typedef struct HeldMemory {
    Allocation freed;
    struct HeldMemory *next;
} HeldMemory;

/* Host memory was mapped in whole pages whatever its size. */
static uint64_t mapped_bytes(const Allocation *allocation)
{
    const bool is_ours = allocation->memory == MEMORY_HOST || allocation->memory == MEMORY_MANAGED;
    return is_ours && allocation->size < MAPPED_SIZE ? MAPPED_SIZE : allocation->size;
}

static bool is_device_address(uint64_t address)
{
    return address >= SPACE_GLOBAL_BASE && address < SPACE_HOST_BASE;
}

/* Whether registered memory is still mapped, which is asked once a look. */
static bool is_still_there(const AddressSpace *space, Allocation *allocation)
{
    if (__atomic_load_n(&allocation->seen_at, __ATOMIC_ACQUIRE) != space->look) {
        /* Threads may both ask, and get the same answer. Whoever sees the new look also sees the answer. */
        const bool is_lost = !host_range_is_mapped(allocation->base, allocation->size);
        __atomic_store_n(&allocation->is_lost, is_lost, __ATOMIC_RELAXED);
        __atomic_store_n(&allocation->seen_at, space->look, __ATOMIC_RELEASE);
    }
    return !__atomic_load_n(&allocation->is_lost, __ATOMIC_RELAXED);
}

/* The live allocation that has its page of `page` bytes mapped, of device memory or of the host's; null:
 * none. */
static const Allocation *find_in_page(const AddressSpace *space, uint64_t address, uint64_t page, bool device)
{
    const uint64_t begin = address & ~(page - 1);
    /* The last one that begins before the page's end. If it does not reach into the page, none before it
     * does: allocations do not overlap. */
    Allocation *last = tree_before(&space->live, begin + page - 1);
    const bool is_there = last && (last->memory == MEMORY_DEVICE) == device &&
                          last->base + mapped_bytes(last) > begin &&
                          (last->memory != MEMORY_REGISTERED || is_still_there(space, last));
    return is_there ? last : NULL;
}

/* Gives back the pages of a range in which nothing lives any more. Between its first and its last page
 * nothing else can be. */
static void release_pages(AddressSpace *space, uint64_t base, uint64_t size)
{
    const uint64_t mask = PAGE_BYTES - 1;
    uint64_t first = base & ~mask, end = (base + size + mask) & ~mask;
    /* Neighbours may share the first and the last page; these stay. */
    if (find_in_page(space, first, PAGE_BYTES, true))
        first += PAGE_BYTES;
    if (end > first && find_in_page(space, end - PAGE_BYTES, PAGE_BYTES, true))
        end -= PAGE_BYTES;
    if (end > first)
        backing_release(&space->backing, first, end - first);
}

/* Registered memory is not ours. */
static void give_back(AddressSpace *space, const Allocation *freed)
{
    if (freed->memory == MEMORY_DEVICE)
        release_pages(space, freed->base, freed->size);
    else if (freed->memory != MEMORY_REGISTERED)
        /* Requests that were on their way to it have arrived: see space_hold(). */
        munmap(freed->host, mapped_bytes(freed));
}

void space_hold(AddressSpace *space) { space->holds = true; }

void space_let_go(AddressSpace *space)
{
    space->holds = false;
    for (HeldMemory *held = space->held, *next; held; held = next) {
        next = held->next;
        give_back(space, &held->freed);
        xfree(held);
    }
    space->held = NULL;
}

static void give_back_or_hold(AddressSpace *space, const Allocation *freed)
{
    if (!space->holds) {
        give_back(space, freed);
        return;
    }
    HeldMemory *held = xmalloc(sizeof *held);
    *held = (HeldMemory){*freed, space->held};
    space->held = held;
}

void space_init(AddressSpace *space, uint64_t limit)
{
    *space = (AddressSpace){
        .reach = 1, .next = SPACE_GLOBAL_BASE, .next_mapped = FIRST_MAPPED, .limit = limit};
    space->last_freed = xcalloc(FREED_RANGES, sizeof *space->last_freed);
}

static void destroy_allocation(void *context, void *thing)
{
    AddressSpace *space = context;
    Allocation *allocation = thing;
    if (space->group && allocation->memory != MEMORY_DEVICE)
        homes_remove(&space->group->homes, allocation->base);
    if (allocation->memory != MEMORY_DEVICE)
        give_back(space, allocation);
    xfree(allocation);
}

void space_destroy(AddressSpace *space)
{
    space_let_go(space);
    tree_clear(&space->live, destroy_allocation, space);
    backing_free(&space->backing);
    for (uint32_t i = 0; i < space->freed_count; i++)
        xfree((char *)space->last_freed[i].name);
    xfree(space->last_freed);
    if (space->group) {
        homes_leave(&space->group->homes, (int32_t)space->index);
        space->group->spaces[space->index] = NULL;
    }
    *space = (AddressSpace){0};
}

void space_set_check(AddressSpace *space, MemoryCheck check)
{
    space->check = check;
    space->was_loose |= check != CHECK_ALLOCATION;
}

static WbStatus check_size(const AddressSpace *space, uint64_t size, Error *error)
{
    if (size == 0)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "An allocation of 0 bytes was asked for; ask for at least 1.");
    /* As a difference: a sum could exceed 64 bits. */
    if (space->used > space->limit || size > space->limit - space->used)
        return error_set(error, WB_ERROR_OUT_OF_MEMORY,
                         "An allocation of %" PRIu64 " bytes does not fit: %" PRIu64 " of the device's "
                         "%" PRIu64 " bytes are in use; free some or choose a GPU with more memory.",
                         size, space->used, space->limit);
    const uint64_t place = backing_place(space->next, size);
    const uint64_t end = space->group ? (uint64_t)(space->index + 1) << SPACE_HOME_SHIFT : SPACE_HOST_BASE;
    const uint64_t room = place < end ? end - place : 0;
    if (room < 2 * SPACE_ALIGNMENT || size > room - 2 * SPACE_ALIGNMENT)
        return error_set(error, WB_ERROR_OUT_OF_MEMORY,
                         "An allocation of %" PRIu64 " bytes does not fit into what is left of the device's "
                         "address space, in which no address is used twice; open the GPU again to start "
                         "afresh.",
                         size);
    return WB_OK;
}

static void enter(AddressSpace *space, const Allocation *allocation)
{
    Allocation *kept = xmalloc(sizeof *kept);
    *kept = *allocation;
    kept->seen_at = space->look;
    tree_add(&space->live, kept->base, kept);
    space->registered += kept->memory == MEMORY_REGISTERED;
    space_changed(space);
}

/* Kernels may have written ahead of the last allocation, but not beyond its page. */
static void clear_ahead(const AddressSpace *space, uint64_t address, uint64_t size, uint8_t *host)
{
    const uint64_t left = PAGE_BYTES - address % PAGE_BYTES;
    if (space->was_loose)
        memset(host, 0, size < left ? size : left);
}

WbStatus space_alloc(AddressSpace *space, uint64_t size, const char *name, bool read_only, uint64_t *address,
                     Error *error)
{
    *address = 0;
    WbStatus status = check_size(space, size, error);
    if (status != WB_OK)
        return status;
    const uint64_t place = backing_place(space->next, size);
    /* Nothing has been changed when this fails. */
    uint8_t *host = backing_open(&space->backing, place, size);
    if (!host)
        return error_set(
            error, WB_ERROR_OUT_OF_MEMORY,
            "The host has no memory for a device allocation of %" PRIu64 " bytes; allocate less.", size);
    clear_ahead(space, place, size, host);
    *address = place;
    enter(space, &(Allocation){.base = place,
                               .size = size,
                               .host = host,
                               .name = name,
                               .read_only = read_only,
                               .memory = MEMORY_DEVICE});
    space->used += size;
    space->next = place + ((size + SPACE_ALIGNMENT - 1) & ~(uint64_t)(SPACE_ALIGNMENT - 1)) + GAP;
    return WB_OK;
}

bool space_reserve(AddressSpace *space, uint64_t size)
{
    if (space->used > space->limit || size > space->limit - space->used)
        return false;
    space->used += size;
    return true;
}

void space_unreserve(AddressSpace *space, uint64_t size) { space->used -= size; }

static bool is_taken(const AddressSpace *space, uint64_t base, uint64_t size)
{
    /* Of allocations that do not overlap, only the last one that begins before the end can lie in the
     * range. */
    const Allocation *last = tree_before(&space->live, base + size - 1);
    return last && last->base + last->size > base;
}

/* Host memory for the device at the next place that is free. */
static void *map_next(AddressSpace *space, uint64_t size)
{
    enum { TRIES = 64 };
    uint64_t *next = space->group ? &space->group->next_mapped : &space->next_mapped;
    for (int i = 0; i < TRIES; i++, *next += MAPPED_DETOUR) {
        void *pages = map_pages(*next, size);
        if (!pages && errno == ENOMEM)
            return NULL;
        if (!pages)
            continue;
        *next += (size + 2 * MAPPED_SIZE - 1) / MAPPED_SIZE * MAPPED_SIZE;
        return pages;
    }
    /* Then anywhere: the run is right, though its times may differ from those of another run. */
    return map_pages(0, size);
}

/* Makes the range of a mapping: pages of our own, or the aligned places around what is given. */
static WbStatus make_range(AddressSpace *space, MemoryKind memory, uint64_t *size, void **host, Error *error)
{
    const uint64_t mask = SPACE_ALIGNMENT - 1;
    if (memory == MEMORY_REGISTERED) {
        const uint64_t begin = (uint64_t)(uintptr_t)*host & ~mask;
        *size = (((uint64_t)(uintptr_t)*host + *size + mask) & ~mask) - begin;
        *host = (void *)(uintptr_t)begin;
        return WB_OK;
    }
    *host = map_next(space, *size < MAPPED_SIZE ? MAPPED_SIZE : *size);
    return *host ? WB_OK
                 : error_set(error, WB_ERROR_OUT_OF_MEMORY,
                             "The host has no memory for an allocation of %" PRIu64 " bytes; allocate less.",
                             *size);
}

WbStatus space_map(AddressSpace *space, uint64_t size, MemoryKind memory, void **host, Error *error)
{
    uint64_t range = size;
    if (!size)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "Host memory of 0 bytes was to be mapped; ask for at least 1.");
    if (memory == MEMORY_MANAGED && check_size(space, size, error))
        return error->status;
    if (make_range(space, memory, &range, host, error))
        return error->status;
    const uint64_t base = (uint64_t)(uintptr_t)*host;
    if (base < SPACE_NULL_END || base >= SPACE_GLOBAL_END || is_taken(space, base, range)) {
        if (memory != MEMORY_REGISTERED)
            munmap(*host, range < MAPPED_SIZE ? MAPPED_SIZE : range);
        return error_set(error, WB_ERROR_ARGUMENT,
                         "The %" PRIu64 " bytes of host memory at 0x%" PRIx64 " cannot be mapped: the device "
                         "has no such address, or some of them are mapped already.",
                         range, base);
    }
    enter(space, &(Allocation){.base = base, .size = range, .host = *host, .memory = memory});
    if (memory == MEMORY_MANAGED && space->group && space->group->homes.block_bytes)
        homes_add_managed(&space->group->homes, base, range);
    space->used += memory == MEMORY_MANAGED ? range : 0;
    space->next += SPACE_ALIGNMENT;
    return WB_OK;
}

Allocation *space_find_own(const AddressSpace *space, uint64_t address, uint64_t size)
{
    Allocation *allocation = tree_before(&space->live, address);
    if (!allocation)
        return NULL;
    uint64_t offset = address - allocation->base;
    /* Compared without a sum, which could exceed 64 bits. */
    if (offset > allocation->size || size > allocation->size - offset)
        return NULL;
    return allocation->memory != MEMORY_REGISTERED || is_still_there(space, allocation) ? allocation : NULL;
}

Allocation *space_find_registered(const AddressSpace *space, uint64_t address)
{
    Allocation *allocation = tree_before(&space->live, address);
    const bool is_it = allocation && allocation->memory == MEMORY_REGISTERED &&
                       address - allocation->base < allocation->size;
    return is_it ? allocation : NULL;
}

/* Whether some of the range belongs to what nobody may write. */
static bool is_protected(const AddressSpace *space, uint64_t address, uint64_t size)
{
    const Allocation *last = tree_before(&space->live, address + size - 1);
    return last && last->read_only && last->base + last->size > address;
}

uint8_t *space_reach_own_page(const AddressSpace *space, uint64_t address, uint64_t size, bool writes)
{
    uint64_t end;
    /* Some hosts have their memory among the device's addresses: see FIRST_MAPPED. */
    const bool device = is_device_address(address) && find_in_page(space, address, PAGE_BYTES, true);
    const uint64_t page = device ? PAGE_BYTES : HOST_PAGE;
    if (!size || __builtin_add_overflow(address, size, &end) ||
        end > (device ? SPACE_HOST_BASE : SPACE_GLOBAL_END) || (writes && is_protected(space, address, size)))
        return NULL;
    /* Every page of the range must be mapped, not only those at its ends. */
    for (uint64_t at = address & ~(page - 1); at < end; at += page) {
        const Allocation *holder = find_in_page(space, at, page, device);
        if (!holder || (!device && writes && holder->read_only))
            return NULL;
    }
    return device ? backing_find(&space->backing, address) : (uint8_t *)(uintptr_t)address;
}

/* The name is copied: that of a variable may go with its module. */
static void remember_freed(AddressSpace *space, const Allocation *allocation)
{
    Allocation *entry = &space->last_freed[space->freed_next];
    xfree((char *)entry->name);
    *entry = *allocation;
    entry->host = NULL;
    if (allocation->name) {
        size_t bytes = strlen(allocation->name) + 1;
        entry->name = memcpy(xmalloc(bytes), allocation->name, bytes);
    }
    space->freed_next = (space->freed_next + 1) % FREED_RANGES;
    if (space->freed_count < FREED_RANGES)
        space->freed_count++;
}

WbStatus space_free(AddressSpace *space, uint64_t address, Error *error)
{
    Allocation *allocation = tree_before(&space->live, address);
    if (!allocation || allocation->base != address) {
        char where[512];
        return error_set(error, WB_ERROR_ARGUMENT,
                         "The address 0x%" PRIx64 " cannot be freed because no allocation begins there: "
                         "it is %s.",
                         address, space_describe(space, address, where, sizeof where));
    }
    /* Before it goes: sentences about a use after free name it. */
    remember_freed(space, allocation);
    if (allocation->memory == MEMORY_DEVICE || allocation->memory == MEMORY_MANAGED)
        space->used -= allocation->size;
    space->next += allocation->memory == MEMORY_DEVICE ? 0 : SPACE_ALIGNMENT;
    tree_remove(&space->live, allocation->base);
    if (space->group && allocation->memory != MEMORY_DEVICE)
        homes_remove(&space->group->homes, allocation->base);
    space->registered -= allocation->memory == MEMORY_REGISTERED;
    space_changed(space);
    give_back_or_hold(space, allocation);
    xfree(allocation);
    return WB_OK;
}

static Allocation *find_for_copy(const AddressSpace *space, uint64_t address, uint64_t size, const char *verb,
                                 Error *error)
{
    Allocation *allocation = space_find_any(space, address, size);
    if (!allocation) {
        char where[512];
        error_set(error, WB_ERROR_ARGUMENT,
                  "The host cannot %s %" PRIu64 " bytes at device address 0x%" PRIx64 ": it is %s; a copy "
                  "must lie in one allocation.",
                  verb, size, address, space_describe(space, address, where, sizeof where));
    }
    return allocation;
}

WbStatus space_write(AddressSpace *space, uint64_t address, const void *data, uint64_t size, Error *error)
{
    Allocation *allocation = find_for_copy(space, address, size, "write", error);
    if (!allocation)
        return error->status;
    if (size)
        memcpy(allocation->host + (address - allocation->base), data, size);
    return WB_OK;
}

WbStatus space_read(const AddressSpace *space, uint64_t address, void *data, uint64_t size, Error *error)
{
    const Allocation *allocation = find_for_copy(space, address, size, "read", error);
    if (!allocation)
        return error->status;
    if (size)
        memcpy(data, allocation->host + (address - allocation->base), size);
    return WB_OK;
}
