/* Names of memory on other nodes. */
#include "grid/nodes.h"

#define OFFSET_MASK (((uint64_t)1 << SPACE_HOME_SHIFT) - 1)

bool nodes_find(const Nodes *nodes, uint64_t address, NodesPlace *place)
{
    if (!(address & NODES_REMOTE) && space_is_host(address))
        return false;
    const uint32_t number = space_home(address & ~NODES_REMOTE);
    *place = (NodesPlace){address & NODES_REMOTE ? number : nodes->first + number, address & OFFSET_MASK};
    return true;
}

NodesGpu *nodes_gpu(Nodes *nodes, uint32_t number)
{
    const uint32_t index = number - nodes->first;
    return number >= nodes->first && index < nodes->here ? &nodes->gpus[index] : NULL;
}

uint64_t nodes_address(const NodesGpu *gpu, uint64_t offset)
{
    return ((uint64_t)gpu->space->index << SPACE_HOME_SHIFT) + offset;
}

uint8_t *nodes_bytes(const NodesGpu *gpu, uint64_t offset, uint64_t bytes, bool writes)
{
    const uint64_t address = nodes_address(gpu, offset);
    const Allocation *found = space_find_own(gpu->space, address, bytes);
    return found && !(writes && found->read_only) ? found->host + (address - found->base) : NULL;
}

const char *nodes_describe(const NodesGpu *gpu, uint64_t offset, char *text, size_t size)
{
    return space_describe(gpu->space, nodes_address(gpu, offset), text, size);
}
