/* An address is looked up as an access of that thread would be; nothing is copied where a part of it is
 * not its own. */
#include "exec/peek.h"

#include "exec/access.h"

#include <string.h>

/* Where the thread finds `size` bytes; null if they are not all its own to read. */
static uint8_t *locate(const Warp *warp, unsigned lane, uint64_t address, size_t size, bool *is_read_only)
{
    const Launch *launch = warp->block->launch;
    const Space space = access_window(address);
    const uint64_t offset = address - access_window_base(space);
    uint64_t bytes = 0;
    uint8_t *host = NULL;
    *is_read_only = false;
    if (space == SPACE_SHARED) {
        host = warp->block->shared;
        bytes = launch->shared_bytes;
    } else if (space == SPACE_LOCAL) {
        host = warp->local + (size_t)lane * launch->local_bytes;
        bytes = launch->local_bytes;
    } else if (space == SPACE_PARAM) {
        host = (uint8_t *)(uintptr_t)launch->parameters;
        bytes = launch->program->parameter_bytes;
        *is_read_only = true;
    } else if (space == SPACE_GLOBAL) {
        const Allocation *allocation = space_find(launch->space, address, size);
        *is_read_only = allocation && allocation->read_only;
        return allocation ? allocation->host + (address - allocation->base)
                          : space_reach_page(launch->space, address, size, false);
    }
    /* Without a sum, which could exceed 64 bits. */
    return host && offset <= bytes && size <= bytes - offset ? host + offset : NULL;
}

bool peek(const Warp *warp, unsigned lane, uint64_t address, void *to, size_t size)
{
    bool is_read_only;
    const uint8_t *from = locate(warp, lane, address, size, &is_read_only);
    if (from)
        memcpy(to, from, size);
    return from != NULL;
}

static uint8_t *locate_writable(const Warp *warp, unsigned lane, uint64_t address, size_t size)
{
    bool is_read_only;
    uint8_t *to = locate(warp, lane, address, size, &is_read_only);
    return is_read_only ? NULL : to;
}

bool poke(const Warp *warp, unsigned lane, uint64_t address, const void *from, size_t size)
{
    uint8_t *to = locate_writable(warp, lane, address, size);
    if (to)
        memcpy(to, from, size);
    return to != NULL;
}

bool poke_may(const Warp *warp, unsigned lane, uint64_t address, size_t size)
{
    return locate_writable(warp, lane, address, size) != NULL;
}

bool peek_string(const Warp *warp, unsigned lane, uint64_t address, char *to, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        /* Byte by byte: the string may end right before the end of its allocation. */
        if (!peek(warp, lane, address + i, &to[i], 1))
            return false;
        if (to[i] == '\0')
            return true;
    }
    to[size - 1] = '\0';
    return true;
}
