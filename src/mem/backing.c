/* Stretches are reserved by mmap() without access, and pages are opened by mprotect() when an allocation
 * needs them. */
#include "mem/backing.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_MASK ((uint64_t)PAGE_BYTES - 1)

static uint64_t page_begin(uint64_t address) { return address & ~PAGE_MASK; }

static uint64_t page_end(uint64_t address) { return (address + PAGE_MASK) & ~PAGE_MASK; }

uint64_t backing_place(uint64_t address, uint64_t size)
{
    const uint64_t left = STRETCH_BYTES - address % STRETCH_BYTES;
    /* An allocation lies in one stretch, so that its host memory is one piece. */
    return size <= left ? address : address + left;
}

/* Addresses without memory, aligned as pages are; null: there are none. */
static uint8_t *reserve(uint64_t size)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    uint8_t *got = mmap(NULL, size + PAGE_BYTES, PROT_NONE, flags, -1, 0);
    if (got == MAP_FAILED)
        return NULL;
    const uint64_t before = page_end((uint64_t)(uintptr_t)got) - (uint64_t)(uintptr_t)got;
    if (before)
        munmap(got, before);
    munmap(got + before + size, PAGE_BYTES - before);
    return got + before;
}

/* The rest of the stretch that begins at the address, or of several for a larger allocation. Where the host
 * limits the addresses of a process, many of them are left to the rest of it. */
static bool add_stretch(Backing *backing, uint64_t first, uint64_t needed)
{
    const uint64_t last = (first + needed - 1) / STRETCH_BYTES * STRETCH_BYTES + STRETCH_BYTES;
    Stretch stretch = {.first = first, .size = last - first, .open = first};
    if (!(stretch.host = reserve(stretch.size))) {
        do {
            stretch.size = page_end(stretch.size / 2);
            if ((stretch.host = reserve(stretch.size)))
                munmap(stretch.host, stretch.size);
        } while (!stretch.host && stretch.size > page_end(needed));
        stretch.size = page_end(stretch.size / 2 > needed ? stretch.size / 2 : needed);
        stretch.host = reserve(stretch.size);
    }
    if (stretch.host)
        VEC_PUSH(&backing->stretches, stretch);
    return stretch.host != NULL;
}

static Stretch *find_stretch(const Backing *backing, uint64_t address)
{
    /* From the last on: that is where most allocations are made, and there are few stretches. */
    for (uint32_t i = backing->stretches.count; i--;)
        if (address >= backing->stretches.items[i].first)
            return &backing->stretches.items[i];
    return NULL;
}

uint8_t *backing_open(Backing *backing, uint64_t address, uint64_t size)
{
    const uint64_t first = page_begin(address), end = page_end(address + size);
    Stretch *stretch = find_stretch(backing, address);
    if (!stretch || first >= stretch->first + stretch->size) {
        if (!add_stretch(backing, first, end - first))
            return NULL;
        stretch = find_stretch(backing, address);
    }
    /* Only where the host gave less than a whole stretch. */
    if (end > stretch->first + stretch->size)
        return NULL;
    /* Allocations come in the order of addresses, so what is open is one piece from the stretch's
     * beginning. */
    const uint64_t open = stretch->open > first ? stretch->open : first;
    if (end > open) {
        if (mprotect(stretch->host + (open - stretch->first), end - open, PROT_READ | PROT_WRITE))
            return NULL;
        stretch->open = end;
    }
    return stretch->host + (address - stretch->first);
}

uint8_t *backing_find(const Backing *backing, uint64_t address)
{
    const Stretch *stretch = find_stretch(backing, address);
    return stretch->host + (address - stretch->first);
}

void backing_release(const Backing *backing, uint64_t address, uint64_t size)
{
    uint8_t *host = backing_find(backing, address);
    if (madvise(host, size, MADV_DONTNEED)) /* of a process that locks its memory, say */
        memset(host, 0, size);
}

void backing_free(Backing *backing)
{
    for (uint32_t i = 0; i < backing->stretches.count; i++)
        munmap(backing->stretches.items[i].host, backing->stretches.items[i].size);
    for (uint32_t i = 0; i < backing->shared.count; i++)
        close(backing->shared.items[i].file);
    VEC_FREE(&backing->shared);
    VEC_FREE(&backing->stretches);
}
