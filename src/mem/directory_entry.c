/* Entries of a directory: made, found, and grown. When the table is full, units that no cache has any more
 * leave it. */
#include <inttypes.h>

#include "mem/directory_entry.h"

static const uint64_t FREE = UINT64_MAX;
enum { FIRST_CAPACITY = 1024 };

WbStatus directory_check(const GpuConfig *config, Error *error)
{
    if (config->l1_coherence == L1_COHERENCE_NONE)
        return WB_OK;
    if (config->l2_halves > 1)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "l1_coherence is ownership and l2_halves %" PRIu64
                         ", but the directory is made for an L2 of one piece: set l2_halves to 1.",
                         config->l2_halves);
    if (config->sm_count > DIRECTORY_CACHES / 2)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "l1_coherence is ownership and sm_count %" PRIu64
                         ", but the directory knows %d SMs at most: set one of the two.",
                         config->sm_count, DIRECTORY_CACHES / 2);
    return WB_OK;
}

static uint32_t place_of(const Directory *directory, uint64_t unit)
{
    uint32_t at = (uint32_t)((unit / SECTOR_BYTES * 0x9E3779B97F4A7C15u) >> 32) & (directory->capacity - 1);
    while (directory->entries[at].unit != unit && directory->entries[at].unit != FREE)
        at = (at + 1) & (directory->capacity - 1);
    return at;
}

static void make_table(Directory *directory, uint32_t capacity)
{
    directory->entries = xmalloc(capacity * sizeof *directory->entries);
    directory->capacity = capacity;
    directory->count = 0;
    for (uint32_t i = 0; i < capacity; i++)
        directory->entries[i].unit = FREE;
}

bool entry_has_sharers(const DirectoryEntry *entry)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < DIRECTORY_WORDS; i++)
        all |= entry->sharers[i];
    return all != 0;
}

static void renew_table(Directory *directory)
{
    DirectoryEntry *old = directory->entries;
    const uint32_t capacity = directory->capacity;
    uint32_t live = 0;
    for (uint32_t i = 0; i < capacity; i++)
        if (old[i].unit != FREE) {
            const bool is_needed =
                old[i].owner != DIRECTORY_NONE || old[i].task != DIRECTORY_NONE || entry_has_sharers(&old[i]);
            live += is_needed;
            old[i].unit = is_needed ? old[i].unit : FREE;
        }
    make_table(directory, live > capacity / 4 ? 2 * capacity : capacity);
    for (uint32_t i = 0; i < capacity; i++)
        if (old[i].unit != FREE) {
            directory->entries[place_of(directory, old[i].unit)] = old[i];
            directory->count++;
        }
    xfree(old);
}

DirectoryEntry *entry_of(Directory *directory, uint64_t unit)
{
    uint32_t at = place_of(directory, unit);
    if (directory->entries[at].unit == unit)
        return &directory->entries[at];
    if (directory->count >= directory->capacity / 2) {
        renew_table(directory);
        at = place_of(directory, unit);
    }
    directory->count++;
    directory->entries[at] = (DirectoryEntry){.unit = unit, .owner = DIRECTORY_NONE, .task = DIRECTORY_NONE};
    return &directory->entries[at];
}

Directory *directory_create(void)
{
    Directory *directory = xcalloc(1, sizeof *directory);
    directory->free_task = DIRECTORY_NONE;
    make_table(directory, FIRST_CAPACITY);
    return directory;
}

void directory_free(Directory *directory)
{
    if (!directory)
        return;
    for (uint32_t i = 0; i < directory->probes.count; i++)
        xfree(directory->probes.items[i]);
    VEC_FREE(&directory->probes);
    VEC_FREE(&directory->tasks);
    xfree(directory->answers.entries);
    xfree(directory->entries);
    xfree(directory);
}

void directory_clear(Directory *directory)
{
    for (uint32_t i = 0; i < directory->capacity; i++) {
        const DirectoryEntry old = directory->entries[i];
        if (old.unit != FREE)
            directory->entries[i] =
                (DirectoryEntry){.unit = old.unit, .owner = DIRECTORY_NONE, .task = old.task};
    }
}

bool directory_is_idle(const Directory *directory)
{
    return !(directory->busy | directory->arrived.count | directory->answers.count);
}
