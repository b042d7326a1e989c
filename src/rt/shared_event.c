/* An event that several processes have is a page of shared memory with two counters: records begun and
 * records reached. Waiting is polling; a process that dies on its way to a record is not waited for. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "rt/ipc.h"

/* Invariant: come <= recorded; they are equal unless `process` is on its way to a record. */
typedef struct Page {
    _Atomic uint64_t recorded, come;
    _Atomic int process;
} Page;

struct RtSharedEvent {
    Page *page;
    int file;
};

static RtSharedEvent *map(int file)
{
    Page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) {
        close(file);
        return NULL;
    }
    RtSharedEvent *event = xmalloc(sizeof *event);
    *event = (RtSharedEvent){page, file};
    return event;
}

RtSharedEvent *rt_shared_event_create(void)
{
    const int file = memfd_create("warpbeam event", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, sizeof(Page)) == 0)
        return map(file);
    if (file >= 0)
        close(file);
    return NULL;
}

RtError rt_shared_event_open(int file, RtSharedEvent **event)
{
    *event = lseek(file, 0, SEEK_END) == (off_t)sizeof(Page) ? map(file) : NULL;
    return *event ? RT_SUCCESS : rt_fail(RT_INVALID_VALUE, "The handle is not one of an event.");
}

void rt_shared_event_destroy(RtSharedEvent *event)
{
    if (!event)
        return;
    munmap(event->page, sizeof *event->page);
    close(event->file);
    xfree(event);
}

int rt_shared_event_file(const RtSharedEvent *event) { return event->file; }

void rt_shared_event_begin(RtSharedEvent *event)
{
    event->page->process = getpid();
    event->page->recorded++;
}

void rt_shared_event_end(RtSharedEvent *event) { event->page->come = event->page->recorded; }

/* A process that has ended on its way never comes there. */
bool rt_shared_event_has_come(const RtSharedEvent *event)
{
    return event->page->come >= event->page->recorded ||
           (kill(event->page->process, 0) != 0 && errno == ESRCH);
}

void rt_shared_event_wait(const RtSharedEvent *event)
{
    const struct timespec moment = {.tv_nsec = 200000};
    while (!rt_shared_event_has_come(event))
        nanosleep(&moment, NULL);
}
