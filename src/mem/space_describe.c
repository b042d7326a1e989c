/* What an address is, for sentences about accesses that fail. */
#include "mem/space.h"

#include <inttypes.h>
#include <stdio.h>

/* "the variable 'table' of 400 bytes at 0x...". */
static void name_allocation(const Allocation *allocation, char *buffer, size_t size)
{
    if (allocation->name)
        snprintf(buffer, size, "the variable '%.128s' of %" PRIu64 " bytes at 0x%" PRIx64, allocation->name,
                 allocation->size, allocation->base);
    else
        snprintf(buffer, size, "the allocation of %" PRIu64 " bytes at 0x%" PRIx64, allocation->size,
                 allocation->base);
}

static const Allocation *find_freed(const AddressSpace *space, uint64_t address)
{
    for (uint32_t i = 0; i < space->freed_count; i++) {
        const Allocation *freed = &space->last_freed[i];
        if (address >= freed->base && address - freed->base < freed->size)
            return freed;
    }
    return NULL;
}

static const char *window_name(uint64_t address)
{
    if (address & SPACE_REMOTE)
        return "memory of another GPU as wb_remote() names it, for wb_put() and the like only";
    switch (address & ~0xFFFFFFFFull) {
    case SPACE_SHARED_BASE:
        return "in the generic window of shared memory";
    case SPACE_LOCAL_BASE:
        return "in the generic window of local memory";
    case SPACE_PARAM_BASE:
        return "in the generic window of kernel parameters";
    case SPACE_CODE_BASE:
        return "a function's address";
    default:
        return address >= SPACE_GLOBAL_END ? "outside the 49-bit address space" : NULL;
    }
}

/* Of an address that lies in no allocation. */
static void describe_nearest(const TreeNeighbours *neighbours, uint64_t address, char *buffer, size_t size)
{
    const Allocation *before = neighbours->before, *after = neighbours->after;
    char name[256], where[64];
    if (!before && !after) {
        snprintf(buffer, size, "inside no allocation; there is none");
        return;
    }
    uint64_t from_end = before ? address - (before->base + before->size) : UINT64_MAX;
    bool is_before = !after || from_end <= after->base - address;
    if (!is_before)
        snprintf(where, sizeof where, "begins %" PRIu64 " bytes after", after->base - address);
    else if (from_end)
        snprintf(where, sizeof where, "ends %" PRIu64 " bytes before", from_end);
    else
        snprintf(where, sizeof where, "ends right before");
    name_allocation(is_before ? before : after, name, sizeof name);
    snprintf(buffer, size, "inside no allocation; the nearest is %s, which %s", name, where);
}

static uint32_t node_of(const AddressSpace *space, uint32_t gpu)
{
    return space->group->node_gpus ? gpu / space->group->node_gpus : 0;
}

/* Of an address in device memory of another GPU. */
static bool describe_peer(const AddressSpace *space, uint64_t address, char *buffer, size_t size)
{
    const Allocation *found = space_find_any(space, address, 1);
    char name[256];
    if (!found || space_find_own(space, address, 1))
        return false;
    const uint32_t peer = space_home(found->base);
    name_allocation(found, name, sizeof name);
    if (found->memory != MEMORY_DEVICE)
        snprintf(buffer, size, "%" PRIu64 " bytes into %s%s", address - found->base, name,
                 found->read_only ? ", which is read-only" : "");
    else if (space_may_reach(space, found, peer))
        snprintf(buffer, size, "%" PRIu64 " bytes into %s of GPU %u%s", address - found->base, name, peer,
                 found->read_only ? ", which is read-only" : "");
    else if (found->is_granted)
        snprintf(buffer, size,
                 "%" PRIu64 " bytes into %s of GPU %u, which GPU %u was given no access to: "
                 "cudaMemPoolSetAccess gives it",
                 address - found->base, name, peer, space->index);
    else if (node_of(space, peer) != node_of(space, space->index))
        snprintf(buffer, size,
                 "%" PRIu64 " bytes into %s of GPU %u, which is on another node than GPU %u: "
                 "only wb_put() and wb_get() reach it",
                 address - found->base, name, peer, space->index);
    else
        snprintf(buffer, size,
                 "%" PRIu64 " bytes into %s of GPU %u, which GPU %u may not use: "
                 "cudaDeviceEnablePeerAccess(%u, 0) with device %u current allows it",
                 address - found->base, name, peer, space->index, peer, space->index);
    return true;
}

/* Whose memory is described: of a device address that of its GPU. */
static const AddressSpace *space_of(const AddressSpace *space, uint64_t address)
{
    const uint32_t home = space_home(address);
    const bool is_peers = space->group && address >= SPACE_GLOBAL_BASE && home < space->group->count;
    return is_peers && space->group->spaces[home] ? space->group->spaces[home] : space;
}

const char *space_describe(const AddressSpace *asking, uint64_t address, char *buffer, size_t size)
{
    if (asking->group && describe_peer(asking, address, buffer, size))
        return buffer;
    const AddressSpace *space = space_of(asking, address);
    const TreeNeighbours neighbours = tree_neighbours(&space->live, address);
    const Allocation *holder = neighbours.before;
    const Allocation *freed = find_freed(space, address);
    char name[256];
    /* From the most telling answer to the least: what holds it, what held it, what kind of address it is, and
     * what lies near. */
    if (holder && address - holder->base < holder->size && !space_may_reach(asking, holder, space->index)) {
        name_allocation(holder, name, sizeof name);
        snprintf(buffer, size, "%" PRIu64 " bytes into %s, which GPU %u was given no access to: "
                 "cuMemSetAccess gives it", address - holder->base, name, asking->index);
    } else if (holder && address - holder->base < holder->size && holder->is_lost) {
        snprintf(buffer, size,
                 "%" PRIu64 " bytes into registered host memory of %" PRIu64 " bytes at 0x%" PRIx64
                 ", which the program has unmapped",
                 address - holder->base, holder->size, holder->base);
    } else if (holder && address - holder->base < holder->size) {
        name_allocation(holder, name, sizeof name);
        snprintf(buffer, size, "%" PRIu64 " bytes into %s%s", address - holder->base, name,
                 holder->read_only ? ", which is read-only" : "");
    } else if (freed) {
        name_allocation(freed, name, sizeof name);
        snprintf(buffer, size, "%" PRIu64 " bytes into %s, which was freed", address - freed->base, name);
    } else if (address < SPACE_NULL_END) {
        snprintf(buffer, size, "inside no allocation; it is a null pointer plus %" PRIu64 " bytes", address);
    } else if (window_name(address)) {
        snprintf(buffer, size, "inside no allocation of global memory; it is %s", window_name(address));
    } else {
        describe_nearest(&neighbours, address, buffer, size);
    }
    return buffer;
}

const char *space_gpu_text(const AddressSpace *space, char *buffer, size_t size)
{
    buffer[0] = '\0';
    if (space->group)
        snprintf(buffer, size, " on GPU %u", space->index);
    return buffer;
}
