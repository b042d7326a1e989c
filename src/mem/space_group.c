/* The address spaces of a system's GPUs together: who may reach whose memory, and what each of them finds.
 *
 * A device address says by its upper bits whose it is, so only one other space has to be asked. Host memory
 * is at its own address, and any of the spaces may have mapped it. */
#include "mem/space.h"

_Static_assert((int)HOMES_MOST == (int)SPACE_MOST, "the table of homes has a place for each GPU");

void space_join(AddressSpace *space, SpaceGroup *group)
{
    const uint32_t index = group->count++;
    if (index == 0)
        group->next_mapped = space->next_mapped;
    space->group = group;
    space->index = index;
    space->reach = (uint64_t)1 << index;
    space->next += (uint64_t)index << SPACE_HOME_SHIFT;
    group->spaces[index] = space;
}

void space_changed(AddressSpace *space)
{
    space->version += !space->group;
    for (uint32_t i = 0; space->group && i < space->group->count; i++)
        if (space->group->spaces[i])
            space->group->spaces[i]->version++;
}

void space_reach(AddressSpace *space, const AddressSpace *peer, bool may)
{
    const uint64_t bit = (uint64_t)1 << peer->index;
    space->reach = may ? space->reach | bit : space->reach & ~bit;
    space_changed(space);
}

bool space_grant(AddressSpace *space, uint64_t address, uint32_t gpus)
{
    Allocation *allocation = tree_before(&space->live, address);
    if (!allocation || allocation->base != address)
        return false;
    allocation->is_granted = space->group != NULL;
    allocation->granted = gpus;
    space_changed(space);
    return true;
}

bool space_settle(AddressSpace *space, uint64_t address)
{
    const Allocation *allocation = space_find_registered(space, address);
    if (!allocation)
        return false;
    if (space->group)
        homes_add(&space->group->homes, allocation->base, allocation->size, (int32_t)space->index);
    return true;
}

int32_t space_owner(const AddressSpace *space, uint64_t address)
{
    uint64_t base, bytes;
    const int32_t home = space->group ? homes_home(&space->group->homes, address) : (int32_t)HOME_UNKNOWN;
    if (home == HOME_MOVES)
        return homes_block(&space->group->homes, address, &base, &bytes)->after.home;
    if (home != HOME_UNKNOWN)
        return home;
    const Allocation *found = space_find_any(space, address, 1);
    if (!found || found->memory != MEMORY_DEVICE)
        return HOME_HOST;
    return space->group ? (int32_t)space_home(address) : (int32_t)space->index;
}

void space_look_again(AddressSpace *space)
{
    const uint32_t count = space->group ? space->group->count : 1;
    for (uint32_t i = 0; i < count; i++) {
        AddressSpace *each = space->group ? space->group->spaces[i] : space;
        if (!each)
            continue;
        each->look++;
        /* Kept findings of registered memory are no longer good; without any, all of them are. */
        if (each->registered)
            space_changed(each);
    }
}

/* In the others: what kernels may use, or, for the host, everything. */
static Allocation *find_elsewhere(const AddressSpace *space, bool is_host, uint64_t address, uint64_t size)
{
    for (uint32_t i = 0; i < space->group->count; i++) {
        const AddressSpace *other = space->group->spaces[i];
        Allocation *found = other && other != space ? space_find_own(other, address, size) : NULL;
        if (found && (is_host || space_may_reach(space, found, i)))
            return found;
    }
    return NULL;
}

Allocation *space_find(const AddressSpace *space, uint64_t address, uint64_t size)
{
    Allocation *found = space_find_own(space, address, size);
    if (!space->group)
        return found;
    if (found)
        return space_may_reach(space, found, space->index) ? found : NULL;
    return find_elsewhere(space, false, address, size);
}

Allocation *space_find_any(const AddressSpace *space, uint64_t address, uint64_t size)
{
    Allocation *found = space_find_own(space, address, size);
    return found || !space->group ? found : find_elsewhere(space, true, address, size);
}

uint8_t *space_reach_page(const AddressSpace *space, uint64_t address, uint64_t size, bool writes)
{
    if (space->check == CHECK_ALLOCATION)
        return NULL;
    uint8_t *found = space_reach_own_page(space, address, size, writes);
    for (uint32_t i = 0; !found && space->group && i < space->group->count; i++) {
        const AddressSpace *other = space->group->spaces[i];
        if (other && other != space && space->reach >> i & 1)
            found = space_reach_own_page(other, address, size, writes);
    }
    return found;
}
