/* Between the directory's files: entries, and the caches they name. */
#ifndef MEM_DIRECTORY_ENTRY_H
#define MEM_DIRECTORY_ENTRY_H

#include "mem/directory.h"

/* The unit's entry, made if there is none; valid until the next call. */
DirectoryEntry *entry_of(Directory *directory, uint64_t unit);
bool entry_has_sharers(const DirectoryEntry *entry);

static inline bool entry_shares(const DirectoryEntry *entry, uint32_t cache)
{
    return entry->sharers[cache / 64] >> cache % 64 & 1;
}
static inline void entry_add(DirectoryEntry *entry, uint32_t cache)
{
    entry->sharers[cache / 64] |= 1ull << cache % 64;
}
static inline void entry_remove(DirectoryEntry *entry, uint32_t cache)
{
    entry->sharers[cache / 64] &= ~(1ull << cache % 64);
    if (entry->owner == cache)
        entry->owner = DIRECTORY_NONE;
}

#endif
