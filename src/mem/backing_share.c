/* Device memory that another process can map: its pages become those of a file in memory, in place. A page
 * that two allocations share goes with whichever is shared first. */
#include "mem/backing.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HOST_PAGE = 4096 };

/* The run that holds the page, or null; *until is where the pages that are like it end. */
static const SharedRun *find_run(const Backing *backing, uint64_t page, uint64_t *until)
{
    for (uint32_t i = 0; i < backing->shared.count; i++) {
        const SharedRun *run = &backing->shared.items[i];
        if (page >= run->first && page < run->first + run->size) {
            *until = run->first + run->size < *until ? run->first + run->size : *until;
            return run;
        }
        if (run->first > page && run->first < *until)
            *until = run->first;
    }
    return NULL;
}

/* The pages keep what they hold. */
static bool move_into_file(Backing *backing, uint64_t first, uint64_t size)
{
    uint8_t *host = backing_find(backing, first);
    const int file = memfd_create("warpbeam", MFD_CLOEXEC);
    if (file < 0)
        return false;
    for (uint64_t done = 0; done < size;) {
        const ssize_t written = pwrite(file, host + done, size - done, (off_t)done);
        if (written <= 0) {
            close(file);
            return false;
        }
        done += (uint64_t)written;
    }
    if (mmap(host, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
        close(file);
        return false;
    }
    VEC_PUSH(&backing->shared, ((SharedRun){first, size, file}));
    return true;
}

uint32_t backing_share(Backing *backing, uint64_t address, uint64_t size, SharedPiece pieces[SHARED_PIECES])
{
    const uint64_t end = (address + size + HOST_PAGE - 1) / HOST_PAGE * HOST_PAGE;
    uint32_t count = 0;
    for (uint64_t at = address / HOST_PAGE * HOST_PAGE; at < end;) {
        uint64_t until = end;
        const SharedRun *run = find_run(backing, at, &until);
        if (!run) {
            if (count == SHARED_PIECES || !move_into_file(backing, at, until - at))
                return 0;
            continue;
        }
        if (count == SHARED_PIECES)
            return 0;
        pieces[count++] = (SharedPiece){run->file, at - run->first, until - at};
        at = until;
    }
    return count;
}
