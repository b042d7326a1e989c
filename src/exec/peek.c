#include "exec/peek.h"

#include "exec/access.h"

#include <string.h>

/* Copies a range of a window that begins at `host`. */
static bool peek_window(const uint8_t *host, uint64_t window_size, uint64_t offset, void *to, size_t size)
{
    if (offset > window_size || size > window_size - offset)
        return false;
    memcpy(to, host + offset, size);
    return true;
}

bool peek(const Warp *warp, unsigned lane, uint64_t address, void *to, size_t size)
{
    const Launch *launch = warp->block->launch;
    Space space = access_window(address);
    uint64_t offset = address - access_window_base(space);
    switch (space) {
    case SPACE_SHARED:
        return peek_window(warp->block->shared, launch->shared_bytes, offset, to, size);
    case SPACE_LOCAL:
        return peek_window(warp->local + (size_t)lane * launch->local_bytes, launch->local_bytes, offset, to,
                           size);
    case SPACE_PARAM:
        return peek_window(launch->parameters, launch->program->parameter_bytes, offset, to, size);
    case SPACE_GLOBAL: {
        const Allocation *allocation = space_find(launch->space, address, size);
        return allocation &&
               peek_window(allocation->host, allocation->size, address - allocation->base, to, size);
    }
    default:
        return false;
    }
}

bool peek_string(const Warp *warp, unsigned lane, uint64_t address, char *to, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        if (!peek(warp, lane, address + i, &to[i], 1))
            return false;
        if (to[i] == '\0')
            return true;
    }
    to[size - 1] = '\0';
    return true;
}
