/* Three questions to the host's kernel, from the cheapest on: msync() says whether pages are mapped,
 * MADV_POPULATE_* whether they can be read or written, /proc/self/maps how far that goes. */
#include "base/host_range.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Older headers do not know them; older kernels say EINVAL. */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Calls that want whole pages get them; false: the range goes beyond all addresses. */
static bool whole_pages(uint64_t address, uint64_t size, void **first, size_t *bytes)
{
    const uint64_t mask = 4096 - 1; /* no host has smaller pages, and larger ones are told of as EINVAL */
    uint64_t end;
    if (__builtin_add_overflow(address, size, &end) || __builtin_add_overflow(end, mask, &end))
        return false;
    *first = (void *)(uintptr_t)(address & ~mask);
    *bytes = (size_t)((end & ~mask) - (address & ~mask));
    return true;
}

/* The call does nothing else with MS_ASYNC: the kernel writes back what has changed when it likes. */
bool host_range_is_mapped(uint64_t address, uint64_t size)
{
    void *first;
    size_t bytes;
    return whole_pages(address, size, &first, &bytes) &&
           (msync(first, bytes, MS_ASYNC) == 0 || errno != ENOMEM);
}

uint64_t host_range_reach(uint64_t address, uint64_t size, bool writes)
{
    uint64_t reached = address, begin, end;
    char *line = NULL, rights[5];
    size_t room = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps) /* then nobody can tell */
        return size;
    while (reached - address < size && getline(&line, &room, maps) > 0) {
        /* Lines are in the order of addresses: a mapping that ends before the range is passed over, and the
         * first that begins behind `reached` leaves a hole. */
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &begin, &end, rights) != 3 || end <= reached)
            continue;
        if (begin > reached || rights[0] != 'r' || (writes && rights[1] != 'w'))
            break;
        reached = end;
    }
    free(line);
    fclose(maps);
    return reached - address < size ? reached - address : size;
}

bool host_range_prepare(uint64_t address, uint64_t size, bool writes)
{
    void *first;
    size_t bytes;
    if (!whole_pages(address, size, &first, &bytes))
        return false;
    return madvise(first, bytes, writes ? MADV_POPULATE_WRITE : MADV_POPULATE_READ) == 0 ||
           host_range_reach(address, size, writes) == size;
}
